// Checks every answer about a pair of shapes.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "graze/query/collide.h"
#include "graze/query/contacts.h"
#include "graze/query/distance.h"
#include "graze/query/penetration.h"
#include "oracle/cases.h"
#include "oracle/search.h"
#include "oracle/signed_distance.h"
#include "query/placed_of.h"

namespace graze_test {

using graze_oracle::Real;

/// Required accuracy, relative to the size of the pair.
inline constexpr Real kClosedForm = 1e-12L, kIterative = 1e-9L;
/// The limit for the few answers that miss it: nothing beyond this is ever accepted.
inline constexpr Real kCoarse = 2e-5L;
/// Rounding of double arithmetic on numbers of that size: what an exact formula may lose.
inline constexpr Real kRounding = 64 * std::numeric_limits<double>::epsilon();

inline bool iterative(graze_oracle::Kind a, graze_oracle::Kind b) {
  using graze_oracle::Kind;
  if (unbounded(a) || unbounded(b)) return false;
  if (a == Kind::ellipsoid || b == Kind::ellipsoid || a == Kind::convex || b == Kind::convex) return true;
  return (curved(a) && b != Kind::sphere) || (curved(b) && a != Kind::sphere);
}

inline bool same_bits(double x, double y) { return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y); }

inline bool has_nan(const graze::Distance& d) {
  return std::isnan(d.value) || std::isnan(d.tolerance) || !graze::is_finite(d.on_a) || !graze::is_finite(d.on_b) ||
         !graze::is_finite(d.normal);
}

/// The unit normal and the offset of a half-space or plane.
inline std::pair<graze::Vec3, double> flat_of(const graze::Geometry& shape) {
  if (const auto* h = std::get_if<graze::HalfSpace>(&shape)) return {h->normal(), h->offset()};
  const auto& plane = std::get<graze::Plane>(shape);
  return {plane.normal(), plane.offset()};
}

/// One pair, its truth, and what is wrong with the answers about it.
class Judge {
 public:
  explicit Judge(const graze_oracle::Case& c)
      : spec(c),
        a(placed_of(c.a)),
        b(placed_of(c.b)),
        origin(unbounded(c.a.kind) ? c.b.xyz : c.a.xyz),
        body_a(body_of(c.a, origin)),
        body_b(body_of(c.b, origin)),
        size(magnitude(c.a) + magnitude(c.b)),
        accuracy(iterative(c.a.kind, c.b.kind) ? kIterative : kClosedForm) {}

  graze_oracle::Case spec;
  graze::Placed a, b;
  graze_oracle::Triple origin;
  graze_oracle::Body body_a, body_b;
  Real size;       // metres: what accuracy is relative to, the distance from the world's origin included
  Real accuracy;   // relative
  Real slack = 0;  // metres by which a stated tolerance may be too small
  graze_oracle::Bounds truth;
  std::vector<std::string> complaints;

  /// Judges again by the coarse accuracy, and accepts tolerances that are too small by up to that.
  Judge coarse() const {
    Judge judge(spec);
    judge.accuracy = kCoarse;
    judge.slack = kCoarse * size;
    return judge;
  }
  /// Whether a promise is broken: a missed collision, an over-stated distance, a wrong order, a NaN. All other
  /// complaints are answers on the safe side that are less exact than the gates require.
  bool promise_broken() const {
    constexpr const char* kSafeSide[] = {
        "tolerance:", "points:", "normal:", "collide: false alarm", "distance: under-stated", "distance: got"};
    return std::any_of(complaints.begin(), complaints.end(), [&](const std::string& c) {
      return std::none_of(std::begin(kSafeSide), std::end(kSafeSide),
                          [&](const char* p) { return c.rfind(p, 0) == 0; });
    });
  }

  template <class... Parts>
  void complain(const Parts&... parts) {
    std::ostringstream text;
    text.precision(17);
    (text << ... << parts);
    complaints.push_back(text.str());
  }
  template <class... Parts>
  void expect(bool good, const Parts&... parts) {
    if (!good) complain(parts...);
  }

