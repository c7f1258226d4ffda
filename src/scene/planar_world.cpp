#include "graze/scene/planar_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <new>

#include "base/overloads.h"
#include "graze/base/error.h"
#include "graze/index/broad_phase.h"
#include "index/extent_table.h"
#include "scene/planar_cells.h"
#include "scene/planar_shapes.h"
#include "scene/world_nearest.h"

namespace graze::planar {

namespace {

// Up to so many obstacles, looking at all of them or at sets of bits takes less time than a tree.
constexpr std::size_t kFew = 256;
static_assert(kFew <= Cells::kCapacity);

// A circle or rectangle as far as most checks need it. What is neither, and checks that rounding could decide, go to
// the obstacle itself.
struct Quick : Rounded {
  enum class Kind : std::uint8_t { circle, rectangle, other };
  Kind kind = Kind::other;

  enum class Verdict : std::uint8_t { free, touches, unknown };
  Verdict check(const Vec2& q, double r) const {
    constexpr double kMore = 1 + 1e-12, kLess = 1 - 1e-12, kRounding = 1e-13;
    const double x = q.x() - center.x(), y = q.y() - center.y();
    if (kind == Kind::circle) {
      const double square = x * x + y * y, reach = (radius + r) * (radius + r);
      return square > reach * kMore ? Verdict::free : square < reach * kLess ? Verdict::touches : Verdict::unknown;
    }
    if (kind == Kind::other) return Verdict::unknown;
    const double a = std::max(std::abs(x * axis.x() + y * axis.y()) - half.x(), 0.0);
    const double b = std::max(std::abs(y * axis.x() - x * axis.y()) - half.y(), 0.0);
    const double square = a * a + b * b, rounding = kRounding * (std::abs(x) + std::abs(y) + half.sum());
    const double more = r + rounding, less = r - rounding;
    if (square > more * more * kMore) return Verdict::free;
    return less > 0 && square < less * less * kLess ? Verdict::touches : Verdict::unknown;
  }
};

Quick quick_of(const Obstacle& obstacle) {
  return std::visit(Overloads{[](const Circle& c) {
                                return Quick{{.center = c.center(), .radius = c.radius()}, Quick::Kind::circle};
                              },
                              [](const Rectangle& r) {
                                return Quick{{r.center(), r.axis(), r.half(), 0}, Quick::Kind::rectangle};
                              },
                              [](const Polygon&) { return Quick(); }, [](const Grid&) { return Quick(); },
                              [](const Custom&) { return Quick(); }},
                    obstacle);
}

// A point with what is around it, rounded outwards.
Aabb2 box_around(const Vec2& point, double half) {
  return Aabb2::around(point, Vec2::Constant(half + 4 * kEpsilon * (norm1(point) + half)));
}

}  // namespace

struct World::Data {
  BroadPhase<2> broad;  // the boxes; ids are those of the obstacles
  std::vector<std::optional<Obstacle>> obstacles;
  std::vector<Quick> quick;    // of the same numbers
  ExtentTable<2> table;        // of few
  Cells cells{&surely, this};  // the circles and rectangles, of few

