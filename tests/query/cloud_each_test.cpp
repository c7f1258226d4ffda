// Batches of spheres against a cloud, which the grid and the tree answer many at a time: the same as one by one, even
// where a sphere touches a point to the last bit.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "graze/query/collide.h"
#include "graze/query/distance.h"
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

std::array<std::uint64_t, 14> bits_of(const Distance& d) {
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  return {bits(d.value),
          bits(d.tolerance),
          bits(d.on_a.x()),
          bits(d.on_a.y()),
          bits(d.on_a.z()),
          bits(d.on_b.x()),
          bits(d.on_b.y()),
          bits(d.on_b.z()),
          d.a,
          d.b,
          bits(d.normal.x()),
          bits(d.normal.y()),
          bits(d.normal.z()),
          d.beyond ? 1U : 0U};
}

TEST(CloudBatches, MeasureAsOneByOne) {
  Generator dice(32);
  int apart = 0, overlapping = 0, beyond = 0;
  for (const NamedCloud& named : all_clouds(600)) {
    SCOPED_TRACE(named.name);
    const double size = named.size;
    std::vector<Vec3> doubles;
    for (const Point& p : named.points) doubles.emplace_back(p[0] + 1e-12 * size, p[1], p[2]);
    for (const Cloud& cloud : {Cloud(floats(named.points), {.radius = 0.01 * size}), Cloud(doubles)}) {
      for (const Pose& pose : {Pose(), Pose::from_rpy({0.3, -0.2, 0.1}, 0.4, 0.7, -1.1)}) {
        Placed scan = at(cloud, pose);
        scan.uncertainty = dice.integer(0, 1) * 1e-3 * size;
        const Geometry bodies[] = {Sphere{.radius = 0}, Sphere{.radius = 0.05 * size},
                                   Capsule{.radius = 0.03 * size, .half_length = 0.06 * size},
                                   Box{.half = Vec3(Vec3(0.02, 0.05, 0.03) * size)}};
        for (const Geometry& body : bodies) {
          const bool turns = !std::holds_alternative<Sphere>(body);
          // Whole groups and what is left of them; the far ones leave the range of float32.
          std::vector<Pose> poses;
          for (int i = 0; i < scaled(turns ? 20 : 45); ++i) {
            Point p{};
            if (!named.points.empty()) {
              const auto last = static_cast<int>(named.points.size()) - 1;
              const Point& some = named.points[static_cast<std::size_t>(dice.integer(0, last))];
              if (std::isfinite(some[0] + some[1] + some[2])) p = some;
            }
            const Vec3 away(dice.uniform(-1, 1), dice.uniform(-1, 1), dice.uniform(-1, 1));
            const double scale = i % 19 == 18 ? 1e20 : size * (i % 4 == 0 ? 0 : dice.uniform(0, 0.3));
            const Vec3 place = pose * (Vec3(p[0], p[1], p[2]) + scale * away);
            const Vec3 angles = turns && i % 3 != 0 ? Vec3(3 * away) : Vec3(Vec3::Zero());
            poses.push_back(Pose::from_rpy(place, angles.x(), angles.y(), angles.z()));
          }
          for (const double limit :
               {kInfinity, 0.1 * size, 0.0, -0.01 * size, std::numeric_limits<double>::quiet_NaN()}) {
            for (const bool depth : {false, true}) {
              if (depth && (named.points.size() > 2000 || (turns && limit != 0.1 * size))) continue;
              std::vector<Distance> found(poses.size());
              const int threads = dice.integer(1, 3);
              distance_each(scan, body, poses, found, {.limit = limit, .depth = depth, .threads = threads});
              for (std::size_t i = 0; i < poses.size(); ++i) {
                const Placed moved = at(body, poses[i]);
                ASSERT_EQ(bits_of(found[i]), bits_of(distance(scan, moved, {.limit = limit, .depth = depth})))
                    << i << " within " << limit << ", depth " << depth;
                (found[i].beyond ? beyond : found[i].value > 0 ? apart : overlapping) += 1;
              }
            }
          }
        }
      }
    }
  }
  EXPECT_GT(apart, 1000);
  EXPECT_GT(overlapping, 1000);
  EXPECT_GT(beyond, 1000);
}

}  // namespace cloud_each_test
}  // namespace graze_test
