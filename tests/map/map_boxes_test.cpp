#include "graze/map/map_boxes.h"

#include <gtest/gtest.h>

#include <vector>

#include "graze/geometry/map_view.h"
#include "graze/geometry/occupancy_map_builder.h"
#include "graze/query/collide.h"
#include "support/allocations.h"
#include "support/generator.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze {
namespace map_boxes_test {

using graze_test::Generator;
using graze_test::refusal;
using graze_test::scaled;

OccupancyMap random_map(Generator& random) {
  OccupancyMapBuilder builder(0.1);
  for (int x = -8; x < 8; ++x) {
    for (int y = -8; y < 8; ++y) {
      for (int z = -8; z < 8; ++z) {
        const int kind = random.integer(0, 40);
        if (kind < 4) builder.add({{4 * x, 4 * y, 4 * z}, kind == 0 ? 2 : 0, log_odds_of(0.3 + 0.2 * kind)});
      }
    }
  }
  return std::move(builder).finish();
}

Placed random_body(Generator& random) {
  const Pose pose = random.pose(4);
  switch (random.integer(0, 3)) {
    case 0:
      return at(Sphere{.radius = random.uniform(0, 0.6)}, pose);
    case 1:
      return at(Capsule{.radius = random.uniform(0, 0.2), .half_length = random.uniform(0, 0.8)}, pose);
    case 2:
      return at(HalfSpace(random.direction(), random.uniform(-5, 5)));
    default:
      return at(Box{.half = {random.uniform(0, 0.5), random.uniform(0, 0.5), random.uniform(0, 0.5)}}, pose);
  }
}

TEST(MapBoxes, AnswersAreThoseOfTheOctree) {
  for (int seed = 0; seed < scaled(20); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Generator random(static_cast<std::uint64_t>(seed));
    const OccupancyMap map = random_map(random);
    const double threshold = random.integer(0, 1) ? 0.5 : 0.8;
    const MapView view(map, UnknownSpace::free, threshold);
    MapBoxes tree(map, {.threshold = threshold}), morton(map, {.threshold = threshold, .kind = MapBoxesKind::morton});
    EXPECT_EQ(tree.size(), occupied_boxes(map, threshold).size());
    EXPECT_EQ(tree.tree().kind(), BroadPhaseKind::aabb_tree);
    EXPECT_EQ(morton.tree().kind(), BroadPhaseKind::morton_tree);
    EXPECT_EQ(tree.improve(1000, map.bounds()), 0U);
    for (int i = 0; i < 40; ++i) {
      const Placed body = random_body(random);
      const double margin = random.integer(0, 1) ? 0 : random.uniform(0, 0.5), limit = random.uniform(0, 3);
      for (MapBoxes* boxes : {&tree, &morton}) {
        EXPECT_EQ(boxes->collide(body, margin), collide(at(view), body, {.margin = margin}));
        const Distance expected = distance(at(view), body), got = boxes->distance(body);
        ASSERT_EQ(got.beyond, expected.beyond);
        if (got.beyond) continue;
        if (expected.value > expected.tolerance) {
          EXPECT_NEAR(got.value, expected.value, 1e-9 + got.tolerance + expected.tolerance);
          EXPECT_NEAR((got.on_b - got.on_a).norm(), got.value, 1e-9);
          EXPECT_TRUE(boxes->box(static_cast<BoxId>(got.a)).grown(1e-9).contains(got.on_a));
        } else {
          EXPECT_EQ(got.value, 0);
          EXPECT_EQ(got.tolerance, kInfinity);
        }
        const Distance near = boxes->distance(body, limit);
        EXPECT_EQ(near.beyond, got.value > limit);
        EXPECT_EQ(graze_test::allocations_of([&] { (void)boxes->distance(body), (void)boxes->collide(body); }), 0);
      }
      if (i % 10 == 0) morton.improve(200, bounds(body.geometry, body.pose));
    }
    EXPECT_EQ(morton.tree().validate(), "");
  }
}

TEST(MapBoxes, EmptyMapsAndBadThresholds) {
  const MapBoxes none((OccupancyMap()));
  EXPECT_EQ(none.size(), 0U);
  EXPECT_FALSE(none.collide(at(Sphere{.radius = 1})));
  EXPECT_TRUE(none.distance(at(Sphere{.radius = 1})).beyond);
  EXPECT_NE(refusal([] { occupied_boxes(OccupancyMap(), 1.5); }), "");
  EXPECT_NE(refusal([] { MapBoxes(OccupancyMap(), {.threshold = -1}); }), "");
}

}  // namespace map_boxes_test
}  // namespace graze