  /// The same shape at the same pose: exchanging the two changes nothing, not even the normal's sign.
  bool twins() const {
    const auto &p = spec.a, &q = spec.b;
    if (p.kind != q.kind || a.pose.translation() != b.pose.translation()) return false;
    if (p.kind != graze_oracle::Kind::sphere && a.pose.rotation() != b.pose.rotation()) return false;
    if (unbounded(p.kind)) return a.pose.rotation() == b.pose.rotation() && flat_of(a.geometry) == flat_of(b.geometry);
    if (p.kind == graze_oracle::Kind::convex) {
      // Repeated points do not make hulls different.
      const auto hull_a = std::get<graze::Convex>(a.geometry).vertices(),
                 hull_b = std::get<graze::Convex>(b.geometry).vertices();
      return std::ranges::equal(hull_a, hull_b);
    }
    const std::size_t used = p.points.empty() ? sizes_used(p.kind) : 0;
    return p.points == q.points && std::equal(p.size.begin(), p.size.begin() + used, q.size.begin());
  }
  /// Two planes whose rotation was rounded: parallel or crossing far away, and "crossing" is the safe answer.
  bool parallel_by_rounding() const {
    constexpr std::array<double, 4> kStill{1, 0, 0, 0};
    return unbounded(spec.a.kind) && unbounded(spec.b.kind) && (spec.a.wxyz != kStill || spec.b.wxyz != kStill);
  }
  Real allowed() const { return accuracy * size; }
  std::string report() const {
    std::string text;
    for (const std::string& c : complaints) text += c + "\n";
    return text + "  a: " + describe(spec.a) + "\n  b: " + describe(spec.b);
  }

  /// Computes the truth; the library's own direction and point are among the candidates.
  void find_truth(const graze::Distance& d) {
    const graze_oracle::Vec hint[] = {real(d.normal)}, start[] = {relative(d.on_a, origin)};
    const bool useful = graze::is_finite(d.normal) && !d.beyond, near = useful && graze::is_finite(d.on_a);
    truth = signed_distance(body_a, body_b, {hint, useful ? 1u : 0u}, {start, near ? 1u : 0u});
  }

  void check_distance();
  void check_points(const graze::Distance& d);
  void check_order(const graze::Distance& d, const graze::Distance& e);
  void check_collide(const graze::Distance& d);
  void check_margin(double margin);
  void check_limit(const graze::Distance& d);
  void check_penetration(const graze::Distance& d);
  void check_contacts(const graze::Distance& d);
};

inline void Judge::check_order(const graze::Distance& d, const graze::Distance& e) {
  expect(same_bits(d.value, e.value), "order: value ", d.value, " becomes ", e.value);
  expect(same_bits(d.tolerance, e.tolerance), "order: tolerance ", d.tolerance, " becomes ", e.tolerance);
  if (!d.beyond && !twins()) {
    expect(d.on_a == e.on_b && d.on_b == e.on_a, "order: points differ");
    expect(d.normal == -e.normal, "order: normal differs");
  }
  expect(d.a == e.b && d.b == e.a && d.beyond == e.beyond, "order: features or beyond differ");
}

inline void Judge::check_points(const graze::Distance& d) {
  const Real tolerance = kRounding * size;
  expect(std::abs(norm(real(d.normal)) - 1) < 1e-14L, "normal is not unit: ", norm(real(d.normal)));
  if (!std::isfinite(d.value)) return;
  const auto on_a = relative(d.on_a, origin), on_b = relative(d.on_b, origin), n = real(d.normal);
  const auto off = on_b - on_a - Real(d.value) * n;
  expect(norm(off) <= tolerance + d.tolerance, "points: on_b - on_a differs from value * normal by ", norm(off));
  expect(outside(body_a, on_a) <= allowed(), "points: on_a is outside of a by ", outside(body_a, on_a));
  expect(outside(body_b, on_b) <= allowed(), "points: on_b is outside of b by ", outside(body_b, on_b));
  // The normal is itself a proof: b lies beyond a by that much along it.
  if (unbounded(spec.a.kind) || unbounded(spec.b.kind)) return;
  const Real proven = graze_oracle::separation(body_a, body_b, unit(n));
  expect(proven >= d.value - allowed(), "normal: proves ", proven, " only, the value is ", d.value);
}

