#include "query/box_box.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <type_traits>

#include "query/clip.h"

namespace graze {
namespace {

constexpr std::array<Eigen::Index, 3> kNext = {1, 2, 0}, kAfter = {2, 0, 1};

GRAZE_INLINE double signed_square(double x) { return x * std::abs(x); }

// Of three, the largest and its index; the first of equal ones. Without branches, which are unpredictable here.
struct Largest {
  double value;
  Eigen::Index place;
  GRAZE_INLINE Largest(double x, double y, double z)
      : value(std::max(std::max(x, y), z)), place(z > std::max(x, y) ? 2 : static_cast<Eigen::Index>(y > x)) {}
};

struct Boxes {
  const Vec3 &ha, &hb, &t;
  const Mat3& r;
  double rounding;  // of a separation along an axis of any length up to 1
};

// Axes with a squared length below this are short: rounding counts along them.
constexpr double kShort = 0.01;

// Edge i of a across edge j of b: the axis is (unit i) × (column j), whose coordinates are two entries of r. Sets bit
// 3 i + j if the separation along it may be more than the one whose signed square is given. Compared by squares: most
// axes are no better, and no root is taken for them. Edges parallel to the last digit add nothing to the faces.
template <bool kSomeShort, Eigen::Index i, Eigen::Index j>
GRAZE_INLINE unsigned more_across(const Boxes& p, double than) {
  constexpr Eigen::Index i1 = kNext[i], i2 = kAfter[i], j1 = kNext[j], j2 = kAfter[j];
  const double x = p.r(i1, j), y = p.r(i2, j), length_sq = x * x + y * y;
  const double gap =
      std::abs(x * p.t[i2] - y * p.t[i1]) - (p.ha[i1] * std::abs(y) + p.ha[i2] * std::abs(x) +
                                             p.hb[j1] * std::abs(p.r(i, j2)) + p.hb[j2] * std::abs(p.r(i, j1)));
  if constexpr (kSomeShort) {
    if (length_sq < kEpsilon * kEpsilon) return 0;
    const double slack = length_sq < kShort ? p.rounding : 0;
    return static_cast<unsigned>(signed_square(gap + slack) > than * length_sq) << (3 * i + j);
  }
  return static_cast<unsigned>(signed_square(gap) > than * length_sq) << (3 * i + j);
}

template <bool kSomeShort>
GRAZE_INLINE unsigned more_across_edges(const Boxes& p, double than) {
  const auto edge = [&]<Eigen::Index i>(std::integral_constant<Eigen::Index, i>) {
    return more_across<kSomeShort, i, 0>(p, than) | more_across<kSomeShort, i, 1>(p, than) |
           more_across<kSomeShort, i, 2>(p, than);
  };
  return edge(std::integral_constant<Eigen::Index, 0>()) | edge(std::integral_constant<Eigen::Index, 1>()) |
         edge(std::integral_constant<Eigen::Index, 2>());
}

// The separation along such an axis, and the axis's two coordinates that are not zero. The formula above takes r for
// exactly orthonormal, which counts for edges nearly parallel; this one is right for any axis.
struct Crossing {
  double value, x, y;
  Eigen::Index i1, i2;

