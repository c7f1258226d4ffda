// What a clearance run found, in the form in which the trade writes it down: a verdict, the minimum clearance along
// the path, and the spots that are too narrow, worst first.
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
#include "graze/clearance/clearance.h"
#include "graze/clearance/coverage.h"
#include "graze/clearance/depth.h"

namespace graze::clearance {

/// How a clearance c stands to the thresholds: hit c <= 0, fail c < fail, warn c < warn, clear otherwise; c being the
/// minimum that the truth can be, the reported value less its tolerance. NaN is a hit.
enum class Level : std::uint8_t { hit, fail, warn, clear };
/// How many levels there are.
inline constexpr std::size_t kLevels = 4;
std::string_view name_of(Level level);  ///< "hit", "fail", "warn", "clear"

/// Options of ReportBuilder.
struct ReportOptions {
  double warn = 0.2, fail = 0.1;  ///< metres of clearance; 0 <= fail <= warn
  /// Metres: no reported clearance is above the truth by more than this, see SweptClearance::tolerance().
  double tolerance = kTolerance;
  double bin = 1;                 ///< metres of chainage in a row of the profile
  double link = 0.25;             ///< edge of the cubes by which points are joined to clusters, in metres
  int halo = 4;                   ///< cubes by which a cluster of failing points takes in those that only warn
  std::size_t clusters = 200;     ///< listed at most; the others are counted
  int threads = 0;                ///< as in ParallelOptions; the report is the same for any
  CoverageOptions coverage = {};  ///< where the scan counts as having looked
};

/// A point of the scan and the moment at which the vehicle is nearest to it.
struct ReportPoint {
  std::uint64_t index = 0;         ///< of the point, over all scans in their order
  Vec3 point = Vec3::Zero();       ///< in the world
  Vec3 in_vehicle = Vec3::Zero();  ///< the same in the frame of the model at that moment
  double clearance = kInfinity;    ///< metres, the minimum over the whole motion
  double chainage = 0;             ///< of the point: where a plane across the path meets it
  double pose_chainage = 0;        ///< of the vehicle's origin at that moment
  std::uint32_t pose = 0;          ///< between this pose of the path …
  float fraction = 0;              ///< … and the next
  std::uint32_t element = 0;       ///< of the model that is nearest
  Side side = Side::left;          ///< of the model's box
};

/// The path of the vehicle, as it was handed to the engine, and where points stand to it. Keeps the spans.
///
///     ReportPath path(body.poses, chainage, box_of_the_model);
///     ReportPoint place = path.point_of(point, result, index);
class ReportPath {
 public:
  /// `chainage` in metres, one per pose, never falling; `model` is the box of the model in its own frame (x forward, y
  /// left, z up). Throws Error without poses, and for chainages that are not like this. O(poses)
  ReportPath(std::span<const Pose> poses, std::span<const double> chainage, const Aabb& model);

  std::span<const Pose> poses() const { return poses_; }
  std::span<const double> chainage() const { return chainage_; }
  /// The box of the model, as given.
  const Aabb& model() const { return model_; }
  /// Metres from the first pose to the last.
  double length() const { return chainage_.back() - chainage_.front(); }

  /// Where and when the vehicle is nearest to a point, from what the engine said of it.
  ReportPoint point_of(const Vec3& point, const PointClearance& result, std::uint64_t index) const;
  /// Where the model stands at that moment.
  Pose pose_at(const ReportPoint& place) const;
  /// Which shapes it has then, of one per pose: from each pose to the next it counts as both, so that at a pose those
  /// before and after it count too. One of one, none of none.
  std::vector<std::size_t> frames_at(const ReportPoint& place, std::size_t frames) const;
  /// Where a plane across the path meets the point: of such planes the one that is found by walking from segment
  /// `near`. Beyond both ends the path goes on straight.
  double chainage_of(const Vec3& point, std::size_t near) const { return place_along(point, near).chainage; }
  /// The same with the pose behind which that is.
  struct PlaceAlong {
    double chainage;  ///< of the point, in metres
    std::size_t pose;
  };
  /// See chainage_of.
  PlaceAlong place_along(const Vec3& point, std::size_t near) const;
  /// Of travel from a pose on, unit.
  const Vec3& direction(std::size_t pose) const { return directions_[pose]; }
  /// Which side of the model's box: that of the face that is nearest in terms of the box's own size.
  Side side_of(const Vec3& in_vehicle) const;

