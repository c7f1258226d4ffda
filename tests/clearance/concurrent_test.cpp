#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "graze/base/parallel.h"
#include "graze/base/simd.h"
#include "graze/clearance/clearance.h"
#include "graze/clearance/paper.h"

namespace graze::clearance {
namespace concurrent_test {

// A rod of points on a bend past scattered scan points.
struct Scene {
  std::vector<Vec3> scan, rod;
  std::vector<Pose> path;
};

Scene make_scene() {
  Scene scene;
  std::mt19937 engine(4);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 6000; ++i) scene.scan.emplace_back(6 * unit(engine), 2 * unit(engine) - 1, unit(engine) - 0.5);
  for (int i = 0; i < 200; ++i) scene.rod.emplace_back(0.005 * i, 0.01 * unit(engine), 0);
  for (int i = 0; i < 60; ++i) scene.path.push_back(Pose::from_rpy({0.08 * i, 0.001 * i * i, 0}, 0, 0, 0.01 * i));
  return scene;
}

std::vector<PointClearance> measured(const Scene& scene, int threads) {
  const Cloud cloud{PointView(std::span<const Vec3>(scene.rod))};
  const SweptClearance swept(Model(cloud), scene.path, {.limit = 0.2, .threads = threads});
  std::vector<PointClearance> results(scene.scan.size());
  swept.measure(scene.scan, results);
  return results;
}

TEST(ConcurrentClearance, DoesNotDependOnThreads) {
  const Scene scene = make_scene();
  const auto one = measured(scene, 1);
  for (const int threads : {2, 3, 8}) EXPECT_EQ(measured(scene, threads), one);
  const PaperClearance paper(scene.rod, scene.path, {.radius = 0.1, .threads = 1}),
      more(scene.rod, scene.path, {.radius = 0.1, .threads = 4});
  const auto hits = paper.colliding(PaperMethod::kd_cd, scene.scan);
  EXPECT_EQ(more.colliding(PaperMethod::kd_cd, scene.scan), hits);
  EXPECT_EQ(more.depth(PaperMethod::kd_pd, scene.scan, hits), paper.depth(PaperMethod::kd_pd, scene.scan, hits));
}

TEST(ConcurrentClearance, OneObjectServesManyThreadsAtOnce) {
  const Scene scene = make_scene();
  const auto one = measured(scene, 1);
  const Cloud cloud{PointView(std::span<const Vec3>(scene.rod))};
  const SweptClearance swept(Model(cloud), scene.path, {.limit = 0.2, .threads = 1});
  std::vector<std::vector<PointClearance>> results(4, std::vector<PointClearance>(scene.scan.size()));
  parallel_for(results.size(), [&](std::size_t i) { swept.measure(scene.scan, results[i]); },
               {.threads = 4, .grain = 1});
  for (const auto& r : results) EXPECT_EQ(r, one);
}

TEST(SweptClearance, IsTheSameOnEveryInstructionSet) {
  const Scene scene = make_scene();
  const auto best = measured(scene, 1);
  const PaperClearance paper(scene.rod, scene.path, {.radius = 0.1, .threads = 1});
  const auto hits = paper.colliding(PaperMethod::kd_cd_simple, scene.scan);
  for (const auto target : simd_targets()) {
    const ForcedSimdTarget forced(target);
    EXPECT_EQ(measured(scene, 1), best) << target;
    EXPECT_EQ(paper.colliding(PaperMethod::kd_cd_simple, scene.scan), hits) << target;
  }
}

}  // namespace concurrent_test
}  // namespace graze::clearance
