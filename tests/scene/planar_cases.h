// Obstacles, discs and paths in the plane that are hard to get right, with the same obstacle for the oracle.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "graze/base/error.h"
#include "graze/scene/planar_obstacle.h"
#include "oracle/planar.h"
#include "support/generator.h"

namespace graze_test {

using graze::Vec2;
using graze_oracle::PlanarBody;
using graze_oracle::PlanarPoint;

struct PlanarCase {
  graze::planar::Obstacle obstacle;
  PlanarBody body;
  double size;  // no corner is farther from another
};

inline PlanarPoint exact(const Vec2& p) { return {mpq_class(p.x()), mpq_class(p.y())}; }

inline PlanarCase circle_case(const Vec2& center, double radius) {
  return {graze::planar::Circle(center, radius), {{exact(center)}, mpq_class(radius)}, 2 * radius};
}
inline PlanarCase rectangle_case(const Vec2& center, const Vec2& half, double angle) {
  return {graze::planar::Rectangle(center, half, angle),
          graze_oracle::planar_rectangle({center.x(), center.y()}, {half.x(), half.y()}, angle), 2 * half.norm()};
}
inline PlanarCase polygon_case(std::span<const Vec2> corners) {
  PlanarCase made{graze::planar::Polygon(corners), {}, 0};
  for (const Vec2& corner : corners) {
    made.body.corners.push_back(exact(corner));
    made.size = std::max(made.size, (corner - corners[0]).norm() * 2);
  }
  return made;
}

/// How coordinates are drawn: any, on a lattice (dense in exact contacts), far from the origin, huge, tiny, thin.
enum class Regime { uniform, lattice, far, huge, tiny, thin };
inline constexpr Regime kRegimes[] = {Regime::uniform, Regime::lattice, Regime::far,
                                      Regime::huge,    Regime::tiny,    Regime::thin};

/// Draws cases of a regime.
class PlanarCases {
 public:
  PlanarCases(Regime regime, std::uint64_t seed) : regime_(regime), random_(seed) {
    if (regime == Regime::far) offset_ = {4e6, -3e6};
    if (regime == Regime::huge) unit_ = 1e9;
    if (regime == Regime::tiny) unit_ = 1e-9;
  }
  double unit() const { return unit_; }
  Generator& random() { return random_; }

  double coordinate(double reach) {
    if (regime_ == Regime::lattice) return random_.integer(static_cast<int>(-reach), static_cast<int>(reach));
    return unit_ * random_.uniform(-reach, reach);
  }
  Vec2 point(double reach = 6) {
    const double x = coordinate(reach);
    return offset_ + Vec2(x, coordinate(reach));
  }
  double length(double largest = 3) {
    if (regime_ == Regime::lattice) return random_.integer(0, static_cast<int>(largest));
    if (regime_ == Regime::thin) return random_.integer(0, 1) == 0 ? 1e-9 : random_.uniform(0, largest);
    return random_.integer(0, 7) == 0 ? 0 : unit_ * random_.uniform(0, largest);
  }
  double angle() {
    if (regime_ == Regime::lattice || random_.integer(0, 2) == 0) return 0;
    return random_.uniform(-10, 10);
  }
  PlanarCase obstacle() {
    const int kind = random_.integer(0, 2);
    if (kind == 0) return circle_case(point(), length());
    if (kind == 1) {
      const Vec2 center = point();
      const double width = length();
      return rectangle_case(center, {width, length()}, angle());
    }
    return polygon();
  }
  /// Corners in the order of their angles about a point; lattice ones are triangles.
  PlanarCase polygon() {
    for (;;) {
      std::vector<Vec2> corners;
      if (regime_ == Regime::lattice) {
        for (int i = 0; i < 3; ++i) corners.push_back(point());
      } else {
        const Vec2 center = point();
        const double radius = unit_ * random_.uniform(0.1, 3);
        const int n = random_.integer(3, 9);
        const double flat = regime_ == Regime::thin ? 1e-9 : 1;
        for (int i = 0; i < n; ++i) {
          const double turn = 6.28 * (i + random_.uniform(0, 0.9)) / n;
          corners.emplace_back(center + radius * Vec2(std::cos(turn), flat * std::sin(turn)));
        }
      }
      try {
        return polygon_case(corners);
      } catch (const graze::Error&) {  // in a row, or clockwise: draw again
      }
    }
  }

 private:
  Regime regime_;
  Generator random_;
  Vec2 offset_ = Vec2::Zero();
  double unit_ = 1;
};

}  // namespace graze_test
