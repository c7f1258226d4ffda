#include "graze/clearance/track.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "graze/base/error.h"
#include "graze/motion/motion.h"
#include "graze/query/traverse.h"

namespace graze::clearance {
namespace {

constexpr std::size_t kPerLeaf = 4;  // segments

// The boxes of a track for the traversal.
struct TrackTree {
  using Node = std::size_t;
  static constexpr std::size_t kMaxDepth = 62, kMaxChildren = 2;

  std::span<const Aabb> boxes;
  std::size_t leaves, segments;

  static bool empty() { return false; }
  static Node root() { return 1; }
  const Aabb& bounds(Node node) const { return boxes[node]; }
  bool is_leaf(Node node) const { return node >= leaves; }
  static std::size_t children(Node) { return 2; }
  static Node child(Node node, std::size_t i) { return 2 * node + i; }
  std::size_t first(Node leaf) const { return (leaf - leaves) * kPerLeaf; }
  std::size_t last(Node leaf) const { return std::min(first(leaf) + kPerLeaf, segments); }
};

// The segment nearest to a point, the first of equal ones.
struct NearestSegment {
  std::span<const Pose> poses;
  const Vec3& point;
  double best;  // squared distance
  std::size_t segment;
  double fraction = 0;

  double bound(const Aabb& box) const {
    return (box.min - point).cwiseMax(point - box.max).cwiseMax(0.0).squaredNorm();
  }
  double limit() const { return best; }
  void leaf(const TrackTree& /*tree*/, std::size_t s) {
    const Vec3 &from = poses[s].translation(), &to = poses[std::min(s + 1, poses.size() - 1)].translation();
    const Vec3 edge = to - from, offset = point - from;
    const double square = edge.squaredNorm();
    const double along = square > 0 ? std::clamp(edge.dot(offset) / square, 0.0, 1.0) : 0;
    const double distance = (offset - along * edge).squaredNorm();
    if (distance < best || (distance == best && s < segment)) best = distance, segment = s, fraction = along;
  }
};

}  // namespace

Track::Track(Trajectory trajectory) : trajectory_(std::move(trajectory)), chainage_(trajectory_.chainage()) {
  if (trajectory_.empty()) throw Error("trajectory", "has no poses");
  // A single pose is a track of one segment without length.
  segments_ = std::max<std::size_t>(1, trajectory_.size() - 1);
  leaves_ = 1;
  while (leaves_ * kPerLeaf < segments_) leaves_ *= 2;
  boxes_.resize(2 * leaves_);
  for (std::size_t s = 0; s < segments_; ++s) {
    boxes_[leaves_ + s / kPerLeaf].extend(start_of(s)).extend(end_of(s));
  }
  for (std::size_t k = leaves_ - 1; k > 0; --k) {
    boxes_[k].extend(boxes_[2 * k]).extend(boxes_[2 * k + 1]);
  }
}

const Vec3& Track::end_of(std::size_t segment) const {
  return trajectory_.poses[std::min(segment + 1, trajectory_.size() - 1)].translation();
}

TrackPosition Track::position_in(std::size_t segment, double fraction) const {
  TrackPosition position;
  position.segment = segment;
  position.fraction = fraction;
  const std::size_t next = std::min(segment + 1, trajectory_.size() - 1);
  const double width = chainage_[next] - chainage_[segment];
  position.chainage = fraction == 1 ? chainage_[next] : chainage_[segment] + fraction * width;
  const Vec3 &from = start_of(segment), &to = end_of(segment);
  position.position = fraction == 1 ? to : Vec3(from + fraction * (to - from));
  position.distance = 0;
  return position;
}

TrackPosition Track::position_at(double chainage) const {
  if (!(chainage >= 0)) chainage = 0;
  const auto behind =
      static_cast<std::size_t>(std::upper_bound(chainage_.begin(), chainage_.end(), chainage) - chainage_.begin());
  if (behind == chainage_.size()) return position_in(segments_ - 1, trajectory_.size() > 1 ? 1 : 0);
  const std::size_t segment = behind - 1;
  return position_in(segment, (chainage - chainage_[segment]) / (chainage_[behind] - chainage_[segment]));
}

Pose Track::pose_at(const TrackPosition& position) const {
  const std::size_t last = trajectory_.size() - 1;
  const std::size_t from = std::min(position.segment, last), to = std::min(from + 1, last);
  return Motion(trajectory_.poses[from], trajectory_.poses[to]).at(position.fraction);
}

double Track::time_at(const TrackPosition& position) const {
  const std::vector<double>& times = trajectory_.times;
  if (times.empty()) return 0;
  const std::size_t from = std::min(position.segment, times.size() - 1), to = std::min(from + 1, times.size() - 1);
  return position.fraction == 1 ? times[to] : times[from] + position.fraction * (times[to] - times[from]);
}

TrackPosition Track::nearest(const Vec3& point, double limit) const {
  TrackPosition none;
  if (!is_finite(point) || !(limit >= 0)) return none;
  NearestSegment nearest{trajectory_.poses, point, limit * limit, segments_};
  traverse(TrackTree{boxes_, leaves_, segments_}, nearest);
  if (nearest.segment == segments_) return none;
  TrackPosition position = position_in(nearest.segment, nearest.fraction);
  position.distance = std::sqrt(nearest.best);
  return position;
}

namespace {

/// The fraction of the segment from `from` to `to` at which the distance from `center` reaches `radius`; the one at
/// `from` is below it, that at `to` is not.
double crossing(const Vec3& center, double radius, const Vec3& from, const Vec3& to) {
  const Vec3 edge = to - from, offset = from - center;
  const double a = edge.squaredNorm(), b = edge.dot(offset);
  const double below = (radius - offset.norm()) * (radius + offset.norm());
  const double root = std::sqrt(std::max(0.0, b * b + a * below));
  return std::clamp(b > 0 ? below / (b + root) : (root - b) / a, 0.0, 1.0);
}

}  // namespace

// Along a straight segment the distance from a point has no maximum but at the ends, so that looking at these finds the
// first crossing.
TrackPosition Track::ahead(const TrackPosition& from, double distance) const {
  const Vec3& center = from.position;
  for (std::size_t s = from.segment; s < segments_ && distance >= 0; ++s) {
    if (!((end_of(s) - center).norm() >= distance)) continue;
    const bool first = s == from.segment;
    const double fraction = crossing(center, distance, first ? center : start_of(s), end_of(s));
    return position_in(s, first ? from.fraction + fraction * (1 - from.fraction) : fraction);
  }
  TrackPosition none;
  none.segment = segments_ - 1;
  return none;
}

TrackPosition Track::behind(const TrackPosition& from, double distance) const {
  const Vec3& center = from.position;
  for (std::size_t s = std::min(from.segment + 1, segments_); s-- > 0 && distance >= 0;) {
    if (!((start_of(s) - center).norm() >= distance)) continue;
    const bool first = s == from.segment;
    const double fraction = crossing(center, distance, first ? center : end_of(s), start_of(s));
    return position_in(s, first ? from.fraction * (1 - fraction) : 1 - fraction);
  }
  return {};
}

}  // namespace graze::clearance
