// Rays, moving spheres and points: what is first or nearest of all objects.
#include <cmath>

#include "graze/base/error.h"
#include "graze/scene/scene_query.h"
#include "query/slab.h"
#include "scene/pairs.h"

namespace graze::scene {
namespace {

// The first of the answers, by `number`, ties to the lower id.
template <class Hit>
class First {
 public:
  explicit First(double limit) : limit_(limit) {}
  double limit() const { return limit_; }
  template <class Answer>
  void add(const Object& object, double number, const Answer& answer) {
    if (number > limit_ || (number == limit_ && object.id > hit.id)) return;
    static_cast<Answer&>(hit) = answer;
    hit.id = object.id, hit.name = object.name;
    limit_ = number;
  }
  Hit hit;

 private:
  double limit_;
};

struct RayQuestion : First<SceneRayHit> {
  const Ray& ray;
  Line line;
  double slack;

  RayQuestion(const Ray& r, const Aabb& around) : First(r.length()), ray(r), line{r.origin(), r.direction()} {
    const double size = around.bounded() ? around.min.cwiseAbs().sum() + around.max.cwiseAbs().sum() : 0;
    slack = 64 * kEpsilon * (r.origin().cwiseAbs().sum() + size);
  }
  double bound(const Aabb& box) const { return slab_entry(box, line, 0, ray.length(), slack); }
  void leaf(const SceneTree&, std::size_t i) {
    const Object& object = SceneTree::object(i);
    const RayHit found = raycast(object.placed, ray);
    if (found.found()) add(object, found.distance, found);
  }
};

struct SweepQuestion : First<SceneSphereHit> {
  const Data& data;
  const SphereMove& move;
  Role role;
  double margin;
  Line line;
  double slack;

  SweepQuestion(const Data& d, const SphereMove& m, const SceneCollideOptions& options, const Aabb& around)
      : First(1),
        data(d),
        move(m),
        role(role_of(d, options.as)),
        margin(options.margin),
        line{m.from(), m.direction()} {
    double size = m.from().cwiseAbs().sum() + m.to().cwiseAbs().sum();
    if (around.bounded()) size += around.min.cwiseAbs().sum() + around.max.cwiseAbs().sum();
    // More than the steps towards a body may stop short of it.
    slack = (m.radius() + std::max(margin, 0.0)) * (1 + 8 * kEpsilon) + 512 * kEpsilon * size;
  }
  // Nothing of the box is touched before its own, by the same roundings downwards.
  double bound(const Aabb& box) const {
    const double at = slab_entry(box, line, 0, move.length(), slack);
    if (at == kInfinity) return kInfinity;
    return move.length() > 0 ? (at + slack) * (1 - 16 * kEpsilon) / move.length() - 64 * kEpsilon : 0;
  }
  void leaf(const SceneTree&, std::size_t i) {
    const Object& object = SceneTree::object(i);
    if (role.passes_over(data, object)) return;
    const SphereHit found = sweep_sphere(object.placed, move, sum_up(margin, object.margin, object.padding));
    if (found.found()) add(object, found.fraction, found);
  }
};

class PointQuestion {
 public:
  PointQuestion(const Vec3& point, double limit) : point_(point), box_{point, point}, limit_(limit) {}
  double bound(const Aabb& box) const { return lower_gap(box, box_); }
  // Overlaps are all measured, so that the deepest does not depend on which was asked first.
  double limit() const { return std::max(best.found() ? best.distance : limit_, 0.0); }
  void leaf(const SceneTree&, std::size_t i) {
    const Object& object = SceneTree::object(i);
    ClosestPoint c = closest_point(object.placed, point_, sum_up(limit_, object.padding));
    if (!c.found()) return;
    if (object.padding > 0) {
      c.tolerance += 4 * kEpsilon * (std::abs(c.distance) + object.padding);
      c.distance -= object.padding;
      c.point += object.padding * c.normal;
    }
    lower_ = std::min(lower_, c.distance - c.tolerance);
    if (best.found() && (c.distance > best.distance || (c.distance == best.distance && object.id > best.id))) return;
    static_cast<ClosestPoint&>(best) = c;
    best.id = object.id, best.name = object.name;
  }
  SceneClosestPoint answer() const {
    SceneClosestPoint r = best;
    if (r.found() && std::isfinite(lower_)) r.tolerance = std::max(r.tolerance, r.distance - lower_);
    return r;
  }
  SceneClosestPoint best;

 private:
  const Vec3& point_;
  Aabb box_;
  double limit_, lower_ = kInfinity;
};

}  // namespace
}  // namespace graze::scene

namespace graze {

using scene::SceneTree;

SceneClosestPoint closest_point(const Scene& scene, const Vec3& point, double limit) {
  if (!is_finite(point)) throw Error("point", "must be finite");
  scene::PointQuestion question(point, std::isnan(limit) ? kInfinity : limit);
  traverse(SceneTree(scene::data_of(scene)), question);
  return question.answer();
}

SceneRayHit raycast(const Scene& scene, const Ray& ray) {
  scene::RayQuestion question(ray, scene.bounds());
  traverse(SceneTree(scene::data_of(scene)), question);
  return question.hit;
}

SceneSphereHit sweep_sphere(const Scene& scene, const SphereMove& move, const SceneCollideOptions& options) {
  const scene::Data& data = scene::data_of(scene);
  scene::SweepQuestion question(data, move, options, scene.bounds());
  traverse(SceneTree(data), question);
  return question.hit;
}

}  // namespace graze
