#include "clearance/field.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "clearance/field_lanes.h"
#include "clearance/field_mark.h"
#include "graze/base/elementary.h"
#include "graze/base/parallel.h"

namespace graze::clearance {
namespace {

constexpr double kMaxCells = 16e6;
constexpr std::int32_t kFarthest = 100;   // cells; the squares of three axes fit an int16
constexpr std::int16_t kUnknown = 32000;  // farther than the margin

// Between the nearest faces of two cells that are so many apart.
std::int16_t gap_square(std::int32_t apart) {
  const std::int32_t between = std::max(0, std::abs(apart) - 1);
  return static_cast<std::int16_t>(between * between);
}

double edge_for(const Aabb& core, double limit) {
  const Vec3 extent = core.max - core.min;
  const double longest = std::max(extent.maxCoeff(), std::max(limit, 1e-6));
  double edge = std::clamp(0.6 * limit, longest / 1024, longest / 64);
  for (;;) {
    const double margin = limit + 10 * edge;
    const double cells = ((extent.array() + 2 * margin) / edge + 1).prod();
    if (cells <= kMaxCells) return edge;
    edge *= std::max(1.02, elementary::pow(cells / kMaxCells, 1.0 / 3));
  }
}

// The gaps of the cells of one row to the nearest marked (0) ones in it, squared: up, then down again.
void sweep_row(std::int16_t* row, std::size_t count) {
  std::int32_t apart = kFarthest + 2;
  // Distances are kept as small negative numbers until the second sweep, so that marks stay known.
  for (std::size_t k = 0; k < count; ++k) {
    apart = row[k] == 0 ? 0 : std::min(apart + 1, kFarthest + 2);
    if (row[k] != 0) row[k] = static_cast<std::int16_t>(-apart);
  }
  apart = kFarthest + 2;
  for (std::size_t k = count; k-- > 0;) {
    apart = row[k] == 0 ? 0 : std::min(apart + 1, kFarthest + 2);
    const std::int32_t nearest = std::min(apart, -std::int32_t{row[k]});
    row[k] = nearest > kFarthest ? kUnknown : gap_square(nearest);
  }
}

// From the squared gaps within each of `rows` rows to those within the plane of all rows: by all offsets up to
// `margin`.
void combine_rows(const std::int16_t* from, std::int16_t* to, std::int32_t rows, std::size_t row_size,
                  std::int32_t margin) {
  std::fill_n(to, static_cast<std::size_t>(rows) * row_size, kUnknown);
  for (std::int32_t j = 0; j < rows; ++j) {
    for (std::int32_t k = std::max(0, j - margin); k <= std::min(rows - 1, j + margin); ++k) {
      lower_by(to + static_cast<std::size_t>(j) * row_size, from + static_cast<std::size_t>(k) * row_size,
               gap_square(j - k), row_size);
    }
  }
}

// Metres, in steps of a table, by the squared gap in cells. Rounded down.
std::vector<std::uint8_t> steps_of_gaps(double edge, double unit) {
  std::vector<std::uint8_t> steps(1 << 15);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double metres = std::sqrt(static_cast<double>(i)) * edge * (1 - 1e-6);
    steps[i] = static_cast<std::uint8_t>(std::min(255.0, std::floor(metres / unit)));
  }
  return steps;
}

}  // namespace

Field::Field(const ModelData& model, double limit, int travel_axis, int threads) {
  core_ = model.bounds.grown(-model.radius);
  edge_ = edge_for(core_, limit);
  const auto margin = static_cast<std::int32_t>(std::min<double>(kFarthest, std::ceil(limit / edge_) + 10));
  CellGrid grid{};
  grid.edge = edge_;
  for (int i = 0; i < 3; ++i) grid.axis[i] = (travel_axis + i) % 3;
  grid.origin = core_.min.array() - margin * edge_;
  origin_ = grid.origin;
  for (int i = 0; i < 3; ++i) {
    const double extent = core_.max[grid.axis[i]] - core_.min[grid.axis[i]];
    grid.count[i] = static_cast<std::int32_t>(std::ceil(extent / edge_)) + 2 * margin + 1;
    count_[i] = grid.count[i];
  }
  set_view(grid, margin);
  make_slices(gaps_in_planes(model, grid, margin, threads), margin, threads);
  make_ranges(threads);
}

