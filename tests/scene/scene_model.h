// Named objects in a map, asked by loops over all pairs: what every Scene must agree with. Used by its tests and its
// fuzz target.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "graze/query/collide.h"
#include "graze/scene/scene_editor.h"
#include "graze/scene/scene_query.h"

namespace graze_test::scene_model {

using namespace graze;

struct Item {
  ObjectId id = kNoObject;
  std::string group = {}, parent = {};
  Pose world = {}, local = {};
  double margin = 0, padding = 0;
};

/// What was asked for, by name.
struct Model {
  std::map<std::string, Item> items;
  std::set<std::pair<std::string, std::string>> allowed;
  ObjectId next = 0;

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& [name, item] : items) all.push_back(name);
    std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return items.at(a).id < items.at(b).id; });
    return all;
  }
  bool may(const std::string& x, const std::string& y) const {
    return allowed.count({x, y}) + allowed.count({y, x}) > 0;
  }
  bool passes_over(const std::string& a, const std::string& b) const {
    const Item &x = items.at(a), &y = items.at(b);
    if (x.parent == b || y.parent == a || may(a, b)) return true;
    if (!x.group.empty() && may(x.group, b)) return true;
    if (!y.group.empty() && may(a, y.group)) return true;
    return !x.group.empty() && !y.group.empty() && may(x.group, y.group);
  }
  /// In the place of an object or a group.
  bool passes_over_as(const std::string& as, const std::string& other) const {
    if (as.empty()) return false;
    if (items.count(as) > 0) return as == other || passes_over(as, other);
    const Item& y = items.at(other);
    return may(as, other) || (!y.group.empty() && may(as, y.group));
  }
  bool is_above(const std::string& a, std::string b) const {
    for (; !b.empty(); b = items.at(b).parent) {
      if (a == b) return true;
    }
    return false;
  }

  void move_to(const std::string& name, const Pose& world) {
    const Pose by = world * items.at(name).world.inverse();
    items.at(name).world = world;
    for (auto& [other, item] : items) {
      if (item.parent == name) move_to(other, by * item.world);
    }
  }
  void remove(const std::string& name) {
    for (auto& [other, item] : items) {
      if (item.parent == name) item.parent.clear();
    }
    items.erase(name);
    std::erase_if(allowed, [&](const auto& pair) { return pair.first == name || pair.second == name; });
  }
};

/// A pair of bodies by brute force.
struct Side {
  const Placed* placed = nullptr;
  double margin = 0, padding = 0;
  ObjectId id = kNoObject;
  std::string_view name = {};
};
inline Side side_of(const SceneObject& o) { return {o.placed, o.margin, o.padding, o.id, o.name}; }
inline std::vector<Side> sides_of(const Scene& scene) {
  std::vector<Side> all;
  scene.visit_objects([&](const SceneObject& o) { all.push_back(side_of(o)); });
  return all;
}

using Pairs = std::vector<std::pair<Side, Side>>;

/// Never less than the exact sum, and at most two roundings more.
inline double added(double x, double y) {
  const long double exact = static_cast<long double>(x) + y;
  const double sum = x + y;
  return static_cast<long double>(sum) < exact ? std::nextafter(sum, kInfinity) : sum;
}
inline double margin_of(double margin, const Side& a, const Side& b) {
  return added(added(added(added(margin, a.margin), b.margin), a.padding), b.padding);
}
inline ObjectPair named(const Side& a, const Side& b) { return {a.id, b.id, a.name, b.name}; }

inline std::vector<ObjectPair> collisions(const Pairs& pairs, double margin) {
  std::vector<ObjectPair> found;
  for (const auto& [a, b] : pairs) {
    if (collide(*a.placed, *b.placed, {.margin = margin_of(margin, a, b)})) found.push_back(named(a, b));
  }
  return found;
}

inline std::vector<SceneContact> all_contacts(const Pairs& pairs, double margin, std::size_t max) {
  std::vector<SceneContact> found;
  for (const auto& [a, b] : pairs) {
    const Contacts of_pair = contacts(*a.placed, *b.placed, {.max = max, .margin = margin_of(margin, a, b)});
    for (const Contact& c : of_pair) {
      SceneContact s{c, named(a, b)};
      s.depth += a.padding + b.padding;
      s.point += (a.padding - b.padding) / 2 * c.normal;
      found.push_back(s);
    }
  }
  return found;
}

