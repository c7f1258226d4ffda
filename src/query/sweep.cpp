#include "graze/query/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "graze/base/error.h"
#include "graze/base/parallel.h"
#include "graze/query/collide.h"
#include "query/approach.h"
#include "query/dispatch.h"
#include "query/pair.h"
#include "query/sweep_options.h"
#include "query/sweep_stretches.h"

namespace graze {
namespace {

// One of the two bodies.
struct Side {
  const Moving& body;
  double radius;  // no point is farther from the origin of the moving frame; infinite
  bool convex;
  // A ball around all of it, in the moving frame.
  Vec3 center = Vec3::Zero();
  double ball = kInfinity;

  explicit Side(const Moving& moving) : body(moving), radius(0), convex(is_shape(moving.geometry)) {
    const Aabb box = bounds(moving.geometry, moving.local);
    if (box.empty()) return;
    radius = box.min.cwiseAbs().cwiseMax(box.max.cwiseAbs()).norm() * (1 + 8 * kEpsilon) + moving.uncertainty;
    if (std::isnan(radius)) radius = kInfinity;
    if (std::isinf(radius)) return;
    center = box.center();
    ball = std::sqrt(norm_sq(box.half())) * (1 + 8 * kEpsilon) + moving.uncertainty;
  }
  Placed placed(const Pose& pose) const {
    Placed placed = at(body.geometry, pose, body.local);
    placed.uncertainty += body.uncertainty;
    return placed;
  }
};

class Advance {
 public:
  Advance(const Moving& a, const Moving& b, const SweepOptions& options)
      : a_(a), b_(b), options_(options), convex_(a_.convex && b_.convex) {}

  Sweep run() {
    Sweep s;
    double t = 0;
    for (int step = 0; step < options_.max_steps; ++step) {
      s.pose_a = a_.body.motion.at(t), s.pose_b = b_.body.motion.at(t);
      const Approach approach = approach_from(t, s.pose_a, s.pose_b);
      if (const double far = time_of_balls(approach, s.pose_a, s.pose_b); far > 0) {
        s.last_free = t;
        if (t >= 1) break;
        t = std::min(t + far, approach.end);
        s.time = std::min(t, 1.0);
        continue;
      }
      const double limit = options_.margin + approach.speed() * (approach.end - t) + 2 * approach.rounding;
      const Placed a = a_.placed(s.pose_a), b = b_.placed(s.pose_b);
      s.contact = distance(a, b, {.limit = limit, .depth = false, .cache = options_.cache});
      const double beyond_margin = s.contact.value - options_.margin;
      const double off = s.contact.tolerance + approach.rounding, gap = beyond_margin - off;
      if (!s.contact.beyond && !(gap > options_.tolerance / 2)) {
        if (gap > 0) s.last_free = t;
        s.hit = true, s.time = t;
        // Of overlaps the tolerance says how deep they are at most.
        s.certain = beyond_margin <= 0 || beyond_margin + off <= options_.tolerance;
        return s;
      }
      s.last_free = t;
      if (t >= 1) break;
      const double next = s.contact.beyond ? approach.end : next_time(t, gap, approach, a, b, s.contact);
      if (!(next > t)) return unknown(s, t);  // in double they stand still
      t = next;
      s.time = std::min(t, 1.0);
    }
    if (t < 1) return unknown(s, t);
    s.time = 1;
    return s;
  }

 private:
  // They are apart until then, and nothing is known of what follows.
  Sweep unknown(Sweep s, double t) const {
    s.hit = true, s.certain = false, s.time = t;
    s.pose_a = a_.body.motion.at(t), s.pose_b = b_.body.motion.at(t);
    s.contact = distance(a_.placed(s.pose_a), b_.placed(s.pose_b), {.depth = false});
    return s;
  }

  // Where they meet, no point is farther from the origin of either than this and the translations. Two planes that
  // stay as they are turned do so everywhere.
  double reach_of_contacts() const {
    const double reach = std::min(a_.radius, b_.radius);
    return std::isinf(reach) ? 0 : reach;
  }

  // 0 · ∞ is nothing: what does not turn does not, however far it reaches.
  static double turning_of(double spin, double reach) { return spin > 0 ? spin * reach : 0; }

