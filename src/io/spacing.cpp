#include "io/spacing.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace graze::io {
namespace {

constexpr std::size_t kCells = 64;  // per axis
constexpr std::size_t kMostEntries = std::size_t{1} << 21;

}  // namespace

void SpacingSampler::keep(const Vec3& p) {
  if (seen_ % stride_ == 0) {
    if (kept_.size() == kMostKept) {
      // Every other one stays, and from now on half as many come.
      for (std::size_t i = 0; i < kMostKept / 2; ++i) kept_[i] = kept_[2 * i];
      kept_.resize(kMostKept / 2);
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
    const double reach = std::sqrt(samples_[i].distance_sq) * (1 + 1e-12);
    const Vec3 low = samples_[i].point.array() - reach, high = samples_[i].point.array() + reach;
    for (std::size_t x = cell_along(low.x(), 0); x <= cell_along(high.x(), 0); ++x) {
      for (std::size_t y = cell_along(low.y(), 1); y <= cell_along(high.y(), 1); ++y) {
        for (std::size_t z = cell_along(low.z(), 2); z <= cell_along(high.z(), 2); ++z) {
          visit((x * kCells + y) * kCells + z, i);
        }
      }
    }
  }
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
    if (entries <= kMostEntries) break;
  }
  starts_.assign(kCells * kCells * kCells + 1, 0);
  for_each_reached([&](std::size_t cell, std::uint32_t) { ++starts_[cell + 1]; });
  for (std::size_t c = 1; c < starts_.size(); ++c) starts_[c] += starts_[c - 1];
  entries_.resize(starts_.back());
  std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
  for_each_reached([&](std::size_t cell, std::uint32_t i) { entries_[next[cell]++] = i; });
}

void SpacingSampler::measure(const Vec3& p) {
  const std::uint64_t index = measured_++;
  if (starts_.empty()) return;
  const std::size_t cell = (cell_along(p.x(), 0) * kCells + cell_along(p.y(), 1)) * kCells + cell_along(p.z(), 2);
  for (std::uint32_t e = starts_[cell]; e < starts_[cell + 1]; ++e) {
    Sample& s = samples_[entries_[e]];
    const double distance_sq = (p - s.point).squaredNorm();
    if (distance_sq < s.distance_sq && index != s.index) s.distance_sq = distance_sq;
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
