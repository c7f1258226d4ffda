#include "graze/clearance/depth.h"

#include <algorithm>
#include <cmath>

#include "graze/base/error.h"

namespace graze {
namespace {

constexpr double kTouch = 1e-9, kLeastStep = 1e-7;  // metres
constexpr int kMostSteps = 100000;

// From outside towards the place and beyond, by as much as is free each time: minus the place of the first contact.
double outermost(const ClearanceModel& model, const Vec3& place, int axis, double margin) {
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
    if (free <= kTouch || k > kMostSteps) return -s;
    s -= std::max(free, kLeastStep);
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

}  // namespace

DirectionalClearance directional_clearance(const ClearanceModel& model, const Pose& pose, const Vec3& point,
                                           double margin) {
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
  const double step = std::max(options.resolution, kLeastStep);
  ExitDepth best{kInfinity, Vec3::Zero(), margin - here.result.clearance, false};
  const int count = std::max(1, options.directions);
  for (int k = 0; k < count; ++k) {
    const double angle = 2 * 3.14159265358979323846 * k / count;
    const Vec3 direction = rotation * Vec3(0, std::cos(angle), std::sin(angle));
    const auto clearance_at = [&](double way) {
      return nearest_of(together, point + way * direction).result.clearance;
    };
    double inside = 0, clearance = here.result.clearance;
    for (;;) {
      // The clearance grows no faster than the way, so that nothing on this part of it can be out.
      const double next = inside + std::max(margin - clearance, step);
      if (inside >= std::min(best.depth, options.farthest)) break;
      clearance = clearance_at(next);
      if (!(clearance > margin)) {
        inside = next;
        continue;
      }
      double out = next;
      while (out - inside > step / 16) {
        const double middle = (inside + out) / 2;
        (clearance_at(middle) > margin ? out : inside) = middle;
      }
      if (out < best.depth) best = {out, direction, best.at_least, true};
      break;
    }
  }
  return best;
}

}  // namespace graze
