// Bodies that move through a scene, and objects of it that move.
#include "graze/query/sweep.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "graze/base/parallel.h"
#include "graze/scene/scene_sweep.h"
#include "query/each.h"
#include "query/sweep_options.h"
#include "scene/pairs.h"

namespace graze::scene {
namespace {

constexpr std::size_t kStretches = 8;

// Where a body can be during each stretch of the motion, with everything that lets a sweep call it near.
using StretchBoxes = std::array<Aabb, kStretches>;

double sum_of(const Vec3& v) { return v.cwiseAbs().sum(); }

// Grown by `near` metres and what rounding does.
StretchBoxes boxes_of(const Moving& body, double near) {
  StretchBoxes boxes;
  const Aabb local = bounds(body.geometry, body.local);
  if (local.empty()) return boxes;
  boxes.fill(Aabb::everything());
  if (!local.bounded()) return boxes;
  const double radius = local.min.cwiseAbs().cwiseMax(local.max.cwiseAbs()).norm() * (1 + 8 * kEpsilon);
  // Poses are off by some roundings of their coordinates.
  const double travelled = body.motion.reach(radius, 0, 1);
  const double rounding = 64 * kEpsilon * (sum_of(body.motion.at(0).translation()) + radius + travelled);
  Aabb start = transformed(local, body.motion.at(0));
  for (std::size_t k = 0; k < kStretches; ++k) {
    const double from = static_cast<double>(k) / kStretches, to = static_cast<double>(k + 1) / kStretches;
    const Aabb end = transformed(local, body.motion.at(to));
    // A point leaves the line between its ends by no more than bend · t² / 8; or half of its path, whatever that is.
    double beside = body.motion.reach(radius, from, to) / 2;
    if (body.motion.smooth_until(from) >= to) {
      const double bend = body.motion.bend(radius, from, to);
      if (bend * (to - from) * (to - from) / 8 < beside) beside = bend * (to - from) * (to - from) / 8;
    }
    const double by = sum_up(near, body.uncertainty, rounding, beside * (1 + 16 * kEpsilon));
    if (std::isfinite(by)) boxes[k] = Aabb(start).extend(end).grown(by);
    start = end;
  }
  return boxes;
}

StretchBoxes boxes_of(const Deforming& body, double near) {
  StretchBoxes boxes;
  const Aabb local = body.mesh.bounds();
  if (local.empty()) return boxes;
  const Aabb world = transformed(local, body.pose);
  const double size = sum_of(world.min) + sum_of(world.max);
  boxes.fill(world.grown(sum_up(near, body.uncertainty, 64 * kEpsilon * size)));
  return boxes;
}

// What a moving body is called, and its part in the scene.
struct Mover {
  Role role = {};
  ObjectId id = kNoObject;
  std::string_view name = {};
  double thickness = 0;                              // margin and padding
  const std::vector<const Object*>* with = nullptr;  // what moves along, by id

  bool passes_over(const Data& data, const Object& other) const {
    if (with != nullptr && std::binary_search(with->begin(), with->end(), &other,
                                              [](const Object* a, const Object* b) { return a->id < b->id; }))
      return true;
    return role.passes_over(data, other);
  }
};

// A body against the objects of a scene, the earliest that it can touch first.
template <class Body>
class SweepThrough {
 public:
  SweepThrough(const Data& data, const Body& body, const Mover& mover, const SceneSweepOptions& options)
      : data_(data),
        body_(body),
        mover_(mover),
        options_(options),
        near_(sum_up(options.margin, mover.thickness)),
        boxes_(boxes_of(body, sum_up(near_, options.tolerance))) {
    best.time = kInfinity;
  }

  // The first stretch in which the body can be near.
  double bound(const Aabb& box) const {
    for (std::size_t k = 0; k < kStretches; ++k) {
      if (overlap(boxes_[k], box)) return static_cast<double>(k) / kStretches;
    }
    return kInfinity;
  }
  double limit() const { return any_ && best.hit ? -kInfinity : std::min(best.time, 1.0); }
  void leaf(const SceneTree&, std::size_t i) {
    const Object& object = SceneTree::object(i);
    const double from = bound(object.box);
    if (from > limit() || mover_.passes_over(data_, object)) return;
    const SweepOptions options{.margin = sum_up(near_, object.margin, object.padding),
                               .tolerance = options_.tolerance,
                               .max_steps = options_.max_steps};
    if constexpr (std::same_as<Body, Moving>) {
      if (any_) {
        best.hit = sweep_hits(body_, still(object.placed), options);
        return;
      }
    }
    SceneSweep found{sweep(body_, still(object.placed), options), {mover_.id, object.id, mover_.name, object.name}};
    if (!found.hit) return;
    // Out of steps before the boxes meet: until then it is free, and the answer does not depend on the order of visits.
    if (!found.certain && found.time < from) stop_at(from, object, found);
    if (best.hit && (found.time > best.time || (found.time == best.time && found.pair > best.pair))) return;
    best = found;
  }

