// Bytes → two shapes at two poses → every verb. Nothing may crash or answer with a NaN, both orders must agree, and a
// collision that the oracle can prove must not be missed.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fuzz/fuzz.h"
#include "graze/base/error.h"
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

[[noreturn]] void fail(const Judge& judge) {
  std::fprintf(stderr, "%s\n", judge.report().c_str());
  std::abort();
}

// The oracle's 64 bits of mantissa prove nothing where the caller's numbers differ by more than that.
bool within_reach(const Spec& s) {
  const Real size = magnitude(s);
  return size < 1e12L && (size > 1e-12L || size == 0);
}

// What the signed distance is proven not to exceed: by two points, or by a common one. Cheap, so that inputs are many.
Real at_most(const Judge& judge) {
  if (unbounded(judge.spec.a.kind) || unbounded(judge.spec.b.kind)) {
    return signed_distance(judge.body_a, judge.body_b).upper;
  }
  return nearest_pair(judge.body_a, judge.body_b).upper + oracle_rounding(judge.body_a, judge.body_b);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choices bytes(data, size);
  const Spec a = spec_from(bytes), b = spec_from(bytes);
  const double margin = bytes.number(), limit = bytes.number();
  try {
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
  judge.expect(near || !hit || !(margin >= 0), "collide: a margin sets free");
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
  if (!judge.complaints.empty()) fail(judge);
  return 0;
}
