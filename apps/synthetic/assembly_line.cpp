#include "apps/synthetic/assembly_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/synthetic/scene_boxes.h"
#include "apps/synthetic/scene_noise.h"
#include "apps/synthetic/scene_options.h"
#include "graze/base/elementary.h"
#include "graze/base/error.h"
#include "graze/base/parallel.h"

namespace graze::synthetic {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kStation = 8;    // metres from one machine to the next
constexpr double kHeight = 2.6;   // of the carrier's axis
constexpr double kStep = 0.0025;  // metres of the carrier between two poses
constexpr double kSpeed = 0.2;    // m/s
constexpr double kNoise = 0.002;
constexpr std::size_t kMaxStations = 10'000;

enum Machine { kGate, kRollOver, kTank, kRobots, kMachines };

Machine machine_at(std::size_t station) { return static_cast<Machine>(station % kMachines); }

/// From 0 to 1 with speed and acceleration 0 at both ends.
double eased(double t) { return t * t * t * (10 + t * (6 * t - 15)); }
/// From 0 to 1 and back.
double swing(double t) { return (1 - elementary::cos(2 * kPi * t)) / 2; }

Aabb box(double x0, double x1, double y0, double y1, double z0, double z1) { return {{x0, y0, z0}, {x1, y1, z1}}; }

void add_machine(std::vector<ScenePatch>& patches, Machine machine, double x, SceneNoise& dice) {
  const auto add = [&](const Aabb& b) { add_faces(patches, b); };
  // How much room each part leaves beyond what it needs; less than nothing here and there.
  const auto room = [&dice] { return dice.between(-0.08, 0.3); };
  switch (machine) {
    case kGate: {
      const double left = 1.15 + room(), right = 1.15 + room(), top = 3.75 + room();
      add(box(x - 0.2, x + 0.2, left, left + 0.3, 0, top + 0.3));
      add(box(x - 0.2, x + 0.2, -right - 0.3, -right, 0, top + 0.3));
      add(box(x - 0.2, x + 0.2, -right - 0.3, left + 0.3, top, top + 0.3));
      break;
    }
    case kRollOver:
      for (const double side : {-1.0, 1.0}) {
        for (int tool = 0; tool < 3; ++tool) {
          const double near = 0.9 + room(), far = near + 0.6, z = dice.between(0.6, 3.8), at = x + 1.2 * (tool - 1);
          add(box(at - 0.1, at + 0.1, side > 0 ? near : -far, side > 0 ? far : -near, z, z + 0.2));
          add(box(at - 0.2, at + 0.2, side > 0 ? far : -far - 0.4, side > 0 ? far + 0.4 : -far, 0, 4.2));
        }
      }
      break;
    case kTank: {
      const double side = 1.05 + room(), end = 2.75 + room(), floor = 0.35 - room();
      add(box(x - end, x + end, -side - 0.1, -side, 0, 1.3));
      add(box(x - end, x + end, side, side + 0.1, 0, 1.3));
      add(box(x - end - 0.1, x - end, -side, side, 0, 1.3));
      add(box(x + end, x + end + 0.1, -side, side, 0, 1.3));
      add(box(x - end, x + end, -side, side, 0, std::max(0.05, floor)));
      break;
    }
    default:
      for (const double side : {-1.0, 1.0}) {
        const double near = 2.25 + room(), far = near + 0.8, z = dice.between(1.6, 3.0);
        add(box(x - 0.4, x + 0.4, side > 0 ? far : -far - 0.6, side > 0 ? far + 0.6 : -far, 0, 1.2));
        add(box(x - 0.2, x + 0.2, side > 0 ? far : -far - 0.4, side > 0 ? far + 0.4 : -far, 1.2, z + 0.3));
        add(box(x - 0.12, x + 0.12, side > 0 ? near : -far, side > 0 ? far : -near, z, z + 0.25));
      }
  }
}

SceneMesh car_body() {
  SceneMesh mesh;
  mesh.add_box(box(-2.1, 2.1, -0.85, 0.85, -0.7, 0.1));
  mesh.add_frustum(box(-1.7, 1.1, -0.8, 0.8, 0.05, 0.75), box(-1.2, 0.4, -0.62, 0.62, 0, 0));
  return mesh;
}

PatchSampler sampler_of(const AssemblyLineOptions& options) {
  std::vector<ScenePatch> patches;
  const double end = kStation * static_cast<double>(options.stations);
  const Aabb hall = box(-4, end + 4, -6, 6, 0, 6);
  add_faces(patches, hall, 0b010000);                                          // the floor
  add_faces(patches, box(hall.min.x(), hall.max.x(), -0.15, 0.15, 5.2, 5.5));  // the beam of the carrier
  SceneNoise dice(options.seed, 1);
  for (std::size_t k = 0; k < options.stations; ++k) {
    const double x = kStation * static_cast<double>(k);
    for (const double y : {-5.0, 5.0}) add_faces(patches, box(x - 0.2, x + 0.2, y - 0.2, y + 0.2, 0, 6));
    add_machine(patches, machine_at(k), x + kStation / 2, dice);
  }
  constexpr std::uint64_t kScan = 0xA55E;  // another seed than that of the machines
  return {std::move(patches), std::max<std::uint64_t>(1, options.points), options.seed ^ kScan << 32, kNoise};
}

}  // namespace

