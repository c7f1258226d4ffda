#include "query/box_patch.h"

#include <algorithm>
#include <cmath>

namespace graze {
namespace {

constexpr std::array<Eigen::Index, 3> kNext = {1, 2, 0}, kAfter = {2, 0, 1};

Eigen::Index next(Eigen::Index axis) { return kNext[static_cast<std::size_t>(axis)]; }
Eigen::Index after(Eigen::Index axis) { return kAfter[static_cast<std::size_t>(axis)]; }

// How a box faces a direction: the axis of the face that is most turned to it, and that of the most level edge.
struct Facing {
  Eigen::Index face, edge;
  double highest, lowest;

  explicit Facing(const Vec3& direction) {
    const double x = std::abs(direction.x()), y = std::abs(direction.y()), z = std::abs(direction.z());
    const double more = std::max(x, y), less = std::min(x, y);
    highest = std::max(more, z), lowest = std::min(less, z);
    face = z > more ? 2 : static_cast<Eigen::Index>(y > x);
    edge = z < less ? 2 : static_cast<Eigen::Index>(y < x);
  }
  bool shows_face(double max_tilt) const { return highest * highest >= 1 - max_tilt * max_tilt; }
};

// A polygon (or a segment) seen along a direction on a plane, and how far each corner lies below the plane along it.
// Number by number, because copies of what was just written keep the processor waiting.
struct Outline {
  // A cut leaves no more than half as many again, whatever rounding makes of the sides: 4, 6, 9, 13, 19, and one to
  // write to in vain.
  static constexpr std::size_t kMaxPoints = 20;
  using Numbers = std::array<double, kMaxPoints>;
  std::size_t size = 0;
  Numbers x, y, depth;

  // Counts only if wanted; without a jump, which nobody could foretell.
  GRAZE_INLINE void push(double px, double py, double pdepth, bool wanted = true) {
    x[size] = px, y[size] = py, depth[size] = pdepth;
    size += static_cast<std::size_t>(wanted);
  }
};

// What of `from` has sign * (x or y) <= limit, after Sutherland and Hodgman. False, and nothing done, if that is all.
GRAZE_INLINE bool cut(const Outline& from, Outline::Numbers Outline::*coordinate, double sign, double limit,
                      Outline& kept) {
  Outline::Numbers inside;
  bool all = true;
  for (std::size_t i = 0; i < from.size; ++i) {
    inside[i] = limit - sign * (from.*coordinate)[i];
    all &= inside[i] >= 0;
  }
  if (all) return false;
  kept.size = 0;
  const std::size_t sides = from.size == 2 ? 1 : from.size;
  for (std::size_t i = 0; i < from.size; ++i) {
    const std::size_t j = i + 1 == from.size ? 0 : i + 1;
    const double s = inside[i], e = inside[j], t = s / (s - e);
    kept.push(from.x[i], from.y[i], from.depth[i], s >= 0);
    const auto between = [&](const Outline::Numbers& n) { return n[i] + t * (n[j] - n[i]); };
    const bool crossing = ((s < 0) & (e > 0)) | ((s > 0) & (e < 0));
    kept.push(between(from.x), between(from.y), between(from.depth), crossing & (i < sides));
  }
  return true;
}

// A face of one box with the other box in its frame: coordinate k of the other's axis j is rotation(k, j), or (j, k) if
// the rotation is inverted. Both directions are outward.
template <bool kReversed>
struct FixedFace {
  const Vec3 &half, &direction;
  Eigen::Index face;
  const Mat3& rotation;
  const Vec3& offset;

  Eigen::Index u = next(face), v = after(face);
  double height = std::copysign(half[face], direction[face]), steep = 1 / direction[face];

  double axis(Eigen::Index k, Eigen::Index j) const { return kReversed ? rotation(j, k) : rotation(k, j); }

