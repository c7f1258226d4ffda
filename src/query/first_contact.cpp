#include "graze/query/first_contact.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "graze/base/error.h"
#include "query/exact_meeting.h"

namespace graze {
namespace {

using meeting::EdgeEdge;
using meeting::Motion4;
using meeting::Points;
using meeting::Verdict;
using meeting::VertexFace;
template <class Features, class Number>
using Polynomials = meeting::Polynomials<Features, meeting::EnclosedTerms<Number>>;

template <class Number>
LinearVec<Number> between(const Motion4& m, std::size_t head, std::size_t tail) {
  LinearVec<Number> d;
  for (int k = 0; k < 3; ++k) {
    d[0][static_cast<std::size_t>(k)] = enclosed::difference<Number>(m.from[head][k], m.from[tail][k]);
    d[1][static_cast<std::size_t>(k)] = enclosed::difference<Number>(m.to[head][k], m.to[tail][k]);
  }
  return d;
}

struct Finding {
  Verdict verdict;
  DoubleDouble time;  // of anything but free: all before is free
};

// The times of halving stay exact: multiples of 2^-depth below 1 take no more than two doubles.
template <class Number>
constexpr int kDepth = 46;
template <>
constexpr int kDepth<DoubleDouble> = 100;

struct Task {
  const Motion4& m;
  double resolution;  // a time so short that a proven contact need not be located better
  int max_steps;
  double limit;      // later contacts are of no interest
  double known = 0;  // up to this time everything is free
};

// From time 0 on, left halves first.
template <class Features, class Number>
Finding search(const Task& task) {
  // Contacts in one plane have no sign that changes: they stay open in any precision that rounds. That is seen where
  // intervals are so much shorter than the resolution.
  constexpr double kOpen = 0x1p-6;
  const Motion4& m = task.m;
  const double known = task.known;
  struct Part {
    Polynomials<Features, Number> polynomials;
    DoubleDouble begin;
    int depth;
  };
  std::array<Part, kDepth<Number> + 2> parts;  // not initialised: most is never used
  const auto between = [&m](std::size_t head, std::size_t tail) { return graze::between<Number>(m, head, tail); };
  parts[0].polynomials.volume = Features::volume(between);
  if (bernstein::all_positive(parts[0].polynomials.volume) || bernstein::all_negative(parts[0].polynomials.volume))
    return {Verdict::free, {}};
  Features::fill(between, parts[0].polynomials);
  parts[0].begin = {0, 0};
  parts[0].depth = 0;
  std::size_t open = 1;
  int exact_steps = task.max_steps;
  for (int steps = 0; open > 0; ++steps) {
    Part& part = parts[open - 1];
    if (part.begin.sum > task.limit) return {Verdict::free, {}};
    const double length = std::ldexp(1.0, -part.depth);
    const DoubleDouble end = two_sum(part.begin.sum, length);
    if (end.sum + (end.error + part.begin.error) <= known || part.polynomials.apart()) {
      --open;
      continue;
    }
    if (steps >= task.max_steps) return {Verdict::out_of_steps, part.begin};
    bool hopeless = part.depth == kDepth<Number>;
    if (part.begin.sum >= known) {
      const bool met = part.polynomials.meet();
      if (met && (length <= task.resolution || part.depth == kDepth<Number>)) return {Verdict::contact, part.begin};
      hopeless = hopeless || part.polynomials.hopeless() ||
                 (std::is_same_v<Number, double> && length <= kOpen * task.resolution);
    }
    if (hopeless) {
      const auto exact = meeting::exact_search<Features>(m, part.begin, part.depth, task.resolution, exact_steps);
      if (exact.verdict != Verdict::free) return {exact.verdict, {exact.time, 0}};
      --open;
      continue;
    }
    // The right half takes the place of the whole, and the left one comes to lie above it.
    Part& left = parts[open];
    left.polynomials = part.polynomials;
    left.polynomials.halve_into(part.polynomials);
    left.begin = part.begin;
    left.depth = ++part.depth;
    const DoubleDouble middle = two_sum(part.begin.sum, length / 2);
    part.begin = two_sum(middle.sum, middle.error + part.begin.error);
    ++open;
  }
  return {Verdict::free, {}};
}

// Along a coordinate all differences keep one sign: doubles compare without rounding.
template <class Features>
bool boxes_apart(std::span<const Vec3, 4> from, std::span<const Vec3, 4> to) {
  for (int k = 0; k < 3; ++k) {
    bool above = true, below = true;
    for (const auto& [head, tail] : Features::kDifferences) {
      above &= from[head][k] > from[tail][k] && to[head][k] > to[tail][k];
      below &= from[head][k] < from[tail][k] && to[head][k] < to[tail][k];
    }
    if (above || below) return true;
  }
  return false;
}

struct Nearest {
  Vec3 on_a, on_b;
  double distance_sq = kInfinity;
  void take(const Vec3& a, const Vec3& b) {
    const double d = (a - b).squaredNorm();
    if (d < distance_sq) *this = {a, b, d};
  }
};

Vec3 nearest_on_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 e = b - a;
  const double length_sq = e.squaredNorm();
  const double s = length_sq > 0 ? std::clamp((p - a).dot(e) / length_sq, 0.0, 1.0) : 0;
  return (1 - s) * a + s * b;
}

// Whatever rounding does here, the points are some of the features: combinations with weights of 0 to 1.
Nearest nearest(VertexFace, const Points& p) {
  Nearest best;
  for (const auto& [i, j] : {std::pair(1, 2), std::pair(2, 3), std::pair(3, 1)})
    best.take(p[0], nearest_on_segment(p[0], p[static_cast<std::size_t>(i)], p[static_cast<std::size_t>(j)]));
  const Vec3 n = (p[2] - p[1]).cross(p[3] - p[1]);
  const double n_sq = n.squaredNorm();
  const double b = (p[0] - p[1]).cross(p[3] - p[1]).dot(n) / n_sq, c = (p[2] - p[1]).cross(p[0] - p[1]).dot(n) / n_sq;
  if (b >= 0 && c >= 0 && b + c <= 1) best.take(p[0], (1 - b - c) * p[1] + b * p[2] + c * p[3]);
  return best;
}

Nearest nearest(EdgeEdge, const Points& p) {
  Nearest best;
  for (const std::size_t i : {0U, 1U}) best.take(p[i], nearest_on_segment(p[i], p[2], p[3]));
  for (const std::size_t i : {2U, 3U}) best.take(nearest_on_segment(p[i], p[0], p[1]), p[i]);
  const Vec3 e = p[1] - p[0], f = p[3] - p[2], n = e.cross(f);
  const double s = (p[2] - p[0]).cross(f).dot(n) / n.squaredNorm();
  if (s >= 0 && s <= 1) {
    const Vec3 a = (1 - s) * p[0] + s * p[1];
    best.take(a, nearest_on_segment(a, p[2], p[3]));
  }
  return best;
}

double rounded_down(const DoubleDouble& time) { return time.error < 0 ? std::nextafter(time.sum, 0.0) : time.sum; }

template <class Features>
FirstContact contact_at(double time, bool decided, const Motion4& m, double tolerance) {
  constexpr double kRounding = 0x1p-46;  // of points at a time, of those between them and of their distance
  Points p;
  for (std::size_t i = 0; i < 4; ++i) p[i] = (1 - time) * m.from[i] + time * m.to[i];
  const Nearest found = nearest(Features{}, p);
  FirstContact c;
  c.hit = true;
  c.time = time;
  c.certain = decided && (std::sqrt(found.distance_sq) + kRounding) * m.size <= tolerance;
  c.on_a = m.size * found.on_a;
  c.on_b = m.size * found.on_b;
  return c;
}

template <class Features>
FirstContact first_contact(std::span<const Vec3, 4> from, std::span<const Vec3, 4> to,
                           const FirstContactOptions& options) {
  if (!(options.tolerance > 0)) throw Error("tolerance", fmt::format("must be positive, got {}", options.tolerance));
  if (std::isnan(options.limit)) throw Error("limit", "must be a number");
  if (options.max_steps < 1) throw Error("max_steps", fmt::format("must be at least 1, got {}", options.max_steps));
  double largest = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    if (!is_finite(from[i]) || !is_finite(to[i])) return {.hit = true, .time = 0, .certain = false};
    largest = std::max({largest, from[i].cwiseAbs().maxCoeff(), to[i].cwiseAbs().maxCoeff()});
  }
  if (boxes_apart<Features>(from, to)) return {};
  const Motion4 m(from, to, largest);
  double speed = 0;
  for (const auto& [head, tail] : Features::kDifferences) {
    const Vec3 change = (m.to[head] - m.to[tail]) - (m.from[head] - m.from[tail]);
    speed = std::max(speed, change.norm());
  }
  const double resolution = speed > 0 ? options.tolerance / m.size / (2 * speed) : 1;
  Task task{m, resolution, options.max_steps, options.limit};
  Finding found = search<Features, double>(task);
  if (found.verdict == Verdict::no_room || found.verdict == Verdict::out_of_steps) {
    task.known = rounded_down(found.time);
    found = search<Features, DoubleDouble>(task);
  }
  if (found.verdict == Verdict::free) return {};
  const bool decided = found.verdict != Verdict::out_of_steps;
  return contact_at<Features>(rounded_down(found.time), decided, m, options.tolerance);
}

}  // namespace

FirstContact first_contact_vertex_face(std::span<const Vec3, 4> from, std::span<const Vec3, 4> to,
                                       const FirstContactOptions& options) {
  return first_contact<VertexFace>(from, to, options);
}

FirstContact first_contact_edge_edge(std::span<const Vec3, 4> from, std::span<const Vec3, 4> to,
                                     const FirstContactOptions& options) {
  return first_contact<EdgeEdge>(from, to, options);
}

}  // namespace graze
