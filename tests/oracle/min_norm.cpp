#include "oracle/min_norm.h"

#include <algorithm>

namespace graze_oracle {
namespace {

// The best convex combination found so far of a subset of the corral's points.
struct Candidate {
  Real length_sq = kRealInfinity;
  std::array<Real, 4> weight{};
};

void offer(const Corral& c, const std::array<Real, 4>& weight, Candidate& best) {
  Real sum = 0;
  for (const Real w : weight) {
    if (!(w >= 0)) return;
    sum += w;
  }
  if (!(sum > 0) || !std::isfinite(sum)) return;
  Candidate found;
  Vec x;
  for (int i = 0; i < c.size; ++i) {
    const auto k = static_cast<std::size_t>(i);
    found.weight[k] = weight[k] / sum;
    x = x + found.weight[k] * c.point[k];
  }
  found.length_sq = dot(x, x);
  if (found.length_sq < best.length_sq) best = found;
}

void offer_edge(const Corral& c, std::size_t i, std::size_t j, Candidate& best) {
  const Vec d = c.point[j] - c.point[i];
  std::array<Real, 4> w{};
  // Weights of the foot of the perpendicular; negative ones are refused by offer().
  w[i] = dot(c.point[j], d);
  w[j] = -dot(c.point[i], d);
  offer(c, w, best);
}

void offer_face(const Corral& c, std::size_t i, std::size_t j, std::size_t k, Candidate& best) {
  const Vec &p = c.point[i], &q = c.point[j], &r = c.point[k];
  const Vec n = cross(q - p, r - p);
  std::array<Real, 4> w{};
  w[i] = dot(n, cross(q, r));
  w[j] = dot(n, cross(r, p));
  w[k] = dot(n, cross(p, q));
  offer(c, w, best);
}

void offer_inside(const Corral& c, Candidate& best) {
  const Vec &p = c.point[0], &q = c.point[1], &r = c.point[2], &s = c.point[3];
  std::array<Real, 4> w{dot(q, cross(r, s)), -dot(r, cross(s, p)), dot(s, cross(p, q)), -dot(p, cross(q, r))};
  if (w[0] < 0) {
    for (Real& x : w) x = -x;
  }
  offer(c, w, best);
}

Corral corral_of(const Vec& point, const Vec& on_a, const Vec& on_b) {
  Corral c;
  c.size = 1;
  c.point[0] = point;
  c.on_a[0] = on_a;
  c.on_b[0] = on_b;
  c.weight[0] = 1;
  return c;
}

void add(Corral& c, const Vec& point, const Vec& on_a, const Vec& on_b) {
  const auto k = static_cast<std::size_t>(c.size++);
  c.point[k] = point;
  c.on_a[k] = on_a;
  c.on_b[k] = on_b;
}

bool contains(const Corral& c, const Vec& p) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(c.size); ++i) {
    if (norm(c.point[i] - p) == 0) return true;
  }
  return false;
}

Vec combine(const Corral& c, const std::array<Vec, 4>& list) {
  Vec x;
  for (std::size_t i = 0; i < static_cast<std::size_t>(c.size); ++i) x = x + c.weight[i] * list[i];
  return x;
}

// The farthest point of the body without its rounding radius.
Vec core_support(const Body& body, const Vec& n) {
  if (!body.rounded_polytope()) return support(body, n);
  return *std::max_element(body.points.begin(), body.points.end(),
                           [&](const Vec& p, const Vec& q) { return dot(n, p) < dot(n, q); });
}

}  // namespace

Vec Corral::value() const { return combine(*this, point); }

void reduce(Corral& c) {
  const auto n = static_cast<std::size_t>(c.size);
  Candidate best;
  for (std::size_t i = 0; i < n; ++i) {
    std::array<Real, 4> w{};
    w[i] = 1;
    offer(c, w, best);
    for (std::size_t j = i + 1; j < n; ++j) {
      offer_edge(c, i, j, best);
      for (std::size_t k = j + 1; k < n; ++k) offer_face(c, i, j, k, best);
    }
  }
  if (n == 4) offer_inside(c, best);
  Corral kept;
  for (std::size_t i = 0; i < n; ++i) {
    if (best.weight[i] <= 0) continue;
    const auto k = static_cast<std::size_t>(kept.size++);
    kept.point[k] = c.point[i];
    kept.on_a[k] = c.on_a[i];
    kept.on_b[k] = c.on_b[i];
    kept.weight[k] = best.weight[i];
  }
  c = kept;
}

Vec nearest_in_hull(const std::vector<Vec>& points, const Vec& p) {
  Corral c = corral_of(points[0] - p, p, points[0]);
  Real length = norm(c.point[0]), gap = 0, scale = 0;
  for (const Vec& q : points) scale = std::max(scale, norm(q - p));
  for (int step = 0; step < 200; ++step) {
    const Vec x = c.value();
    const Vec* low = &points[0];
    for (const Vec& q : points) {
      if (dot(x, q) < dot(x, *low)) low = &q;
    }
    gap = length - dot(x, *low - p) / length;
    if (!(gap > 0) || c.size == 4 || contains(c, *low - p)) break;
    Corral next = c;
    add(next, *low - p, p, *low);
    reduce(next);
    const Real shorter = norm(next.value());
    if (!(shorter < length)) break;
    c = next;
    length = shorter;
  }
  // Wolfe's algorithm fails on slivers: try every simplex of a small hull instead.
  constexpr std::size_t kSmall = 16;
  if (!(length > 0) || gap <= 8 * kRealEpsilon * scale || points.size() > kSmall) return combine(c, c.on_b);
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      for (std::size_t k = j + 1; k < points.size(); ++k) {
        for (std::size_t m = k; m < points.size(); ++m) {
          Corral next = corral_of(points[i] - p, p, points[i]);
          add(next, points[j] - p, p, points[j]);
          add(next, points[k] - p, p, points[k]);
          if (m > k) add(next, points[m] - p, p, points[m]);
          reduce(next);
          if (norm(next.value()) < length) {
            c = next;
            length = norm(next.value());
          }
        }
      }
    }
  }
  return combine(c, c.on_b);
}

NearestPair nearest_pair(const Body& a, const Body& b) {
  const Real round = a.radius + b.radius;
  const auto difference = [&](const Vec& n) {  // the point of b - a lowest along n
    const Vec pa = core_support(a, n), pb = core_support(b, -n);
    return corral_of(pb - pa, pa, pb);
  };
  Corral c = difference(middle(b) - middle(a));
  NearestPair best;
  best.lower = -kRealInfinity;
  best.upper = kRealInfinity;
  for (int step = 0; step < 400; ++step) {
    const Vec x = c.value();
    const Real length = norm(x);
    if (length < best.upper) {
      best.upper = length;
      best.on_a = combine(c, c.on_a);
      best.on_b = combine(c, c.on_b);
    } else if (step > 0) {
      break;
    }
    if (length == 0) break;
    const Vec n = (1 / length) * x;
    const Corral low = difference(n);
    const Real s = dot(n, low.point[0]);
    if (s > best.lower) {
      best.lower = s;
      best.normal = n;
    }
    if (c.size == 4 || !(best.upper > best.lower) || contains(c, low.point[0])) break;
    add(c, low.point[0], low.on_a[0], low.on_b[0]);
    reduce(c);
  }
  if (best.upper == 0) best.normal = {0, 0, 1};
  best.on_a = best.on_a + a.radius * best.normal;
  best.on_b = best.on_b - b.radius * best.normal;
  best.lower -= round;
  best.upper -= round;
  return best;
}

}  // namespace graze_oracle
