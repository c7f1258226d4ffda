#include "oracle/search.h"

#include <algorithm>
#include <numbers>

namespace graze_oracle {
namespace {

// All unit n with n · axis = level: where s has a crease.
struct Circle {
  Vec axis;
  Real level;

  Vec at(const std::array<Vec, 2>& frame, Real angle) const {
    const Real wide = std::sqrt(1 - level * level);
    return level * axis + wide * std::cos(angle) * frame[0] + wide * std::sin(angle) * frame[1];
  }
};

// `facing` is +1 for the body that is left behind and -1 for the one ahead, which shows its side towards -n.
std::vector<Circle> circles_of(const Body& body, int facing) {
  std::vector<Circle> list;
  for (const Vec& e : body.edges) list.push_back({e, 0});
  if (body.kind == Kind::cone && body.size.x > 0) {
    list.push_back({body.rotation.col[2], facing * body.size.x / std::hypot(body.size.x, 2 * body.size.y)});
  }
  if (body.kind == Kind::ellipsoid) {
    for (const Vec& c : body.rotation.col) list.push_back({c, 0});  // creases in the limit of thin ones
  }
  return list;
}

// A stretch of a circle around the best of its samples.
struct Arc {
  Circle circle;
  std::array<Vec, 2> frame;
  Real low, high, separation;
};

class Search {
 public:
  Search(const Body& a, const Body& b, const SearchEffort& effort) : a_(a), b_(b), effort_(effort) {}

  void try_direction(const Vec& n) {
    const Real s = separation(a_, b_, n);
    if (s > best_.separation) best_ = {n, s};
    starts_.push_back({n, s});
  }
  void try_both(const Vec& n) {
    try_direction(n);
    try_direction(-n);
  }
  void features();
  void crossings(const std::vector<Circle>& first, const std::vector<Circle>& second);
  void scan(const Circle& circle);
  void refine_arcs();
  void sphere();
  void refine();
  const Direction& best() const { return best_; }

