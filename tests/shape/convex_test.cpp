// Convex hulls against brute force, on points of every kind of difficulty.
#include "graze/shape/convex.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "bodies.h"
#include "graze/base/parallel.h"
#include "support/property.h"
#include "support/scale.h"

namespace graze_test {
namespace convex_test {

using namespace graze;

using Point = Eigen::Matrix<long, 3, 1>;

std::array<double, 3> key(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

std::set<std::array<double, 3>> as_set(std::span<const Vec3> points) {
  std::set<std::array<double, 3>> set;
  for (const Vec3& p : points) set.insert(key(p));
  return set;
}

double size_of(std::span<const Vec3> points) {
  Aabb box;
  for (const Vec3& p : points) box.extend(p);
  return box.half().maxCoeff();
}

std::vector<Vec3> lattice(int count, int side, Generator& random) {
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    const int x = random.integer(0, side), y = random.integer(0, side);
    points.emplace_back(x, y, random.integer(0, side));
  }
  return points;
}

// The planes through three of the points with all others on one side, in lowest terms: exact for small whole numbers.
std::set<std::array<long, 4>> planes_by_brute_force(const std::vector<Vec3>& points) {
  std::set<std::array<long, 4>> planes;
  std::vector<Point> p;
  for (const auto& [x, y, z] : as_set(points)) p.emplace_back(Vec3(x, y, z).cast<long>());
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (std::size_t j = i + 1; j < p.size(); ++j) {
      for (std::size_t k = j + 1; k < p.size(); ++k) {
        Point n = (p[j] - p[i]).cross(p[k] - p[i]);
        const long divisor = std::gcd(n.x(), std::gcd(n.y(), n.z()));
        if (divisor == 0) continue;
        n /= divisor;
        long above = 0, below = 0;
        for (const Point& q : p) {
          const long height = n.dot(q - p[i]);
          above += height > 0;
          below += height < 0;
        }
        if (above > 0 && below > 0) continue;
        if (above == 0) planes.insert({n.x(), n.y(), n.z(), n.dot(p[i])});
        if (below == 0) planes.insert({-n.x(), -n.y(), -n.z(), -n.dot(p[i])});
      }
    }
  }
  return planes;
}

// The points in which at least three of the planes meet that have independent normals.
std::set<std::array<double, 3>> corners_by_brute_force(const std::vector<Vec3>& points,
                                                       const std::set<std::array<long, 4>>& planes) {
  std::set<std::array<double, 3>> corners;
  for (const auto& [x, y, z] : as_set(points)) {
    Mat3 normals = Mat3::Zero();
    for (const auto& [a, b, c, offset] : planes) {
      const Vec3 n(static_cast<double>(a), static_cast<double>(b), static_cast<double>(c));
      if (n.dot(Vec3(x, y, z)) == static_cast<double>(offset)) normals += n.normalized() * n.normalized().transpose();
    }
    if (normals.determinant() > 1e-9) corners.insert({x, y, z});
  }
  return corners;
}

// What holds for every hull, flat or not.
void expect_sound(const Convex& hull, const std::vector<Vec3>& points) {
  const double rounding = 80 * kEpsilon * size_of(points);
  const std::set<std::array<double, 3>> given = as_set(points);
  for (const Vec3& v : hull.vertices()) ASSERT_TRUE(given.count(key(v))) << "a vertex that is not in the input";
  ASSERT_EQ(as_set(hull.vertices()).size(), hull.vertices().size()) << "a vertex twice";
  for (const Vec3& v : hull.vertices()) ASSERT_LE((v - hull.center()).norm(), hull.radius() * (1 + kEpsilon));
  // No point is outside in any direction.
  Generator random(points.size());
  for (int i = 0; i < 40; ++i) {
    const Vec3 d = random.direction();
    double highest = -kInfinity;
    for (const Vec3& p : points) highest = std::max(highest, (p - points[0]).dot(d));
    ASSERT_GE((support(hull, d) - points[0]).dot(d), highest - rounding);
  }
  ASSERT_EQ(hull.flat(), hull.faces().empty());
  ASSERT_EQ(hull.flat(), hull.triangles().empty());
  if (hull.flat()) {
    ASSERT_EQ(as_set(hull.vertices()), given) << "a flat hull keeps every point";
    ASSERT_EQ(hull.inner_radius(), 0);
    return;
  }

  for (const auto& [n, offset] : hull.faces()) {
    ASSERT_NEAR(n.norm(), 1, 4 * kEpsilon);
    double highest = -kInfinity;
    for (const Vec3& v : hull.vertices()) highest = std::max(highest, (n.x() * v.x() + n.y() * v.y()) + n.z() * v.z());
    ASSERT_EQ(highest, offset) << "the plane rests on the highest vertex to the bit";
  }
  ASSERT_LT(hull.highest_face(hull.center()).first, 0);
  ASSERT_LE(hull.highest_face(hull.center()).first, -hull.inner_radius());
  for (const Vec3& p : points) ASSERT_LE(hull.highest_face(p).first, rounding);

  // Every triangle lies in the plane of a face.
  for (const auto& triangle : hull.triangles()) {
    double nearest = kInfinity;
    for (const auto& [n, offset] : hull.faces()) {
      double off = 0;
      for (const int corner : triangle) {
        const Vec3& v = hull.vertices()[static_cast<std::size_t>(corner)];
        off = std::max(off, std::abs(n.dot(v - hull.center()) - (offset - n.dot(hull.center()))));
      }
      nearest = std::min(nearest, off);
    }
    ASSERT_LE(nearest, 2e-13 * size_of(points) + 16 * kEpsilon * hull.center().norm());
  }

  // The surface is closed: every edge is used once in each direction.
  std::map<std::pair<int, int>, int> edges;
  for (const auto& [a, b, c] : hull.triangles()) {
    ++edges[{a, b}];
    ++edges[{b, c}];
    ++edges[{c, a}];
  }
  for (const auto& [edge, times] : edges) {
    ASSERT_EQ(times, 1);
    ASSERT_EQ((edges.count({edge.second, edge.first})), 1u);
  }
}

TEST(Convex, FindsTheFacesAndCornersOfLatticePoints) {
  std::size_t found = 0, superfluous = 0;
  for (int i = 0; i < scaled(400); ++i) {
    Generator random(static_cast<std::uint64_t>(i));
    SCOPED_TRACE("seed " + std::to_string(i));
    const std::vector<Vec3> points = lattice(random.integer(1, 25), random.integer(1, 4), random);
    const Convex hull = Convex::hull_of(points);
    expect_sound(hull, points);
    if (testing::Test::HasFatalFailure()) return;

    const auto planes = planes_by_brute_force(points);
    bool flat = planes.empty();
    for (const auto& [a, b, c, offset] : planes) flat = flat || planes.count({-a, -b, -c, -offset}) > 0;
    ASSERT_EQ(hull.flat(), flat);
    if (flat) continue;
    const auto corners = corners_by_brute_force(points, planes), vertices = as_set(hull.vertices());
    ASSERT_TRUE(std::includes(vertices.begin(), vertices.end(), corners.begin(), corners.end()));
    found += vertices.size();
    superfluous += vertices.size() - corners.size();
    ASSERT_EQ(hull.faces().size(), planes.size());
    for (const auto& plane : planes) {
      const Vec3 n(static_cast<double>(plane[0]), static_cast<double>(plane[1]), static_cast<double>(plane[2]));
      const double offset = static_cast<double>(plane[3]) / n.norm();
      const auto same = [&](const Convex::Face& face) {
        return (face.normal - n.normalized()).norm() < 1e-14 && std::abs(face.offset - offset) < 1e-14;
      };
      ASSERT_EQ(std::count_if(hull.faces().begin(), hull.faces().end(), same), 1);
    }
    // Triangles point outwards.
    for (const auto& [a, b, c] : hull.triangles()) {
      const Vec3 p = hull.vertices()[static_cast<std::size_t>(a)], q = hull.vertices()[static_cast<std::size_t>(b)],
                 r = hull.vertices()[static_cast<std::size_t>(c)];
      ASSERT_GE((q - p).cross(r - p).dot(p - hull.center()), 0);
    }
  }
  // Points on very sharp edges may be kept.
  EXPECT_LE(superfluous, found / 500) << "of " << found;
}

TEST(Convex, IsSoundForDifficultPoints) {
  for (int i = 0; i < scaled(600); ++i) {
    Generator random(static_cast<std::uint64_t>(i));
    SCOPED_TRACE("seed " + std::to_string(i));
    std::vector<Vec3> points;
    const int count = random.integer(1, 120);
    switch (random.integer(0, 5)) {
      case 0:
        points = random_points(count, 1, random);
        break;
      case 1:
        points = lattice(count, random.integer(1, 6), random);
        break;
      case 2:  // on a sphere
        for (int k = 0; k < count; ++k) points.push_back(random.direction());
        break;
      case 3:  // two rings: many points on each of two faces, none of which is quite flat once turned
        for (int k = 0; k < count; ++k) points.push_back(on_circle(1, random) + Vec3(0, 0, random.integer(0, 1)));
        break;
      case 4:  // a cloud of clusters, each a few units in the last place wide
        for (int k = 0; k < count; ++k) {
          points.push_back(Vec3(random.integer(0, 1), random.integer(0, 1), random.integer(0, 1)) +
                           random.in_cube(random.magnitude(-16, -8)));
        }
        break;
      default:  // points on the faces of a box
        for (int k = 0; k < count; ++k) points.push_back(SurfacePoint{random}(Box{.half = {1, 2, 3}}));
    }
    // Squeezed, turned, scaled and moved.
    const Vec3 squeeze(1, random.integer(0, 2) == 0 ? random.magnitude(-16, 0) : 1,
                       random.integer(0, 2) == 0 ? random.magnitude(-16, 0) : 1);
    const double scale = random.integer(0, 1) == 0 ? 1 : random.magnitude(-40, 40);
    const Pose pose = random.integer(0, 1) == 0 ? Pose() : random.pose(random.integer(0, 1) == 0 ? 0 : 1e6);
    for (Vec3& p : points) p = scale * (pose * squeeze.cwiseProduct(p));
    expect_sound(Convex::hull_of(points), points);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Convex, FlatHullsAreThinAndKeepTheirPoints) {
  const std::vector<Vec3> point{{1, 2, 3}, {1, 2, 3}};
  EXPECT_EQ(Convex::hull_of(point).vertices().size(), 1u);
  EXPECT_TRUE(Convex::hull_of(point).flat());
  EXPECT_EQ(Convex::hull_of(point).radius(), 0);
  EXPECT_EQ(Convex::hull_of(point).center(), point[0]);
  const std::vector<Vec3> segment{{0, 0, 0}, {2, 0, 0}, {1, 0, 0}};
  EXPECT_TRUE(Convex::hull_of(segment).flat());
  EXPECT_EQ(Convex::hull_of(segment).vertices().size(), 3u);
  for (int i = 0; i < scaled(200); ++i) {
    Generator random(static_cast<std::uint64_t>(i));
    const Pose pose = random.pose(1e3);
    std::vector<Vec3> points;
    for (int k = 0; k < 30; ++k) points.push_back(pose * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), 0));
    // A thousand metres away rounding makes these 1e-13 thick, which may count as flat or not; both are sound.
    const Convex hull = Convex::hull_of(points);
    expect_sound(hull, points);
    ASSERT_LE(volume(hull), 1e-11) << "seed " << i;
    for (Vec3& p : points) p = pose.inverse() * p;
    for (Vec3& p : points) p.z() = 0.5;
    ASSERT_TRUE(Convex::hull_of(points).flat()) << "seed " << i;
  }
}

