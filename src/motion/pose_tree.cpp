#include "motion/pose_tree.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "graze/base/elementary.h"

namespace graze::motion {
namespace {

// v turned about the unit axis n by the angle with these sines.
Vec3 turned(const Vec3& v, const Vec3& n, double sine, double half_sine) {
  const Vec3 side = n.cross(v);
  return v + sine * side + 2 * half_sine * half_sine * n.cross(side);
}

Knot knot_of(const Pose& pose) { return {pose.rotation().transpose(), pose.translation()}; }

}  // namespace

PoseTree::PoseTree(std::span<const Pose> path, const PoseTreeOptions& options) {
  knots_.reserve(path.size());
  steps_.reserve(path.size());
  knots_.push_back(knot_of(path[0]));
  Vec3 travelled = Vec3::Zero();
  std::vector<double> length_to{0};
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const Motion motion(path[i], path[i + 1]);
    const auto parts = static_cast<std::size_t>(std::max(1.0, std::ceil(motion.turn() / options.largest_turn)));
    const double share = 1.0 / static_cast<double>(parts);
    for (std::size_t k = 0; k < parts; ++k) {
      const double from = static_cast<double>(k) * share,
                   to = k + 1 == parts ? 1.0 : static_cast<double>(k + 1) * share;
      steps_.push_back({(path[i + 1].translation() - path[i].translation()) * (to - from), motion.axis(),
                        motion.turn() * (to - from), static_cast<std::uint32_t>(i), from, to});
      length_to.push_back(length_to.back() + steps_.back().travel.norm() + steps_.back().turn * options.reach);
      knots_.push_back(knot_of(motion.at(to)));
      travelled += (knots_.back().inverse * steps_.back().travel).cwiseAbs();
    }
  }
  if (steps_.empty()) {  // one pose: a motion that stays where it is
    steps_.push_back({});
    knots_.push_back(knots_.front());
    length_to.push_back(0);
  }
  Eigen::Index axis = 0;
  if (travelled.maxCoeff(&axis) > 0) travel_axis_ = static_cast<int>(axis);
  nodes_.reserve(2 * steps_.size());
  build(0, static_cast<std::uint32_t>(steps_.size()), length_to, options.continuous);
}

std::uint32_t PoseTree::build(std::uint32_t first, std::uint32_t last, std::span<const double> length_to,
                              bool continuous) {
  const auto id = static_cast<std::uint32_t>(nodes_.size());
  nodes_.emplace_back();
  PoseNode node{first, last, PoseNode::kNone, PoseNode::kNone, 0, 0, knots_[(first + last) / 2].place, 0};
  // R(t)ᵀ (p − c(t)) = R(t)ᵀ (p − center) + R(t)ᵀ (center − c(t)): both terms leave their chords by so much at most.
  const Knot &a = knots_[first], &b = knots_[last];
  const Vec3 from = a.to_model(node.center), to = b.to_model(node.center);
  const double length = length_to[last] - length_to[first];
  const auto shorter = [](double scale) { return scale * (1 + 1e-9); };
  for (std::uint32_t i = first; i <= last; ++i) {
    const double s = length > 0 ? (length_to[i] - length_to[first]) / length : 0;
    node.place = std::max(node.place, (knots_[i].to_model(node.center) - (from + s * (to - from))).norm());
    node.turn = std::max(node.turn, (knots_[i].inverse - (a.inverse + s * (b.inverse - a.inverse))).norm());
  }
  double place = 0, turn = 0;
  for (std::uint32_t i = first; i < last; ++i) {
    const Step& step = steps_[i];
    const double square = step.turn * step.turn / 8;
    node.sag = std::max(node.sag, square);
    const double off = std::max((knots_[i].place - node.center).norm(), (knots_[i + 1].place - node.center).norm());
    place = std::max(place, square * off + step.turn * step.travel.norm() / 4);
    turn = std::max(turn, square);
  }
  if (continuous) {
    node.place += place;
    node.turn += turn;
  }
  // What rounding may add, at the size of the numbers that were subtracted.
  const double size = std::max(from.norm(), to.norm()) + node.center.norm() * kEpsilon;
  node.place = shorter(node.place) + 64 * kEpsilon * size + 8 * kEpsilon * node.center.norm();
  node.turn = shorter(node.turn) + 64 * kEpsilon;
  if (last - first > 1) {
    const std::uint32_t middle = first + (last - first) / 2;
    node.left = build(first, middle, length_to, continuous);
    node.right = build(middle, last, length_to, continuous);
  }
  nodes_[id] = node;
  return id;
}

Vec3 PoseTree::place_at(std::size_t index, const Vec3& p, double t) const {
  const Step& step = steps_[index];
  const Knot& from = knots_[index];
  const double angle = -t * step.turn;
  return from.inverse *
         turned((p - from.place) - t * step.travel, step.axis, elementary::sin(angle), elementary::sin(angle / 2));
}

Passage PoseTree::passage(std::size_t index, const Vec3& p, double t) const {
  const Step& step = steps_[index];
  const Knot& from = knots_[index];
  const double angle = -t * step.turn, sine = elementary::sin(angle), half_sine = elementary::sin(angle / 2);
  const auto to_model = [&](const Vec3& v) -> Vec3 { return from.inverse * turned(v, step.axis, sine, half_sine); };
  // The turning back of the model adds −turn · axis × v to the derivative of every vector v that it turns.
  const Vec3 off = (p - from.place) - t * step.travel, side = step.axis.cross(off);
  return {to_model(off), to_model(-step.travel - step.turn * side),
          to_model(2 * step.turn * step.axis.cross(step.travel) + step.turn * step.turn * step.axis.cross(side))};
}

double PoseTree::bend(std::size_t index, const Vec3& p) const {
  const Step& step = steps_[index];
  return step.turn * (step.turn * farthest(index, p) + 2 * step.travel.norm());
}

double PoseTree::jerk(std::size_t index, const Vec3& p) const {
  const Step& step = steps_[index];
  return step.turn * step.turn * (step.turn * farthest(index, p) + 3 * step.travel.norm());
}

double PoseTree::farthest(std::size_t step, const Vec3& p) const {
  return std::max((p - knots_[step].place).norm(), (p - knots_[step + 1].place).norm());
}

}  // namespace graze::motion
