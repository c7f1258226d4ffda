#include "graze/scene/spatial_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "graze/base/error.h"
#include "graze/index/broad_phase.h"
#include "scene/world_nearest.h"

namespace graze::spatial {
namespace {

double sum_of(const Vec3& v) { return v.cwiseAbs().sum(); }

// A point with what is around it, rounded outwards.
Aabb box_around(const Vec3& point, double half) {
  return Aabb::around(point, Vec3::Constant(half + 4 * kEpsilon * (sum_of(point) + half)));
}

}  // namespace

struct World::Data {
  BroadPhase<3> broad;  // the boxes; ids are those of the obstacles
  std::vector<std::optional<Obstacle>> obstacles;
};

// What the questions look at.
struct WorldAccess {
  static const World::Data& data(const World& world) { return *world.data_; }
};

World::World() : data_(std::make_unique<Data>()) {}
World::World(std::vector<Obstacle> obstacles) : World() {
  std::vector<Aabb> boxes;
  for (const Obstacle& obstacle : obstacles) boxes.push_back(bounds(obstacle));
  data_->broad.assign(boxes);
  for (Obstacle& obstacle : obstacles) data_->obstacles.emplace_back(std::move(obstacle));
}
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;
World::~World() = default;

ObstacleId World::add(Obstacle obstacle) {
  // What throws, throws before anything changes.
  std::vector<std::optional<Obstacle>>& all = data_->obstacles;
  if (all.size() == all.capacity()) all.reserve(2 * all.size() + 8);
  const ObstacleId id = data_->broad.add(bounds(obstacle));
  if (id >= all.size()) all.resize(id + 1);
  all[id] = std::move(obstacle);
  return id;
}

void World::replace(ObstacleId id, Obstacle obstacle) {
  if (!contains(id)) throw Error("id", fmt::format("there is no obstacle {}", id));
  data_->broad.move(id, bounds(obstacle));
  data_->obstacles[id] = std::move(obstacle);
}

void World::remove(ObstacleId id) {
  if (!contains(id)) throw Error("id", fmt::format("there is no obstacle {}", id));
  data_->broad.remove(id);
  data_->obstacles[id].reset();
}

std::size_t World::size() const { return data_->broad.size(); }
bool World::contains(ObstacleId id) const { return data_->broad.contains(id); }
const Obstacle& World::obstacle(ObstacleId id) const {
  if (!contains(id)) throw Error("id", fmt::format("there is no obstacle {}", id));
  return *data_->obstacles[id];
}

std::string World::validate() const {
  if (std::string why = data_->broad.validate(); !why.empty()) return why;
  for (ObstacleId id = 0; id < data_->obstacles.size(); ++id) {
    if (data_->obstacles[id].has_value() != contains(id)) return fmt::format("obstacle {} is only half there", id);
    if (contains(id) && !(data_->broad.box(id) == bounds(obstacle(id))))
      return fmt::format("the box of obstacle {} is not its own", id);
  }
  return {};
}

bool collide(const World& world, const Vec3& point, double radius) {
  if (!is_finite(point) || !(radius >= 0 && radius <= kLargestLength)) return true;
  const auto& data = WorldAccess::data(world);
  bool hit = false;
  data.broad.visit_overlapping(box_around(point, radius),
                               [&](BoxId id) { return !(hit = collide(*data.obstacles[id], point, radius)); });
  return hit;
}

WorldNearest nearest(const World& world, const Vec3& point, double limit) {
  if (!is_finite(point)) return {{.distance = std::numeric_limits<double>::quiet_NaN()}};
  const auto& data = WorldAccess::data(world);
  return scene::nearest_of_all<WorldNearest>(
      data.broad, point, limit, [&](ObstacleId id) { return nearest(*data.obstacles[id], point); }, box_around);
}

WorldHit sweep(const World& world, const Path& path, double radius) {
  constexpr double kAfter = 1 + 4 * kEpsilon;
  WorldHit best;
  if (!(radius >= 0 && radius <= kLargestLength)) {
    best.fraction = 0;
    best.center = best.point = path.from();
    best.certain = false;
    return best;
  }
  const auto& data = WorldAccess::data(world);
  const auto look = [&](ObstacleId id) {
    const Hit hit = sweep(*data.obstacles[id], path, radius);
    if (hit.fraction < best.fraction || (hit.fraction == best.fraction && hit.found() && id < best.obstacle)) {
      static_cast<Hit&>(best) = hit;
      best.obstacle = id;
    }
  };
  if (path.kind() == Path::Kind::line) {
    data.broad.visit_swept(box_around(path.from(), radius + 4 * kEpsilon * sum_of(path.displacement())),
                           path.displacement(), kAfter, [&](const BoxHit& box) {
                             if (!(box.time > best.fraction)) look(box.id);
                           });
    return best;
  }
  // Piece by piece, so that what is on the far side is not looked at first.
  constexpr double kFullTurn = 6.2831853071795865, kPieces = 16, kNear = 1e-8;
  const double angle = std::abs(path.angle());
  const double all = path.kind() == Path::Kind::arc && angle > kFullTurn ? kFullTurn * kAfter / angle : 1;
  for (double piece = 0; piece < kPieces; ++piece) {
    const double begin = all * (piece / kPieces), end = std::min(1.0, all * ((piece + 1) / kPieces));
    const Aabb box = path.bounds(begin, end);
    // What comes nearer than a nanometre may count as a contact.
    const double more = 4 * kEpsilon * (sum_of(box.min) + sum_of(box.max) + radius) + kNear;
    data.broad.visit_overlapping(box.grown(radius + more), look);
    if (best.fraction <= begin) break;  // an obstacle of the next piece may reach back into this one by rounding
  }
  return best;
}

}  // namespace graze::spatial