TEST(Convex, NeedlesAndSheetsKeepTheirVolume) {
  for (int i = 0; i < scaled(100); ++i) {
    Generator random(static_cast<std::uint64_t>(i));
    SCOPED_TRACE("seed " + std::to_string(i));
    const std::vector<Vec3> points = random_points(40, 1, random);
    const double fat = volume(Convex::hull_of(points));
    for (const double width : {1e-4, 1e-6, 1e-8}) {
      for (const Vec3& squeeze : {Vec3(1, width, width), Vec3(1, 1, width)}) {
        const Pose pose = random.pose(0);
        std::vector<Vec3> thin;
        for (const Vec3& p : points) thin.push_back(pose * squeeze.cwiseProduct(p));
        const Convex hull = Convex::hull_of(thin);
        expect_sound(hull, thin);
        ASSERT_FALSE(hull.flat()) << width;
        // Turning has moved each point by some 1e-16 across the width.
        ASSERT_NEAR(volume(hull) / squeeze.prod(), fat, 1e-14 / width * fat) << width;
      }
    }
  }
}

TEST(Convex, KeepsTheOrderAndCoordinatesOfTheCaller) {
  const std::vector<Vec3> points{{4e6, 0, 0}, {4e6 + 0.5, 0.1, 0.1}, {4e6 + 1, 0, 0}, {4e6, 0, 1},
                                 {4e6, 1, 0}, {4e6 + 0.1, 0.1, 0.1}, {4e6, 0, 0},     {4e6 + 1, 1, 1}};
  const Convex hull = Convex::hull_of(points);
  ASSERT_EQ(hull.vertices().size(), 5u);
  const std::size_t expected[] = {0, 2, 3, 4, 7};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(hull.vertices()[i], points[expected[i]]);
}