  // Fills `outline` with what is seen of the other's face or edge, cut to this face; `spare` is space to work in.
  // Returns the one of the two that has it.
  const Outline& seen(const Vec3& other_half, const Vec3& other_direction, const Facing& other, Outline& outline,
                      Outline& spare) const {
    // Where a point is seen is linear in the point, so it can be said of the middle and of both sides.
    const auto middle = [&](Eigen::Index k, Eigen::Index i, double along_i, Eigen::Index j, double along_j) {
      return offset[k] + axis(k, i) * along_i + axis(k, j) * along_j;
    };
    const auto toward = [&](Eigen::Index i) { return std::copysign(other_half[i], other_direction[i]); };
    const bool is_face = other.shows_face(kIncident);
    const Eigen::Index i = is_face ? other.face : next(other.edge), j = is_face ? next(other.face) : after(other.edge);
    const double along_i = toward(i), along_j = is_face ? 0 : toward(j);
    const double depth = (height - middle(face, i, along_i, j, along_j)) * steep;
    const double x = middle(u, i, along_i, j, along_j) + depth * direction[u];
    const double y = middle(v, i, along_i, j, along_j) + depth * direction[v];

    const Eigen::Index p = is_face ? next(other.face) : other.edge;
    const double p_depth = -axis(face, p) * other_half[p] * steep;
    const double px = axis(u, p) * other_half[p] + p_depth * direction[u];
    const double py = axis(v, p) * other_half[p] + p_depth * direction[v];
    outline.size = 0;
    if (is_face) {
      const Eigen::Index q = after(other.face);
      const double q_depth = -axis(face, q) * other_half[q] * steep;
      const double qx = axis(u, q) * other_half[q] + q_depth * direction[u];
      const double qy = axis(v, q) * other_half[q] + q_depth * direction[v];
      outline.push(x + px + qx, y + py + qy, depth + p_depth + q_depth);
      outline.push(x - px + qx, y - py + qy, depth - p_depth + q_depth);
      outline.push(x - px - qx, y - py - qy, depth - p_depth - q_depth);
      outline.push(x + px - qx, y + py - qy, depth + p_depth - q_depth);
    } else {
      outline.push(x + px, y + py, depth + p_depth);
      outline.push(x - px, y - py, depth - p_depth);
    }
    Outline *now = &outline, *then = &spare;
    if (cut(*now, &Outline::x, 1, half[u], *then)) std::swap(now, then);
    if (cut(*now, &Outline::x, -1, half[u], *then)) std::swap(now, then);
    if (cut(*now, &Outline::y, 1, half[v], *then)) std::swap(now, then);
    if (cut(*now, &Outline::y, -1, half[v], *then)) std::swap(now, then);
    return *now;
  }
};

// Where two edges, level but for rounding, cross seen along n. False if they do not, or might be parallel.
bool crossing_edges(const Box& a, const Box& b, const Relative& relative, const Vec3& n, const Vec3& toward_a,
                    Eigen::Index i, Eigen::Index j, PatchContact& contact) {
  constexpr double kMaybeParallel = 1e-5;
  const Vec3 along_b(relative.rotation(0, j), relative.rotation(1, j), relative.rotation(2, j));
  const Eigen::Index i1 = next(i), i2 = after(i), j1 = next(j), j2 = after(j);
  const double sine = along_b[i1] * n[i2] - along_b[i2] * n[i1];
  if (std::abs(sine) <= kMaybeParallel) return false;
  const double a1 = std::copysign(a.half.value()[i1], n[i1]), a2 = std::copysign(a.half.value()[i2], n[i2]);
  const double b1 = std::copysign(b.half.value()[j1], toward_a[j1]),
               b2 = std::copysign(b.half.value()[j2], toward_a[j2]);
  // From the middle of a's edge, but for its own coordinate, to the middle of b's.
  const auto apart = [&](Eigen::Index k) {
    return relative.rotation(k, j1) * b1 + relative.rotation(k, j2) * b2 + relative.translation[k];
  };
  const double d0 = apart(i), d1 = apart(i1) - a1, d2 = apart(i2) - a2;
  const double on_b = (n[i1] * d2 - n[i2] * d1) / sine, on_a = d0 + on_b * along_b[i];
  if (std::abs(on_a) > a.half.value()[i] || std::abs(on_b) > b.half.value()[j]) return false;
  contact.on_a[i] = on_a, contact.on_a[i1] = a1, contact.on_a[i2] = a2;
  contact.depth = -(n[i1] * (d1 + on_b * along_b[i1]) + n[i2] * (d2 + on_b * along_b[i2]));
  return true;
}

// The general case.
void parallel_edges(const Box& a, const Box& b, const Relative& relative, const Vec3& n, const Vec3& toward_a,
                    PatchContacts& common) {
  const Patch on_a = patch(a, n, kLevel);
  Patch on_b = patch(b, toward_a, kLevel);
  for (std::size_t i = 0; i < on_b.size; ++i) on_b.points[i] = relative.to_a(on_b.points[i]);
  clip(on_a, on_b, n, common);
}

}  // namespace

void common_patch(const Box& a, const Box& b, const Relative& relative, const Vec3& n, PatchContacts& common) {
  common.size = 0;
  const Vec3 toward_a = times(-1, turned_back(relative.rotation, n));
  // Of flat boxes, faces are edges or points, and edges are points.
  if (!(a.half->minCoeff() > 0 && b.half->minCoeff() > 0)) {
    Patch on_a = patch(a, n, kLevel), on_b = patch(b, toward_a, kLevel);
    if (on_a.is_face() && !on_b.is_face()) on_b = patch(b, toward_a, kIncident);
    if (on_b.is_face() && !on_a.is_face()) on_a = patch(a, n, kIncident);
    for (std::size_t i = 0; i < on_b.size; ++i) on_b.points[i] = relative.to_a(on_b.points[i]);
    clip(on_a, on_b, n, common);
    return;
  }
  const Facing facing_a(n), facing_b(toward_a);
  const bool level_a = facing_a.shows_face(kLevel), level_b = facing_b.shows_face(kLevel);
  if (!level_a && !level_b) {
    if (facing_a.lowest > kLevel || facing_b.lowest > kLevel) return;
    constexpr double kRounding = 1e-14;
    if (facing_a.lowest <= kRounding && facing_b.lowest <= kRounding &&
        crossing_edges(a, b, relative, n, toward_a, facing_a.edge, facing_b.edge, common.items[0])) {
      common.size = 1;
      return;
    }
    parallel_edges(a, b, relative, n, toward_a, common);
    return;
  }
  // The flatter of two faces stays, the other is cut to its outline.
  Outline first, second;
  if (level_a && (!level_b || facing_a.highest >= facing_b.highest)) {
    const FixedFace<false> fixed{a.half, n, facing_a.face, relative.rotation, relative.translation};
    const Outline& outline = fixed.seen(b.half, toward_a, facing_b, first, second);
    for (std::size_t i = 0; i < outline.size; ++i) {
      PatchContact& c = common.items[i];
      c.on_a[fixed.face] = fixed.height, c.on_a[fixed.u] = outline.x[i], c.on_a[fixed.v] = outline.y[i];
      c.depth = outline.depth[i];
    }
    common.size = outline.size;
  } else {
    const Vec3 offset = times(-1, turned_back(relative.rotation, relative.translation));
    const FixedFace<true> fixed{b.half, toward_a, facing_b.face, relative.rotation, offset};
    const Outline& outline = fixed.seen(a.half, n, facing_a, first, second);
    const Mat3& r = relative.rotation;
    for (std::size_t i = 0; i < outline.size; ++i) {
      PatchContact& c = common.items[i];
      // From the point of b's face back along n to a's.
      for (Eigen::Index k = 0; k < 3; ++k) {
        c.on_a[k] = relative.translation[k] + r(k, fixed.face) * fixed.height + r(k, fixed.u) * outline.x[i] +
                    r(k, fixed.v) * outline.y[i] + n[k] * outline.depth[i];
      }
      c.depth = outline.depth[i];
    }
    common.size = outline.size;
  }
}

}  // namespace graze
