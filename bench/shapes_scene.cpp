#include "shapes_scene.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <utility>

#include <Eigen/Geometry>

namespace shapes_bench {
namespace {

/// Random numbers that are the same with every standard library (its distributions are not).
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  bool coin() { return (engine_() >> 63) != 0; }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  Vec3 direction() {
    for (;;) {
      const Vec3 v(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
      const double length = v.norm();
      if (length > 0.1 && length <= 1) return v / length;
    }
  }
  Pose pose(const Vec3& translation) {
    for (;;) {
      const double w = uniform(-1, 1), x = uniform(-1, 1), y = uniform(-1, 1), z = uniform(-1, 1);
      const double length_sq = w * w + x * x + y * y + z * z;
      if (length_sq > 0.01 && length_sq <= 1) return Pose::from_wxyz(translation, w, x, y, z);
    }
  }

 private:
  std::mt19937_64 engine_;
};

/// A seed per pair, so that one pair's numbers do not depend on which others are made.
std::uint64_t seed_of(Kind a, Kind b, std::uint64_t seed) {
  return seed * 1'000'003 + static_cast<std::uint64_t>(a) * 101 + static_cast<std::uint64_t>(b);
}

ShapeSpec random_shape(Kind kind, std::size_t hull_vertices, Random& random) {
  const Vec3 half(random.uniform(0.05, 0.5), random.uniform(0.05, 0.5), random.uniform(0.05, 0.5));
  if (kind == Kind::convex) {
    return hull_spec(hull_vertices, half, static_cast<std::uint64_t>(random.uniform(0, 1e9)));
  }
  return {.kind = kind, .half = half, .vertices = {}};
}

/// All offsets x for which b, moved by x from a's origin, touches a: a convex set around 0.
class Obstacle {
 public:
  Obstacle(const ShapeSpec& a, const Mat3& a_rotation, const ShapeSpec& b, const Mat3& b_rotation)
      : a_(a), b_(b), a_rotation_(a_rotation), b_rotation_(b_rotation) {}

  Vec3 farthest(const Vec3& d) const {
    return a_rotation_ * support(a_, a_rotation_.transpose() * d) -
           b_rotation_ * support(b_, b_rotation_.transpose() * -d);
  }

