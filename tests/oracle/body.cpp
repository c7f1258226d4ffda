#include "oracle/body.h"

#include <algorithm>

#include "oracle/min_norm.h"

namespace graze_oracle {
namespace {

constexpr std::size_t kMaxEnumerated = 32;

Vec vec(const Triple& t) { return {t[0], t[1], t[2]}; }

void add_direction(std::vector<Vec>& list, const Vec& d) {
  constexpr Real kSame = 1e-17L;
  for (const Vec& known : list) {
    const Vec off = cross(known, d);
    if (dot(off, off) < kSame * kSame) return;
  }
  list.push_back(d);
}

// Facets and edges of a hull by trying every triple. Uncertain ones are kept.
void find_features(const std::vector<Vec>& points, std::vector<Vec>& faces, std::vector<Vec>& edges) {
  const std::size_t n = points.size();
  Real scale = 0;
  for (const Vec& p : points) scale = std::max(scale, norm(p - points[0]));
  bool any_face = false;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      for (std::size_t k = j + 1; k < n; ++k) {
        const Vec u = points[j] - points[i], v = points[k] - points[i];
        const Vec w = cross(u, v);
        const Real area = norm(w), longest = std::max(norm(u), norm(v));
        if (!(area > 4 * kRealEpsilon * longest * longest)) continue;
        const Vec normal = (1 / area) * w;
        const Real slack = 16 * kRealEpsilon * scale * (1 + longest * longest / area);
        bool below = true, above = true;
        for (std::size_t m = 0; m < n && (below || above); ++m) {
          const Real height = dot(normal, points[m] - points[i]);
          below = below && height <= slack;
          above = above && height >= -slack;
        }
        if (!below && !above) continue;
        any_face = true;
        add_direction(faces, normal);
        add_direction(edges, unit(u));
        add_direction(edges, unit(v));
        add_direction(edges, unit(points[k] - points[j]));
      }
    }
  }
  if (any_face) return;
  for (std::size_t i = 1; i < n; ++i) {
    if (norm(points[i] - points[0]) > 0) add_direction(edges, unit(points[i] - points[0]));
  }
}

// Nearest point of an axis-aligned ellipsoid to p outside it: the root of a decreasing function, bracketed and
// then bisected, so that no starting point can fail.
Vec project_on_ellipsoid(const Vec& radii, const Vec& p) {
  const auto excess = [&](Real t) {
    Real sum = -1;
    for (int i = 0; i < 3; ++i) {
      const Real q = radii[i] * p[i] / (radii[i] * radii[i] + t);
      sum += q * q;
    }
    return sum;
  };
  if (excess(0) <= 0) return p;
  // No term of the sum may exceed 1 at the root, which bounds it from below; Newton from the left never overshoots (the
  // function is convex), and bisection backs it up.
  Real low = 0, high = std::max({radii.x, radii.y, radii.z}) * norm(p);
  for (int i = 0; i < 3; ++i) low = std::max(low, radii[i] * (std::abs(p[i]) - radii[i]));
  Real t = low;
  for (int step = 0; step < 300; ++step) {
    Real value = -1, slope = 0;
    for (int i = 0; i < 3; ++i) {
      const Real d = radii[i] * radii[i] + t, q = radii[i] * p[i] / d;
      value += q * q;
      slope -= 2 * q * q / d;
    }
    (value > 0 ? low : high) = t;
    Real next = t - value / slope;
    if (!(next > low && next < high)) next = low + (high - low) / 2;
    if (next == t || next <= low || next >= high) break;
    t = next;
  }
  Vec x;
  for (int i = 0; i < 3; ++i) x[i] = radii[i] * radii[i] * p[i] / (radii[i] * radii[i] + t);
  return x;
}

struct Flat {
  Real r, z;
};

Flat nearest_on_segment(const Flat& a, const Flat& b, const Flat& p) {
  const Real dr = b.r - a.r, dz = b.z - a.z;
  if (dr == 0 && dz == 0) return a;
  const Real t = clamp(((p.r - a.r) * dr + (p.z - a.z) * dz) / (dr * dr + dz * dz), 0, 1);
  return {a.r + t * dr, a.z + t * dz};
}

Real apart(const Flat& a, const Flat& b) { return std::hypot(a.r - b.r, a.z - b.z); }

