// A path as a tree of pose intervals, each with a bound on how far the motion leaves the chord of its ends.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/base/aabb.h"
#include "graze/motion/motion.h"

namespace graze::motion {

struct PoseTreeOptions {
  /// Radians. Motions that turn farther are divided, so that chords mean something; infinite: none is.
  double largest_turn = kInfinity;
  /// Whether the bounds hold between the poses too, or at the poses only.
  bool continuous = true;
  /// No part of the model lies farther from its origin: decides how the distance along a chord is measured.
  double reach = 0;
};

/// The path of a scan point in the model's frame, seen from the motion of the model in the world: a pose that carries
/// world to model, so that the model stands still and the point moves.
struct Knot {
  Mat3 inverse;  ///< rotation from the world into the model's frame
  Vec3 place;    ///< of the model's origin in the world

  Vec3 to_model(const Vec3& p) const { return inverse * (p - place); }
};

/// The motion from one knot to the next.
struct Step {
  Vec3 travel = Vec3::Zero();  ///< of the origin, world
  Vec3 axis = Vec3::UnitZ();   ///< world
  double turn = 0;             ///< radians about it
  std::uint32_t pose = 0;      ///< of the path, at or before the step
  double from = 0, to = 0;     ///< as fractions of the step to the next pose
};

/// Steps first … last − 1, between knots first … last.
struct PoseNode {
  std::uint32_t first, last;
  std::uint32_t left, right;  ///< kNone: one step
  /// For every time of the node the point p stands, in the model's frame, within place + turn · |p − center| of the
  /// chord from where it is at the first knot to where it is at the last.
  double place, turn;
  Vec3 center;
  double sag;  ///< largest turn² / 8 of a step: how far an arc of radius 1 leaves the line of its ends
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  bool leaf() const { return left == kNone; }
};

/// A node as one scan point (or the centre of many) sees it.
struct Chord {
  Vec3 from, to;     ///< in the model's frame
  double deviation;  ///< no position of the motion is farther from its position on the chord
};

/// A scan point as the model sees it at one time of a step.
struct Passage {
  Vec3 place, velocity, acceleration;
};

class PoseTree {
 public:
  /// The path is not empty.
  PoseTree(std::span<const Pose> path, const PoseTreeOptions& options);

  std::span<const Knot> knots() const { return knots_; }
  const Knot& knot(std::size_t i) const { return knots_[i]; }
  const Step& step(std::size_t i) const { return steps_[i]; }
  const PoseNode& node(std::size_t i) const { return nodes_[i]; }
  std::size_t node_count() const { return nodes_.size(); }
  static constexpr std::uint32_t kRoot = 0;
  /// Of a node below the root: each has half of the steps of the one above, fewer than 2^32.
  static constexpr std::size_t kMaxDepth = 33;
  /// The axis of the model's frame along which it travels most.
  int travel_axis() const { return travel_axis_; }

  Chord chord(const PoseNode& node, const Vec3& p) const {
    return {knots_[node.first].to_model(p), knots_[node.last].to_model(p),
            node.place + node.turn * (p - node.center).norm()};
  }
  /// Where p is, in the model's frame, at t of [0, 1] of a step.
  Vec3 place_at(std::size_t step, const Vec3& p, double t) const;
  /// The same with its derivatives by t.
  Passage passage(std::size_t step, const Vec3& p, double t) const;
  /// |second derivative| of that position over the whole step at most, and |third derivative|.
  double bend(std::size_t step, const Vec3& p) const;
  double jerk(std::size_t step, const Vec3& p) const;

  std::size_t memory_bytes() const {
    return knots_.capacity() * sizeof(Knot) + steps_.capacity() * sizeof(Step) + nodes_.capacity() * sizeof(PoseNode);
  }

 private:
  /// From the model's origin during a step.
  double farthest(std::size_t step, const Vec3& p) const;
  std::uint32_t build(std::uint32_t first, std::uint32_t last, std::span<const double> length_to, bool continuous);

  std::vector<Knot> knots_;
  std::vector<Step> steps_;
  std::vector<PoseNode> nodes_;
  int travel_axis_ = 0;
};

}  // namespace graze::motion
