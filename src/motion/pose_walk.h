// Pairs of a pose interval and a part of the model, nearest first.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "graze/index/near_first.h"
#include "index/box_gaps.h"
#include "motion/pose_tree.h"

namespace graze::motion {

struct PairWalkOptions {
  double grown = 0;       ///< metres; chords leave the motion by so much more
  bool negative = false;  ///< elements have an inside, about which a box says nothing
};

/// A part of the model and an interval of poses that walk through both trees. Boxes around chords are loose where
/// those run aslant: the interval is halved once that is what matters, the part opened otherwise.
template <class Hopeless, class Leaf>
class PoseWalk {
 public:
  struct Place {
    float gap, size;  // of the part's box: to the chord, and its longest side
    std::uint32_t pose, to;
  };
  using Bound = float;

  PoseWalk(const PoseTree& poses, const bvh::Tree& tree, const Vec3& p, const PairWalkOptions& options,
           Hopeless& hopeless, Leaf& on_leaf)
      : poses_(poses), tree_(tree), p_(p), options_(options), hopeless_(hopeless), on_leaf_(on_leaf) {}

  bool beyond(float gap) const { return ended_ || hopeless_(double{gap}); }
  bool is_leaf(const Place& place) {
    look_at(place.pose);
    halves_ = !poses_.node(place.pose).leaf() && loose_ > place.size / 2;
    return (place.to & bvh::kLeafBit) != 0 && !halves_ && !out_of_reach();
  }
  void open(const Place& place, Children<float>& children) {
    if (out_of_reach()) return;
    if (halves_) {
      children.bound[0] = children.bound[1] = place.gap;
      children.near = 3;
      return;
    }
    const bvh::Node& boxes = tree_.nodes[place.to];
    gaps_of(boxes, around_, gaps_);
    for (std::size_t k = 0; k < bvh::kWidth && boxes.child[k] != bvh::kNone; ++k) {
      if (options_.negative && gaps_[k] == 0) gaps_[k] = -1e30F;
      children.bound[k] = gaps_[k];
      children.near |= (beyond(gaps_[k]) ? 0U : 1U) << k;
    }
  }
  Place child(const Place& place, std::size_t k) const {
    if (halves_) {
      const PoseNode& node = poses_.node(place.pose);
      return {place.gap, place.size, k == 0 ? node.left : node.right, place.to};
    }
    const bvh::Node& boxes = tree_.nodes[place.to];
    const float extent = std::max(
        {boxes.max[0][k] - boxes.min[0][k], boxes.max[1][k] - boxes.min[1][k], boxes.max[2][k] - boxes.min[2][k]});
    return {gaps_[k], extent, place.pose, boxes.child[k]};
  }
  void leaf(const Place& place) {
    ended_ = !on_leaf_(place.to & ~bvh::kLeafBit, place.pose, static_cast<const Chord&>(chord_));
  }

 private:
  // Of the chord from all of the model.
  bool out_of_reach() const { return apart_ > 0 && hopeless_(apart_); }

  void look_at(std::uint32_t pose) {
    if (chord_of_ == pose) return;
    chord_ = poses_.chord(poses_.node(pose), p_);
    chord_.deviation += options_.grown;
    chord_of_ = pose;
    const Vec3 a = chord_.from - tree_.origin, b = chord_.to - tree_.origin;
    const Vec3 lowest = a.cwiseMin(b), highest = a.cwiseMax(b);
    around_ = bvh::FloatBox(lowest, highest, chord_.deviation);
    double across = 0, longest = 0, square = 0;
    for (int i = 0; i < 3; ++i) {
      const double off = std::max({0.0, double{around_.low[i]} - double{tree_.root.max[i]},
                                   double{tree_.root.min[i]} - double{around_.high[i]}});
      square += off * off;
      across += highest[i] - lowest[i];
      longest = std::max(longest, highest[i] - lowest[i]);
    }
    loose_ = static_cast<float>(across - longest + 2 * chord_.deviation);
    apart_ = std::sqrt(square) * (1 - 4 * kEpsilon);
  }

  const PoseTree& poses_;
  const bvh::Tree& tree_;
  const Vec3& p_;
  const PairWalkOptions& options_;
  Hopeless& hopeless_;
  Leaf& on_leaf_;
  bool ended_ = false, halves_ = false;
  Chord chord_{Vec3::Zero(), Vec3::Zero(), 0};
  std::uint32_t chord_of_ = PoseNode::kNone;
  bvh::FloatBox around_;
  float loose_ = 0, gaps_[bvh::kWidth];
  double apart_ = 0;
};

/// Calls leaf(leaf of the model's tree, pose node, chord) for all pairs whose gap is not hopeless(gap), until it
/// returns false. The pose nodes are those below `root`, of any length: as long as chords are good enough for the
/// boxes that they are compared with. No allocation.
template <class Hopeless, class Leaf>
void walk_pairs(const PoseTree& poses, const bvh::Tree& tree, const Vec3& p, std::uint32_t root,
                const PairWalkOptions& options, Hopeless&& hopeless, Leaf&& leaf) {
  using Walk = PoseWalk<std::remove_reference_t<Hopeless>, std::remove_reference_t<Leaf>>;
  constexpr std::size_t kPoseLevels = 40;
  constexpr float kFar = 1e30F;
  Walk walk(poses, tree, p, options, hopeless, leaf);
  NearStack<typename Walk::Place, float, bvh::kMaxDepth + kPoseLevels> open({-kFar, {-kFar, kFar, root, 0}});
  near_first(walk, open);
}

inline double distance_to_segment(const Vec3& p, const Vec3& a, const Vec3& segment, double square) {
  const Vec3 off = p - a;
  const double s = square > 0 ? std::clamp(off.dot(segment) / square, 0.0, 1.0) : 0;
  return (off - s * segment).norm();
}

}  // namespace graze::motion
