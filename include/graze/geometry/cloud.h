// Points that sensors deliver, as one thing in space.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graze/base/aabb.h"
#include "graze/base/number.h"
#include "graze/base/pod_array.h"
#include "graze/index/points.h"
#include "graze/index/search_volume.h"

namespace graze {

class KdTree;
class PointGrid;
class PointSearch;
struct PointSearchOptions;

/// The name and type of one number that every point carries: intensity, red, classification, gps_time, …
struct AttributeType {
  std::string name;
  NumberType type = NumberType::float64;
  bool operator==(const AttributeType&) const = default;
};

/// An attribute in the caller's memory: one value per point.
struct AttributeView {
  /// Unique among the attributes of a cloud.
  std::string name;
  /// One per point.
  ColumnView values;
};

/// Options of a Cloud.
struct CloudOptions {
  double radius = 0;                           ///< of every point, in metres
  std::vector<AttributeView> attributes = {};  ///< each with as many values as there are points
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
/// `rounding()` tells by how much at most, and what was rounded away is kept, so that `point(i)` is exact.
/// Memory per point: 12 bytes; 4 more for every coordinate of which a second float32 holds what was rounded away (those
/// of geo-referenced scans), 8 more where only the double itself does; plus the attributes. Making one takes O(n) time
/// and no other memory. The tree and the grid below are made when something first asks for them, once for all copies.
class Cloud {
 public:
  static constexpr std::size_t kBlock = 1024;
  static constexpr double kLargestCoordinate = 1e30;

  /// Consecutive points about one origin.
  struct Block {
    Vec3 origin = Vec3::Zero();
    double rounding = 0;  ///< of the points of this block
  };

  /// A named column of values by point index.
  class Attribute {
   public:
    /// The name, unique within the cloud.
    const std::string& name() const { return kind_.name; }
    /// The type of the values.
    NumberType type() const { return kind_.type; }
    /// Name and type.
    const AttributeType& kind() const { return kind_; }
    std::size_t size() const { return bytes_.size() / size_of(kind_.type); }
    /// 64-bit integers beyond 2^53 are rounded, all other values are exact.
    double operator[](std::size_t i) const {
      return load_as_double(bytes_.data() + i * size_of(kind_.type), kind_.type);
    }
    /// The values as they are; throws Error where T is not the attribute's type.
    template <class T>
    std::span<const T> values() const {
      if (number_type<T>() != kind_.type) refuse_type(number_type<T>());
      return {reinterpret_cast<const T*>(bytes_.data()), size()};
    }
    /// The values as they are, of any type.
    ColumnView view() const {
      return {kind_.type, bytes_.data(), size(), static_cast<std::ptrdiff_t>(size_of(kind_.type))};
    }

   private:
    friend class Cloud;
    friend class CloudBuilder;
    [[noreturn]] void refuse_type(NumberType asked) const;
    AttributeType kind_;
    PodArray<std::byte> bytes_;
  };

  /// No points.
  Cloud();
  /// Copies the points and attributes. Throws Error for a bad radius, a coordinate out of range, or an attribute
  /// without a name, with a name that another has, or with another number of values than there are points.
  explicit Cloud(const PointView& points, const CloudOptions& options = {});
  Cloud(const Cloud&) = default;
  Cloud& operator=(const Cloud&) = default;
  ~Cloud() = default;

  /// How many points the caller gave, those included that were skipped.
  std::size_t size() const { return data_->size; }
  /// How many of them are no points.
  std::size_t skipped() const { return data_->skipped; }
  /// Whether point i has a NaN or an infinity.
  bool is_skipped(std::size_t i) const { return !(stored_point(i)[0] == stored_point(i)[0]); }

  /// The tree over the exact points, which the verbs and searches walk; 18 bytes per point of float32 input, 31 of
  /// doubles. The first call makes it, O(n log n) on all cores; any number of threads may make the first call. If that
  /// runs out of memory, this throws std::bad_alloc, and the next call tries again.
  const KdTree& tree() const;
  /// The grid over the points, with which spheres begin; about 19 bytes per point. Null if there are no points
  /// or they are no float32, and where a grid would be slow (PointGrid::crowded): the tree then answers alone. Made
  /// like the tree.
  const PointGrid* grid() const;
  /// Makes both now: queries do not allocate from here on.
  void prepare() const;

