// Bounds contain what they were made for, and their separation never exceeds the truth.
#include "graze/index/separation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "graze/index/bounds_tree.h"
#include "graze/query/distance.h"
#include "support/generator.h"
#include "support/scale.h"

namespace graze_test {
namespace separation_test {

using namespace graze;
using Real = long double;

// Inside by definition, with more digits than the library uses.
Real along(const Vec3& axis, const Vec3& p, const Vec3& center) {
  Real sum = 0;
  for (int i = 0; i < 3; ++i) sum += Real{axis[i]} * (Real{p[i]} - Real{center[i]});
  return sum;
}
bool holds(const Aabb& b, const Vec3& p) { return b.contains(p); }
bool holds(const Obb& b, const Vec3& p) {
  for (int i = 0; i < 3; ++i) {
    if (std::abs(along(b.axes.col(i), p, b.center)) > Real{b.half[i]}) return false;
  }
  return true;
}
bool holds(const Rss& b, const Vec3& p) {
  const Real x = std::max(Real{0}, std::abs(along(b.axes.col(0), p, b.center)) - Real{b.half_x});
  const Real y = std::max(Real{0}, std::abs(along(b.axes.col(1), p, b.center)) - Real{b.half_y});
  const Real z = along(b.axes.col(2), p, b.center);
  return x * x + y * y + z * z <= Real{b.radius} * Real{b.radius};
}
template <std::size_t K>
bool holds(const KDop<K>& b, const Vec3& p) {
  for (std::size_t k = 0; k < K; ++k) {
    if (along(KDop<K>::normal(k), p, Vec3::Zero()) > Real{b.reach[k]}) return false;
  }
  return true;
}

template <class Bound>
Bound bound_of(std::span<const Vec3> points, Generator& random) {
  if constexpr (std::is_same_v<Bound, Aabb>) {
    Aabb box;
    for (const Vec3& p : points) box.extend(p);
    return box;
  } else if constexpr (std::is_same_v<Bound, Obb> || std::is_same_v<Bound, Rss>) {
    switch (random.integer(0, 3)) {
      case 0:
        return Bound::around(points, fit::frame(points));
      case 1:
        return Bound::around(points, fit::principal(points));
      case 2:
        return Bound::around(points, fit::smallest(points));
      default:
        return Bound::around(points, random.pose(1).rotation());
    }
  } else {
    return Bound::around(points);
  }
}

// Corners of a few triangles: random, flat, in a row, coincident, on a lattice; of any size, and anywhere.
std::vector<Vec3> triangles(Generator& random) {
  std::vector<Vec3> points;
  const int kind = random.integer(0, 5), count = 3 * random.integer(1, 4);
  const double size = random.integer(0, 3) == 0 ? random.magnitude(-6, 6) : 1;
  const Vec3 u = random.direction(), v = random.direction();
  const Vec3 position = random.integer(0, 4) == 0 ? random.in_cube(1e6) : Vec3(Vec3::Zero());
  for (int i = 0; i < count; ++i) {
    Vec3 p = random.in_cube(1);
    if (kind == 1) p = p.x() * u + p.y() * v;
    if (kind == 2) p = p.x() * u;
    if (kind == 3) p = u;
    if (kind == 4) p = Vec3(random.integer(-2, 2), random.integer(-2, 2), random.integer(-2, 2));
    if (kind == 5) p = p.x() * u + 1e-3 * p;
    points.push_back(position + size * p);
  }
  return points;
}

template <class Bound>
class Bounds : public testing::Test {};
using Kinds = testing::Types<Aabb, Obb, Rss, KDop<16>, KDop<18>, KDop<24>>;
TYPED_TEST_SUITE(Bounds, Kinds);

TYPED_TEST(Bounds, ContainTheirPointsExactly) {
  Generator random(1);
  for (int i = 0, n = scaled(3000); i < n && !this->HasFailure(); ++i) {
    const std::vector<Vec3> points = triangles(random);
    const auto bound = bound_of<TypeParam>(points, random);
    double size = 0, extent = 0;
    for (const Vec3& p : points) {
      EXPECT_TRUE(holds(bound, p)) << "case " << i;
      EXPECT_TRUE(bound.contains(p)) << "case " << i;
      size = std::max(size, p.cwiseAbs().maxCoeff());
      extent = std::max(extent, (p - points[0]).norm());
    }
    EXPECT_LE(std::sqrt(size_sq(bound)), 4 * extent + 1e-13 * size) << "case " << i << " is not tight";
    EXPECT_GE(half_area(bound), 0);
  }
}

TYPED_TEST(Bounds, AreNeverFartherApartThanTheirContents) {
  Generator random(2);
  int apart = 0;
  for (int i = 0, n = scaled(4000); i < n && !this->HasFailure(); ++i) {
    const std::vector<Vec3> a = triangles(random);
    std::vector<Vec3> b = triangles(random);
    Pose pose = random.pose(random.integer(0, 1) == 0 ? 1 : 3);
    if (i % 7 == 0) pose = Pose::at(pose.translation());
    // Near each other, however large and far away they are.
    pose = pose.moved_to(a[0] - pose.rotation() * b[0] + (a[1] - a[0]).norm() * pose.translation());
    if (i % 11 == 0) pose = pose.moved_to(a[0] - pose.rotation() * b[0]);  // touching in a corner
    const auto bound_a = bound_of<TypeParam>(a, random), bound_b = bound_of<TypeParam>(b, random);
    const Separation<TypeParam> between(pose.rotation(), pose.translation());
    const double said = between(bound_a, bound_b);
    double truth = kInfinity, reach = pose.translation().norm();
    for (std::size_t j = 0; j < a.size(); j += 3) {
      for (std::size_t k = 0; k < b.size(); k += 3) {
        const Distance d =
            distance(at(Triangle(a[j], a[j + 1], a[j + 2])), at(Triangle(b[k], b[k + 1], b[k + 2]), pose));
        truth = std::min(truth, d.value + d.tolerance);
        reach = std::max({reach, a[j].norm(), b[k].norm()});
      }
    }
    // The rounding of the truth itself.
    EXPECT_LE(said, truth + 64 * kEpsilon * reach) << "case " << i;
    apart += said > 0 ? 1 : 0;
    // A bound below the best is returned only where that is enough.
    for (const double enough : {-0.1, 0.0, 0.3}) {
      const double quick = between(bound_a, bound_b, enough);
      EXPECT_LE(quick, said) << "case " << i;
      EXPECT_EQ(quick > enough, said > enough) << "case " << i;
    }
  }
  EXPECT_GT(apart, scaled(4000) / 5) << "nothing was tested";
}

// The two kinds that are also shapes of the library: measured by GJK and closed forms.
Placed shape_of(const Obb& b) { return at(Box{.half = b.half}, Pose::from_matrix(b.center, b.axes)); }

Obb random_box(Generator& random) {
  Obb b;
  b.axes = random.pose(1).rotation(), b.center = random.in_cube(1);
  for (int i = 0; i < 3; ++i) b.half[i] = random.magnitude(-2, 0.3);
  return b;
}

template <class Make, class Expect>
void against_shapes(std::uint64_t seed, const Make& make, const Expect& expect) {
  Generator random(seed);
  for (int i = 0, n = scaled(4000); i < n && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    auto a = make(random), b = make(random);
    Pose pose = random.pose(1.5);
    expect(a, b, pose, random);
  }
}

TEST(BoundsOfBoxes, AreApartWheneverTheBoxesAre) {
  int apart = 0, together = 0;
  const auto expect = [&](double said, double truth) {
    EXPECT_LE(said, truth + 1e-13);
    if (truth > 1e-12) {
      EXPECT_GE(said, 0.55 * truth);
      ++apart;
    } else {
      ++together;
    }
  };
  against_shapes(3, random_box, [&](const Obb& a, const Obb& b, const Pose& pose, Generator&) {
    Placed placed = shape_of(b);
    placed.pose = pose * placed.pose;
    const double truth = distance(shape_of(a), placed).value;
    expect(Separation<Obb>(pose.rotation(), pose.translation())(a, b), truth);
    const Aabb box_a = Aabb::around(a.center, a.half), box_b = Aabb::around(b.center, b.half);
    const double of_boxes =
        distance(at(Box{.half = a.half}, Pose::at(a.center)), at(Box{.half = b.half}, pose * Pose::at(b.center))).value;
    expect(Separation<Aabb>(pose.rotation(), pose.translation())(box_a, box_b), of_boxes);
  });
  EXPECT_GT(apart, scaled(1000));
  EXPECT_GT(together, scaled(500));
}

TEST(BoundsOfRoundedRectangles, AreAsFarApartAsTheyAre) {
  int apart = 0, loose = 0;
  const auto make = [](Generator& random) {
    Rss b;
    b.axes = random.pose(1).rotation(), b.center = random.in_cube(1);
    b.half_x = random.magnitude(-3, 0), b.half_y = random.magnitude(-3, 0), b.radius = random.magnitude(-4, -0.5);
    return b;
  };
  against_shapes(4, make, [&](const Rss& a, const Rss& b, const Pose& pose, Generator&) {
    const auto flat = [](const Rss& r) {
      return at(Box{.half = {r.half_x, r.half_y, 1e-30}}, Pose::from_matrix(r.center, r.axes));
    };
    Placed placed = flat(b);
    placed.pose = pose * placed.pose;
    const double rectangles = distance(flat(a), placed).value;
    const double truth = std::max(rectangles, 0.0) - a.radius - b.radius;
    const double said = Separation<Rss>(pose.rotation(), pose.translation())(a, b);
    EXPECT_LE(said, truth + 1e-13);
    if (rectangles <= 1e-6) return;
    ++apart;
    loose += said + a.radius + b.radius < 0.99 * rectangles ? 1 : 0;
    EXPECT_GE(said + a.radius + b.radius, 0.5 * rectangles);
  });
  EXPECT_GT(apart, scaled(1000));
  EXPECT_LT(loose, apart / 50) << loose << " of " << apart << " are more than 1 % short";
}

TYPED_TEST(Bounds, WithNanAreNear) {
  Generator random(5);
  const std::vector<Vec3> points = triangles(random);
  const auto bound = bound_of<TypeParam>(points, random);
  const Vec3 nowhere(std::numeric_limits<double>::quiet_NaN(), 1e9, 1e9);
  EXPECT_EQ(Separation<TypeParam>(Mat3::Identity(), nowhere)(bound, bound), -kInfinity);
  EXPECT_EQ(Separation<TypeParam>(Mat3::Identity(), Vec3(kInfinity, 0, 0))(bound, bound), -kInfinity);
}

TYPED_TEST(Bounds, OfStackedPlatesAreApart) {
  const std::vector<Vec3> plate{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}, {0, 0, 0.001}, {0, 0, -0.001}};
  TypeParam bound;
  if constexpr (BoundsTree<TypeParam>::kOriented) {
    bound = TypeParam::around(plate, fit::principal(plate));
  } else {
    Generator random(6);
    bound = bound_of<TypeParam>(plate, random);
  }
  const Pose turn = Pose::from_rpy({0, 0, 0}, 0, 0.001, 0.5);
  EXPECT_GT(Separation<TypeParam>(turn.rotation(), Vec3(0, 0, 0.05))(bound, bound), 0.04);
}

}  // namespace separation_test
}  // namespace graze_test