inline SceneDistance nearest(const Pairs& pairs, double limit, bool depth) {
  SceneDistance best;
  best.beyond = true;
  for (const auto& [a, b] : pairs) {
    const double padding = added(a.padding, b.padding);
    SceneDistance d{distance(*a.placed, *b.placed, {.limit = added(limit, padding), .depth = depth}), named(a, b)};
    if (d.beyond) continue;
    if (padding > 0) d.value -= padding;
    if (best.beyond || d.value < best.value) best = d;
  }
  return best;
}

inline bool same(const ObjectPair& a, const ObjectPair& b) { return a == b; }

/// What a scene answers wrongly about pairs; empty if nothing.
struct Answers {
  std::vector<ObjectPair> collisions;
  bool any = false;
  std::vector<SceneContact> contacts, few_contacts;
  std::size_t contact_count = 0;
  SceneDistance distance;
};

inline std::string difference(const Answers& given, const Pairs& pairs, double margin, std::size_t max, double limit) {
  const std::vector<ObjectPair> expected = collisions(pairs, margin);
  if (given.collisions != expected) return "colliding pairs";
  if (given.any != !expected.empty()) return "whether anything collides";
  std::vector<SceneContact> all = all_contacts(pairs, margin, max);
  if (given.contact_count != all.size()) return "the number of contacts";
  const auto equal = [](const SceneContact& a, const SceneContact& b) {
    return a.pair == b.pair && a.depth == b.depth && a.a == b.a && a.b == b.b;
  };
  // By pair, the deepest first; the verb's order may have equally deep ones otherwise.
  std::stable_sort(all.begin(), all.end(), [](const SceneContact& a, const SceneContact& b) {
    if (a.pair.id_a != b.pair.id_a) return a.pair.id_a < b.pair.id_a;
    if (a.pair.id_b != b.pair.id_b) return a.pair.id_b < b.pair.id_b;
    if (a.depth != b.depth) return a.depth > b.depth;
    return a.a != b.a ? a.a < b.a : a.b < b.b;
  });
  if (!std::equal(given.contacts.begin(), given.contacts.end(), all.begin(), all.end(), equal)) return "contacts";
  for (std::size_t i = 0; i < std::min(all.size(), given.few_contacts.size()); ++i) {
    if (!equal(given.few_contacts[i], all[i])) return "the first contacts";
  }
  const SceneDistance best = nearest(pairs, limit, true);
  if (given.distance.beyond != best.beyond) return "whether anything is within the limit";
  if (best.beyond) return "";
  if (given.distance.value != best.value) return "the smallest distance";
  if (given.distance.pair != best.pair) return "the nearest pair";
  if (given.distance.a != best.a || given.distance.b != best.b) return "the nearest features";
  if (!(given.distance.tolerance >= best.tolerance)) return "the tolerance";
  return "";
}

inline Answers about_itself(const Scene& scene, double margin, std::size_t max, double limit) {
  Answers a;
  a.collisions.resize(scene.size() * scene.size());
  a.collisions.resize(self_collisions(scene, a.collisions, {.margin = margin}));
  a.any = self_collide(scene, {.margin = margin});
  a.contacts.resize(40 * scene.size() * scene.size());
  a.contact_count = self_contacts(scene, a.contacts, {.max = max, .margin = margin});
  a.contacts.resize(a.contact_count);
  a.few_contacts.resize(3);
  a.few_contacts.resize(std::min<std::size_t>(3, self_contacts(scene, a.few_contacts, {.max = max, .margin = margin})));
  a.distance = self_distance(scene, {.limit = limit});
  return a;
}

template <class Other>
Answers about(const Scene& scene, const Other& other, double margin, std::size_t max, double limit,
              std::string_view as) {
  Answers a;
  visit_collisions(scene, other, {.margin = margin, .as = as}, [&](const ObjectPair& p) { a.collisions.push_back(p); });
  std::sort(a.collisions.begin(), a.collisions.end(), [](const ObjectPair& x, const ObjectPair& y) {
    return x.id_a != y.id_a ? x.id_a < y.id_a : x.id_b < y.id_b;
  });
  a.any = collide(scene, other, {.margin = margin, .as = as});
  a.contacts.resize(40 * scene.size() * 50);
  a.contact_count = contacts(scene, other, a.contacts, {.max = max, .margin = margin, .as = as});
  a.contacts.resize(a.contact_count);
  a.distance = distance(scene, other, {.limit = limit, .as = as});
  return a;
}

}  // namespace graze_test::scene_model
