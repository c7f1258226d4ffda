// The first time at which two convex parts of moving bodies touch.
#pragma once

#include "query/farthest.h"
#include "query/solvers.h"
#include "query/sweep_pair.h"

namespace graze {

/// A stretch of time without a jump of velocity. Between its ends every point of a body keeps within
/// Bending · (end − begin)² / 8 of the straight line from where it is at the one to where it is at the other.
struct Stretch {
  const MovingPair& pair;
  const Instant &begin, &end;
  double margin, tolerance;
  int max_steps;
  std::int64_t& steps_left;  // of the whole sweep, for all pairs of parts together
  Bending bend_a, bend_b;
  double off;  // metres that are margin, or not certain

  Stretch(const MovingPair& p, const Instant& from, const Instant& to, const SweepOptions& options, std::int64_t& steps)
      : pair(p),
        begin(from),
        end(to),
        margin(options.margin),
        tolerance(options.tolerance),
        max_steps(options.max_steps),
        steps_left(steps),
        bend_a(p.bending_a(from.t, to.t)),
        bend_b(p.bending_b(from.t, to.t)),
        off(options.margin + p.rounding(from, to)) {}

  double length() const { return end.t - begin.t; }
  /// Metres that any point of either body may be off its line, and both together.
  double sag() const {
    return (bend_a.size(pair.first().radius) + bend_b.size(pair.second().radius)) * length() * length() / 8 *
           (1 + 1e-9);
  }
};

/// When two parts touch.
struct PartTouch {
  double time = kInfinity;  // infinite: not within the stretch
  double last_free = -1;    // they are known to be apart then
  bool certain = true;
  PairDistance contact;         // at that time, in the frame of the first body
  Vec3 normal = Vec3::UnitX();  // from the first to the second one where they were measured last, in the world

  bool found() const { return time < kInfinity; }
};

/// The first s in [0, 1] with from + (to − from) s − 4 sag s (1 − s) ≤ 0, rounded down; infinite if there is none.
/// `from` is positive, `sag` not negative.
inline double first_below_zero(double from, double to, double sag) {
  const double slope = to - from - 4 * sag;
  if (slope >= 0) return kInfinity;
  const double square = slope * slope - 16 * sag * from;
  constexpr double kDoubt = 1e-12;
  if (square < -kDoubt * slope * slope) return kInfinity;
  const double s = 2 * from / (-slope + std::sqrt(std::max(0.0, square)));
  if (!(s >= 0)) return 0;  // what is not a number proves nothing
  return s > 1 + kDoubt ? kInfinity : std::min(1.0, s * (1 - 4 * kDoubt));
}

/// How far apart the two are along n, a unit of a's frame from a to b, rounded down. The less there is between them,
/// the more rounding turns the line between their nearest points, and what is long may reach over the plane across it.
template <class A, class B>
double gap_along(const A& a, const B& b, const Relative& relative, const Vec3& n) {
  const Vec3 p = farthest(a, n), q = relative.to_a(farthest(b, times(-1, turned_back(relative.rotation, n))));
  return dot(n, minus(q, p)) - 16 * kEpsilon * (size_of(p) + size_of(q) + size_of(relative.translation));
}

/// The same without a branch on corners, which nobody could foresee.
inline double gap_along(const Facet& a, const Facet& b, const Relative& relative, const Vec3& n) {
  const Triangle &of_a = a.triangle, &of_b = b.triangle;
  const Vec3 m = turned_back(relative.rotation, n);
  const double high = std::max(std::max(dot(n, of_a.a()), dot(n, of_a.b())), dot(n, of_a.c()));
  const double low = std::min(std::min(dot(m, of_b.a()), dot(m, of_b.b())), dot(m, of_b.c()));
  const auto size = [](const Triangle& t) {
    return std::max(std::max(size_of(t.a()), size_of(t.b())), size_of(t.c()));
  };
  return low + dot(n, relative.translation) - high -
         16 * kEpsilon * (size(of_a) + size(of_b) + size_of(relative.translation));
}

template <class A>
double radius_of(const MovingBody&, const A&, double radius) {
  return radius;
}
inline double radius_of(const MovingBody& body, const Facet& f, double radius) {
  const Triangle& t = f.triangle;
  return std::min(radius, std::max({body.arm(t.a()), body.arm(t.b()), body.arm(t.c())}) * (1 + 8 * kEpsilon));
}
inline double radius_of(const MovingBody& body, const Ball& b, double radius) {
  return std::min(radius, (body.arm(b.center) + b.sphere.radius) * (1 + 8 * kEpsilon));
}

/// Advances from plane to plane. At a time the plane between the nearest points keeps the parts apart; as long as it
/// does, seen from where both are at a later time and with what their paths may bend in between, they do not touch. The
/// next plane is that where this one ends. Near a contact every step squares what is left, unless they touch
/// tangentially: then it halves it.
template <class A, class B>
class PartAdvance {
 public:
  PartAdvance(const A& a, const B& b, const Stretch& stretch)
      : a_(a),
        b_(b),
        s_(stretch),
        radius_a_(radius_of(stretch.pair.first(), a, stretch.pair.first().radius)),
        radius_b_(radius_of(stretch.pair.second(), b, stretch.pair.second().radius)) {}

