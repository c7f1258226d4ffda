// The minimum of a convex function of the position, over a part of a path.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>

#include "motion/halves.h"
#include "motion/pose_tree.h"

namespace graze::motion {

/// Value of a function that is convex in the position, such as the signed distance from a convex element, and its
/// (sub)gradient, which is no longer than 1.
struct Reach {
  double value;
  Vec3 normal;
};

/// A position with its value, and how the value grows from there.
struct Sample {
  Vec3 place;
  Reach reach;
};

/// What is minimised, and what for. `note` receives every value that is computed.
template <class Q>
concept PlaceQuestion = requires(Q& q, const Vec3& place, double number, std::uint32_t step, const Sample& sample) {
  { q.reach(place) } -> std::same_as<Reach>;
  { q.hopeless(number) } -> std::same_as<bool>;  // whether nothing that is no less than this is of interest
  { q.tolerance() } -> std::same_as<double>;     // metres that need not be distinguished
  { q.done() } -> std::same_as<bool>;
  q.note(sample, step, number);  // at a time of a step, in [0, 1]
};

/// No less than the minimum of a convex function over a segment, from its values and gradients at both ends; `where` is
/// the position of the bound on it, in [0, 1].
inline double tangent_bound(const Reach& a, const Reach& b, const Vec3& segment, double& where) {
  const double rise = a.normal.dot(segment), fall = -b.normal.dot(segment);
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

/// A convex function grows at least as its gradient says, g · (x − place), along any motion x: as the motion's
/// derivatives along g say, but for its third one.
struct Growth {
  double slope, curve;  ///< first and second derivative by time
};

/// The minimum of slope · s + curve · s² / 2 for s from 0 to `width`; `where` is the position of a minimum between, as
/// a share of the width, or 0 or 1.
inline double min_growth(const Growth& g, double width, double& where) {
  const double at_end = width * (g.slope + width * g.curve / 2);
  where = at_end < 0 ? 1 : 0;
  if (g.slope < 0 && g.curve > 0 && -g.slope < g.curve * width) {
    where = -g.slope / (g.curve * width);
    return -g.slope * g.slope / (2 * g.curve);
  }
  return std::min(0.0, at_end);
}

template <PlaceQuestion Q>
Sample sample(Q& question, const Vec3& place) {
  return {place, question.reach(place)};
}

/// Over one step, in the frame into which its knots lead, for the point p of the world; `from` and `to` are the samples
/// at its ends, which have been noted. No allocation.
template <PlaceQuestion Q>
void minimise_step(const PoseTree& tree, const Vec3& p, std::uint32_t step, const Sample& from, const Sample& to,
                   Q& question) {
  struct End {
    Sample at;
    Growth growth;
  };
  struct Part {
    double begin, end;
    End a, b;
    int depth;
  };
  const double bend = tree.bend(step, p) / 8, jerk = tree.jerk(step, p) / 6;
  double where = 0;
  if (question.hopeless(tangent_bound(from.reach, to.reach, to.place - from.place, where) - bend)) return;
  const auto growth = [&](const Sample& s, const Passage& passage) -> Growth {
    return {s.reach.normal.dot(passage.velocity), s.reach.normal.dot(passage.acceleration)};
  };
  constexpr int kTangents = 8;  // divisions by tangents in a row; then by halves, so that no function takes long
  const Part whole{0, 1, {from, growth(from, tree.passage(step, p, 0))}, {to, growth(to, tree.passage(step, p, 1))}, 0};
  halve<kMaxDivisions>(whole, [&](const Part& part, Part& first, Part& second) {
    if (question.done()) return false;
    const double width = part.end - part.begin;
    const Reach &a = part.a.at.reach, &b = part.b.at.reach;
    const Vec3 segment = part.b.at.place - part.a.at.place;
    const double deviation = bend * width * width;
    double share = 0, from_a = 0, from_b = 0;
    if (question.hopeless(tangent_bound(a, b, segment, share) - deviation)) return false;
    const double cubic = jerk * width * width * width;
    if (question.hopeless(min_growth(part.a.growth, width, from_a) + a.value - cubic)) return false;
    const Growth backwards{-part.b.growth.slope, part.b.growth.curve};
    if (question.hopeless(min_growth(backwards, width, from_b) + b.value - cubic)) return false;
    // Nothing between the ends can differ by more than the path length.
    if (segment.norm() + deviation < question.tolerance() / 8 || width < kEpsilon) return false;
    // Where one of the ends foresees the minimum, or at the tangents' meeting point, unless that is so near to an
    // end that little would be gained.
    if (from_a > 0 && from_a < 1) share = from_a;
    else if (from_b > 0 && from_b < 1) share = 1 - from_b;
    share = part.depth < kTangents ? std::clamp(share, 0.02, 0.98) : 0.5;
    const double time = part.begin + share * width;
    const Passage passage = tree.passage(step, p, time);
    const Sample s = sample(question, passage.place);
    const End middle{s, growth(s, passage)};
    question.note(s, step, time);
    const bool left_first = a.value < b.value;
    (left_first ? first : second) = {part.begin, time, part.a, middle, part.depth + 1};
    (left_first ? second : first) = {time, part.end, middle, part.b, part.depth + 1};
    return true;
  });
}

/// Over all steps below a node. No allocation.
template <PlaceQuestion Q>
void minimise(const PoseTree& tree, const Vec3& p, std::uint32_t pose_node, Q& question) {
  struct Part {
    std::uint32_t node;
    Sample a, b;
  };
  const PoseNode& top = tree.node(pose_node);
  const auto at = [&](std::uint32_t knot) { return sample(question, tree.knot(knot).to_model(p)); };
  const Part whole{pose_node, at(top.first), at(top.last)};
  question.note(whole.a, top.first, 0);
  question.note(whole.b, top.last - 1, 1);
  halve<PoseTree::kMaxDepth>(whole, [&](const Part& part, Part& first, Part& second) {
    if (question.done()) return false;
    const PoseNode& node = tree.node(part.node);
    const double deviation = node.place + node.turn * (p - node.center).norm();
    double where = 0;
    const Vec3 segment = part.b.place - part.a.place;
    if (question.hopeless(tangent_bound(part.a.reach, part.b.reach, segment, where) - deviation)) return false;
    if (node.leaf()) {
      minimise_step(tree, p, node.first, part.a, part.b, question);
      return false;
    }
    const std::uint32_t knot = tree.node(node.left).last;
    const Sample middle = at(knot);
    question.note(middle, knot, 0);
    const bool left_first = where < 0.5;
    (left_first ? first : second) = {node.left, part.a, middle};
    (left_first ? second : first) = {node.right, middle, part.b};
    return true;
  });
}

}  // namespace graze::motion
