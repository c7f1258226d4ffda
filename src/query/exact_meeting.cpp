#include "query/exact_meeting.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/wide_integer.h"

namespace graze {

// For VertexFace and EdgeEdge, beside what bernstein.h has: the same products as of Enclosed numbers, but times a
// constant so that nothing is divided: the middle of a quadratic vector is doubled, cubics are times 3 and quartics
// times 12. Only signs matter.

template <std::size_t n>
using WideVec = std::array<WideInteger<n>, 3>;
template <std::size_t n>
using WideLinear = std::array<WideVec<n>, 2>;
template <std::size_t n>
using WideQuadratic = std::array<WideVec<n>, 3>;

template <std::size_t n>
WideVec<2 * n> cross(const WideVec<n>& a, const WideVec<n>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
template <std::size_t n, std::size_t m>
WideInteger<n + m> dot(const WideVec<n>& a, const WideVec<m>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

template <std::size_t n>
WideInteger<n> three_times(const WideInteger<n>& a) {
  return a + a + a;
}

template <std::size_t n>
WideQuadratic<2 * n> cross(const WideLinear<n>& a, const WideLinear<n>& b) {
  const WideVec<2 *n> p = cross(a[0], b[1]), q = cross(a[1], b[0]);
  return {cross(a[0], b[0]), {p[0] + q[0], p[1] + q[1], p[2] + q[2]}, cross(a[1], b[1])};
}

template <std::size_t n>
std::array<WideInteger<2 * n>, 3> dot(const WideLinear<n>& a, const WideLinear<n>& b) {
  return {doubled(dot(a[0], b[0])), dot(a[0], b[1]) + dot(a[1], b[0]), doubled(dot(a[1], b[1]))};
}

template <std::size_t n>
std::array<WideInteger<3 * n>, 4> dot(const WideQuadratic<2 * n>& a, const WideLinear<n>& b) {
  return {three_times(dot(a[0], b[0])), dot(a[0], b[1]) + dot(a[1], b[0]), dot(a[2], b[0]) + dot(a[1], b[1]),
          three_times(dot(a[2], b[1]))};
}

template <std::size_t n>
std::array<WideInteger<2 * n>, 5> dot(const WideQuadratic<n>& a, const WideQuadratic<n>& b) {
  const auto twelve_times = [](const auto& x) { return doubled(doubled(three_times(x))); };
  return {twelve_times(dot(a[0], b[0])), three_times(dot(a[0], b[1]) + dot(a[1], b[0])),
          doubled(dot(a[0], b[2]) + dot(a[2], b[0]) + dot(a[1], b[1])), three_times(dot(a[2], b[1]) + dot(a[1], b[2])),
          twelve_times(dot(a[2], b[2]))};
}

/// As bernstein::halve, times 2^(m − 1), which is what polynomials made for half of the time are.
template <std::size_t n, std::size_t m>
void halve(std::array<WideInteger<n>, m>& whole, std::array<WideInteger<n>, m>& right) {
  std::array<WideInteger<n>, m> row = whole;
  const auto raised = [](WideInteger<n> a, std::size_t power) {
    for (; power > 0; --power) a = doubled(a);
    return a;
  };
  for (std::size_t level = 0; level < m; ++level) {
    whole[level] = raised(row[0], m - 1 - level);
    right[m - 1 - level] = raised(row[m - 1 - level], m - 1 - level);
    for (std::size_t i = 0; i + level + 1 < m; ++i) row[i] = row[i] + row[i + 1];
  }
}

namespace meeting {
namespace {

template <std::size_t n>
struct WideTerms {
  using Quadratic = std::array<WideInteger<2 * n>, 3>;
  using Cubic = std::array<WideInteger<3 * n>, 4>;
  using Quartic = std::array<WideInteger<4 * n>, 5>;
};

// Coordinates are multiples of 2^-scale.
int scale_of(const Motion4& m) {
  int scale = 0;
  for (const Points* points : {&m.from, &m.to}) {
    for (const Vec3& p : *points) {
      for (int k = 0; k < 3; ++k) {
        if (p[k] != 0) scale = std::max(scale, -last_digit(p[k]));
      }
    }
  }
  return scale;
}

// Coordinates below 2 are below 2^(scale + 1) as integers and 2^(scale + depth + 1) where the time has `depth` digits,
// and their differences below 2^w, w = scale + depth + 2. Cross products, middles doubled, are below 2^(2w + 2),
// cubics below 2^(3w + 5) and quartics below 2^(4w + 8): they fit where w <= 64 n − 3.
constexpr int max_depth(std::size_t words, int scale) { return 64 * static_cast<int>(words) - 5 - scale; }
constexpr std::size_t kMaxWords = 6;

constexpr std::size_t kTimeWords = 3;
using Time = WideInteger<kTimeWords>;
constexpr int kMinDepth = 100, kMaxDepth = 160;  // digits of the time; with fewer, pairs of doubles do as well
static_assert(kMaxDepth < 64 * static_cast<int>(kTimeWords) - 1);

// Where no direction separates there is contact: this is what makes the polynomials complete.
template <class Features, std::size_t n>
bool contact_at(const Polynomials<Features, WideTerms<n>>& p, bool end) {
  const auto& volume = end ? p.volume.back() : p.volume.front();
  if (!volume.zero()) return false;
  for (const auto& b : p.beside) {
    if (positive(end ? b.back() : b.front())) return false;
  }
  return !Features::any_vertex([&](std::size_t i) { return positive(end ? p.ahead[i].back() : p.ahead[i].front()); });
}

// At some time: the volume changes its sign while no other direction ever separates. Unlike what rounding allows to
// say, others may be zero: vertices that meet an edge, edges that end at each other.
template <class Features, std::size_t n>
bool meet(const Polynomials<Features, WideTerms<n>>& p) {
  const auto &first = p.volume.front(), &last = p.volume.back();
  if (!(positive(first) && negative(last)) && !(negative(first) && positive(last))) return false;
  if (std::any_of(p.beside.begin(), p.beside.end(), [](const auto& b) { return bernstein::any_positive(b); }))
    return false;
  return !Features::any_vertex([&](std::size_t i) { return bernstein::any_positive(p.ahead[i]); });
}

// The times from k to k + 1 in units of 2^-depth.
struct Span {
  Time k;
  int depth;
  double start() const { return scaled_down(k, depth); }
};

/// Over a span of time, from the coordinates.
template <class Features, std::size_t n>
void fill(const Motion4& m, int scale, const Span& span, Polynomials<Features, WideTerms<n>>& p) {
  WideInteger<n> passed;
  std::copy_n(span.k.words.begin(), std::min(n, kTimeWords), passed.words.begin());
  const WideInteger<n> left = wide_power<n>(span.depth) - passed;
  std::array<WideLinear<n>, 4> points;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      const auto from = wide_scaled<n>(m.from[i][static_cast<int>(c)], scale);
      const auto to = wide_scaled<n>(m.to[i][static_cast<int>(c)], scale);
      const WideInteger<2 * n> sum = from * left + to * passed;
      std::copy_n(sum.words.begin(), n, points[i][0][c].words.begin());
      points[i][1][c] = points[i][0][c] + (to - from);
    }
  }
  const auto between = [&](std::size_t head, std::size_t tail) {
    WideLinear<n> d;
    for (std::size_t end = 0; end < 2; ++end) {
      for (std::size_t c = 0; c < 3; ++c) d[end][c] = points[head][end][c] - points[tail][end][c];
    }
    return d;
  };
  p.volume = Features::volume(between);
  Features::fill(between, p);
}

struct Task {
  const Motion4& m;
  int scale, first_depth, deepest;
  double resolution;
  int& steps;
};

// How many halvings before the other polynomials are looked at again.
constexpr int kFollowed = 24;

// To where the volume alone leaves it open, as long as that is one half only: there it changes its sign, mostly. False
// if it is not.
template <class Features, std::size_t n>
bool follow_volume(const Polynomials<Features, WideTerms<n>>& p, int depth, Span& span) {
  const auto open = [](const auto& v) { return !bernstein::all_positive(v) && !bernstein::all_negative(v); };
  auto volume = p.volume, right = volume;
  bool any = false;
  while (span.depth < depth) {
    halve(volume, right);
    const bool open_left = open(volume), open_right = open(right);
    if (open_left == open_right) break;
    span.k = doubled(span.k);
    ++span.depth;
    any = true;
    if (open_left) continue;
    span.k = span.k + wide_power<kTimeWords>(0);
    volume = right;
  }
  return any;
}

// From a span on, left halves first, to the end of the first span or until n words are too few: then `span` is where
// to go on.
template <class Features, std::size_t n>
ExactFinding search(const Task& task, Span& span) {
  Polynomials<Features, WideTerms<n>> here, right;
  bool knows_right = false;  // `right` is what follows `here`
  const int enough = std::min(task.deepest, max_depth(n, task.scale));
  fill<Features, n>(task.m, task.scale, span, here);
  for (;; --task.steps) {
    if (task.steps <= 0) return {Verdict::out_of_steps, span.start()};
    if (here.apart()) {
      const bool was_left = !span.k.odd();
      for (; span.depth > task.first_depth && span.k.odd(); --span.depth) span.k = halved(span.k);  // both are done
      if (span.depth == task.first_depth) return {Verdict::free, 0};
      span.k = span.k + wide_power<kTimeWords>(0);
      if (was_left && knows_right) here = right;
      else fill<Features, n>(task.m, task.scale, span, here);
      knows_right = false;
      continue;
    }
    const bool short_enough = std::ldexp(1.0, -span.depth) <= task.resolution;
    if (contact_at(here, false) || (short_enough && (meet(here) || contact_at(here, true))))
      return {Verdict::contact, span.start()};
    if (span.depth == task.deepest) return {Verdict::undecided, span.start()};
    if (follow_volume<Features, n>(here, std::min(enough, span.depth + kFollowed), span)) {
      if (span.depth == enough && enough < task.deepest) return {Verdict::no_room, span.start()};
      fill<Features, n>(task.m, task.scale, span, here);
      knows_right = false;
      continue;
    }
    span.k = doubled(span.k);
    ++span.depth;
    if (span.depth > enough) return {Verdict::no_room, span.start()};
    here.halve_into(right);
    knows_right = true;
  }
}

}  // namespace

template <class Features>
ExactFinding exact_search(const Motion4& m, const DoubleDouble& start, int depth, double resolution, int& steps) {
  const int scale = scale_of(m), deepest = std::min(kMaxDepth, max_depth(kMaxWords, scale));
  if (!m.exact || depth > deepest || deepest < kMinDepth)
    return {Verdict::no_room, start.error < 0 ? std::nextafter(start.sum, 0.0) : start.sum};
  const Task task{m, scale, depth, deepest, resolution, steps};
  Span span{wide_scaled<kTimeWords>(start.sum, depth) + wide_scaled<kTimeWords>(start.error, depth), depth};
  ExactFinding found{Verdict::no_room, 0};
  const auto go_on = [&]<std::size_t n>(std::integral_constant<std::size_t, n>) {
    if (found.verdict != Verdict::no_room || span.depth >= std::min(task.deepest, max_depth(n, scale))) return;
    found = search<Features, n>(task, span);
  };
  go_on(std::integral_constant<std::size_t, 2>());
  go_on(std::integral_constant<std::size_t, 3>());
  go_on(std::integral_constant<std::size_t, 4>());
  go_on(std::integral_constant<std::size_t, kMaxWords>());
  // Only where the first span is the deepest there is room for.
  return found.verdict == Verdict::no_room ? ExactFinding{Verdict::undecided, span.start()} : found;
}

std::optional<int> orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Points given{a, b, c, d};
  double largest = 0;
  for (const Vec3& p : given) largest = std::max(largest, p.cwiseAbs().maxCoeff());
  const Motion4 m(given, given, largest);
  const auto sign_of = [](const auto& x) { return positive(x) ? 1 : negative(x) ? -1 : 0; };
  const auto volume_in = [&]<class Number>(Number) {
    const auto between = [&m](std::size_t head, std::size_t tail) {
      EnclosedVec<Number> v;
      for (std::size_t k = 0; k < 3; ++k) {
        const auto i = static_cast<int>(k);
        v[k] = enclosed::difference<Number>(m.from[head][i], m.from[tail][i]);
      }
      return v;
    };
    return bernstein::dot(bernstein::cross(between(2, 1), between(3, 1)), between(0, 1));
  };
  if (const int sign = sign_of(volume_in(double{})); sign != 0) return sign;
  if (const int sign = sign_of(volume_in(DoubleDouble{})); sign != 0) return sign;
  if (!m.exact) return std::nullopt;
  const int scale = scale_of(m);
  const auto exact = [&]<std::size_t n>(std::integral_constant<std::size_t, n>) {
    const auto between = [&](std::size_t head, std::size_t tail) {
      WideVec<n> v;
      for (std::size_t k = 0; k < 3; ++k) {
        const auto i = static_cast<int>(k);
        v[k] = wide_scaled<n>(m.from[head][i], scale) - wide_scaled<n>(m.from[tail][i], scale);
      }
      return v;
    };
    return sign_of(dot(cross(between(2, 1), between(3, 1)), between(0, 1)));
  };
  if (max_depth(2, scale) >= 0) return exact(std::integral_constant<std::size_t, 2>());
  if (max_depth(kMaxWords, scale) >= 0) return exact(std::integral_constant<std::size_t, kMaxWords>());
  return std::nullopt;
}

template ExactFinding exact_search<VertexFace>(const Motion4&, const DoubleDouble&, int, double, int&);
template ExactFinding exact_search<EdgeEdge>(const Motion4&, const DoubleDouble&, int, double, int&);

}  // namespace meeting
}  // namespace graze