 private:
  std::span<const Pose> poses_;
  std::span<const double> chainage_;
  Aabb model_;
  std::vector<Vec3> directions_;  // of travel from each pose on
};

/// The minimum clearance on each side between two chainages; a spot with infinite clearance where nothing was nearer
/// than the limit of the engine.
struct ProfileRow {
  double from = 0, to = 0;                        ///< chainage, in metres
  std::array<ReportPoint, kSides> nearest;        ///< by Side
  bool swept = false;                             ///< the model passes here; what follows is empty where it does not
  bool scanned = false;                           ///< all demanded sides were seen
  std::array<bool, kSides> seen = {};             ///< by the rule of CoverageOptions
  std::array<std::uint64_t, kSides> points = {};  ///< of the scan that count for this

  /// The smallest of the four.
  double min_clearance() const;
};

/// What it takes to keep the clearance `fail` at a spot.
struct PlaceDepth {
  DirectionalClearance directional;  ///< from the model where it is nearest, grown by `fail`
  ExitDepth exit;                    ///< out of what the model sweeps, grown by `fail`
  double left = 0, up = 0;           ///< metres: the exit in the vehicle's cross-section; +inf if none was found
};

/// Points that are too near and form a connected cluster.
struct ReportCluster {
  ReportPoint worst;                            ///< the point with the smallest clearance
  Level level = Level::warn;                    ///< of the worst point
  std::array<std::uint64_t, kLevels> points{};  ///< by level
  double from = 0, to = 0;                      ///< chainage
  Aabb bounds;                                  ///< in the world
  std::optional<PlaceDepth> depth = {};         ///< of the worst point, where somebody asked for it
  /// Points of all levels.
  std::uint64_t total() const { return points[0] + points[1] + points[2] + points[3]; }
};

/// What may be said of all of it.
enum class Verdict : std::uint8_t {
  fails,           ///< some point does not keep the clearance `fail`, whatever was not scanned
  not_checked,     ///< the scan has seen too little of the path for any statement
  partly_checked,  ///< all points keep it, and stretches of the path were not scanned
  clear            ///< all points keep it, and all of the path was scanned
};

/// What a run found.
struct Report {
  ReportOptions options;                        ///< as given to the builder
  std::uint64_t points = 0;                     ///< of the scan, with those that were skipped
  std::uint64_t skipped = 0;                    ///< NaN or infinite
  std::uint64_t within = 0;                     ///< nearer than the limit of the engine
  std::array<std::uint64_t, kLevels> levels{};  ///< how many points are of each level
  ReportPoint worst;                            ///< infinite clearance if no point is within
  std::vector<ProfileRow> profile;              ///< rows without gaps: all that the model sweeps, and all with a point
  std::vector<ReportCluster> clusters;          ///< by clearance, worst first; ties by index
  std::uint64_t clusters_found = 0;             ///< with those that are not listed
  Coverage coverage;                            ///< what was scanned at all

  /// Whether every point keeps at least the clearance `fail`. Says nothing of what was not scanned: see verdict().
  bool passed() const { return levels[0] + levels[1] == 0; }
  Verdict verdict() const;
};

/// Of a spot that was found by these engines, of models that move together. Some milliseconds.
PlaceDepth depth_of(std::span<const SweptClearance> together, const ReportPath& path, const ReportPoint& place,
                    double fail);

/// Where a clearance stands.
Level level_of(double clearance, const ReportOptions& options);

/// What a row of the profile amounts to: the level of its minimum clearance, or "not scanned" where that would be
/// "clear" and nothing was scanned.
std::string_view level_name(const ProfileRow& row, const ReportOptions& options);

/// Takes in a scan part by part and makes its report, in memory that grows with the length of the path and with what
/// stands close to it, not with the scan.
///
///     ReportBuilder builder(path, {.warn = 0.2, .fail = 0.1});
///     for (…) { engine.measure(block, results); builder.add(block, results, first); }
///     Report report = std::move(builder).finish();
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
  Report finish() &&;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The rows of the profile: chainage_from_m,chainage_to_m,left_m,…,level,left_points,…,unseen,scanned. An empty field
/// of the clearances is "beyond the limit"; `unseen` lists sides with a + between.
std::string profile_csv(const Report& report);
/// The clusters, worst first, one a line.
std::string clusters_csv(const Report& report);

}  // namespace graze::clearance
