#include "oracle/cases.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "oracle/signed_distance.h"

namespace graze_oracle {
namespace {

constexpr double kUlp = std::numeric_limits<double>::epsilon();

double reach_of(const Spec& spec) { return unbounded(spec.kind) ? 0 : static_cast<double>(reach(body_of(spec))); }

Triple sum(const Triple& p, double s, const Triple& d) { return {p[0] + s * d[0], p[1] + s * d[1], p[2] + s * d[2]}; }

Triple turned(const std::array<double, 4>& q, const Triple& v) {
  const Vec r = rotation_of(q[0], q[1], q[2], q[3]) * Vec{v[0], v[1], v[2]};
  return {static_cast<double>(r.x), static_cast<double>(r.y), static_cast<double>(r.z)};
}

// A point in any direction from `from`, up to `farthest` times `unit` away.
Triple around(const Triple& from, double farthest, double unit, Random& random) {
  const Triple direction = random.direction();  // first: arguments may be evaluated in any order
  return sum(from, random.uniform(0, farthest) * unit, direction);
}

// Moves b so that about half of the cases overlap.
void place_near(Spec& a, Spec& b, Random& random) {
  const double together = reach_of(a) + reach_of(b);
  b.xyz = around(a.xyz, 1.2, together, random);
}

// One of the 24 rotations of a cube, exactly.
std::array<double, 4> right_angles(Random& random) {
  for (;;) {
    std::array<double, 4> q{};
    int used = 0;
    for (double& x : q) {
      x = random.integer(-1, 1);
      used += x != 0 ? 1 : 0;
    }
    if (used == 1 || used == 2 || used == 4) return q;  // lengths whose square is a power of two
  }
}

// Half extents of the shape's own box, in its frame.
Triple half_extents(const Spec& s) {
  switch (s.kind) {
    case Kind::sphere:
      return {s.size[0], s.size[0], s.size[0]};
    case Kind::capsule:
      return {s.size[0], s.size[0], s.size[0] + s.size[1]};
    case Kind::cylinder:
    case Kind::cone:
      return {s.size[0], s.size[0], s.size[1]};
    case Kind::box:
    case Kind::ellipsoid:
      return s.size;
    default: {
      Triple half{};
      for (const Triple& p : s.points) {
        for (std::size_t i = 0; i < 3; ++i) half[i] = std::max(half[i], std::abs(p[i]));
      }
      return half;
    }
  }
}

void make_thin(Spec& s, Random& random) {
  const double by = random.magnitude(-9, -4);
  const auto axis = static_cast<std::size_t>(random.integer(0, 2));
  const bool needle = random.chance(0.3);
  const auto squeeze = [&](Triple& t) {
    for (std::size_t i = 0; i < 3; ++i) {
      if ((i == axis) != needle) t[i] *= by;
    }
  };
  switch (s.kind) {
    case Kind::triangle:
    case Kind::convex:
      for (Triple& p : s.points) squeeze(p);
      break;
    case Kind::capsule:
    case Kind::cylinder:
    case Kind::cone:
      s.size[random.chance(0.5) ? 0 : 1] *= by;
      break;
    case Kind::sphere:
      s.size[0] *= by;
      break;
    default:
      squeeze(s.size);
  }
}

void touch(Case& c, Random& random) {
  const Body a = body_of(c.a, c.a.xyz), b = body_of(c.b, c.a.xyz);
  const Bounds bounds = signed_distance(a, b);
  if (!std::isfinite(bounds.estimate)) return;
  const Real size = magnitude(c.a) + magnitude(c.b);
  Real gap = 0;
  if (random.chance(0.6)) {
    gap = random.integer(-8, 8) * kUlp / 4 * size;
  } else {
    const int sign = random.chance(0.5) ? 1 : -1;
    gap = sign * random.magnitude(-15, -6) * size;
  }
  const Vec shift = (gap - bounds.estimate) * bounds.normal;
  for (int i = 0; i < 3; ++i) {
    double& x = c.b.xyz[static_cast<std::size_t>(i)];
    x = static_cast<double>(x + shift[i]);
  }
}

void share_edges(Case& c, Random& random) {
  c.a = lattice_spec(c.a.kind, random);
  c.b = lattice_spec(c.b.kind, random);
  c.b.wxyz = c.a.wxyz = random.chance(0.5) ? right_angles(random) : random.rotation();
  const Triple ha = half_extents(c.a), hb = half_extents(c.b);
  Triple offset{};
  for (std::size_t i = 0; i < 3; ++i) offset[i] = random.integer(-1, 1) * (ha[i] + hb[i]);
  // Hulls and triangles in one frame share vertices: an edge, or a face of the hull.
  if (!c.a.points.empty() && !c.b.points.empty()) {
    const auto shared = static_cast<std::size_t>(random.integer(1, 3));
    for (std::size_t i = 0; i < std::min({shared, c.a.points.size(), c.b.points.size()}); ++i) {
      c.b.points[i] = c.a.points[i];
    }
    offset = {};
  }
  c.b.xyz = turned(c.a.wxyz, offset);
}

std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

std::string list(const Triple& t) { return "{" + number(t[0]) + ", " + number(t[1]) + ", " + number(t[2]) + "}"; }

}  // namespace

std::uint64_t Random::bits() {  // splitmix64
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double Random::uniform(double low, double high) {
  return low + (high - low) * (static_cast<double>(bits() >> 11) * 0x1p-53);
}

int Random::integer(int low, int high) {
  return low + static_cast<int>(bits() % static_cast<std::uint64_t>(high - low + 1));
}

double Random::magnitude(double low_exponent, double high_exponent) {
  // A plain product, so that it does not depend on the math library.
  double x = uniform(low_exponent, high_exponent), value = 1;
  for (; x >= 1; x -= 1) value *= 10;
  for (; x < 0; x += 1) value /= 10;
  return value * (1 + 9 * x * x / (2 - x));  // 1 … 10, roughly exponential
}

Triple Random::direction() {
  for (;;) {
    const Triple v{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    const double sq = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    if (sq > 1 || sq < 1e-4) continue;
    const double by = 1 / std::sqrt(sq);
    return {by * v[0], by * v[1], by * v[2]};
  }
}

std::array<double, 4> Random::rotation() {
  for (;;) {
    const std::array<double, 4> q{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    const double sq = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (sq <= 1 && sq >= 1e-4) return q;
  }
}

const char* name_of(Trouble trouble) {
  constexpr const char* kNames[] = {"generic", "aligned", "touching", "nested", "parallel", "edges",
                                    "sliver",  "far",     "tiny",     "huge",   "mixed",    "flat"};
  return kNames[static_cast<std::size_t>(trouble)];
}

Spec random_spec(Kind kind, double scale, Random& random) {
  Spec s;
  s.kind = kind;
  for (double& x : s.size) x = scale * random.uniform(0.1, 1);
  const int count = kind == Kind::triangle ? 3 : kind == Kind::convex ? random.integer(4, 12) : 0;
  for (int i = 0; i < count; ++i) {
    s.points.push_back({scale * random.uniform(-1, 1), scale * random.uniform(-1, 1), scale * random.uniform(-1, 1)});
  }
  if (unbounded(kind)) {
    const double length = random.chance(0.5) ? 1 : random.uniform(0.5, 3);
    s.normal = sum({}, length, random.direction());
    s.offset = length * scale * random.uniform(-0.5, 0.5);
  }
  s.wxyz = random.rotation();
  return s;
}

void flatten(Spec& s, Random& random) {
  if (s.kind == Kind::ellipsoid || !s.points.empty() || unbounded(s.kind)) return;
  const int used = static_cast<int>(sizes_used(s.kind)), zeros = random.integer(1, (1 << used) - 1);
  for (int i = 0; i < used; ++i) {
    if ((zeros >> i & 1) != 0) s.size[static_cast<std::size_t>(i)] = 0;
  }
}

Spec lattice_spec(Kind kind, Random& random) {
  Spec s = random_spec(kind, 1, random);
  for (double& x : s.size) x = random.integer(1, 8) / 8.0;
  for (Triple& p : s.points) {
    for (double& x : p) x = random.integer(-4, 4) / 4.0;
  }
  do {
    for (double& x : s.normal) x = random.integer(-1, 1);
  } while (s.normal == Triple{});
  s.offset = random.integer(-8, 8) / 8.0;
  s.wxyz = right_angles(random);
  return s;
}

namespace {

Case flat_case(Kind kind_a, Kind kind_b, Random& random) {
  const bool lattice = random.chance(0.5);
  const auto spec = [&](Kind kind) { return lattice ? lattice_spec(kind, random) : random_spec(kind, 1, random); };
  Case c{spec(kind_a), spec(kind_b)};
  const int which = random.integer(0, 3);
  if (which != 1) flatten(c.a, random);
  if (which != 0) flatten(c.b, random);
  if (lattice) {
    if (random.chance(0.5)) c.a.wxyz = c.b.wxyz = random.chance(0.5) ? random.rotation() : right_angles(random);
    Triple offset{};
    for (double& x : offset) x = random.chance(0.5) ? 0 : random.integer(-12, 12) / 8.0;
    for (double& x : c.a.xyz) x = random.integer(1, 8) / 8.0;
    c.b.xyz = sum(c.a.xyz, 1, turned(c.a.wxyz, offset));
    return c;
  }
  c.a.xyz = around({}, 2, 1, random);
  place_near(c.a, c.b, random);
  if (random.chance(0.3)) c.b.xyz = c.a.xyz;
  if (random.chance(0.3)) c.b.wxyz = c.a.wxyz;
  if (random.chance(0.3)) touch(c, random);
  return c;
}

}  // namespace

Case make_case(Kind kind_a, Kind kind_b, Trouble trouble, Random& random) {
  if (trouble == Trouble::flat) return flat_case(kind_a, kind_b, random);
  double scale = 1, scale_b = 1;
  if (trouble == Trouble::tiny) scale = scale_b = 1e-4;
  if (trouble == Trouble::huge) scale = scale_b = 1e6;
  if (trouble == Trouble::mixed) {
    scale = random.magnitude(-4, 4);
    scale_b = random.magnitude(-4, 4);
  }
  Case c{random_spec(kind_a, scale, random), random_spec(kind_b, scale_b, random)};
  switch (trouble) {
    case Trouble::generic:
    case Trouble::touching:
    case Trouble::tiny:
    case Trouble::huge:
    case Trouble::mixed:
    case Trouble::flat:
      c.a.xyz = around({}, 2, scale, random);
      place_near(c.a, c.b, random);
      break;
    case Trouble::aligned:
      c = {lattice_spec(kind_a, random), lattice_spec(kind_b, random)};
      for (double& x : c.a.xyz) x = random.integer(-4, 4) / 8.0;
      for (std::size_t i = 0; i < 3; ++i) c.b.xyz[i] = c.a.xyz[i] + random.integer(-12, 12) / 8.0;
      break;
    case Trouble::nested:
      c.b = random_spec(kind_b, random.uniform(0.05, 1), random);
      c.a.xyz = c.b.xyz = random.direction();
      if (random.chance(0.3)) c.b.wxyz = c.a.wxyz;
      if (random.chance(0.3)) c.b.xyz = around(c.a.xyz, 0.2, 1, random);
      break;
    case Trouble::parallel: {
      c = {lattice_spec(kind_a, random), lattice_spec(kind_b, random)};
      c.a.wxyz = c.b.wxyz = random.rotation();
      if (unbounded(kind_a) && unbounded(kind_b)) c.b.normal = c.a.normal;
      Triple offset{};
      for (double& x : offset) x = random.integer(-12, 12) / 8.0;
      if (random.chance(0.5)) offset[0] = offset[1] = 0;
      c.b.xyz = turned(c.a.wxyz, offset);
      break;
    }
    case Trouble::edges:
      share_edges(c, random);
      break;
    case Trouble::sliver:
      if (random.chance(0.7)) make_thin(c.a, random);
      if (random.chance(0.5) || c.a.kind == c.b.kind) make_thin(c.b, random);
      c.b.xyz = around(c.a.xyz, 0.8, 1, random);
      break;
    case Trouble::far:
      place_near(c.a, c.b, random);
      const Triple away = random.direction();
      c.a.xyz = sum(c.a.xyz, 1e6, away);
      c.b.xyz = sum(c.b.xyz, 1e6, away);
      break;
  }
  if (trouble == Trouble::touching) touch(c, random);
  return c;
}

std::string describe(const Spec& s) {
  std::string text = name_of(s.kind);
  if (unbounded(s.kind)) {
    text += " normal " + list(s.normal) + " offset " + number(s.offset);
  } else if (!s.points.empty()) {
    text += " points {";
    for (const Triple& p : s.points) text += list(p) + ", ";
    text += "}";
  } else {
    text += " size " + list(s.size);
  }
  return text + " wxyz {" + number(s.wxyz[0]) + ", " + number(s.wxyz[1]) + ", " + number(s.wxyz[2]) + ", " +
         number(s.wxyz[3]) + "} xyz " + list(s.xyz);
}

}  // namespace graze_oracle
