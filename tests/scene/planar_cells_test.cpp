// Few circles and rectangles in cells, while they change, against loops over them.
#include <gtest/gtest.h>

#include <memory>

#include "graze/base/simd.h"
#include "graze/scene/planar_world.h"
#include "scene/planar_cases.h"
#include "support/allocations.h"
#include "support/scale.h"

namespace graze_test {
namespace planar_cells_test {

using namespace graze::planar;

using Held = std::vector<std::optional<Obstacle>>;

bool touches_any(const Held& held, const Vec2& point, double radius) {
  bool touches = false;
  for (const auto& obstacle : held) touches |= obstacle && collide(*obstacle, point, radius);
  return touches;
}

// Obstacles that are all over the place, or crowd: dozens to a cell, with a few far away.
class Plan {
 public:
  Plan(Regime regime, bool crowd, std::uint64_t seed) : cases_(regime, seed), crowd_(crowd) {}
  PlanarCases& cases() { return cases_; }
  Generator& random() { return cases_.random(); }

  Vec2 point() {
    const Vec2 any = cases_.point(9);
    if (!crowd_ || random().integer(0, 19) == 0) return any;
    return base_ + 0.03 * (any - base_);
  }
  Obstacle obstacle(bool turned) {
    const double size = crowd_ ? 0.05 : 1;
    const Vec2 center = point();
    if (random().integer(0, 1) == 0) return Circle(center, size * cases_.length());
    const double width = size * cases_.length();
    return Rectangle(center, {width, size * cases_.length()}, turned ? cases_.angle() : 0);
  }
  double radius() {
    const double some[] = {0, 30, 3, crowd_ ? 0.01 : 0.2, crowd_ ? 0.01 : 0.2};
    return some[random().integer(0, 4)] * cases_.length();
  }
  // A point, or one from which a disc just touches an obstacle, or just does not.
  Vec2 disc_near(const Held& held, double radius) {
    const Vec2 point = this->point();
    const auto& obstacle = held[static_cast<std::size_t>(random().integer(0, static_cast<int>(held.size()) - 1))];
    if (!obstacle || random().integer(0, 1) == 0) return point;
    const NearestPoint near = nearest(*obstacle, point);
    const double by = radius / near.distance * (1 + random().integer(-1, 1) * 1e-11);
    return near.distance > 0 && std::isfinite(by) ? Vec2(near.point + by * (point - near.point)) : point;
  }

