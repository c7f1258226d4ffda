// Queries on an index do not allocate.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "graze/base/simd.h"
#include "graze/index/capt.h"
#include "graze/index/kd_tree.h"
#include "graze/index/point_grid.h"
#include "points_oracle.h"
#include "support/allocations.h"
#include "support/generator.h"
#include "support/scale.h"

namespace graze_test {
namespace allocation_test {

using namespace graze;

TEST(IndexAllocation, IsCountedHere) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer owns malloc";
  const Points points = uniform_points(1000, 1, 1);
  EXPECT_GT(allocations_of([&] { KdTree tree((PointView(floats(points)))); }), 0);
  EXPECT_GT(allocations_of([&] { PointGrid grid{floats(points)}; }), 0);
}

TEST(IndexAllocation, NoSearchOfAKdTreeAllocates) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer owns malloc";
  Generator random(21);
  std::vector<Neighbor> buffer(50);
  const int rounds = scaled(20);
  for (const NamedCloud& cloud : all_clouds(3000)) {
    const KdTree tree((PointView(floats(cloud.points))));
    for (int i = 0; i < rounds; ++i) {
      const Vec3 a = random.in_cube(cloud.size), b = random.in_cube(cloud.size);
      const double r = cloud.size * random.magnitude(-3, 0);
      const Pose pose = random.pose(cloud.size);
      const region::Side side{a + Vec3(cloud.size, cloud.size, 2 * cloud.size), r};
      const long count = allocations_of([&] {
        const std::array<SearchVolume, 8> volumes{region::Ball(a, r),
                                                  region::Line(a, b - a, r),
                                                  region::Ray(a, b - a, r),
                                                  region::Segment(a, b, r),
                                                  region::Cylinder(a, b, r),
                                                  region::Box(a.cwiseMin(b), a.cwiseMax(b)),
                                                  region::OrientedBox(Vec3(r, r, r), pose),
                                                  region::Polytope({&side, 1}, a)};
        for (const SearchVolume& volume : volumes) {
          for (const bool to_axis : {false, true}) {
            if (to_axis && !has_axis(volume)) continue;
            const PointSearch search = tree.search(volume, {.to_axis = to_axis});
            (void)search.any();
            (void)search.count();
            (void)search.nearest();
            (void)search.nearest(buffer);
            (void)search.all(buffer);
            (void)search.visit([](const Neighbor&) {});
          }
        }
      });
      ASSERT_EQ(count, 0) << cloud.name;
    }
  }
}

template <class Index>
void ask_spheres(const Index& index, const SpheresView& spheres, std::span<std::uint64_t> mask) {
  for (std::size_t i = 0; i < spheres.size(); ++i) (void)index.collides(spheres.center(i), spheres.radius[i]);
  (void)index.any_collides(spheres);
  index.collides_each(spheres, mask);
}

TEST(IndexAllocation, NoSphereAllocates) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer owns malloc";
  Generator random(22);
  constexpr std::size_t kCount = 300;
  for (const NamedCloud& cloud : all_clouds(800)) {
    std::vector<double> x(kCount), y(kCount), z(kCount), radius(kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
      const Vec3 p = random.in_cube(2 * cloud.size);
      x[i] = p.x();
      y[i] = p.y();
      z[i] = p.z();
      radius[i] = cloud.size * random.magnitude(-3, 0);
    }
    x[7] = std::nan("");
    radius[9] = kInfinity;
    const SpheresView spheres{x, y, z, radius};
    std::array<std::uint64_t, (kCount + 63) / 64> mask;
    const PointGrid grid{floats(cloud.points)};
    EXPECT_EQ(allocations_of([&] {
                ask_spheres(grid, spheres, mask);
                for (std::size_t i = 0; i < kCount; ++i) (void)grid.nearest(spheres.center(i));
              }),
              0)
        << cloud.name;
    const Capt capt(floats(cloud.points), {.min_radius = 0.001 * cloud.size, .max_radius = 0.02 * cloud.size});
    EXPECT_EQ(allocations_of([&] { ask_spheres(capt, spheres, mask); }), 0) << cloud.name;
  }
}

}  // namespace allocation_test
}  // namespace graze_test
