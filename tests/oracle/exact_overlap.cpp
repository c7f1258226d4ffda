#include "oracle/exact_overlap.h"

#include <algorithm>

namespace graze_oracle {
namespace {

RationalPoint operator+(const RationalPoint& p, const RationalPoint& q) { return {p.x + q.x, p.y + q.y, p.z + q.z}; }
RationalPoint operator-(const RationalPoint& p, const RationalPoint& q) { return {p.x - q.x, p.y - q.y, p.z - q.z}; }
RationalPoint operator*(const Rational& s, const RationalPoint& p) { return {s * p.x, s * p.y, s * p.z}; }
Rational dot(const RationalPoint& p, const RationalPoint& q) { return p.x * q.x + p.y * q.y + p.z * q.z; }
RationalPoint cross(const RationalPoint& p, const RationalPoint& q) {
  return {p.y * q.z - p.z * q.y, p.z * q.x - p.x * q.z, p.x * q.y - p.y * q.x};
}
RationalPoint exact(const Triple& t) { return {t[0], t[1], t[2]}; }

RationalPoint rotated(const std::array<double, 4>& wxyz, const RationalPoint& p) {
  if (wxyz == std::array<double, 4>{1, 0, 0, 0}) return p;
  const Rational w = wxyz[0], x = wxyz[1], y = wxyz[2], z = wxyz[3];
  const RationalPoint v{x, y, z};
  // q p q* / |q|²
  const Rational length_sq = w * w + dot(v, v);
  const RationalPoint sum = (w * w - dot(v, v)) * p + Rational(2) * dot(v, p) * v + Rational(2) * w * cross(v, p);
  return Rational(1 / length_sq) * sum;
}

// Multiplies everything by one integer that clears all denominators.
mpz_class common_denominator(const std::vector<RationalPoint>& a, const std::vector<RationalPoint>& b) {
  mpz_class all = 1;
  for (const auto* list : {&a, &b}) {
    for (const RationalPoint& p : *list) {
      for (const Rational* c : {&p.x, &p.y, &p.z}) all = lcm(all, c->get_den());
    }
  }
  return all;
}

std::vector<Lattice<mpz_class>> scaled(const std::vector<RationalPoint>& list, const mpz_class& by) {
  std::vector<Lattice<mpz_class>> out;
  const auto whole = [&](const Rational& c) { return mpz_class(c.get_num() * (by / c.get_den())); };
  for (const RationalPoint& p : list) out.push_back({whole(p.x), whole(p.y), whole(p.z)});
  return out;
}

Rational unscaled(const Fraction<mpz_class>& f, const mpz_class& by) {
  Rational r(f.num, f.den * by * by);
  r.canonicalize();
  return r;
}

// The sign of x - y * sqrt(z), z >= 0.
int compare_with_root(const Rational& x, const Rational& y, const Rational& z) {
  const int sx = sgn(x), sy = sgn(z) == 0 ? 0 : sgn(y);
  if (sx != sy) return sx < sy ? -1 : 1;
  return sx * cmp(Rational(x * x), Rational(y * y * z));
}

Rational segment_distance_sq(const RationalPoint& p, const RationalPoint& u, const RationalPoint& q,
                             const RationalPoint& v) {
  // |(p + s u) - (q + t v)|² over the unit square: the interior critical point, then the four sides.
  const RationalPoint w = p - q;
  const Rational uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), uw = dot(u, w), vw = dot(v, w);
  const auto value = [&](const Rational& s, const Rational& t) {
    const RationalPoint d = w + s * u - t * v;
    return dot(d, d);
  };
  const auto clamped = [](const Rational& x) { return sgn(x) < 0 ? Rational(0) : x > 1 ? Rational(1) : x; };
  const Rational det = uu * vv - uv * uv;
  Rational best = value(0, 0);
  if (sgn(det) != 0) {
    const Rational s = (uv * vw - vv * uw) / det, t = (uu * vw - uv * uw) / det;
    if (sgn(s) >= 0 && s <= 1 && sgn(t) >= 0 && t <= 1) best = std::min(best, value(s, t));
  }
  for (const int end : {0, 1}) {
    const Rational t_best = sgn(vv) == 0 ? Rational(0) : clamped((vw + end * uv) / vv);
    const Rational s_best = sgn(uu) == 0 ? Rational(0) : clamped((end * uv - uw) / uu);
    best = std::min({best, value(end, t_best), value(s_best, end)});
  }
  return best;
}

// Whether the foot of the perpendicular from p lies in the triangle, and how far below it is; or nothing.
std::optional<Rational> face_distance_sq(const RationalPoint& p, const std::array<RationalPoint, 3>& t) {
  const RationalPoint n = cross(t[1] - t[0], t[2] - t[0]);
  const Rational nn = dot(n, n);
  if (sgn(nn) == 0) return {};
  for (std::size_t i = 0; i < 3; ++i) {
    const RationalPoint &a = t[i], &b = t[(i + 1) % 3];
    if (sgn(dot(n, cross(b - a, p - a))) < 0) return {};
  }
  const Rational h = dot(n, p - t[0]);
  return Rational(h * h / nn);
}

bool pierces(const RationalPoint& from, const RationalPoint& to, const std::array<RationalPoint, 3>& t) {
  const RationalPoint n = cross(t[1] - t[0], t[2] - t[0]);
  const Rational start = dot(n, from - t[0]), end = dot(n, to - t[0]);
  if (start == end || sgn(start) * sgn(end) > 0) return false;
  const RationalPoint hit = from + Rational(start / (start - end)) * (to - from);
  for (std::size_t i = 0; i < 3; ++i) {
    const RationalPoint &a = t[i], &b = t[(i + 1) % 3];
    if (sgn(dot(n, cross(b - a, hit - a))) < 0) return false;
  }
  return true;
}

}  // namespace