  GRAZE_INLINE Crossing(const Boxes& p, unsigned number) : i1(kNext[number / 3]), i2(kAfter[number / 3]) {
    const Eigen::Index j = number % 3;
    x = -p.r(i2, j), y = p.r(i1, j);
    const double scale = std::copysign(1 / std::sqrt(x * x + y * y), x * p.t[i1] + y * p.t[i2]);
    x *= scale, y *= scale;
    value =
        (x * p.t[i1] + y * p.t[i2]) - (std::abs(x) * p.ha[i1] + std::abs(y) * p.ha[i2]) -
        (std::abs(x * p.r(i1, 0) + y * p.r(i2, 0)) * p.hb.x() + std::abs(x * p.r(i1, 1) + y * p.r(i2, 1)) * p.hb.y() +
         std::abs(x * p.r(i1, 2) + y * p.r(i2, 2)) * p.hb.z());
  }
};

// A feature whose tilt off n is no more than this faces it.
constexpr double kEdgeLevel = 1e-7;

// Where an edge of a and one of b, both facing n, cross: the point of a's edge nearest to b's, seen along n.
std::optional<Vec3> crossing_point(const Box& a, const Box& b, const Relative& relative, const Vec3& n,
                                   const Vec3& toward_a) {
  constexpr double kParallel = 1e-6;
  const auto edge_facing = [](const Vec3& direction) -> std::optional<Eigen::Index> {
    const double x = std::abs(direction.x()), y = std::abs(direction.y()), z = std::abs(direction.z());
    const double highest = Largest(x, y, z).value;
    const Eigen::Index lowest = Largest(-x, -y, -z).place;
    if (std::abs(direction[lowest]) > kEdgeLevel || highest * highest >= 1 - kEdgeLevel * kEdgeLevel)
      return std::nullopt;
    return lowest;
  };
  const auto i = edge_facing(n), j = edge_facing(toward_a);
  if (!i || !j) return std::nullopt;
  const Vec3 along_b = relative.rotation.col(*j), across = cross(along_b, n);
  if (std::abs(across[*i]) <= kParallel) return std::nullopt;
  Vec3 middle_a = support(a, n), middle_b = support(b, toward_a);
  middle_a[*i] = 0, middle_b[*j] = 0;
  const double place = dot(across, minus(relative.to_a(middle_b), middle_a)) / across[*i];
  middle_a[*i] = std::clamp<double>(place, -a.half.value()[*i], a.half.value()[*i]);
  return middle_a;
}

}  // namespace

BoxSeparation separate(const Box& a, const Box& b, const Mat3& r, const Vec3& t, double enough) {
  const Vec3 &ha = a.half, &hb = b.half;
  BoxSeparation best;

  // Faces of a, then of b.
  const auto past_a = [&](Eigen::Index i) {
    return std::abs(t[i]) - ha[i] -
           (std::abs(r(i, 0)) * hb.x() + std::abs(r(i, 1)) * hb.y() + std::abs(r(i, 2)) * hb.z());
  };
  const Largest face_a(past_a(0), past_a(1), past_a(2));
  best.value = face_a.value;
  best.toward.x() = 0, best.toward.y() = 0, best.toward.z() = 0;
  best.toward[face_a.place] = std::copysign(1.0, t[face_a.place]);
  if (best.value > enough) return best;

  const Vec3 tb = turned_back(r, t);
  const auto past_b = [&](Eigen::Index j) {
    return std::abs(tb[j]) - hb[j] -
           (std::abs(r(0, j)) * ha.x() + std::abs(r(1, j)) * ha.y() + std::abs(r(2, j)) * ha.z());
  };
  const Largest face_b(past_b(0), past_b(1), past_b(2));
  if (face_b.value > best.value) {
    best.value = face_b.value;
    const double sign = std::copysign(1.0, tb[face_b.place]);
    for (Eigen::Index k = 0; k < 3; ++k) best.toward[k] = sign * r(k, face_b.place);
    if (best.value > enough) return best;
  }

  const Boxes boxes{ha, hb, t, r, 16 * kEpsilon * (size_of(ha) + size_of(hb) + size_of(t))};
  const double max_sq = signed_square(best.value);
  double steepest = 0;  // the largest cosine between two edges
  for (Eigen::Index j = 0; j < 3; ++j) {
    steepest = std::max(std::max(steepest, std::abs(r(0, j))), std::max(std::abs(r(1, j)), std::abs(r(2, j))));
  }
  unsigned candidates = steepest * steepest > 1 - kShort ? more_across_edges<true>(boxes, max_sq)
                                                         : more_across_edges<false>(boxes, max_sq);
  for (; candidates != 0; candidates &= candidates - 1) {
    const Crossing c(boxes, static_cast<unsigned>(std::countr_zero(candidates)));
    if (!(c.value > best.value)) continue;
    best.value = c.value;
    best.toward.x() = 0, best.toward.y() = 0, best.toward.z() = 0;
    best.toward[c.i1] = c.x, best.toward[c.i2] = c.y;
    if (best.value > enough) break;
  }
  return best;
}

Vec3 deepest_point(const Box& a, const Box& b, const Relative& relative, const BoxSeparation& separation) {
  const Vec3& n = separation.toward;
  const Vec3 toward_a = times(-1, turned_back(relative.rotation, n));
  if (const auto crossing = crossing_point(a, b, relative, n, toward_a)) return *crossing;

  const Patch on_a = patch(a, n, kEdgeLevel);
  Patch on_b = patch(b, toward_a, kEdgeLevel);
  for (std::size_t i = 0; i < on_b.size; ++i) on_b.points[i] = relative.to_a(on_b.points[i]);
  // Moved apart along n the boxes touch in what the two features have in common: its middle.
  if (on_a.size == 1) return on_a.points[0];
  if (on_b.size == 1) return on_b.points[0] - separation.value * n;
  PatchContacts common;
  clip(on_a, on_b, n, common);
  Vec3 sum = Vec3::Zero();
  if (common.size == 0) {
    // They meet at their rims, and rounding keeps them apart.
    for (std::size_t i = 0; i < on_b.size; ++i) sum += on_b.points[i];
    const Vec3 middle = sum / static_cast<double>(on_b.size) - separation.value * n;
    return middle.cwiseMax(-a.half.value()).cwiseMin(a.half.value());
  }
  for (std::size_t i = 0; i < common.size; ++i) sum += common.items[i].on_a;
  return sum / static_cast<double>(common.size);
}

}  // namespace graze