// The squared gap of every cell to the nearest one of the model in its plane across the travel axis.
Buffer<std::int16_t> Field::gaps_in_planes(const ModelData& model, const CellGrid& grid, std::int32_t margin,
                                           int threads) const {
  const auto up = static_cast<std::size_t>(count_[2]);
  Buffer<std::int16_t> rows, planes;
  rows.resize(grid.size());
  planes.resize(grid.size());
  parallel_for(static_cast<std::size_t>(count_[0]),
               [&](std::size_t i) { std::fill_n(rows.data() + i * plane(), plane(), kUnknown); }, {.threads = threads});
  mark_cells(model, grid, {rows.data(), rows.size()});
  parallel_for(static_cast<std::size_t>(count_[0]),
               [&](std::size_t i) {
                 std::int16_t* from = rows.data() + i * plane();
                 for (std::size_t j = 0; j < plane(); j += up) sweep_row(from + j, up);
                 combine_rows(from, planes.data() + i * plane(), count_[1], up, margin);
               },
               {.threads = threads});
  return planes;
}

// Along the travel axis straight into slices of several cells: the first level of the table.
void Field::make_slices(const Buffer<std::int16_t>& gaps, std::int32_t margin, int threads) {
  table_.resize(static_cast<std::size_t>(view_.level_size) * static_cast<std::size_t>(view_.levels) +
                8);  // the last gather reads four bytes
  std::fill_n(table_.data() + table_.size() - 8, 8, std::uint8_t{0});
  view_.table = table_.data();
  const std::vector<std::uint8_t> steps = steps_of_gaps(edge_, double{view_.unit});
  parallel_for(static_cast<std::size_t>(view_.slices),
               [&](std::size_t s) {
                 std::vector<std::int16_t> sum(plane(), kUnknown);
                 const std::int32_t first = static_cast<std::int32_t>(s) * group_,
                                    last = std::min(first + group_, count_[0]) - 1;
                 for (std::int32_t i = std::max(0, first - margin); i <= std::min(count_[0] - 1, last + margin); ++i) {
                   const std::int32_t apart = i < first ? first - i : i > last ? i - last : 0;
                   lower_by(sum.data(), gaps.data() + static_cast<std::size_t>(i) * plane(), gap_square(apart),
                            plane());
                 }
                 std::uint8_t* out = table_.data() + s * plane();
                 for (std::size_t i = 0; i < plane(); ++i) out[i] = steps[static_cast<std::size_t>(sum[i])];
               },
               {.threads = threads});
}

// Every further level: the minimum over twice as many slices.
void Field::make_ranges(int threads) {
  const auto slices = static_cast<std::size_t>(view_.slices), level_size = static_cast<std::size_t>(view_.level_size);
  for (int level = 1; level < view_.levels; ++level) {
    const std::uint8_t* in = table_.data() + static_cast<std::size_t>(level - 1) * level_size;
    std::uint8_t* out = table_.data() + static_cast<std::size_t>(level) * level_size;
    const std::size_t reach = std::size_t{1} << (level - 1);
    parallel_for(slices,
                 [&](std::size_t s) {
                   const std::size_t other = std::min(s + reach, slices - 1);
                   min_of(out + s * plane(), in + s * plane(), in + other * plane(), plane());
                 },
                 {.threads = threads});
  }
}

// All but the table itself.
void Field::set_view(const CellGrid& grid, std::int32_t margin) {
  for (int i = 0; i < 3; ++i) {
    const int axis = grid.axis[i];
    view_.axis[i] = axis;
    const auto around = static_cast<float>((std::abs(core_.min[axis] - origin_[axis]) + 1) * 1e-6);
    view_.low[i] = static_cast<float>(core_.min[axis] - origin_[axis]) - around;
    view_.high[i] = static_cast<float>(core_.max[axis] - origin_[axis]) + around;
    view_.inverse[i] = static_cast<float>(1 / (i == 0 ? edge_ * group_ : edge_));
  }
  view_.slices = (count_[0] + group_ - 1) / group_;
  view_.across = count_[1];
  view_.up = count_[2];
  view_.levels = static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(view_.slices)));
  view_.max_value = static_cast<float>(margin * edge_);
  view_.unit = view_.max_value / 255;
  view_.level_size = static_cast<std::int64_t>(static_cast<std::size_t>(view_.slices) * plane());
}