namespace {

// In the body's own frame.
std::vector<RationalPoint> local_core(const Spec& spec) {
  std::vector<RationalPoint> local;
  const auto& s = spec.size;
  switch (spec.kind) {
    case Kind::sphere:
      local.push_back(exact({0, 0, 0}));
      break;
    case Kind::capsule:
      local = {exact({0, 0, -s[1]}), exact({0, 0, s[1]})};
      break;
    case Kind::box:
      for (int i = 0; i < 8; ++i) {
        local.push_back(exact({i & 1 ? s[0] : -s[0], i & 2 ? s[1] : -s[1], i & 4 ? s[2] : -s[2]}));
      }
      break;
    default:
      for (const Triple& p : spec.points) local.push_back(exact(p));
  }
  return local;
}

}  // namespace

ExactBody moved(const ExactBody& body, const std::array<double, 4>& wxyz, const Triple& xyz) {
  ExactBody m = body;
  const RationalPoint by = exact(xyz);
  for (RationalPoint& p : m.core) p = rotated(wxyz, p) + by;
  if (unbounded(body.kind)) {
    m.normal = rotated(wxyz, body.normal);
    m.level = body.level + dot(m.normal, by);
  }
  return m;
}

ExactBody exact_body(const Spec& spec) {
  ExactBody body;
  body.kind = spec.kind;
  if (unbounded(spec.kind)) {
    body.normal = exact(spec.normal);
    body.level = spec.offset;
  } else {
    body.core = local_core(spec);
    body.radius = exact_radius(spec);
  }
  return moved(body, spec.wxyz, spec.xyz);
}

std::vector<RationalPoint> exact_core(const Spec& spec) { return exact_body(spec).core; }

Rational exact_radius(const Spec& spec) {
  return spec.kind == Kind::sphere || spec.kind == Kind::capsule ? Rational(spec.size[0]) : Rational(0);
}

Rational distance_sq(const std::vector<RationalPoint>& a, const std::vector<RationalPoint>& b) {
  const mpz_class by = common_denominator(a, b);
  return unscaled(hull_distance_sq(scaled(a, by), scaled(b, by)), by);
}

