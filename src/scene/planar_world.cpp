#include "graze/scene/planar_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/overloads.h"
#include "graze/base/error.h"
#include "graze/index/broad_phase.h"
#include "scene/planar_batch.h"
#include "scene/planar_cells.h"
#include "scene/planar_masks.h"
#include "scene/planar_shapes.h"
#include "scene/world_nearest.h"

namespace graze::planar {

namespace {

// Up to so many obstacles, looking at all of them or at sets of bits takes less time than a tree.
constexpr std::size_t kFew = 256;
static_assert(kFew <= Batch::kCapacity);
// Float32 holds coordinates and radii up to this, and their squares.
constexpr double kLargestInLanes = 1e15;

// A circle or rectangle as far as most checks need it. What is neither, and checks that rounding could decide, go to
// the obstacle itself.
struct Quick {
  enum class Kind : std::uint8_t { circle, rectangle, other };
  Vec2 center = Vec2::Zero(), axis = Vec2::Zero(), half = Vec2::Zero();
  double radius = 0;
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
    const double square = a * a + b * b, rounding = kRounding * (std::abs(x) + std::abs(y) + radius);
    const double more = r + rounding, less = r - rounding;
    if (square > more * more * kMore) return Verdict::free;
    return less > 0 && square < less * less * kLess ? Verdict::touches : Verdict::unknown;
  }
};

Quick quick_of(const Obstacle& obstacle) {
  return std::visit(
      Overloads{[](const Circle& c) {
                  return Quick{.center = c.center(), .radius = c.radius(), .kind = Quick::Kind::circle};
                },
                [](const Rectangle& r) {
                  return Quick{r.center(), r.axis(), r.half(), r.half().x() + r.half().y(), Quick::Kind::rectangle};
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

namespace {

// Around the circles and rectangles.
struct Range {
  Aabb2 box;
  Vec2 center = Vec2::Zero();
  void extend(const Aabb2& other) {
    box.extend(other);
    center = box.center();
  }
  bool bounded_by(double largest) const {
    return box.empty() || ((box.max - center).cwiseAbs().maxCoeff() < largest && is_finite(center));
  }
};

}  // namespace

struct World::Data {
  BroadPhase<2> broad;  // the boxes; ids are those of the obstacles
  std::vector<std::optional<Obstacle>> obstacles;
  std::vector<Quick> quick;  // of the same numbers
  ExtentTable table;         // of few
  Range range;
  Batch batch;            // the circles and rectangles, of few
  bool in_batch = false;  // these are in it
  bool others = false;    // there are obstacles that are not

  bool few() const { return obstacles.size() <= kFew; }
  bool in_table() const { return few() && obstacles.size() <= table.capacity(); }
  // After obstacle `id` has changed.
  void changed(ObstacleId id) {
    quick.resize(obstacles.size());
    quick[id] = obstacles[id] ? quick_of(*obstacles[id]) : Quick();
    note(id);
    fill_batch();
    if (!few()) return;
    if (id < table.capacity()) return table.set(id, obstacles[id] ? broad.box(id) : Aabb2());
    build_table();
  }
  void note(ObstacleId id) {
    if (quick[id].kind != Quick::Kind::other) range.extend(broad.box(id));
  }
  // Gives the circles and rectangles to `into`. Whether they fit.
  template <class Into>
  bool add_all(Into& into) const {
    bool fit = true;
    for (std::size_t id = 0; id < obstacles.size() && fit; ++id) {
      if (!obstacles[id]) continue;
      const Quick& it = quick[id];
      if (it.kind == Quick::Kind::circle) fit = into.add_circle(it.center, it.radius);
      if (it.kind == Quick::Kind::rectangle) fit = into.add_rectangle(it.center, it.axis, it.half);
    }
    return fit;
  }
  void fill_batch() {
    in_batch = few() && range.bounded_by(kLargestInLanes);
    if (!in_batch) return;
    batch.clear(range.center);
    add_all(batch);
    others = false;
    for (std::size_t id = 0; id < obstacles.size(); ++id)
      others |= obstacles[id].has_value() && quick[id].kind == Quick::Kind::other;
  }
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
    data_->note(static_cast<ObstacleId>(data_->obstacles.size() - 1));
  }
  data_->fill_batch();
  if (data_->few()) data_->build_table();
}
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;
World::~World() = default;

ObstacleId World::add(Obstacle obstacle) {
  // What throws, throws before anything changes; without memory for the table the broad phase answers.
  if (const std::size_t n = data_->obstacles.size(); n == data_->obstacles.capacity() || n == data_->quick.capacity()) {
    data_->obstacles.reserve(2 * n + 8);
    data_->quick.reserve(2 * n + 8);
  }
  const ObstacleId id = data_->broad.add(bounds(obstacle));
  if (id >= data_->obstacles.size()) data_->obstacles.resize(id + 1);
  data_->obstacles[id] = std::move(obstacle);
  data_->changed(id);
  // A world that has grown is divided into cells anew.
  if (data_->few() && std::has_single_bit(data_->obstacles.size())) data_->build_table();
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

namespace {

// In double.
bool collide_surely(const WorldAccess::Data& data, const Vec2& point, double radius) {
  if (!is_finite(point) || !(radius >= 0 && radius < kInfinity)) return true;
  const auto touches = [&](std::size_t id) { return data.touches(id, point, radius); };
  const Aabb2 box = box_around(point, radius);
  if (data.in_table()) return data.table.any(box, touches);
  bool hit = false;
  data.broad.visit_overlapping(box, [&](BoxId id) { return !(hit = touches(id)); });
  return hit;
}

}  // namespace

bool collide(const World& world, const Vec2& point, double radius) {
  const auto& data = WorldAccess::data(world);
  if (!data.in_batch || data.others || !(radius >= 0 && radius < kLargestInLanes))
    return collide_surely(data, point, radius);
  const Batch::Verdict verdict = data.batch.check(point, radius);
  if (verdict.open) [[unlikely]]
    return collide_surely(data, point, radius);
  return verdict.touches;
}

namespace {

// False if there is no room for the obstacles in the cells.
bool collide_by_cells(const WorldAccess::Data& data, std::span<const Vec2> points, double radius,
                      std::span<bool> hits) {
  const auto is_turned = [](const Quick& quick) {
    return quick.kind == Quick::Kind::rectangle && quick.axis != Vec2(1, 0);
  };
  Cells cells(data.range.center, data.range.box, radius, std::any_of(data.quick.begin(), data.quick.end(), is_turned));
  if (!data.add_all(cells)) return false;
  constexpr std::size_t kPart = 1024;
  std::uint32_t open[kPart];
  for (std::size_t begin = 0; begin < points.size(); begin += kPart) {
    const std::size_t count = std::min(kPart, points.size() - begin);
    const std::size_t left = cells.check(points.subspan(begin, count), &hits[begin], open);
    if (!data.others) {
      for (std::size_t k = 0; k < left; ++k)
        hits[begin + open[k]] = collide_surely(data, points[begin + open[k]], radius);
      continue;
    }
    for (std::size_t i = begin; i < begin + count; ++i) {
      if (!hits[i]) hits[i] = collide_surely(data, points[i], radius);
    }
  }
  return true;
}

}  // namespace

void collide_each(const World& world, std::span<const Vec2> points, double radius, std::span<bool> hits) {
  if (hits.size() < points.size())
    throw Error("hits", fmt::format("expected room for {} answers, got {}", points.size(), hits.size()));
  const auto& data = WorldAccess::data(world);
  if (!data.in_batch || !(radius >= 0 && radius < kLargestInLanes) || points.size() < Batch::kBlock / 4) {
    for (std::size_t i = 0; i < points.size(); ++i) hits[i] = collide(world, points[i], radius);
    return;
  }
  // Cells take a microsecond or two to fill.
  constexpr std::size_t kMany = 512;
  if (points.size() >= kMany && collide_by_cells(data, points, radius, hits)) return;
  for (std::size_t begin = 0; begin < points.size(); begin += Batch::kBlock) {
    const std::size_t count = std::min(Batch::kBlock, points.size() - begin);
    const Batch::Verdicts verdicts = data.batch.check(points.data() + begin, count, radius);
    for (std::size_t i = 0; i < count; ++i) hits[begin + i] = ((verdicts.touches >> i) & 1U) != 0;
    std::uint64_t left = data.others ? ~verdicts.touches : ~(verdicts.touches | verdicts.free);
    if (count < Batch::kBlock) left &= (std::uint64_t{1} << count) - 1;
    for (; left != 0; left &= left - 1) {
      const std::size_t i = begin + static_cast<std::size_t>(std::countr_zero(left));
      hits[i] = collide_surely(data, points[i], radius);
    }
  }
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
