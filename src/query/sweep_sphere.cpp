#include "graze/query/sweep_sphere.h"

#include <fmt/format.h>

#include <cmath>

#include "base/overloads.h"
#include "graze/base/error.h"
#include "graze/query/point.h"
#include "graze/query/traverse.h"
#include "query/blocks_ask.h"
#include "query/cloud_sweep.h"
#include "query/cloud_tree.h"
#include "query/farthest.h"
#include "query/finite_bounds.h"
#include "query/mesh_tree.h"
#include "query/point_shape.h"
#include "query/slab.h"

namespace graze {

SphereMove::SphereMove(const Vec3& from, const Vec3& to, double radius) : from_(from), to_(to), radius_(radius) {
  for (const auto& [name, p] : {std::pair("from", &from), std::pair("to", &to)}) {
    if (!is_finite(*p) || !(p->cwiseAbs().maxCoeff() <= kLargestLength))
      throw Error(name, fmt::format("must be finite and at most 1e50, got ({}, {}, {})", p->x(), p->y(), p->z()));
  }
  if (!(radius >= 0 && radius <= kLargestLength))
    throw Error("radius", fmt::format("must be between 0 and 1e50 m, got {}", radius));
  const Vec3 way = to - from;
  const double size = way.cwiseAbs().maxCoeff();
  length_ = size > 0 ? size * (way / size).norm() : 0;
  direction_ = unit_vector(way);
}

namespace {

// Newton from the outside needs few steps, except where the sphere is touched tangentially: there half of the rest
// each.
constexpr int kSteps = 200;

// A sphere along a line, from 0 to `length`. `slack`: what rounding may hide in coordinates near the body.
struct Travel {
  Line line;
  double length, radius, slack;
};

struct Touch {
  double at = kInfinity;
  Vec3 normal = Vec3::UnitX();
  Feature feature = 0;
  bool certain = true;
  bool found() const { return at < kInfinity; }
};

// A distance that is not overstated, and the vector from the body to the point.
struct Gap {
  double value;
  Vec3 normal;
};

// When the sphere first touches a convex body. gap(p) bounds the distance of a point from it; reach(n) is not less than
// the largest n · x of its points. Between two positions there is only the plane of the nearest points to pass: the
// body lies behind it, so that no step passes it by.
template <class GapAt, class Reach>
Touch first_touch(const Travel& t, const GapAt& gap, const Reach& reach) {
  Touch touch;
  double s = 0;
  for (int step = 0; step < kSteps; ++step) {
    const Vec3 p = t.line.at(s);
    const Gap near = gap(p);
    touch.normal = near.normal;
    const double left = near.value - t.radius;
    if (!(left > 4 * t.slack)) {
      touch.at = s;
      return touch;
    }
    const double slope = dot(near.normal, t.line.direction);
    const double beyond = dot(near.normal, p) - reach(near.normal) - t.radius - t.slack;
    if (beyond > 0 && slope >= 0) return {};
    double by = left - t.slack;
    if (beyond > 0) by = std::max(by, beyond / -slope);
    s += by * (1 - 4 * kEpsilon);
    if (s > t.length) return {};
  }
  touch.at = s;
  touch.certain = false;
  return touch;
}

// A ball whose center is at −`from` from the start: the root of a quadratic, or infinite. Both together are taken for
// larger by more than rounding turns the path, so that the root is not late; then they touch up to the slack.
double ball_entry(const Travel& t, const Vec3& from, double radius) {
  const double apart = std::sqrt(norm_sq(from)), radii = radius + t.radius;
  if (!(apart - radii > 4 * t.slack)) return 0;
  const double ahead = -dot(from, t.line.direction), reach = radii + 2 * t.slack;
  const double rest = reach * reach - norm_sq(along(from, ahead, t.line.direction));
  if (!(ahead > 0) || rest < 0) return kInfinity;
  const double at = std::max(0.0, ahead - std::sqrt(rest));
  return at > t.length ? kInfinity : at;
}

// From the ball to the sphere at `at`.
Vec3 ball_normal(const Travel& t, const Vec3& from, double at) {
  return unit_vector(along(from, at, t.line.direction));
}

// A plane, from the side of the start.
Touch touch_plane(const Travel& t, const Vec3& normal, double offset) {
  Touch touch;
  touch.normal = normal;
  const double left = dot(normal, t.line.origin) - offset - t.radius, slope = dot(normal, t.line.direction);
  if (!(left > 4 * t.slack)) {
    touch.at = 0;
    return touch;
  }
  if (slope >= 0) return {};
  touch.at = (left - t.slack) / -slope * (1 - 4 * kEpsilon);
  return touch.at > t.length ? Touch() : touch;
}

// The parts of a mesh or a cloud, nearest first along the path.
class PartsSweep {
 public:
  explicit PartsSweep(const Travel& travel) : travel_(travel) {}

