// Bytes → two shapes at two poses → every verb. Nothing may crash or answer with a NaN, both orders must agree, and a
// collision that the oracle can prove must not be missed. Bodies with coordinates of their own may have these moved far
// away and be moved back by their pose; they are compared with exact arithmetic.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fuzz/fuzz.h"
#include "graze/base/error.h"
#include "oracle/exact_overlap.h"
#include "query/judge.h"

namespace {

using namespace graze_test;
using graze_oracle::Kind;
using graze_oracle::kKinds;
using graze_oracle::Spec;

class Choices : public graze_fuzz::Bytes {
 public:
  using Bytes::Bytes;

  // Mostly small lattice numbers, which meet each other exactly; also any bits at all, specials included.
  double number() {
    const std::uint8_t how = byte();
    if (how < 160) return small() / 8.0;
    if (how < 200) return small() * std::ldexp(1.0, small());
    if (how < 230) {  // a lattice number and a few units in the last place
      double x = small() / 8.0;
      for (int steps = byte() % 4; steps > 0; --steps) x = std::nextafter(x, how % 2 == 0 ? 1e300 : -1e300);
      return x;
    }
    return any_double();
  }
  double length() {
    const double x = number();
    return std::signbit(x) ? -x : x;
  }
};

Spec spec_from(Choices& bytes) {
  Spec s;
  s.kind = kKinds[bytes.byte() % kKinds.size()];
  const int points = s.kind == Kind::triangle ? 3 : s.kind == Kind::convex ? 1 + bytes.byte() % 10 : 0;
  for (int i = 0; i < points; ++i) s.points.push_back({bytes.number(), bytes.number(), bytes.number()});
  if (unbounded(s.kind)) {
    for (double& x : s.normal) x = bytes.number();
    s.offset = bytes.number();
  } else if (points == 0) {
    for (std::size_t i = 0; i < sizes_used(s.kind); ++i) s.size[i] = bytes.length();
  }
  const std::uint8_t turn = bytes.byte();
  if (turn >= 64) {
    for (double& x : s.wxyz) x = turn < 128 ? static_cast<std::int8_t>(bytes.byte() % 3) - 1 : bytes.number();
  }
  for (double& x : s.xyz) x = bytes.number();
  return s;
}

// Up to 1e7 m are added to the body's own coordinates and taken off its translation, rounded as callers round.
bool move_far(Spec& s, std::uint8_t how) {
  if (how == 0 || (!unbounded(s.kind) && s.points.empty())) return false;
  constexpr double kPart[] = {1, -1, 0.9, 0.003, 0, -0.7, 1e-4, 0.5};
  double away = 1;
  for (int i = how % 8; i > 0; --i) away *= 10;
  const graze::Vec3 by = away * graze::Vec3(kPart[how / 8 % 8], kPart[(how / 16 + 3) % 8], kPart[(how / 32 + 5) % 8]);
  const graze::Vec3 back = pose_of(s).rotation() * by;
  for (auto& p : s.points) {
    for (std::size_t k = 0; k < 3; ++k) p[k] += by[static_cast<Eigen::Index>(k)];
  }
  if (unbounded(s.kind)) s.offset += vec3(s.normal).dot(by);
  for (std::size_t k = 0; k < 3; ++k) s.xyz[k] -= back[static_cast<Eigen::Index>(k)];
  return true;
}

[[noreturn]] void fail(const Judge& judge) {
  std::fprintf(stderr, "%s\n", judge.report().c_str());
  std::abort();
}

// The oracle's 64-bit mantissa proves nothing where the caller's numbers differ by more than that.
bool within_reach(const Spec& s) {
  const Real size = magnitude(s);
  return size < 1e12L && (size > 1e-12L || size == 0);
}

// A proven upper bound of the signed distance, by two points or a common one. Cheap, so that many inputs can be tried.
Real at_most(const Judge& judge) {
  if (unbounded(judge.spec.a.kind) || unbounded(judge.spec.b.kind)) {
    return signed_distance(judge.body_a, judge.body_b).upper;
  }
  return nearest_pair(judge.body_a, judge.body_b).upper + oracle_rounding(judge.body_a, judge.body_b);
}

// The same questions in rational arithmetic. Depths of hulls are left to the other oracle, which is faster.
void check_exactly(Judge& judge, const graze::Distance& d, double margin) {
  const Spec &a = judge.spec.a, &b = judge.spec.b;
  if (!has_exact_body(a.kind) || !has_exact_body(b.kind) || (unbounded(a.kind) && unbounded(b.kind))) return;
  const graze_oracle::ExactPair truth(exact_body(a), exact_body(b));
  const double gap = truth.gap();
  for (const double m : {0.0, margin, gap, std::nextafter(gap, graze::kInfinity)}) {
    if (!(m >= 0) || !std::isfinite(m) || truth.compare(m) > 0) continue;
    judge.expect(collide(judge.a, judge.b, {.margin = m}), "collide: MISSED at margin ", m, ", exactly");
    judge.expect(!distance(judge.a, judge.b, {.limit = m}).beyond, "limit: beyond ", m, ", exactly");
  }
  const double low = std::nextafter(d.value - d.tolerance, -graze::kInfinity);
  if (low > 0)
    judge.expect(truth.compare(low) >= 0, "distance: over-stated, ", d.value, " ± ", d.tolerance, ", exactly");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choices bytes(data, size);
  Spec a = spec_from(bytes), b = spec_from(bytes);
  const double margin = bytes.number(), limit = bytes.number();
  bool far = false;
  try {
    (void)placed_of(a);
    (void)placed_of(b);
    const std::uint8_t how_a = bytes.byte(), how_b = bytes.byte();
    const bool far_a = move_far(a, how_a), far_b = move_far(b, how_b);
    far = far_a || far_b;
    (void)placed_of(a);
    (void)placed_of(b);
  } catch (const graze::Error&) {
    return 0;
  }
  Judge judge({a, b});
  const graze::Distance d = distance(judge.a, judge.b), e = distance(judge.b, judge.a);
  judge.expect(!has_nan(d) && !(d.tolerance < 0), "distance: not a number");
  judge.check_order(d, e);
  const bool hit = collide(judge.a, judge.b), back = collide(judge.b, judge.a);
  judge.expect(hit == back, "collide: order matters");
  const bool near = collide(judge.a, judge.b, {.margin = margin});
  judge.expect(near == collide(judge.b, judge.a, {.margin = margin}), "collide: order matters at margin ", margin);
  judge.expect(near || !std::isnan(margin), "collide: free at a NaN margin");
  judge.expect(near || !hit || !(margin >= 0), "collide: a margin removes a collision");
  const graze::Distance l = distance(judge.a, judge.b, {.limit = limit});
  judge.expect(!has_nan(l), "limit: not a number");
  judge.expect(!(l.beyond && std::isnan(limit)), "limit: beyond a NaN");
  judge.expect(!(l.beyond && d.value + d.tolerance < limit), "limit: beyond ", limit, " at ", d.value);
  const graze::Penetration p = penetration(judge.a, judge.b);
  judge.expect(!std::isnan(p.depth) && !std::isnan(p.tolerance) && graze::is_finite(p.direction) &&
                   graze::is_finite(p.on_a) && graze::is_finite(p.on_b),
               "penetration: not a number");
  for (const graze::Contact& c : contacts(judge.a, judge.b, {.margin = margin})) {
    judge.expect(graze::is_finite(c.point) && graze::is_finite(c.normal) && !std::isnan(c.depth),
                 "contacts: not a number");
  }
  if (within_reach(a) && within_reach(b)) {
    const Real upper = at_most(judge);
    judge.expect(hit || upper > 0, "collide: MISSED, the distance is at most ", upper);
    judge.expect(near || upper > margin, "collide: MISSED at margin ", margin, ", the distance is at most ", upper);
    judge.expect(p.overlapping || upper > 0, "penetration: MISSED");
    judge.expect(d.value - d.tolerance <= upper, "distance: over-stated, ", d.value, " ± ", d.tolerance,
                 ", but it is at most ", upper);
    judge.expect(!l.beyond || upper > limit, "limit: beyond ", limit, ", but the distance is at most ", upper);
  }
  if (far && within_reach(a) && within_reach(b)) check_exactly(judge, d, margin);
  if (!judge.complaints.empty()) fail(judge);
  return 0;
}
