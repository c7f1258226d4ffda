// The query objects of scenes. Their answers do not depend on the order in which pairs are asked about.
#pragma once

#include <algorithm>
#include <array>

#include "graze/query/collide.h"
#include "graze/scene/scene_query.h"
#include "scene/pairs.h"

namespace graze::scene {

/// Does any pair touch?
class CollideQuestion {
 public:
  explicit CollideQuestion(double margin) : margin_(margin), limit_(margin) {}
  static constexpr bool kAxisGap = true;
  static double bound(const Aabb& a, const Aabb& b) { return lower_axis_gap(a, b); }
  double limit() const { return limit_; }
  void pair(const Body& a, const Body& b) {
    if (hit_ || !collide(a.placed, b.placed, {.margin = pair_margin(margin_, a, b)})) return;
    hit_ = true, limit_ = -kInfinity;
  }
  bool done() const { return hit_; }
  bool hit() const { return hit_; }

 private:
  double margin_, limit_;
  bool hit_ = false;
};

/// All pairs that touch, to visit(const Body&, const Body&), until it returns false.
template <class Visit>
class AllQuestion {
 public:
  AllQuestion(double margin, const Visit& visit) : margin_(margin), limit_(margin), visit_(visit) {}
  static constexpr bool kAxisGap = true;
  static double bound(const Aabb& a, const Aabb& b) { return lower_axis_gap(a, b); }
  double limit() const { return limit_; }
  void pair(const Body& a, const Body& b) {
    if (ended_ || !collide(a.placed, b.placed, {.margin = pair_margin(margin_, a, b)}) || visit_(a, b)) return;
    ended_ = true, limit_ = -kInfinity;
  }
  bool done() const { return ended_; }

 private:
  double margin_, limit_;
  const Visit& visit_;
  bool ended_ = false;
};

/// Keeps the first of many in a buffer, in order, and counts all.
template <class T, class Less>
class FirstOf {
 public:
  explicit FirstOf(std::span<T> buffer) : buffer_(buffer) {}
  void add(const T& item) {
    ++count_;
    if (kept_ < buffer_.size()) {
      buffer_[kept_++] = item;
      std::push_heap(begin(), end(), Less());
    } else if (kept_ > 0 && Less()(item, buffer_[0])) {
      std::pop_heap(begin(), end(), Less());
      buffer_[kept_ - 1] = item;
      std::push_heap(begin(), end(), Less());
    }
  }
  std::size_t finish() {
    std::sort_heap(begin(), end(), Less());
    return count_;
  }

 private:
  auto begin() { return buffer_.begin(); }
  auto end() { return buffer_.begin() + static_cast<std::ptrdiff_t>(kept_); }

  std::span<T> buffer_;
  std::size_t kept_ = 0, count_ = 0;
};

struct PairLess {
  bool operator()(const ObjectPair& a, const ObjectPair& b) const {
    return a.id_a != b.id_a ? a.id_a < b.id_a : a.id_b < b.id_b;
  }
};
/// By pair, deepest first; what is left is decided by features and coordinates.
struct ContactLess {
  bool operator()(const SceneContact& a, const SceneContact& b) const {
    if (PairLess()(a.pair, b.pair) || PairLess()(b.pair, a.pair)) return PairLess()(a.pair, b.pair);
    if (a.depth != b.depth) return a.depth > b.depth;
    if (a.a != b.a) return a.a < b.a;
    if (a.b != b.b) return a.b < b.b;
    return std::lexicographical_compare(a.point.data(), a.point.data() + 3, b.point.data(), b.point.data() + 3);
  }
};

class ContactsQuestion {
 public:
  ContactsQuestion(const SceneContactOptions& options, std::span<SceneContact> buffer)
      : max_(std::min(options.max, Contacts::kCapacity)), margin_(options.margin), first_(buffer) {}
  static constexpr bool kAxisGap = true;
  static double bound(const Aabb& a, const Aabb& b) { return lower_axis_gap(a, b); }
  double limit() const { return margin_; }
  static bool done() { return false; }
  void pair(const Body& a, const Body& b) {
    std::array<Contact, Contacts::kCapacity> found;
    const double padding = a.padding + b.padding;
    for (const Contact& c : contacts(a.placed, b.placed, found, {.max = max_, .margin = pair_margin(margin_, a, b)})) {
      SceneContact named{c, pair_of(a, b)};
      named.depth += padding;
      named.point += (a.padding - b.padding) / 2 * c.normal;
      first_.add(named);
    }
  }
  std::size_t finish() { return first_.finish(); }

