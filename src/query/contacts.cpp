#include "graze/query/contacts.h"

#include <algorithm>

#include "query/clip.h"
#include "query/dispatch.h"
#include "query/pair.h"

namespace graze {
namespace {

// A face meets a face where both are orthogonal to the normal to within this; the other shape may then show any
// feature that is turned to it by less than kIncident.
constexpr double kLevel = 1e-4, kIncident = 0.7;


// The patches of both shapes in the first one's frame.
template <class A, class B>
PatchContacts common_patch(const A& a, const B& b, const Relative& relative, const Vec3& n) {
  const Vec3 toward_a = relative.rotation.transpose() * -n;
  Patch on_a = patch(a, n, kLevel), on_b = patch(b, toward_a, kLevel);
  if (on_a.is_face() && !on_b.is_face()) on_b = patch(b, toward_a, kIncident);
  else if (on_b.is_face() && !on_a.is_face()) on_a = patch(a, n, kIncident);
  for (std::size_t i = 0; i < on_b.size; ++i) on_b.points[i] = relative.to_a(on_b.points[i]);
  return clip(on_a, on_b, n);
}

// A half-space or plane is level everywhere: each corner of the other's patch is a contact.
template <class A, class B>
  requires(!Bounded<B>)
PatchContacts common_patch(const A& a, const B& b, const Relative& relative, const Vec3& n) {
  PatchContacts r;
  if constexpr (Bounded<A>) {
    const Boundary plane(b, relative);
    const double facing = plane.normal.dot(n) < 0 ? 1 : -1;
    const Patch on_a = patch(a, n, kIncident);
    if (on_a.size < 2) return r;
    for (std::size_t i = 0; i < on_a.size; ++i) {
      r.items[r.size++] = {on_a.points[i], facing * (plane.offset - plane.normal.dot(on_a.points[i]))};
    }
  }
  return r;
}

// Deepest first; equal depths in the order found.
void sort_by_depth(std::span<Contact> found) {
  for (std::size_t i = 1; i < found.size(); ++i) {  // few, and nearly sorted: by insertion, without allocation
    const Contact c = found[i];
    std::size_t j = i;
    for (; j > 0 && found[j - 1].depth < c.depth; --j) found[j] = found[j - 1];
    found[j] = c;
  }
}

// Keeps the deepest and then, one by one, those farthest from all kept so far.
std::size_t thin(std::span<Contact> found, std::size_t max) {
  for (std::size_t kept = 1; kept < max; ++kept) {
    std::size_t best = kept;
    double farthest = -1;
    for (std::size_t i = kept; i < found.size(); ++i) {
      double nearest = kInfinity;
      for (std::size_t k = 0; k < kept; ++k) nearest = std::min(nearest, (found[i].point - found[k].point).squaredNorm());
      if (nearest > farthest) farthest = nearest, best = i;
    }
    std::swap(found[kept], found[best]);
  }
  return max;
}

}  // namespace

std::span<Contact> contacts(const Placed& a, const Placed& b, std::span<Contact> buffer,
                            const ContactOptions& options) {
  const std::size_t room = std::min(options.max, buffer.size());
  if (room == 0) return buffer.first(0);
  const double margin = std::isnan(options.margin) ? kInfinity : options.margin;
  const CanonicalPair pair(a, b);
  const Relative relative(pair.first.pose, pair.second.pose);

  PairDistance d;
  PatchContacts common;
  with_kinds<void>(pair.first.geometry, pair.second.geometry, [&](const auto& first, const auto& second) {
    d = measure(first, second, relative, {.limit = margin, .cache = options.cache});
    if (!d.beyond && std::isfinite(d.value)) common = common_patch(first, second, relative, d.normal);
  });
  if (d.beyond || d.value - d.tolerance > margin) return buffer.first(0);

  // The patch's corners, with the deepest point itself where they do not show it.
  std::array<Contact, 2 * Patch::kMaxPoints + 1> found;
  std::size_t count = 0;
  const Pose& pose = pair.first.pose;
  const Vec3 normal = pose.rotation() * d.normal;
  const auto add = [&](const Vec3& on_a, double depth) {
    const Vec3 middle = std::isfinite(depth) ? Vec3(on_a - depth / 2 * d.normal) : on_a;
    Contact c{pose * middle, pair.swapped ? Vec3(-normal) : normal, depth};
    for (std::size_t i = 0; i < count; ++i) {
      if (found[i].point == c.point) return;
    }
    found[count++] = c;
  };
  const double deepest = -d.value;
  // How far rounding may push a corner of the patch below the depth of the pair, in parts of the pair's tolerance.
  const double slack = 4 * d.tolerance + kLevel * kLevel * std::abs(deepest);
  double shown = -kInfinity;
  for (std::size_t i = 0; i < common.size; ++i) {
    const double depth = std::min(common.items[i].depth, deepest);
    if (depth >= -margin) shown = std::max(shown, depth);
  }
  if (!(shown >= deepest - slack)) add(d.on_a, deepest);
  for (std::size_t i = 0; i < common.size; ++i) {
    const double depth = std::min(common.items[i].depth, deepest);
    if (depth >= -margin) add(common.items[i].on_a, depth);
  }
  sort_by_depth({found.data(), count});
  if (count > room) count = thin({found.data(), count}, room);
  sort_by_depth({found.data(), count});
  std::copy_n(found.begin(), count, buffer.begin());
  return buffer.first(count);
}

Contacts contacts(const Placed& a, const Placed& b, const ContactOptions& options) {
  Contacts r;
  r.size_ = contacts(a, b, std::span<Contact>(r.items_), options).size();
  return r;
}

}  // namespace graze
