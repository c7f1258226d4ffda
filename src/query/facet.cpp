#include "query/facet.h"

#include "base/two_sum.h"

namespace graze {
namespace {

// Cross products of edges shorter than this, relative to the edges, belong to facets of the difference that are thinner
// than rounding.
constexpr double kParallel = 1e-14;
// Of triangles lower than this, relative to the reach of the pair, rounding turns the normal so far that what it
// measures of an overlap may be none.
constexpr double kThin = 1e-7;
// A tolerance of more than this many roundings is worth a second try.
constexpr double kUncertain = 1024;

// The difference of two points, and the product of two of those, to the last digit even where it all but vanishes.
struct ExactEdge {
  DoubleDouble x, y, z;
  ExactEdge(const Vec3& from, const Vec3& to)
      : x(two_sum(to.x(), -from.x())), y(two_sum(to.y(), -from.y())), z(two_sum(to.z(), -from.z())) {}
};
Vec3 exact_cross(const ExactEdge& a, const ExactEdge& b) {
  return {difference(product(a.y, b.z), product(a.z, b.y)), difference(product(a.z, b.x), product(a.x, b.z)),
          difference(product(a.x, b.y), product(a.y, b.x))};
}

struct Span {
  double min, max;
};
GRAZE_INLINE Span span_of(const Vec3* p, const Vec3& axis) {
  const double x = dot(p[0], axis), y = dot(p[1], axis), z = dot(p[2], axis);
  return {std::min(std::min(x, y), z), std::max(std::max(x, y), z)};
}

// Two triangles about the middle of the first, and their separating axes: the two normals and the nine products of
// edges. These are the facets of their difference wherever that has a volume, so that the largest separation is the
// exact depth where they overlap.
struct TrianglePair {
  TriangleCore core_a, core_b;
  CorePair<TriangleCore, TriangleCore> cores;
  Vec3 b[3];  // in a's frame
  Vec3 edge_a[3], edge_b[3], normal_a, normal_b;

  double value = -kInfinity;  // the largest separation seen
  Vec3 toward = Vec3::UnitX();
  int kind = 0;  // of its axis: 0 a's normal, 1 b's, 2 + 3 i + j edges i and j
  static constexpr int kInPlane = 11;

  TrianglePair(const Triangle& first, const Triangle& second, const Relative& relative)
      : core_a(first), core_b(second), cores(core_a, core_b, relative) {
    for (int k = 0; k < 3; ++k)
      b[k] = plus(turned(relative.rotation, core_b.corners[static_cast<std::size_t>(k)]), cores.offset);
    const Vec3* a = core_a.corners.data();
    for (int k = 0; k < 3; ++k) edge_a[k] = minus(a[(k + 1) % 3], a[k]), edge_b[k] = minus(b[(k + 1) % 3], b[k]);
    normal_a = cross(edge_a[0], edge_a[1]), normal_b = cross(edge_b[0], edge_b[1]);
  }

  // Times the length of the axis.
  double separation(const Vec3& axis) const {
    const Span on_a = span_of(core_a.corners.data(), axis), on_b = span_of(b, axis);
    return std::max(on_b.min - on_a.max, on_a.min - on_b.max);
  }

  // The separation along an axis of squared length `length_sq`; whether it is more than enough.
  GRAZE_INLINE bool consider(const Vec3& axis, double length_sq, int axis_kind, double enough) {
    const Span on_a = span_of(core_a.corners.data(), axis), on_b = span_of(b, axis);
    const double up = on_b.min - on_a.max, down = on_a.min - on_b.max;
    const double length = std::sqrt(length_sq), gap = std::max(up, down) / length;
    if (gap > value) {
      value = gap, kind = axis_kind;
      toward = times((up >= down ? 1 : -1) / length, axis);
    }
    return gap > enough;
  }

  // The same by the normals alone. Whether they prove the triangles apart by more than rounding, too.
  bool within_normals(double enough, bool& apart) {
    const double na = norm_sq(normal_a), nb = norm_sq(normal_b);
    const bool far = (na > 0 && consider(normal_a, na, 0, enough)) || (nb > 0 && consider(normal_b, nb, 1, enough));
    apart = value > cores.rounding;
    return !far;
  }

  // By the squared lengths of its normal and edges.
  bool is_thin(double normal, const double* edges) const {
    const double min_height = kThin * cores.reach;
    return normal < min_height * min_height * std::max({edges[0], edges[1], edges[2]});
  }