 private:
  const Body &a_, &b_;
  SearchEffort effort_;
  Direction best_;
  std::vector<Direction> starts_;
  std::vector<Arc> arcs_;
};

void Search::features() {
  for (const Body* body : {&a_, &b_}) {
    for (const Vec& f : body->faces) try_both(f);
    for (const Vec& e : body->edges) {
      for (const Vec& n : complement(e)) try_both(n);
    }
    if (body->kind == Kind::ellipsoid) {
      for (const Vec& c : body->rotation.col) try_both(c);
    }
  }
  const Vec between = middle(b_) - middle(a_);
  try_both(unit(between));
  for (const Vec& n : complement(unit(between))) try_both(n);
}

void Search::crossings(const std::vector<Circle>& first, const std::vector<Circle>& second) {
  constexpr Real kParallel = 1e-17L;
  for (const Circle& p : first) {
    for (const Circle& q : second) {
      const Vec w = cross(p.axis, q.axis);
      const Real sine_sq = dot(w, w), cosine = dot(p.axis, q.axis);
      if (sine_sq < kParallel * kParallel) continue;
      const Real x = (p.level - q.level * cosine) / sine_sq, y = (q.level - p.level * cosine) / sine_sq;
      const Vec base = x * p.axis + y * q.axis;
      const Real rest = 1 - dot(base, base);
      if (rest < 0) continue;
      const Vec side = std::sqrt(rest / sine_sq) * w;
      try_direction(unit(base + side));
      try_direction(unit(base - side));
    }
  }
}

void Search::scan(const Circle& circle) {
  const auto frame = complement(circle.axis);
  const int n = effort_.circle_samples;
  const Real step = 2 * std::numbers::pi_v<Real> / n;
  std::vector<Real> s(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) s[static_cast<std::size_t>(i)] = separation(a_, b_, circle.at(frame, step * i));
  for (int i = 0; i < n; ++i) {
    const Real here = s[static_cast<std::size_t>(i)];
    if (here < s[static_cast<std::size_t>((i + n - 1) % n)] || here < s[static_cast<std::size_t>((i + 1) % n)])
      continue;
    arcs_.push_back({circle, frame, step * (i - 1), step * (i + 1), here});
  }
}

void Search::refine_arcs() {
  std::sort(arcs_.begin(), arcs_.end(), [](const Arc& p, const Arc& q) { return p.separation > q.separation; });
  if (arcs_.size() > static_cast<std::size_t>(effort_.refined_arcs)) {
    arcs_.resize(static_cast<std::size_t>(effort_.refined_arcs));
  }
  for (const Arc& arc : arcs_) {
    constexpr Real kGolden = 0.618033988749894848L, kFine = 2e-9L;  // s is off by the square of it
    const auto value = [&](Real angle) { return separation(a_, b_, arc.circle.at(arc.frame, angle)); };
    Real low = arc.low, high = arc.high;
    Real left = high - kGolden * (high - low), right = low + kGolden * (high - low);
    Real at_left = value(left), at_right = value(right);
    while (high - low > kFine) {
      if (at_left > at_right) {
        high = right;
        right = left;
        at_right = at_left;
        left = high - kGolden * (high - low);
        at_left = value(left);
      } else {
        low = left;
        left = right;
        at_left = at_right;
        right = low + kGolden * (high - low);
        at_right = value(right);
      }
    }
    try_direction(unit(arc.circle.at(arc.frame, at_left > at_right ? left : right)));
  }
}

void Search::sphere() {
  const int n = effort_.sphere_samples;
  for (int i = 0; i < n; ++i) {
    const Real z = 1 - (2 * Real(i) + 1) / n;
    const Real wide = std::sqrt(1 - z * z), angle = std::numbers::pi_v<Real> * (3 - std::sqrt(Real(5))) * i;
    try_direction({wide * std::cos(angle), wide * std::sin(angle), z});
  }
}

void Search::refine() {
  constexpr Real kApart = 0.98L;  // cosine: starts closer than this climb to the same maximum
  std::sort(starts_.begin(), starts_.end(),
            [](const Direction& p, const Direction& q) { return p.separation > q.separation; });
  std::vector<Vec> used;
  for (const Direction& start : starts_) {
    if (static_cast<int>(used.size()) >= effort_.refined_starts) break;
    if (std::any_of(used.begin(), used.end(), [&](const Vec& u) { return dot(u, start.normal) > kApart; })) continue;
    used.push_back(start.normal);
    const Direction top = climb(a_, b_, start.normal);
    if (top.separation > best_.separation) best_ = top;
  }
}

// Second derivative of the support function at n, applied to d; n and d orthogonal.
Vec curvature_times(const Body& body, const Vec& n, const Vec& d) {
  if (body.rounded_polytope()) return body.radius * d;
  const Vec m = transposed_times(body.rotation, n), e = transposed_times(body.rotation, d);
  const Vec& s = body.size;
  Vec x;
  if (body.kind == Kind::ellipsoid) {
    const Vec w{s.x * m.x, s.y * m.y, s.z * m.z}, v{s.x * e.x, s.y * e.y, s.z * e.z};
    const Real length = norm(w);
    const Vec t = (1 / length) * (v - (dot(w, v) / (length * length)) * w);
    x = {s.x * t.x, s.y * t.y, s.z * t.z};
  } else {
    const Real across = std::sqrt(m.x * m.x + m.y * m.y);
    const bool apex = body.kind == Kind::cone && 2 * s.y * m.z > s.x * across;
    if (!apex && across > 0) {
      const Real along = (m.x * e.x + m.y * e.y) / (across * across);
      x = {s.x / across * (e.x - along * m.x), s.x / across * (e.y - along * m.y), 0};
    }
  }
  return body.rotation * x;
}

}  // namespace

Real separation(const Body& a, const Body& b, const Vec& n) {
  if (unbounded(a.kind) || unbounded(b.kind)) return extent(b, n).low - extent(a, n).high;
  // Relative to one point of a, so that nearby points cancel before they are scaled.
  return dot(n, support(b, -n) - support(a, n));
}

Direction climb(const Body& a, const Body& b, const Vec& start) {
  Direction here{start, separation(a, b, start)};
  for (int step = 0; step < 60; ++step) {
    const Vec& n = here.normal;
    const Vec k = support(a, n) - support(b, -n);  // minimise n · k over the sphere
    const auto frame = complement(n);
    const Real g0 = dot(frame[0], k), g1 = dot(frame[1], k);
    const Vec c0 = curvature_times(a, n, frame[0]) + curvature_times(b, n, frame[0]);
    const Vec c1 = curvature_times(a, n, frame[1]) + curvature_times(b, n, frame[1]);
    const Real h = -here.separation;
    const Real p = dot(frame[0], c0) - h, q = dot(frame[0], c1), r = dot(frame[1], c1) - h;
    // Shift the Hessian until it is positive definite.
    const Real lowest = (p + r) / 2 - std::hypot((p - r) / 2, q), scale = std::abs(p) + std::abs(q) + std::abs(r);
    Real shift = lowest > 1e-12L * scale ? 0 : 1e-3L * scale - lowest;
    bool better = false;
    for (int attempt = 0; attempt < 14 && !better; ++attempt) {
      const Real det = (p + shift) * (r + shift) - q * q;
      if (det > 0) {
        const Real u = -((r + shift) * g0 - q * g1) / det, v = -((p + shift) * g1 - q * g0) / det;
        const Vec next = unit(n + u * frame[0] + v * frame[1]);
        const Real s = separation(a, b, next);
        better = s > here.separation;
        if (better) here = {next, s};
      }
      shift = std::max(8 * shift, 1e-5L * scale);
    }
    if (!better) break;
  }
  return here;
}

Direction best_direction(const Body& a, const Body& b, std::span<const Vec> hints, const SearchEffort& effort) {
  Search search(a, b, effort);
  search.features();
  for (const Vec& n : hints) {
    search.try_direction(unit(n));
    // Near an edge, rounding tilts the direction between very near points, which costs that angle times the length of
    // the edge. A direction perpendicular to the edge costs nothing.
    for (const Body* body : {&a, &b}) {
      for (const Vec& e : body->edges) search.try_direction(unit(n - dot(n, e) * e));
    }
  }
  const auto first = circles_of(a, 1), second = circles_of(b, -1);
  search.crossings(first, second);
  if (a.rounded_polytope() && b.rounded_polytope()) return search.best();
  for (const Circle& c : first) search.scan(c);
  for (const Circle& c : second) search.scan(c);
  search.refine_arcs();
  search.sphere();
  search.refine();
  return search.best();
}

}  // namespace graze_oracle