  double bound(const Aabb& box) const {
    // By more than the steps towards a part may stop short of it.
    return slab_entry(box, travel_.line, 0, travel_.length, travel_.radius + 8 * travel_.slack) + travel_.radius;
  }
  double limit() const { return best.found() ? best.at : travel_.length; }
  void leaf(const CloudTree& tree, std::size_t i) {
    const Ball ball = tree.primitive(i);
    const Vec3 from = minus(travel_.line.origin, ball.center);
    const double at = ball_entry(travel_, from, ball.sphere.radius);
    if (at < kInfinity) add({.at = at, .normal = ball_normal(travel_, from, at)}, tree.feature(i));
  }
  void leaf(const MeshTree& tree, std::size_t i) {
    const Triangle triangle = tree.primitive(i).triangle;
    add(first_touch(
            travel_,
            [&](const Vec3& p) {
              const PointDistance d = point_distance(triangle, p);
              return Gap{d.value, d.normal};
            },
            [&](const Vec3& n) { return dot(n, support(triangle, n)); }),
        tree.feature(i));
  }

  // A block of a height field or a map.
  template <class Tree>
  requires requires(const Tree& tree) {
    { tree.primitive(0) } -> std::same_as<Block>;
  }
  void leaf(const Tree& tree, std::size_t i) {
    const Block block = tree.primitive(i);
    add(first_touch(
            travel_,
            [&](const Vec3& p) {
              const PairDistance d =
                  measure(Sphere{.radius = 0}, block, Relative(times(-1, p)), PairQuestion{.depth = false});
              return Gap{d.value - d.tolerance, times(-1, d.normal)};
            },
            [&](const Vec3& n) { return dot(n, farthest(block, n)) + block.slack; }),
        feature_of(tree, i));
  }

  Touch best;

 private:
  void add(Touch touch, Feature feature) {
    touch.feature = feature;
    if (touch.at < best.at || (touch.at == best.at && touch.found() && feature < best.feature)) best = touch;
  }

  const Travel& travel_;
};

// Points in float32: of those that the walk in lanes finds, the first one on the path.
class PointsSweep {
 public:
  PointsSweep(const Travel& travel, const kd_tree::Tree<float>& tree, double radius)
      : travel_(travel), tree_(tree), radius_(radius) {}

  // How far along the path touches are still of interest.
  double add(std::size_t place) {
    const double at = ball_entry(travel_, from(place), radius_);
    if (at < at_ || (at == at_ && at < kInfinity && feature(place) < feature(place_))) at_ = at, place_ = place;
    return std::min(at_, travel_.length);
  }
  Touch first() const {
    if (!(at_ < kInfinity)) return {};
    return {.at = at_, .normal = ball_normal(travel_, from(place_), at_), .feature = feature(place_)};
  }

 private:
  const kd_tree::Leaf<float>& leaf(std::size_t place) const { return tree_.leaves[place / kd_tree::kLeaf]; }
  Vec3 from(std::size_t place) const {
    const auto& at = leaf(place).at;
    const std::size_t k = place % kd_tree::kLeaf;
    const Vec3& origin = travel_.line.origin;
    return {origin.x() - double{at[0][k]}, origin.y() - double{at[1][k]}, origin.z() - double{at[2][k]}};
  }
  Feature feature(std::size_t place) const { return leaf(place).index[place % kd_tree::kLeaf]; }

