#include "io/spacing.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace graze::io {
namespace {

constexpr std::size_t kCells = 64;  // per axis
constexpr std::size_t kMaxEntries = std::size_t{1} << 21;
constexpr std::uint32_t kCrowd = 32;  // samples of a cell from which on the tree is faster
constexpr std::uint32_t kNodeSamples = 4;

}  // namespace

void SpacingSampler::keep(const Vec3& p) {
  if (seen_ % stride_ == 0) {
    if (kept_.size() == kMaxKept) {
      // Every other one stays, and from now on half as many come.
      for (std::size_t i = 0; i < kMaxKept / 2; ++i) kept_[i] = kept_[2 * i];
      kept_.resize(kMaxKept / 2);
      stride_ *= 2;
    }
    if (seen_ % stride_ == 0) kept_.emplace_back(p, seen_);
  }
  ++seen_;
}

std::size_t SpacingSampler::cell_along(double x, int axis) const {
  const double at = (x - origin_[axis]) * cells_per_metre_;
  return at > 0 ? static_cast<std::size_t>(std::min(at, kCells - 1.0)) : 0;  // 0 also if it is not a number
}

template <class Visit>
void SpacingSampler::for_each_reached(Visit&& visit) const {
  for (std::uint32_t i = 0; i < samples_.size(); ++i) {
    if (samples_[i].distance_sq == 0) continue;
    const auto [low, high] = box_of(samples_[i]);
    for (std::size_t x = cell_along(low.x(), 0); x <= cell_along(high.x(), 0); ++x) {
      for (std::size_t y = cell_along(low.y(), 1); y <= cell_along(high.y(), 1); ++y) {
        for (std::size_t z = cell_along(low.z(), 2); z <= cell_along(high.z(), 2); ++z) {
          visit((x * kCells + y) * kCells + z, i);
        }
      }
    }
  }
}

Aabb SpacingSampler::box_of(const Sample& sample) const {
  const double reach = std::sqrt(sample.distance_sq) * (1 + 1e-12) + 4 * kEpsilon * sample.point.cwiseAbs().maxCoeff();
  return {sample.point.array() - reach, sample.point.array() + reach};
}

std::uint32_t SpacingSampler::build_node(std::uint32_t first, std::uint32_t last) {
  const auto id = static_cast<std::uint32_t>(nodes_.size());
  Aabb box, points;
  for (std::uint32_t k = first; k < last; ++k) {
    box.extend(box_of(samples_[tree_order_[k]]));
    points.extend(samples_[tree_order_[k]].point);
  }
  nodes_.push_back({box, first, last, 0});
  if (last - first <= kNodeSamples) return id;
  Eigen::Index axis = 0;
  (points.max - points.min).maxCoeff(&axis);
  const std::uint32_t middle = (first + last) / 2;
  const auto at = [&](std::uint32_t k) { return tree_order_.begin() + static_cast<std::ptrdiff_t>(k); };
  std::nth_element(at(first), at(middle), at(last), [&](std::uint32_t a, std::uint32_t b) {
    const double x = samples_[a].point[axis], y = samples_[b].point[axis];
    return x != y ? x < y : a < b;
  });
  build_node(first, middle);  // of a thousand samples: ten levels
  const std::uint32_t right = build_node(middle, last);
  nodes_[id].right = right;
  return id;
}

void SpacingSampler::build_tree() {
  for (std::uint32_t i = 0; i < samples_.size(); ++i) {
    if (samples_[i].distance_sq > 0) tree_order_.push_back(i);
  }
  if (!tree_order_.empty()) build_node(0, static_cast<std::uint32_t>(tree_order_.size()));
}

void SpacingSampler::prepare(const Aabb& bounds) {
  if (kept_.size() < 2) return;
  const std::size_t count = std::min(kSamples, kept_.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [point, index] = kept_[i * kept_.size() / count];
    samples_.push_back({point, index, kInfinity});
  }
  for (Sample& s : samples_) {
    for (const auto& [point, index] : kept_) {
      if (index != s.index) s.distance_sq = std::min(s.distance_sq, (point - s.point).squaredNorm());
    }
  }
  origin_ = bounds.min;
  const double size = (bounds.max - bounds.min).maxCoeff();
  cells_per_metre_ = size > 0 && std::isfinite(kCells / size) ? kCells / size : 0;
  // Balls of nearest neighbours cannot crowd much, but coarser cells are there if they do.
  for (std::size_t entries = 0;; cells_per_metre_ /= 2) {
    entries = 0;
    for_each_reached([&](std::size_t, std::uint32_t) { ++entries; });
    if (entries <= kMaxEntries) break;
  }
  starts_.assign(kCells * kCells * kCells + 1, 0);
  for_each_reached([&](std::size_t cell, std::uint32_t) { ++starts_[cell + 1]; });
  for (std::size_t c = 1; c < starts_.size(); ++c) starts_[c] += starts_[c - 1];
  entries_.resize(starts_.back());
  std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
  for_each_reached([&](std::size_t cell, std::uint32_t i) { entries_[next[cell]++] = i; });
  build_tree();
}

void SpacingSampler::compare(const Vec3& p, std::uint64_t index, Sample& s) const {
  const double distance_sq = (p - s.point).squaredNorm();
  if (distance_sq < s.distance_sq && index != s.index) s.distance_sq = distance_sq;
}

void SpacingSampler::measure(const Vec3& p) {
  const std::uint64_t index = measured_++;
  if (starts_.empty()) return;
  const std::size_t cell = (cell_along(p.x(), 0) * kCells + cell_along(p.y(), 1)) * kCells + cell_along(p.z(), 2);
  if (starts_[cell + 1] - starts_[cell] <= kCrowd) {
    for (std::uint32_t e = starts_[cell]; e < starts_[cell + 1]; ++e) compare(p, index, samples_[entries_[e]]);
    return;
  }
  std::uint32_t stack[32], size = 0;
  stack[size++] = 0;
  while (size > 0) {
    const std::uint32_t id = stack[--size];
    const Node& node = nodes_[id];
    if (!node.box.contains(p)) continue;
    if (node.right == 0) {
      for (std::uint32_t k = node.first; k < node.last; ++k) compare(p, index, samples_[tree_order_[k]]);
    } else {
      stack[size++] = node.right;
      stack[size++] = id + 1;
    }
  }
}

double SpacingSampler::median() const {
  if (samples_.empty()) return 0;
  std::vector<double> distances;
  for (const Sample& s : samples_) distances.push_back(s.distance_sq);
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return std::sqrt(*middle);
}

}  // namespace graze::io