 private:
  const ShapeSpec &a_, &b_;
  Mat3 a_rotation_, b_rotation_;
};

/// `inside` times the direction lies in the obstacle, `outside` times the direction does not (up to rounding).
struct Exit {
  double inside = 0;
  double outside = std::numeric_limits<double>::infinity();
};

constexpr double kExitTolerance = 1e-5;

/// Where the ray from 0 along the unit vector u leaves the obstacle: a triangle of boundary points that the ray
/// crosses is pushed outwards. The triangle bounds the exit from below, the supporting planes do from above.
Exit exit_along(const Obstacle& obstacle, const Vec3& u) {
  Exit exit;
  const auto push = [&](const Vec3& n) {
    const Vec3 p = obstacle.farthest(n);
    const double along = n.dot(u);
    if (along > 0) exit.outside = std::min(exit.outside, p.dot(n) / along);
    return p;
  };
  const auto side = [&](const Vec3& p, const Vec3& q) { return p.cross(q).dot(u); };

  Vec3 p = push(u);
  Vec3 n = p.cross(u);
  if (n.norm() <= 1e-9 * p.norm()) {  // the plane across u touches the obstacle on the ray itself
    exit.inside = exit.outside = p.dot(u);
    return exit;
  }
  Vec3 q = push(n);
  n = p.cross(q);
  if (n.dot(u) < 0) {
    std::swap(p, q);
    n = -n;
  }
  Vec3 r = push(n);
  // Turn the triangle until the ray passes through it: u on the inner side of all three planes through 0.
  for (int i = 0; i < 100; ++i) {
    if (side(q, r) < 0) {
      p = r;
    } else if (side(r, p) < 0) {
      q = r;
    } else {
      break;
    }
    n = p.cross(q);
    if (n.dot(u) < 0) {
      std::swap(p, q);
      n = -n;
    }
    r = push(n);
  }
  for (int i = 0; i < 500; ++i) {
    n = (q - p).cross(r - p);
    double along = n.dot(u);
    if (along < 0) {
      n = -n;
      along = -along;
    }
    if (!(along > 0)) break;
    exit.inside = std::max(exit.inside, std::min(p.dot(n) / along, exit.outside));
    const Vec3 s = push(n);
    if (exit.outside - exit.inside <= kExitTolerance * exit.outside) break;
    // s splits the triangle into three; keep the part that the ray crosses.
    const bool left_of_p = side(s, p) >= 0, left_of_q = side(s, q) >= 0, left_of_r = side(s, r) >= 0;
    if (left_of_p && !left_of_q) {
      r = s;
    } else if (left_of_q && !left_of_r) {
      p = s;
    } else {
      q = s;
    }
  }
  if (!(exit.outside - exit.inside <= 100 * kExitTolerance * exit.outside)) {
    throw std::runtime_error("shapes bench: no contact offset found");
  }
  return exit;
}

}  // namespace

const char* name_of(Kind kind) {
  constexpr std::array kNames = {"sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "convex"};
  return kNames[static_cast<std::size_t>(kind)];
}

Vec3 support(const ShapeSpec& shape, const Vec3& d) {
  const Vec3& h = shape.half;
  const auto signed_as = [](double size, double direction) { return direction < 0 ? -size : size; };
  const auto rim = [&]() -> Vec3 {
    const double across = std::hypot(d.x(), d.y());
    return across > 0 ? Vec3(h.x() * d.x() / across, h.x() * d.y() / across, 0) : Vec3(h.x(), 0, 0);
  };
  switch (shape.kind) {
    case Kind::sphere:
      return h.x() * d.normalized();
    case Kind::box:
      return {signed_as(h.x(), d.x()), signed_as(h.y(), d.y()), signed_as(h.z(), d.z())};
    case Kind::capsule:
      return h.x() * d.normalized() + Vec3(0, 0, signed_as(h.z(), d.z()));
    case Kind::cylinder:
      return rim() + Vec3(0, 0, signed_as(h.z(), d.z()));
    case Kind::cone: {
      const Vec3 apex(0, 0, h.z()), base = rim() - Vec3(0, 0, h.z());
      return apex.dot(d) > base.dot(d) ? apex : base;
    }
    case Kind::ellipsoid: {
      const Vec3 scaled = h.cwiseProduct(d);
      return h.cwiseProduct(scaled) / scaled.norm();
    }
    case Kind::convex:
      break;
  }
  std::size_t best = 0;
  double best_along = shape.vertices[0].dot(d);
  for (std::size_t i = 1; i < shape.vertices.size(); ++i) {
    const double along = shape.vertices[i].dot(d);
    if (along > best_along) {
      best = i;
      best_along = along;
    }
  }
  return shape.vertices[best];
}

double outside(const ShapeSpec& shape, const Vec3& p) {
  const Vec3& h = shape.half;
  const double across = std::hypot(p.x(), p.y());
  switch (shape.kind) {
    case Kind::sphere:
      return p.norm() - h.x();
    case Kind::box:
      return (p.cwiseAbs() - h).cwiseMax(0).norm();
    case Kind::capsule:
      return std::hypot(across, std::max(0.0, std::abs(p.z()) - h.z())) - h.x();
    case Kind::cylinder:
      return std::hypot(std::max(0.0, across - h.x()), std::max(0.0, std::abs(p.z()) - h.z()));
    case Kind::cone: {
      // Down to the base or across to the slope: both lead into the cone.
      const double below = std::max(0.0, -h.z() - p.z()), above = std::max(0.0, p.z() - h.z());
      const double z = std::clamp(p.z(), -h.z(), h.z());
      return std::hypot(below + above, std::max(0.0, across - h.x() * (h.z() - z) / (2 * h.z())));
    }
    case Kind::ellipsoid: {
      const double level = p.cwiseQuotient(h).norm();
      return level > 1 ? p.norm() * (1 - 1 / level) : 0;
    }
    case Kind::convex:
      break;
  }
  return std::numeric_limits<double>::infinity();
}

ShapeSpec hull_spec(std::size_t count, const Vec3& radii, std::uint64_t seed) {
  Random random(seed);
  ShapeSpec hull{.kind = Kind::convex, .half = radii, .vertices = {}};
  for (std::size_t i = 0; i < count; ++i) {
    Vec3 v = random.direction();
    // One vertex in each octant comes first: every direction then has a vertex ahead, so the origin is inside.
    if (i < 8)
      v = {(i & 1) ? -std::abs(v.x()) : std::abs(v.x()), (i & 2) ? -std::abs(v.y()) : std::abs(v.y()),
           (i & 4) ? -std::abs(v.z()) : std::abs(v.z())};
    hull.vertices.push_back(radii.cwiseProduct(v));
  }
  return hull;
}

PairSet random_poses(Kind a, Kind b, const SceneOptions& options) {
  Random random(seed_of(a, b, options.seed));
  PairSet set;
  set.name = std::string(name_of(a)) + "–" + name_of(b);
  for (std::size_t size = 0; size < options.sizes; ++size) {
    set.a.push_back(random_shape(a, options.hull_vertices, random));
    set.b.push_back(random_shape(b, options.hull_vertices, random));
    const std::size_t first = set.cases.size();
    for (std::size_t i = 0; i < options.poses_per_size; ++i) {
      const Vec3 origin(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
      const Pose pose_a = random.pose(origin), pose_b = random.pose(Vec3::Zero());
      const Vec3 u = random.direction();
      const Exit exit = exit_along({set.a.back(), pose_a.rotation(), set.b.back(), pose_b.rotation()}, u);
      const double fraction = random.uniform(0.02, 0.5);
      const bool colliding = i % 2 == 0;
      const double offset = colliding ? exit.inside * (1 - fraction) : exit.outside * (1 + fraction);
      set.cases.push_back({size, pose_a, pose_b.moved_to(origin + offset * u), colliding});
    }
    for (std::size_t i = set.cases.size(); i > first + 1; --i) {  // or a branch predictor would know the answers
      std::swap(set.cases[i - 1], set.cases[first + random.below(i - first)]);
    }
  }
  return set;
}

PairSet coherent_motion(Kind a, Kind b, double step, double turn, const SceneOptions& options) {
  Random random(seed_of(a, b, options.seed + 1));
  PairSet set;
  set.name = std::string(name_of(a)) + "–" + name_of(b);
  for (std::size_t size = 0; size < options.sizes; ++size) {
    set.a.push_back(random_shape(a, options.hull_vertices, random));
    set.b.push_back(random_shape(b, options.hull_vertices, random));
    const Vec3 origin(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    const Pose pose_a = random.pose(origin);
    Mat3 rotation = random.pose(Vec3::Zero()).rotation();
    const auto waypoint = [&](bool colliding) -> Vec3 {
      const Vec3 u = random.direction();
      const Exit exit = exit_along({set.a.back(), pose_a.rotation(), set.b.back(), rotation}, u);
      return (colliding ? 0.75 * exit.inside : 1.4 * exit.outside) * u;
    };
    Vec3 offset = waypoint(false), target = waypoint(true), axis = random.direction();
    bool next_colliding = false;
    for (std::size_t i = 0; i < options.poses_per_size; ++i) {
      set.cases.push_back({size, pose_a, Pose::from_matrix(origin + offset, rotation), false});
      if ((target - offset).norm() <= step) {
        target = waypoint(next_colliding);
        next_colliding = !next_colliding;
        axis = random.direction();
      }
      offset += step * (target - offset).normalized();
      const Eigen::Quaterniond turned(Eigen::AngleAxisd(turn, axis) * rotation);
      rotation = turned.normalized().toRotationMatrix();
    }
  }
  return set;
}

}  // namespace shapes_bench