  Approach approach_from(double t, const Pose& pose_a, const Pose& pose_b) const {
    Approach r;
    const double apart = (pose_a.translation() - pose_b.translation()).norm();
    const double sizes = size_of(pose_a.translation()) + size_of(pose_b.translation());
    const auto piece_a = a_.body.motion.piece(t), piece_b = b_.body.motion.piece(t);
    if (!piece_a || !piece_b) {
      // All that is known is how far points get until the end.
      r.directed = r.constant = false;
      const double all = a_.body.motion.reach(a_.radius, t, 1) + b_.body.motion.reach(b_.radius, t, 1);
      r.turning = t < 1 ? all / (1 - t) : 0;
      r.rounding = kRounding * (sizes + reach_of_contacts() + all);
      return r;
    }
    r.end = std::min(piece_a->end, piece_b->end);
    r.velocity = piece_a->velocity - piece_b->velocity;
    r.axis_a = piece_a->axis, r.axis_b = piece_b->axis;
    // Seen from a body that turns, the other one turns about it: the nearer points of both determine how fast.
    const double moved = (std::sqrt(norm_sq(r.velocity)) + turning_of(piece_a->spin, piece_a->arm) +
                          turning_of(piece_b->spin, piece_b->arm)) *
                         std::max(0.0, r.end - t);
    const auto seen = [&](const Side& other, double arm) { return arm + apart + other.radius + moved; };
    r.turning_a = turning_of(piece_a->spin, piece_a->arm + a_.radius);
    r.turning_b = turning_of(piece_b->spin, piece_b->arm + b_.radius);
    const double least_a = std::min(r.turning_a, turning_of(piece_a->spin, seen(b_, piece_a->arm)));
    const double least_b = std::min(r.turning_b, turning_of(piece_b->spin, seen(a_, piece_b->arm)));
    r.turning = least_a + least_b;
    r.directed = std::isfinite(r.turning_a + r.turning_b);
    const double speeds = std::sqrt(norm_sq(piece_a->velocity)) + std::sqrt(norm_sq(piece_b->velocity));
    r.rounding = kRounding * (sizes + reach_of_contacts() + moved + speeds + r.turning);
    return r;
  }

  // How long balls around the bodies stay apart; 0 if they are not so far apart that it is worth to know.
  double time_of_balls(const Approach& approach, const Pose& pose_a, const Pose& pose_b) const {
    constexpr double kWorth = 0.05;
    const double balls = a_.ball + b_.ball;
    if (!approach.constant || std::isinf(balls)) return 0;
    const Vec3 between = minus(pose_b * b_.center, pose_a * a_.center);
    const double length = std::sqrt(norm_sq(between)), gap = length - balls - options_.margin - approach.rounding;
    if (!(gap > kWorth * (balls + options_.margin) + options_.tolerance)) return 0;
    const Vec3 n = times(1 / length, between);
    return Approach::time_of(gap, std::min(approach.speed(), approach.speed_along(n)));
  }

  // Until then the bodies stay farther apart than the margin: `gap` more than that now.
  double next_time(double t, double gap, const Approach& approach, const Placed& a, const Placed& b,
                   const Distance& d) {
    const double left = approach.end - t, off = d.value - gap;
    const double across = convex_ ? std::min(gap, gap_across(a, b, d.normal) - off) : 0;
    double step = approach.time_apart(gap, across, d.normal);
    if (step >= left) return approach.end;
    if (!approach.directed && !approach.constant) return t + step_within_reach(t, gap, left);
    if (!convex_ && approach.directed) step = std::max(step, step_of_parts(step, left, approach, a, b));
    return step >= left ? approach.end : t + step;
  }

  // Of meshes and clouds: by parts, looking ahead as far as few of them matter.
  double step_of_parts(double step, double left, const Approach& approach, const Placed& a, const Placed& b) {
    constexpr int kBudget = 300, kFew = 50;
    constexpr double kMin = 4, kMax = 1e12;
    int pairs = 0;
    const double horizon = std::min(left, ahead_ * step);
    const double apart = time_apart(a, b, approach, options_.margin, horizon, kBudget, pairs);
    if (pairs > kBudget) ahead_ = std::max(kMin, ahead_ / 16);
    else if (pairs < kFew) ahead_ = std::min(kMax, ahead_ * 8);
    return apart;
  }

