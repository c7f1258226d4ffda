#include "clearance/sweep.h"

#include <algorithm>

#include "motion/pose_walk.h"

namespace graze::clearance {

PointClearance Closest::result(const PoseTree& tree, double limit) const {
  if (!found) return {};
  const Step& s = tree.step(step);
  PointClearance r{std::min(value, limit), s.pose, static_cast<float>(s.from + time * (s.to - s.from)), element};
  if (!(r.fraction < 1)) {
    r.fraction = 0;
    ++r.pose;
  }
  return r;
}

// One element of the model, as it is minimised along the motion.
class Sweep::Element {
 public:
  Element(Sweep& sweep, std::size_t slot) : sweep_(sweep), slot_(slot) {}

  Reach reach(const Vec3& place) const {
    Reach r = sweep_.model_.core_reach(slot_, place);
    r.value -= sweep_.model_.radius;
    return r;
  }
  bool hopeless(double bound) const { return sweep_.hopeless(bound); }
  double tolerance() const { return sweep_.tolerance_; }
  bool done() const { return sweep_.done(); }
  void note(const Sample& s, std::uint32_t step, double time) {
    Closest& best = sweep_.best_;
    if (!(s.reach.value < best.value)) return;
    best = {s.reach.value, step, sweep_.model_.element(slot_), time, true};
    sweep_.slot_ = slot_;
  }

 private:
  Sweep& sweep_;
  std::size_t slot_;
};

void Sweep::try_element(std::uint32_t step, std::size_t slot) {
  Element element(*this, slot);
  const Sample a = sample(element, tree_.knot(step).to_model(p_)),
               b = sample(element, tree_.knot(step + 1).to_model(p_));
  element.note(a, step, 0);
  element.note(b, step, 1);
  minimise_step(tree_, p_, step, a, b, element);
}

void Sweep::leaf(std::uint32_t leaf, std::uint32_t pose_node, const Chord& chord) {
  const std::size_t first = std::size_t{bvh::kWidth} * leaf, last = first + model_.tree->leaf_size(leaf);
  const Vec3 segment = chord.to - chord.from;
  const double square = segment.squaredNorm(), less = chord.deviation + model_.radius;
  for (std::size_t slot = first; slot < last && !done(); ++slot) {
    if (model_.kind == Kind::points &&
        hopeless(distance_to_segment(model_.slots[slot], chord.from, segment, square) - less)) {
      continue;
    }
    Element element(*this, slot);
    minimise(tree_, p_, pose_node, element);
  }
}

void Sweep::search(std::uint32_t pose_root) {
  if (model_.tree == nullptr || done()) return;
  walk_pairs(
      tree_, *model_.tree, p_, pose_root, {.negative = model_.kind == Kind::shapes},
      [&](double gap) { return hopeless(gap - model_.radius); },
      [&](std::uint32_t index, std::uint32_t pose, const Chord& chord) {
        leaf(index, pose, chord);
        return !done();
      });
}

void measure_point(const PoseTree& tree, const ModelData& model, const Vec3& p, Closest& best, bool any, double slack) {
  Sweep(tree, model, p, best, any, slack).search(PoseTree::kRoot);
  if (model.solid()) add_depth(tree, model, p, best, any, slack);
}

}  // namespace graze::clearance