TEST(Convex, MergesCoplanarNeighbours) {
  for (int i = 0; i < scaled(50); ++i) {
    Generator random(static_cast<std::uint64_t>(i));
    const Pose pose = i == 0 ? Pose() : random.pose(2);
    std::vector<Vec3> points;
    for (int x = 0; x <= 4; ++x) {
      for (int y = 0; y <= 4; ++y) {
        for (int z = 0; z <= 4; ++z) points.push_back(pose * (Vec3(x, y, z) / 4));
      }
    }
    const Convex hull = Convex::hull_of(points);
    EXPECT_EQ(hull.faces().size(), 6u) << "seed " << i;
    EXPECT_EQ(hull.vertices().size(), 8u) << "seed " << i;
    EXPECT_EQ(hull.triangles().size(), 12u) << "seed " << i;
    EXPECT_NEAR(volume(hull), 1, 1e-14) << "seed " << i;
  }
}

TEST(Convex, DuplicatesAndOrderChangeNothing) {
  check_property(200, [](std::uint64_t seed) {
    Generator random(seed);
    std::vector<Vec3> points = random_points(random.integer(4, 40), 1, random);
    const Convex hull = Convex::hull_of(points);
    std::vector<Vec3> shuffled = points;
    for (int k = 0; k < 10; ++k) shuffled.push_back(points[random.bits() % points.size()]);
    for (std::size_t k = shuffled.size(); k > 1; --k) std::swap(shuffled[k - 1], shuffled[random.bits() % k]);
    const Convex again = Convex::hull_of(shuffled);
    RC_ASSERT(as_set(again.vertices()) == as_set(hull.vertices()));
    RC_ASSERT(again.faces().size() == hull.faces().size());
    RC_ASSERT(std::abs(volume(again) - volume(hull)) <= 1e-13);
    const Vec3 d = random.direction();
    RC_ASSERT(support(again, d) == support(hull, d));
  });
}

