// Batches of spheres against a cloud, which the grid answers many at a time: the same as one by one, even where a
// sphere touches a point to the last bit.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "graze/query/collide.h"
#include "graze/query/each.h"
#include "support/clouds.h"
#include "support/scale.h"

namespace graze_test {
namespace cloud_each_test {

using namespace graze;

TEST(CloudBatches, OfSpheresEqualSingleQueries) {
  Generator dice(31);
  int seen[2] = {};
  for (const NamedCloud& named : all_clouds(800)) {
    SCOPED_TRACE(named.name);
    const double size = named.size;
    if (!(size > 1e-9 && size < 1e9)) continue;
    const Cloud cloud(floats(named.points), {.radius = 0.01 * size});
    const Pose turned = Pose::from_rpy({0.3, -0.2, 0.1}, 0.4, 0.7, -1.1);
    for (const Pose& pose : {Pose(), turned}) {
      Placed scan = at(cloud, pose);
      for (const double uncertainty : {0.0, 1e-3 * size}) {
        scan.uncertainty = uncertainty;
        for (const double margin : {0.0, 0.02 * size, -0.001 * size}) {
          const Sphere sphere{.radius = 0.05 * size};
          std::vector<Pose> poses;
          for (int i = 0; i < scaled(150); ++i) {
            Point p{};
            if (!named.points.empty()) {
              const auto last = static_cast<int>(named.points.size()) - 1;
              const Point& some = named.points[static_cast<std::size_t>(dice.integer(0, last))];
              if (std::isfinite(some[0] + some[1] + some[2])) p = some;
            }
            // Beside a point, sometimes at exactly or almost the sum of radii and margin.
            const double reach = sphere.radius + cloud.radius() + std::max(margin, 0.0) + uncertainty;
            const double away = i % 3 == 0   ? reach * (1 + dice.integer(-3, 3) * 1e-16)
                                : i % 3 == 1 ? reach * dice.uniform(0.5, 2)
                                             : size * dice.uniform(0, 3);
            Vec3 direction =
                i % 2 == 0 ? Vec3(dice.uniform(-1, 1), dice.uniform(-1, 1), dice.uniform(-1, 1)) : Vec3(0, 0, 1);
            direction /= std::max(direction.norm(), 1e-3);
            poses.push_back(Pose::at(pose * (Vec3(p[0], p[1], p[2]) + away * direction)));
          }
          for (const int threads : {1, 3}) {
            const std::unique_ptr<bool[]> hits(new bool[poses.size()]);
            collide_each(scan, sphere, poses, {hits.get(), poses.size()}, {.margin = margin, .threads = threads});
            for (std::size_t i = 0; i < poses.size(); ++i) {
              ASSERT_EQ(hits[i], collide(scan, at(sphere, poses[i]), {.margin = margin})) << i;
              ++seen[hits[i] ? 1 : 0];
            }
          }
        }
      }
    }
  }
  EXPECT_GT(seen[0], 1000);
  EXPECT_GT(seen[1], 1000);
}

}  // namespace cloud_each_test
}  // namespace graze_test
