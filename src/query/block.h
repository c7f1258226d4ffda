// A convex part of a solid that is made of many: the column below a triangle of a height field, a cell of a map.
#pragma once

#include "query/ball.h"
#include "query/contact_query.h"
#include "query/facet.h"

namespace graze {

/// A prism (six corners: three on top, counter-clockwise seen from above, then those below them) or a box (eight: 1, 2
/// and 4 in the index stand for the upper side along x, y and z).
struct Block {
  static constexpr bool kPart = true;
  std::array<Vec3, 8> corners;
  int count = 0;
  double slack = 0;  ///< no corner is farther from where the caller's numbers put it
};

struct BlockCore {
  static constexpr bool kCentered = false;
  static constexpr bool kCurved = false;
  static constexpr bool kSmooth = false;
  static constexpr bool kLine = false;
  Vec3 middle;
  std::array<Vec3, 8> corners;  // about the middle
  int count;

  explicit BlockCore(const Block& b) : count(b.count) {
    Aabb box;
    for (int i = 0; i < count; ++i) box.extend(b.corners[static_cast<std::size_t>(i)]);
    middle = box.center();
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) corners[i] = minus(b.corners[i], middle);
  }
  Vec3 support(const Vec3& d) const {
    std::size_t best = 0;
    double largest = dot(corners[0], d);
    for (std::size_t i = 1; i < static_cast<std::size_t>(count); ++i) {
      if (const double at = dot(corners[i], d); at > largest) largest = at, best = i;
    }
    return corners[best];
  }
  Bend bend(const Vec3&, const Vec3&, const Vec3&, const Vec3&) const { return {}; }
  const Vec3& center() const { return middle; }
  double reach() const {
    return size_of(corners[0]) + size_of(corners[static_cast<std::size_t>(count - 1)]) + extent();
  }
  double extent() const {
    double largest = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) largest = std::max(largest, norm_sq(corners[i]));
    return std::sqrt(largest);
  }
  Ridge ridge(std::span<const Vec3> points) const { return corner_ridge(points); }
  void line(const Vec3&, const Ridge& r, Vec3& start, Vec3& end) const { put(start, r.start), put(end, r.end); }
  Vec3 facing(const Vec3& p, const Vec3&) const { return copied(p); }
  std::uint64_t stamp() const {
    std::uint64_t hash = 10;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      hash = stamp_of(hash, {corners[i].x() + middle.x(), corners[i].y() + middle.y(), corners[i].z() + middle.z()});
    return hash;
  }
  // The middle of a prism's box need not lie inside.
  bool holds_center() const { return false; }
  double inner() const { return -kInfinity; }
};

inline BlockCore core(const Block& b) { return BlockCore(b); }

/// Compiled for all shapes and for blocks (block_flat.cpp, block_curved.cpp).
template <class A>
PairDistance measure_block(const A& a, const Block& b, const Relative& relative, const PairQuestion& question);
template <class A>
bool touch_block(const A& a, const Block& b, const Relative& relative, double margin);
/// The patches that face each other along n, from a to b, in a's frame.
template <class A>
void patch_block(const A& a, const Block& b, const Relative& relative, const Vec3& n, PatchContacts& common);

template <ShapeKind A>
PairDistance measure(const A& a, const Block& b, const Relative& relative, const PairQuestion& question) {
  return measure_block(a, b, relative, question);
}
inline PairDistance measure(const Block& a, const Block& b, const Relative& relative, const PairQuestion& question) {
  return measure_block(a, b, relative, question);
}
inline PairDistance measure(const Facet& a, const Block& b, const Relative& relative, const PairQuestion& question) {
  return measure_block(a.triangle, b, relative, question);
}
PairDistance measure(const Ball& a, const Block& b, const Relative& relative, const PairQuestion& question);

template <ShapeKind A>
bool touch(const A& a, const Block& b, const Relative& relative, double margin, PairMemory*) {
  return touch_block(a, b, relative, margin);
}
inline bool touch(const Block& a, const Block& b, const Relative& relative, double margin, PairMemory*) {
  return touch_block(a, b, relative, margin);
}
inline bool touch(const Facet& a, const Block& b, const Relative& relative, double margin, PairMemory*) {
  return touch_block(a.triangle, b, relative, margin);
}
bool touch(const Ball& a, const Block& b, const Relative& relative, double margin, PairMemory*);

template <ShapeKind A>
void common_patch(const A& a, const Block& b, const Relative& relative, const Vec3& n, PatchContacts& common) {
  patch_block(a, b, relative, n, common);
}
inline void common_patch(const Block& a, const Block& b, const Relative& relative, const Vec3& n,
                         PatchContacts& common) {
  patch_block(a, b, relative, n, common);
}
inline void common_patch(const Facet& a, const Block& b, const Relative& relative, const Vec3& n,
                         PatchContacts& common) {
  patch_block(a.triangle, b, relative, n, common);
}
inline void common_patch(const Ball&, const Block&, const Relative&, const Vec3&, PatchContacts& common) {
  common.size = 0;
}
// Points are found with the distance.
template <class A>
void find_point(const A&, const Block&, const Relative&, const PairQuestion&, PairDistance&) {}
inline void find_point(const Facet&, const Block&, const Relative&, const PairQuestion&, PairDistance&) {}

/// The largest feature of the block that faces the unit n, see patch.h.
Patch patch(const Block& block, const Vec3& n, double max_tilt);

}  // namespace graze
