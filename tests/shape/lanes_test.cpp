// The SIMD kernels of hulls: the same bits on every instruction set, equal to a plain loop.
#include "shape/lanes.h"

#include <gtest/gtest.h>

#include <bit>

#include "bodies.h"
#include "graze/base/simd.h"
#include "support/scale.h"

namespace graze_test {
namespace lanes_test {

using namespace graze;

struct alignas(64) Lane {
  double values[8];
};

struct Plane4 {
  Vec3 normal;
  double offset;
};

double height(const Vec3& p, const Vec3& d) { return (p.x() * d.x() + p.y() * d.y()) + p.z() * d.z(); }

std::size_t highest_by_loop(const std::vector<Vec3>& points, const Vec3& d) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (height(points[i], d) > height(points[best], d)) best = i;
  }
  return best;
}

// Whole numbers give many ties; thirds give near ties that a fused multiply-add would decide differently.
Vec3 small_vector(int kind, Generator& random) {
  const double x = random.integer(-2, 2), y = random.integer(-2, 2), z = random.integer(-2, 2);
  if (kind == 0) return {x, y, z};
  if (kind == 1) return Vec3(x, y, z) / 3;
  return random.in_cube(1);
}

TEST(Lanes, FindTheHighestVertexOnEveryTarget) {
  for (const std::string_view target : simd_targets()) {
    const ForcedSimdTarget forced(target);
    SCOPED_TRACE(target);
    for (std::size_t count = 1; count <= 70; ++count) {
      for (int i = 0; i < scaled(20); ++i) {
        Generator random(count * 1000 + static_cast<std::uint64_t>(i));
        std::vector<Vec3> points;
        for (std::size_t k = 0; k < count; ++k) points.push_back(small_vector(i % 3, random));
        const auto lanes = lanes::arranged<Lane, 3>(count, [&](std::size_t k) {
          return std::array{points[k].x(), points[k].y(), points[k].z()};
        });
        const Vec3 d = small_vector(i % 3, random);
        ASSERT_EQ(lanes::highest_vertex(lanes[0].values, lanes.size() / 3, d), highest_by_loop(points, d))
            << count << " points, round " << i;
      }
    }
  }
}

TEST(Lanes, FindTheHighestPlaneOnEveryTarget) {
  for (const std::string_view target : simd_targets()) {
    const ForcedSimdTarget forced(target);
    SCOPED_TRACE(target);
    for (std::size_t count = 1; count <= 70; ++count) {
      for (int i = 0; i < scaled(20); ++i) {
        Generator random(count * 1000 + static_cast<std::uint64_t>(i));
        std::vector<Plane4> planes;
        for (std::size_t k = 0; k < count; ++k) {
          planes.push_back({small_vector(i % 3, random), small_vector(i % 3, random).x()});
        }
        const auto lanes = lanes::arranged<Lane, 4>(count, [&](std::size_t k) {
          const auto& [n, offset] = planes[k];
          return std::array{n.x(), n.y(), n.z(), offset};
        });
        const Vec3 p = small_vector(i % 3, random);
        std::size_t best = 0;
        const auto above = [&](std::size_t k) { return height(planes[k].normal, p) - planes[k].offset; };
        for (std::size_t k = 1; k < count; ++k) {
          if (above(k) > above(best)) best = k;
        }
        const lanes::Highest highest = lanes::highest_plane(lanes[0].values, lanes.size() / 4, p);
        ASSERT_EQ(highest.index, best) << count << " planes, round " << i;
        ASSERT_EQ(highest.value, above(best)) << count << " planes, round " << i;
      }
    }
  }
}

