// The earliest touch of any parts of two moving bodies, as the traversal asks for it: the number of a pair of nodes is
// the part of a stretch of time that passes before their boxes can touch.
#pragma once

#include "query/cloud_tree.h"
#include "query/mesh_tree.h"
#include "query/sweep_parts.h"

namespace graze {

/// How the points of a body move over a stretch: from p to p + linear · p + offset, seen from where the first body is
/// at the start, but for what the path bends.
struct Shift {
  Mat3 linear;
  Vec3 offset;
  double stretch;  // no vector gets longer than this times its length by `linear`

  Shift(const Mat3& from, const Vec3& at, const Mat3& to, const Vec3& then)
      : linear(to - from),
        offset(minus(then, at)),
        stretch(std::sqrt(linear.squaredNorm() / 2) * (1 + 1e-9) + 8 * kEpsilon) {
    if (linear.isZero(0)) stretch = 0;
  }
  Vec3 of(const Vec3& p) const { return plus(turned(linear, p), offset); }
};

/// Boxes between the ends of a stretch.
class SweptBoxes {
 public:
  explicit SweptBoxes(const Stretch& s)
      : relative_(s.begin.relative),
        shift_a_(Mat3::Identity(), Vec3::Zero(), Mat3(s.begin.a.rotation().transpose() * s.end.a.rotation()),
                 turned_back(s.begin.a.rotation(), minus(s.end.a.translation(), s.begin.a.translation()))),
        shift_b_(relative_.rotation, relative_.translation, Mat3(s.begin.a.rotation().transpose() * s.end.b.rotation()),
                 turned_back(s.begin.a.rotation(), minus(s.end.b.translation(), s.begin.a.translation()))) {
    const double eighth = s.length() * s.length() / 8;
    const double bend_a = s.bend_a.size(s.pair.first().radius), bend_b = s.bend_b.size(s.pair.second().radius);
    const double sizes = size_of(relative_.translation) + size_of(shift_a_.offset) + size_of(shift_b_.offset);
    rounding_ = 64 * kEpsilon * sizes;
    for (int k = 0; k < 3; ++k) {
      const Vec3 of_a = s.begin.a.rotation().col(k), of_b = s.begin.b.rotation().col(k);
      const auto sag = [&](const Vec3& n) {
        const double across_a = s.bend_a.across(n), across_b = s.bend_b.across(n);
        return (bend_a == 0 ? 0 : bend_a * across_a * eighth) + (bend_b == 0 ? 0 : bend_b * across_b * eighth);
      };
      off_ = s.off, sag_a_[k] = sag(of_a), sag_b_[k] = sag(of_b);
    }
  }

  /// The part of the stretch that passes for certain before the boxes can come within the margin; infinite if they do
  /// not.
  double entry(const Aabb& a, const Aabb& b) const {
    const Vec3 center_a = a.center(), half_a = a.half(), center_b = b.center(), half_b = b.half();
    const Vec3 apart = minus(relative_.to_a(center_b), center_a);
    const Vec3 moved = minus(shift_b_.of(center_b), shift_a_.of(center_a));
    const double grows = shift_a_.stretch * std::sqrt(norm_sq(half_a)) + shift_b_.stretch * std::sqrt(norm_sq(half_b));
    const double slack =
        rounding_ + 64 * kEpsilon * (size_of(center_a) + size_of(half_a) + size_of(center_b) + size_of(half_b));
    Overlap overlap;
    const Mat3& r = relative_.rotation;
    for (int k = 0; k < 3; ++k) {
      const double reach =
          half_a[k] + std::abs(r(k, 0)) * half_b[0] + std::abs(r(k, 1)) * half_b[1] + std::abs(r(k, 2)) * half_b[2];
      overlap.along(apart[k], moved[k], reach + off_ + slack, grows, sag_a_[k]);
    }
    if (!relative_.aligned) {
      for (int k = 0; k < 3; ++k) {
        const double reach =
            half_b[k] + std::abs(r(0, k)) * half_a[0] + std::abs(r(1, k)) * half_a[1] + std::abs(r(2, k)) * half_a[2];
        const Vec3 axis = r.col(k);
        overlap.along(dot(axis, apart), dot(axis, moved), reach + off_ + slack, grows, sag_b_[k]);
      }
    }
    return overlap.entry();
  }

