// The table of candidates by direction: it finds the same vertex as a loop over all of them, including ties.
#include "shape/support_table.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "bodies.h"
#include "graze/base/simd.h"
#include "shape/lanes.h"
#include "support/scale.h"

namespace graze_test {
namespace support_table_test {

using namespace graze;

struct Named {
  std::string name;
  std::vector<Vec3> points;
};

// Points on which climbing from neighbour to neighbour would stop early: plateaus, ties, slivers, clusters, flats.
std::vector<Named> troublesome(Generator& random) {
  std::vector<Named> sets(9);
  sets[0].name = "sphere", sets[1].name = "thin ellipsoid", sets[2].name = "prism of two rims",
  sets[3].name = "lattice", sets[4].name = "clusters", sets[5].name = "flat polygon", sets[6].name = "needle",
  sets[7].name = "box of points", sets[8].name = "equal points";
  for (int i = 0; i < 600; ++i) {
    const Vec3 d = random.direction();
    sets[0].points.push_back(d);
    sets[1].points.emplace_back(0.5 * d.x(), 0.4 * d.y(), 1e-4 * d.z());
    const double angle = 2 * std::numbers::pi * (i / 2) / 300;
    sets[2].points.emplace_back(std::cos(angle), std::sin(angle), i % 2 == 0 ? -1 : 1);
    sets[3].points.emplace_back(random.integer(-4, 4), random.integer(-4, 4), random.integer(-4, 4));
    const Vec3 corner(std::copysign(1.0, d.x()), std::copysign(1.0, d.y()), std::copysign(1.0, d.z()));
    sets[4].points.push_back(corner + std::ldexp(1.0, -random.integer(1, 52)) * random.direction());
    sets[5].points.emplace_back(std::cos(angle), std::sin(angle), 0);
    sets[6].points.emplace_back(1e-12 * d.x(), 1e-12 * d.y(), d.z());
    sets[7].points.push_back(d / d.cwiseAbs().maxCoeff());
    sets[8].points.emplace_back(1, i % 3, 0);
  }
  return sets;
}

std::size_t highest_by_loop(std::span<const Vec3> points, const Vec3& d) {
  const auto height = [&](const Vec3& p) { return (p.x() * d.x() + p.y() * d.y()) + p.z() * d.z(); };
  std::size_t best = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (height(points[i]) > height(points[best])) best = i;
  }
  return best;
}

// Directions along which many points are equally far, or that lie on the seams of the table.
Vec3 troublesome_direction(int kind, std::span<const Vec3> points, Generator& random) {
  const auto pick = [&] { return points[random.bits() % points.size()]; };
  switch (kind % 6) {
    case 0:
      return {static_cast<double>(random.integer(-1, 1)), static_cast<double>(random.integer(-1, 1)),
              static_cast<double>(random.integer(-1, 1))};
    case 1: {
      Vec3 seam(1, random.integer(-16, 16) / 16.0, random.integer(-16, 16) / 16.0);
      for (double& x : seam) {
        if (random.integer(0, 1) == 0) x = std::nextafter(x, random.uniform(-2, 2));
      }
      std::swap(seam[0], seam[random.integer(0, 2)]);
      return std::ldexp(random.integer(0, 1) == 0 ? 1.0 : -1.0, random.integer(-400, 400)) * seam;
    }
    case 2:
      return unit_vector(pick() - pick()).cross(random.direction());  // nearly a tie of the two
    case 3:
      return (pick() - pick()).cross(pick() - pick());
    case 4:
      return random.direction();
    default:
      return Vec3::Unit(random.integer(0, 2)) + std::ldexp(1.0, -random.integer(1, 60)) * random.direction();
  }
}

TEST(SupportTable, FindsWhatALoopFindsOnEveryTarget) {
  for (const std::string_view target : simd_targets()) {
    const ForcedSimdTarget forced(target);
    for (int round = 0; round < scaled(4); ++round) {
      Generator random(static_cast<std::uint64_t>(round));
      const double scale = std::ldexp(1.0, random.integer(-60, 60));
      for (Named& set : troublesome(random)) {
        SCOPED_TRACE(set.name + " on " + std::string(target));
        double radius = 0;
        for (Vec3& p : set.points) p *= scale, radius = std::max(radius, p.norm());
        const auto table = SupportTable::of(set.points, radius);
        ASSERT_NE(table, nullptr);
        for (int i = 0; i < scaled(2000); ++i) {
          const Vec3 d = troublesome_direction(i, set.points, random);
          const SupportTable::Candidates near = table->candidates(d);
          if (near.blocks == 0) continue;
          ASSERT_EQ(near.vertices[lanes::highest_vertex(near.lanes, near.blocks, d)], highest_by_loop(set.points, d))
              << "round " << round << ", direction " << i;
        }
      }
    }
  }
}

TEST(SupportTable, HullsFindTheirFarthestVertex) {
  for (int round = 0; round < scaled(4); ++round) {
    Generator random(100 + static_cast<std::uint64_t>(round));
    for (const Named& set : troublesome(random)) {
      SCOPED_TRACE(set.name);
      const Convex hull = Convex::hull_of(set.points);
      for (int i = 0; i < scaled(500); ++i) {
        const Vec3 d = troublesome_direction(i, hull.centered_vertices(), random);
        const std::size_t expected = highest_by_loop(hull.centered_vertices(), d);
        ASSERT_EQ(hull.support_index(d), expected) << "round " << round << ", direction " << i;
        ASSERT_EQ(hull.centered_support(d), hull.centered_vertices()[expected]);
      }
    }
  }
}

TEST(SupportTable, LeavesOddDirectionsToTheScan) {
  Generator random(1);
  const Named sphere = troublesome(random)[0];
  const auto table = SupportTable::of(sphere.points, 1);
  ASSERT_NE(table, nullptr);
  const double inf = kInfinity, nan = std::numeric_limits<double>::quiet_NaN();
  for (const Vec3& d : {Vec3(0, 0, 0), Vec3(1e-200, 0, 0), Vec3(0, -1e-320, 0), Vec3(inf, 0, 0), Vec3(inf, -inf, 1),
                        Vec3(1e300, 1, 1), Vec3(nan, nan, nan)}) {
    EXPECT_EQ(table->candidates(d).blocks, 0u) << d.transpose();
  }
  const Convex hull = Convex::hull_of(sphere.points);
  EXPECT_EQ(hull.support_index(Vec3::Zero()), 0u);
  for (const Vec3& d : {Vec3(nan, 1, 1), Vec3(1, nan, 0), Vec3(inf, nan, 0), Vec3(nan, nan, nan)}) {
    EXPECT_LT(hull.support_index(d), hull.vertices().size());
  }
}

TEST(SupportTable, StaysWithinItsMemory) {
  Generator random(2);
  for (const Named& set : troublesome(random)) {
    double radius = 0;
    for (const Vec3& p : set.points) radius = std::max(radius, p.norm());
    const auto table = SupportTable::of(set.points, radius);
    ASSERT_NE(table, nullptr);
    // Entries, the blocks that the lists of the cells are filled up to, and the cells.
    const std::size_t cells = 6 * 64;
    EXPECT_LT(table->memory_bytes(), 28 * (5 * 16 * set.points.size() + 8 * cells) + 8 * cells) << set.name;
  }
  EXPECT_EQ(SupportTable::of(std::vector<Vec3>(20, Vec3::UnitX()), 1), nullptr);
}

}  // namespace support_table_test
}  // namespace graze_test
