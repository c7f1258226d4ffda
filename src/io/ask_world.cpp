#include "io/ask_world.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "graze/scene/planar_world.h"
#include "io/answer_text.h"

namespace graze::io {
namespace {

using planar::Obstacle;
using planar::Path;

Vec2 pair_of(Value value, const std::string& path) {
  std::array<double, 2> numbers{};
  read_numbers(value, path, numbers);
  return {numbers[0], numbers[1]};
}
Vec2 pair_of(const Fields& fields, std::string_view name) {
  return pair_of(fields.required(name), fields.path_of(name));
}

// What make() makes; its errors name the field within the object.
template <class Make>
auto within(const Fields& fields, const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    return Fields::naming(fields.path_of(error.where()), [&]() -> decltype(make()) { throw error; });
  }
}

Value list_of(const Fields& fields, std::string_view name, const char* what) {
  const Value list = fields.required(name);
  if (!list.is_array()) throw Error(fields.path_of(name), fmt::format("must be an array of {}", what));
  return list;
}

Obstacle circle_from(const Fields& fields) {
  fields.allow_only("a circle", {"center", "radius"});
  const Vec2 center = pair_of(fields, "center");
  const double radius = fields.number("radius");
  return within(fields, [&] { return planar::Circle(center, radius); });
}

Obstacle rectangle_from(const Fields& fields) {
  fields.allow_only("a rectangle", {"center", "half", "angle"});
  const Vec2 center = pair_of(fields, "center"), half = pair_of(fields, "half");
  const double angle = fields.number_or("angle", 0);
  return within(fields, [&] { return planar::Rectangle(center, half, angle); });
}

Obstacle polygon_from(const Fields& fields) {
  fields.allow_only("a polygon", {"points"});
  std::vector<Vec2> points;
  for (const Value point : list_of(fields, "points", "points"))
    points.push_back(pair_of(point, fmt::format("{}[{}]", fields.path_of("points"), points.size())));
  return within(fields, [&] { return planar::Polygon(points); });
}

Obstacle grid_from(const Fields& fields) {
  fields.allow_only("a grid", {"origin", "cell", "rows"});
  const Vec2 origin = pair_of(fields, "origin");
  const Value cell = fields.required("cell");
  const Vec2 size = cell.is_number() ? Vec2::Constant(cell.number()) : pair_of(cell, fields.path_of("cell"));
  std::vector<std::string_view> rows;
  for (const Value row : list_of(fields, "rows", "strings")) {
    if (!row.is_string()) throw Error(fmt::format("{}[{}]", fields.path_of("rows"), rows.size()), "must be a string");
    rows.push_back(row.text());
  }
  return within(fields, [&] { return planar::Grid::from_text(origin, size, rows); });
}

Obstacle obstacle_from(Value value, const std::string& path) {
  const Fields fields(value, path);
  fields.allow_only("an obstacle", {"circle", "rectangle", "polygon", "grid"});
  if (value.size() != 1) throw Error(path, "needs one of circle, rectangle, polygon and grid");
  struct Kind {
    std::string_view name;
    Obstacle (*read)(const Fields&);
  };
  constexpr std::array<Kind, 3> kKinds{
      {{"circle", circle_from}, {"rectangle", rectangle_from}, {"polygon", polygon_from}}};
  for (const auto& [name, read] : kKinds) {
    if (fields.has(name)) return read(Fields(fields.required(name), fields.path_of(name)));
  }
  return grid_from(Fields(fields.required("grid"), fields.path_of("grid")));
}

planar::World world_from(const Fields& question) {
  const Fields world(question.required("world"), question.path_of("world"));
  world.allow_only("a world", {"plane"});
  std::vector<Obstacle> obstacles;
  for (const Value value : list_of(world, "plane", "obstacles"))
    obstacles.push_back(obstacle_from(value, fmt::format("{}[{}]", world.path_of("plane"), obstacles.size())));
  return planar::World(std::move(obstacles));
}

// A point that is finite and not too far, as paths and obstacles demand.
Vec2 point_of(const Fields& fields, std::string_view name) {
  const Vec2 point = pair_of(fields, name);
  fields.at(name, [&] { return Path::line(point, point); });
  return point;
}

double radius_of(const Fields& question) {
  const double radius = question.length_or("radius", 0);
  if (!(radius <= kLargestLength))
    throw Error(question.path_of("radius"), fmt::format("must be at most 1e50, got {}", radius));
  return radius;
}

Path path_of(const Fields& question) {
  if (question.has("arc")) {
    for (const std::string_view name : {"from", "to"}) {
      if (question.has(name))
        throw Error(question.path_of(name), "belongs to a straight path; an arc has its own from");
    }
    const Fields arc(question.required("arc"), question.path_of("arc"));
    arc.allow_only("an arc", {"center", "from", "angle"});
    const Vec2 center = pair_of(arc, "center"), from = pair_of(arc, "from");
    const double angle = arc.number("angle");
    return within(arc, [&] { return Path::arc(center, from, angle); });
  }
  const Vec2 from = pair_of(question, "from"), to = pair_of(question, "to");
  return within(question, [&] { return Path::line(from, to); });
}

std::string text_of_pair(const Vec2& v) { return fmt::format("[{},{}]", text_of(v.x()), text_of(v.y())); }

}  // namespace

AskAnswer ask_nearest(const Fields& question) {
  question.allow_only("nearest", {"ask", "id", "world", "point"});
  const Vec2 point = point_of(question, "point");
  const planar::World world = world_from(question);
  const planar::WorldNearest near = nearest(world, point);
  if (!near.found()) return {R"("distance":null,"beyond":null)", AskVerdict::clear};
  return {fmt::format(R"("distance":{},"point":{},"obstacle":{})", text_of(near.distance), text_of_pair(near.point),
                      near.obstacle),
          verdict(collide(world, point, 0))};
}

AskAnswer ask_tangents(const Fields& question) {
  question.allow_only("tangents", {"ask", "id", "obstacle", "point", "radius"});
  const Vec2 point = point_of(question, "point");
  const double radius = radius_of(question);
  const std::string path = question.path_of("obstacle");
  const Obstacle obstacle = obstacle_from(question.required("obstacle"), path);
  if (std::holds_alternative<planar::Grid>(obstacle))
    throw Error(path + ".grid", "has no tangents; circles, rectangles and polygons have");
  const auto both = tangents(obstacle, point, radius);
  if (!both) return {R"("tangents":null)", AskVerdict::touching};
  return {fmt::format(R"("tangents":[{},{}])", text_of_pair(both->left), text_of_pair(both->right)), AskVerdict::clear};
}

AskAnswer ask_sweep_world(const Fields& question) {
  question.allow_only("sweep", {"ask", "id", "world", "from", "to", "arc", "radius"});
  const Path path = path_of(question);
  question.required("radius");
  const double radius = radius_of(question);
  const planar::WorldHit hit = sweep(world_from(question), path, radius);
  if (!hit.found()) return {R"("hit":false)", AskVerdict::clear};
  return {fmt::format(R"("hit":true,"fraction":{},"obstacle":{}{})", text_of(hit.fraction), hit.obstacle,
                      hit.certain ? "" : R"(,"certain":false)"),
          AskVerdict::touching};
}

}  // namespace graze::io