inline void Judge::check_distance() {
  const graze::Distance d = distance(a, b), e = distance(b, a);
  if (has_nan(d) || has_nan(e)) return complain("distance: not a number: ", d.value, " ± ", d.tolerance);
  check_order(d, e);
  expect(!d.beyond, "distance: beyond without a limit");
  find_truth(d);
  expect(d.tolerance >= 0, "distance: negative tolerance ", d.tolerance);
  if (truth.upper == -graze_oracle::kRealInfinity || std::isinf(d.value)) {
    expect(d.value <= truth.upper && (d.value >= truth.lower || parallel_by_rounding()), "distance: got ", d.value,
           " instead of [", truth.lower, ", ", truth.upper, "]");
    return;
  }
  // Only a proof counts against an answer: where it looks too shallow, the depth of a curved pair is certified.
  if (d.value - d.tolerance > truth.estimate && d.value - d.tolerance <= truth.upper) {
    certify(body_a, body_b, truth, 1e-6L, 20000);
  }
  expect(d.tolerance <= allowed(), "tolerance: ", d.tolerance, " hides errors; size ", size);
  expect(d.value - d.tolerance <= truth.upper, "distance: over-stated, ", d.value, " ± ", d.tolerance,
         ", but it is at most ", truth.upper);
  // Overlaps of iterative pairs may be reported too deep, within the accuracy.
  const Real deeper = iterative(spec.a.kind, spec.b.kind) && d.value < 0 ? allowed() : Real(d.tolerance);
  expect(d.value + std::max(deeper, slack) >= truth.lower, "distance: under-stated, ", d.value, " ± ", d.tolerance,
         ", but it is at least ", truth.lower);
  if (truth.upper - truth.lower <= allowed()) {
    expect(std::abs(d.value - truth.estimate) <= allowed() + (truth.upper - truth.lower), "distance: got ", d.value,
           " instead of ", truth.estimate);
  }
  check_points(d);
  check_collide(d);
}

inline void Judge::check_margin(double margin) {
  const bool c = collide(a, b, {.margin = margin}), back = collide(b, a, {.margin = margin});
  expect(c == back, "collide: order matters at margin ", margin);
  if (!c || !back) {
    if (truth.upper > margin && truth.estimate <= margin) {
      certify(body_a, body_b, truth, 1e-9L, 20000);
    }
    expect(truth.upper > margin, "collide: MISSED at margin ", margin, ", the distance is at most ", truth.upper);
  }
  if (c && !parallel_by_rounding()) {
    expect(truth.lower - margin <= allowed(), "collide: false alarm at margin ", margin, ", the distance is at least ",
           truth.lower);
  }
}

inline void Judge::check_collide(const graze::Distance& d) {
  check_margin(0);
  const double reach = static_cast<double>(size);
  for (const double by : {1e-3, 0.1, 1.0}) {
    check_margin(by * reach);
    check_margin(-by * reach);
  }
  if (!std::isfinite(d.value)) return;
  check_margin(d.value);
  const auto estimate = static_cast<double>(truth.estimate);
  for (const double off : {1e-15, 1e-12, 1e-9}) {
    check_margin(estimate + off * reach);
    check_margin(estimate - off * reach);
  }
}

inline void Judge::check_limit(const graze::Distance& d) {
  if (!std::isfinite(d.value)) return;
  const double step = static_cast<double>(allowed());
  for (const double limit : {d.value, d.value + 4 * step, d.value - 4 * step, 0.0, d.value / 2, 2 * d.value, -1.0}) {
    const graze::Distance l = distance(a, b, {.limit = limit}), m = distance(b, a, {.limit = limit});
    check_order(l, m);
    if (has_nan(l)) return complain("limit: not a number");
    if (l.beyond) {
      expect(l.value == graze::kInfinity, "limit: beyond with the value ", l.value);
      expect(truth.upper > limit, "limit: said to be beyond ", limit, ", but the distance is at most ", truth.upper);
      continue;
    }
    expect(l.value - l.tolerance <= limit, "limit: ", l.value, " is known to be beyond ", limit);
    expect(std::abs(Real(l.value) - d.value) <= Real(l.tolerance) + d.tolerance, "limit: changes the value from ",
           d.value, " to ", l.value);
  }
  const graze::Distance shallow = distance(a, b, {.depth = false});
  if (has_nan(shallow)) return complain("depth off: not a number");
  if (truth.upper < -allowed()) {
    // A depth that costs nothing may be reported anyway; otherwise the answer is 0 and the tolerance covers the depth.
    if (shallow.value != 0) {
      expect(std::abs(Real(shallow.value) - d.value) <= Real(shallow.tolerance) + d.tolerance,
             "depth off: changes the depth from ", d.value, " to ", shallow.value);
    } else {
      expect(shallow.tolerance >= -truth.upper - allowed(), "depth off: tolerance ", shallow.tolerance,
             " is less than the depth ", -truth.upper);
    }
  } else if (truth.lower > allowed()) {
    expect(std::abs(Real(shallow.value) - d.value) <= Real(shallow.tolerance) + d.tolerance,
           "depth off: changes the distance from ", d.value, " to ", shallow.value);
  }
}

