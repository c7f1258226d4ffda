// Clouds that are hard for trees and grids: built and queried with bounded work, memory and stack; and many readers at
// once.
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <span>
#include <thread>
#include <vector>

#include "graze/index/point_grid.h"
#include "index/grid.h"
#include "points_oracle.h"
#include "support/scale.h"

namespace graze_test {
namespace adversarial_test {

using namespace graze;

// The cost of building and querying a grid, counted rather than timed; bench_points times the same clouds.
struct Work {
  std::size_t points = 0, blocks = 0;  // visited by a build, once for every grid they are in
  std::size_t longest = 0;             // run of points that a query tests one by one
  int depth = 0;                       // of grids within grids
};

// Points of a grid and of the grids nested in it, each added to `work`.
std::size_t add_work(const point_grid::Grid& grid, int depth, Work& work) {
  std::size_t points = 0;
  for (const point_grid::Block& block : std::span(grid.near.data(), grid.near.size())) {
    if (block.child != point_grid::kNone) continue;
    points += block.end - block.begin;
    if (block.starts == point_grid::kNone) {
      work.longest = std::max<std::size_t>(work.longest, block.end - block.begin);
      continue;
    }
    for (int i = 0; i < std::popcount(block.occupied); ++i) {
      const std::uint32_t* start = grid.starts.data() + block.starts + i;
      work.longest = std::max<std::size_t>(work.longest, start[1] - start[0]);
    }
  }
  for (const point_grid::Grid& child : grid.children) points += add_work(child, depth + 1, work);
  work.points += std::max(points, grid.slots.size());
  work.blocks += grid.block_count();
  work.depth = std::max(work.depth, depth);
  return points;
}

TEST(PointGridAdversarial, TakesLittleMoreWorkThanAUniformCloud) {
  const auto count = static_cast<std::size_t>(std::max(scaled(1000000), 100000));
  for (const NamedCloud& cloud : adversarial_clouds(count)) {
    SCOPED_TRACE(cloud.name);
    point_grid::Grid grid;
    point_grid::build(grid, floats(cloud.points));
    Work work;
    add_work(grid, 0, work);
    EXPECT_LE(work.points, 4 * count);
    EXPECT_LE(work.blocks, 2 * count);
    EXPECT_LE(grid.memory_bytes(), 64 * count);
    EXPECT_LE(work.longest, 512U);
    EXPECT_LE(work.depth, 4);
  }
}

TEST(PointGridAdversarial, NeedsLittleStack) {
  const Points points = at_all_scales(45500, 9);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  pthread_t thread{};
  const auto body = [](void* argument) -> void* {
    const Points& all = *static_cast<const Points*>(argument);
    const PointGrid grid{floats(all)};
    Generator around(10);
    for (int i = 0; i < 300; ++i) {
      const double scale = std::ldexp(1.0, around.integer(-100, 30));
      const Vec3 c = around.in_cube(scale);
      const double r = scale * around.uniform(0, 1);
      EXPECT_EQ(grid.collides(c, r), collides_by_loop(all, 0, c, r));
      EXPECT_EQ(grid.nearest(c), nearest_by_loop(all, 0, c));
    }
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, body, const_cast<Points*>(&points)), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST(ConcurrentPointGrid, AnswersManyThreadsAtOnce) {
  const NamedCloud cloud = all_clouds(3000)[1];
  const PointGrid grid{floats(cloud.points)};
  std::vector<Query> queries;
  std::vector<bool> expected;
  Generator random(4);
  for (int i = 0; i < scaled(300); ++i) {
    queries.push_back(random_query(cloud, random));
    expected.push_back(collides_by_loop(cloud.points, 0, queries.back().center, queries.back().radius));
  }
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < queries.size(); ++i) {
        if (grid.collides(queries[i].center, queries[i].radius) != expected[i]) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace adversarial_test
}  // namespace graze_test
