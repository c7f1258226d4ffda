// Points and spheres as the indices read them: views of the caller's memory, nothing is copied.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "graze/base/vec.h"

namespace graze {

/// Points of three floats each at any stride, relative to an origin that the caller keeps: packed triples, rows of a
/// NumPy array, the x y z fields of a ROS PointCloud2. Points with a NaN or an infinity are "no return".
///
///     PointsView packed(floats);                             // x y z x y z …
///     PointsView fields(message.data(), count, point_step);  // x y z at the begin of every record
class PointsView {
 public:
  PointsView() = default;
  /// Packed triples; numbers left over behind the last whole triple are not read.
  PointsView(std::span<const float> xyz) : data_(xyz.data()), size_(xyz.size() / 3) {}  // NOLINT: a view, as std::span
  /// `count` records that begin with x y z and lie `stride` bytes apart; need not be aligned.
  PointsView(const void* data, std::size_t count, std::size_t stride) : data_(data), size_(count), stride_(stride) {}

  std::size_t size() const { return size_; }
  /// The coordinates one behind the other, if they lie like that and aligned; else null.
  const float* packed() const {
    const bool close = stride_ == 3 * sizeof(float) && reinterpret_cast<std::uintptr_t>(data_) % alignof(float) == 0;
    return close ? static_cast<const float*>(data_) : nullptr;
  }
  std::array<float, 3> operator[](std::size_t i) const {
    std::array<float, 3> p;
    std::memcpy(p.data(), static_cast<const char*>(data_) + i * stride_, sizeof p);
    return p;
  }

 private:
  const void* data_ = nullptr;
  std::size_t size_ = 0, stride_ = 3 * sizeof(float);
};

/// Spheres as a structure of arrays of equal length, in the frame of the points (metres).
struct SpheresView {
  std::span<const double> x, y, z, radius;

  std::size_t size() const { return radius.size(); }
  Vec3 center(std::size_t i) const { return {x[i], y[i], z[i]}; }
};

/// The point nearest to a centre.
struct NearestPoint {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::size_t index = kNone;    ///< of the caller's points
  double distance = kInfinity;  ///< from the centre to the ball around the point; negative inside of it

  bool found() const { return index != kNone; }
  bool operator==(const NearestPoint&) const = default;
};

}  // namespace graze
