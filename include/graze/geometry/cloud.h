// Points that sensors deliver, as one thing in space.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "graze/base/aabb.h"
#include "graze/index/points.h"

namespace graze {

class CloudAttribute;
class KdTree;
class PointGrid;
class PointSearch;
struct AttributeView;
struct PointSearchOptions;
struct SearchVolume;

namespace detail {
struct CloudIndex;
}

/// Options of a Cloud.
struct CloudOptions {
  double radius = 0;  ///< of every point, in metres
};

/// Points with a common radius. Immutable; copies share the data, and moving is copying: a cloud that was moved from is
/// what it was.
///
///     Cloud cloud(PointView(xyz, count), {.radius = 0.01});   // float or double, any stride
///     Vec3 p = cloud.point(7);                                // exactly the caller's numbers
///
/// Indices are always the caller's. Points with a NaN or an infinity ("no return") are skipped and counted; they keep
/// their index and their attributes. A finite coordinate beyond kLargestCoordinate is refused with an Error.
///
/// Coordinates are stored as float32 in blocks of kBlock consecutive points, relative to a double origin per block.
/// float32 input is stored unchanged, to the bit and about the origin 0. Doubles that are no such floats are rounded:
/// `rounding()` is the largest such error, and what was rounded away is kept, so that `point(i)` is exact.
/// Memory per point: 12 bytes; 4 more for every coordinate of which a second float32 holds what was rounded away (those
/// of geo-referenced scans), 8 more where only the double itself does; plus the attributes. Making one takes O(n) time
/// and no other memory.
///
/// Questions go through two indices, each built when something first asks for it, once for all copies: a k-d tree (18
/// bytes per point of float32 input, 31 of doubles) and, for float32 input, a grid with which spheres begin (about 19
/// bytes per point, up to 64 where they lie at many scales). Building takes O(n log n) on all cores; any number of
/// threads may ask first. Out of memory is std::bad_alloc, and the next question tries again.
class Cloud {
 public:
  static constexpr std::size_t kBlock = 1024;
  static constexpr double kLargestCoordinate = 1e30;

  /// Consecutive points about one origin.
  struct Block {
    Vec3 origin = Vec3::Zero();
    double rounding = 0;  ///< of the points of this block
  };

  /// No points.
  Cloud();
  /// Copies the points. Throws Error for a bad radius and for a coordinate out of range.
  explicit Cloud(const PointView& points, const CloudOptions& options = {});
  /// The same with attributes, one value per point (graze/geometry/cloud_attributes.h). Throws Error also for an
  /// attribute without a name, with a name that another has, or with another number of values than there are points.
  Cloud(const PointView& points, const CloudOptions& options, const std::vector<AttributeView>& attributes);
  Cloud(const Cloud&) = default;
  Cloud& operator=(const Cloud&) = default;
  ~Cloud() = default;

  /// How many points the caller gave, those included that were skipped.
  std::size_t size() const;
  /// How many of them are no points.
  std::size_t skipped() const;
  /// Whether point i has a NaN or an infinity.
  bool is_skipped(std::size_t i) const;

  /// Builds both indices now: queries do not allocate from here on.
  void prepare() const;

  /// The point nearest to `p`, with its index and its distance in metres; none if there are no points, or none within
  /// `limit` (inclusive). Equal distances go to the lower index. Points count without their radius: how far their balls
  /// are is reported by closest_point() of query/point.h. O(log n). Throws Error for a `p`
  /// that is not finite or beyond 1e50 and for a limit that is negative or NaN.
  ///
  ///     Neighbor n = cloud.nearest(p, 0.5);
  ///     if (n.found()) use(cloud.point(n.index), n.distance);
  Neighbor nearest(const Vec3& p, double limit = kInfinity) const;
  /// As many of the nearest as the buffer has room for, sorted; returns the part of the buffer that was filled.
  std::span<Neighbor> nearest(const Vec3& p, std::span<Neighbor> buffer, double limit = kInfinity) const;
  /// The points in a volume of search_volume.h, in any form that PointSearch has; KdTree::search() states the rules,
  /// and search_each() of cloud_search.h searches in many volumes at once. Valid as long as this cloud or a copy of it
  /// is.
  ///
  ///     #include "graze/index/kd_tree.h"
  ///     std::size_t near_path = cloud.search(region::Segment(p, q, 0.2)).count();
  PointSearch search(const SearchVolume& volume) const;
  PointSearch search(const SearchVolume& volume, const PointSearchOptions& options) const;

  /// Equal for copies, and different (but for one chance in 2^64) for clouds of different points.
  std::uint64_t stamp() const;

  /// The caller's point i; NaN in all coordinates if it was skipped. O(1)
  Vec3 point(std::size_t i) const;

  /// The smallest box around the points, exact, without their radius; empty if there are none.
  const Aabb& bounds() const;
  double radius() const { return radius_; }
  /// The same points with another radius; shares the data.
  Cloud with_radius(double radius) const;

  /// No point lies farther than this from where its float32 coordinates put it; 0 for float32 input. Whoever decides
  /// by the stored coordinates adds it on the side of safety.
  double rounding() const;
  /// Where block i begins at point i × kBlock.
  std::span<const Block> blocks() const;
  /// x y z of every point relative to the origin of its block; NaN three times where it was skipped.
  std::span<const float> stored() const;
  /// The three floats of point i in stored().
  const float* stored_point(std::size_t i) const;

  /// What every point carries beside its coordinates, in the order given.
  std::span<const CloudAttribute> attributes() const;
  /// The attribute of this name, or null.
  const CloudAttribute* attribute(std::string_view name) const;

  /// Bytes that the shared data takes.
  std::size_t memory_bytes() const;

 private:
  friend class CloudBuilder;
  friend struct detail::CloudIndex;
  struct Data;
  Cloud(std::shared_ptr<const Data> data, double radius);

  std::shared_ptr<const Data> data_;
  double radius_ = 0;
};

}  // namespace graze