Rational depth_sq(const std::vector<RationalPoint>& a, const std::vector<RationalPoint>& b) {
  const mpz_class by = common_denominator(a, b);
  return unscaled(hull_depth_sq(scaled(a, by), scaled(b, by)), by);
}

ExactPair::ExactPair(ExactBody a, ExactBody b) : a_(std::move(a)), b_(std::move(b)) {
  if (!unbounded(a_.kind) && unbounded(b_.kind)) std::swap(a_, b_);
  radius_ = a_.radius + b_.radius;
  if (!unbounded(a_.kind)) {
    apart_sq_ = distance_sq(a_.core, b_.core);
    return;
  }
  if (unbounded(b_.kind) && a_.kind == Kind::plane) std::swap(a_, b_);
  const RationalPoint& n = a_.normal;
  normal_sq_ = dot(n, n);
  Rational low, high;
  if (unbounded(b_.kind)) {
    const RationalPoint across = cross(n, b_.normal);
    const Rational share = dot(n, b_.normal) / normal_sq_;
    endless_ = sgn(across.x) != 0 || sgn(across.y) != 0 || sgn(across.z) != 0 ||
               (a_.kind == Kind::half_space && b_.kind == Kind::half_space && sgn(share) > 0);
    low = high = sgn(share) != 0 ? Rational(b_.level / share) : Rational(0);
  } else {
    bool first = true;
    for (const RationalPoint& p : b_.core) {
      const Rational h = dot(n, p);
      if (first || h < low) low = h;
      if (first || h > high) high = h;
      first = false;
    }
  }
  above_ = low - a_.level;
  if (a_.kind == Kind::plane) below_ = a_.level - high;
}

int ExactPair::compare(double margin) const {
  if (endless_) return -1;
  const Rational radius = radius_ + margin;
  if (above_) {
    const int above = compare_with_root(*above_, radius, normal_sq_);
    return below_ ? std::max(above, compare_with_root(*below_, radius, normal_sq_)) : above;
  }
  if (sgn(apart_sq_) > 0) return sgn(radius) < 0 ? 1 : cmp(apart_sq_, Rational(radius * radius));
  if (sgn(radius) > 0) return -1;
  if (!depth_sq_) depth_sq_ = depth_sq(a_.core, b_.core);
  if (sgn(radius) == 0) return sgn(*depth_sq_) > 0 ? -1 : 0;
  return cmp(Rational(radius * radius), *depth_sq_);
}

double ExactPair::gap() const {
  constexpr mp_bitcnt_t kBits = 256;
  if (endless_) return 0;
  const mpf_class length(sqrt(mpf_class(above_ ? normal_sq_ : apart_sq_, kBits)));
  mpf_class value = length;
  if (above_) value = mpf_class(below_ ? std::max(*above_, *below_) : *above_, kBits) / length;
  value -= mpf_class(radius_, kBits);
  return std::max(0.0, value.get_d());
}

std::optional<int> compare_with_margin(const Spec& a, const Spec& b, double margin) {
  if (!has_exact_body(a.kind) || !has_exact_body(b.kind) || (unbounded(a.kind) && unbounded(b.kind))) return {};
  return ExactPair(exact_body(a), exact_body(b)).compare(margin);
}

Rational triangle_distance_sq(const std::array<RationalPoint, 3>& a, const std::array<RationalPoint, 3>& b) {
  std::optional<Rational> best;
  const auto offer = [&](const Rational& d) {
    if (!best || d < *best) best = d;
  };
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t next = (i + 1) % 3;
    if (pierces(a[i], a[next], b) || pierces(b[i], b[next], a)) return 0;
    if (const auto d = face_distance_sq(a[i], b)) offer(*d);
    if (const auto d = face_distance_sq(b[i], a)) offer(*d);
    for (std::size_t j = 0; j < 3; ++j) {
      offer(segment_distance_sq(a[i], a[next] - a[i], b[j], b[(j + 1) % 3] - b[j]));
    }
  }
  return *best;
}

}  // namespace graze_oracle