  // Motions that only bound how far they get: halved until that is not far enough.
  double step_within_reach(double t, double gap, double left) const {
    for (double step = left / 2; t + step > t; step /= 2) {
      const double reach = a_.body.motion.reach(a_.radius, t, t + step) + b_.body.motion.reach(b_.radius, t, t + step);
      if (reach < gap * (1 - 1e-12)) return step;
    }
    return 0;
  }

  // Of every coordinate on its way through a pose at a time.
  static constexpr double kRounding = 32 * kEpsilon;

  const Side a_, b_;
  const SweepOptions& options_;
  const bool convex_;
  double ahead_ = 16;  // how many times as far as the nearest parts allow it is worth to look
};

}  // namespace

Moving still(const Placed& placed) { return {placed.geometry, AnyMotion(placed.pose), {}, placed.uncertainty}; }

Sweep sweep(const Moving& a, const Moving& b, const SweepOptions& options) {
  check_sweep_options(options.margin, options.tolerance, options.max_steps);
  if (has_stretches(a, b)) return sweep_stretches(a, b, options, false);
  return Advance(a, b, options).run();
}
Sweep sweep(const Moving& a, const Placed& b, const SweepOptions& options) { return sweep(a, still(b), options); }
Sweep sweep(const Placed& a, const Moving& b, const SweepOptions& options) { return sweep(still(a), b, options); }

bool sweep_hits(const Moving& a, const Moving& b, const SweepOptions& options) {
  check_sweep_options(options.margin, options.tolerance, options.max_steps);
  if (has_stretches(a, b)) return sweep_stretches(a, b, options, true).hit;
  return Advance(a, b, options).run().hit;
}
bool sweep_hits(const Moving& a, const Placed& b, const SweepOptions& options) {
  return sweep_hits(a, still(b), options);
}
bool sweep_hits(const Placed& a, const Moving& b, const SweepOptions& options) {
  return sweep_hits(still(a), b, options);
}

SampledSweep sweep_by_samples(const Moving& a, const Moving& b, int steps, double margin) {
  check_sweep_options(margin, 1, steps);
  Placed at_a = at(a.geometry), at_b = at(b.geometry);
  for (int i = 0; i <= steps; ++i) {
    const double t = static_cast<double>(i) / steps;
    at_a.pose = a.motion.at(t) * a.local, at_b.pose = b.motion.at(t) * b.local;
    if (collide(at_a, at_b, {.margin = margin + a.uncertainty + b.uncertainty})) return {true, t};
  }
  return {};
}

namespace {

// ask(i) for each motion, on several threads.
template <class Ask>
void for_each(std::size_t motions, std::size_t room, const SweepEachOptions& options, const Ask& ask) {
  check_sweep_options(options.margin, options.tolerance, options.max_steps);
  if (room < motions) throw Error("answers", fmt::format("must have room for {} motions, got {}", motions, room));
  parallel_chunks(motions,
                  [&](std::size_t begin, std::size_t end) {
                    for (std::size_t i = begin; i < end; ++i) ask(i);
                  },
                  {.threads = options.threads});
}

}  // namespace

void sweep_each(const Geometry& a, std::span<const Motion> motions, const Placed& b, std::span<Sweep> sweeps,
                const SweepEachOptions& options) {
  const Moving other = still(b);
  const SweepOptions one{.margin = options.margin, .tolerance = options.tolerance, .max_steps = options.max_steps};
  for_each(motions.size(), sweeps.size(), options,
           [&](std::size_t i) { sweeps[i] = sweep(at(a, motions[i]), other, one); });
}

void sweep_hits_each(const Geometry& a, std::span<const Motion> motions, const Placed& b, std::span<bool> hits,
                     const SweepEachOptions& options) {
  const Moving other = still(b);
  const SweepOptions one{.margin = options.margin, .tolerance = options.tolerance, .max_steps = options.max_steps};
  for_each(motions.size(), hits.size(), options,
           [&](std::size_t i) { hits[i] = sweep_hits(at(a, motions[i]), other, one); });
}

}  // namespace graze
