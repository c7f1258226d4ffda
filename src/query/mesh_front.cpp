#include "query/mesh_front.h"

namespace graze {
namespace {

// No point of b, which lies around its tree's origin, can have moved farther as a sees it.
double moved_by(const mesh::Data& b, const Relative& from, const Relative& to) {
  const Vec3 &origin = b.tree.origin, shift = minus(to.to_a(origin), from.to_a(origin));
  double turn_sq = 0;
  for (Eigen::Index i = 0; i < 9; ++i) {
    const double d = to.rotation.data()[i] - from.rotation.data()[i];
    turn_sq += d * d;
  }
  // The difference of two rotations stretches two directions alike, and the third not at all.
  const double lengths = size_of(origin) + size_of(from.translation) + size_of(to.translation) + b.radius;
  return std::sqrt(norm_sq(shift)) + std::sqrt(0.5 * turn_sq) * b.radius + 64 * kEpsilon * lengths;
}

// The same for distances between points of a and points of b: whichever frame shows less.
double moved_by(const mesh::Data& a, const mesh::Data& b, const Relative& from, const Relative& to) {
  return std::min(moved_by(b, from, to), moved_by(a, from.inverse(), to.inverse()));
}

}  // namespace

FrontUse use_front(MeshFront& front, const mesh::Data& a, const mesh::Data& b, const Relative& relative) {
  const auto belongs_to = [&](const mesh::Data& x, const mesh::Data& y) {
    return front.mesh_a == x.stamp && front.mesh_b == y.stamp && front.tree_a == x.tree_stamp &&
           front.tree_b == y.tree_stamp;
  };
  const bool straight = belongs_to(a, b), round = belongs_to(b, a);
  if (!straight && !round) {
    front.mesh_a = a.stamp, front.mesh_b = b.stamp, front.tree_a = a.tree_stamp, front.tree_b = b.tree_stamp;
    front.size = 0, front.idle = 0;
  }
  FrontUse use{true, false};
  if (front.idle > 0) {
    --front.idle;
    return {false, false};
  }
  Relative now = relative;
  if (front.size > 0) {
    Relative before = relative;
    before.rotation = front.rotation, before.translation = front.translation;
    double moved = kInfinity;
    if (straight) moved = moved_by(a, b, before, relative);
    if (round) {
      // A mesh and itself may have been exchanged.
      const Relative inverse = relative.inverse();
      const double as_round = moved_by(b, a, before, inverse);
      if (!straight || as_round < moved) use.turned_round = true, moved = as_round, now = inverse;
    }
    front.moved += moved;
    // Keys lose their last digits when the path gets long, and a length that is not a number keeps nothing.
    if (!(front.moved < 1e4 * (a.extent + b.extent) + 1e4 * size_of(front.translation))) front.size = 0;
  }
  if (front.size == 0) front.moved = 0;
  if (front.size == 0 && !straight && round) use.turned_round = true, now = relative.inverse();
  front.rotation = now.rotation, front.translation = now.translation;
  return use;
}

}  // namespace graze
