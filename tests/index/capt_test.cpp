// Capt against loops over all points: radii in and out of its range, every instruction set.
#include "graze/index/capt.h"

#include <gtest/gtest.h>

#include <vector>

#include "graze/base/simd.h"
#include "points_oracle.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze_test {
namespace capt_test {

using namespace graze;

void expect_answers(const Capt& tree, const NamedCloud& cloud, double point_radius, int count) {
  std::vector<double> x, y, z, r;
  std::vector<bool> expected;
  Generator random(31);
  for (int i = 0; i < count; ++i) {
    const Query q = random_query(cloud, random);
    x.push_back(q.center.x());
    y.push_back(q.center.y());
    z.push_back(q.center.z());
    r.push_back(i % 50 == 49 ? std::nan("") : q.radius);
    expected.push_back(collides_by_loop(cloud.points, point_radius, q.center, r.back()));
  }
  const SpheresView all{x, y, z, r};
  for (const std::string_view target : simd_targets()) {
    const ForcedSimdTarget forced(target);
    std::vector<std::uint64_t> mask((r.size() + 63) / 64);
    tree.collides_each(all, mask);
    for (std::size_t i = 0; i < r.size(); ++i) {
      ASSERT_EQ(tree.collides(all.center(i), r[i]), expected[i])
          << cloud.name << ", sphere at " << all.center(i).transpose() << " radius " << r[i] << " on " << target;
      ASSERT_EQ((mask[i / 64] >> i % 64 & 1U) != 0, expected[i]) << cloud.name << ", sphere " << i << " of a batch";
    }
    for (std::size_t first = 0; first + 11 <= r.size(); first += 11) {
      const auto part = [&](const std::vector<double>& v) { return std::span(v).subspan(first, 11); };
      bool any = false;
      for (std::size_t i = first; i < first + 11; ++i) any = any || expected[i];
      ASSERT_EQ(tree.any_collides({part(x), part(y), part(z), part(r)}), any) << cloud.name;
    }
  }
}

TEST(Capt, AgreesWithTheLoopOnEveryKindOfCloud) {
  for (const std::size_t count : {40UL, 300UL}) {
    for (const NamedCloud& cloud : all_clouds(count)) {
      for (const double point_radius : {0.0, cloud.size * 0.003}) {
        const Capt tree(
            floats(cloud.points),
            {.point_radius = point_radius, .min_radius = cloud.size * 0.003, .max_radius = cloud.size * 0.04});
        if (count == 40) {
          ASSERT_EQ(tree.validate(), "") << cloud.name;
        }
        expect_answers(tree, cloud, point_radius, scaled(250));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Capt, LosesNoHitOfADepthFrame) {
  const NamedCloud cloud{"depth frame", depth_frame(table_and_shelf(true), 96, 72), 4};
  const Capt tree(floats(cloud.points), {.point_radius = 0.01, .min_radius = 0.012, .max_radius = 0.08});
  ASSERT_EQ(tree.validate(), "");
  Generator random(2);
  int hits = 0;
  for (int i = 0; i < scaled(5000); ++i) {
    const Point& p = cloud.points[random.bits() % cloud.points.size()];
    if (!finite(p)) continue;
    const Vec3 c = Vec3(p[0], p[1], p[2]) + random.uniform(0, 0.12) * random.direction();
    const double r = random.uniform(0.012, 0.08);
    const bool hit = collides_by_loop(cloud.points, 0.01, c, r);
    ASSERT_EQ(tree.collides(c, r), hit) << c.transpose() << " radius " << r;
    hits += hit ? 1 : 0;
  }
  EXPECT_GT(hits, 500);
}

TEST(Capt, CountsWhatItStores) {
  const Points points = with_gaps(uniform_points(100, 1, 1), 4);
  const Capt tree(floats(points), {.max_radius = 0.2});
  EXPECT_EQ(tree.size(), 75u);
  EXPECT_EQ(tree.skipped(), 25u);
  EXPECT_GE(tree.afforded(), 75u);
  EXPECT_GT(tree.memory_bytes(), 75u * 12);
}

TEST(Capt, RejectsBadRadii) {
  const Points points = uniform_points(10, 1, 1);
  for (const double bad : {std::nan(""), -1.0, kInfinity}) {
    EXPECT_NE(refusal([&] { Capt(floats(points), {.point_radius = bad}); }), "");
    EXPECT_NE(refusal([&] { Capt(floats(points), {.min_radius = bad}); }), "");
    EXPECT_NE(refusal([&] { Capt(floats(points), {.max_radius = bad}); }), "");
  }
  EXPECT_NE(refusal([&] { Capt(floats(points), {.min_radius = 0.2, .max_radius = 0.1}); }), "");
}

}  // namespace capt_test
}  // namespace graze_test
