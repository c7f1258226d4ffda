// An occupancy map from depth images, with versions that readers use while it changes.

#include <graze/graze.h>

#include <array>
#include <cstdio>
#include <vector>

int main() {
  using namespace graze;

  // A camera looks along x (its z axis) at a wall 2 m away, in which there is a window.
  constexpr int kWidth = 160, kHeight = 120;
  std::vector<float> depths(kWidth * kHeight, 2.0F);
  for (int v = 40; v < 80; ++v) {
    for (int u = 60; u < 100; ++u) depths[static_cast<std::size_t>(v * kWidth + u)] = 0;  // no return
  }
  Mat3 axes;
  axes << 0, 0, 1, -1, 0, 0, 0, -1, 0;
  const DepthImage image{.depths = depths,
                         .width = kWidth,
                         .height = kHeight,
                         .fx = 130,
                         .fy = 130,
                         .cx = 79.5,
                         .cy = 59.5,
                         .pose = Pose::from_matrix(Vec3(0, 0, 1), axes),
                         .time = 0.1,
                         .max_range = 4,
                         .no_return = NoReturn::clear};

  OccupancyMapper mapper({.resolution = 0.05});
  SharedVersion<OccupancyMap> shared;
  for (int frame = 0; frame < 3; ++frame) {
    mapper.insert(image);
    shared.publish(mapper.map());
  }

  // Any thread may take the version that is current and ask it.
  const OccupancyMap map = shared.current();
  const auto name = [&](const Vec3& p) {
    const Occupancy state = map.state(p);
    return state == Occupancy::free ? "free" : state == Occupancy::occupied ? "occupied" : "unknown";
  };
  std::printf("in front of the wall: %s\n", name({1, 0, 1}));
  std::printf("the wall: %s\n", name({2.01, 0.8, 1}));
  std::printf("through the window: %s\n", name({3, 0, 1}));
  std::printf("behind the wall: %s\n", name({2.5, 1, 1}));

  // What would it cost to be there?
  std::array<CostBox, 4> worst;
  const OccupancyCost cost =
      occupancy_cost(map, at(Sphere{.radius = 0.2}, Pose::at({1.9, 0.8, 1})), worst, {.unknown_probability = 0.5});
  std::printf("%zu cells, cost %.5f m³, the worst %.2f\n", cost.cells, cost.cost, cost.boxes[0].probability);

  const bool right = map.state(Vec3(1, 0, 1)) == Occupancy::free && map.state(Vec3(3, 0, 1)) == Occupancy::free &&
                     map.state(Vec3(2.01, 0.8, 1)) == Occupancy::occupied &&
                     map.state(Vec3(2.5, 1, 1)) == Occupancy::unknown && cost.cost > 0;
  return right ? 0 : 1;
}
