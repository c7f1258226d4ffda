#include <algorithm>

#include "clearance/engine.h"

namespace graze::clearance {
namespace {

// One element along one motion by bounds of its own: the value changes by no more than the place moves, and the place
// by no more than travel and turn allow; near the minimum, by the second derivative. Shares with the engine only the
// distance of a place from an element.
class Straightforward {
 public:
  Straightforward(const ModelData& model, const Motion& motion, const Vec3& p, std::uint32_t pose)
      : model_(model), motion_(motion), p_(p), pose_(pose) {}

  void run(PointClearance& best, double& value) {
    const double far = std::max((p_ - motion_.from().translation()).norm(), (p_ - motion_.to().translation()).norm());
    speed_ = motion_.travel() + motion_.turn() * far;
    bend_ = motion_.turn() * (motion_.turn() * far + 2 * motion_.travel());
    if (model_.solid()) {
      look(0, kWhole, 0, 1, best, value);
      look(1, kWhole, 0, 1, best, value);
      divide(kWhole, 0, 1, best, value);
      return;
    }
    for (std::size_t slot = 0; slot < model_.tree->order.size(); ++slot) {
      if (model_.tree->order[slot] == bvh::kNone) continue;
      divide(slot, 0, 1, best, value);
    }
  }

 private:
  static constexpr std::size_t kWhole = static_cast<std::size_t>(-1);

  struct At {
    Vec3 place;
    Reach reach;
    std::uint32_t element;
  };
  At at(std::size_t slot, double t) const {
    const Pose pose = motion_.at(t);
    At a;
    a.place = pose.rotation().transpose() * (p_ - pose.translation());
    if (slot == kWhole) {
      a.reach = {kInfinity, Vec3::Zero()};
      for (std::size_t k = 0; k < model_.tree->order.size(); ++k) {
        if (model_.tree->order[k] == bvh::kNone) continue;
        const Reach r = model_.core_reach(k, a.place);
        if (r.value < a.reach.value) {
          a.reach = r;
          a.element = model_.element(k);
        }
      }
      if (model_.mesh.winding(a.place) != 0) {
        const ModelDistance inside = model_.inside_distance(a.place);
        a.reach.value = inside.value, a.element = inside.element;
      }
    } else {
      a.reach = model_.core_reach(slot, a.place);
      a.reach.value -= model_.radius;
      a.element = model_.element(slot);
    }
    return a;
  }
  At look(double t, std::size_t slot, double, double, PointClearance& best, double& value) const {
    const At a = at(slot, t);
    if (a.reach.value < value) {
      value = a.reach.value;
      best = {value, pose_, static_cast<float>(t), a.element};
    }
    return a;
  }

  // Convex along the chord: above both tangents, so above where they cross; bisected here.
  static double convex_bound(const Reach& a, const Reach& b, const Vec3& segment) {
    const double rise = a.normal.dot(segment), fall = -b.normal.dot(segment);
    if (rise >= 0) return a.value;
    if (fall >= 0) return b.value;
    double low = 0, high = 1;
    for (int k = 0; k < 60; ++k) {
      const double s = (low + high) / 2;
      (a.value + rise * s > b.value + fall * (1 - s) ? low : high) = s;
    }
    return std::max(a.value + rise * high, b.value + fall * (1 - low));
  }
  // Positive only where the chord, with what the motion leaves it by, does not meet the surface: then both ends being
  // outside, all of it is.
  double shell_bound(const At& a, const At& b, double width) const {
    double min_value = kInfinity;
    for (std::size_t k = 0; k < model_.tree->order.size(); ++k) {
      if (model_.tree->order[k] == bvh::kNone) continue;
      min_value = std::min(
          min_value, convex_bound(model_.core_reach(k, a.place), model_.core_reach(k, b.place), b.place - a.place));
    }
    min_value -= bend_ * width * width / 8;
    return min_value > 0 ? min_value : -kInfinity;
  }

  void divide(std::size_t slot, double begin, double end, PointClearance& best, double& value) const {
    const At a = look(begin, slot, 0, 0, best, value), b = look(end, slot, 0, 0, best, value);
    divide(slot, begin, end, a, b, best, value);
  }
  void divide(std::size_t slot, double begin, double end, const At& a, const At& b, PointClearance& best,
              double& value) const {
    const double width = end - begin;
    double bound = (a.reach.value + b.reach.value - speed_ * width) / 2;
    if (slot == kWhole) {
      // No deeper than the distance from any triangle, which is greatest at an end of the chord.
      for (std::size_t k = 0; k < model_.tree->order.size(); ++k) {
        if (model_.tree->order[k] == bvh::kNone) continue;
        const double max_reach = std::max(model_.core_reach(k, a.place).value, model_.core_reach(k, b.place).value);
        bound = std::max(bound, -max_reach - bend_ * width * width / 8);
      }
      // Nor nearer from outside than all triangles are, each of them convex along the chord.
      if (a.reach.value > 0 && b.reach.value > 0) bound = std::max(bound, shell_bound(a, b, width));
    } else {
      bound = std::max(bound, convex_bound(a.reach, b.reach, b.place - a.place) - bend_ * width * width / 8);
    }
    if (bound > value - tolerance_at(p_, model_) || speed_ * width < tolerance_at(p_, model_) / 8) return;
    const double middle = (begin + end) / 2;
    const At m = look(middle, slot, 0, 0, best, value);
    divide(slot, begin, middle, a, m, best, value);
    divide(slot, middle, end, m, b, best, value);
  }

  const ModelData& model_;
  const Motion& motion_;
  const Vec3& p_;
  std::uint32_t pose_;
  double speed_ = 0, bend_ = 0;
};

}  // namespace

PointClearance brute_force_clearance(const Model& model, std::span<const Pose> path, const Vec3& point, double limit) {
  if (!is_finite(point)) return {.pose = PointClearance::kSkipped};
  PointClearance best;
  double value = limit + kTolerance;
  const std::size_t motions = std::max<std::size_t>(1, path.size() - 1);
  for (std::size_t i = 0; i < motions; ++i) {
    const std::size_t next = std::min(i + 1, path.size() - 1);
    const Motion motion(path[i], path[next]);
    const auto run = [&](const Model& shape) {
      if (data_of(shape).tree == nullptr) return;
      Straightforward(data_of(shape), motion, point, static_cast<std::uint32_t>(i)).run(best, value);
    };
    if (model.is_deforming()) {
      run(model.frames()[i]);
      if (next != i) run(model.frames()[next]);
    } else {
      run(model);
    }
  }
  if (best.found() && !(best.fraction < 1)) {
    best.fraction = 0;
    if (path.size() > 1) ++best.pose;
  }
  if (best.found()) best.clearance = std::min(value, limit);
  return best;
}

}  // namespace graze::clearance