inline void Judge::check_penetration(const graze::Distance& d) {
  const graze::Penetration p = penetration(a, b), q = penetration(b, a);
  if (std::isnan(p.depth) || std::isnan(p.tolerance) || !graze::is_finite(p.direction) || !graze::is_finite(p.on_a) ||
      !graze::is_finite(p.on_b)) {
    return complain("penetration: not a number");
  }
  expect(p.overlapping == q.overlapping && same_bits(p.depth, q.depth), "penetration: order matters");
  if (!p.overlapping) {
    expect(truth.upper > 0, "penetration: MISSED, the distance is at most ", truth.upper);
    expect(p.depth == 0, "penetration: depth without overlap");
    return;
  }
  expect(truth.lower <= allowed() || parallel_by_rounding(), "penetration: overlap although at least ", truth.lower,
         " apart");
  expect(p.direction == -q.direction || twins(), "penetration: order matters for the direction");
  expect(p.depth >= 0, "penetration: negative depth ", p.depth);
  if (!std::isfinite(p.depth) || !std::isfinite(d.value)) {
    expect(p.depth == graze::kInfinity && d.value == -graze::kInfinity, "penetration: ", p.depth, " and ", d.value);
    return;
  }
  expect(std::abs(p.depth - std::max(0.0, -d.value)) <= allowed(), "penetration: depth ", p.depth, " but distance ",
         d.value);
  const auto off = relative(p.on_a, origin) - relative(p.on_b, origin) - Real(p.depth) * real(p.direction);
  expect(norm(off) <= kRounding * size + p.tolerance, "penetration: points are off by ", norm(off));
  expect(std::abs(norm(real(p.direction)) - 1) < 1e-14L, "penetration: direction is not unit");
  // Apart after the move, but not earlier.
  const double out = p.depth + 2 * p.tolerance + static_cast<double>(2 * allowed());
  const graze::Placed moved = at(b.geometry, b.pose.moved_to(b.pose.translation() + out * p.direction));
  expect(!collide(a, moved), "penetration: still in touch after the move by ", out);
  if (p.depth > 1e3L * allowed()) {
    const graze::Placed less = at(b.geometry, b.pose.moved_to(b.pose.translation() + 0.999 * p.depth * p.direction));
    expect(collide(a, less), "penetration: apart too soon");
  }
}

inline void Judge::check_contacts(const graze::Distance& d) {
  const double near = static_cast<double>(size) * 0.01;
  for (const double margin : {0.0, near}) {
    const graze::Contacts list = contacts(a, b, {.margin = margin}), back = contacts(b, a, {.margin = margin});
    expect(list.size() == back.size(), "contacts: order changes their number");
    if (list.empty()) {
      expect(truth.upper > margin, "contacts: MISSED at margin ", margin, ", the distance is at most ", truth.upper);
      continue;
    }
    expect(list.size() <= 8, "contacts: more than asked for");
    expect(truth.lower - margin <= allowed() || parallel_by_rounding(), "contacts: reported although at least ",
           truth.lower, " apart");
    if (!std::isfinite(d.value)) continue;
    expect(std::abs(list[0].depth + d.value) <= allowed(), "contacts: deepest ", list[0].depth, ", distance ", d.value);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const graze::Contact& c = list[i];
      if (!graze::is_finite(c.point) || !graze::is_finite(c.normal) || std::isnan(c.depth))
        return complain("contacts: not a number");
      expect(std::abs(norm(real(c.normal)) - 1) < 1e-14L, "contacts: normal is not unit");
      expect(c.normal == list[0].normal, "contacts: normals differ");
      expect(i == 0 || c.depth <= list[i - 1].depth, "contacts: not deepest first");
      expect(c.depth >= -margin - static_cast<double>(allowed()), "contacts: apart by more than the margin");
      // Midway between the surfaces: half a depth from either, in or out.
      const auto p = relative(c.point, origin);
      const Real half = std::abs(Real(c.depth)) / 2 + 2 * allowed();
      expect(outside(body_a, p) <= half && outside(body_b, p) <= half, "contacts: point ", i,
             " is off the surfaces by ", outside(body_a, p), " and ", outside(body_b, p), ", depth ", c.depth);
      // Along the normal the surfaces cannot overlap by more than the depth of the pair says.
      if (i < back.size()) {
        expect(back[i].normal == -c.normal || twins(), "contacts: order matters for the normal");
        expect(same_bits(back[i].depth, c.depth), "contacts: order matters for the depth");
      }
    }
    if (!unbounded(spec.a.kind) && !unbounded(spec.b.kind)) {
      const Real proven = graze_oracle::separation(body_a, body_b, unit(real(list[0].normal)));
      expect(proven >= -list[0].depth - allowed(), "contacts: normal proves ", proven, ", depth ", list[0].depth);
    }
  }
}

}  // namespace graze_test
