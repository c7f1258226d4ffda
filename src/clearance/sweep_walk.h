// Pairs of a pose interval and a part of the model, nearest first.
#pragma once

#include <algorithm>
#include <cmath>

#include "clearance/model_data.h"
#include "clearance/pose_tree.h"

namespace graze::clearance {

struct PairWalkOptions {
  double grown = 0;       ///< metres; chords leave the motion by so much more
  bool negative = false;  ///< elements have an inside, of which a box tells nothing
};

/// Calls leaf(leaf of the model's tree, pose node, chord) for all pairs whose gap is not hopeless(gap), until it
/// returns false. The pose nodes are those below `root`, of any length: as long as chords are good enough for the
/// boxes that they are compared with. No allocation.
template <class Hopeless, class Leaf>
void walk_pairs(const PoseTree& poses, const bvh::Tree& tree, const Vec3& p, std::uint32_t root,
                const PairWalkOptions& options, Hopeless&& hopeless, Leaf&& leaf) {
  struct Entry {
    float gap, size;
    std::uint32_t pose, to;
  };
  Entry stack[(bvh::kMaxDepth + 40) * bvh::kWidth];
  std::size_t size = 0;
  stack[size++] = {-1e30F, 1e30F, root, 0};
  Chord chord{Vec3::Zero(), Vec3::Zero(), 0};
  std::uint32_t chord_of = PoseNode::kNone;
  float low[3], high[3], loose = 0;
  double apart = 0;  // of the chord from all of the model
  while (size > 0) {
    const Entry entry = stack[--size];
    if (hopeless(double{entry.gap})) continue;
    const PoseNode& node = poses.node(entry.pose);
    if (chord_of != entry.pose) {
      chord = poses.chord(node, p);
      chord.deviation += options.grown;
      chord_of = entry.pose;
      const Vec3 a = chord.from - tree.origin, b = chord.to - tree.origin;
      double across = 0, longest = 0, square = 0;
      for (int i = 0; i < 3; ++i) {
        const double least = std::min(a[i], b[i]), most = std::max(a[i], b[i]);
        const double grown = chord.deviation + (std::abs(least) + std::abs(most)) * 2e-7;
        low[i] = static_cast<float>(least - grown);
        high[i] = static_cast<float>(most + grown);
        const double off =
            std::max({0.0, double{low[i]} - double{tree.root.max[i]}, double{tree.root.min[i]} - double{high[i]}});
        square += off * off;
        across += most - least;
        longest = std::max(longest, most - least);
      }
      loose = static_cast<float>(across - longest + 2 * chord.deviation);
      apart = std::sqrt(square) * (1 - 4 * kEpsilon);
    }
    if (apart > 0 && hopeless(apart)) continue;
    // Boxes around chords are loose where those run aslant: the pose interval is halved once that is what matters.
    if (!node.leaf() && loose > entry.size / 2) {
      stack[size++] = {entry.gap, entry.size, node.right, entry.to};
      stack[size++] = {entry.gap, entry.size, node.left, entry.to};
      continue;
    }
    if ((entry.to & bvh::kLeafBit) != 0) {
      if (!leaf(entry.to & ~bvh::kLeafBit, entry.pose, static_cast<const Chord&>(chord))) return;
      continue;
    }
    const bvh::Node& boxes = tree.nodes[entry.to];
    Gaps gaps;
    gaps_of(boxes, low, high, gaps);
    const std::size_t begin = size;
    for (std::size_t k = 0; k < bvh::kWidth && boxes.child[k] != bvh::kNone; ++k) {
      const float gap = options.negative && gaps.of[k] == 0 ? -1e30F : gaps.of[k];
      if (hopeless(double{gap})) continue;
      const float extent = std::max(
          {boxes.max[0][k] - boxes.min[0][k], boxes.max[1][k] - boxes.min[1][k], boxes.max[2][k] - boxes.min[2][k]});
      std::size_t place = size++;
      for (; place > begin && stack[place - 1].gap < gap; --place) stack[place] = stack[place - 1];
      stack[place] = {gap, extent, entry.pose, boxes.child[k]};
    }
  }
}

inline double distance_to_segment(const Vec3& p, const Vec3& a, const Vec3& way, double square) {
  const Vec3 off = p - a;
  const double s = square > 0 ? std::clamp(off.dot(way) / square, 0.0, 1.0) : 0;
  return (off - s * way).norm();
}

}  // namespace graze::clearance
