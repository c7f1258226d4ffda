// Bounds always enclose the placed shape, and are tight.
#include <gtest/gtest.h>

#include "bodies.h"
#include "support/scale.h"

namespace graze_test {
namespace bounds_test {

using namespace graze;

using Wide = Eigen::Matrix<long double, 3, 1>;
using WideMatrix = Eigen::Matrix<long double, 3, 3>;

// The farthest that a shape reaches along the direction d of its own frame, for d of any length, with eleven bits more
// than the library has.
struct Reach {
  Wide d;

  long double across() const { return std::hypot(d.x(), d.y()); }
  long double operator()(const Sphere& s) const { return s.radius * d.norm(); }
  long double operator()(const Capsule& c) const { return c.radius * d.norm() + c.half_length * std::abs(d.z()); }
  long double operator()(const Box& b) const { return b.half.value().cast<long double>().dot(d.cwiseAbs()); }
  long double operator()(const Cylinder& c) const { return c.radius * across() + c.half_length * std::abs(d.z()); }
  long double operator()(const Cone& c) const {
    return std::max(c.half_length * d.z(), c.radius * across() - c.half_length * d.z());
  }
  long double operator()(const Ellipsoid& e) const {
    return e.radii.value().cast<long double>().cwiseProduct(d).norm();
  }
  long double operator()(const Triangle& t) const { return highest(t.vertices()); }
  long double operator()(const Convex& c) const { return highest(c.vertices()); }