  const Travel& travel_;
  const kd_tree::Tree<float>& tree_;
  double radius_, at_ = kInfinity;
  std::size_t place_ = 0;
};

Touch touch_cloud(const Travel& travel, const Cloud& cloud) {
  if (const kd_tree::Tree<float>* floats = floats_of(search_tree(cloud)); floats != nullptr) {
    PointsSweep sweep(travel, *floats, cloud.radius());
    const cloud_sweep::Visitor visitor{
        &sweep, [](void* self, std::size_t place) { return static_cast<PointsSweep*>(self)->add(place); }};
    if (cloud_sweep::visit(*floats,
                           {travel.line.origin, travel.line.direction, travel.length, travel.radius + cloud.radius(),
                            8 * travel.slack},
                           visitor))
      return sweep.first();
  }
  PartsSweep sweep(travel);
  traverse(CloudTree(cloud), sweep);
  return sweep.best;
}

// Of local coordinates `size` at most.
double slack_of(const Placed& body, double size) {
  constexpr double kRoundings = 32 * kEpsilon;
  return body.uncertainty + kRoundings * (size + size_of(body.pose.translation()));
}

}  // namespace

SphereHit sweep_sphere(const Placed& body, const SphereMove& move, double margin) {
  const Aabb known = finite_bounds(body.geometry);
  SphereHit hit;
  if (known.empty() && bounds(body.geometry).empty()) return hit;
  const Mat3& turn = body.pose.rotation();
  const Vec3 from = turned_back(turn, minus(move.from(), body.pose.translation()));
  double size = size_of(move.from()) + size_of(move.to()) + move.radius();
  if (known.bounded() && !known.empty()) size += size_of(known.min) + size_of(known.max);
  Travel travel;
  put(travel.line.origin, from);
  put(travel.line.direction, turned_back(turn, move.direction()));
  travel.length = move.length();
  travel.radius = (move.radius() + margin) * (1 + 2 * kEpsilon);
  travel.slack = slack_of(body, size);
  const auto of_plane = [&](const auto& plane, bool both_sides) {
    const bool other = both_sides && dot(plane.normal(), from) < plane.offset();
    return touch_plane(travel, times(other ? -1 : 1, plane.normal()), other ? -plane.offset() : plane.offset());
  };
  const auto of_parts = [&](const auto& tree) {
    PartsSweep sweep(travel);
    traverse(tree, sweep);
    return sweep.best;
  };
  const Touch touch = std::visit(Overloads{[&](const HalfSpace& plane) { return of_plane(plane, false); },
                                           [&](const Plane& plane) { return of_plane(plane, true); },
                                           [&](const ShapeKind auto& shape) {
                                             const Placed here{body.geometry, Pose()};
                                             return first_touch(
                                                 travel,
                                                 [&](const Vec3& p) {
                                                   // In the body's frame; the sphere is a point, so that nothing can
                                                   // throw but what is not finite.
                                                   const Distance d =
                                                       distance(here, at(Sphere{.radius = 0}, Pose::at(p)));
                                                   return Gap{d.value - d.tolerance, d.normal};
                                                 },
                                                 [&](const Vec3& n) { return dot(n, support(shape, n)); });
                                           },
                                           [&](const Mesh& mesh) {
                                             if (mesh.solid() && contains(body, move.from())) return Touch{.at = 0};
                                             return of_parts(MeshTree(mesh));
                                           },
                                           [&](const Cloud& cloud) { return touch_cloud(travel, cloud); },
                                           [&](const BlockKind auto& solid) {
                                             Aabb near;
                                             near.extend(from), near.extend(travel.line.at(travel.length));
                                             near = near.grown(travel.radius + 16 * travel.slack);
                                             if (contains(body, move.from())) return Touch{.at = 0};
                                             return of_parts(tree_of(solid, near));
                                           }},
                                 body.geometry);
  if (!touch.found()) return hit;
  const double part = move.length() > 0 ? touch.at / move.length() * (1 - 4 * kEpsilon) : 0;
  hit.fraction = std::clamp(part, 0.0, 1.0);
  hit.center = move.at(hit.fraction);
  hit.normal = plus(turned(turn, touch.normal), Vec3::Zero());
  hit.feature = touch.feature;
  hit.certain = touch.certain;
  return hit;
}

}  // namespace graze
