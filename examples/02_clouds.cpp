// Points from a sensor: thin them, place them, and use every verb on them.

#include <graze/graze.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

namespace {

// A floor with a ball lying on it, as a sensor might deliver it: x y z as floats, and one beam without an echo.
// `graze::read_cloud("scan.ply")` of graze/io/cloud_file.h reads such points from a file.
std::vector<float> scan() {
  std::vector<float> xyz;
  const auto add = [&](double x, double y, double z) {
    for (const double c : {x, y, z}) xyz.push_back(static_cast<float>(c));
  };
  for (int i = 0; i < 200; ++i) {
    for (int k = 0; k < 200; ++k) add(-1 + 0.01 * i, -1 + 0.01 * k, 0);
  }
  for (int i = 0; i < 4000; ++i) {  // evenly over a ball of radius 0.2 around (0.5, 0, 0.2)
    const double z = 1 - 2 * (i + 0.5) / 4000, r = std::sqrt(1 - z * z), angle = 2.399963 * i;
    add(0.5 + 0.2 * r * std::cos(angle), 0.2 * r * std::sin(angle), 0.2 + 0.2 * z);
  }
  add(std::nan(""), 0, 0);
  return xyz;
}

}  // namespace

int main() {
  // [snippet]
  using namespace graze;
  const std::vector<float> xyz = scan();

  // Thinned to a point per 2 cm, without points beyond 1 m. Points grown by 2 cm miss no collision.
  const FilteredPoints thin = filter_points(PointView(xyz), {.distance = 0.02, .max_range = 1});
  std::printf("%zu of %zu points are enough\n", thin.kept.size(), xyz.size() / 3);
  std::vector<float> kept;
  for (const auto i : thin.kept) kept.insert(kept.end(), &xyz[3 * i], &xyz[3 * i] + 3);

  // A cloud is a geometry like any other: every verb works on it. Its points have a radius.
  const Cloud cloud(PointView(kept.data(), thin.kept.size()), {.radius = 0.02});
  const Placed world = at(cloud), tool = at(Capsule{.radius = 0.05, .half_length = 0.2}, Pose::at({0.5, 0, 0.8}));
  const Distance d = distance(tool, world);
  std::printf("%.2f m above point %zu\n", d.value, d.b);
  const Placed lowered = at(Capsule{.radius = 0.05, .half_length = 0.2}, Pose::at({0.5, 0, 0.6}));
  for (const Contact& c : contacts(lowered, world, {.max = 2})) {
    std::printf("point %zu is %.3f m inside the tool\n", c.b, c.depth);
  }

  // What is near here? Any volume can be searched.
  std::array<Neighbor, 3> three;
  for (const Neighbor& n : cloud.search(region::Ball({0.5, 0, 0.45}, 0.2)).nearest(three)) {
    std::printf("point %zu at %.3f m\n", n.index, n.distance);
  }
  const std::size_t on_the_path = cloud.search(region::Segment({0, 0, 0.3}, {1, 0, 0.3}, 0.05)).count();

  // Many spheres, such as those of a robot's links, against one frame: a grid is ready in milliseconds.
  const PointGrid grid(PointView(xyz), {.point_radius = 0.01});
  const bool free_above = !grid.collides({0.5, 0, 0.6}, 0.15), hit_below = grid.collides({0.5, 0, 0.5}, 0.15);

  // The points are known to 3 mm, the tool's own scan to 1 mm: how likely is it that they touch?
  const std::vector<Vec3> tip = {Vec3(0, 0, 0.01), Vec3(0, 0, 0)};
  const Probability p =
      probability(at(Cloud(std::span(tip)), Pose::at({0.5, 0, 0.43})), world, {.sigma_a = 0.001, .sigma_b = 0.003});
  std::printf("the tip touches with probability %.4f\n", p.value);
  // [/snippet]

  const bool as_expected = thin.not_finite == 1 && collide(lowered, world) && !collide(tool, world) && d.value > 0.1 &&
                           d.value < 0.2 && on_the_path > 0 && free_above && hit_below && p.high < 0.5;
  return as_expected ? 0 : 1;
}