 private:
  std::size_t max_;
  double margin_;
  FirstOf<SceneContact, ContactLess> first_;
};

/// How far one of two boxes has to go along an axis until they only touch; negative if they are apart.
inline double overlap_depth(const Aabb& a, const Aabb& b) {
  double depth = kInfinity;
  for (int k = 0; k < 3; ++k) depth = std::min({depth, a.max[k] - b.min[k], b.max[k] - a.min[k]});
  return depth;
}

class DistanceQuestion {
 public:
  explicit DistanceQuestion(const SceneDistanceOptions& options)
      : limit_(std::isnan(options.limit) ? kInfinity : options.limit), depth_(options.depth) {
    best_.beyond = true;
  }
  static double bound(const Aabb& a, const Aabb& b) { return lower_gap(a, b); }
  // Overlaps are all measured, so that the deepest does not depend on which was asked first.
  double limit() const { return best_.beyond ? std::max(limit_, 0.0) : std::max(best_.value, 0.0); }

  void pair(const Body& a, const Body& b) {
    const double padding = sum_up(a.padding, b.padding);
    if (!depth_ && (has_cells(a) || has_cells(b))) return cells_pair(a, b, padding);
    if (!best_.beyond && (best_.value > 0 || !depth_) && (many_parts(a) || many_parts(b))) {
      // A first look with a limit. Not that of the best itself: what is equally near up to rounding has to be measured,
      // or the answer would depend on the order.
      const double slack = 1e-9 * (best_.value + padding + size_of(a) + size_of(b));
      const double near = best_.value + padding + slack;
      if (distance(a.placed, b.placed, {.limit = near, .depth = false}).beyond) return;
    }
    take({distance(a.placed, b.placed, {.limit = sum_up(limit_, padding), .depth = depth_}), pair_of(a, b)}, a, b);
  }

  SceneDistance best() const {
    SceneDistance r = best_;
    if (!r.beyond && r.value <= 0) r.tolerance = std::max(r.tolerance, r.value + deepest_);
    // One of the others may be nearer by as much as its own tolerance leaves open.
    if (!r.beyond && std::isfinite(lower_)) r.tolerance = std::max(r.tolerance, r.value - lower_);
    return r;
  }

 private:
  // Depths are not wanted, so that an overlap is minus the padding. Of equal ones that of the objects that were added
  // first counts, and their boxes tell how deep any is at most.
  void cells_pair(const Body& a, const Body& b, double padding) {
    const double slack = 1e-9 * (padding + size_of(a) + size_of(b));
    const double depth = overlap_depth(a.box, b.box) + slack;
    deepest_ = std::max(deepest_, depth);
    double limit = sum_up(limit_, padding);
    if (!best_.beyond) {
      if (best_.value < -padding || (best_.value == -padding && PairLess()(best_.pair, pair_of(a, b)))) return;
      // What is equally near up to rounding has to be measured, or the answer would depend on the order.
      limit = std::min(limit, best_.value + padding + slack + 1e-9 * best_.value);
    }
    SceneDistance d{distance(a.placed, b.placed, {.limit = limit, .depth = false}), pair_of(a, b)};
    if (d.value <= 0) d.tolerance = std::min(d.tolerance, std::max(depth - padding, 0.0));
    take(d, a, b);
  }
  void take(SceneDistance d, const Body& a, const Body& b) {
    if (d.beyond) return;
    const double padding = sum_up(a.padding, b.padding);
    if (padding > 0) {
      if (std::isfinite(d.value)) {
        d.tolerance += 4 * kEpsilon * (std::abs(d.value) + padding);
        d.on_a += a.padding * d.normal;
        d.on_b -= b.padding * d.normal;
      }
      d.value -= padding;
    }
    lower_ = std::min(lower_, d.value - d.tolerance);
    const bool better =
        best_.beyond || d.value < best_.value || (d.value == best_.value && PairLess()(d.pair, best_.pair));
    if (better) best_ = d;
  }
  // A map that is cells alone: what overlaps it has the distance 0, whatever it is, unless depths are wanted.
  static bool has_cells(const Body& body) {
    const auto* view = std::get_if<MapView>(&body.placed.geometry);
    return view != nullptr && view->unknown() == UnknownSpace::free;
  }
  static bool many_parts(const Body& body) {
    const Geometry& g = body.placed.geometry;
    return std::holds_alternative<Mesh>(g) || std::holds_alternative<Cloud>(g) ||
           std::holds_alternative<HeightField>(g) || std::holds_alternative<MapView>(g);
  }
  static double size_of(const Body& body) {
    return body.box.bounded() ? std::max(body.box.min.cwiseAbs().maxCoeff(), body.box.max.cwiseAbs().maxCoeff()) : 0;
  }

  double limit_;
  bool depth_;
  SceneDistance best_;
  double lower_ = kInfinity;
  double deepest_ = -kInfinity;  // of what may overlap cells
};

}  // namespace graze::scene
