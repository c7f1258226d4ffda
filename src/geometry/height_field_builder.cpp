#include "graze/geometry/height_field_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "graze/base/error.h"

namespace graze {
namespace {

constexpr double kNoHeight = std::numeric_limits<double>::quiet_NaN();

// How many heights there are along an axis, from `first` to `last` or beyond.
std::size_t heights_along(double first, double last, double cell) {
  double cells = std::max(1.0, std::ceil((last - first) / cell));
  if (cells * cell < last - first) ++cells;
  constexpr double kMost = 1e9;
  if (!(cells <= kMost))
    throw Error("cell",
                fmt::format("must be larger: {} m make {:.3g} heights in a row of {} m", cell, cells, last - first));
  return static_cast<std::size_t>(cells) + 1;
}

// The holes around which there are heights, and what these make of them.
class Rim {
 public:
  Rim(std::vector<double>& heights, std::size_t columns, PointHeights kind)
      : heights_(heights), columns_(columns), rows_(heights.size() / columns), kind_(kind) {
    for (std::size_t k = 0; k < heights_.size(); ++k) {
      if (std::isnan(heights_[k]) && known_around(k)) next_.push_back(k);
    }
  }
  /// Fills the holes beside known heights, all from the heights there were before; how many these were.
  std::size_t fill() {
    std::vector<std::size_t> now;
    now.swap(next_);
    std::vector<double> values;
    values.reserve(now.size());
    for (const std::size_t k : now) values.push_back(value_of(k));
    for (std::size_t i = 0; i < now.size(); ++i) heights_[now[i]] = values[i];
    for (const std::size_t k : now) {
      visit_around(k, [&](std::size_t other) {
        if (std::isnan(heights_[other])) next_.push_back(other);
      });
    }
    std::sort(next_.begin(), next_.end());
    next_.erase(std::unique(next_.begin(), next_.end()), next_.end());
    return now.size();
  }

 private:
  template <class Visit>
  void visit_around(std::size_t k, const Visit& visit) const {
    const std::size_t column = k % columns_, row = k / columns_;
    for (std::size_t j = row - (row > 0 ? 1 : 0); j <= std::min(row + 1, rows_ - 1); ++j) {
      for (std::size_t i = column - (column > 0 ? 1 : 0); i <= std::min(column + 1, columns_ - 1); ++i) {
        if (j != row || i != column) visit(j * columns_ + i);
      }
    }
  }
  bool known_around(std::size_t k) const {
    bool known = false;
    visit_around(k, [&](std::size_t other) { known = known || !std::isnan(heights_[other]); });
    return known;
  }
  double value_of(std::size_t k) const {
    double best = kNoHeight, sum = 0;
    int count = 0;
    visit_around(k, [&](std::size_t other) {
      const double z = heights_[other];
      if (std::isnan(z)) return;
      sum += z, ++count;
      if (std::isnan(best) || (kind_ == PointHeights::lowest ? z < best : z > best)) best = z;
    });
    return kind_ == PointHeights::mean ? sum / count : best;
  }

