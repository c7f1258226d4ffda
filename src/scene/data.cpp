#include "scene/data.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "geometry/largest_coordinate.h"
#include "graze/base/error.h"
#include "graze/base/nearest_word.h"

namespace graze::scene {
namespace {

// Rounding of the entries of a product of two rotations, and of what it turns.
constexpr double kTurned = 16 * kEpsilon;

bool turns(const Pose& pose) { return pose.rotation() != Mat3::Identity(); }
double size_of(const Vec3& v) { return v.cwiseAbs().sum(); }

// The highest binary digit at which two numbers differ, as an exponent.
int level(double a, double b) {
  if ((a < 0) != (b < 0)) return std::numeric_limits<int>::max();
  constexpr int kMantissa = 52;
  const auto x = std::bit_cast<std::uint64_t>(std::abs(a)), y = std::bit_cast<std::uint64_t>(std::abs(b));
  const int high_x = static_cast<int>(x >> kMantissa), high_y = static_cast<int>(y >> kMantissa);
  if (high_x != high_y) return std::max(high_x, high_y);
  return high_x - kMantissa + static_cast<int>(std::bit_width(x ^ y)) - 1;
}

// Numbers too small for all of their digits would have no position on the curve.
double on_curve(double x) { return std::abs(x) < 1e-300 ? 0.0 : x; }

}  // namespace

void Object::copy(const Object& other) {
  own_name = other.own_name, group = other.group;
  name_word = other.name_word, group_word = other.group_word;
  given_uncertainty = other.given_uncertainty;
  local = other.local, relative = other.relative, frame = other.frame, parent = other.parent;
  name = own_name;
}

Frame operator*(const Frame& outer, const Frame& inner) {
  if (outer.pose == Pose() && outer.shift == 0 && outer.turn == 0) return inner;
  Frame r{outer.pose * inner.pose, outer.shift + inner.shift, outer.turn + inner.turn};
  // at() says by how much the product moves its origin; what is turned twice is turned by a rounded matrix.
  r.shift += at(Sphere{.radius = 0}, outer.pose, inner.pose).uncertainty;
  r.shift += outer.turn * size_of(inner.pose.translation());
  if (turns(outer.pose) && turns(inner.pose)) r.turn += kTurned;
  return r;
}

Frame inverse(const Frame& frame) {
  const bool turned = turns(frame.pose);
  const double reach = size_of(frame.pose.translation());
  return {frame.pose.inverse(), frame.shift + (frame.turn + (turned ? 2 * kTurned : 0)) * reach,
          frame.turn + (turned ? kTurned : 0)};
}

Placed placed_at(const Object& o, const Frame& frame) {
  const Geometry& geometry = o.placed.geometry;
  Placed placed = o.local == Pose() ? Placed{geometry, frame.pose} : at(geometry, frame.pose, o.local);
  const double reach = size_of(o.local.translation()) + largest_coordinate(geometry);
  placed.uncertainty += o.given_uncertainty + frame.shift + frame.turn * reach;
  return placed;
}

bool BoxLess::operator()(const BoxKey& a, const BoxKey& b) const {
  if (a.bounded != b.bounded) return b.bounded;
  int axis = -1, highest = std::numeric_limits<int>::min();
  for (int k = 0; k < 3; ++k) {
    if (a.center[k] == b.center[k]) continue;
    const int at = level(a.center[k], b.center[k]);
    if (at > highest) axis = k, highest = at;
  }
  return axis < 0 ? a.id < b.id : a.center[axis] < b.center[axis];
}

BoxKey key_of(const Body& body) {
  BoxKey key{body.box.bounded(), Vec3::Zero(), body.id};
  if (key.bounded) key.center = body.box.center().unaryExpr([](double x) { return on_curve(x); });
  return key;
}

Aabb box_of(const Placed& placed, double margin, double padding) {
  const Aabb box = bounds(placed.geometry, placed.pose);
  if (box.empty()) return box;
  // Roundings of the sum, and of subtracting it; a box of bounds() holds the body for certain.
  const double by = (placed.uncertainty + margin + padding) * (1 + 8 * kEpsilon);
  if (!(by > 0)) return box;
  const auto outward = [&](double side, double sign) {
    return std::isfinite(side) ? side + sign * (by + kEpsilon * (std::abs(side) + by)) : side;
  };
  Aabb grown;
  for (int k = 0; k < 3; ++k) grown.min[k] = outward(box.min[k], -1), grown.max[k] = outward(box.max[k], 1);
  return grown;
}

Body body_of(const Placed& placed) {
  Body body{.placed = placed};
  body.box = box_of(placed, 0, 0);
  return body;
}

const Object* Data::find(std::string_view name) const {
  const Word* word = words.find(name);
  if (word == nullptr || word->object == kNoObject) return nullptr;
  return objects.find(word->object)->get();
}

const Object& Data::object(std::string_view name) const {
  if (const Object* found = find(name)) return *found;
  // A message is worth some comparisons, not those with all of a large scene.
  constexpr std::size_t kMany = 1000;
  std::vector<std::string> names;
  objects.visit([&](ObjectId, const ObjectLink& o) {
    names.push_back(o->own_name);
    return names.size() < kMany;
  });
  const std::optional<std::string> meant = nearest_word(std::string(name), names);
  throw Error("scene", fmt::format("has no object '{}'{}", name, meant ? "; did you mean '" + *meant + "'?" : ""));
}

bool Data::passes_over(const Object& a, const Object& b) const {
  if (a.parent == b.id || b.parent == a.id) return true;
  if (allowed.empty()) return false;
  if (allows(a.name_word, b.name_word)) return true;
  if (a.group_word != kNoWord && allows(a.group_word, b.name_word)) return true;
  if (b.group_word != kNoWord && allows(a.name_word, b.group_word)) return true;
  return a.group_word != kNoWord && b.group_word != kNoWord && allows(a.group_word, b.group_word);
}

bool Role::passes_over(const Data& data, const Object& other) const {
  if (object != nullptr) return object == &other || data.passes_over(*object, other);
  if (group == kNoWord) return false;
  return data.allows(group, other.name_word) || (other.group_word != kNoWord && data.allows(group, other.group_word));
}

Role role_of(const Data& data, std::string_view word) {
  if (word.empty()) return {};
  const Word* found = data.words.find(word);
  if (found == nullptr) return {};
  if (found->object == kNoObject) return {.group = found->id};
  return {.name = found->id, .object = data.objects.find(found->object)->get()};
}

const Data& Access::data(const Scene& scene) {
  static const Data kEmpty;
  return scene.data_ ? *scene.data_ : kEmpty;
}

SceneObject described(const Object& o) {
  return {o.id, o.name, o.group, &o.placed, o.relative.pose, o.local, o.parent, o.margin, o.padding};
}

}  // namespace graze::scene