// How far p is above the cone's side, along its normal in the (r, z) half-plane.
Real above_side(Real radius, Real half, const Flat& p) {
  if (half == 0) return std::max(p.z, p.r - radius);  // a disc, or a point
  return (2 * half * p.r + radius * (p.z - half)) / std::hypot(2 * half, radius);
}

Vec project_local(const Body& body, const Vec& p) {
  const Vec& s = body.size;
  if (body.kind == Kind::ellipsoid) return project_on_ellipsoid(s, p);
  const Real r = std::hypot(p.x, p.y);
  Flat q{r, p.z};
  if (body.kind == Kind::cylinder) {
    q = {std::min(r, s.x), clamp(p.z, -s.y, s.y)};
  } else if (p.z < -s.y || above_side(s.x, s.y, q) > 0) {
    const Flat base = nearest_on_segment({0, -s.y}, {s.x, -s.y}, q);
    const Flat side = nearest_on_segment({s.x, -s.y}, {0, s.y}, q);
    q = apart(base, q) <= apart(side, q) ? base : side;
  }
  const Real shrink = r > 0 ? q.r / r : 0;
  return {shrink * p.x, shrink * p.y, q.z};
}

}  // namespace

Body body_of(const Spec& spec, const Triple& origin) {
  Body body;
  body.kind = spec.kind;
  body.size = vec(spec.size);
  body.rotation = rotation_of(spec.wxyz[0], spec.wxyz[1], spec.wxyz[2], spec.wxyz[3]);
  body.position = vec(spec.xyz) - vec(origin);
  std::vector<Vec> local;
  switch (spec.kind) {
    case Kind::sphere:
      body.radius = spec.size[0];
      local = {{0, 0, 0}};
      break;
    case Kind::capsule:
      body.radius = spec.size[0];
      local = {{0, 0, -body.size.y}, {0, 0, body.size.y}};
      body.edges = {{0, 0, 1}};
      break;
    case Kind::box:
      for (int i = 0; i < 8; ++i) {
        local.push_back({i & 1 ? body.size.x : -body.size.x, i & 2 ? body.size.y : -body.size.y,
                         i & 4 ? body.size.z : -body.size.z});
      }
      body.faces = body.edges = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
      break;
    case Kind::triangle:
    case Kind::convex:
      for (const Triple& p : spec.points) local.push_back(vec(p));
      body.all_features = local.size() <= kMaxEnumerated;
      if (body.all_features) find_features(local, body.faces, body.edges);
      break;
    case Kind::cylinder:
      body.faces = body.edges = {{0, 0, 1}};
      break;
    case Kind::cone:
      body.faces = {{0, 0, 1}};
      break;
    case Kind::ellipsoid:
      break;
    case Kind::half_space:
    case Kind::plane: {
      const Vec n = vec(spec.normal);
      body.normal = body.rotation * unit(n);
      body.offset = spec.offset / norm(n) + dot(body.normal, body.position);
      body.faces = {unit(n)};
      break;
    }
  }
  for (Vec& f : body.faces) f = body.rotation * f;
  for (Vec& e : body.edges) e = body.rotation * e;
  for (const Vec& p : local) body.points.push_back(body.rotation * p + body.position);
  return body;
}

Vec support(const Body& body, const Vec& n) {
  if (body.rounded_polytope()) {
    const Vec* best = &body.points[0];
    Real largest = dot(n, *best);
    for (const Vec& p : body.points) {
      const Real height = dot(n, p);
      if (height > largest) {
        largest = height;
        best = &p;
      }
    }
    return body.radius > 0 ? *best + body.radius * unit(n) : *best;
  }
  const Vec d = transposed_times(body.rotation, n);
  const Vec& s = body.size;
  Vec x;
  if (body.kind == Kind::ellipsoid) {
    const Vec w{s.x * d.x, s.y * d.y, s.z * d.z};
    const Real length = norm(w);
    x = length > 0 ? Vec{s.x * w.x / length, s.y * w.y / length, s.z * w.z / length} : Vec{s.x, 0, 0};
  } else {
    const Real across = std::sqrt(d.x * d.x + d.y * d.y);
    const Real scale = across > 0 ? s.x / across : 0;
    const Vec rim{scale * d.x, scale * d.y, 0};
    if (body.kind == Kind::cylinder) {
      x = rim + Vec{0, 0, d.z < 0 ? -s.y : s.y};
    } else {
      x = 2 * s.y * d.z > s.x * across ? Vec{0, 0, s.y} : rim - Vec{0, 0, s.y};
    }
  }
  return body.rotation * x + body.position;
}

