// One thing against many: rays of a sensor, points of a path, poses of a gripper.

#include <graze/graze.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

int main() {
  using namespace graze;

  const Placed shelf = at(Box{.half = {0.6, 0.2, 0.02}}, Pose::at({0, 0, 1}));

  // What does a sensor above the shelf see, straight below and beside it?
  const RayHit below = raycast(shelf, Ray({0.1, 0, 2}, {0, 0, -1}));
  std::printf("the shelf is %.2f m below the sensor\n", below.distance);
  const bool clear_view = !meets(shelf, Ray::between({1, 0, 2}, {1, 0, 0}));

  // How far are some points from it, and where is it nearest?
  const std::vector<Vec3> points{{0, 0, 1}, {0, 0, 1.5}, {2, 0, 1}};
  std::array<double, 3> distances{};
  signed_distance_each(shelf, points, distances);
  for (const double d : distances) std::printf("%+.2f m\n", d);
  const ClosestPoint closest = closest_point(shelf, points[2]);
  std::printf("nearest at x = %.2f m\n", closest.point.x());

  // A gripper is lowered in steps: where does it first touch?
  const Capsule gripper{.radius = 0.05, .half_length = 0.1};
  std::vector<Pose> poses;
  for (int i = 0; i < 50; ++i) poses.push_back(Pose::at({0.1, 0, 1.6 - 0.01 * i}));
  std::array<bool, 50> hits{};
  collide_each(shelf, gripper, poses, hits);
  const auto first = std::find(hits.begin(), hits.end(), true) - hits.begin();
  std::printf("it touches at step %ld\n", static_cast<long>(first));

  const bool as_expected =
      below.found() && clear_view && distances[0] < 0 && closest.found() && first > 0 && first < 50;
  return as_expected ? 0 : 1;
}
