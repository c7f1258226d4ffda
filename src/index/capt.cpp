#include "graze/index/capt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "graze/base/error.h"
#include "index/capt_data.h"
#include "index/point_check.h"

namespace graze {
namespace {

using Point = std::array<float, 3>;
constexpr float kInfinite = std::numeric_limits<float>::infinity();

/// A leaf's part of space; closed, may be unbounded.
struct Cell {
  float low[3] = {-kInfinite, -kInfinite, -kInfinite}, high[3] = {kInfinite, kInfinite, kInfinite};

  double squared_gap(const Point& p) const {
    double sum = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double gap = std::max({double{low[axis]} - p[axis], double{p[axis]} - high[axis], 0.0});
      sum += gap * gap;
    }
    return sum;
  }
  double squared_farthest(const Point& p) const {
    double sum = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double far = std::max(double{p[axis]} - low[axis], double{high[axis]} - p[axis]);
      sum += far * far;
    }
    return sum;
  }
};

class Builder {
 public:
  Builder(Capt::Data& tree, std::vector<Point> points) : tree_(tree), points_(std::move(points)) {
    // Rounding widens what is afforded and narrows what is left out.
    constexpr double kMore = 1 + 1e-12;
    const double reach = tree.options.max_radius + tree.options.point_radius;
    const double covered = tree.options.min_radius + tree.options.point_radius;
    afford_ = reach * reach * kMore;
    covered_ = covered * covered / kMore;
  }

  // Paper 002, "Construct": both halves of the points go to both children, as own points to one and, as far as they are
  // afforded, as neighbours to the other. The depth is that of a balanced tree.
  void build(std::size_t begin, std::size_t end, const Cell& cell, const std::vector<Point>& neighbours,
             std::size_t node, int depth) {
    if (depth == tree_.depth) {
      add_leaf(points_[begin], cell, neighbours);
      return;
    }
    const auto axis = static_cast<std::size_t>(depth % 3);
    const std::size_t middle = begin + (end - begin) / 2;
    const auto at = [&](std::size_t i) { return points_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(begin), at(middle), at(end),
                     [axis](const Point& a, const Point& b) { return a[axis] < b[axis]; });
    float test = -kInfinite;
    for (std::size_t i = begin; i < middle; ++i) test = std::max(test, points_[i][axis]);
    tree_.tests[node] = test;
    for (const bool right : {false, true}) {
      Cell half = cell;
      (right ? half.low : half.high)[axis] = test;
      std::vector<Point> afforded;
      const auto take = [&](const Point& p) {
        if (std::isfinite(p[0]) && half.squared_gap(p) <= afford_) afforded.push_back(p);
      };
      for (const Point& p : neighbours) take(p);
      const std::size_t from = right ? begin : middle, to = right ? middle : end;
      for (std::size_t i = from; i < to; ++i) take(points_[i]);
      build(right ? middle : begin, right ? end : middle, half, afforded, 2 * node + (right ? 2 : 1), depth + 1);
    }
  }

 private:
  void add(const Point& p, Capt::Data::Box& box) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      box.low[axis] = std::min(box.low[axis], p[axis]);
      box.high[axis] = std::max(box.high[axis], p[axis]);
    }
    tree_.x.push_back(p[0]);
    tree_.y.push_back(p[1]);
    tree_.z.push_back(p[2]);
  }

  void add_leaf(const Point& own, const Cell& cell, const std::vector<Point>& neighbours) {
    Capt::Data::Box box{{kInfinite, kInfinite, kInfinite}, {-kInfinite, -kInfinite, -kInfinite}};
    tree_.starts.push_back(tree_.x.size());
    if (std::isfinite(own[0])) {
      add(own, box);
    }
    // A cell that every sphere of the minimum radius fills needs no other point.
    if (!std::isfinite(own[0]) || !(cell.squared_farthest(own) <= covered_)) {
      for (const Point& p : neighbours) add(p, box);
    }
    while (tree_.x.size() % capt::kWidth != 0) {
      for (Buffer<float>* axis : {&tree_.x, &tree_.y, &tree_.z})
        axis->push_back(std::numeric_limits<float>::quiet_NaN());
    }
    tree_.boxes.push_back(box);
  }

  Capt::Data& tree_;
  std::vector<Point> points_;
  double afford_, covered_;
};

void check_radius(const char* name, double value) {
  if (!(value >= 0 && value <= kLargestLength)) {
    throw Error(name, fmt::format("must be from 0 to {}, got {}", kLargestLength, value));
  }
}

// Whether a list of the tree holds a point.
bool lists(const Capt::Data& tree, std::size_t leaf, const Point& p) {
  for (std::size_t i = tree.starts[leaf]; i < tree.starts[leaf + 1]; ++i) {
    if (tree.x[i] == p[0] && tree.y[i] == p[1] && tree.z[i] == p[2]) return true;
  }
  return false;
}

}  // namespace