TEST(Lanes, AnswerWithAnEntryWhateverTheDirection) {
  const std::vector<Vec3> points{{1, 2, 3}, {-1, 0, 3}, {0, 0, 0}};
  const auto lanes = lanes::arranged<Lane, 3>(3, [&](std::size_t k) {
    return std::array{points[k].x(), points[k].y(), points[k].z()};
  });
  const auto planes = lanes::arranged<Lane, 4>(3, [&](std::size_t k) {
    return std::array{points[k].x(), points[k].y(), points[k].z(), 1.0};
  });
  const double nan = std::nan("");
  for (const std::string_view target : simd_targets()) {
    const ForcedSimdTarget forced(target);
    for (const Vec3& odd :
         {Vec3(nan, nan, nan), Vec3(0, nan, 0), Vec3(kInfinity, 0, 0), Vec3(0, -kInfinity, kInfinity)}) {
      EXPECT_LT(lanes::highest_vertex(lanes[0].values, 1, odd), 3u) << target;
      EXPECT_LT(lanes::highest_plane(planes[0].values, 1, odd).index, 3u) << target;
    }
    // A point with NaN is not outside.
    EXPECT_LE(lanes::highest_plane(planes[0].values, 1, Vec3(nan, nan, nan)).value, 0) << target;
  }
}

TEST(Lanes, HullsAnswerTheSameOnEveryTarget) {
  const auto digest_with = [](std::string_view target) {
    const ForcedSimdTarget forced(target);
    std::uint64_t hash = 0;
    const auto add = [&hash](std::uint64_t bits) { hash = (hash ^ bits) * 0x100000001B3U + (hash >> 32U); };
    for (int i = 0; i < scaled(100); ++i) {
      Generator random(static_cast<std::uint64_t>(i));
      const std::vector<Vec3> points = random_points(random.integer(4, 90), 1, random);
      const Convex hull = Convex::hull_of(points);
      add(hull.stamp());
      for (const auto& [normal, offset] : hull.faces()) add(std::bit_cast<std::uint64_t>(offset));
      for (int k = 0; k < 20; ++k) {
        const Vec3 v = random.in_cube(2);
        add(hull.support_index(v));
        const auto [value, face] = hull.highest_face(v);
        add(std::bit_cast<std::uint64_t>(value));
        add(face);
      }
      const Aabb box = bounds(hull, random.pose(1));
      for (int axis = 0; axis < 3; ++axis) add(std::bit_cast<std::uint64_t>(box.max[axis]));
    }
    return hash;
  };
  const std::uint64_t expected = digest_with("scalar");
  for (const std::string_view target : simd_targets()) EXPECT_EQ(digest_with(target), expected) << target;
}

TEST(Lanes, TiesGoToTheLowerIndex) {
  // All corners of a prism's top are equally high. A box uses the plain loop, a prism over twelve corners the kernels.
  const std::vector<Eigen::Vector2d> square{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
  const std::vector<Eigen::Vector2d> round{{4, 0},  {3, 2},  {2, 3},  {0, 4},   {-4, 0}, {-3, 2},
                                           {3, -2}, {2, -3}, {0, -4}, {-3, -2}, {-2, 3}, {-2, -3}};
  for (const std::string_view target : simd_targets()) {
    const ForcedSimdTarget forced(target);
    for (const auto& corners : {square, round}) {
      std::vector<Vec3> points;
      for (const auto& c : corners) points.emplace_back(c.x(), c.y(), -1);
      for (const auto& c : corners) points.emplace_back(c.x(), c.y(), 1);
      const Convex hull = Convex::hull_of(points);
      ASSERT_EQ(hull.vertices().size(), points.size());
      EXPECT_EQ(hull.support_index({0, 0, 1}), corners.size()) << target;
      EXPECT_EQ(hull.support_index({0, 0, -1}), 0u) << target;
      EXPECT_EQ(hull.support_index({0, 0, 0}), 0u) << target;
      const auto [height_above, face] = hull.highest_face(hull.center());
      for (std::size_t i = 0; i < face; ++i) {
        EXPECT_LT(hull.faces()[i].normal.dot(hull.center()) - hull.faces()[i].offset, height_above) << target;
      }
    }
  }
}

}  // namespace lanes_test
}  // namespace graze_test
