#include "oracle/exact_contact.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace graze_oracle {
namespace {

using Rational = mpq_class;
using Polynomial = std::vector<Rational>;  // by rising powers; the last is not zero; empty is zero

Polynomial trimmed(Polynomial p) {
  while (!p.empty() && sgn(p.back()) == 0) p.pop_back();
  return p;
}

Polynomial operator+(const Polynomial& a, const Polynomial& b) {
  Polynomial sum(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < a.size(); ++i) sum[i] += a[i];
  for (std::size_t i = 0; i < b.size(); ++i) sum[i] += b[i];
  return trimmed(sum);
}
Polynomial operator-(Polynomial a) {
  for (Rational& c : a) c = -c;
  return a;
}
Polynomial operator-(const Polynomial& a, const Polynomial& b) { return a + -b; }
Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  if (a.empty() || b.empty()) return {};
  Polynomial product(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) product[i + j] += a[i] * b[j];
  }
  return trimmed(product);
}

Rational at(const Polynomial& p, const Rational& t) {
  Rational value = 0;
  for (std::size_t i = p.size(); i-- > 0;) value = value * t + p[i];
  return value;
}

struct Division {
  Polynomial quotient, rest;
};
Division divide(Polynomial a, const Polynomial& b) {
  if (a.size() < b.size()) return {{}, a};
  Polynomial quotient(a.size() - b.size() + 1);
  for (std::size_t shift = quotient.size(); shift-- > 0;) {
    const Rational factor = a[shift + b.size() - 1] / b.back();
    quotient[shift] = factor;
    for (std::size_t i = 0; i < b.size(); ++i) a[shift + i] -= factor * b[i];
  }
  return {trimmed(quotient), trimmed(a)};
}

Polynomial common_divisor(Polynomial a, Polynomial b) {
  while (!b.empty()) {
    Polynomial rest = divide(a, b).rest;
    a = std::move(b);
    b = std::move(rest);
  }
  return a;
}

Polynomial derivative(const Polynomial& p) {
  Polynomial d;
  for (std::size_t i = 1; i < p.size(); ++i) d.push_back(p[i] * static_cast<long>(i));
  return d;
}

// Of a polynomial without multiple roots.
class Sturm {
 public:
  explicit Sturm(const Polynomial& p) {
    chain_.push_back(p);
    Polynomial next = derivative(p);
    while (!next.empty()) {
      chain_.push_back(next);
      next = -divide(chain_[chain_.size() - 2], chain_.back()).rest;
    }
  }
  // Roots above `low` up to and including `high`.
  int roots(const Rational& low, const Rational& high) const { return changes(low) - changes(high); }

 private:
  int changes(const Rational& t) const {
    int count = 0, last = 0;
    for (const Polynomial& p : chain_) {
      const int sign = sgn(at(p, t));
      if (sign == 0) continue;
      if (last != 0 && sign != last) ++count;
      last = sign;
    }
    return count;
  }
  std::vector<Polynomial> chain_;
};

Polynomial without_multiple_roots(const Polynomial& p) { return divide(p, common_divisor(p, derivative(p))).quotient; }

// The only root of p above `low` up to and including `high`; the number `high` itself where low == high.
class Root {
 public:
  Root(Polynomial p, Rational low, Rational high) : p_(std::move(p)), sturm_(p_), low_(low), high_(high) {
    if (sgn(at(p_, high_)) == 0) low_ = high_;
  }
  explicit Root(const Rational& t) : Root({-t, 1}, t, t) {}

  const Rational& low() const { return low_; }
  const Rational& high() const { return high_; }
  bool rational() const { return low_ == high_; }

  void refine() {
    if (rational()) return;
    const Rational middle = (low_ + high_) / 2;
    if (sgn(at(p_, middle)) == 0) low_ = high_ = middle;
    else if (sturm_.roots(low_, middle) > 0) high_ = middle;
    else low_ = middle;
  }

  int sign_of(const Polynomial& g) {
    if (g.empty()) return 0;
    if (g.size() == 1) return sgn(g[0]);
    if (rational()) return sgn(at(g, high_));
    const Polynomial common = common_divisor(p_, g);
    if (common.size() > 1 && Sturm(common).roots(low_, high_) > 0) return 0;
    const Sturm roots_of_g(without_multiple_roots(g));
    while (!rational() && roots_of_g.roots(low_, high_) > 0) refine();
    return sgn(at(g, high_));
  }

 private:
  Polynomial p_;
  Sturm sturm_;
  Rational low_, high_;
};

