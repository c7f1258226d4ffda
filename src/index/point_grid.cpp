#include "graze/index/point_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "graze/base/error.h"
#include "index/grid.h"
#include "index/grid_search.h"
#include "index/point_check.h"

namespace graze {

using point_grid::Grid;

namespace {

// Half a grid would miss points: where memory is short in the middle of the work, none is left.
template <class Work>
void whole_or_empty(Grid& grid, const Work& work) {
  try {
    work();
  } catch (...) {
    grid = Grid();
    throw;
  }
}

}  // namespace

PointGrid::PointGrid() : grid_(std::make_unique<Grid>()) {}
PointGrid::PointGrid(const PointView& points, const PointGridOptions& options) : PointGrid() {
  rebuild(points, options);
  grid_->scratch = {};
}
PointGrid::PointGrid(PointGrid&&) noexcept = default;
PointGrid& PointGrid::operator=(PointGrid&&) noexcept = default;
PointGrid::~PointGrid() = default;

void PointGrid::rebuild(const PointView& points, const PointGridOptions& options) {
  check_floats(points);
  if (!(options.point_radius >= 0 && options.point_radius <= kLargestLength)) {
    throw Error("point radius", fmt::format("must be from 0 to {}, got {}", kLargestLength, options.point_radius));
  }
  if (points.size() >= std::numeric_limits<std::uint32_t>::max()) {
    throw Error("points", fmt::format("at most 2^32 - 2 points are supported, got {}", points.size()));
  }
  grid_->point_radius = options.point_radius;
  whole_or_empty(*grid_, [&] { point_grid::build(*grid_, points); });
}

void PointGrid::update(const PointView& frame, std::size_t first, std::size_t count) {
  check_floats(frame);
  if (frame.size() != grid_->given) {
    throw Error("frame", fmt::format("has {} points, but the index was made of {}", frame.size(), grid_->given));
  }
  if (first > frame.size() || count > frame.size() - first) {
    throw Error("frame", fmt::format("points {} to {} reach behind its {} points", first, first + count, frame.size()));
  }
  whole_or_empty(*grid_, [&] { point_grid::update(*grid_, frame, first, count); });
}

bool PointGrid::collides(const Vec3& center, double radius) const {
  const Grid& grid = *grid_;
  const SphereCheck ball{{center.x(), center.y(), center.z()}, radius, grid.point_radius};
  point_grid::Cell cell;
  // Whatever lies inside of the frame is a number, and a radius beyond all numbers collides as it should.
  if (!(radius >= 0) || !find_cell(grid, ball.center, cell)) return search(grid, ball);
  const point_grid::Verdict verdict = look_up(grid, ball, cell);
  return verdict == point_grid::Verdict::undecided ? search_undecided(grid, ball, cell)
                                                   : verdict == point_grid::Verdict::hit;
}

PointGrid::Verdict PointGrid::verdict(const Vec3& center, double inner, double outer) const {
  const Grid& grid = *grid_;
  const SphereCheck ball{{center.x(), center.y(), center.z()}, outer, grid.point_radius};
  point_grid::Cell cell;
  if (!(inner >= 0 && inner <= outer) || !find_cell(grid, ball.center, cell)) {
    if (!search(grid, ball)) return Verdict::free;
    return inner >= 0 && collides(center, inner) ? Verdict::hit : Verdict::undecided;
  }
  if (look_up(grid, ball, cell) == Verdict::free) return Verdict::free;
  if (look_up(grid, {{center.x(), center.y(), center.z()}, inner, grid.point_radius}, cell) == Verdict::hit)
    return Verdict::hit;
  return judge_undecided(grid, ball, inner, cell);
}

PointGrid::Verdicts PointGrid::verdicts(const SpheresView& outer, std::span<const double> inner) const {
  return judge_batch(*grid_, outer, inner.data(), std::min<std::size_t>(outer.size(), 64));
}

bool PointGrid::any_collides(const SpheresView& spheres) const {
  constexpr std::size_t kWord = 64;
  for (std::size_t i = 0; i < spheres.size(); i += kWord) {
    if (search_batch(*grid_, spheres, i, std::min(kWord, spheres.size() - i), true) != 0) return true;
  }
  return false;
}

void PointGrid::collides_each(const SpheresView& spheres, std::span<std::uint64_t> mask) const {
  constexpr std::size_t kWord = 64;
  for (std::size_t i = 0; i < spheres.size(); i += kWord) {
    mask[i / kWord] = search_batch(*grid_, spheres, i, std::min(kWord, spheres.size() - i), false);
  }
}

double PointGrid::nearest_at_most(const Vec3& center) const {
  point_grid::Cell cell{};
  if (grid_->empty() || !point_grid::find_cell(*grid_, center.data(), cell)) return kInfinity;
  return point_grid::nearest_at_most(*grid_, cell) * grid_->cell - grid_->point_radius;
}

Neighbor PointGrid::nearest(const Vec3& center, double limit) const {
  const Grid& grid = *grid_;
  if (!valid_sphere(center.x(), center.y(), center.z(), 0) || std::isnan(limit)) {
    return {Neighbor::kNone, std::numeric_limits<double>::quiet_NaN()};
  }
  const double reach = std::min(limit + grid.point_radius, 2 * kLargestLength);
  if (grid.empty() || reach < 0) return {};
  const double at[3] = {center.x(), center.y(), center.z()};
  const point_grid::Found found = search_nearest(grid, at, reach);
  if (found.index == point_grid::kNone) return {};
  return {found.index, std::sqrt(found.squared) - grid.point_radius};
}

std::size_t PointGrid::size() const { return grid_->size; }
std::size_t PointGrid::skipped() const { return grid_->skipped; }
double PointGrid::point_radius() const { return grid_->point_radius; }
Aabb PointGrid::bounds() const {
  if (grid_->empty()) return {};
  return {Vec3(grid_->low[0], grid_->low[1], grid_->low[2]), Vec3(grid_->high[0], grid_->high[1], grid_->high[2])};
}
double PointGrid::cell_size() const { return grid_->cell; }
std::size_t PointGrid::memory_bytes() const { return sizeof(Grid) + grid_->memory_bytes(); }
std::string PointGrid::validate() const { return point_grid::validate(*grid_); }

}  // namespace graze
