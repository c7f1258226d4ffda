#include "graze/scene/planar_world.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/overloads.h"
#include "graze/base/error.h"
#include "graze/index/broad_phase.h"
#include "scene/planar_lanes.h"
#include "scene/planar_shapes.h"

namespace graze::planar {

struct World::Data {
  BroadPhase<2> broad;  // the boxes; ids are those of the obstacles
  std::vector<std::optional<Obstacle>> obstacles;
  Outlines outlines{Vec2::Zero()};
};

namespace {

// Up to so many obstacles, looking at all of them in lanes takes less time than a tree.
constexpr std::size_t kFew = 256;

Outline outline_of(const Obstacle& obstacle) {
  const auto of_box = [](const Aabb2& box) {
    // Outside of the reach of any disc, for obstacles without points.
    if (box.empty()) return Outline{.center = Vec2::Zero(), .radius = kInfinity};
    return Outline{.center = box.center(), .half = box.half() * entry::kLater};
  };
  return std::visit(
      Overloads{[](const Circle& c) { return Outline{.center = c.center(), .radius = c.radius(), .disc = true}; },
                [](const Rectangle& r) {
                  return Outline{.center = r.center(), .axis = r.axis(), .half = r.half(), .radius = rounding_of(r)};
                },
                [&](const auto&) { return of_box(bounds(obstacle)); }},
      obstacle);
}

// A point with what is around it, rounded outwards.
Aabb2 box_around(const Vec2& point, double half) {
  return Aabb2::around(point, Vec2::Constant(half + 4 * kEpsilon * (norm1(point) + half)));
}

}  // namespace

World::World() : data_(std::make_unique<Data>()) {}
World::World(std::vector<Obstacle> obstacles) : World() {
  std::vector<Aabb2> boxes;
  for (const Obstacle& obstacle : obstacles) boxes.push_back(bounds(obstacle));
  data_->broad.assign(boxes);
  Aabb2 around;
  for (const Aabb2& box : boxes) {
    if (is_finite(box.min) && is_finite(box.max)) around.extend(box);
  }
  data_->outlines = Outlines(around.empty() ? Vec2::Zero() : around.center());
  for (Obstacle& obstacle : obstacles) {
    data_->outlines.add(static_cast<ObstacleId>(data_->obstacles.size()), outline_of(obstacle));
    data_->obstacles.emplace_back(std::move(obstacle));
  }
}
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;
World::~World() = default;

ObstacleId World::add(Obstacle obstacle) {
  const Outline outline = outline_of(obstacle);
  data_->obstacles.reserve(data_->obstacles.size() + 1);
  const ObstacleId id = data_->broad.add(bounds(obstacle));
  if (id >= data_->obstacles.size()) data_->obstacles.resize(id + 1);
  data_->obstacles[id] = std::move(obstacle);
  data_->outlines.add(id, outline);
  return id;
}

void World::replace(ObstacleId id, Obstacle obstacle) {
  if (!contains(id)) throw Error("id", fmt::format("there is no obstacle {}", id));
  const Outline outline = outline_of(obstacle);
  data_->broad.move(id, bounds(obstacle));
  data_->obstacles[id] = std::move(obstacle);
  data_->outlines.remove(id);
  data_->outlines.add(id, outline);
}

void World::remove(ObstacleId id) {
  if (!contains(id)) throw Error("id", fmt::format("there is no obstacle {}", id));
  data_->broad.remove(id);
  data_->obstacles[id].reset();
  data_->outlines.remove(id);
}

std::size_t World::size() const { return data_->broad.size(); }
bool World::contains(ObstacleId id) const { return data_->broad.contains(id); }
const Obstacle& World::obstacle(ObstacleId id) const {
  if (!contains(id)) throw Error("id", fmt::format("there is no obstacle {}", id));
  return *data_->obstacles[id];
}

std::string World::validate() const {
  if (std::string why = data_->broad.validate(); !why.empty()) return why;
  if (data_->outlines.size() != size() || !data_->outlines.consistent()) return "outlines differ from the obstacles";
  for (ObstacleId id = 0; id < data_->obstacles.size(); ++id) {
    if (data_->obstacles[id].has_value() != contains(id)) return fmt::format("obstacle {} is only half there", id);
    if (contains(id) && !(data_->broad.box(id) == bounds(obstacle(id))))
      return fmt::format("the box of obstacle {} is not its own", id);
  }
  return {};
}

bool collide(const World& world, const Vec2& point, double radius) {
  if (!is_finite(point) || !(radius >= 0 && radius < kInfinity)) return true;
  const World::Data& data = world.data();
  const auto touches = [&](ObstacleId id) { return collide(*data.obstacles[id], point, radius); };
  if (data.broad.size() <= kFew) return data.outlines.any(point, radius, touches);
  bool hit = false;
  data.broad.visit_overlapping(box_around(point, radius), [&](BoxId id) { return !(hit = touches(id)); });
  return hit;
}

void collide_each(const World& world, std::span<const Vec2> points, double radius, std::span<bool> hits) {
  if (hits.size() < points.size())
    throw Error("hits", fmt::format("expected room for {} answers, got {}", points.size(), hits.size()));
  for (std::size_t i = 0; i < points.size(); ++i) hits[i] = collide(world, points[i], radius);
}

WorldNearest nearest(const World& world, const Vec2& point, double limit) {
  WorldNearest best;
  if (!is_finite(point)) {
    best.distance = std::numeric_limits<double>::quiet_NaN();
    return best;
  }
  const World::Data& data = world.data();
  double within = limit;
  const auto look = [&](ObstacleId id) {
    const NearestPoint near = nearest(*data.obstacles[id], point);
    if (near.distance > within) return;
    // What is not a number is nearer than all numbers.
    const bool unknown = std::isnan(near.distance), best_unknown = std::isnan(best.distance);
    const bool equal = near.distance == best.distance || (unknown && best_unknown);
    if (equal ? id < best.obstacle : unknown || near.distance < best.distance) {
      static_cast<NearestPoint&>(best) = near;
      best.obstacle = id;
      within = best.distance;
    }
  };
  // The obstacle of the nearest box bounds the distance of what could be nearer.
  const NearestBox first = data.broad.nearest(point, limit);
  if (first.id == kNoBox) return best;
  look(first.id);
  const Aabb2 around = within < kInfinity ? box_around(point, std::max(0.0, within) + best.tolerance)
                                          : Aabb2{Vec2::Constant(-kInfinity), Vec2::Constant(kInfinity)};
  data.broad.visit_overlapping(around, look);
  return best;
}

namespace {

void keep_first(const World::Data& data, const Path& path, double radius, ObstacleId id, WorldHit& best) {
  const Hit hit = sweep(*data.obstacles[id], path, radius);
  if (hit.fraction < best.fraction || (hit.fraction == best.fraction && hit.found() && id < best.obstacle)) {
    static_cast<Hit&>(best) = hit;
    best.obstacle = id;
  }
}

// Piece by piece, so that what is on the far side of a long arc is not looked at first.
void sweep_arc(const World::Data& data, const Path& path, double radius, WorldHit& best) {
  constexpr double kPiece = entry::kTurn / 8;
  const double angle = std::abs(path.angle()), turn = std::min(angle, entry::kTurn * entry::kLater);
  const double pieces = std::max(1.0, std::ceil(turn / kPiece)), all = angle > 0 ? turn / angle : 0;
  for (double piece = 0; piece < pieces; ++piece) {
    const double begin = all * (piece / pieces), end = all * ((piece + 1) / pieces);
    const Aabb2 box = path.bounds(begin, end);
    const double rounding = 4 * kEpsilon * (norm1(box.min) + norm1(box.max) + radius);
    data.broad.visit_overlapping(box.grown(radius + rounding),
                                 [&](BoxId id) { keep_first(data, path, radius, id, best); });
    if (best.fraction <= begin) return;  // an obstacle of the next piece may reach back into this one by rounding
  }
}

}  // namespace

WorldHit sweep(const World& world, const Path& path, double radius) {
  WorldHit best;
  if (!(radius >= 0 && radius < kInfinity)) {
    best.fraction = 0;
    best.center = best.point = path.from();
    best.certain = false;
    return best;
  }
  const World::Data& data = world.data();
  if (path.is_arc()) {
    sweep_arc(data, path, radius, best);
    return best;
  }
  data.broad.visit_swept(box_around(path.from(), radius + 4 * kEpsilon * norm1(path.way())), path.way(), entry::kLater,
                         [&](const BoxHit& box) {
                           if (!(box.time > best.fraction)) keep_first(data, path, radius, box.id, best);
                         });
  return best;
}

}  // namespace graze::planar
