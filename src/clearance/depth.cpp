#include "graze/clearance/depth.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "graze/base/elementary.h"
#include "graze/base/error.h"

namespace graze::clearance {
namespace {

constexpr double kTouch = 1e-9, kMinStep = 1e-7;  // metres
constexpr int kMaxSteps = 100000;

// From outside towards the place and beyond, by as much as is free each time: minus the place of the first contact.
double outermost(const Model& model, const Vec3& place, int axis, double margin) {
  const double sign = place[axis] < 0 ? -1 : 1;
  Vec3 out = Vec3::Zero();
  out[axis] = sign;
  const Aabb box = model.bounds().grown(margin);
  for (int i = 0; i < 3; ++i) {
    if (i != axis && !(place[i] >= box.min[i] && place[i] <= box.max[i])) return kInfinity;
  }
  const double far = sign > 0 ? box.max[axis] - place[axis] : place[axis] - box.min[axis],
               end = sign > 0 ? box.min[axis] - place[axis] : place[axis] - box.max[axis];
  double s = far;
  for (int k = 0; s >= end; ++k) {
    const double free = model.distance(place + s * out).value - margin;
    if (free <= kTouch || k > kMaxSteps) return -s;
    s -= std::max(free, kMinStep);
  }
  return kInfinity;
}

struct Nearest {
  const SweptClearance* swept;
  PointClearance result;
};

Nearest nearest_of(std::span<const SweptClearance> together, const Vec3& point) {
  Nearest nearest{&together[0], together[0].at(point)};
  for (const SweptClearance& other : together.subspan(1)) {
    const PointClearance result = other.at(point);
    if (result.clearance < nearest.result.clearance) nearest = {&other, result};
  }
  return nearest;
}

// Whether a place is out of what is swept, grown by the margin.
struct Inside {
  bool out;
  double depth;  // the clearance is below the margin by at least this much; 0 if out
};

// The clearance is taken no more exactly than it takes to tell, and to go on by at least half of what it allows: the
// deepest moment of a place well inside of a turning model is a matter of milliseconds to 1e-9 m and of microseconds to
// a tenth of the depth.
Inside inside_at(std::span<const SweptClearance> together, const Vec3& place, double margin, double step) {
  constexpr double kCoarse = 0.064, kFiner = 8;  // metres; factor
  const double fine = step / 8;
  double tolerance = 0;
  for (const SweptClearance& swept : together) tolerance = std::max(tolerance, swept.tolerance());
  for (double slack = std::max(kCoarse, fine);; slack = std::max(slack / kFiner, fine)) {
    double max_clearance = kInfinity;
    for (const SweptClearance& swept : together) max_clearance = std::min(max_clearance, swept.at_most(place, slack));
    if (max_clearance - slack - tolerance > margin) return {true, 0};
    if (max_clearance <= margin - slack) return {false, margin - max_clearance};
    if (slack > fine) continue;
    if (max_clearance <= margin) return {false, margin - max_clearance};
    break;
  }
  const double exact = nearest_of(together, place).result.clearance;
  return {exact > margin, exact > margin ? 0 : margin - exact};
}

}  // namespace

DirectionalClearance directional_clearance(const Model& model, const Pose& pose, const Vec3& point, double margin) {
  if (!is_finite(point) || !(margin >= 0)) return {-kInfinity, -kInfinity};
  if (model.bounds().empty()) return {};
  const Vec3 place = pose.rotation().transpose() * (point - pose.translation());
  return {outermost(model, place, 1, margin), outermost(model, place, 2, margin)};
}

ExitDepth exit_depth(const SweptClearance& swept, const Vec3& point, const ExitDepthOptions& options) {
  return exit_depth(std::span(&swept, 1), point, options);
}

ExitDepth exit_depth(std::span<const SweptClearance> together, const Vec3& point, const ExitDepthOptions& options) {
  if (together.empty()) throw Error("exit_depth", "needs at least one model");
  double margin = options.margin;
  for (const SweptClearance& swept : together) margin = std::min(margin, swept.options().limit);
  const Nearest here = nearest_of(together, point);
  if (here.result.skipped()) return {kInfinity, Vec3::Zero(), kInfinity, false};
  if (!(here.result.clearance <= margin)) return {};
  const Mat3 rotation = here.swept->pose_of(here.result).rotation();
  const double step = std::max(options.resolution, kMinStep);
  ExitDepth best{kInfinity, Vec3::Zero(), margin - here.result.clearance, false};
  struct Ray {
    Vec3 direction;
    double inside, free;  // no place within `free` of the one at `inside` is out
  };
  const int count = std::max(1, options.directions);
  std::vector<Ray> rays;
  for (int k = 0; k < count; ++k) {
    const double angle = 2 * 3.14159265358979323846 * k / count;
    rays.push_back(
        {rotation * Vec3(0, elementary::cos(angle), elementary::sin(angle)), 0, margin - here.result.clearance});
  }
  // All at once, the one behind first, so that none is followed farther than the shortest exit.
  std::ptrdiff_t found_at = count;
  for (;;) {
    const auto ray =
        std::min_element(rays.begin(), rays.end(), [](const Ray& x, const Ray& y) { return x.inside < y.inside; });
    if (!(ray->inside < std::min(best.depth, options.farthest))) return best;
    const double next = ray->inside + std::max(ray->free, step);
    const Inside there = inside_at(together, point + next * ray->direction, margin, step);
    if (!there.out) {
      ray->inside = next, ray->free = there.depth;
      continue;
    }
    double out = next;
    while (out - ray->inside > step / 16) {
      const double middle = (ray->inside + out) / 2;
      (inside_at(together, point + middle * ray->direction, margin, step).out ? out : ray->inside) = middle;
    }
    ray->inside = kInfinity;  // done
    if (const std::ptrdiff_t k = ray - rays.begin(); out < best.depth || (out == best.depth && k < found_at)) {
      best = {out, ray->direction, best.at_least, true};
      found_at = k;
    }
  }
}

}  // namespace graze::clearance
