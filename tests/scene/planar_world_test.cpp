// Worlds in the plane against loops over their obstacles, and grids against loops over their cells.
#include <gtest/gtest.h>

#include <memory>

#include "graze/scene/planar_world.h"
#include "scene/planar_cases.h"
#include "support/allocations.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze_test {
namespace planar_world_test {

using graze::Aabb2;
using graze::Error;
using graze::kInfinity;
using namespace graze::planar;

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

using Held = std::vector<std::optional<Obstacle>>;

bool loop_collide(const Held& obstacles, const Vec2& q, double radius) {
  bool hit = false;
  for (const auto& o : obstacles) hit |= o && collide(*o, q, radius);
  return hit;
}
WorldNearest loop_nearest(const Held& obstacles, const Vec2& q, double limit) {
  WorldNearest best;
  for (ObstacleId id = 0; id < obstacles.size(); ++id) {
    if (!obstacles[id]) continue;
    const NearestPoint near = nearest(*obstacles[id], q);
    if (near.distance <= limit && near.distance < best.distance)
      static_cast<NearestPoint&>(best) = near, best.obstacle = id;
  }
  return best;
}
WorldHit loop_sweep(const Held& obstacles, const Path& path, double radius) {
  WorldHit best;
  for (ObstacleId id = 0; id < obstacles.size(); ++id) {
    if (!obstacles[id]) continue;
    const Hit hit = sweep(*obstacles[id], path, radius);
    if (hit.fraction < best.fraction) static_cast<Hit&>(best) = hit, best.obstacle = id;
  }
  return best;
}

Grid some_grid(PlanarCases& cases) {
  Generator& random = cases.random();
  const auto columns = static_cast<std::size_t>(random.integer(1, 40));
  const auto rows = static_cast<std::size_t>(random.integer(1, 40));
  const int density = random.integer(0, 9);
  const std::unique_ptr<bool[]> cells(new bool[columns * rows]);
  for (std::size_t i = 0; i < columns * rows; ++i) cells[i] = random.integer(0, 8) < density;
  const Vec2 cell(cases.unit() * random.uniform(0.02, 0.3), cases.unit() * random.uniform(0.02, 0.3));
  return Grid(cases.point(), cell, columns, rows, {cells.get(), columns * rows});
}
struct Bare {
  Obstacle inner;
  NearestPoint nearest(const Vec2& q) const { return graze::planar::nearest(inner, q); }
};
Obstacle any_obstacle(PlanarCases& cases) {
  const int kind = cases.random().integer(0, 15);
  if (kind == 0) return some_grid(cases);
  if (kind == 1) return Custom(Bare{cases.obstacle().obstacle});
  return cases.obstacle().obstacle;
}
Path any_path(PlanarCases& cases) {
  const Vec2 from = cases.point();
  if (cases.random().integer(0, 1) == 0) return Path::line(from, cases.point());
  return Path::arc(cases.point(), from, cases.random().uniform(-9, 9));
}

void expect_same(const World& world, const Held& held, PlanarCases& cases) {
  const Vec2 q = cases.point(8);
  const double radius = cases.length(2), limit = cases.random().integer(0, 1) == 0 ? kInfinity : cases.length(3);
  ASSERT_EQ(collide(world, q, radius), loop_collide(held, q, radius));
  const WorldNearest near = nearest(world, q, limit), expected = loop_nearest(held, q, limit);
  ASSERT_EQ(near.obstacle, expected.obstacle);
  ASSERT_EQ(near.distance, expected.distance);
  ASSERT_EQ(near.point, expected.point);
  const Path path = any_path(cases);
  const WorldHit hit = sweep(world, path, radius), truth = loop_sweep(held, path, radius);
  ASSERT_EQ(hit.fraction, truth.fraction) << path.is_arc();
  ASSERT_EQ(hit.obstacle, truth.obstacle);
}

TEST(PlanarWorld, AnswersAsALoopOverTheObstacles) {
  for (const Regime regime : kRegimes) {
    PlanarCases cases(regime, 61);
    for (const int count : {0, 1, 5, 70, 600}) {
      std::vector<Obstacle> obstacles;
      Held held;
      for (int i = 0; i < count; ++i) {
        obstacles.push_back(any_obstacle(cases));
        held.emplace_back(obstacles.back());
        if (cases.random().integer(0, 9) == 0) obstacles.push_back(obstacles.back()), held.push_back(held.back());
      }
      const World world(obstacles);
      ASSERT_EQ(world.validate(), "");
      for (int i = 0; i < scaled(count > 100 ? 40 : 150); ++i) {
        SCOPED_TRACE(testing::Message() << "regime " << static_cast<int>(regime) << ", " << count << ", query " << i);
        expect_same(world, held, cases);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(PlanarWorld, StaysRightWhileObstaclesChange) {
  PlanarCases cases(Regime::uniform, 71);
  World world;
  Held held;
  for (int i = 0; i < scaled(1200); ++i) {
    const int what = cases.random().integer(0, 9);
    const auto id = static_cast<ObstacleId>(cases.random().integer(0, static_cast<int>(held.size())));
    if (what < 5 || !world.contains(id)) {
      const Obstacle obstacle = any_obstacle(cases);
      const ObstacleId added = world.add(obstacle);
      if (added >= held.size()) held.resize(added + 1);
      ASSERT_FALSE(held[added]);
      held[added] = obstacle;
    } else if (what < 7) {
      held[id] = any_obstacle(cases);
      world.replace(id, *held[id]);
    } else {
      held[id].reset();
      world.remove(id);
    }
    expect_same(world, held, cases);
    if (HasFatalFailure()) return;
    if (i % 100 == 0) {
      ASSERT_EQ(world.validate(), "");
    }
  }
  EXPECT_NE(refusal([&] { world.remove(100000); }), "");
  EXPECT_NE(refusal([&] { world.replace(100000, Circle({0, 0}, 1)); }), "");
}

TEST(PlanarWorld, BatchesAndSingleChecksAnswerAsTheObstaclesOneByOne) {
  for (const Regime regime : kRegimes) {
    for (const int kinds : {0, 1, 2}) {  // circles; circles and rectangles; all
      for (const int count : {0, 1, 64, 200, 300}) {
        PlanarCases cases(regime, static_cast<std::uint64_t>(count + kinds));
        World world;
        for (int i = 0; i < count; ++i) {
          if (kinds == 2) world.add(any_obstacle(cases));
          else if (i % 2 < kinds)
            world.add(Rectangle(cases.point(), {cases.length(), cases.length()}, i % 4 == 0 ? 0 : cases.angle()));
          else world.add(Circle(cases.point(), cases.length()));
          if (i % 9 == 8) world.remove(static_cast<ObstacleId>(i / 2));
        }
        for (const double radius : {0.0, cases.length(0.5), cases.length(3)}) {
          std::vector<Vec2> points;
          for (int i = 0; i < 600; ++i) points.push_back(cases.point(9));
          // Discs that just touch, or just do not.
          for (std::size_t i = 20; i < 320 && world.size() > 0; ++i) {
            const auto id = static_cast<ObstacleId>(cases.random().integer(0, count - 1));
            if (!world.contains(id)) continue;
            const NearestPoint near = nearest(world.obstacle(id), points[i]);
            const double by = radius / near.distance * (1 + cases.random().integer(-1, 1) * 1e-11);
            if (near.distance > 0 && std::isfinite(by)) points[i] = near.point + by * (points[i] - near.point);
          }
          points[7] = {kNotANumber, 0};
          points[8] = {kInfinity, 0};
          points[9] = {1e20, -1e30};
          points[10] = {1e300, 1e-300};
          std::vector<char> expected;
          for (const Vec2& point : points) {
            bool touches = !point.allFinite();
            for (ObstacleId id = 0; id < static_cast<ObstacleId>(count) && !touches; ++id)
              touches = world.contains(id) && collide(world.obstacle(id), point, radius);
            expected.push_back(touches);
          }
          expected[10] = collide(world, points[10], radius);  // an obstacle alone gives up where squares overflow
          const std::unique_ptr<bool[]> hits(new bool[points.size()]);
          // By all obstacles for each query, and by cells.
          for (const std::size_t some : {std::size_t{333}, points.size()}) {
            collide_each(world, std::span(points).first(some), radius, {hits.get(), some});
            for (std::size_t i = 0; i < some; ++i) {
              SCOPED_TRACE(testing::Message()
                           << static_cast<int>(regime) << " " << count << " " << i << " of " << some);
              ASSERT_EQ(hits[i], expected[i] != 0);
              ASSERT_EQ(collide(world, points[i], radius), expected[i] != 0);
            }
          }
        }
      }
    }
  }
}

TEST(PlanarWorld, QueriesDoNotAllocate) {
  PlanarCases cases(Regime::uniform, 3);
  std::vector<Obstacle> obstacles;
  for (int i = 0; i < 400; ++i) obstacles.push_back(any_obstacle(cases));
  const World world(obstacles);
  const Path line = Path::line({-6, -6}, {6, 6}), arc = Path::arc({0, 0}, {6, 0}, 7);
  const std::vector<Vec2> points(100, Vec2(0.5, 0.5));
  bool hits[100], many_hits[600];
  const World few({obstacles.begin(), obstacles.begin() + 100});
  const std::vector<Vec2> many(600, Vec2(0.5, 0.5));
  EXPECT_EQ(allocations_of([&] {
              collide_each(few, many, 0.1, many_hits);
              collide(world, {0, 0}, 0.1);
              nearest(world, {0.5, 0.5});
              sweep(world, line, 0.1);
              sweep(world, arc, 0.1);
              collide_each(world, points, 0.1, hits);
            }),
            0);
}

TEST(PlanarWorld, NeverFreeForWhatIsNotANumber) {
  const World empty, one({Circle({2, 0}, 1)});
  for (const World* world : {&empty, &one}) {
    EXPECT_TRUE(collide(*world, {kNotANumber, 0}, 0.1));
    EXPECT_TRUE(collide(*world, {0, 0}, kNotANumber));
    EXPECT_TRUE(collide(*world, {0, 0}, -0.1));
    EXPECT_TRUE(collide(*world, {kInfinity, 0}, 0));
    EXPECT_TRUE(std::isnan(nearest(*world, {kNotANumber, 0}).distance));
    const WorldHit hit = sweep(*world, Path::line({0, 0}, {1, 0}), kNotANumber);
    EXPECT_EQ(hit.fraction, 0);
    EXPECT_FALSE(hit.certain);
  }
  EXPECT_FALSE(collide(empty, {0, 0}, 1));
  EXPECT_FALSE(nearest(empty, {0, 0}).found());
  EXPECT_FALSE(sweep(empty, Path::line({0, 0}, {1, 0}), 1).found());
  bool hits[2];
  const std::vector<Vec2> points{{0, 0}, {1.5, 0}};
  collide_each(one, points, 0.5, hits);
  EXPECT_FALSE(hits[0]);
  EXPECT_TRUE(hits[1]);
  EXPECT_NE(refusal([&] { collide_each(one, points, 0.5, std::span(hits, 1)); }), "");
  struct Endless {
    static NearestPoint nearest(const Vec2&) { return {}; }
    static Aabb2 bounds() { return {{kNotANumber, 0}, {1, 1}}; }
  };
  World world;
  EXPECT_NE(refusal([&] { world.add(Custom(Endless())); }), "");
  EXPECT_EQ(world.validate(), "");
}

// --- grids -----------------------------------------------------------------------------------------------------------

// The cells as rational rectangles.
std::vector<PlanarBody> bodies_of(const Grid& grid, bool occupied) {
  std::vector<PlanarBody> bodies;
  const mpq_class x(grid.origin().x()), y(grid.origin().y()), dx(grid.cell().x()), dy(grid.cell().y());
  for (std::size_t j = 0; j < grid.rows(); ++j) {
    for (std::size_t i = 0; i < grid.columns(); ++i) {
      if (grid.occupied(i, j) != occupied) continue;
      const mpq_class left = x + mpq_class(static_cast<unsigned long>(i)) * dx,
                      low = y + mpq_class(static_cast<unsigned long>(j)) * dy, right = left + dx, high = low + dy;
      bodies.push_back({{{left, low}, {right, low}, {right, high}, {left, high}}, 0});
    }
  }
  return bodies;
}
mpq_class smallest(const std::vector<PlanarBody>& bodies, const PlanarPoint& a, const PlanarPoint& b) {
  mpq_class best = -1;
  for (const PlanarBody& body : bodies) {
    const mpq_class far = graze_oracle::planar_distance_sq(body, a, b);
    if (best < 0 || far < best) best = far;
  }
  return best;
}

TEST(PlanarGrid, AnswersAsItsCells) {
  int hits = 0, inside = 0;
  for (const Regime regime : {Regime::uniform, Regime::far, Regime::tiny, Regime::huge}) {
    PlanarCases cases(regime, 83 + static_cast<std::uint64_t>(regime));
    for (int i = 0; i < scaled(30); ++i) {
      Generator& random = cases.random();
      const auto columns = static_cast<std::size_t>(random.integer(1, 20)),
                 rows = static_cast<std::size_t>(random.integer(1, 20));
      const int density = random.integer(0, 9);
      const std::unique_ptr<bool[]> cells(new bool[columns * rows]);
      for (std::size_t k = 0; k < columns * rows; ++k) cells[k] = random.integer(0, 8) < density;
      const Vec2 cell(cases.unit() * random.uniform(0.1, 0.5), cases.unit() * random.uniform(0.1, 0.5));
      const Grid grid(cases.point(), cell, columns, rows, {cells.get(), columns * rows});
      const Obstacle obstacle = grid;
      const auto bodies = bodies_of(grid, true), gaps = bodies_of(grid, false);
      EXPECT_EQ(grid.occupied(), bodies.size());
      const double tolerance = 1e-12 * cases.unit() * 40;
      const auto draw = [&](double x, double y) {
        return Vec2(grid.origin() +
                    Vec2(x * cell.x() * static_cast<double>(columns), y * cell.y() * static_cast<double>(rows)));
      };
      const double x = random.uniform(-0.3, 1.3), y = random.uniform(-0.3, 1.3), u = random.uniform(-0.3, 1.3);
      const Vec2 from = draw(x, y), to = draw(u, random.uniform(-0.3, 1.3));
      const double radius = random.integer(0, 2) == 0 ? 0 : cases.unit() * random.uniform(0, 0.2);
      const mpq_class square = mpq_class(radius) * mpq_class(radius);
      const PlanarPoint a = exact(from), b = exact(to);
      const Hit hit = sweep(obstacle, Path::line(from, to), radius);
      const mpq_class at_start = smallest(bodies, a, a);
      ASSERT_EQ(hit.found(), !bodies.empty() && smallest(bodies, a, b) <= square) << i;
      ASSERT_EQ(collide(obstacle, from, radius), !bodies.empty() && at_start <= square) << i;
      if (hit.found() && at_start > square) {
        ++hits;
        const mpq_class f(hit.fraction);
        const PlanarPoint then{a.x + f * (b.x - a.x), a.y + f * (b.y - a.y)};
        const mpq_class gap = smallest(bodies, a, then), more = mpq_class(radius + tolerance);
        ASSERT_GE(gap, square) << "late";
        ASSERT_LE(gap, more * more) << "early";
      } else if (hit.found()) {
        ASSERT_EQ(hit.fraction, 0);
      }
      const NearestPoint near = nearest(obstacle, from);
      if (bodies.empty()) {
        ASSERT_EQ(near.distance, kInfinity);
        continue;
      }
      if (at_start > 0) {
        ASSERT_NEAR(near.distance, graze_oracle::planar_root(at_start).get_d(), near.tolerance);
      } else {
        ++inside;
        // The nearest of the free cells and the four sides.
        mpq_class out = gaps.empty() ? mpq_class(-1) : smallest(gaps, a, a);
        const mpq_class left = a.x - mpq_class(grid.origin().x()), low = a.y - mpq_class(grid.origin().y());
        const mpq_class right = mpq_class(static_cast<unsigned long>(columns)) * mpq_class(cell.x()) - left,
                        high = mpq_class(static_cast<unsigned long>(rows)) * mpq_class(cell.y()) - low;
        for (const mpq_class& side : {left, low, right, high}) {
          const mpq_class sq = side * side;
          if (out < 0 || sq < out) out = sq;
        }
        ASSERT_NEAR(near.distance, -graze_oracle::planar_root(out).get_d(), near.tolerance);
      }
      ASSERT_NEAR((near.point - from).norm(), std::abs(near.distance), near.tolerance + 1e-15 * from.norm());
    }
  }
  EXPECT_GT(hits, 0);
  EXPECT_GT(inside, 0);
}

TEST(PlanarGrid, ArcsMeetTheFirstCell) {
  PlanarCases cases(Regime::uniform, 97);
  int hits = 0;
  for (int i = 0; i < scaled(150); ++i) {
    const Grid grid = some_grid(cases);
    const Obstacle obstacle = grid;
    const auto bodies = bodies_of(grid, true);
    const Vec2 center = cases.point(), from = cases.point();
    const double angle = cases.random().uniform(-9, 9), radius = cases.length(1);
    const auto gap = [&](graze_oracle::Real turn) {
      graze_oracle::Real best = graze_oracle::kRealInfinity;
      for (const PlanarBody& body : bodies)
        best = std::min(best,
                        graze_oracle::planar_arc_distance(body, {center.x(), center.y()}, {from.x(), from.y()}, turn));
      return best - graze_oracle::Real{radius};
    };
    const Hit hit = sweep(obstacle, Path::arc(center, from, angle), radius);
    if (!hit.found()) {
      ASSERT_GT(gap(angle), -1e-16L) << "missed";
      continue;
    }
    if (gap(0) <= 0) {
      ASSERT_EQ(hit.fraction, 0);
      continue;
    }
    ++hits;
    const auto then = gap(graze_oracle::Real{hit.fraction} * graze_oracle::Real{angle});
    ASSERT_GE(then, -1e-16L) << "late";
    ASSERT_LE(then, 1e-11L) << "early";
  }
  EXPECT_GT(hits, 0);
}

TEST(PlanarGrid, MillionsOfCellsOfAllPatterns) {
  constexpr std::size_t kSide = 1024;
  const std::unique_ptr<bool[]> cells(new bool[kSide * kSide]());
  const std::span<bool> all(cells.get(), kSide * kSide);
  const auto sweep_row = [&](const Grid& grid, double y) {
    return sweep(Obstacle(grid), Path::line({-1, y}, {2000, y}), 0.25);
  };
  // Empty, full, one cell, one hole, a wall of one cell.
  EXPECT_FALSE(sweep_row(Grid({0, 0}, {1, 1}, kSide, kSide, all), 5).found());
  EXPECT_EQ(nearest(Grid({0, 0}, {1, 1}, kSide, kSide, all), {5, 5}).distance, kInfinity);
  cells[500 + 500 * kSide] = true;
  const Grid one({0, 0}, {1, 1}, kSide, kSide, all);
  EXPECT_NEAR(sweep_row(one, 500.5).center.x(), 499.75, 1e-9);
  EXPECT_FALSE(sweep_row(one, 502).found());
  EXPECT_NEAR(nearest(one, {0, 500}).distance, 500, 1e-9);
  EXPECT_LE(one.memory_bytes(), kSide * kSide / 6 + 4096);
  std::fill(all.begin(), all.end(), true);
  const Grid full({0, 0}, {1, 1}, kSide, kSide, all);
  EXPECT_NEAR(sweep_row(full, 500.5).center.x(), -0.25, 1e-9);
  EXPECT_NEAR(nearest(full, {512, 400}).distance, -400, 1e-9);
  EXPECT_EQ(nearest(full, {512, 400}).point, Vec2(512, 0));
  cells[300 + 300 * kSide] = false;
  const Grid hole({0, 0}, {1, 1}, kSide, kSide, all);
  EXPECT_NEAR(nearest(hole, {400.5, 300.5}).distance, -99.5, 1e-9);
  EXPECT_NEAR(nearest(hole, {300.5, 300.4}).distance, 0.4, 1e-12);
  EXPECT_FALSE(collide(Obstacle(hole), {300.5, 300.5}, 0.49999));
  EXPECT_TRUE(collide(Obstacle(hole), {300.5, 300.5}, 0.5));
  const Hit out = sweep(Obstacle(hole), Path::line({300.5, 300.5}, {300.5, 310}), 0.25);
  EXPECT_NEAR(out.center.y(), 300.75, 1e-9);
}

TEST(PlanarGrid, RefusesWhatIsNoGrid) {
  using Rows = std::vector<std::string_view>;
  const auto why = [](const Rows& rows) { return refusal([&] { Grid::from_text({0, 0}, {1, 1}, rows); }); };
  EXPECT_EQ(why({"#.", " #"}), "");
  EXPECT_NE(why({}).find("rows: "), std::string::npos);
  EXPECT_NE(why({"", ""}).find("at least one cell"), std::string::npos);
  EXPECT_NE(why({"##", "#"}).find("rows[1]: expected 2 cells"), std::string::npos);
  EXPECT_NE(why({"#.", "#x"}).find("rows[1]: expected '#'"), std::string::npos);
  EXPECT_NE(refusal([] { Grid({0, 0}, {0, 1}, 1, 1, std::array{true}); }), "");
  EXPECT_NE(refusal([] { Grid({0, 0}, {1, 1}, std::size_t{1} << 40U, std::size_t{1} << 40U, {}); }), "");
  EXPECT_NE(refusal([] { Grid({0, 0}, {1, 1}, 2, 2, std::array{true}); }), "");
  const Rows rows{"#.", ".."};
  const Grid grid = Grid::from_text({1, 2}, {0.5, 0.25}, rows);
  EXPECT_TRUE(grid.occupied(0, 0));
  EXPECT_FALSE(grid.occupied(0, 1));
  EXPECT_EQ(nearest(grid, {1.25, 2.5}).point, Vec2(1.25, 2.25));
}

}  // namespace planar_world_test
}  // namespace graze_test
