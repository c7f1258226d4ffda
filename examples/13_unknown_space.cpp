// Space that nobody has seen: what it costs to move through it, and where to look next.

#include <graze/graze.h>

#include <array>
#include <cstdio>
#include <vector>

int main() {
  using namespace graze;

  // A lidar at the origin sees a wall 2 m ahead with a doorway in it; of the room behind, only what the door shows.
  std::vector<Vec3> scan;
  for (int y = -60; y <= 60; ++y) {
    for (int z = -20; z <= 20; ++z) {
      const bool door = y > -10 && y < 10;
      scan.emplace_back(Vec3(1, 0.02 * y, 0.02 * z) * (door ? 5 : 2));
    }
  }
  OccupancyMapper mapper({.resolution = 0.05});
  mapper.insert({.points = scan, .origin = Vec3(0.01, 0.01, 0.01), .max_range = 6, .rays = FrameRays::per_end_voxel});
  const OccupancyMap map = mapper.map();

  // Two paths for a gripper, one through what has been seen and one behind the wall. Nothing is hit on either, but half
  // of all unknown space might be something. Cells that are free, of probability 0.4 and less, do not count.
  const Sphere gripper{.radius = 0.15};
  const OccupancyCostOptions options{.min_probability = 0.45, .unknown_probability = 0.5};
  std::array<CostBox, 4> worst;
  const auto cost = [&](const Vec3& from, const Vec3& to) {
    const OccupancyCost c = occupancy_cost(map, at(gripper, Motion(Pose::at(from), Pose::at(to))), worst, options);
    std::printf("%.4f m³ in %zu cells", c.cost, c.cells);
    if (!c.boxes.empty())
      std::printf(", the worst with probability %.2f at t = %.2f", c.boxes[0].probability, c.boxes[0].time);
    std::printf("\n");
    return c.cost;
  };
  const double through_the_door = cost({0.5, 0, 0}, {3, 0, 0});
  const double behind_the_wall = cost({3, 0, 0}, {3, 1.5, 0});

  // The paper's future work: which pose of the camera would reveal most?
  const MapView walls(map, UnknownSpace::free);
  const std::vector<Vec3> rays = camera_rays(64, 48, 50, 50, 31.5, 23.5);
  Mat3 ahead;  // the optical axis along x, image rows downwards
  ahead << 0, 0, 1, -1, 0, 0, 0, -1, 0;
  double best = 0;
  Vec3 where = Vec3::Zero();
  for (const Vec3& place : {Vec3(0, 0, 0), Vec3(1.2, 0, 0), Vec3(2.3, 0, 0), Vec3(0, 0.8, 0)}) {
    const RevealedSpace seen =
        revealed_space(walls, {.pose = Pose::from_matrix(place, ahead), .directions = rays, .max_range = 3});
    std::printf("from (%.1f, %.1f): up to %.2f m³\n", place.x(), place.y(), seen.volume);
    if (seen.volume > best) best = seen.volume, where = place;
  }
  std::printf("look from (%.1f, %.1f)\n", where.x(), where.y());

  return behind_the_wall > 2 * through_the_door && where.x() == 2.3 ? 0 : 1;
}
