// Sensor frames for the benchmarks of maps, the same on every machine.
#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <vector>

#include "graze/base/aabb.h"
#include "graze/base/pose.h"
#include "graze/map/occupancy_mapper.h"
#include "tests/support/generator.h"

namespace maps_bench {

using namespace graze;  // NOLINT: a benchmark

struct Room {
  std::vector<Aabb> boxes;
  Aabb walls{Vec3(-3, -2.3, 0), Vec3(3, 2.3, 2.6)};

  Room() {
    graze_test::Generator random(7);
    for (int i = 0; i < 24; ++i) {
      const Vec3 half(random.uniform(0.1, 0.35), random.uniform(0.1, 0.35), random.uniform(0.1, 0.5));
      Vec3 center(random.uniform(-2.6, 2.6), random.uniform(-1.9, 1.9), half.z());
      if (center.head<2>().norm() < 0.8) center.x() += center.x() < 0 ? -1.2 : 1.2;
      boxes.push_back(Aabb::around(center, half));
    }
  }
  /// How far a ray goes until it meets something.
  double cast(const Vec3& from, const Vec3& direction) const {
    double best = kInfinity;
    const auto slab = [&](const Aabb& box, bool inside) {
      double enter = -kInfinity, leave = kInfinity;
      for (int a = 0; a < 3; ++a) {
        const double t0 = (box.min[a] - from[a]) / direction[a], t1 = (box.max[a] - from[a]) / direction[a];
        enter = std::max(enter, std::min(t0, t1));
        leave = std::min(leave, std::max(t0, t1));
      }
      if (inside) best = std::min(best, leave);
      else if (enter <= leave && enter > 0) best = std::min(best, enter);
    };
    slab(walls, true);
    for (const Aabb& box : boxes) slab(box, false);
    return best;
  }
};

struct Frame {
  Pose pose;
  std::vector<float> depths;            // of an image
  std::vector<Eigen::Vector3f> points;  // in the world
};

inline constexpr int kWidth = 640, kHeight = 480;
inline constexpr double kFocal = 525;

inline Frame depth_frame(const Room& room, int number) {
  // Looks along +x and a little down, from the middle of the room.
  Mat3 rotation;
  rotation.col(2) = Vec3(1, 0.15 * number, -0.12).normalized();
  rotation.col(0) = rotation.col(2).cross(Vec3::UnitZ()).normalized();
  rotation.col(1) = rotation.col(2).cross(rotation.col(0));
  Frame frame{Pose::from_matrix(Vec3(-2.2 + 0.02 * number, 0.013, 1.207), rotation), {}, {}};
  for (int v = 0; v < kHeight; ++v) {
    for (int u = 0; u < kWidth; ++u) {
      const Vec3 ray((u - 319.5) / kFocal, (v - 239.5) / kFocal, 1);
      const double t = room.cast(frame.pose.translation(), frame.pose.rotation() * ray);
      frame.depths.push_back(static_cast<float>(t));
      frame.points.emplace_back((frame.pose * (double{frame.depths.back()} * ray)).cast<float>());
    }
  }
  return frame;
}

inline Frame lidar_frame(int number) {
  // A yard of 120 × 120 m with the floor and a few walls.
  Room yard;
  yard.walls = {Vec3(-60, -60, 0), Vec3(60, 60, 30)};
  for (Aabb& box : yard.boxes) {
    box.min = Vec3(box.min.x() * 20, box.min.y() * 20, 0);
    box.max = Vec3(box.max.x() * 20, box.max.y() * 20, box.max.z() * 6);
  }
  Frame frame{Pose::at(Vec3(0.3 * number, 0.1, 1.83)), {}, {}};
  for (int ring = 0; ring < 64; ++ring) {
    const double pitch = (-25 + 28.0 * ring / 63) * M_PI / 180;
    for (int i = 0; i < 2048; ++i) {
      const double yaw = 2 * M_PI * (i + 0.37) / 2048;
      const Vec3 direction(std::cos(pitch) * std::cos(yaw), std::cos(pitch) * std::sin(yaw), std::sin(pitch));
      const double t = yard.cast(frame.pose.translation(), direction);
      frame.points.emplace_back((frame.pose.translation() + t * direction).cast<float>());
    }
  }
  return frame;
}

inline void insert_points(OccupancyMapper& mapper, const Frame& frame, double range) {
  mapper.insert({.points = std::span<const Eigen::Vector3f>(frame.points),
                 .origin = frame.pose.translation().cast<float>().cast<double>(),
                 .max_range = range,
                 .rays = FrameRays::per_end_voxel});
}

inline void insert_image(OccupancyMapper& mapper, const Frame& frame) {
  mapper.insert(DepthImage{.depths = frame.depths,
                           .width = kWidth,
                           .height = kHeight,
                           .fx = kFocal,
                           .fy = kFocal,
                           .cx = 319.5,
                           .cy = 239.5,
                           .pose = frame.pose,
                           .max_range = 4});
}

}  // namespace maps_bench