  // False as soon as the triangles are proven farther apart than `enough`. `thin`: planes are hardly to be seen.
  bool within(double enough, bool& thin) {
    const double na = norm_sq(normal_a), nb = norm_sq(normal_b);
    double ea[3], eb[3];
    for (int k = 0; k < 3; ++k) ea[k] = norm_sq(edge_a[k]), eb[k] = norm_sq(edge_b[k]);
    constexpr double kFlat = kParallel * kParallel;
    const bool flat_a = !(na > kFlat * ea[0] * ea[1]), flat_b = !(nb > kFlat * eb[0] * eb[1]);
    thin = flat_a || flat_b || is_thin(na, ea) || is_thin(nb, eb);
    if (!flat_a && consider(normal_a, na, 0, enough)) return false;
    if (!flat_b && consider(normal_b, nb, 1, enough)) return false;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const Vec3 axis = cross(edge_a[i], edge_b[j]);
        const double length_sq = norm_sq(axis);
        if (length_sq > kFlat * ea[i] * eb[j] && consider(axis, length_sq, 2 + 3 * i + j, enough)) return false;
      }
    }
    return true;
  }

  // Of an overlap: the more parallel two edges are, the more rounding turns their axis, and what it measures is too
  // little. Looks again along those that may matter, as they are without rounding. False if there is no axis at all.
  bool settle() {
    const Vec3* a = core_a.corners.data();
    const ExactEdge exact_a[3]{{a[0], a[1]}, {a[1], a[2]}, {a[2], a[0]}};
    const ExactEdge exact_b[3]{{b[0], b[1]}, {b[1], b[2]}, {b[2], b[0]}};
    settle(exact_a[0], exact_a[1], edge_a[0], edge_a[1], normal_a, 0);
    settle(exact_b[0], exact_b[1], edge_b[0], edge_b[1], normal_b, 1);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j)
        settle(exact_a[i], exact_b[j], edge_a[i], edge_b[j], cross(edge_a[i], edge_b[j]), 2 + 3 * i + j);
    }
    return value > -kInfinity;
  }
  void settle(const ExactEdge& exact_e, const ExactEdge& exact_f, const Vec3& e, const Vec3& f, const Vec3& rounded,
              int axis_kind) {
    // What the product of two edges is off by, relative to them: of rounded ones, and of all their digits.
    constexpr double kRounded = 4 * kEpsilon, kNoise = 1e-28;
    const double edges = std::sqrt(norm_sq(e) * norm_sq(f)), length = std::sqrt(norm_sq(rounded));
    if (length > 0) {
      const double off = kRounded * cores.reach * edges / length;
      if (off <= cores.rounding / 2 || separation(rounded) / length + off <= value) return;
    }
    const Vec3 axis = exact_cross(exact_e, exact_f);
    if (norm_sq(axis) > kNoise * kNoise * edges * edges) consider(axis, norm_sq(axis), axis_kind, kInfinity);
  }

  // Of triangles that lie in a plane, or nearly: whether one of their edges keeps them apart within it.
  bool apart_in_plane() {
    for (int k = 0; k < 3; ++k) {
      for (const Vec3& axis : {cross(normal_a, edge_a[k]), cross(normal_b, edge_b[k])}) {
        const double length_sq = norm_sq(axis);
        if (length_sq > 0 && consider(axis, length_sq, kInPlane, cores.rounding)) return true;
      }
    }
    return false;
  }

  // Of an overlap: the point of a that lies deepest in b along `toward`.
  Vec3 deepest() const {
    if (kind == 0) return along(lowest(b, toward), -value, toward);
    const Vec3* a = core_a.corners.data();
    if (kind == 1) return lowest(a, times(-1, toward));
    // Where the edges pass each other.
    const int i = (kind - 2) / 3, j = (kind - 2) % 3;
    const Vec3 across = cross(edge_b[j], toward);
    const double slope = dot(edge_a[i], across);
    const double s = slope != 0 ? dot(minus(b[j], a[i]), across) / slope : 0.5;
    return along(a[i], std::clamp(s, 0.0, 1.0), edge_a[i]);
  }
  // Of those that touch: points of both, about where they do.
  CorePoints touching() const {
    Depth none;
    none.upper = -value, none.toward = toward;
    return touching_points(cores, none);
  }
  static Vec3 lowest(const Vec3* p, const Vec3& n) {
    const double x = dot(p[0], n), y = dot(p[1], n), z = dot(p[2], n);
    return x <= y ? (x <= z ? p[0] : p[2]) : (y <= z ? p[1] : p[2]);
  }
};

// The overlap of facets of solids ends outside of both: the shorter of the ways along their own normals, where the way
// that was found leads inside.
void turn_outward(const Facet& a, const Facet& b, const Relative& relative, const TrianglePair& pair, PairDistance& d) {
  const Vec3 out_a = a.solid ? a.outward() : Vec3(Vec3::Zero());
  const Vec3 out_b = b.solid ? turned(relative.rotation, b.outward()) : Vec3(Vec3::Zero());
  // b moves along the normal.
  const auto leads_out = [&](const Vec3& normal) { return dot(normal, out_a) >= 0 && dot(normal, out_b) <= 0; };
  if (leads_out(d.normal)) return;
  PairDistance best = d;
  best.value = -kInfinity;
  const Vec3* corners = pair.core_a.corners.data();
  if (norm_sq(out_a) > 0 && leads_out(out_a)) {
    const Vec3 low = TrianglePair::lowest(pair.b, out_a);
    best.value = std::min(0.0, dot(out_a, minus(low, corners[0])));
    best.normal = out_a, best.on_a = plus(pair.core_a.middle, along(low, -best.value, out_a));
  }
  const Vec3 toward = times(-1, out_b);
  if (norm_sq(out_b) > 0 && leads_out(toward)) {
    const Vec3 low = TrianglePair::lowest(corners, out_b);
    const double value = std::min(0.0, dot(out_b, minus(low, pair.b[0])));
    if (value > best.value) best.value = value, best.normal = toward, best.on_a = plus(pair.core_a.middle, low);
  }
  if (best.value > -kInfinity) d = best;
}