TEST(Convex, ScalesByPowersOfTwoToTheBit) {
  check_property(200, [](std::uint64_t seed) {
    Generator random(seed);
    std::vector<Vec3> points = random_points(random.integer(4, 40), 1, random);
    const Convex hull = Convex::hull_of(points);
    const double scale = std::ldexp(1.0, random.integer(-120, 120));
    for (Vec3& p : points) p *= scale;
    const Convex scaled_hull = Convex::hull_of(points);
    RC_ASSERT(scaled_hull.faces().size() == hull.faces().size());
    for (std::size_t i = 0; i < hull.faces().size(); ++i) {
      RC_ASSERT(scaled_hull.faces()[i].normal == hull.faces()[i].normal);
      RC_ASSERT(scaled_hull.faces()[i].offset == hull.faces()[i].offset * scale);
    }
    RC_ASSERT(scaled_hull.center() == hull.center() * scale);
    RC_ASSERT(std::equal(hull.triangles().begin(), hull.triangles().end(), scaled_hull.triangles().begin(),
                         scaled_hull.triangles().end()));
  });
}

TEST(Convex, StampDistinguishesHulls) {
  std::set<std::uint64_t> stamps;
  for (int i = 0; i < 1000; ++i) {
    Generator random(static_cast<std::uint64_t>(i));
    const std::vector<Vec3> points = random_points(random.integer(1, 8), 1, random);
    const Convex hull = Convex::hull_of(points);
    const Convex copy = hull;  // NOLINT: a copy is the point
    EXPECT_EQ(copy.stamp(), hull.stamp());
    EXPECT_EQ(Convex::hull_of(points).stamp(), hull.stamp());
    EXPECT_TRUE(stamps.insert(hull.stamp()).second) << "seed " << i;
  }
}

TEST(Convex, NeverPrints) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  for (int i = 0; i < 300; ++i) {
    Generator random(static_cast<std::uint64_t>(i));
    std::vector<Vec3> points;
    for (int k = 0; k < 40; ++k) points.push_back(on_circle(1, random) + Vec3(0, 0, random.integer(0, 1)));
    const double thin = random.magnitude(-18, -12);
    for (Vec3& p : points) p.z() *= thin;
    const Pose pose = random.pose(1);
    for (Vec3& p : points) p = pose * p;
    Convex::hull_of(points);
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(ConcurrentConvex, HullsBuiltAtOnceAreTheSame) {
  constexpr std::size_t kHulls = 60;
  const auto points_of = [](std::size_t i) {
    Generator random(i);
    std::vector<Vec3> points = i % 3 == 0 ? lattice(30, 3, random) : random_points(60, 1, random);
    if (i % 5 == 0) {
      for (Vec3& p : points) p.z() *= 1e-15;  // makes qhull exit by longjmp
    }
    return points;
  };
  const auto hull_of = [&](std::size_t i) { return Convex::hull_of(points_of(i)); };
  std::vector<std::uint64_t> expected, stamps(kHulls);
  std::vector<double> volumes(kHulls);
  for (std::size_t i = 0; i < kHulls; ++i) expected.push_back(hull_of(i).stamp());
  const Convex shared = hull_of(1);
  parallel_for(kHulls,
               [&](std::size_t i) {
                 stamps[i] = hull_of(i).stamp();
                 volumes[i] = volume(shared) + static_cast<double>(shared.support_index(Vec3::UnitX()));
               },
               {.threads = 4, .grain = 1});
  EXPECT_EQ(stamps, expected);
  EXPECT_EQ(std::count(volumes.begin(), volumes.end(), volumes[0]), static_cast<std::ptrdiff_t>(kHulls));
}

}  // namespace convex_test
}  // namespace graze_test
