// Hulls of thousands of points: what is merged and proven, and that the work does not grow quadratically.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "graze/base/parallel.h"
#include "graze/shape/convex.h"
#include "shape/hull.h"
#include "shape/solid_hull.h"
#include "shape/support_table.h"
#include "support/generator.h"

namespace graze_test {
namespace large_hulls {

using graze::Convex;
using graze::Vec3;

constexpr double kPi = 3.141592653589793;

// Rings of points about the z axis, each ring in a plane; the radii swell toward the middle.
std::vector<Vec3> rings(int count, int corners) {
  std::vector<Vec3> points;
  for (int k = 0; k < count; ++k) {
    const double radius = count < 3 ? 1 : 0.5 + std::sin(kPi * k / (count - 1));
    for (int i = 0; i < corners; ++i) {
      const double angle = 2 * kPi * i / corners;
      points.emplace_back(radius * std::cos(angle), radius * std::sin(angle), 0.25 * k);
    }
  }
  return points;
}

std::vector<Vec3> on_sphere(int count, double radius = 1) {
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    const double z = 1 - 2 * (i + 0.5) / count, r = std::sqrt(1 - z * z), angle = 2.399963 * i;
    points.emplace_back(radius * r * std::cos(angle), radius * r * std::sin(angle), radius * z);
  }
  return points;
}

Vec3 direction(Generator& random) {
  Vec3 d;
  do d = Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  while (!(d.norm() > 0.1));
  return d.normalized();
}

void check(const std::vector<Vec3>& points, const Convex& hull) {
  for (const Convex::Face& f : hull.faces()) EXPECT_NEAR(f.normal.norm(), 1, 1e-12);
  Generator random(5);
  for (int i = 0; i < 200; ++i) {
    const Vec3 d =
        i % 2 == 0 || hull.faces().empty()
            ? direction(random)
            : hull.faces()[static_cast<std::size_t>(random.integer(0, static_cast<int>(hull.faces().size()) - 1))]
                  .normal;
    double all = -graze::kInfinity, of_vertices = -graze::kInfinity;
    for (const Vec3& p : points) all = std::max(all, p.dot(d));
    for (const Vec3& p : hull.vertices()) of_vertices = std::max(of_vertices, p.dot(d));
    EXPECT_NEAR(of_vertices, all, 1e-14);
  }
  // To the bit, as the header says.
  for (std::size_t k = 0; k < hull.faces().size(); k += 1 + hull.faces().size() / 200) {
    const Convex::Face& f = hull.faces()[k];
    for (const Vec3& v : hull.vertices())
      ASSERT_LE((v.x() * f.normal.x() + v.y() * f.normal.y()) + v.z() * f.normal.z(), f.offset);
  }
}

TEST(LargeHulls, OfRingsHaveTheirFacesMerged) {
  for (const int count : {2, 3, 7}) {
    const int corners = 7200 / count;
    const std::vector<Vec3> points = rings(count, corners);
    const Convex hull = Convex::hull_of(points);
    EXPECT_EQ(hull.vertices().size(), points.size());
    // Two rings at the ends, and a trapezium between neighbours of neighbouring rings.
    EXPECT_EQ(hull.faces().size(), static_cast<std::size_t>(2 + corners * (count - 1)));
    EXPECT_EQ(hull.triangles().size(), 2 * points.size() - 4);
    check(points, hull);
  }
}

TEST(LargeHulls, DropInnerPoints) {
  const std::vector<Vec3> sphere = on_sphere(6000);
  std::vector<Vec3> points = sphere;
  Generator random(6);
  for (int i = 0; i < 6000; ++i) points.push_back(random.uniform(0, 0.999) * direction(random));
  const Convex hull = Convex::hull_of(points);
  EXPECT_EQ(hull.vertices().size(), sphere.size());
  EXPECT_EQ(hull.faces().size(), 2 * sphere.size() - 4);
  check(points, hull);
  // A box with its sides full of points: six faces and eight corners, whatever lies on them.
  std::vector<Vec3> box;
  for (int i = 0; i <= 40; ++i) {
    for (int j = 0; j <= 40; ++j) {
      for (const double side : {-1.0, 1.0}) {
        const double u = i / 20.0 - 1, v = j / 20.0 - 1;
        box.emplace_back(side, u, v), box.emplace_back(u, side, v), box.emplace_back(u, v, side);
      }
    }
  }
  const Convex cube = Convex::hull_of(box);
  EXPECT_EQ(cube.vertices().size(), 8U);
  EXPECT_EQ(cube.faces().size(), 6U);
  check(box, cube);
}

// Qhull's merging is quadratic in the corners of a face, so it must not be used.
TEST(LargeHulls, AreNotMergedByQhull) {
  for (const std::vector<Vec3>& points : {rings(2, 3000), rings(7, 900), on_sphere(6000)}) {
    graze::Aabb box;
    for (const Vec3& p : points) box.extend(p);
    std::vector<Vec3> scaled;
    for (const Vec3& p : points) scaled.push_back((p - box.center()) / 2);
    const auto hull = graze::solid_hull(scaled, points, 2, 1e-14);
    ASSERT_TRUE(hull);
    EXPECT_FALSE(hull->merged_by_qhull);
  }
}

// The proof searches the farthest vertex along the normal of every face, and tests only a few vertices each time.
TEST(LargeHulls, AreProvenByTestingFewVerticesPerFace) {
  for (const bool sphere : {false, true}) {
    for (const int n : {7000, 28000}) {
      const std::vector<Vec3> points = sphere ? on_sphere(n) : rings(7, n / 7);
      const auto table = graze::SupportTable::of(points, 3);
      ASSERT_NE(table, nullptr);
      Generator random(7);
      std::size_t looked_at = 0, asked = 0;
      for (const Vec3& p : points) {
        Vec3 d = sphere ? p : Vec3(p.x(), p.y(), random.uniform(-1, 1));
        const auto near = table->candidates(d.normalized());
        looked_at += near.blocks > 0 ? near.blocks * 8 : points.size();
        ++asked;
      }
      EXPECT_LT(looked_at / asked, 40U + points.size() / 50) << n << (sphere ? " on a sphere" : " on rings");
    }
  }
}

}  // namespace large_hulls
}  // namespace graze_test
