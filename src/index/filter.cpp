#include "graze/index/filter.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "graze/base/error.h"

namespace graze {
namespace {

using Point = std::array<float, 3>;
using Cell = std::array<std::int64_t, 3>;

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

double squared_distance(const Point& a, const Point& b) {
  const double x = double{a[0]} - b[0], y = double{a[1]} - b[1], z = double{a[2]} - b[2];
  return x * x + y * y + z * z;
}

/// A hash map from cells to a kept point near them. Compares whole coordinates, so that no key can wrap.
class CellMap {
 public:
  CellMap() : slots_(1024) {}

  std::uint32_t find(const Cell& cell) const {
    for (std::size_t i = hash(cell);; ++i) {
      const Slot& slot = slots_[i & (slots_.size() - 1)];
      if (slot.point == kNone) return kNone;
      if (slot.cell == cell) return slot.point;
    }
  }
  void set(const Cell& cell, std::uint32_t point) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    Slot& slot = place(cell);
    size_ += slot.point == kNone ? 1 : 0;
    slot = {cell, point};
  }

 private:
  struct Slot {
    Cell cell{};
    std::uint32_t point = kNone;
  };

  static std::size_t hash(const Cell& cell) {
    std::uint64_t h = static_cast<std::uint64_t>(cell[0]) * 0x9E3779B97F4A7C15U;
    h = (h ^ h >> 29U ^ static_cast<std::uint64_t>(cell[1])) * 0xBF58476D1CE4E5B9U;
    h = (h ^ h >> 32U ^ static_cast<std::uint64_t>(cell[2])) * 0x94D049BB133111EBU;
    return static_cast<std::size_t>(h ^ h >> 31U);
  }
  Slot& place(const Cell& cell) {
    for (std::size_t i = hash(cell);; ++i) {
      Slot& slot = slots_[i & (slots_.size() - 1)];
      if (slot.point == kNone || slot.cell == cell) return slot;
    }
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.point != kNone) place(slot.cell) = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

/// Decides point by point whether a kept one is near enough.
class Thinner {
 public:
  Thinner(const PointsView& points, double distance)
      : points_(points), squared_(distance * distance), inverse_(std::sqrt(3.0) / distance) {}

  /// Whether a kept point covers this one; if not, it is kept from now on.
  bool covered(std::uint32_t index) {
    const Point p = points_[index];
    Cell cell{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      constexpr double kMost = 0x1p62;
      const double c = std::floor(p[axis] * inverse_);
      if (!(std::abs(c) < kMost)) return false;  // too fine for whole numbers: kept, and covers none
      cell[axis] = static_cast<std::int64_t>(c);
    }
    // The diagonal of a cell is the distance, so that most points stop here. The first point of a cell may also be
    // covered from a neighbouring one, which is then remembered; the first that this one does not cover is kept.
    const std::uint32_t last = map_.find(cell);
    if (covers(last, p)) return true;
    for (int i = 0; i < 27 && last == kNone; ++i) {
      const std::uint32_t other = map_.find({cell[0] + i / 9 - 1, cell[1] + i / 3 % 3 - 1, cell[2] + i % 3 - 1});
      if (!covers(other, p)) continue;
      map_.set(cell, other);
      return true;
    }
    map_.set(cell, index);
    return false;
  }

 private:
  bool covers(std::uint32_t kept, const Point& p) const {
    return kept != kNone && squared_distance(points_[kept], p) <= squared_;
  }

  const PointsView& points_;
  double squared_, inverse_;
  CellMap map_;
};

void check(const PointsView& points, const FilterOptions& o) {
  if (!(o.distance >= 0)) throw Error("filter distance", fmt::format("must not be negative, got {}", o.distance));
  if (!(o.least_range >= 0) || !(o.most_range >= o.least_range)) {
    throw Error("filter range",
                fmt::format("must be from 0 on and ascending, got {} to {}", o.least_range, o.most_range));
  }
  if (!is_finite(o.viewpoint)) throw Error("filter viewpoint", "must be finite");
  if (o.box.min.hasNaN() || o.box.max.hasNaN()) throw Error("filter box", "must not be NaN");
  if (points.size() >= kNone)
    throw Error("points", fmt::format("at most 2^32 - 2 are supported, got {}", points.size()));
}

}  // namespace

Filtered filter(const PointsView& points, const FilterOptions& options) {
  check(points, options);
  Filtered result;
  // Distances whose square or inverse leaves the range of doubles thin nothing that matters.
  const bool thin = options.distance > 1e-150;
  Thinner thinner(points, thin ? std::min(options.distance, kLargestLength) : 1);
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    const Point p = points[i];
    if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2])) {
      ++result.not_finite;
      continue;
    }
    const Vec3 at(p[0], p[1], p[2]);
    const double range = (at - options.viewpoint).norm();
    if (range < options.least_range || range > options.most_range) {
      ++result.out_of_range;
    } else if (!options.box.contains(at)) {
      ++result.out_of_box;
    } else if (thin && thinner.covered(i)) {
      ++result.thinned;
    } else {
      result.kept.push_back(i);
    }
  }
  return result;
}

}  // namespace graze