  std::vector<double>& heights_;
  std::size_t columns_, rows_;
  PointHeights kind_;
  std::vector<std::size_t> next_;
};

}  // namespace

HeightFieldBuilder::HeightFieldBuilder(const Aabb& around, const HeightFieldBuilderOptions& options)
    : options_(options), around_(around) {
  const double cell = options.cell;
  if (!(cell > 0) || std::isinf(cell)) throw Error("cell", fmt::format("must be more than 0, got {}", cell));
  if (!(options.fill >= 0)) throw Error("fill", fmt::format("must be 0 or more, got {}", options.fill));
  if (around.empty() || !around.bounded()) throw Error("bounds", "must be finite and not empty");
  const auto first = [cell](double x) { return std::floor(x / cell) * cell; };
  origin_ = {first(around.min.x()), first(around.min.y()), 0};
  columns_ = heights_along(origin_.x(), around.max.x(), cell);
  rows_ = heights_along(origin_.y(), around.max.y(), cell);
  constexpr std::size_t kMost = std::size_t{1} << 28;
  if (columns_ * rows_ > kMost)
    throw Error("cell",
                fmt::format("must be larger: {} m make {} × {} heights, more than 2^28", cell, columns_, rows_));
  heights_.assign(columns_ * rows_, kNoHeight);
  if (options.heights == PointHeights::mean) counts_.assign(heights_.size(), 0);
}

void HeightFieldBuilder::put(std::size_t column, std::size_t row, double z) {
  const std::size_t k = std::min(row, rows_ - 1) * columns_ + std::min(column, columns_ - 1);
  double& height = heights_[k];
  switch (options_.heights) {
    case PointHeights::highest:
      if (!(height >= z)) height = z;
      return;
    case PointHeights::lowest:
      if (!(height <= z)) height = z;
      return;
    case PointHeights::mean:
      // The running mean: sums of large coordinates would lose digits.
      if (counts_[k] == std::numeric_limits<std::uint32_t>::max()) return;
      ++counts_[k];
      height = counts_[k] == 1 ? z : height + (z - height) / counts_[k];
      return;
  }
}

void HeightFieldBuilder::add(double x, double y, double z) {
  const double u = (x - origin_.x()) / options_.cell, v = (y - origin_.y()) / options_.cell;
  ++points_;
  if (options_.heights != PointHeights::highest)
    return put(static_cast<std::size_t>(std::round(u)), static_cast<std::size_t>(std::round(v)), z);
  // All corners of the squares that the point is in; of those beside it, too, where rounding could put it there.
  constexpr double kNear = 1e-6;
  const auto from = [](double w) { return static_cast<std::size_t>(std::max(0.0, std::floor(w - kNear))); };
  const auto to = [](double w) { return static_cast<std::size_t>(std::floor(w + kNear)) + 1; };
  for (std::size_t row = from(v); row <= to(v); ++row) {
    for (std::size_t column = from(u); column <= to(u); ++column) put(column, row, z);
  }
}

void HeightFieldBuilder::add(const PointView& points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3 p = points[i];
    if (!is_finite(p)) continue;
    if (!around_.contains(p))
      throw Error("points",
                  fmt::format("point {} at ({}, {}, {}) is beside the box that was given", i, p.x(), p.y(), p.z()));
    add(p.x(), p.y(), p.z());
  }
}

BuiltHeightField HeightFieldBuilder::build() const {
  if (points_ == 0) throw Error("points", "has none that could be a height");
  std::vector<double> heights = heights_;
  Rim rim(heights, columns_, options_.heights);
  std::size_t filled = 0;
  for (double reach = options_.cell; reach <= options_.fill * (1 + 1e-9); reach += options_.cell) {
    const std::size_t more = rim.fill();
    if (more == 0) break;
    filled += more;
  }
  const auto is_hole = [](double z) { return std::isnan(z); };
  if (const auto hole = std::find_if(heights.begin(), heights.end(), is_hole); hole != heights.end()) {
    const auto k = static_cast<std::size_t>(hole - heights.begin());
    const std::size_t column = k % columns_, row = k / columns_;
    throw Error("points",
                fmt::format("leave {} of {} heights without a point, the first at x {}, y {}; take larger cells, "
                            "or fill holes from farther than {} m",
                            std::count_if(hole, heights.end(), is_hole), heights.size(),
                            origin_.x() + static_cast<double>(column) * options_.cell,
                            origin_.y() + static_cast<double>(row) * options_.cell, options_.fill));
  }
  const HeightGrid grid{.columns = columns_, .rows = rows_, .dx = options_.cell, .dy = options_.cell};
  return {HeightField(grid, std::span<const double>(heights)), origin_, filled, points_};
}

}  // namespace graze
