#include "query/sweep_pair.h"

#include <algorithm>
#include <cmath>

namespace graze {

MovingBody::MovingBody(const Moving& moving)
    : body(moving), placed(!(moving.local == Pose())), bounded(true), uncertainty(moving.uncertainty) {
  const Aabb box = bounds(moving.geometry);
  if (box.empty()) return;
  constexpr double kRoundUp = 1 + 8 * kEpsilon;
  center = box.center();
  ball = std::sqrt(norm_sq(box.half())) * kRoundUp;
  const Aabb in_frame = placed ? bounds(moving.geometry, moving.local) : box;
  const Vec3 farthest = in_frame.min.cwiseAbs().cwiseMax(in_frame.max.cwiseAbs());
  radius = std::sqrt(norm_sq(farthest)) * kRoundUp + moving.uncertainty;
  bounded = std::isfinite(radius) && std::isfinite(ball);
  if (!bounded) radius = ball = kInfinity, center = Vec3::Zero();
  // The product of two poses rounds; see at(geometry, pose, local).
  constexpr double kTurned = 16 * kEpsilon;
  if (placed && bounded)
    uncertainty += kTurned * (size_of(moving.local.translation()) + size_of(box.min) + size_of(box.max));
}

MovingPair::MovingPair(const Moving& a, const Moving& b, const Placed& a0, const Placed& b0)
    : kinds_(a0, b0), first_(kinds_.swapped ? b : a), second_(kinds_.swapped ? a : b) {
  if (first_.bounded && second_.bounded)
    path_ = first_.body.motion.reach(first_.radius) + second_.body.motion.reach(second_.radius);
}

double MovingPair::smooth_until(double t) const {
  return std::min({1.0, first_.body.motion.smooth_until(t), second_.body.motion.smooth_until(t)});
}

Bending MovingPair::bending(const MovingBody& body, double begin, double end) {
  if (const auto piece = body.body.motion.piece(begin)) {
    const double rate = piece->spin * piece->spin * (1 + 8 * kEpsilon);
    return {.rate = rate, .arm = piece->arm, .axis = piece->axis};
  }
  return {.rate = body.body.motion.bend(body.radius, begin, end), .known = false};
}

double MovingPair::rounding(const Instant& begin, const Instant& end) const {
  // Of every coordinate on its path through a pose at a time.
  constexpr double kRounding = 32 * kEpsilon;
  const double sizes = size_of(begin.a.translation()) + size_of(begin.b.translation()) + size_of(end.a.translation()) +
                       size_of(end.b.translation());
  return kRounding * (sizes + std::min(first_.radius, second_.radius) + path_) + first_.uncertainty +
         second_.uncertainty;
}

}  // namespace graze