void isolate(const Polynomial& p, const Sturm& sturm, const Rational& low, const Rational& high,
             std::vector<Root>& roots) {
  const int count = sturm.roots(low, high);
  if (count == 1) roots.emplace_back(p, low, high);
  if (count <= 1) return;
  const Rational middle = (low + high) / 2;
  isolate(p, sturm, low, middle, roots);
  isolate(p, sturm, middle, high, roots);
}

// From 0 to 1, of a polynomial that is not zero.
void find_roots(const Polynomial& polynomial, std::vector<Root>& roots) {
  if (polynomial.size() < 2) return;
  const Polynomial p = without_multiple_roots(polynomial);
  if (sgn(at(p, 0)) == 0) roots.emplace_back(Rational(0));
  isolate(p, Sturm(p), 0, 1, roots);
}

using Vector = std::array<Polynomial, 3>;
Vector operator-(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Polynomial dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// A point on a segment: all of `across` vanish and `along` is not positive.
struct OnSegment {
  Vector across;
  Polynomial along;
  OnSegment(const Vector& p, const Vector& a, const Vector& b)
      : across(cross(p - a, p - b)), along(dot(p - a, p - b)) {}
};

// Contact at a time where `volume` vanishes: where `normal` is not zero, no weight is negative; where it is, some point
// is on some segment.
struct Conditions {
  Polynomial volume;
  Vector normal;
  std::vector<Polynomial> weights;
  std::vector<OnSegment> degenerate;

  bool hold(Root& t) const {
    if (t.sign_of(volume) != 0) return false;
    if (std::any_of(normal.begin(), normal.end(), [&](const Polynomial& c) { return t.sign_of(c) != 0; }))
      return std::all_of(weights.begin(), weights.end(), [&](const Polynomial& w) { return t.sign_of(w) >= 0; });
    return std::any_of(degenerate.begin(), degenerate.end(), [&](const OnSegment& s) {
      return std::all_of(s.across.begin(), s.across.end(), [&](const Polynomial& c) { return t.sign_of(c) == 0; }) &&
             t.sign_of(s.along) <= 0;
    });
  }

  std::vector<Polynomial> all() const {
    std::vector<Polynomial> list = weights;
    list.insert(list.end(), normal.begin(), normal.end());
    for (const OnSegment& s : degenerate) {
      list.insert(list.end(), s.across.begin(), s.across.end());
      list.push_back(s.along);
    }
    return list;
  }
};

Conditions vertex_face(const std::array<Vector, 4>& p) {
  const Vector normal = cross(p[2] - p[1], p[3] - p[1]);
  Conditions c{dot(normal, p[0] - p[1]), normal, {}, {}};
  for (const auto& [i, j] : {std::pair(1, 2), std::pair(2, 3), std::pair(3, 1)}) {
    const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
    c.weights.push_back(dot(cross(p[a] - p[0], p[b] - p[0]), normal));
    c.degenerate.emplace_back(p[0], p[a], p[b]);
  }
  return c;
}

Conditions edge_edge(const std::array<Vector, 4>& p) {
  const Vector e = p[1] - p[0], f = p[3] - p[2], offset = p[2] - p[0], normal = cross(e, f);
  Conditions c{dot(normal, offset), normal, {}, {}};
  // Lines meet at s / square along e and r / square along f.
  const Polynomial square = dot(normal, normal);
  const Polynomial s = dot(cross(offset, f), normal), r = dot(cross(offset, e), normal);
  c.weights = {s, square - s, r, square - r};
  c.degenerate = {OnSegment(p[0], p[2], p[3]), OnSegment(p[1], p[2], p[3]), OnSegment(p[2], p[0], p[1]),
                  OnSegment(p[3], p[0], p[1])};
  return c;
}

}  // namespace

std::optional<ContactTime> exact_first_contact(Meeting meeting, const FourPoints& from, const FourPoints& to) {
  std::array<Vector, 4> points;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Rational begin = from[i][k], end = to[i][k];
      points[i][k] = trimmed({begin, end - begin});
    }
  }
  const Conditions conditions = meeting == Meeting::vertex_face ? vertex_face(points) : edge_edge(points);
  // Contact is a closed set of times: it starts at 0 or at a root of something that decides about it.
  std::vector<Root> candidates{Root(Rational(0))};
  if (!conditions.volume.empty()) {
    find_roots(conditions.volume, candidates);
  } else {
    for (const Polynomial& p : conditions.all()) find_roots(p, candidates);
  }
  std::optional<ContactTime> first;
  const Rational narrow(mpz_class(1), mpz_class(1) << 120);
  for (Root& t : candidates) {
    if (!conditions.hold(t)) continue;
    while (t.high() - t.low() >= narrow) t.refine();
    if (!first || t.high() < first->high) first = {t.low(), t.high()};
  }
  return first;
}

}  // namespace graze_oracle
