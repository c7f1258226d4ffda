// What the pictures of a report are made of: the model, cross-sections, and the scan in levels of detail.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "graze/clearance/report.h"
#include "graze/geometry/geometry.h"

namespace graze::clearance {

/// A model as it is drawn, in its own frame: triangles, and points where it is a cloud.
struct ReportModel {
  std::vector<Vec3> vertices;           ///< in metres
  std::vector<MeshTriangle> triangles;  ///< of `vertices`
  std::vector<Vec3> points;
};

/// Options of report_model().
struct ReportModelOptions {
  std::size_t points = 60'000;      ///< a cloud of more is thinned to the first point of each voxel
  std::size_t triangles = 200'000;  ///< of a mesh with more only the corners are drawn, thinned like a cloud
};

/// Makes triangles of shapes (round ones to within a few per cent of their size), takes those of meshes as they are.
ReportModel report_model(std::span<const Placed> parts, const ReportModelOptions& options = {});

/// Options of report sections.
struct SectionOptions {
  double thickness = 0.2;    ///< metres of the slice, half to each side
  double margin = 1.5;       ///< metres that are shown around the model's box
  std::size_t raster = 256;  ///< of the points that fall into one cell of so many per axis, the worst is kept
};

/// A slice across the vehicle at the moment of a spot, seen from behind: y to the left, z up, in the model's frame.
struct ReportSection {
  /// A point of the slice.
  struct Point {
    float y = 0, z = 0;            ///< metres
    double clearance = kInfinity;  ///< over the whole motion
  };
  /// A line of the slice.
  struct Line {
    std::array<float, 2> from{}, to{};  ///< y, z
  };
  ReportPoint place;          ///< at which the slice was taken
  Aabb window;                ///< in the model's frame; x: the slice
  std::vector<Point> points;  ///< of the scan, by rows of the raster
  std::vector<Line> outline;  ///< of the model's triangles
  std::vector<Point> model;   ///< of its points
};

/// Collects the sections at some spots while a scan passes by.
///
///     SectionBuilder sections(path, model, places);
///     for (…) sections.add(block, results);
///     std::vector<ReportSection> all = std::move(sections).finish();
class SectionBuilder {
 public:
  /// One model, or one per pose of the path. Throws Error for any other number of them, and unless thickness, margin
  /// and raster are positive.
  SectionBuilder(const ReportPath& path, std::span<const ReportModel> models, std::span<const ReportPoint> places,
                 const SectionOptions& options = {});
  ~SectionBuilder();
  SectionBuilder(SectionBuilder&&) noexcept;
  SectionBuilder& operator=(SectionBuilder&&) noexcept;

  /// As ReportBuilder::add.
  void add(std::span<const Vec3> points, std::span<const PointClearance> results);
  /// In the order of the spots.
  std::vector<ReportSection> finish() &&;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A clearance in a byte, the worse the smaller, such that it shows the level: 0…63 hit (deepest to touching),
/// 64…127 fail, 128…191 warn, 192…254 clear up to `limit`, 255 beyond.
std::uint8_t clearance_code(double clearance, const ReportOptions& options, double limit);

/// A cube of space with some points of the scan; its children have the others that lie in it.
struct ReportCloudNode {
  std::array<float, 3> min{};          ///< relative to the cloud's origin
  float size = 0;                      ///< edge
  std::uint32_t first = 0, count = 0;  ///< in the cloud's points
  std::uint32_t children = 0;          ///< index of the first child, the others follow; 0: there are none
  std::uint32_t child_count = 0;       ///< how many children
};

/// Points in levels of detail: every node adds to what its ancestors show. Where several points would be drawn at one
/// spot, the worst stands for them, so that intrusions show from afar.
struct ReportCloud {
  Vec3 origin = Vec3::Zero();                        ///< of all coordinates, in the world
  std::vector<ReportCloudNode> nodes;                ///< the first is the root; parents before children
  std::vector<std::array<std::uint16_t, 3>> places;  ///< in 1/65535 of the node's edge from its min
  std::vector<std::uint8_t> codes;                   ///< see clearance_code
};

/// Options of ReportCloudBuilder.
struct ReportCloudOptions {
  std::size_t points = 2'000'000;  ///< about so many are kept, those below the warning threshold first
  std::size_t leaf = 20'000;       ///< a node with no more is not divided
  double limit = 1;                ///< of the engine
};

/// Takes those points of a scan that a viewer is to show. Which ones depends on their index alone.
class ReportCloudBuilder {
 public:
  /// For the scan that `report` is about.
  ReportCloudBuilder(const Report& report, const ReportPath& path, const ReportCloudOptions& options = {});
  /// As for ReportBuilder::add, with the same points.
  void add(std::span<const Vec3> points, std::span<const PointClearance> results, std::uint64_t first);
  /// O(points × levels).
  ReportCloud finish() &&;

 private:
  struct Kept {
    std::array<float, 3> place;
    std::uint8_t code;
  };
  ReportOptions thresholds_;
  ReportCloudOptions options_;
  Vec3 origin_;
  std::uint64_t near_below_ = 0, rest_below_ = 0;  // points whose mixed index is below are kept
  std::vector<Kept> kept_;
};

}  // namespace graze::clearance
