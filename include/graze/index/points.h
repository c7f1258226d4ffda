// Points and spheres as the indices read them: views of the caller's memory, nothing is copied.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/base/number.h"
#include "graze/base/vec.h"

namespace graze {

/// Points in memory that somebody else owns: x of point i lies i × stride bytes behind `first`, y and z one and two
/// `axis_stride` further, all as float or all as double, aligned or not. A buffer of a ROS PointCloud2, a NumPy array
/// of shape (n, 3) in either order (also a reversed one: strides may be negative) or a span go in as they are.
///
/// Points with a NaN or an infinity are "no return".
///
///     PointView packed(floats);                                          // x y z x y z …
///     PointView frame(reinterpret_cast<const float*>(message.data.data()), count, message.point_step);
///     PointView columns(array, count, sizeof(double), count * sizeof(double));   // all x, then all y, then all z
class PointView {
 public:
  PointView() = default;
  /// Triples of floats, `stride` bytes apart; the numbers of one lie `axis_stride` bytes apart.
  explicit PointView(const float* first, std::size_t count, std::ptrdiff_t stride = 3 * sizeof(float),
                     std::ptrdiff_t axis_stride = sizeof(float))
      : PointView(first, NumberType::float32, count, stride, axis_stride) {}
  /// The same of doubles.
  explicit PointView(const double* first, std::size_t count, std::ptrdiff_t stride = 3 * sizeof(double),
                     std::ptrdiff_t axis_stride = sizeof(double))
      : PointView(first, NumberType::float64, count, stride, axis_stride) {}
  /// Packed triples; numbers left over behind the last whole triple are not read.
  PointView(std::span<const float> xyz) : PointView(xyz.data(), xyz.size() / 3) {}  // NOLINT: a view, as std::span
  PointView(std::span<const Vec3> points)  // NOLINT: a span of points is a view of points
      : PointView(reinterpret_cast<const double*>(points.data()), points.size()) {}
  PointView(const std::vector<Vec3>& points) : PointView(std::span<const Vec3>(points)) {}  // NOLINT
  PointView(std::span<const Eigen::Vector3f> points)                                        // NOLINT
      : PointView(reinterpret_cast<const float*>(points.data()), points.size()) {}

  NumberType type() const { return type_; }  ///< float32 or float64
  std::size_t size() const { return count_; }
  std::ptrdiff_t stride() const { return stride_; }
  std::ptrdiff_t axis_stride() const { return axis_stride_; }
  /// Where point i starts.
  const void* at(std::size_t i) const { return first_ + static_cast<std::ptrdiff_t>(i) * stride_; }

  /// The three numbers of a point as they are.
  template <class T>
  std::array<T, 3> load_point(std::size_t i) const {
    const char* p = first_ + static_cast<std::ptrdiff_t>(i) * stride_;
    return {load_unaligned<T>(p), load_unaligned<T>(p + axis_stride_), load_unaligned<T>(p + 2 * axis_stride_)};
  }
  /// The coordinates one behind the other, if they are floats that lie like that and aligned; else null.
  const float* packed_floats() const {
    const bool packed = type_ == NumberType::float32 && stride_ == 3 * sizeof(float) && axis_stride_ == sizeof(float) &&
                        reinterpret_cast<std::uintptr_t>(first_) % alignof(float) == 0;
    return packed ? reinterpret_cast<const float*>(first_) : nullptr;
  }
  Vec3 operator[](std::size_t i) const {
    if (type_ == NumberType::float64) {
      const std::array<double, 3> p = load_point<double>(i);
      return {p[0], p[1], p[2]};
    }
    const std::array<float, 3> p = load_point<float>(i);
    return {double{p[0]}, double{p[1]}, double{p[2]}};
  }

 private:
  PointView(const void* first, NumberType type, std::size_t count, std::ptrdiff_t stride, std::ptrdiff_t axis_stride)
      : first_(static_cast<const char*>(first)),
        type_(type),
        count_(count),
        stride_(stride),
        axis_stride_(axis_stride) {}

  const char* first_ = nullptr;
  NumberType type_ = NumberType::float32;
  std::size_t count_ = 0;
  std::ptrdiff_t stride_ = 0, axis_stride_ = 0;
};

/// Spheres as a structure of arrays of equal length, in the frame of the points (metres).
struct SpheresView {
  std::span<const double> x, y, z, radius;  ///< centers and radii

  std::size_t size() const { return radius.size(); }
  /// The center of sphere i.
  Vec3 center(std::size_t i) const { return {x[i], y[i], z[i]}; }
};

/// A point that a search has found.
struct Neighbor {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);  ///< the index where nothing was found

  std::size_t index = kNone;  ///< of the caller's points
  /// From what the search measures from (m); to the ball around a point that has a radius, negative inside of it.
  double distance = kInfinity;

  bool found() const { return index != kNone; }
  bool operator==(const Neighbor&) const = default;
  /// By distance, ties to the lower index.
  bool operator<(const Neighbor& other) const {
    return distance < other.distance || (distance == other.distance && index < other.index);
  }
};

}  // namespace graze
