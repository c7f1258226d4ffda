// What a clearance run found, in the form in which the trade writes it down: a verdict, the least clearance along the
// way, and the places that are too narrow, worst first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graze/base/aabb.h"
#include "graze/base/pose.h"
#include "graze/clearance/depth.h"

namespace graze {

/// On which side of the vehicle a point passes, seen in the direction of travel.
enum class Side : std::uint8_t { left, right, above, below };
inline constexpr std::size_t kSides = 4;
std::string_view name_of(Side side);  ///< "left", "right", "above", "below"

/// How a clearance c stands to the thresholds: hit c <= 0, fail c < fail, warn c < warn, clear otherwise. What is no
/// number is a hit.
enum class ClearanceLevel : std::uint8_t { hit, fail, warn, clear };
inline constexpr std::size_t kLevels = 4;
std::string_view name_of(ClearanceLevel level);  ///< "hit", "fail", "warn", "clear"

struct ReportOptions {
  double warn = 0.2, fail = 0.1;  ///< metres of clearance; 0 <= fail <= warn
  double bin = 1;                 ///< metres of chainage in a row of the profile
  double link = 0.25;             ///< edge of the cubes by which points are joined to clusters, in metres
  int halo = 4;                   ///< cubes by which a cluster of failing points takes in those that only warn
  std::size_t clusters = 200;     ///< listed at most; the others are counted
  int threads = 0;                ///< as in ParallelOptions; the report is the same for any
};

/// A point of the scan and the moment at which the vehicle is nearest to it.
struct ReportPlace {
  std::uint64_t index = 0;         ///< of the point, over all scans in their order
  Vec3 point = Vec3::Zero();       ///< in the world
  Vec3 in_vehicle = Vec3::Zero();  ///< the same in the frame of the model at that moment
  double clearance = kInfinity;
  double chainage = 0;        ///< of the point: where a plane across the way meets it
  double pose_chainage = 0;   ///< of the vehicle's origin at that moment
  std::uint32_t pose = 0;     ///< between this pose of the path …
  float fraction = 0;         ///< … and the next
  std::uint32_t element = 0;  ///< of the model that is nearest
  Side side = Side::left;
};

/// The way of the vehicle, as it was handed to the engine, and where points stand to it. Keeps the spans.
///
///     ReportPath path(body.poses, chainage, box_of_the_model);
///     ReportPlace place = path.place_of(point, result, index);
class ReportPath {
 public:
  /// `chainage` in metres, one per pose, never falling; `model` is the box of the model in its own frame (x forward, y
  /// left, z up). Throws Error without poses, and for chainages that are not like this. O(poses)
  ReportPath(std::span<const Pose> poses, std::span<const double> chainage, const Aabb& model);

  std::span<const Pose> poses() const { return poses_; }
  std::span<const double> chainage() const { return chainage_; }
  const Aabb& model() const { return model_; }
  double length() const { return chainage_.back() - chainage_.front(); }

  /// Where and when the vehicle is nearest to a point, from what the engine said of it.
  ReportPlace place_of(const Vec3& point, const PointClearance& result, std::uint64_t index) const;
  /// Where the model stands at that moment.
  Pose pose_at(const ReportPlace& place) const;
  /// Which shapes it has then, of one per pose: from each pose to the next it counts as both, so that at a pose those
  /// before and after it count too. One of one, none of none.
  std::vector<std::size_t> frames_at(const ReportPlace& place, std::size_t frames) const;
  /// Where a plane across the way meets the point: of such planes the one that is found by walking from segment
  /// `near`. Beyond both ends the way goes on straight.
  double chainage_of(const Vec3& point, std::size_t near) const;
  /// Which side of the model's box: that of the face that is nearest in terms of the box's own size.
  Side side_of(const Vec3& in_vehicle) const;

 private:
  std::span<const Pose> poses_;
  std::span<const double> chainage_;
  Aabb model_;
  std::vector<Vec3> directions_;  // of travel from each pose on
};

/// The least clearance on each side between two chainages; a place with infinite clearance where nothing was nearer
/// than the limit of the engine.
struct ProfileRow {
  double from = 0, to = 0;
  std::array<ReportPlace, kSides> least;
};

/// What it takes to keep the clearance `fail` at a place.
struct PlaceDepth {
  DirectionalClearance directional;  ///< from the model where it is nearest, grown by `fail`
  ExitDepth exit;                    ///< out of what the model sweeps, grown by `fail`
  double left = 0, up = 0;           ///< metres: the way out in the vehicle's cross-section; +inf if none was found
};

/// Points that are too near and hang together.
struct ReportCluster {
  ReportPlace worst;
  ClearanceLevel level = ClearanceLevel::warn;  ///< of the worst point
  std::array<std::uint64_t, kLevels> points{};  ///< by level
  double from = 0, to = 0;                      ///< chainage
  Aabb bounds;                                  ///< in the world
  std::optional<PlaceDepth> depth = {};         ///< of the worst point, where somebody asked for it
  std::uint64_t total() const { return points[0] + points[1] + points[2] + points[3]; }
};

struct ClearanceReport {
  ReportOptions options;
  std::uint64_t points = 0;                     ///< of the scan, with those that were skipped
  std::uint64_t skipped = 0;                    ///< NaN or infinite
  std::uint64_t within = 0;                     ///< nearer than the limit of the engine
  std::array<std::uint64_t, kLevels> levels{};  ///< how many points are of each level
  ReportPlace worst;                            ///< infinite clearance if no point is within
  std::vector<ProfileRow> profile;              ///< rows without gaps, from the first that has a point to the last
  std::vector<ReportCluster> clusters;          ///< by clearance, worst first; ties by index
  std::uint64_t clusters_found = 0;             ///< with those that are not listed

  /// Whether every point keeps at least the clearance `fail`.
  bool passed() const { return levels[0] + levels[1] == 0; }
};

/// Of a place that was found by these engines, of models that move together. Some milliseconds.
PlaceDepth depth_of(std::span<const SweptClearance> together, const ReportPath& path, const ReportPlace& place,
                    double fail);

/// Where a clearance stands.
ClearanceLevel level_of(double clearance, const ReportOptions& options);

/// Takes in a scan part by part and makes its report, in memory that grows with the length of the way and with what
/// stands close to it, not with the scan.
///
///     ReportBuilder builder(path, {.warn = 0.2, .fail = 0.1});
///     for (…) { engine.measure(block, results); builder.add(block, results, first); }
///     ClearanceReport report = std::move(builder).finish();
class ReportBuilder {
 public:
  /// Throws Error for thresholds that are negative, not finite or in the wrong order and for lengths that are not
  /// positive.
  explicit ReportBuilder(const ReportPath& path, const ReportOptions& options = {});
  ~ReportBuilder();
  ReportBuilder(ReportBuilder&&) noexcept;
  ReportBuilder& operator=(ReportBuilder&&) noexcept;

  /// Points and what the engine said of them; `first` is the index of the first. In any order of parts; the report is
  /// the same. Throws Error, and is of no further use, if the sizes differ or a result names no pose. O(points), on
  /// several threads.
  void add(std::span<const Vec3> points, std::span<const PointClearance> results, std::uint64_t first);
  ClearanceReport finish() &&;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The rows of the profile: chainage_from_m,chainage_to_m,left_m,…,level. An empty field is "beyond the limit".
std::string profile_csv(const ClearanceReport& report);
/// The clusters, worst first, one a line.
std::string clusters_csv(const ClearanceReport& report);

}  // namespace graze
