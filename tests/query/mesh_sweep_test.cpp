// The walk of two meshes that move: beside sweeps of all pairs of triangles, also when it is cut off on the way.
#include "query/mesh_sweep.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "graze/query/sweep.h"
#include "support/generator.h"
#include "support/meshes.h"
#include "support/scale.h"

namespace graze_test {
namespace mesh_sweep_test {

using namespace graze;

Mesh bumpy(Generator& random, int detail) {
  Soup soup = closed(detail, true);
  for (Vec3& v : soup.vertices) v *= random.uniform(0.9, 1.1);
  return {soup.vertices, soup.triangles};
}

Triangle triangle(const Mesh& mesh, std::size_t k) {
  const MeshTriangle& t = mesh.triangles()[k];
  return {mesh.vertices()[t[0]], mesh.vertices()[t[1]], mesh.vertices()[t[2]]};
}

// Two meshes in motion as one stretch, which ends at `cut` as soon as the first triangles were visited.
struct Walk {
  const Mesh &a, &b;
  Motion move_a, move_b;
  double cut;
  Vec3 toward = Vec3::UnitX();
  std::set<std::pair<std::uint32_t, std::uint32_t>> visited{};
  int shortened = 0;

  Relative start() const { return {move_a.from(), move_b.from()}; }
  walk::SweptEnd end(double t) const {
    const Pose back = move_a.from().inverse(), at_a = back * move_a.at(t), at_b = back * move_b.at(t);
    return {at_a.rotation(), at_b.rotation(), at_a.translation(), at_b.translation()};
  }
  double sag(double t) const {
    constexpr double kRadius = 1.2;
    const double spin_a = move_a.piece(0).spin, spin_b = move_b.piece(0).spin;
    return kRadius * (spin_a * spin_a + spin_b * spin_b) * t * t / 8;
  }
  double run() {
    const walk::SweptMeshes pair(data_of(a), data_of(b), start(), end(1), 1e-9, sag(1));
    return walk::visit(pair, 1,
                       {.self = this,
                        .call =
                            [](void* self, std::uint32_t i, std::uint32_t j, double) {
                              Walk& x = *static_cast<Walk*>(self);
                              x.visited.emplace(i, j);
                              return x.cut;
                            },
                        .toward = [](void* self) -> const Vec3& { return static_cast<Walk*>(self)->toward; },
                        .until =
                            [](void* self, double part) {
                              Walk& x = *static_cast<Walk*>(self);
                              ++x.shortened;
                              return walk::SweptMoves(data_of(x.a), data_of(x.b), x.start(), x.end(part), x.sag(part));
                            }});
  }
};

TEST(MeshSweep, VisitsAllTrianglesThatTouchUntilItIsCutOff) {
  Generator random(31);
  int touching = 0, left_out = 0, shortened = 0;
  for (int i = 0, n = scaled(60); i < n; ++i) {
    const Mesh first = bumpy(random, 2), second = bumpy(random, 2);
    const auto motion = [&](const Vec3& p) {
      const Pose from = Pose::from_wxyz(p, random.uniform(0.1, 1), random.uniform(-1, 1), random.uniform(-1, 1),
                                        random.uniform(-1, 1));
      // Every fourth one only moves: its paths are lines.
      const double angle = i % 4 == 3 ? 0 : random.uniform(0.3, 2);
      return Motion::turning(from, 0.3 * random.direction(), random.direction(), angle);
    };
    Walk walk{first, second, motion(Vec3::Zero()), motion(random.uniform(1.9, 2.2) * random.direction()),
              random.uniform(0.05, 1)};
    walk.toward = unit_vector(random.direction());
    EXPECT_EQ(walk.run(), 1);
    shortened += walk.shortened;
    for (std::uint32_t j = 0; j < first.size(); ++j) {
      for (std::uint32_t k = 0; k < second.size(); ++k) {
        const Sweep pair =
            sweep(at(triangle(first, j), walk.move_a), at(triangle(second, k), walk.move_b), {.tolerance = 1e-9});
        if (pair.hit && pair.time < (walk.shortened > 0 ? walk.cut : 1)) {
          ++touching;
          EXPECT_EQ(walk.visited.count({j, k}), 1U) << i << ": " << j << " and " << k << " at " << pair.time;
        } else {
          left_out += walk.visited.count({j, k}) == 0 ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(touching, scaled(100));
  EXPECT_GT(left_out, scaled(10000));
  EXPECT_GT(shortened, scaled(20));
}

}  // namespace mesh_sweep_test
}  // namespace graze_test
