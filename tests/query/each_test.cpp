// Batches give the answers of single queries, to the bit, on any number of threads.
#include "graze/query/each.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "oracle/cases.h"
#include "support/meshes.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze_test {
namespace each_test {

using namespace graze;
using graze_oracle::Random;

std::vector<Geometry> one_of_each_class(Random& random) {
  std::vector<Vec3> points;
  for (int i = 0; i < 40; ++i) points.emplace_back(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  return {Sphere{.radius = 0.4},
          Box{.half = {0.3, 0.5, 0.2}},
          Cone{.radius = 0.3, .half_length = 0.6},
          Plane({0, 0, 1}, 0.1),
          closed(4, true, 0.2).mesh(true),
          random_soup(Look::soup, 20, random).mesh(),
          Cloud(std::span<const Vec3>(points), {.radius = 0.02})};
}

bool is_shape(const Geometry& g) { return !std::holds_alternative<Mesh>(g) && !std::holds_alternative<Cloud>(g); }

bool same(const Distance& x, const Distance& y) {
  return x.value == y.value && x.tolerance == y.tolerance && x.on_a == y.on_a && x.on_b == y.on_b &&
         x.normal == y.normal && x.a == y.a && x.b == y.b && x.beyond == y.beyond;
}

TEST(ConcurrentBatches, EqualSingleQueries) {
  Random random(21);
  const std::vector<Geometry> geometries = one_of_each_class(random);
  std::size_t hit = 0, free = 0;
  const std::size_t count = static_cast<std::size_t>(scaled(40));
  for (const Geometry& first : geometries) {
    for (const Geometry& second : geometries) {
      const Placed a = at(first, random_pose_near(random, Vec3::Zero(), 0.3));
      std::vector<Pose> poses;
      for (std::size_t i = 0; i < count; ++i) poses.push_back(random_pose_near(random, Vec3::Zero(), 2));
      // Depths of solids and clouds take milliseconds: a few are enough.
      const std::size_t deep = std::min<std::size_t>(count, is_shape(first) && is_shape(second) ? count : 1);
      for (const int threads : {1, 3}) {
        const std::unique_ptr<bool[]> hits(new bool[count]);
        std::vector<Distance> distances(count);
        std::vector<Contacts> found(deep);
        std::vector<Penetration> penetrations(deep);
        collide_each(a, second, poses, {hits.get(), count}, {.margin = 0.05, .threads = threads});
        distance_each(a, second, poses, distances, {.limit = 1, .depth = false, .threads = threads});
        contacts_each(a, second, std::span(poses).first(deep), found, {.max = 4, .margin = 0.01, .threads = threads});
        penetration_each(a, second, std::span(poses).first(deep), penetrations, {.threads = threads});
        for (std::size_t i = 0; i < count; ++i) {
          const Placed b = at(second, poses[i]);
          ASSERT_EQ(hits[i], collide(a, b, {.margin = 0.05}));
          ASSERT_TRUE(same(distances[i], distance(a, b, {.limit = 1, .depth = false})));
          ++(hits[i] ? hit : free);
          if (i >= deep) continue;
          const Contacts expected = contacts(a, b, {.max = 4, .margin = 0.01});
          ASSERT_EQ(found[i].size(), expected.size());
          for (std::size_t k = 0; k < expected.size(); ++k) ASSERT_EQ(found[i][k].point, expected[k].point);
          const Penetration p = penetration(a, b);
          ASSERT_EQ(penetrations[i].depth, p.depth);
          ASSERT_EQ(penetrations[i].overlapping, p.overlapping);
        }
      }
    }
  }
  EXPECT_GT(hit, 0U);
  EXPECT_GT(free, 0U);
}

TEST(ConcurrentBatches, OfSpheresEqualSingleQueries) {
  Random random(22);
  const std::size_t count = static_cast<std::size_t>(scaled(300));
  std::vector<double> x, y, z, radius;
  for (std::size_t i = 0; i < count; ++i) {
    x.push_back(random.uniform(-2, 2)), y.push_back(random.uniform(-2, 2)), z.push_back(random.uniform(-2, 2));
    radius.push_back(i % 5 == 0 ? 0 : random.uniform(0, 0.5));
  }
  const SpheresView spheres{x, y, z, radius};
  for (const Geometry& geometry : one_of_each_class(random)) {
    const Placed a = at(geometry, random_pose_near(random, Vec3::Zero(), 0.3));
    for (const int threads : {1, 4}) {
      const std::unique_ptr<bool[]> hits(new bool[count]);
      std::vector<Distance> distances(count);
      collide_each(a, spheres, {hits.get(), count}, {.threads = threads});
      distance_each(a, spheres, distances, {.depth = false, .threads = threads});
      for (std::size_t i = 0; i < count; ++i) {
        const Placed b = at(Sphere{.radius = radius[i]}, Pose::at(spheres.center(i)));
        ASSERT_EQ(hits[i], collide(a, b));
        ASSERT_TRUE(same(distances[i], distance(a, b, {.depth = false})));
      }
    }
  }
}

TEST(Batches, RejectInvalidInput) {
  const Placed box = at(Box{.half = {1, 1, 1}});
  const std::vector<Pose> poses(3);
  bool hits[2];
  EXPECT_EQ(refusal([&] { collide_each(box, Sphere{.radius = 1}, poses, hits); }),
            "hits: needs room for one answer each: 3, got 2");
  const std::vector<double> two{0, 0}, one{0}, bad{1, -1}, none{0, std::nan("")};
  EXPECT_EQ(refusal([&] {
              collide_each(box, SpheresView{two, one, two, two}, hits);
            }),
            "spheres: have arrays of different lengths: x 2, y 1, z 2, radius 2");
  const std::string negative = refusal([&] {
    collide_each(box, SpheresView{two, two, two, bad}, hits, {.threads = 1});
  });
  EXPECT_TRUE(negative.starts_with("spheres[1]: ")) << negative;
  const std::string nan = refusal([&] { collide_each(box, SpheresView{two, two, none, two}, hits); });
  EXPECT_TRUE(nan.starts_with("spheres[1]: ")) << nan;
  EXPECT_NO_THROW(collide_each(box, Sphere{.radius = 1}, {}, {}));
}

TEST(Batches, RejectBuffersThatAreTooSmallForAnyQuestion) {
  const Placed box = at(Box{.half = {1, 1, 1}});
  const Sphere ball{.radius = 1};
  const std::vector<Pose> poses(3);
  const std::vector<double> three(3, 0.5);
  const SpheresView spheres{three, three, three, three};
  const auto expect = [](const char* name, const std::string& message) {
    EXPECT_EQ(message, std::string(name) + ": needs room for one answer each: 3, got 2");
  };
  bool hits[2];
  Distance distances[2];
  Contacts found[2];
  Penetration penetrations[2];
  expect("hits", refusal([&] { collide_each(box, ball, poses, hits); }));
  expect("distances", refusal([&] { distance_each(box, ball, poses, distances); }));
  expect("contacts", refusal([&] { contacts_each(box, ball, poses, found); }));
  expect("penetrations", refusal([&] { penetration_each(box, ball, poses, penetrations); }));
  expect("hits", refusal([&] { collide_each(box, spheres, hits); }));
  expect("distances", refusal([&] { distance_each(box, spheres, distances); }));
}

// `penetration` of an overlap equals `distance`, including its tolerance.
TEST(Penetration, IsTheDistanceOfAnOverlap) {
  Random random(22);
  const std::vector<Geometry> geometries = one_of_each_class(random);
  for (const Geometry& first : geometries) {
    for (const Geometry& second : geometries) {
      if (!is_shape(first) && !is_shape(second)) continue;  // milliseconds each, and the same code
      const Placed a = at(first, random_pose_near(random, Vec3::Zero(), 0.3));
      const Placed b = at(second, random_pose_near(random, Vec3::Zero(), 0.5));
      const Distance d = distance(a, b);
      const Penetration p = penetration(a, b);
      EXPECT_EQ(p.overlapping, d.value - d.tolerance <= 0);
      if (!p.overlapping) continue;
      EXPECT_EQ(p.depth, std::max(0.0, -d.value));
      EXPECT_EQ(p.tolerance, d.tolerance);
      EXPECT_EQ(p.direction, d.normal);
      EXPECT_EQ(p.on_a, d.on_a);
      EXPECT_EQ(p.on_b, d.on_b);
    }
  }
}

}  // namespace each_test
}  // namespace graze_test