  static bool surely(const Cells::View& view, const Vec2& point, double radius) {
    return static_cast<const Data*>(view.owner)->touched(point, radius);
  }
  bool few() const { return obstacles.size() <= kFew; }
  bool in_table() const { return few() && obstacles.size() <= table.capacity(); }
  // After obstacle `id` has changed, of which `quick` has room for all. Without memory for tables the broad phase
  // answers until the next change.
  void changed(ObstacleId id) {
    const bool grown = id >= quick.size();
    if (grown) quick.resize(obstacles.size());
    quick[id] = obstacles[id] ? quick_of(*obstacles[id]) : Quick();
    try {
      look_up(id);
      // A world that has grown is divided into cells anew.
      if (grown && few() && std::has_single_bit(obstacles.size())) build_table();
    } catch (const std::bad_alloc&) {
    }
  }
  // Brings the tables up to date. Where memory is short, what is not up to date answers nothing any more.
  void look_up(ObstacleId id) {
    const InCells of = in_cells();
    const bool kept = few() && cells.change(id, of.obstacles[id], of.box, of.others);
    if (!kept) cells.clear();
    if (!few()) return;
    if (in_table()) table.set(id, obstacles[id] ? broad.box(id) : Aabb2());
    else build_table();
    if (!kept) build_cells(of);
  }
  // The circles and rectangles of few, what is around them, and whether there are others.
  struct InCells {
    const Rounded* obstacles[kFew] = {};
    Aabb2 box;
    bool others = false;
  };
  InCells in_cells() const {
    InCells in;
    for (ObstacleId id = 0; id < obstacles.size() && few(); ++id) {
      if (!obstacles[id]) continue;
      if (quick[id].kind == Quick::Kind::other) {
        in.others = true;
        continue;
      }
      in.obstacles[id] = &quick[id];
      in.box.extend(broad.box(id));
    }
    return in;
  }
  void build_cells(const InCells& of) { cells.build(of.box, {of.obstacles, obstacles.size()}, of.others); }
  // Also sets the range of its cells to that of the boxes.
  void build_table() {
    std::vector<Aabb2> boxes;
    for (ObstacleId id = 0; id < obstacles.size(); ++id) boxes.push_back(obstacles[id] ? broad.box(id) : Aabb2());
    table.build(boxes);
  }
  bool touches(std::size_t id, const Vec2& point, double radius) const {
    const Quick::Verdict verdict = quick[id].check(point, radius);
    if (verdict != Quick::Verdict::unknown) return verdict == Quick::Verdict::touches;
    return collide(*obstacles[id], point, radius);
  }
  // Whether any does, in double.
  bool touched(const Vec2& point, double radius) const {
    if (!is_finite(point) || !(radius >= 0 && radius < kInfinity)) return true;
    const auto near = [&](std::size_t id) { return touches(id, point, radius); };
    const Aabb2 box = box_around(point, radius);
    if (in_table()) return table.any(box, near);
    bool hit = false;
    broad.visit_overlapping(box, [&](BoxId id) { return !(hit = near(id)); });
    return hit;
  }
};

// What the questions look at.
struct WorldAccess {
  using Data = World::Data;
  static const Data& data(const World& world) { return *world.data_; }
};

World::World() : data_(std::make_unique<Data>()) {}
World::World(std::vector<Obstacle> obstacles) : World() {
  std::vector<Aabb2> boxes;
  for (const Obstacle& obstacle : obstacles) boxes.push_back(bounds(obstacle));
  data_->broad.assign(boxes);
  for (Obstacle& obstacle : obstacles) {
    data_->quick.push_back(quick_of(obstacle));
    data_->obstacles.emplace_back(std::move(obstacle));
  }
  if (!data_->few()) return;
  data_->build_table();
  data_->build_cells(data_->in_cells());
}
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;
World::~World() = default;

ObstacleId World::add(Obstacle obstacle) {
  // What throws, throws before anything changes.
  if (const std::size_t n = data_->obstacles.size(); n == data_->obstacles.capacity() || n == data_->quick.capacity()) {
    data_->obstacles.reserve(2 * n + 8);
    data_->quick.reserve(2 * n + 8);
  }
  const ObstacleId id = data_->broad.add(bounds(obstacle));
  if (id >= data_->obstacles.size()) data_->obstacles.resize(id + 1);
  data_->obstacles[id] = std::move(obstacle);
  data_->changed(id);
  return id;
}

void World::replace(ObstacleId id, Obstacle obstacle) {
  if (!contains(id)) throw Error("id", fmt::format("there is no obstacle {}", id));
  data_->broad.move(id, bounds(obstacle));
  data_->obstacles[id] = std::move(obstacle);
  data_->changed(id);
}

void World::remove(ObstacleId id) {
  if (!contains(id)) throw Error("id", fmt::format("there is no obstacle {}", id));
  data_->broad.remove(id);
  data_->obstacles[id].reset();
  data_->changed(id);
}

std::size_t World::size() const { return data_->broad.size(); }
bool World::contains(ObstacleId id) const { return data_->broad.contains(id); }
const Obstacle& World::obstacle(ObstacleId id) const {
  if (!contains(id)) throw Error("id", fmt::format("there is no obstacle {}", id));
  return *data_->obstacles[id];
}

std::string World::validate() const {
  if (std::string why = data_->broad.validate(); !why.empty()) return why;
  if (data_->quick.size() != data_->obstacles.size()) return "not all obstacles are prepared";
  for (ObstacleId id = 0; id < data_->obstacles.size(); ++id) {
    if (data_->obstacles[id].has_value() != contains(id)) return fmt::format("obstacle {} is only half there", id);
    if (contains(id) && !(data_->broad.box(id) == bounds(obstacle(id))))
      return fmt::format("the box of obstacle {} is not its own", id);
  }
  return {};
}

bool collide(const World& world, const Vec2& point, double radius) {
  return WorldAccess::data(world).cells.check(point, radius);
}

void collide_each(const World& world, std::span<const Vec2> points, double radius, std::span<bool> hits) {
  if (hits.size() < points.size())
    throw Error("hits", fmt::format("expected room for {} answers, got {}", points.size(), hits.size()));
  WorldAccess::data(world).cells.check_each(points, radius, hits.data());
}

WorldNearest nearest(const World& world, const Vec2& point, double limit) {
  if (!is_finite(point)) return {{.distance = std::numeric_limits<double>::quiet_NaN()}};
  const auto& data = WorldAccess::data(world);
  return scene::nearest_of_all<WorldNearest>(
      data.broad, point, limit, [&](ObstacleId id) { return nearest(*data.obstacles[id], point); }, box_around);
}

namespace {

void keep_first(const WorldAccess::Data& data, const Path& path, double radius, ObstacleId id, WorldHit& best) {
  const Hit hit = sweep(*data.obstacles[id], path, radius);
  if (hit.fraction < best.fraction || (hit.fraction == best.fraction && hit.found() && id < best.obstacle)) {
    static_cast<Hit&>(best) = hit;
    best.obstacle = id;
  }
}

// Piece by piece, so that what is on the far side of a long arc is not looked at first.
void sweep_arc(const WorldAccess::Data& data, const Path& path, double radius, WorldHit& best) {
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
  const auto& data = WorldAccess::data(world);
  if (path.is_arc()) {
    sweep_arc(data, path, radius, best);
    return best;
  }
  data.broad.visit_swept(box_around(path.from(), radius + 4 * kEpsilon * norm1(path.displacement())),
                         path.displacement(), entry::kLater, [&](const BoxHit& box) {
                           if (!(box.time > best.fraction)) keep_first(data, path, radius, box.id, best);
                         });
  return best;
}

}  // namespace graze::planar