Capt::Capt(const PointView& points, const CaptOptions& options) : data_(std::make_unique<Data>()) {
  check_floats(points);
  check_radius("point radius", options.point_radius);
  check_radius("min_radius", options.min_radius);
  check_radius("max_radius", options.max_radius);
  if (options.min_radius > options.max_radius) {
    throw Error("min_radius", fmt::format("exceeds max_radius: {} > {}", options.min_radius, options.max_radius));
  }
  if (points.size() >= std::size_t{1} << 30U) {
    throw Error("points", fmt::format("fewer than 2^30 points are supported, got {}", points.size()));
  }
  data_->options = options;
  std::vector<Point> finite;
  finite.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point p = points.load_point<float>(i);
    if (std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2])) finite.push_back(p);
  }
  data_->size = finite.size();
  data_->skipped = points.size() - finite.size();
  if (finite.empty()) return;
  while (data_->leaves() < finite.size()) ++data_->depth;
  finite.resize(data_->leaves(), {kInfinite, kInfinite, kInfinite});
  data_->tests.resize(data_->leaves() - 1);
  const std::size_t leaves = finite.size();
  Builder(*data_, std::move(finite)).build(0, leaves, {}, {}, 0, 0);
  data_->starts.push_back(data_->x.size());
}
Capt::Capt(Capt&&) noexcept = default;
Capt& Capt::operator=(Capt&&) noexcept = default;
Capt::~Capt() = default;

bool Capt::collides(const Vec3& center, double radius) const {
  if (!valid_sphere(center.x(), center.y(), center.z(), radius)) return true;
  if (data_->size == 0) return false;
  return capt::search(*data_, {{center.x(), center.y(), center.z()}, radius, data_->options.point_radius});
}

bool Capt::any_collides(const SpheresView& spheres) const {
  constexpr std::size_t kWord = 64;
  for (std::size_t i = 0; i < spheres.size(); i += kWord) {
    if (capt::search_batch(*data_, spheres, i, std::min(kWord, spheres.size() - i), true) != 0) return true;
  }
  return false;
}

void Capt::collides_each(const SpheresView& spheres, std::span<std::uint64_t> mask) const {
  constexpr std::size_t kWord = 64;
  for (std::size_t i = 0; i < spheres.size(); i += kWord) {
    mask[i / kWord] = capt::search_batch(*data_, spheres, i, std::min(kWord, spheres.size() - i), false);
  }
}

std::size_t Capt::size() const { return data_->size; }
std::size_t Capt::skipped() const { return data_->skipped; }
std::size_t Capt::afforded() const {
  return static_cast<std::size_t>(
      std::count_if(data_->x.begin(), data_->x.end(), [](float v) { return !std::isnan(v); }));
}
std::size_t Capt::memory_bytes() const {
  return sizeof(Data) + data_->tests.bytes() + data_->boxes.bytes() + data_->starts.bytes() + data_->x.bytes() +
         data_->y.bytes() + data_->z.bytes();
}

std::string Capt::validate() const {
  const Data& tree = *data_;
  if (tree.size == 0) return tree.starts.empty() ? "" : "leaves without points";
  // The own points of all leaves are all points.
  std::vector<Point> points;
  for (std::size_t leaf = 0; leaf < tree.leaves(); ++leaf) {
    const std::size_t i = tree.starts[leaf];
    if (i < tree.starts[leaf + 1] && leaf < tree.size) points.push_back({tree.x[i], tree.y[i], tree.z[i]});
  }
  const double reach = tree.options.max_radius + tree.options.point_radius;
  const double covered = tree.options.min_radius + tree.options.point_radius;
  for (std::size_t leaf = 0; leaf < tree.leaves(); ++leaf) {
    Cell cell;
    std::size_t node = 0;
    for (int level = 0; level < tree.depth; ++level) {
      const auto axis = static_cast<std::size_t>(level % 3);
      const bool right = (leaf >> static_cast<unsigned>(tree.depth - 1 - level) & 1U) != 0;
      (right ? cell.low : cell.high)[axis] = tree.tests[node];
      node = 2 * node + (right ? 2 : 1);
    }
    const std::size_t own = tree.starts[leaf];
    const bool has_own = own < tree.starts[leaf + 1];
    const bool full = has_own && cell.squared_farthest({tree.x[own], tree.y[own], tree.z[own]}) <= covered * covered;
    if (full) continue;
    for (const Point& p : points) {
      if (cell.squared_gap(p) <= reach * reach && !lists(tree, leaf, p)) {
        return fmt::format("leaf {} does not afford the point {} {} {}", leaf, p[0], p[1], p[2]);
      }
    }
  }
  return "";
}

}  // namespace graze