struct AssemblyLine::Scene {
  AssemblyLineOptions options;
  PatchSampler sampler;
  explicit Scene(const AssemblyLineOptions& given) : options(given), sampler(sampler_of(given)) {}
};

AssemblyLine::AssemblyLine(const AssemblyLineOptions& options) {
  check_scene(options.points, options.origin);
  if (options.stations == 0 || options.stations > kMaxStations) {
    throw Error("stations", fmt::format("must be from 1 to {}, got {}", kMaxStations, options.stations));
  }
  scene_ = std::make_shared<const Scene>(options);
}

std::uint64_t AssemblyLine::size() const { return scene_->options.points; }

void AssemblyLine::make(std::uint64_t first, std::span<Vec3> points, const ThreadOptions& options) const {
  parallel_for(points.size(),
               [&](std::size_t i) {
                 const std::uint64_t number = first + i;
                 points[i] = number < size() && number >= first
                                 ? Vec3(scene_->options.origin + scene_->sampler.point(number))
                                 : Vec3(Vec3::Constant(std::numeric_limits<double>::quiet_NaN()));
               },
               {.threads = options.threads});
}

clearance::Trajectory AssemblyLine::path() const {
  const std::size_t stations = scene_->options.stations;
  const auto per_station = static_cast<std::size_t>(kStation / kStep);
  clearance::Trajectory path;
  path.poses.reserve(stations * per_station + 1);
  path.times.reserve(stations * per_station + 1);
  for (std::size_t i = 0; i <= stations * per_station; ++i) {
    const double x = kStep * static_cast<double>(i);
    const std::size_t station = std::min(i / per_station, stations - 1);
    const double part = x / kStation - static_cast<double>(station);
    const double t = std::clamp((part - 0.2) / 0.6, 0.0, 1.0);  // the middle of the station
    double roll = 0, pitch = 0, yaw = 0, z = kHeight;
    switch (machine_at(station)) {
      case kGate:
        roll = 0.25 * swing(t);
        break;
      case kRollOver:
        pitch = 2 * kPi * eased(t);
        break;
      case kTank:
        pitch = 0.35 * elementary::sin(2 * kPi * t) * swing(t);
        z -= 1.25 * swing(t);
        break;
      default:
        yaw = kPi / 2 * swing(t);
    }
    path.times.push_back(x / kSpeed);
    path.poses.push_back(Pose::from_rpy(scene_->options.origin + Vec3(x, 0, z), roll, pitch, yaw));
  }
  return path;
}

std::vector<Vec3> AssemblyLine::body_vertices() const { return car_body().vertices; }
std::vector<MeshTriangle> AssemblyLine::body_triangles() const { return car_body().triangles; }

}  // namespace graze::synthetic
