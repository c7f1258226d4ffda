// Clouds that break trees and grids: built and asked in bounded time, memory and stack; and many readers at once.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <time.h>

#include <atomic>
#include <thread>
#include <vector>

#include "graze/index/point_grid.h"
#include "points_oracle.h"
#include "support/scale.h"

namespace graze_test {
namespace {

using namespace graze;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Cost {
  double build, query;
  std::size_t bytes;
};

// Seconds to build and per query, the best of some rounds.
Cost cost_of(const NamedCloud& cloud) {
  Cost best{1e9, 1e9, 0};
  PointGrid grid;
  for (int round = 0; round < 3; ++round) {
    const double begin = cpu_seconds();
    grid.rebuild(floats(cloud.points));
    best.build = std::min(best.build, cpu_seconds() - begin);
  }
  best.bytes = grid.memory_bytes();
  for (int round = 0; round < 3; ++round) {
    Generator random(3);
    std::vector<Query> queries;
    for (int i = 0; i < 500; ++i) {
      const Point& p = cloud.points[random.bits() % cloud.points.size()];
      const double scale = cloud.size * random.uniform(0.01, 0.1);
      queries.push_back({Vec3(p[0], p[1], p[2]) + scale * random.direction(), scale * random.uniform(0.3, 1.2)});
    }
    const double begin = cpu_seconds();
    int hits = 0;
    for (const Query& q : queries) hits += grid.collides(q.center, q.radius) ? 1 : 0;
    best.query = std::min(best.query, (cpu_seconds() - begin) / 500);
    EXPECT_GT(hits, 0);
  }
  return best;
}

TEST(PointGridAdversarial, CostsLittleMoreThanAUniformCloud) {
  const auto count = static_cast<std::size_t>(scaled(200000));
  const Cost usual = cost_of({"uniform", uniform_points(count, 1, 1), 2});
  std::vector<NamedCloud> clouds{{"identical", Points(count, Point{1, 2, 3}), 1},
                                 {"along x", on_line(count, {-1, 0, 0}, {1, 0, 0}, 2), 2},
                                 {"along a diagonal", on_line(count, {-1, -1, -1}, {1, 1, 1}, 3), 2},
                                 {"sphere", on_sphere(count, 1, 4), 2},
                                 {"a millimetre among kilometres", clusters(count, 1000, 1e6, 5), 1e6},
                                 {"one cluster and far points", clusters(count, 2, 1e6, 6), 1e-3}};
  for (const NamedCloud& cloud : clouds) {
    const Cost cost = cost_of(cloud);
    EXPECT_LE(cost.build, 5 * usual.build) << cloud.name;
    EXPECT_LE(cost.query, 20 * usual.query) << cloud.name;
    EXPECT_LE(cost.bytes, 64 * count) << cloud.name;
  }
}

TEST(PointGridAdversarial, NeedsLittleStack) {
  // Points that cluster around the origin at ever smaller scales nest grids as deeply as floats allow.
  Points points;
  Generator random(9);
  for (int exponent = 30; exponent > -100; exponent -= 2) {
    for (int i = 0; i < 700; ++i) points.push_back(to_point(random.in_cube(std::ldexp(1.0, exponent))));
  }
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
  ASSERT_EQ(pthread_create(&thread, &attributes, body, &points), 0);
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

}  // namespace
}  // namespace graze_test
