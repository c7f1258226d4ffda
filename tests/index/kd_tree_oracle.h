// What KdTree is checked against: loops over all points, written from the expressions of search_volume.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "graze/index/kd_tree.h"
#include "support/clouds.h"

namespace graze_test {

using graze::Neighbor;
using graze::SearchVolume;
using graze::Vec3;

/// Storage for the sides that a polytope views.
struct Question {
  SearchVolume volume = graze::region::Ball(Vec3::Zero(), 0);
  bool to_axis = false;
  std::vector<graze::region::Side> sides = {};
  std::string name = {};
};

class SearchOracle {
 public:
  explicit SearchOracle(std::vector<Vec3> points) : points_(std::move(points)) {}

  /// Everything in the volume, sorted by distance, ties by index.
  std::vector<Neighbor> all(const SearchVolume& volume, bool to_axis) const {
    std::vector<Neighbor> found;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const Vec3& p = points_[i];
      if (!std::isfinite(p.x()) || !std::isfinite(p.y()) || !std::isfinite(p.z())) continue;
      double measure_sq = 0;
      const bool in = std::visit([&](const auto& v) { return contains(v, p, to_axis, measure_sq); }, volume);
      if (in) found.push_back({i, std::sqrt(measure_sq)});
    }
    std::sort(found.begin(), found.end(), [](const Neighbor& a, const Neighbor& b) {
      return a.distance != b.distance ? a.distance < b.distance : a.index < b.index;
    });
    return found;
  }

 private:
  static double dot(const Vec3& a, const Vec3& b) { return a.x() * b.x() + a.y() * b.y() + a.z() * b.z(); }
  static double norm_sq(const Vec3& v) { return dot(v, v); }

  static double axis_sq(const Vec3& from, const Vec3& v, double first, double last, const Vec3& p) {
    const Vec3 d = p - from;
    const double vv = dot(v, v);
    const double t = vv == 0 ? 0 : std::clamp(dot(d, v) / vv, first, last);
    return norm_sq(d - t * v);
  }

  static bool contains(const graze::region::Ball& v, const Vec3& p, bool, double& measure_sq) {
    measure_sq = norm_sq(p - v.center());
    return measure_sq <= v.radius() * v.radius();
  }
  static bool contains(const graze::region::AroundAxis& v, const Vec3& p, bool to_axis, double& measure_sq) {
    const double sq = axis_sq(v.from(), v.direction(), v.first(), v.last(), p);
    measure_sq = to_axis ? sq : norm_sq(p - v.from());
    return sq <= v.radius() * v.radius();
  }
  static bool contains(const graze::region::Box& v, const Vec3& p, bool, double& measure_sq) {
    measure_sq = norm_sq(p - (v.min() + (v.max() - v.min()) / 2));
    return (v.min().array() <= p.array()).all() && (p.array() <= v.max().array()).all();
  }
  static bool contains(const graze::region::OrientedBox& v, const Vec3& p, bool, double& measure_sq) {
    const Vec3 d = p - v.pose().translation();
    measure_sq = norm_sq(d);
    for (int i = 0; i < 3; ++i) {
      if (!(std::abs(dot(v.pose().rotation().col(i), d)) <= v.half()[i])) return false;
    }
    return true;
  }
  static bool contains(const graze::region::Cylinder& v, const Vec3& p, bool to_axis, double& measure_sq) {
    const Vec3 d = p - v.from();
    const double along = dot(d, v.direction());
    const double sq = axis_sq(v.from(), v.direction(), -graze::kInfinity, graze::kInfinity, p);
    measure_sq = to_axis ? sq : norm_sq(d);
    return along >= 0 && along <= dot(v.direction(), v.direction()) && sq <= v.radius() * v.radius();
  }
  static bool contains(const graze::region::Polytope& v, const Vec3& p, bool, double& measure_sq) {
    measure_sq = norm_sq(p - v.center());
    return std::all_of(v.sides().begin(), v.sides().end(),
                       [&](const graze::region::Side& side) { return dot(side.normal, p) <= side.offset; });
  }

  std::vector<Vec3> points_;
};

/// Compares every kind of result with the oracle; empty if all are equal, otherwise what differs.
inline std::string difference(const graze::KdTree& tree, const SearchOracle& oracle, const Question& q) {
  const std::vector<Neighbor> truth = oracle.all(q.volume, q.to_axis);
  const graze::PointSearch search = tree.search(q.volume, {.to_axis = q.to_axis});
  if (search.count() != truth.size()) {
    return "count " + std::to_string(search.count()) + ", not " + std::to_string(truth.size());
  }
  if (search.any() != !truth.empty()) return "any";
  std::vector<Neighbor> buffer(truth.size() + 1);
  if (search.all(buffer) != truth.size()) return "number of all";
  buffer.resize(truth.size());
  if (buffer != truth) return "all";
  const Neighbor nearest = search.nearest();
  if (nearest != (truth.empty() ? Neighbor() : truth.front())) {
    return "nearest " + std::to_string(nearest.index) + " at " + std::to_string(nearest.distance);
  }
  for (const std::size_t k : {std::size_t{2}, std::size_t{7}, truth.size() / 2, truth.size() + 3}) {
    const std::vector<Neighbor> first(truth.begin(),
                                      truth.begin() + static_cast<std::ptrdiff_t>(std::min(k, truth.size())));
    std::vector<Neighbor> room(k);
    const auto filled = search.nearest(room);
    if (!std::equal(filled.begin(), filled.end(), first.begin(), first.end())) return std::to_string(k) + " nearest";
    std::vector<Neighbor> less(k);
    if (search.all(less) != truth.size()) return "number of all with little room";
    less.resize(first.size());
    if (less != first) return "all with little room";
  }
  std::vector<Neighbor> visited;
  if (!search.visit([&](const Neighbor& n) { visited.push_back(n); })) return "visit does not visit everything";
  std::sort(visited.begin(), visited.end());
  if (visited != truth) return "visit";
  std::size_t calls = 0;
  const bool whole = search.visit([&](const Neighbor&) { return ++calls < 3; });
  if (calls != std::min<std::size_t>(truth.size(), 3) || whole != (truth.size() < 3)) return "visit with an early stop";
  return {};
}

}  // namespace graze_test
