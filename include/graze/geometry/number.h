// Numbers of any type in other people's memory: points and columns of values, read where they lie.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "graze/base/vec.h"

namespace graze {

enum class NumberType : std::uint8_t { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };

inline constexpr std::array kNumberTypes = {
    NumberType::int8,   NumberType::uint8, NumberType::int16,  NumberType::uint16,  NumberType::int32,
    NumberType::uint32, NumberType::int64, NumberType::uint64, NumberType::float32, NumberType::float64};

/// In bytes.
constexpr std::size_t size_of(NumberType type) {
  constexpr std::array<std::size_t, 10> kSizes = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return kSizes[static_cast<std::size_t>(type)];
}
constexpr bool is_float(NumberType type) { return type >= NumberType::float32; }
/// "int8" … "float64"
std::string_view name_of(NumberType type);

/// Calls f with a zero of the C++ type:   visit_number(type, [](auto zero) { using T = decltype(zero); … });
template <class F>
decltype(auto) visit_number(NumberType type, F&& f) {
  switch (type) {
    case NumberType::int8:
      return f(std::int8_t{});
    case NumberType::uint8:
      return f(std::uint8_t{});
    case NumberType::int16:
      return f(std::int16_t{});
    case NumberType::uint16:
      return f(std::uint16_t{});
    case NumberType::int32:
      return f(std::int32_t{});
    case NumberType::uint32:
      return f(std::uint32_t{});
    case NumberType::int64:
      return f(std::int64_t{});
    case NumberType::uint64:
      return f(std::uint64_t{});
    case NumberType::float32:
      return f(float{});
    case NumberType::float64:
      break;
  }
  return f(double{});
}

template <class T>
constexpr NumberType number_type() {
  static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8);
  if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? NumberType::float32 : NumberType::float64;
  } else {
    constexpr int kLog = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<NumberType>(2 * kLog + (std::is_signed_v<T> ? 0 : 1));
  }
}

/// The T whose bytes begin at `at`, aligned or not.
template <class T>
T load(const void* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// The number at `at` as a double: 64-bit integers beyond 2^53 are rounded, all others are exact.
inline double load_as_double(const void* at, NumberType type) {
  return visit_number(type, [at](auto zero) { return static_cast<double>(load<decltype(zero)>(at)); });
}

/// Numbers of one type, `stride` bytes apart, in memory that somebody else owns. Need not be aligned.
struct ColumnView {
  NumberType type = NumberType::float64;
  const void* first = nullptr;
  std::size_t count = 0;
  std::ptrdiff_t stride = 0;

  template <class T>
  static ColumnView of(std::span<const T> values) {
    return {number_type<T>(), values.data(), values.size(), sizeof(T)};
  }
  template <class T>
  static ColumnView of(const T* first, std::size_t count, std::ptrdiff_t stride = sizeof(T)) {
    return {number_type<T>(), first, count, stride};
  }

  const void* at(std::size_t i) const {
    return static_cast<const char*>(first) + static_cast<std::ptrdiff_t>(i) * stride;
  }
  double operator[](std::size_t i) const { return load_as_double(at(i), type); }
  ColumnView part(std::size_t begin, std::size_t size) const {
    return {type, count == 0 ? first : at(begin), size, stride};
  }
};

/// Points in memory that somebody else owns: x of point i lies i × stride bytes behind `first`, y and z one and two
/// `axis_stride` further, all as float or all as double, aligned or not. A buffer of a ROS PointCloud2, a NumPy array
/// of shape (n, 3) in either order (also a reversed one: strides may be negative) or a span go in as they are.
///
///     PointView frame(reinterpret_cast<const float*>(message.data.data()), count, message.point_step);
///     PointView columns(array, count, sizeof(double), count * sizeof(double));   // all x, then all y, then all z
class PointView {
 public:
  PointView() = default;
  explicit PointView(const float* first, std::size_t count, std::ptrdiff_t stride = 3 * sizeof(float),
                     std::ptrdiff_t axis_stride = sizeof(float))
      : PointView(first, NumberType::float32, count, stride, axis_stride) {}
  explicit PointView(const double* first, std::size_t count, std::ptrdiff_t stride = 3 * sizeof(double),
                     std::ptrdiff_t axis_stride = sizeof(double))
      : PointView(first, NumberType::float64, count, stride, axis_stride) {}
  PointView(std::span<const Vec3> points)  // NOLINT: a span of points is a view of points
      : PointView(reinterpret_cast<const double*>(points.data()), points.size()) {}
  PointView(std::span<const Eigen::Vector3f> points)  // NOLINT
      : PointView(reinterpret_cast<const float*>(points.data()), points.size()) {}

  NumberType type() const { return type_; }  ///< float32 or float64
  std::size_t size() const { return count_; }
  std::ptrdiff_t stride() const { return stride_; }
  std::ptrdiff_t axis_stride() const { return axis_stride_; }
  const void* at(std::size_t i) const { return first_ + static_cast<std::ptrdiff_t>(i) * stride_; }

  /// The three numbers of a point as they are.
  template <class T>
  std::array<T, 3> load_point(std::size_t i) const {
    const char* p = first_ + static_cast<std::ptrdiff_t>(i) * stride_;
    return {load<T>(p), load<T>(p + axis_stride_), load<T>(p + 2 * axis_stride_)};
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

}  // namespace graze