  // For the question whether there is any.
  void any() { any_ = true; }
  // The first of all, or of several bodies that move together.
  SceneSweep best;

 private:
  void stop_at(double time, const Object& object, SceneSweep& found) const {
    if constexpr (std::same_as<Body, Moving>) {
      found.time = time;
      found.last_free = std::max(found.last_free, std::nextafter(time, 0.0));
      found.pose_a = body_.motion.at(time);
      Placed there = at(body_.geometry, found.pose_a, body_.local);
      there.uncertainty += body_.uncertainty;
      found.contact = distance(there, object.placed, {.depth = false});
    }
  }

  const Data& data_;
  const Body& body_;
  const Mover& mover_;
  const SceneSweepOptions& options_;
  const double near_;
  const StretchBoxes boxes_;
  bool any_ = false;
};

// The best of all, with the time of no hit.
SceneSweep finished(SceneSweep best, const Pose& end) {
  if (best.hit) return best;
  best.time = 1, best.last_free = 1;
  best.pose_a = end;
  return best;
}
const Pose& end_of(const Deforming& body) { return body.pose; }
Pose end_of(const Moving& body) { return body.motion.at(1); }

template <class Body>
SceneSweep first_contact_of(const Data& data, const Body& body, const SceneSweepOptions& options) {
  check_sweep_options(options.margin, options.tolerance, options.max_steps);
  const Mover mover{.role = role_of(data, options.as)};
  SweepThrough<Body> question(data, body, mover, options);
  traverse(SceneTree(data), question);
  return finished(question.best, end_of(body));
}

bool any_contact_of(const Data& data, const Moving& body, const SceneSweepOptions& options) {
  check_sweep_options(options.margin, options.tolerance, options.max_steps);
  const Mover mover{.role = role_of(data, options.as)};
  SweepThrough<Moving> question(data, body, mover, options);
  question.any();
  traverse(SceneTree(data), question);
  return question.best.hit;
}

// A motion relative to a frame that stays where it is.
struct CarriedMotion {
  Pose outer;
  AnyMotion inner;

  Pose at(double t) const { return outer * inner.at(t); }
  double reach(double radius, double begin, double end) const { return inner.reach(radius, begin, end); }
  std::optional<MotionPiece> piece(double t) const {
    std::optional<MotionPiece> p = inner.piece(t);
    if (p) p->velocity = outer.rotation() * p->velocity, p->axis = (outer.rotation() * p->axis).normalized();
    return p;
  }
  double bend(double radius, double begin, double end) const { return inner.bend(radius, begin, end); }
  double smooth_until(double t) const { return inner.smooth_until(t); }
};

// An object and everything attached to it, which moves with it.
class MovingObjects {
 public:
  MovingObjects(const Data& data, std::string_view name, const AnyMotion& motion) : motion_(motion) {
    const Object& object = data.object(name);
    Frame first;  // off by what the frame of the parent is off
    if (object.parent != kNoObject) {
      constexpr double kTurned = 16 * kEpsilon;  // of a product of rotations, and of what it turns
      const Frame& outer = (*data.objects.find(object.parent))->frame;
      const double far = sum_of(motion.at(0).translation()) + motion.reach(0, 0, 1);
      motion_ = CarriedMotion{outer.pose, motion};
      first.shift = outer.shift + (outer.turn + kTurned) * far + kTurned * sum_of(outer.pose.translation());
      first.turn = outer.turn + kTurned;
    }
    std::vector<Frame> frames{first};
    add(object, first);
    // What is attached to what was found, until nothing is.
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      const ObjectId parent = objects_[i]->id;
      data.attached.visit_from(std::pair(parent, ObjectId{0}), [&](const auto& edge, const auto&) {
        if (edge.first != parent) return false;
        const Object& child = **data.objects.find(edge.second);
        frames.push_back(frames[i] * child.relative);
        add(child, frames.back());
        return true;
      });
    }
    together_ = objects_;
    std::sort(together_.begin(), together_.end(), [](const Object* a, const Object* b) { return a->id < b->id; });
  }

  // visit(body, mover) for each, until it returns false.
  template <class Visit>
  void visit(const Visit& visit) const {
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      const Object& o = *objects_[i];
      if (!visit(bodies_[i], Mover{{.object = &o}, o.id, o.name, sum_up(o.margin, o.padding), &together_})) return;
    }
  }
  Pose end() const { return motion_.at(1); }