  /// They are known to be apart before `now`; what happens after `until` is of no interest.
  PartTouch run(Instant now, const Instant& until) {
    PartTouch touch;
    // Once in any case, so that there is a contact to report.
    for (int step = 0; step < s_.max_steps && (step == 0 || s_.steps_left > 0); ++step) {
      --s_.steps_left;
      touch.contact = measure_either(a_, b_, now.relative, {.depth = false});
      touch.normal = turned(now.a.rotation(), touch.contact.normal);
      const double beyond = touch.contact.value - s_.margin, off = touch.contact.tolerance + s_.off - s_.margin;
      const double gap = beyond - off;
      if (!(gap > s_.tolerance / 2)) {
        if (gap > 0) touch.last_free = now.t;
        touch.time = now.t;
        // Of overlaps the tolerance says how deep they are at most.
        touch.certain = beyond <= 0 || beyond + off <= s_.tolerance;
        return touch;
      }
      touch.last_free = now.t;
      if (now.t >= until.t) return touch;
      bool free = false;
      const double next = time_after(now, until, gap, off, touch.contact.normal, touch.normal, free);
      if (free && next >= until.t) return touch;
      if (!(next > now.t)) break;  // in double they stand still
      now = s_.pair.at(next);
    }
    touch.time = now.t, touch.certain = false;
    return touch;
  }

 private:
  // Until then they are apart; `free` if that includes the time itself. n: across the plane between them, in a's frame,
  // and in the world.
  double time_after(const Instant& now, const Instant& until, double gap, double off, const Vec3& n, const Vec3& world,
                    bool& free) const {
    const double from = std::min(gap, gap_along(a_, b_, now.relative, n) - s_.margin - off);
    if (!(from > 0)) {
      free = true;
      return now.t + within_reach(now.t, until.t, gap);
    }
    const double bend = s_.bend_a.along(world, radius_a_) + s_.bend_b.along(world, radius_b_);
    double end = until.t, next = now.t;
    // Farther ahead the paths bend too much for it to be seen that they stay apart.
    if (bend > 0) end = std::min(end, now.t + std::sqrt(8 * from / bend));
    constexpr int kTries = 3;
    for (int i = 0; i < kTries; ++i) {
      const double length = end - now.t;
      if (!(length > 0)) break;
      const double to = gap_at(end == until.t ? until : s_.pair.at(end), world) - s_.margin - off;
      const double part = first_below_zero(from, to, bend * length * length / 8);
      if (part > 1) {
        free = true;
        return end;
      }
      next = std::max(next, now.t + part * length);
      constexpr double kEnough = 0.4, kAhead = 2;
      if (part > kEnough) break;
      end = now.t + kAhead * part * length;
    }
    return next;
  }

  double gap_at(const Instant& then, const Vec3& world) const {
    return gap_along(a_, b_, then.relative, turned_back(then.a.rotation(), world));
  }

  // No point gets farther than the gap.
  double within_reach(double t, double until, double gap) const {
    double span = until - t;
    const auto reach = [&](double by) {
      return s_.pair.first().body.motion.reach(radius_a_, t, t + by) +
             s_.pair.second().body.motion.reach(radius_b_, t, t + by);
    };
    constexpr int kHalvings = 60;
    for (int i = 0; i < kHalvings; ++i, span /= 2) {
      if (reach(span) * (1 + 1e-12) < gap) return span;
    }
    return 0;
  }

  const A& a_;
  const B& b_;
  const Stretch& s_;
  double radius_a_, radius_b_;
};

}  // namespace graze
