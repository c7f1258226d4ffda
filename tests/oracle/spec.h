// A shape and its pose in the caller's numbers: plain doubles, before any rounding.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace graze_oracle {

enum class Kind { sphere, capsule, box, triangle, cylinder, cone, ellipsoid, convex, half_space, plane };

inline constexpr std::array<Kind, 10> kKinds{Kind::sphere,     Kind::capsule, Kind::box,       Kind::triangle,
                                             Kind::cylinder,   Kind::cone,    Kind::ellipsoid, Kind::convex,
                                             Kind::half_space, Kind::plane};

inline const char* name_of(Kind kind) {
  constexpr const char* kNames[] = {"sphere", "capsule",   "box",    "triangle",   "cylinder",
                                    "cone",   "ellipsoid", "convex", "half_space", "plane"};
  return kNames[static_cast<std::size_t>(kind)];
}

inline bool unbounded(Kind kind) { return kind == Kind::half_space || kind == Kind::plane; }
/// Whether the boundary has round parts that are not a radius around a polytope.
inline bool curved(Kind kind) { return kind == Kind::cylinder || kind == Kind::cone || kind == Kind::ellipsoid; }

/// How many entries of Spec::size are used.
inline std::size_t sizes_used(Kind kind) {
  return kind == Kind::sphere ? 1 : kind == Kind::box || kind == Kind::ellipsoid ? 3 : 2;
}

using Triple = std::array<double, 3>;

struct Spec {
  Kind kind = Kind::sphere;
  /// sphere: radius · box: half extents · capsule, cylinder, cone: radius, half length · ellipsoid: radii
  Triple size{1, 1, 1};
  /// convex: any number; triangle: three
  std::vector<Triple> points;
  /// half-space: normal · x <= offset; plane: normal · x = offset; the normal need not be unit
  Triple normal{0, 0, 1};
  double offset = 0;
  /// A quaternion of any length, real part first, and a translation.
  std::array<double, 4> wxyz{1, 0, 0, 0};
  Triple xyz{0, 0, 0};
};

}  // namespace graze_oracle
