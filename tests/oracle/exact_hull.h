// Distance and depth of hulls of integer points without any rounding.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace graze_oracle {

/// Z is any exact ring of integers: mpz_class, or a 128-bit integer for small lattices (coordinates up to 10).
template <class Z>
struct Lattice {
  Z x, y, z;

  friend Lattice operator+(const Lattice& p, const Lattice& q) { return {p.x + q.x, p.y + q.y, p.z + q.z}; }
  friend Lattice operator-(const Lattice& p, const Lattice& q) { return {p.x - q.x, p.y - q.y, p.z - q.z}; }
  friend Lattice operator*(const Z& s, const Lattice& p) { return {s * p.x, s * p.y, s * p.z}; }
  friend Z dot(const Lattice& p, const Lattice& q) { return p.x * q.x + p.y * q.y + p.z * q.z; }
  friend Lattice cross(const Lattice& p, const Lattice& q) {
    return {p.y * q.z - p.z * q.y, p.z * q.x - p.x * q.z, p.x * q.y - p.y * q.x};
  }
};

/// num / den with den > 0.
template <class Z>
struct Fraction {
  Z num = 0, den = 1;
  friend bool operator<(const Fraction& p, const Fraction& q) { return p.num * q.den < q.num * p.den; }
};

namespace exact_detail {

template <class Z>
struct MinNorm {
  using P = Lattice<Z>;
  std::vector<P> corral;
  P sum{0, 0, 0};  // weighted sum of the corral
  Z total = 1;     // of the weights

  Fraction<Z> length_sq() const { return {dot(sum, sum), total * total}; }

  // Keeps the candidate if its weights are a convex combination and it is nearer to the origin.
  void offer(const std::vector<P>& points, const std::array<Z, 4>& weight, bool& any, MinNorm& best) const {
    MinNorm found;
    found.total = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (weight[i] < 0) return;
      if (weight[i] == 0) continue;
      found.corral.push_back(points[i]);
      found.sum = found.sum + weight[i] * points[i];
      found.total = found.total + weight[i];
    }
    if (!(found.total > 0)) return;
    if (!any || found.length_sq() < best.length_sq()) best = found;
    any = true;
  }

  // The point nearest to the origin of the simplex of the corral and one more point.
  void add(const P& extra) {
    std::vector<P> p = corral;
    p.push_back(extra);
    const std::size_t n = p.size();
    bool any = false;
    MinNorm best;
    for (std::size_t i = 0; i < n; ++i) {
      std::array<Z, 4> w{};
      w[i] = 1;
      offer(p, w, any, best);
      for (std::size_t j = i + 1; j < n; ++j) {
        const P d = p[j] - p[i];
        w = {};
        w[i] = dot(p[j], d);
        w[j] = -dot(p[i], d);
        offer(p, w, any, best);
        for (std::size_t k = j + 1; k < n; ++k) {
          const P normal = cross(p[j] - p[i], p[k] - p[i]);
          w = {};
          w[i] = dot(normal, cross(p[j], p[k]));
          w[j] = dot(normal, cross(p[k], p[i]));
          w[k] = dot(normal, cross(p[i], p[j]));
          offer(p, w, any, best);
        }
      }
    }
    if (n == 4) {
      std::array<Z, 4> w{dot(p[1], cross(p[2], p[3])), -dot(p[2], cross(p[3], p[0])), dot(p[3], cross(p[0], p[1])),
                         -dot(p[0], cross(p[1], p[2]))};
      const Z volume = w[0] + w[1] + w[2] + w[3];
      if (volume < 0) {
        for (Z& x : w) x = -x;
      }
      if (volume != 0) offer(p, w, any, best);
    }
    *this = best;
  }
};

}  // namespace exact_detail

/// Squared distance of the hulls of a and b; 0 where they meet. Wolfe's algorithm: finite, since every step is exact.
template <class Z>
Fraction<Z> hull_distance_sq(const std::vector<Lattice<Z>>& a, const std::vector<Lattice<Z>>& b) {
  exact_detail::MinNorm<Z> x;
  x.add(b[0] - a[0]);
  for (;;) {
    // The lowest point of b - a along x.
    std::size_t i = 0, j = 0;
    for (std::size_t k = 1; k < a.size(); ++k) {
      if (dot(x.sum, a[i]) < dot(x.sum, a[k])) i = k;
    }
    for (std::size_t k = 1; k < b.size(); ++k) {
      if (dot(x.sum, b[k]) < dot(x.sum, b[j])) j = k;
    }
    const Lattice<Z> low = b[j] - a[i];
    if (!(x.total * dot(x.sum, low) < dot(x.sum, x.sum))) return x.length_sq();
    x.add(low);
  }
}

template <class Z>
bool hulls_meet(const std::vector<Lattice<Z>>& a, const std::vector<Lattice<Z>>& b) {
  return hull_distance_sq(a, b).num == 0;
}

/// Squared length of the shortest translation that leaves two hulls that meet only touching: every normal of the
/// difference body is tried, as the cross product of any two differences of points. For few points.
template <class Z>
Fraction<Z> hull_depth_sq(const std::vector<Lattice<Z>>& a, const std::vector<Lattice<Z>>& b) {
  using P = Lattice<Z>;
  std::vector<P> edges;
  const auto same_line = [](const P& p, const P& q) {
    const P w = cross(p, q);
    return w.x == 0 && w.y == 0 && w.z == 0;
  };
  for (const auto* points : {&a, &b}) {
    for (std::size_t i = 0; i < points->size(); ++i) {
      for (std::size_t j = i + 1; j < points->size(); ++j) {
        const P e = (*points)[j] - (*points)[i];
        if (e.x == 0 && e.y == 0 && e.z == 0) continue;
        bool known = false;
        for (const P& other : edges) known = known || same_line(e, other);
        if (!known) edges.push_back(e);
      }
    }
  }
  Fraction<Z> best;
  bool any = false;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    for (std::size_t j = i + 1; j < edges.size(); ++j) {
      const P n = cross(edges[i], edges[j]);
      Z a_low = dot(n, a[0]), a_high = a_low, b_low = dot(n, b[0]), b_high = b_low;
      for (const P& p : a) {
        const Z h = dot(n, p);
        if (h < a_low) a_low = h;
        if (a_high < h) a_high = h;
      }
      for (const P& p : b) {
        const Z h = dot(n, p);
        if (h < b_low) b_low = h;
        if (b_high < h) b_high = h;
      }
      const Z forward = a_high - b_low, backward = b_high - a_low;
      const Z shorter = forward < backward ? forward : backward;
      const Fraction<Z> found{shorter * shorter, dot(n, n)};
      if (!any || found < best) best = found;
      any = true;
    }
  }
  return best;  // 0 where the difference is flat
}

}  // namespace graze_oracle
