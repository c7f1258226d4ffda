// PointGrid against loops over all points: every kind of cloud, every kind of sphere, every instruction set.
#include "graze/index/point_grid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "graze/base/simd.h"
#include "points_oracle.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze_test {
namespace point_grid_test {

using namespace graze;

const double kNan = std::nan("");

// Spheres as a structure of arrays, with the answers of the loop.
struct Questions {
  std::vector<double> x, y, z, r;
  std::vector<bool> expected;
  std::size_t hits = 0;

  Questions(const NamedCloud& cloud, double point_radius, int count, std::uint64_t seed) {
    Generator random(seed);
    for (int i = 0; i < count; ++i) {
      const Query q = random_query(cloud, random);
      x.push_back(q.center.x());
      y.push_back(q.center.y());
      z.push_back(q.center.z());
      r.push_back(q.radius);
      expected.push_back(collides_by_loop(cloud.points, point_radius, q.center, q.radius));
      hits += expected.back() ? 1 : 0;
    }
  }
  SpheresView view() const { return {x, y, z, r}; }
  SpheresView part(std::size_t first, std::size_t count) const {
    return {std::span(x).subspan(first, count), std::span(y).subspan(first, count), std::span(z).subspan(first, count),
            std::span(r).subspan(first, count)};
  }
};

bool bit(const std::vector<std::uint64_t>& mask, std::size_t i) { return (mask[i / 64] >> i % 64 & 1U) != 0; }

void expect_answers(const PointGrid& grid, const Questions& q, const std::string& name) {
  std::vector<std::uint64_t> mask((q.r.size() + 63) / 64, ~0ULL);
  grid.collides_each(q.view(), mask);
  for (std::size_t i = 0; i < q.r.size(); ++i) {
    ASSERT_EQ(grid.collides(q.view().center(i), q.r[i]), q.expected[i])
        << name << ", sphere " << i << " at " << q.view().center(i).transpose() << " radius " << q.r[i];
    ASSERT_EQ(bit(mask, i), q.expected[i]) << name << ", sphere " << i << " of a batch";
  }
  for (std::size_t size = 1; size < 80; size += 6) {
    for (std::size_t first = 0; first + size <= q.r.size(); first += 97) {
      bool any = false;
      for (std::size_t i = first; i < first + size; ++i) any = any || q.expected[i];
      ASSERT_EQ(grid.any_collides(q.part(first, size)), any) << name << ", " << size << " spheres from " << first;
    }
  }
}

TEST(PointGrid, AgreesWithTheLoopOnEveryKindOfCloud) {
  for (const std::size_t count : {40UL, 700UL, 5000UL}) {
    for (const NamedCloud& cloud : all_clouds(count)) {
      for (const double point_radius : {0.0, cloud.size * 0.003}) {
        const PointGrid grid(floats(cloud.points), {.point_radius = point_radius});
        if (count == 700) {
          ASSERT_EQ(grid.validate(), "") << cloud.name;
        }
        const Questions q(cloud, point_radius, scaled(count == 5000 ? 400 : 1500), count);
        for (const std::string_view target : simd_targets()) {
          const ForcedSimdTarget forced(target);
          SCOPED_TRACE(target);
          expect_answers(grid, q, cloud.name);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// Blocks with so many points that they are sorted by cell.
TEST(PointGrid, AgreesWithTheLoopOnDenseClouds) {
  const auto scene = table_and_shelf(true);
  const std::vector<NamedCloud> clouds{{"surface", surface_samples(scene, 150000, 2), 4},
                                       {"depth frame", depth_frame(scene), 4},
                                       {"uniform", uniform_points(200000, 1, 1), 2}};
  for (const NamedCloud& cloud : clouds) {
    const PointGrid grid(floats(cloud.points), {.point_radius = 0.001});
    const Questions q(cloud, 0.001, scaled(300), 21);
    for (const std::string_view target : simd_targets()) {
      const ForcedSimdTarget forced(target);
      SCOPED_TRACE(target);
      expect_answers(grid, q, cloud.name);
      if (HasFatalFailure()) return;
    }
    for (std::size_t i = 0; i < 60; ++i) {
      ASSERT_EQ(grid.nearest(q.view().center(i)), nearest_by_loop(cloud.points, 0.001, q.view().center(i)));
    }
  }
}

TEST(PointGrid, FindsTheNearestPointWithTiesToTheLowerIndex) {
  for (const std::size_t count : {40UL, 3000UL}) {
    for (const NamedCloud& cloud : all_clouds(count)) {
      const double point_radius = cloud.size * 0.01;
      const PointGrid grid(floats(cloud.points), {.point_radius = point_radius});
      Generator random(count);
      int bounded = 0;
      for (int i = 0; i < scaled(300); ++i) {
        const Query q = random_query(cloud, random);
        for (const double limit : {kInfinity, q.radius, -0.5 * point_radius}) {
          ASSERT_EQ(grid.nearest(q.center, limit), nearest_by_loop(cloud.points, point_radius, q.center, limit))
              << cloud.name << " at " << q.center.transpose() << " within " << limit;
        }
        const double at_most = grid.nearest_at_most(q.center);
        ASSERT_GE(at_most, grid.nearest(q.center).distance) << cloud.name << " at " << q.center.transpose();
        bounded += std::isfinite(at_most) ? 1 : 0;
      }
      if (cloud.name == "surface") {
        EXPECT_GT(bounded, scaled(30)) << "the grid bounds the distance of near points";
      }
    }
  }
}

TEST(PointGrid, IsTheSameWhateverInstructionSetBuiltIt) {
  const NamedCloud cloud = all_clouds(5000)[2];
  const Questions q(cloud, 0, 300, 1);
  for (const std::string_view target : simd_targets()) {
    PointGrid grid;
    {
      const ForcedSimdTarget forced(target);
      grid.rebuild(floats(cloud.points));
      ASSERT_EQ(grid.validate(), "") << target;
    }
    expect_answers(grid, q, std::string(target));
  }
}

TEST(PointGrid, AcceptsColumnsAndRejectsDoubles) {
  const NamedCloud cloud = all_clouds(1000)[0];
  const std::size_t count = cloud.points.size();
  std::vector<float> columns(3 * count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t axis = 0; axis < 3; ++axis) columns[axis * count + i] = cloud.points[i][axis];
  const auto axis_stride = static_cast<std::ptrdiff_t>(count * sizeof(float));
  expect_answers(PointGrid(PointView(columns.data(), count, sizeof(float), axis_stride)), Questions(cloud, 0, 200, 5),
                 cloud.name);
  const std::vector<Vec3> doubles{Vec3(1, 2, 3)};
  EXPECT_EQ(refusal([&] { PointGrid{PointView(doubles)}; }),
            "points: must be float32, relative to an origin near them, got float64; Cloud and KdTree take either");
  EXPECT_EQ(PointGrid(PointView(std::span<const Vec3>())).size(), 0U);
}

TEST(PointGrid, AcceptsAnyStrideAndSkipsMissingReturns) {
  const NamedCloud cloud = all_clouds(1000)[12];
  ASSERT_EQ(cloud.name, "with gaps");
  struct Field {
    float x, y, z, intensity;
    char ring;
  };
  std::vector<Field> fields;
  for (const Point& p : cloud.points) fields.push_back({p[0], p[1], p[2], 1, 2});
  const PointGrid grid(PointView(&fields[0].x, fields.size(), sizeof(Field)));
  EXPECT_EQ(grid.skipped(), (cloud.points.size() + 2) / 3);
  EXPECT_EQ(grid.size() + grid.skipped(), cloud.points.size());
  expect_answers(grid, Questions(cloud, 0, 500, 3), cloud.name);
  // Records need not be aligned.
  std::vector<char> bytes(fields.size() * 13 + 1);
  for (std::size_t i = 0; i < fields.size(); ++i) std::memcpy(bytes.data() + 1 + 13 * i, &fields[i], 12);
  const PointGrid packed(PointView(reinterpret_cast<const float*>(bytes.data() + 1), fields.size(), 13));
  expect_answers(packed, Questions(cloud, 0, 100, 4), cloud.name);
}

TEST(PointGrid, IsNeverFreeForInvalidSpheres) {
  for (const NamedCloud& cloud : all_clouds(100)) {
    const PointGrid grid(floats(cloud.points));
    for (const double odd : {kNan, kInfinity, -kInfinity, 1e60, -1e60}) {
      for (int axis = 0; axis < 3; ++axis) {
        Vec3 c(0, 0, 0);
        c[axis] = odd;
        EXPECT_TRUE(grid.collides(c, 0.1));
        const double radius = 0.1;
        EXPECT_TRUE(grid.any_collides({{&c[0], 1}, {&c[1], 1}, {&c[2], 1}, {&radius, 1}}));
        EXPECT_FALSE(grid.nearest(c).found());
        EXPECT_TRUE(std::isnan(grid.nearest(c).distance));
      }
      EXPECT_TRUE(grid.collides({0, 0, 0}, odd));
    }
    EXPECT_TRUE(grid.collides({0, 0, 0}, -1e-9));
    EXPECT_TRUE(std::isnan(grid.nearest({0, 0, 0}, kNan).distance));
  }
}

TEST(PointGrid, RejectsBadRadiiAndParts) {
  const Points points = uniform_points(10, 1, 1);
  for (const double bad : {kNan, -1.0, kInfinity, 1e51}) {
    EXPECT_NE(refusal([&] { PointGrid(floats(points), {.point_radius = bad}); }), "");
  }
  PointGrid grid{floats(points)};
  EXPECT_NE(refusal([&] { grid.update(PointView(floats(points).subspan(0, 9)), 0, 1); }), "");
  EXPECT_NE(refusal([&] { grid.update(floats(points), 5, 6); }), "");
  EXPECT_NE(refusal([&] { grid.update(floats(points), 11, 0); }), "");
}

TEST(PointGrid, UpdatesLikeARebuild) {
  for (const NamedCloud& cloud : all_clouds(1000)) {
    if (cloud.points.empty()) continue;
    Points frame = cloud.points;
    PointGrid grid{floats(frame)};
    Generator random(17);
    for (int round = 0; round < scaled(12); ++round) {
      const std::size_t count = random.bits() % (frame.size() / (round % 3 == 0 ? 1 : 20) + 1);
      const std::size_t first = random.bits() % (frame.size() - count + 1);
      for (std::size_t i = first; i < first + count; ++i) {
        const Point& other = cloud.points[random.bits() % frame.size()];
        frame[i] = other;
        if (finite(other)) {
          for (float& v : frame[i]) v += static_cast<float>(random.uniform(-0.05, 0.05) * cloud.size);
        }
        if (random.integer(0, 9) == 0) frame[i] = {NAN, 0, 0};
        if (round == 7 && i == first) frame[i] = {static_cast<float>(3 * cloud.size), 0, 0};
      }
      grid.update(floats(frame), first, count);
      if (round % 4 == 1) {
        ASSERT_EQ(grid.validate(), "") << cloud.name << ", round " << round;
      }
      const PointGrid fresh{floats(frame)};
      ASSERT_EQ(grid.size(), fresh.size()) << cloud.name;
      ASSERT_EQ(grid.skipped(), fresh.skipped()) << cloud.name;
      const NamedCloud now{cloud.name, frame, cloud.size};
      expect_answers(grid, Questions(now, 0, 60, static_cast<std::uint64_t>(round)), cloud.name);
      for (int i = 0; i < 30; ++i) {
        const Query q = random_query(now, random);
        ASSERT_EQ(grid.nearest(q.center), nearest_by_loop(frame, 0, q.center)) << cloud.name;
        ASSERT_GE(grid.nearest_at_most(q.center), grid.nearest(q.center).distance) << cloud.name;
      }
      if (HasFatalFailure()) return;
    }
  }
}

// Coincident points among others so close that grids are nested until no further level is allowed.
TEST(PointGrid, MergesEqualPointsWhereNoGridMayNest) {
  for (int others = 1; others < 120; ++others) {
    Points points(531, Point{1, 1, 1});
    for (int i = 0; i < others; ++i) {
      const float near = 1 + 1e-4F * static_cast<float>(i % 40);
      points.push_back(i % 2 == 0 ? Point{near, 1, 1} : Point{1, near, 1});
    }
    points.push_back({1000, 1000, 1000});
    PointGrid grid(floats(points));
    ASSERT_EQ(grid.validate(), "") << others;
    // The point that represents the others moves away.
    points[0] = {500, 500, 500};
    grid.update(floats(points), 0, 1);
    ASSERT_EQ(grid.validate(), "") << others;
    ASSERT_TRUE(grid.collides({1, 1, 1}, 0)) << others;
    ASSERT_TRUE(grid.collides({500, 500, 500}, 0)) << others;
  }
}

// A batch that does not fill a vector is padded with spheres at the origin, which must not be answered.
TEST(PointGrid, DoesNotAnswerForSpheresBeyondABatch) {
  Points points;
  for (int i = 0; i < 30; ++i) points.push_back({0.01F * static_cast<float>(i), 0, 0});
  points.push_back({4, 4, 4});
  const PointGrid grid(floats(points), {.point_radius = 0.25});
  const std::vector<double> x(7, 2.0), y(7, 2.0), z(7, -2.0), r(7, 0.01);
  for (std::size_t count = 1; count <= x.size(); ++count) {
    const SpheresView spheres{std::span(x).first(count), std::span(y).first(count), std::span(z).first(count),
                              std::span(r).first(count)};
    std::uint64_t mask = 0;
    grid.collides_each(spheres, {&mask, 1});
    EXPECT_EQ(mask, 0U) << count;
    EXPECT_FALSE(grid.any_collides(spheres)) << count;
  }
}

TEST(PointGrid, RebuildsInPlace) {
  PointGrid grid;
  for (const NamedCloud& cloud : all_clouds(1500)) {
    grid.rebuild(floats(cloud.points), {.point_radius = 0});
    expect_answers(grid, Questions(cloud, 0, 200, 5), cloud.name);
  }
}

TEST(PointGrid, ALargerRadiusNeverFrees) {
  const NamedCloud cloud = all_clouds(2000)[1];
  const PointGrid grid{floats(cloud.points)};
  Generator random(23);
  for (int i = 0; i < scaled(2000); ++i) {
    const Vec3 c = random_query(cloud, random).center;
    const double d = grid.nearest(c).distance;
    if (d > 0) {
      EXPECT_FALSE(grid.collides(c, d * (1 - 1e-12)));
    }
    for (const double more : {1e-12, 1e-3, 1.0, 100.0}) EXPECT_TRUE(grid.collides(c, d * (1 + more)));
  }
}

// Half a million points and more are sorted in two steps.
TEST(PointGrid, SortsManyPointsInParts) {
  constexpr std::size_t kMany = (std::size_t{1} << 19U) + 1234;
  Points gaps = uniform_points(kMany, 1, 11), cluster = uniform_points(kMany, 1e-4, 12);
  for (std::size_t i = 0; i < gaps.size(); i += 7) gaps[i][i % 3] = std::numeric_limits<float>::quiet_NaN();
  cluster.front() = {-3, 2, 1}, cluster.back() = {4, 4, 4};  // the rest becomes a grid of its own
  for (const NamedCloud& cloud : {NamedCloud{"gaps", gaps, 2}, NamedCloud{"cluster", cluster, 2e-4}}) {
    SCOPED_TRACE(cloud.name);
    PointGrid grid(floats(cloud.points));
    ASSERT_EQ(grid.validate(), "");
    Generator random(13);
    for (int i = 0; i < scaled(30); ++i) {
      const Query q = random_query(cloud, random);
      ASSERT_EQ(grid.collides(q.center, q.radius), collides_by_loop(cloud.points, 0, q.center, q.radius)) << i;
    }
    // Every point is where it was: its own nearest, or an equal one before it is.
    for (std::size_t i = 0; i < kMany; i += 997) {
      const Point& p = cloud.points[i];
      if (!std::isfinite(p[0] + p[1] + p[2])) continue;
      const Neighbor nearest = grid.nearest(Vec3(p[0], p[1], p[2]));
      ASSERT_EQ(nearest.distance, 0);
      ASSERT_LE(nearest.index, i);
      ASSERT_EQ(cloud.points[nearest.index], p);
    }
    // The same memory again, with fewer points.
    const Points few(cloud.points.begin(), cloud.points.begin() + 1000);
    grid.rebuild(floats(few));
    ASSERT_EQ(grid.validate(), "");
  }
}

}  // namespace point_grid_test
}  // namespace graze_test
