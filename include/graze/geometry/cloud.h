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
#include "graze/base/pod_array.h"
#include "graze/geometry/number.h"
#include "graze/index/kd_tree.h"

namespace graze {

/// The name and type of one number that every point carries: intensity, red, classification, gps_time, …
struct AttributeType {
  std::string name;
  NumberType type = NumberType::float64;
  bool operator==(const AttributeType&) const = default;
};

/// An attribute in the caller's memory: one value per point.
struct AttributeView {
  std::string name;
  ColumnView values;
};

struct CloudOptions {
  double radius = 0;                           ///< of every point, in metres
  std::vector<AttributeView> attributes = {};  ///< each with as many values as there are points
};

/// Points with a common radius. Immutable; copies share the data.
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
/// and no other memory; the search tree below is made with it.
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
    const std::string& name() const { return kind_.name; }
    NumberType type() const { return kind_.type; }
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

  /// How many points the caller gave, those included that were skipped.
  std::size_t size() const { return data_->size; }
  /// How many of them are no points.
  std::size_t skipped() const { return data_->skipped; }
  bool is_skipped(std::size_t i) const { return !(stored_point(i)[0] == stored_point(i)[0]); }

  /// The tree over the exact points, which the verbs and searches walk. Made with the cloud, O(n log n) on all cores;
  /// 18 bytes per point of float32 input, 31 of doubles.
  const KdTree& tree() const { return data_->tree; }
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
  const float* stored_point(std::size_t i) const { return data_->stored.data() + 3 * i; }

  std::span<const Attribute> attributes() const { return data_->attributes; }
  /// The attribute of this name, or null.
  const Attribute* attribute(std::string_view name) const;

  /// Bytes that the shared data takes.
  std::size_t memory() const;

 private:
  friend class CloudBuilder;
  // How a block gives back the caller's numbers along an axis: origin + stored; origin + (stored + residual); the
  // double.
  enum class Exact : std::uint8_t { stored, residuals, doubles };
  struct Recovery {
    std::array<std::size_t, 3> first{};  // of the block's values in `residuals` or `doubles`
    std::array<Exact, 3> from{};
  };
  struct Data {
    std::size_t size = 0, skipped = 0;
    Aabb bounds;
    double rounding = 0;
    std::vector<Block> blocks;
    std::vector<Recovery> recoveries;  // one per block
    PodArray<float> stored, residuals;
    PodArray<double> doubles;
    std::vector<Attribute> attributes;
    KdTree tree;
    std::uint64_t stamp = 0;
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