Extent extent(const Body& body, const Vec& n) {
  if (!unbounded(body.kind)) return {dot(n, support(body, -n)), dot(n, support(body, n))};
  const Vec off = cross(n, body.normal);
  if (norm(off) > 0) return {-kRealInfinity, kRealInfinity};
  const bool along = dot(n, body.normal) > 0;
  const Real at = along ? body.offset : -body.offset;
  if (body.kind == Kind::plane) return {at, at};
  return along ? Extent{-kRealInfinity, at} : Extent{at, kRealInfinity};
}

Vec project(const Body& body, const Vec& p) {
  if (unbounded(body.kind)) {
    const Real above = dot(body.normal, p) - body.offset;
    return body.kind == Kind::half_space && above <= 0 ? p : p - above * body.normal;
  }
  if (curved(body.kind)) {
    return body.rotation * project_local(body, transposed_times(body.rotation, p - body.position)) + body.position;
  }
  if (body.kind == Kind::box) {
    Vec d = transposed_times(body.rotation, p - body.position);
    for (int i = 0; i < 3; ++i) d[i] = clamp(d[i], -body.size[i], body.size[i]);
    return body.rotation * d + body.position;
  }
  const Vec core = nearest_in_hull(body.points, p);
  const Real away = norm(p - core);
  return away <= body.radius ? p : core + (body.radius / away) * (p - core);
}

Real outside(const Body& body, const Vec& p) { return norm(p - project(body, p)); }

Real inside(const Body& body, const Vec& p) {
  const Vec d = transposed_times(body.rotation, p - body.position);
  const Vec& s = body.size;
  const Flat q{std::hypot(d.x, d.y), d.z};
  Real depth = 0;
  switch (body.kind) {
    case Kind::sphere:
    case Kind::capsule:
      depth = body.radius - norm(p - nearest_in_hull(body.points, p));
      break;
    case Kind::box:
      depth = std::min({s.x - std::abs(d.x), s.y - std::abs(d.y), s.z - std::abs(d.z)});
      break;
    case Kind::cylinder:
      depth = std::min(s.x - q.r, s.y - std::abs(q.z));
      break;
    case Kind::cone:
      depth = std::min(q.z + s.y, -above_side(s.x, s.y, q));
      break;
    case Kind::ellipsoid:
      depth = (1 - std::hypot(std::hypot(d.x / s.x, d.y / s.y), d.z / s.z)) * std::min({s.x, s.y, s.z});
      break;
    case Kind::convex:
      depth = body.faces.empty() ? 0 : kRealInfinity;
      for (const Vec& f : body.faces) {
        const Extent e = extent(body, f);
        depth = std::min({depth, e.high - dot(f, p), dot(f, p) - e.low});
      }
      break;
    case Kind::half_space:
      depth = body.offset - dot(body.normal, p);
      break;
    case Kind::triangle:
    case Kind::plane:
      break;
  }
  return std::max(depth, Real(0));
}

Vec middle(const Body& body) {
  if (!body.rounded_polytope()) return body.position;
  Vec low = body.points[0], high = low;
  for (const Vec& p : body.points) {
    for (int i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], p[i]);
      high[i] = std::max(high[i], p[i]);
    }
  }
  return Real(0.5) * (low + high);
}

Real reach(const Body& body) {
  const Vec& s = body.size;
  if (body.kind == Kind::ellipsoid) return std::max({s.x, s.y, s.z});
  if (curved(body.kind)) return std::sqrt(s.x * s.x + s.y * s.y);
  const Vec m = middle(body);
  Real largest = 0;
  for (const Vec& p : body.points) largest = std::max(largest, norm(p - m));
  return largest + body.radius;
}

Real magnitude(const Spec& spec) {
  Real largest = 0;
  for (const double t : spec.xyz) largest = std::max(largest, std::abs(Real(t)));
  if (unbounded(spec.kind)) {
    return largest + std::abs(Real(spec.offset)) / norm(vec(spec.normal));
  }
  Real own = 0;
  if (spec.kind == Kind::triangle || spec.kind == Kind::convex) {
    for (const Triple& p : spec.points) own = std::max(own, norm(vec(p)));
  } else {
    for (std::size_t i = 0; i < sizes_used(spec.kind); ++i) own += std::abs(Real(spec.size[i]));
  }
  return largest + own;
}

}  // namespace graze_oracle