// Facets that touch do so along many axes. Across one of the facets, if that is one of them, all of the common patch
// shows.
void prefer_faces(const Facet& a, const Facet& b, const Relative& relative, const TrianglePair& pair, PairDistance& d) {
  const auto take = [&](const Vec3& n) {
    const Span on_a = span_of(pair.core_a.corners.data(), n), on_b = span_of(pair.b, n);
    if (norm_sq(n) == 0 || on_b.min - on_a.max < d.value - d.tolerance) return false;
    d.normal = n;
    return true;
  };
  if (a.solid && take(a.outward())) return;
  if (b.solid) take(times(-1, turned(relative.rotation, b.outward())));
}

}  // namespace

PairDistance measure(const Facet& a, const Facet& b, const Relative& relative, const PairQuestion& asked) {
  TrianglePair pair(a.triangle, b.triangle, relative);
  const PairQuestion question = before_turning(asked, a.solid || b.solid);
  const double rounding = pair.cores.rounding, placing = pair.cores.placing;
  const double proof = question.limit + rounding + placing;
  bool thin = false, apart = false;
  if (!pair.within_normals(proof, apart)) return beyond_limit();
  if (!apart && !pair.within(proof, thin)) return beyond_limit();
  const bool measured = !apart && pair.value <= rounding && pair.settle();
  if (measured && pair.value > proof) return beyond_limit();
  // Of thin ones that only touch, the axes do not show whether they do.
  bool certain = measured && pair.value <= rounding && (!thin || pair.value < -rounding);
  PairDistance d;
  if (certain) {
    // The axes have measured an overlap. Where it is next to none, only triangles in one plane can still be apart.
    const double value = pair.value;
    const Vec3 toward = pair.toward;
    if (value < -rounding) {
      d.on_a = plus(pair.core_a.middle, pair.deepest());
    } else if (pair.apart_in_plane()) {
      certain = false;
    } else {
      d.on_a = plus(pair.core_a.middle, pair.touching().on_a);
    }
    d.value = value, d.tolerance = 2 * rounding + placing, d.normal = toward;
    if (certain && value >= -rounding && question.depth) prefer_faces(a, b, relative, pair, d);
  }
  if (!certain) {
    PairQuestion plain = question;
    plain.cache = nullptr;
    // Apart, the axis that shows it is where to begin.
    const Vec3 first = pair.value > rounding ? pair.toward : first_direction(pair.cores);
    d = measure_cores(a.triangle, b.triangle, pair.cores, first, plain);
    // Between huge and tiny edges the order of evaluation matters: another one may get closer.
    if (!d.beyond && d.tolerance - placing > kUncertain * rounding) {
      const PairDistance other = measure_cores(a.triangle, b.triangle, pair.cores, first_direction(pair.cores), plain);
      // What is proven apart does not overlap, however certain the other method is of it.
      const bool contradicts = pair.value > rounding && other.value < pair.value - rounding;
      if (other.beyond || (other.tolerance < d.tolerance && !contradicts)) d = other;
    }
    // No deeper than the axes say, and no farther apart than two points.
    if (measured && !d.beyond && d.value - d.tolerance < pair.value - 2 * rounding - placing) {
      const CorePoints touching = pair.touching();
      const double reached = std::sqrt(norm_sq(pair.cores.difference(touching.on_a, touching.on_b)));
      d.value = pair.value, d.normal = pair.toward, d.on_a = plus(pair.core_a.middle, touching.on_a);
      d.tolerance = std::max(0.0, reached - d.value) + 2 * rounding + placing;
    }
  }
  if ((a.solid || b.solid) && !d.beyond && d.value < 0 && question.depth) turn_outward(a, b, relative, pair, d);
  if (!d.beyond && d.value > asked.limit + d.tolerance) return beyond_limit();
  return d;
}

bool touch(const Facet& a, const Facet& b, const Relative& relative, double margin, PairMemory*) {
  TrianglePair pair(a.triangle, b.triangle, relative);
  const double rounding = pair.cores.rounding, proof = margin + rounding + pair.cores.placing;
  bool thin = false;
  if (!pair.within(proof, thin)) return false;
  if (pair.value < -rounding && pair.settle()) {
    if (pair.value < -rounding) return true;
    if (pair.value > proof) return false;
  }
  return touch(a.triangle, b.triangle, relative, margin, nullptr);
}

}  // namespace graze
