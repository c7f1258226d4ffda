#include "oracle/minkowski.h"

#include <algorithm>
#include <array>

namespace graze_oracle {
namespace {

Real size_of(const std::vector<Vec>& points) {
  Real size = 0;
  for (const Vec& p : points) size = std::max(size, norm(p - points[0]));
  return size;
}

// The points of a plane in counter-clockwise order, those on the edges left out.
std::vector<std::size_t> ordered(const std::vector<Vec>& points, const std::vector<std::size_t>& on, const Vec& n,
                                 Real tolerance) {
  // Gift wrapping: all others are to the left of each edge.
  std::size_t start = on[0];
  const Vec u = complement(n)[0], v = cross(n, u);
  for (const std::size_t i : on) {
    const Real a = dot(u, points[i]), b = dot(u, points[start]);
    if (a < b - tolerance || (a < b + tolerance && dot(v, points[i]) < dot(v, points[start]))) start = i;
  }
  std::vector<std::size_t> loop{start};
  while (loop.size() <= on.size()) {
    const Vec& from = points[loop.back()];
    std::size_t next = start;
    bool any = false;
    for (const std::size_t i : on) {
      if (i == loop.back() || norm(points[i] - from) <= tolerance) continue;
      if (!any) {
        next = i, any = true;
        continue;
      }
      const Vec edge = points[next] - from, other = points[i] - from;
      const Real side = dot(n, cross(edge, other)) / norm(edge);
      if (side < -tolerance || (side <= tolerance && norm(other) > norm(edge))) next = i;
    }
    if (next == start || norm(points[next] - points[start]) <= tolerance) break;
    loop.push_back(next);
  }
  return loop;
}

void add_direction(std::vector<Vec>& directions, const Vec& d) {
  constexpr Real kParallel = 1e-14L;
  const Vec n = unit(d);
  for (const Vec& e : directions) {
    if (norm(cross(e, n)) < kParallel) return;
  }
  directions.push_back(n);
}

struct HalfSpace {
  Vec normal;
  Real level;  // inside: normal · t < level
};
using Sum = std::vector<HalfSpace>;

// a ⊕ −b: the translations of b at which the two overlap.
Sum sum_of(const Polytope& a, const Polytope& b) {
  Sum sum;
  const Real tolerance = 1e-13L * (size_of(a.points) + size_of(b.points));
  const auto offer = [&](const Vec& n) {
    Real high = -kRealInfinity, low = kRealInfinity;
    for (const Vec& p : a.points) high = std::max(high, dot(n, p));
    for (const Vec& p : b.points) low = std::min(low, dot(n, p));
    // A facet if what lies on the plane spans it.
    std::vector<Vec> spread;
    const auto collect = [&](const std::vector<Vec>& points, Real level) {
      const Vec* first = nullptr;
      for (const Vec& p : points) {
        if (std::abs(dot(n, p) - level) > tolerance) continue;
        if (first == nullptr) first = &p;
        else if (norm(p - *first) > tolerance) add_direction(spread, p - *first);
      }
    };
    collect(a.points, high), collect(b.points, low);
    if (spread.size() < 2) return;
    for (const HalfSpace& h : sum) {
      if (norm(h.normal - n) < 1e-14L) return;
    }
    sum.push_back({n, high - low});
  };
  for (const Vec& n : a.normals) offer(n);
  for (const Vec& n : b.normals) offer(-n);
  for (const Vec& e : a.edges) {
    for (const Vec& f : b.edges) {
      const Vec n = cross(e, f);
      if (norm(n) < 1e-12L) continue;
      offer(unit(n)), offer(-unit(n));
    }
  }
  return sum;
}

class Outside {
 public:
  explicit Outside(std::vector<Sum> sums) : sums_(std::move(sums)) {
    for (const Sum& s : sums_) {
      for (const HalfSpace& h : s) size_ = std::max(size_, std::abs(h.level));
    }
  }

  Real nearest() {
    offer({});
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      for (const HalfSpace& p : sums_[i]) {
        if (!reaches(p)) continue;
        offer(p.level * p.normal);
        for (std::size_t j = 0; j < i; ++j) {
          for (const HalfSpace& q : sums_[j]) line(p, q, j);
        }
      }
    }
    return best_;
  }

 private:
  bool reaches(const HalfSpace& h) const { return std::abs(h.level) < best_; }
  void line(const HalfSpace& p, const HalfSpace& q, std::size_t before) {
    if (!reaches(q)) return;
    const Real c = dot(p.normal, q.normal), det = 1 - c * c;
    constexpr Real kParallel = 1e-12L;
    if (det < kParallel) return;
    const Vec t = ((p.level - c * q.level) / det) * p.normal + ((q.level - c * p.level) / det) * q.normal;
    if (!(norm(t) < best_)) return;
    offer(t);
    const Vec along = unit(cross(p.normal, q.normal));
    for (std::size_t k = 0; k < before; ++k) {
      for (const HalfSpace& r : sums_[k]) {
        const Real slope = dot(r.normal, along);
        if (reaches(r) && std::abs(slope) > kParallel) offer(t + ((r.level - dot(r.normal, t)) / slope) * along);
      }
    }
  }
  void offer(const Vec& t) {
    const Real length = norm(t), tolerance = 1e-13L * size_;
    if (!(length < best_)) return;
    for (const Sum& s : sums_) {
      const bool in =
          std::all_of(s.begin(), s.end(), [&](const HalfSpace& h) { return dot(h.normal, t) < h.level - tolerance; });
      if (in) return;
    }
    best_ = length;
  }

  std::vector<Sum> sums_;
  Real size_ = 0, best_ = kRealInfinity;
};

}  // namespace

Polytope polytope_of(const std::vector<Vec>& points) {
  Polytope p;
  p.points = points;
  const Real tolerance = 1e-12L * size_of(points);
  const std::size_t n = points.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = std::min(i, j) + 1; k < n; ++k) {
        // The lowest index first, in both orientations.
        if (j <= i || k <= i || j == k) continue;
        const Vec normal = cross(points[j] - points[i], points[k] - points[i]);
        if (norm(normal) <= tolerance * size_of(points)) continue;
        const Vec m = unit(normal);
        std::vector<std::size_t> on;
        bool face = true;
        for (std::size_t l = 0; l < n && face; ++l) {
          const Real over = dot(m, points[l] - points[i]);
          if (over > tolerance) face = false;
          if (std::abs(over) <= tolerance) on.push_back(l);
        }
        if (!face ||
            std::any_of(p.normals.begin(), p.normals.end(), [&](const Vec& o) { return norm(o - m) < 1e-10L; }))
          continue;
        p.faces.push_back(ordered(points, on, m, tolerance));
        p.normals.push_back(m);
        const std::vector<std::size_t>& loop = p.faces.back();
        for (std::size_t l = 0; l < loop.size(); ++l)
          add_direction(p.edges, points[loop[(l + 1) % loop.size()]] - points[loop[l]]);
      }
    }
  }
  return p;
}

Polytope moved(const Polytope& p, const Mat& rotation, const Vec& translation) {
  Polytope r = p;
  for (Vec& v : r.points) v = rotation * v + translation;
  for (Vec& v : r.normals) v = rotation * v;
  for (Vec& v : r.edges) v = rotation * v;
  return r;
}

Real separating_depth(const PolytopeUnion& a, const PolytopeUnion& b) {
  std::vector<Sum> sums;
  for (const Polytope& p : a) {
    for (const Polytope& q : b) sums.push_back(sum_of(p, q));
  }
  return Outside(std::move(sums)).nearest();
}

}  // namespace graze_oracle
