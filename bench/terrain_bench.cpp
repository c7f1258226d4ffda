// Height fields: a large one beside a small one, and beside the same surface as a mesh.
#include <vector>

#include "bench/claims.h"
#include "bench/timing.h"
#include "graze/graze.h"
#include "tests/support/generator.h"

namespace terrain_bench {
namespace {

using namespace graze;
using bench::keep;

// Hills of several sizes, in cells of 0.25 m, the same everywhere.
float height(std::size_t i, std::size_t j) {
  const auto wave = [](std::size_t k, std::size_t period) {
    const auto half = static_cast<float>(period) / 2, at = static_cast<float>(k % period);
    return (at < half ? at : static_cast<float>(period) - at) / half;
  };
  return 3 * wave(i, 97) * wave(j, 83) + 0.7F * wave(i + j, 19) + 0.2F * wave(3 * i + 5 * j, 7);
}

HeightField field_of(std::size_t side) {
  std::vector<float> heights;
  for (std::size_t j = 0; j < side; ++j) {
    for (std::size_t i = 0; i < side; ++i) heights.push_back(height(i, j));
  }
  return HeightField({.columns = side, .rows = side, .dx = 0.25, .dy = 0.25}, std::span<const float>(heights));
}

Mesh mesh_of(const HeightField& field) {
  const std::size_t side = field.grid().columns;
  std::vector<Vec3> corners;
  std::vector<MeshTriangle> triangles;
  for (std::size_t j = 0; j < side; ++j) {
    for (std::size_t i = 0; i < side; ++i)
      corners.push_back({0.25 * static_cast<double>(i), 0.25 * static_cast<double>(j), field.height(i, j)});
  }
  for (std::size_t j = 0; j + 1 < side; ++j) {
    for (std::size_t i = 0; i + 1 < side; ++i) {
      const auto at = [&](std::size_t x, std::size_t y) { return static_cast<std::uint32_t>(y * side + x); };
      triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return Mesh(corners, triangles);
}

// Bodies over the field, 0.5 to 3 m above the highest hills around.
std::vector<Pose> poses_over(std::size_t side, graze_test::Generator& random) {
  const double width = 0.25 * static_cast<double>(side - 1);
  std::vector<Pose> poses;
  for (int k = 0; k < 2000; ++k)
    poses.push_back(Pose::from_rpy({random.uniform(5, width - 5), random.uniform(5, width - 5), random.uniform(4.5, 7)},
                                   random.uniform(-3, 3), random.uniform(-1, 1), random.uniform(-3, 3)));
  return poses;
}

template <class Body>
void ask(bench::Claims& claims, const std::string& name, const Body& body) {
  static const HeightField small = field_of(201), large = field_of(4001);
  static const Mesh mesh = mesh_of(small);
  graze_test::Generator random(1);
  const std::vector<Pose> over_small = poses_over(201, random), over_large = poses_over(4001, random);
  const auto all = [&](const Placed& ground, const std::vector<Pose>& poses, double& sum) {
    sum = 0;
    for (const Pose& pose : poses) sum += distance(at(body, pose), ground).value;
    keep(sum);
  };
  const Placed ground_small = at(small), ground_large = at(large), ground_mesh = at(mesh);
  double sum_small = 0, sum_large = 0, sum_mesh = 0;
  const auto sizes = bench::compare(
      over_small.size(), [&] { all(ground_large, over_large, sum_large); },
      [&] { all(ground_small, over_small, sum_small); });
  // 2.5 times the time of the small one at most.
  claims.add({.id = "terrain/distance of a " + name + ", 4000² cells",
              .ours = sizes.ours,
              .peer_name = "200² cells",
              .peer = sizes.peer,
              .goal = 0.4});
  const auto kinds = bench::compare(
      over_small.size(), [&] { all(ground_small, over_small, sum_small); },
      [&] { all(ground_mesh, over_small, sum_mesh); });
  claims.add({.id = "terrain/distance of a " + name + ", field",
              .ours = kinds.ours,
              .peer_name = "the same as a mesh",
              .peer = kinds.peer,
              .goal = 0.2,
              .agree = std::abs(sum_small - sum_mesh) < 1e-6});
}

}  // namespace
}  // namespace terrain_bench

int main(int argc, char** argv) {
  using namespace graze;
  bench::Claims claims(argc, argv);
  terrain_bench::ask(claims, "sphere", Sphere{.radius = 0.4});
  terrain_bench::ask(claims, "box", Box{.half = {0.5, 0.3, 0.2}});
  return claims.finish();
}
