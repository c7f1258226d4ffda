// Contacts of two geometries, as the traversal sees them.
#pragma once

#include <vector>

#include "graze/query/contacts.h"
#include "query/box_patch.h"
#include "query/pair_query.h"

namespace graze {

/// The patches of both shapes that face each other along n, cut to what they have in common, in a's frame.
template <class A, class B>
void common_patch(const A& a, const B& b, const Relative& relative, const Vec3& n, PatchContacts& common) {
  common.size = 0;
  if constexpr (Bounded<A> && Bounded<B>) {
    const Vec3 toward_a = times(-1, turned_back(relative.rotation, n));
    Patch on_a = patch(a, n, kLevel), on_b = patch(b, toward_a, kLevel);
    if (on_a.size < 2 && on_b.size < 2) return;
    if (on_a.is_face() && !on_b.is_face()) on_b = patch(b, toward_a, kIncident);
    if (on_b.is_face() && !on_a.is_face()) on_a = patch(a, n, kIncident);
    for (std::size_t i = 0; i < on_b.size; ++i) on_b.points[i] = relative.to_a(on_b.points[i]);
    clip(on_a, on_b, n, common);
  } else if constexpr (Bounded<A> && Unbounded<B>) {
    // A half-space or plane is level everywhere: each corner of the other's patch is a contact.
    const Boundary plane(b, relative);
    const double facing = dot(plane.normal, n) < 0 ? 1 : -1;
    const Patch on_a = patch(a, n, kIncident);
    if (on_a.size < 2) return;
    for (std::size_t i = 0; i < on_a.size; ++i) {
      common.items[common.size++] = {on_a.points[i], facing * (plane.offset - dot(plane.normal, on_a.points[i]))};
    }
  }
}

/// The pair's distance and normal; points only where they cost nothing.
template <class A, class B>
PairDistance contact_distance(const A& a, const B& b, const Relative& relative, const PairQuestion& question) {
  return measure_either(a, b, relative, question);
}

/// Of boxes that overlap, the axes are enough.
inline PairDistance contact_distance(const Box& a, const Box& b, const Relative& relative,
                                     const PairQuestion& question) {
  const double rounding = box_rounding(a, b, relative), placing = relative.placing_error(0);
  const double limit = question.limit + rounding + placing;
  const BoxSeparation s = separate(a, b, relative.rotation, relative.translation, limit);
  PairDistance r;
  if (s.value > limit) r.beyond = true;
  else if (s.value > 0) r = measure(a, b, relative, question);
  else r.value = s.value, r.tolerance = 2 * rounding + placing, r.normal = s.toward;
  return r;
}

/// Finds the point that was not asked for when `d` was measured.
template <class A, class B>
void find_point(const A& a, const B& b, const Relative& relative, PairQuestion question, PairDistance& d) {
  if constexpr (std::same_as<A, Box> && std::same_as<B, Box>) {
    if (d.value <= 0) {
      d.on_a = deepest_point(a, b, relative, {d.value, d.normal});
      return;
    }
  }
  question.points = true;
  d = measure_either(a, b, relative, question);
}

/// Collects contacts within the margin. Of more than kCapacity the deepest are kept.
class ContactQuery {
 public:
  static constexpr std::size_t kCapacity = 4 * Patch::kMaxPoints;

  struct Found {
    Vec3 on_a, normal;
    double depth;
    Feature a, b;
  };

  /// With `many`, contacts are kept there, as many as fit, and not in the query itself. Their points then mean on_a.
  ContactQuery(const Relative& relative, double margin, PairCache* cache, std::span<Contact> many = {})
      : relative_(relative), margin_(margin), cache_(memory_of(cache)), many_(many) {}
  /// The same question for a part of the pairs: what is found goes to `list`, in the order found.
  ContactQuery(const ContactQuery& whole, std::vector<Found>& list)
      : relative_(whole.relative_), margin_(whole.margin_), cache_(nullptr), list_(&list) {}

  double bound(const Aabb& a, const Aabb& b) const { return gap(a, relative_.box_to_a(b)); }
  double limit() const { return margin_; }
  template <class A, class B>
  void leaf(const A& a, std::size_t i, const B& b, std::size_t j) {
    const PairQuestion question{.limit = margin_, .points = false, .cache = cache_};
    PairDistance d = contact_distance(a.primitive(i), b.primitive(j), relative_, question);
    if (d.beyond || d.value - d.tolerance > margin_) return;
    const double deepest = -d.value;
    PatchContacts common;
    common.size = 0;
    if (std::isfinite(deepest)) common_patch(a.primitive(i), b.primitive(j), relative_, d.normal, common);
    double shown = -kInfinity;
    for (std::size_t k = 0; k < common.size; ++k) {
      // Rounding and tilt may carry a corner past the pair's own depth.
      const double depth = std::min(common.items[k].depth, deepest);
      if (depth < -margin_ - d.tolerance) continue;
      shown = std::max(shown, depth);
      add({common.items[k].on_a, d.normal, depth, feature_of(a, i), feature_of(b, j)});
    }
    // The deepest point itself, where the corners of the patch do not show it.
    if (!(shown >= deepest - 4 * d.tolerance - kLevel * kLevel * std::abs(deepest))) {
      find_point(a.primitive(i), b.primitive(j), relative_, question, d);
      add({d.on_a, d.normal, -d.value, feature_of(a, i), feature_of(b, j)});
    }
  }

  /// Deepest first, then by primitives, then in the order found; at most `max`, spread as far as they go.
  std::span<const Found> result(std::size_t max);
  /// The same of those in `many`: all of them.
  std::span<Contact> result_of_many();

  void add(const Found& contact);
  bool empty() const { return count_ == 0; }
  /// Whether one of them is at least this deep.
  bool reaches(double depth) const {
    for (std::size_t i = 0; i < count_; ++i) {
      if ((many_.empty() ? found_[i].depth : many_[i].depth) >= depth) return true;
    }
    return false;
  }
  /// Drops those of which corrected(contact), which may change it, is false.
  template <class Corrected>
  void keep(const Corrected& corrected) {
    const std::size_t count = count_;
    count_ = 0;
    for (std::size_t i = 0; i < count; ++i) {
      Found c =
          many_.empty() ? found_[i] : Found{many_[i].point, many_[i].normal, many_[i].depth, many_[i].a, many_[i].b};
      // What was kept takes no more room than what was looked at.
      if (corrected(c)) add(c);
    }
  }

 private:
  void add_to_many(const Found& contact);

  const Relative& relative_;
  double margin_;
  PairMemory* cache_;
  std::span<Contact> many_;
  std::vector<Found>* list_ = nullptr;
  std::size_t count_ = 0;
  std::array<Found, kCapacity> found_;
};

}  // namespace graze
