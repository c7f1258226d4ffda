#include "clearance/sweep.h"

#include <algorithm>

#include "clearance/sweep_walk.h"

namespace graze::clearance {

// A place with its value, and how the value grows from there.
struct Sweep::Sample {
  Vec3 place;
  Reach reach;
};

namespace {

// No less than the minimum of a convex function over a segment, from its values and gradients at both ends; `where` is
// the place of the bound on it, in [0, 1].
double tangent_bound(const Reach& a, const Reach& b, const Vec3& way, double& where) {
  const double rise = a.normal.dot(way), fall = -b.normal.dot(way);
  if (rise >= 0) {
    where = 0;
    return a.value;
  }
  if (fall >= 0) {
    where = 1;
    return b.value;
  }
  // a + rise s = b + fall (1 − s)
  where = std::clamp((b.value - a.value + fall) / (rise + fall), 0.0, 1.0);
  return std::min(a.value + rise * where, b.value + fall * (1 - where));
}

// The distance from a convex element grows at least as its gradient says, g · (x − place), along any motion x: as the
// motion's derivatives along g say, but for its third one.
struct Growth {
  double slope, curve;  // first and second derivative by time
};

// The least of slope · s + curve · s² / 2 for s from 0 to `width`; `where` is the place of a minimum between, as a
// share of the width, or 0 or 1.
double least_growth(const Growth& g, double width, double& where) {
  const double at_end = width * (g.slope + width * g.curve / 2);
  where = at_end < 0 ? 1 : 0;
  if (g.slope < 0 && g.curve > 0 && -g.slope < g.curve * width) {
    where = -g.slope / (g.curve * width);
    return -g.slope * g.slope / (2 * g.curve);
  }
  return std::min(0.0, at_end);
}

}  // namespace

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

Sweep::Sample Sweep::sample(std::size_t slot, const Vec3& place) const {
  Sample s{place, model_.core_reach(slot, place)};
  s.reach.value -= model_.radius;
  return s;
}

void Sweep::note(const Sample& s, std::size_t slot, std::uint32_t step, double time) {
  if (!(s.reach.value < best_.value)) return;
  best_.value = s.reach.value;
  best_.step = step;
  best_.time = time;
  best_.element = model_.element(slot);
  best_.found = true;
  slot_ = slot;
}

void Sweep::minimise_step(std::size_t slot, std::uint32_t step, const Sample& from, const Sample& to) {
  struct End {
    Sample at;
    Growth growth;
  };
  struct Part {
    double begin, end;
    End a, b;
    int depth;
  };
  const double bend = tree_.bend(step, p_) / 8, jerk = tree_.jerk(step, p_) / 6;
  double where = 0;
  if (hopeless(tangent_bound(from.reach, to.reach, to.place - from.place, where) - bend)) return;
  const auto growth = [&](const Sample& s, const Passage& passage) -> Growth {
    return {s.reach.normal.dot(passage.velocity), s.reach.normal.dot(passage.acceleration)};
  };
  constexpr int kTangents = 8;  // divisions by tangents in a row; then by halves, so that no function takes long
  Part stack[128];
  std::size_t size = 0;
  stack[size++] = {
      0, 1, {from, growth(from, tree_.passage(step, p_, 0))}, {to, growth(to, tree_.passage(step, p_, 1))}, 0};
  while (size > 0 && !done()) {
    const Part part = stack[--size];
    const double width = part.end - part.begin;
    const Reach &a = part.a.at.reach, &b = part.b.at.reach;
    const Vec3 way = part.b.at.place - part.a.at.place;
    const double deviation = bend * width * width;
    double share = 0, from_a = 0, from_b = 0;
    if (hopeless(tangent_bound(a, b, way, share) - deviation)) continue;
    const double cubic = jerk * width * width * width;
    if (hopeless(least_growth(part.a.growth, width, from_a) + a.value - cubic)) continue;
    if (hopeless(least_growth({-part.b.growth.slope, part.b.growth.curve}, width, from_b) + b.value - cubic)) continue;
    // Nothing between the ends can differ by more than the way.
    if (way.norm() + deviation < tolerance_ / 8 || width < kEpsilon) continue;
    // Where one of the ends foresees the least value, or at the tangents' meeting point, unless that is so near to an
    // end that little would be gained.
    if (from_a > 0 && from_a < 1) share = from_a;
    else if (from_b > 0 && from_b < 1) share = 1 - from_b;
    share = part.depth < kTangents ? std::clamp(share, 0.02, 0.98) : 0.5;
    const double time = part.begin + share * width;
    const Passage passage = tree_.passage(step, p_, time);
    const Sample s = sample(slot, passage.place);
    const End middle{s, growth(s, passage)};
    note(s, slot, step, time);
    const Part left{part.begin, time, part.a, middle, part.depth + 1},
        right{time, part.end, middle, part.b, part.depth + 1};
    const bool left_first = a.value < b.value;
    stack[size++] = left_first ? right : left;
    stack[size++] = left_first ? left : right;
  }
}

void Sweep::minimise(std::size_t slot, std::uint32_t pose_node) {
  struct Part {
    std::uint32_t node;
    Sample a, b;
  };
  Part stack[40];  // halving 2^32 steps
  std::size_t size = 0;
  const PoseNode& top = tree_.node(pose_node);
  const auto at = [&](std::uint32_t knot) { return sample(slot, tree_.knot(knot).to_model(p_)); };
  stack[size++] = {pose_node, at(top.first), at(top.last)};
  note(stack[0].a, slot, top.first, 0);
  note(stack[0].b, slot, top.last - 1, 1);
  while (size > 0 && !done()) {
    const Part part = stack[--size];
    const PoseNode& node = tree_.node(part.node);
    const double deviation = node.place + node.turn * (p_ - node.center).norm();
    double where = 0;
    const Vec3 way = part.b.place - part.a.place;
    if (hopeless(tangent_bound(part.a.reach, part.b.reach, way, where) - deviation)) continue;
    if (node.leaf()) {
      minimise_step(slot, node.first, part.a, part.b);
      continue;
    }
    const std::uint32_t knot = tree_.node(node.left).last;
    const Sample middle = at(knot);
    note(middle, slot, knot, 0);
    const Part left{node.left, part.a, middle}, right{node.right, middle, part.b};
    const bool left_first = where < 0.5;
    stack[size++] = left_first ? right : left;
    stack[size++] = left_first ? left : right;
  }
}

void Sweep::try_element(std::uint32_t step, std::size_t slot) {
  const Sample a = sample(slot, tree_.knot(step).to_model(p_)), b = sample(slot, tree_.knot(step + 1).to_model(p_));
  note(a, slot, step, 0);
  note(b, slot, step, 1);
  minimise_step(slot, step, a, b);
}

void Sweep::leaf(std::uint32_t leaf, std::uint32_t pose_node, const Chord& chord) {
  const std::size_t first = std::size_t{bvh::kWidth} * leaf, last = first + model_.tree->leaf_size(leaf);
  const Vec3 way = chord.to - chord.from;
  const double square = way.squaredNorm(), less = chord.deviation + model_.radius;
  for (std::size_t slot = first; slot < last && !done(); ++slot) {
    if (model_.kind == Kind::points &&
        hopeless(distance_to_segment(model_.slots[slot], chord.from, way, square) - less)) {
      continue;
    }
    minimise(slot, pose_node);
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

void measure_point(const PoseTree& tree, const ModelData& model, const Vec3& p, Closest& best, bool any) {
  Sweep(tree, model, p, best, any).search(PoseTree::kRoot);
  if (model.solid()) add_depth(tree, model, p, best, any);
}

}  // namespace graze::clearance