double Field::min_over(double along_from, double along_to, double across, double up) const {
  const auto off = [&](double low, double high, int i) {
    const int axis = view_.axis[i];
    return std::max(0.0, std::max(core_.min[axis] - origin_[axis] - high, low - (core_.max[axis] - origin_[axis])));
  };
  const double ou = off(along_from, along_to, 0), ov = off(across, across, 1), ow = off(up, up, 2);
  const double box = std::sqrt(ou * ou + ov * ov + ow * ow);
  const double v = across / edge_, w = up / edge_, slice = edge_ * group_;
  if (!(v >= 0 && v < view_.across && w >= 0 && w < view_.up)) return box;
  if (!(along_to >= 0 && along_from < slice * view_.slices)) return box;
  const auto first = static_cast<std::size_t>(std::max(0.0, along_from / slice)),
             last = static_cast<std::size_t>(std::min<double>(view_.slices - 1, along_to / slice));
  const std::size_t column =
      static_cast<std::size_t>(v) * static_cast<std::size_t>(view_.up) + static_cast<std::size_t>(w);
  const std::size_t level = static_cast<std::size_t>(std::bit_width(last - first + 1) - 1);
  const std::uint8_t* table = view_.table + level * static_cast<std::size_t>(view_.level_size);
  const std::uint8_t value =
      std::min(table[first * plane() + column], table[(last + 1 - (std::size_t{1} << level)) * plane() + column]);
  return std::max(box, value * double{view_.unit});
}

double Field::bound(const Chord& chord, double radius, double& slack) const {
  const int u = view_.axis[0], v = view_.axis[1], w = view_.axis[2];
  const Vec3 a = chord.from - origin_, b = chord.to - origin_;
  const double ev = (b[v] - a[v]) / 2, ew = (b[w] - a[w]) / 2;
  slack = chord.deviation + std::sqrt(ev * ev + ew * ew);
  const double error = 1e-12 * (a.cwiseAbs().sum() + b.cwiseAbs().sum()) + 1e-9 * edge_;
  return min_over(std::min(a[u], b[u]) - error, std::max(a[u], b[u]) + error, (a[v] + b[v]) / 2, (a[w] + b[w]) / 2) -
         slack - radius - error;
}

LeafMotion Field::motion(const PoseTree& tree, const PoseNode& node, const Vec3& p, double radius) const {
  const Knot &a = tree.knot(node.first), &b = tree.knot(node.last);
  const Vec3 from = a.to_model(p) - origin_, to = b.to_model(p) - origin_;
  const int u = view_.axis[0], v = view_.axis[1], w = view_.axis[2];
  const double turned = (a.inverse - b.inverse).norm() / 2 * radius;
  // float32 rounds the centre, the products and the cells that are looked up.
  const double error = 2e-6 * (from.cwiseAbs().maxCoeff() + to.cwiseAbs().maxCoeff() + radius);
  const double ev = (to[v] - from[v]) / 2, ew = (to[w] - from[w]) / 2;
  LeafMotion motion;
  motion.half = static_cast<float>(std::abs(to[u] - from[u]) / 2 + turned + error);
  motion.slack = static_cast<float>(node.place + node.turn * ((p - node.center).norm() + radius) +
                                    std::sqrt(ev * ev + ew * ew) + turned + error);
  for (int i = 0; i < 3; ++i) {
    const int axis = view_.axis[i];
    motion.center[i] = static_cast<float>((from[axis] + to[axis]) / 2);
    for (int k = 0; k < 3; ++k) motion.turn[i][k] = static_cast<float>((a.inverse(axis, k) + b.inverse(axis, k)) / 2);
  }
  return motion;
}

void Field::lane_bounds(const LeafMotion& motion, const LeafPoints& points, std::uint32_t active, float* bounds) const {
  clearance::lane_bounds(view_, motion, points, active, bounds);
}

}  // namespace graze::clearance
