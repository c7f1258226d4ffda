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
  const auto across = static_cast<std::size_t>(count_[1]), up = static_cast<std::size_t>(count_[2]);
  const std::size_t plane = across * up;

  Buffer<std::int16_t> near, far;
  near.resize(grid.size());
  far.resize(grid.size());
  parallel_for(static_cast<std::size_t>(count_[0]),
               [&](std::size_t i) { std::fill_n(near.data() + i * plane, plane, kUnknown); }, {.threads = threads});
  mark_cells(model, grid, {near.data(), near.size()});

  // Least squared gap between cells, in cells: along `up` by two sweeps, then `across` by all offsets.
  parallel_for(static_cast<std::size_t>(count_[0]),
               [&](std::size_t i) {
                 std::int16_t *from = near.data() + i * plane, *to = far.data() + i * plane;
                 for (std::size_t j = 0; j < across; ++j) {
                   std::int16_t* row = from + j * up;
                   std::int32_t apart = kFarthest + 2;
                   // Distances are kept as small negative numbers until the second sweep, so that marks stay known.
                   for (std::size_t k = 0; k < up; ++k) {
                     apart = row[k] == 0 ? 0 : std::min(apart + 1, kFarthest + 2);
                     if (row[k] != 0) row[k] = static_cast<std::int16_t>(-apart);
                   }
                   apart = kFarthest + 2;
                   for (std::size_t k = up; k-- > 0;) {
                     apart = row[k] == 0 ? 0 : std::min(apart + 1, kFarthest + 2);
                     const std::int32_t min_value = std::min(apart, -std::int32_t{row[k]});
                     row[k] = min_value > kFarthest ? kUnknown : gap_square(min_value);
                   }
                 }
                 std::fill_n(to, plane, kUnknown);
                 for (std::int32_t j = 0; j < count_[1]; ++j) {
                   for (std::int32_t k = std::max(0, j - margin); k <= std::min(count_[1] - 1, j + margin); ++k) {
                     lower_by(to + static_cast<std::size_t>(j) * up, from + static_cast<std::size_t>(k) * up,
                              gap_square(j - k), up);
                   }
                 }
               },
               {.threads = threads});

  // Along the travel axis straight into slices of several cells.
  const std::int32_t slices = (count_[0] + group_ - 1) / group_;
  const auto levels = static_cast<int>(std::bit_width(static_cast<std::uint32_t>(slices)));
  const std::size_t level_size = static_cast<std::size_t>(slices) * plane;
  table_.resize(level_size * static_cast<std::size_t>(levels) + 8);  // the last gather reads four bytes
  std::fill_n(table_.data() + table_.size() - 8, 8, std::uint8_t{0});
  view_.max_value = static_cast<float>(margin * edge_);
  view_.unit = view_.max_value / 255;
  std::vector<std::uint8_t> steps(1 << 15);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double metres = std::sqrt(static_cast<double>(i)) * edge_ * (1 - 1e-6);
    steps[i] = static_cast<std::uint8_t>(std::min(255.0, std::floor(metres / double{view_.unit})));
  }
  parallel_for(static_cast<std::size_t>(slices),
               [&](std::size_t s) {
                 std::vector<std::int16_t> sum(plane, kUnknown);
                 const std::int32_t first = static_cast<std::int32_t>(s) * group_,
                                    last = std::min(first + group_, count_[0]) - 1;
                 for (std::int32_t i = std::max(0, first - margin); i <= std::min(count_[0] - 1, last + margin); ++i) {
                   const std::int32_t apart = i < first ? first - i : i > last ? i - last : 0;
                   lower_by(sum.data(), far.data() + static_cast<std::size_t>(i) * plane, gap_square(apart), plane);
                 }
                 std::uint8_t* out = table_.data() + s * plane;
                 for (std::size_t i = 0; i < plane; ++i) out[i] = steps[static_cast<std::size_t>(sum[i])];
               },
               {.threads = threads});
  for (int level = 1; level < levels; ++level) {
    const std::uint8_t* in = table_.data() + static_cast<std::size_t>(level - 1) * level_size;
    std::uint8_t* out = table_.data() + static_cast<std::size_t>(level) * level_size;
    const std::size_t reach = std::size_t{1} << (level - 1);
    parallel_for(static_cast<std::size_t>(slices),
                 [&](std::size_t s) {
                   const std::size_t other = std::min(s + reach, static_cast<std::size_t>(slices) - 1);
                   min_of(out + s * plane, in + s * plane, in + other * plane, plane);
                 },
                 {.threads = threads});
  }

  for (int i = 0; i < 3; ++i) {
    view_.axis[i] = grid.axis[i];
    const int axis = grid.axis[i];
    const auto around = static_cast<float>((std::abs(core_.min[axis] - origin_[axis]) + 1) * 1e-6);
    view_.low[i] = static_cast<float>(core_.min[axis] - origin_[axis]) - around;
    view_.high[i] = static_cast<float>(core_.max[axis] - origin_[axis]) + around;
    view_.inverse[i] = static_cast<float>(1 / (i == 0 ? edge_ * group_ : edge_));
  }
  view_.slices = slices;
  view_.across = count_[1];
  view_.up = count_[2];
  view_.levels = levels;
  view_.table = table_.data();
  view_.level_size = static_cast<std::int64_t>(level_size);
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
  const std::size_t plane = static_cast<std::size_t>(view_.across) * static_cast<std::size_t>(view_.up);
  const std::size_t level = static_cast<std::size_t>(std::bit_width(last - first + 1) - 1);
  const std::uint8_t* table = view_.table + level * static_cast<std::size_t>(view_.level_size);
  const std::uint8_t value =
      std::min(table[first * plane + column], table[(last + 1 - (std::size_t{1} << level)) * plane + column]);
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