  template <class Points>
  long double highest(const Points& points) const {
    long double best = -std::numeric_limits<long double>::infinity();
    for (const Vec3& p : points) best = std::max(best, p.cast<long double>().dot(d));
    return best;
  }
};

template <class S>
void expect_enclosing_and_tight(const S& s, const Pose& pose, double magnitude) {
  const Aabb box = bounds(s, pose);
  const WideMatrix rotation = pose.rotation().cast<long double>();
  for (int axis = 0; axis < 3; ++axis) {
    const Wide row = rotation.row(axis).transpose();
    // A sphere stays a sphere, whatever rounding does to the rotation.
    const Wide d = std::is_same_v<S, Sphere> ? Wide(row.normalized()) : row;
    const long double position = pose.translation()[axis];
    const long double high = position + Reach{d}(s), low = position - Reach{-d}(s);
    EXPECT_GE(static_cast<long double>(box.max[axis]), high);
    EXPECT_LE(static_cast<long double>(box.min[axis]), low);
    EXPECT_LE(static_cast<double>(box.max[axis] - high), 32 * kEpsilon * magnitude);
    EXPECT_LE(static_cast<double>(low - box.min[axis]), 32 * kEpsilon * magnitude);
  }
}

TEST(Bounds, EncloseAndAreTight) {
  for (int i = 0; i < scaled(500); ++i) {
    for (int kind = 0; kind < kBodies; ++kind) {
      const auto seed = static_cast<std::uint64_t>(i * kBodies + kind);
      Generator random(seed);
      SCOPED_TRACE("seed " + std::to_string(seed));
      const double far = random.integer(0, 2) == 0 ? 0 : random.magnitude(-3, 7);
      const Shape shape = random_body(kind, -4, 4, random, true);
      const Pose pose = random.integer(0, 3) == 0 ? Pose::at(random.in_cube(far)) : random.pose(far);
      std::visit(
          [&](const auto& s) {
            if constexpr (requires { Reach{Wide()}(s); }) {
              const double size = static_cast<double>(Reach{Wide(1, 0, 0)}(s) + Reach{Wide(0, 1, 0)}(s) +
                                                      std::abs(Reach{Wide(0, 0, 1)}(s)) + Reach{Wide(0, 0, -1)}(s));
              expect_enclosing_and_tight(s, pose, size + pose.translation().cwiseAbs().maxCoeff());
            }
          },
          shape);
    }
  }
}

TEST(Bounds, OfTrianglesAndHullsEncloseAndAreTight) {
  for (int i = 0; i < scaled(500); ++i) {
    Generator random(static_cast<std::uint64_t>(i));
    SCOPED_TRACE("seed " + std::to_string(i));
    const double far = random.magnitude(-3, 7), size = random.magnitude(-4, 4), away = random.magnitude(-3, 6);
    const Pose pose = random.pose(far);
    const Vec3 center = random.in_cube(away);
    std::vector<Vec3> points = random_points(random.integer(1, 60), size, random);
    for (Vec3& p : points) p += center;
    const double magnitude = far + 3 * (away + size);
    expect_enclosing_and_tight(Convex::hull_of(points), pose, magnitude);
    expect_enclosing_and_tight(Triangle(points[0], points[points.size() / 2], points.back()), pose, magnitude);
  }
}

TEST(Bounds, OfShapesAreAtTheirPose) {
  const auto near = [](const Aabb& a, const Aabb& b) {
    return (a.min - b.min).cwiseAbs().maxCoeff() < 1e-14 && (a.max - b.max).cwiseAbs().maxCoeff() < 1e-14;
  };
  EXPECT_TRUE(near(bounds(Sphere{.radius = 1}, Pose::at({1, 2, 3})), {{0, 1, 2}, {2, 3, 4}}));
  EXPECT_TRUE(near(bounds(Capsule{.radius = 1, .half_length = 2}), {{-1, -1, -3}, {1, 1, 3}}));
  EXPECT_TRUE(near(bounds(Box{.half = {1, 2, 3}}), {{-1, -2, -3}, {1, 2, 3}}));
  EXPECT_TRUE(near(bounds(Cylinder{.radius = 1, .half_length = 2}), {{-1, -1, -2}, {1, 1, 2}}));
  EXPECT_TRUE(near(bounds(Cone{.radius = 1, .half_length = 2}), {{-1, -1, -2}, {1, 1, 2}}));
  EXPECT_TRUE(near(bounds(Ellipsoid{.radii = {1, 2, 3}}), {{-1, -2, -3}, {1, 2, 3}}));
  // A cone on its side: the rim on one end, the apex alone on the other.
  const Pose side = Pose::from_rpy({0, 0, 0}, 0, std::numbers::pi / 2, 0);
  EXPECT_TRUE(near(bounds(Cone{.radius = 1, .half_length = 2}, side), {{-2, -1, -1}, {2, 1, 1}}));
}

TEST(Bounds, OfHalfSpacesEndWhereTheNormalIsAnAxis) {
  const double inf = kInfinity;
  const Pose raised = Pose::at({10, 20, 30});
  EXPECT_EQ(bounds(HalfSpace({0, 0, 2}, 4)).min, Vec3(-inf, -inf, -inf));
  EXPECT_EQ(bounds(HalfSpace({0, 0, 2}, 4)).max.head<2>(), Eigen::Vector2d(inf, inf));
  EXPECT_NEAR(bounds(HalfSpace({0, 0, 2}, 4)).max.z(), 2, 1e-14);
  EXPECT_GE(bounds(HalfSpace({0, 0, 2}, 4)).max.z(), 2);
  EXPECT_NEAR(bounds(HalfSpace({0, 1, 0}, 3), raised).max.y(), 23, 1e-13);
  EXPECT_GE(bounds(HalfSpace({0, 1, 0}, 3), raised).max.y(), 23);
  EXPECT_NEAR(bounds(HalfSpace({-1, 0, 0}, 3), raised).min.x(), 7, 1e-13);
  EXPECT_LE(bounds(HalfSpace({-1, 0, 0}, 3), raised).min.x(), 7);
  EXPECT_EQ(bounds(HalfSpace({-1, 0, 0}, 3), raised).max.x(), inf);
  // Rotated about its own normal it stays; tilted even slightly it reaches everywhere.
  EXPECT_NEAR(bounds(HalfSpace({0, 0, 1}, 3), Pose::from_rpy({0, 0, 1}, 0, 0, 0.7)).max.z(), 4, 1e-13);
  EXPECT_EQ(bounds(HalfSpace({0, 0, 1}, 3), Pose::from_rpy({0, 0, 0}, 1e-12, 0, 0)), Aabb::everything());
  EXPECT_EQ(bounds(HalfSpace({0, 1e-20, 1}, 3)), Aabb::everything());
  // Turned onto another axis exactly.
  EXPECT_NEAR(bounds(HalfSpace({0, 0, 1}, 3), Pose::from_wxyz({5, 0, 0}, 1, 1, 1, 1)).max.x(), 8, 1e-13);
}

TEST(Bounds, OfPlanesAreSlabsWhereTheNormalIsAnAxis) {
  const Aabb slab = bounds(Plane({0, -2, 0}, 4), Pose::at({10, 20, 30}));
  EXPECT_LE(slab.min.y(), 18);
  EXPECT_GE(slab.max.y(), 18);
  EXPECT_NEAR(slab.min.y(), 18, 1e-13);
  EXPECT_NEAR(slab.max.y(), 18, 1e-13);
  EXPECT_EQ(slab.min.x(), -kInfinity);
  EXPECT_EQ(slab.max.z(), kInfinity);
  const Aabb level = bounds(Plane({0, 0, 1}, 4));
  EXPECT_NEAR(level.min.z(), 4, 1e-13);
  EXPECT_NEAR(level.max.z(), 4, 1e-13);
  EXPECT_EQ(bounds(Plane({1, 1, 0}, 4)), Aabb::everything());
}

}  // namespace bounds_test
}  // namespace graze_test