 private:
  // When intervals along axes overlap: from `enter` to `leave`.
  struct Overlap {
    double enter = 0, leave = 1;
    // At `at` from each other, `by` more at the end, within `reach` of each other, and `grows` more at the end; off the
    // line by `sag` half way.
    void along(double at, double by, double reach, double grows, double sag) {
      const double end = at + by;
      // Apart at the start on one side, and at the end on one side.
      const double first = std::abs(at) - reach, then = (at < 0 ? -end : end) - reach - grows;
      if (first > 0) enter = std::max(enter, first_below_zero(first, then, sag));
      const double last = std::abs(end) - reach - grows, before = (end < 0 ? -at : at) - reach;
      if (last > 0) leave = std::min(leave, 1 - first_below_zero(last, before, sag));
    }
    double entry() const {
      constexpr double kDoubt = 1e-9;
      return enter > leave + kDoubt ? kInfinity : std::max(0.0, enter * (1 - kDoubt) - kDoubt * kDoubt);
    }
  };

  const Relative& relative_;
  Shift shift_a_, shift_b_;
  double rounding_, off_, sag_a_[3], sag_b_[3];
};

inline Aabb box_of(const Facet& f) {
  Aabb box;
  box.extend(f.triangle.a()), box.extend(f.triangle.b()), box.extend(f.triangle.c());
  return box;
}
inline Aabb box_of(const Ball& b) { return Aabb{b.center, b.center}.grown(b.sphere.radius); }
template <Bounded S>
Aabb box_of(const S& s) {
  return ShapeLeaf<S>(s).bounds({});
}

/// What the walk found.
struct EarliestTouch {
  PartTouch touch;
  Feature a = 0, b = 0;
};

/// When a search of a stretch is given up.
struct SweepBudget {
  std::size_t pairs;  ///< after more pairs of parts
  std::size_t few;    ///< after as many, if the first touch is so early that a shorter stretch is worth it
};

class SweepQuery {
 public:
  /// The normal (unit, world) is a guess of what separates the bodies.
  SweepQuery(const Stretch& stretch, const SweepBudget& budget, const Vec3& normal, bool any)
      : stretch_(stretch),
        boxes_(stretch),
        budget_(budget),
        until_(stretch.end),
        bends_(stretch.sag() > stretch.tolerance),
        normal_(normal),
        any_(any) {}

  double bound(const Aabb& a, const Aabb& b) const { return boxes_.entry(a, b); }
  double limit() const { return over() ? -kInfinity : limit_; }
  std::size_t pairs() const { return pairs_; }
  /// It was given up: after too many parts, or because it is better to ask again about a stretch that starts at
  /// `reached` and ends where the first touch was found. Paths bend by much less there.
  bool over() const {
    if (reached_ >= 1) return false;
    return pairs_ > budget_.pairs || (pairs_ >= budget_.few && bends_ && limit_ - reached_ < kShorter);
  }
  /// Nothing touches in this part of the stretch but what was found.
  double reached() const { return reached_; }
  void reach(double part) { reached_ = part; }
  const EarliestTouch& earliest() const { return best_; }
  /// From the first body to the second one between the parts that touch first, or were asked about last; in the world.
  const Vec3& normal() const { return best_.touch.found() ? best_.touch.normal : normal_; }

  template <class A, class B>
  void leaf(const A& a, std::size_t i, const B& b, std::size_t j) {
    const auto& part_a = a.primitive(i);
    const auto& part_b = b.primitive(j);
    const double from = boxes_.entry(box_of(part_a), box_of(part_b));
    if (from > limit()) return;
    add(part_a, feature_of(a, i), part_b, feature_of(b, j), from);
  }

  /// Parts that cannot touch before `from` of the stretch.
  template <class A, class B>
  void add(const A& a, Feature fa, const B& b, Feature fb, double from) {
    ++pairs_;
    PartAdvance<A, B> advance(a, b, stretch_);
    constexpr double kWorth = 0.05;
    const double t = from < kWorth ? stretch_.begin.t : stretch_.begin.t + from * stretch_.length() * (1 - 1e-12);
    const PartTouch touch = advance.run(from < kWorth ? stretch_.begin : stretch_.pair.at(t), until_);
    normal_ = touch.normal;
    if (!touch.found() || touch.time > best_.touch.time) return;
    if (touch.time == best_.touch.time && (fa > best_.a || (fa == best_.a && fb >= best_.b))) return;
    best_ = {touch, fa, fb};
    if (touch.time < until_.t) until_ = stretch_.pair.at(touch.time);
    const double part = stretch_.length() > 0 ? (touch.time - stretch_.begin.t) / stretch_.length() : 0;
    limit_ = touch.time > stretch_.begin.t && !any_ ? std::min(limit_, part * (1 + 1e-9)) : -kInfinity;
  }

 private:
  static constexpr double kShorter = 0.5;

  const Stretch& stretch_;
  SweptBoxes boxes_;
  SweepBudget budget_;
  Instant until_;  // the end, or the first touch
  std::size_t pairs_ = 0;
  bool bends_;
  double limit_ = 1, reached_ = 0;
  Vec3 normal_;
  bool any_;  // one touch is enough
  EarliestTouch best_;
};

}  // namespace graze