 private:
  PlanarCases cases_;
  bool crowd_;
  Vec2 base_ = cases_.point(3);
};

void expect_answers(const World& world, const Held& held, Plan& plan, int count) {
  ASSERT_EQ(world.validate(), "");
  const double radius = plan.radius();
  std::vector<Vec2> points;
  for (int i = 0; i < count; ++i) points.push_back(plan.disc_near(held, radius));
  const std::unique_ptr<bool[]> hits(new bool[points.size()]);
  collide_each(world, points, radius, {hits.get(), points.size()});
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool expected = touches_any(held, points[i], radius);
    ASSERT_EQ(collide(world, points[i], radius), expected) << points[i].transpose() << " radius " << radius;
    ASSERT_EQ(hits[i], expected) << points[i].transpose() << " radius " << radius;
  }
}

TEST(PlanarCells, StayRightWhileCirclesAndRectanglesChange) {
  for (const Regime regime : kRegimes) {
    for (const int kind : {0, 1, 2, 3}) {
      SCOPED_TRACE(testing::Message() << "regime " << static_cast<int>(regime) << ", kind " << kind);
      Plan plan(regime, kind % 2 == 1, 100 + static_cast<std::uint64_t>(regime));
      World world;
      Held held;
      const auto random_id = [&] {
        return static_cast<ObstacleId>(plan.random().integer(0, std::max(0, static_cast<int>(held.size()) - 1)));
      };
      const int steps = scaled(350);
      for (int step = 0; step < steps; ++step) {
        // Grows to more than cells are for, then shrinks; some turned ones come late.
        const bool grows = step < 2 * steps / 3;
        const ObstacleId id = random_id();
        if (plan.random().integer(0, 9) < (grows ? 8 : 1) || !world.contains(id)) {
          const Obstacle obstacle = plan.obstacle(kind > 1 && step > 40);
          const ObstacleId added = world.add(obstacle);
          if (added >= held.size()) held.resize(added + 1);
          held[added] = obstacle;
        } else if (plan.random().integer(0, 2) == 0) {
          held[id] = plan.obstacle(kind > 1 && step > 40);
          world.replace(id, *held[id]);
        } else {
          held[id].reset();
          world.remove(id);
        }
        expect_answers(world, held, plan, 8);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(PlanarCells, AnswerAsTheObstaclesOneByOne) {
  for (const Regime regime : kRegimes) {
    for (const int kind : {0, 1, 2, 3}) {
      for (const int count : {2, 8, 9, 64, 256}) {
        Plan plan(regime, kind % 2 == 1, 7 * static_cast<std::uint64_t>(count));
        std::vector<Obstacle> obstacles;
        for (int i = 0; i < count; ++i) obstacles.push_back(plan.obstacle(kind > 1));
        const Held held(obstacles.begin(), obstacles.end());
        for (const std::string_view target : graze::simd_targets()) {
          SCOPED_TRACE(testing::Message() << "regime " << static_cast<int>(regime) << ", kind " << kind << ", " << count
                                          << ", " << target);
          const graze::ForcedSimdTarget forced(target);
          const World world(obstacles);
          for (int i = 0; i < scaled(4); ++i) expect_answers(world, held, plan, 100);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// Where squares of floats are 0 or infinite, and where coordinates are rounded by more than floats are.
TEST(PlanarCells, AnswerAtAllScales) {
  Generator random(5);
  for (const double unit : {1e-40, 1e-24, 1e-21, 1e-19, 1e-17, 1e-13, 1e-10, 1e9, 1e14, 1e17, 1e20, 1e30}) {
    for (const double offset : {0.0, 1e3, 1e8, 1e12, 1e14}) {
      SCOPED_TRACE(testing::Message() << unit << " m, " << offset << " of them away");
      const auto point = [&] {
        const double x = random.uniform(-5, 5) + offset;
        return Vec2(unit * x, unit * (random.uniform(-5, 5) - 0.7 * offset));
      };
      for (const bool circles : {true, false}) {
        std::vector<Obstacle> obstacles;
        for (int i = 0; i < 30; ++i) {
          const Vec2 center = point();
          const double size = unit * random.uniform(0.05, 0.5);
          if (circles) obstacles.push_back(Circle(center, size));
          else obstacles.push_back(Rectangle(center, {size, 0.3 * size}, random.uniform(-3, 3)));
        }
        const Held held(obstacles.begin(), obstacles.end());
        const World world(obstacles);
        for (int i = 0; i < scaled(300); ++i) {
          const double radius = unit * random.uniform(0, 0.3);
          Vec2 at = point();
          const NearestPoint near = nearest(obstacles[static_cast<std::size_t>(i) % 30], at);
          const double by = radius / near.distance * (1 + random.integer(-1, 1) * 1e-11);
          if (i % 2 == 0 && near.distance > 0) at = near.point + by * (at - near.point);
          ASSERT_EQ(collide(world, at, radius), touches_any(held, at, radius)) << i << " " << at.transpose();
        }
      }
    }
  }
}

// A wall of which only the middle is in the way, a needle, a disc that is larger than the world, and nothing near.
TEST(PlanarCells, TakeLongThinAndLargeOnes) {
  World world;
  for (int i = 0; i < 40; ++i) world.add(Rectangle({0.5 * i, 0}, {0.2, 1e-12}, i % 2 == 0 ? 0 : 1e-9));
  EXPECT_TRUE(collide(world, {7, 0.09}, 0.09));
  EXPECT_FALSE(collide(world, {7, 0.09 + 1e-9}, 0.09));
  EXPECT_TRUE(collide(world, {0.25, 0.09}, 0.1030));
  EXPECT_FALSE(collide(world, {0.25, 0.09}, 0.1029));
  EXPECT_TRUE(collide(world, {1e9, 1e9}, 2e9));
  EXPECT_FALSE(collide(world, {1e9, 1e9}, 1e9));
  EXPECT_FALSE(collide(world, {1e17, -1e16}, 1e5));
  const ObstacleId all = world.add(Circle({0, 0}, 1e6));
  EXPECT_TRUE(collide(world, {7e5, 7e5}, 0));
  EXPECT_FALSE(collide(world, {8e5, 8e5}, 0));
  world.replace(all, Circle({7, 1}, 0.5));
  EXPECT_TRUE(collide(world, {7, 0.46}, 0.041));
  EXPECT_FALSE(collide(world, {7, 0.46}, 0.0399));
}

// Beside all cells, another obstacle is the nearest than in the cell at the border.
TEST(PlanarCells, AnswerBesideAllCells) {
  std::vector<Obstacle> obstacles{Circle({4, 0}, 0.01), Circle({0, 7}, 0.01)};
  for (int i = 0; i < 28; ++i) obstacles.push_back(Circle({20, 0.2 * i}, 0.01));
  const World world(obstacles);
  EXPECT_TRUE(collide(world, {-6, 0}, 9.3));
  EXPECT_FALSE(collide(world, {-6, 0}, 9.2));
  EXPECT_FALSE(collide(world, {-6, 0}, 0.1));
  // All in one cell, which has no border, until there are more.
  World few(std::vector<Obstacle>(obstacles.begin() + 2, obstacles.begin() + 9));
  EXPECT_TRUE(collide(few, {1e3, 0}, 980));
  for (int i = 0; i < 4; ++i) few.add(Circle({20 - 0.01 * i, 0.5}, 0.01));
  EXPECT_FALSE(collide(few, {20.5, 0.5}, 0.48));
  EXPECT_TRUE(collide(few, {20.5, 0.5}, 0.499));
}

// Cells with the first obstacle that is turned are made anew, with more numbers.
TEST(PlanarCells, AnswerWhereMemoryIsShort) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer owns malloc";
  Plan plan(Regime::uniform, false, 19);
  int failures = 0;
  for (const int count : {6, 40, 64, 200}) {
    std::vector<Obstacle> obstacles;
    for (int i = 0; i < count; ++i) obstacles.push_back(plan.obstacle(false));
    Held held(obstacles.begin(), obstacles.end());
    held[0] = Rectangle(Vec2(9, 8), {1, 2}, 0.5);
    for (long after = 0;; ++after) {
      World world(obstacles);
      start_failing_allocations(after);
      try {
        world.replace(0, *held[0]);
      } catch (const std::bad_alloc&) {
      }
      const bool failed = stop_failing_allocations().failed;
      failures += failed ? 1 : 0;
      expect_answers(world, held, plan, 100);
      if (HasFatalFailure()) return;
      if (!failed) break;
    }
  }
  EXPECT_GT(failures, 0);
}

}  // namespace planar_cells_test
}  // namespace graze_test