  /// The point nearest to `p`, with its index and its distance in metres; none if there are no points, or none within
  /// `limit` (inclusive). Equal distances go to the lower index. Points count without their radius: how far their balls
  /// are is told by closest_point() of query/point.h. Goes through the tree above, O(log n). Throws Error for a `p`
  /// that is not finite or beyond 1e50 and for a limit that is negative or NaN.
  ///
  ///     Neighbor n = cloud.nearest(p, 0.5);
  ///     if (n.found()) use(cloud.point(n.index), n.distance);
  Neighbor nearest(const Vec3& p, double limit = kInfinity) const;
  /// As many of the nearest as the buffer has room for, sorted; returns the part of the buffer that was filled.
  std::span<Neighbor> nearest(const Vec3& p, std::span<Neighbor> buffer, double limit = kInfinity) const;
  /// The points in a volume of search_volume.h, in any form that PointSearch has; KdTree::search() states the rules,
  /// and `tree().search_each()` searches in many volumes at once. Valid as long as this cloud or a copy of it is.
  ///
  ///     #include "graze/index/kd_tree.h"
  ///     std::size_t near_path = cloud.search(region::Segment(p, q, 0.2)).count();
  PointSearch search(const SearchVolume& volume) const;
  PointSearch search(const SearchVolume& volume, const PointSearchOptions& options) const;

  /// Equal for copies, and different (but for one chance in 2^64) for clouds of different points.
  std::uint64_t stamp() const { return data_->stamp; }

  /// The caller's point i; NaN in all coordinates if it was skipped. O(1)
  Vec3 point(std::size_t i) const;

  /// The smallest box around the points, exact, without their radius; empty if there are none.
  const Aabb& bounds() const { return data_->bounds; }
  double radius() const { return radius_; }
  /// The same points with another radius; shares the data.
  Cloud with_radius(double radius) const;

  /// No point lies farther than this from where its float32 coordinates put it; 0 for float32 input. Whoever decides
  /// by the stored coordinates adds it on the side of safety.
  double rounding() const { return data_->rounding; }
  /// Where block i begins at point i × kBlock.
  std::span<const Block> blocks() const { return data_->blocks; }
  /// x y z of every point relative to the origin of its block; NaN three times where it was skipped.
  std::span<const float> stored() const { return data_->stored.span(); }
  /// The three floats of point i in stored().
  const float* stored_point(std::size_t i) const { return data_->stored.data() + 3 * i; }

  std::span<const Attribute> attributes() const { return data_->attributes; }
  /// The attribute of this name, or null.
  const Attribute* attribute(std::string_view name) const;

  /// Bytes that the shared data takes.
  std::size_t memory_bytes() const;

 private:
  friend class CloudBuilder;
  // How a block gives back the caller's numbers along an axis: origin + stored; origin + (stored + residual); the
  // double.
  struct Indexes;
  enum class Exact : std::uint8_t { stored, residuals, doubles };
  struct Recovery {
    std::array<std::size_t, 3> first{};  // of the block's values in `residuals` or `doubles`
    std::array<Exact, 3> from{};
  };
  struct Data {
    std::size_t size = 0, skipped = 0;
    Aabb bounds;
    double rounding = 0;
    bool floats = true;  // what is stored are the points themselves
    std::vector<Block> blocks;
    std::vector<Recovery> recoveries;  // one per block
    PodArray<float> stored, residuals;
    PodArray<double> doubles;
    std::vector<Attribute> attributes;
    std::uint64_t stamp = 0;
    std::unique_ptr<Indexes> indexes;

    Data();
    ~Data();
    Data(const Data&) = delete;
    Data& operator=(const Data&) = delete;
  };
  Cloud(std::shared_ptr<const Data> data, double radius);

  std::shared_ptr<const Data> data_;
  double radius_ = 0;
};

/// Makes a cloud from parts that arrive one after the other. Beside the cloud itself it holds one block.
///
///     CloudBuilder builder({{"intensity", NumberType::uint16}});
///     while (…) builder.append(points, {{ColumnView::of(intensity)}});
///     Cloud cloud = std::move(builder).finish(0.01);
class CloudBuilder {
 public:
  /// Throws Error for an attribute without a name or with a name that another has.
  explicit CloudBuilder(const std::vector<AttributeType>& attributes = {});
  CloudBuilder(CloudBuilder&&) noexcept;
  CloudBuilder& operator=(CloudBuilder&&) noexcept;
  ~CloudBuilder();

  /// Makes room for so many points in all, so that nothing moves while they arrive. Costs nothing if they do not.
  void reserve(std::size_t points);
  /// Adds points and their attributes, in the order of the constructor and of exactly those types. Throws Error, and
  /// is of no further use, for a coordinate out of range and for columns that do not fit.
  void append(const PointView& points, std::span<const ColumnView> attributes = {});
  std::size_t size() const;
  /// Throws Error if the radius is negative or not finite. The builder is empty and of no use afterwards.
  Cloud finish(double radius = 0) &&;

 private:
  struct Pending;
  template <class T>
  void append_points(const PointView& points);
  void append_floats(const PointView& points, std::size_t begin, std::size_t end);
  void flush();
  void skip_or_refuse(const Vec3& p, std::size_t index);

  std::shared_ptr<Cloud::Data> data_;
  std::unique_ptr<Pending> pending_;
};

}  // namespace graze