 private:
  // `inner`: its frame as seen from that of the object that moves.
  void add(const Object& o, const Frame& inner) {
    const Placed there = placed_at(o, inner);
    objects_.push_back(&o);
    bodies_.push_back({there.geometry, motion_, there.pose, there.uncertainty});
  }

  AnyMotion motion_;
  std::vector<const Object*> objects_, together_;
  std::vector<Moving> bodies_;
};

SceneSweep swapped(SceneSweep s) {
  std::swap(s.pose_a, s.pose_b);
  std::swap(s.contact.on_a, s.contact.on_b);
  std::swap(s.contact.a, s.contact.b);
  s.contact.normal = -s.contact.normal;
  std::swap(s.pair.id_a, s.pair.id_b);
  std::swap(s.pair.name_a, s.pair.name_b);
  return s;
}

// answer(one set of options, body, i) for each motion, on several threads.
template <class Answer>
void sweep_motions(const Geometry& body, std::span<const Motion> motions, const SceneSweepEachOptions& options,
                   const Answer& answer) {
  check_sweep_options(options.margin, options.tolerance, options.max_steps);
  const SceneSweepOptions one{options.margin, options.tolerance, options.max_steps, options.as};
  parallel_chunks(motions.size(),
                  [&](std::size_t begin, std::size_t end) {
                    for (std::size_t i = begin; i < end; ++i) answer(one, at(body, motions[i]), i);
                  },
                  {.threads = options.threads});
}

}  // namespace
}  // namespace graze::scene

namespace graze {

using scene::data_of;

SceneSweep sweep(const Moving& body, const Scene& scene, const SceneSweepOptions& options) {
  return scene::first_contact_of(data_of(scene), body, options);
}
SceneSweep sweep(const Scene& scene, const Moving& body, const SceneSweepOptions& options) {
  return scene::swapped(sweep(body, scene, options));
}
SceneSweep sweep(const Deforming& body, const Scene& scene, const SceneSweepOptions& options) {
  return scene::first_contact_of(data_of(scene), body, options);
}
SceneSweep sweep(const Scene& scene, const Deforming& body, const SceneSweepOptions& options) {
  return scene::swapped(sweep(body, scene, options));
}

SceneSweep sweep(const Scene& scene, std::string_view name, const AnyMotion& motion, const SceneSweepOptions& options) {
  check_sweep_options(options.margin, options.tolerance, options.max_steps);
  const scene::Data& data = data_of(scene);
  const scene::MovingObjects moving(data, name, motion);
  SceneSweep best;
  best.time = kInfinity;
  moving.visit([&](const Moving& body, const scene::Mover& mover) {
    scene::SweepThrough<Moving> question(data, body, mover, options);
    question.best = best;
    traverse(scene::SceneTree(data), question);
    best = question.best;
    return true;
  });
  return scene::finished(best, moving.end());
}

bool sweep_hits(const Moving& body, const Scene& scene, const SceneSweepOptions& options) {
  return scene::any_contact_of(data_of(scene), body, options);
}
bool sweep_hits(const Scene& scene, const Moving& body, const SceneSweepOptions& options) {
  return sweep_hits(body, scene, options);
}
bool sweep_hits(const Scene& scene, std::string_view name, const AnyMotion& motion, const SceneSweepOptions& options) {
  check_sweep_options(options.margin, options.tolerance, options.max_steps);
  const scene::Data& data = data_of(scene);
  bool hit = false;
  scene::MovingObjects(data, name, motion).visit([&](const Moving& body, const scene::Mover& mover) {
    scene::SweepThrough<Moving> question(data, body, mover, options);
    question.any();
    traverse(scene::SceneTree(data), question);
    return !(hit = question.best.hit);
  });
  return hit;
}

void sweep_each(const Geometry& body, std::span<const Motion> motions, const Scene& scene, std::span<SceneSweep> sweeps,
                const SceneSweepEachOptions& options) {
  check_room("sweeps", motions.size(), sweeps.size());
  scene::sweep_motions(body, motions, options, [&](const SceneSweepOptions& one, const Moving& moving, std::size_t i) {
    sweeps[i] = sweep(moving, scene, one);
  });
}
void sweep_hits_each(const Geometry& body, std::span<const Motion> motions, const Scene& scene, std::span<bool> hits,
                     const SceneSweepEachOptions& options) {
  check_room("hits", motions.size(), hits.size());
  scene::sweep_motions(body, motions, options, [&](const SceneSweepOptions& one, const Moving& moving, std::size_t i) {
    hits[i] = sweep_hits(moving, scene, one);
  });
}

}  // namespace graze
