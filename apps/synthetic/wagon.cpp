#include "apps/synthetic/scene_boxes.h"
#include "apps/synthetic/tunnel.h"
#include "graze/base/parallel.h"

namespace graze::synthetic {
namespace {

constexpr double kBogieDistance = 20, kBodyLength = 24.6, kBuffers = 0.6;
constexpr unsigned kSides = 0b001111, kSidesAndBelow = 0b011111, kAll = 0b111111;

/// A part and which of its faces a laser sees.
struct Part {
  Aabb box;
  unsigned seen;
};

Aabb box(double x, double half_x, double y, double half_y, double low, double high) {
  return {{x - half_x, y - half_y, low}, {x + half_x, y + half_y, high}};
}

std::vector<Part> parts(const WagonOptions& options) {
  std::vector<Part> all = {{box(0, kBodyLength / 2, 0, 1.45, 0.95, 2.0), kSides}};
  for (const double end : {-1.0, 1.0}) {
    const double bogie = end * kBogieDistance / 2;
    all.push_back({box(bogie, 1.6, 0, 1.1, 0.35, 0.9), kSides});
    for (const double side : {-1.0, 1.0}) {
      const double buffer = end * (kBodyLength + kBuffers) / 2;
      all.push_back({box(buffer, kBuffers / 2, side * 0.87, 0.2, 0.9, 1.3), kAll});
      for (const double axle : {-0.9, 0.9}) {
        if (options.wheels) all.push_back({box(bogie + axle, 0.46, side * 0.75, 0.07, 0, 0.9), kSidesAndBelow});
      }
    }
  }
  return all;
}

}  // namespace

WagonMesh wagon_mesh(const WagonOptions& options) {
  SceneMesh mesh;
  for (const Part& part : parts(options)) mesh.add_box(part.box);
  return {std::move(mesh.vertices), std::move(mesh.triangles)};
}

std::vector<Vec3> wagon_points(std::size_t count, std::uint64_t seed, const WagonOptions& options) {
  std::vector<ScenePatch> patches;
  for (const Part& part : parts(options)) add_faces(patches, part.box, part.seen);
  constexpr double kNoise = 0.003;
  constexpr std::uint64_t kWagon = 0x7A60;  // another seed than that of the tunnel
  const PatchSampler sampler(std::move(patches), count, seed ^ kWagon << 32, kNoise);
  std::vector<Vec3> points(count);
  parallel_for(count, [&](std::size_t i) { points[i] = sampler.point(i); });
  return points;
}

clearance::Vehicle wagon() {
  clearance::Vehicle vehicle;
  vehicle.name = "open freight wagon";
  vehicle.bogie_distance = kBogieDistance;
  vehicle.length = kBodyLength;
  return vehicle;
}

}  // namespace graze::synthetic
