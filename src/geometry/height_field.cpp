#include "graze/geometry/height_field.h"

#include <fmt/format.h>

#include <bit>

#include "geometry/height_field_data.h"
#include "graze/base/error.h"

namespace graze {
namespace height_field {
namespace {

float rounded_down(double z) {
  const auto f = static_cast<float>(z);
  return static_cast<double>(f) > z ? std::nextafter(f, -std::numeric_limits<float>::infinity()) : f;
}
float rounded_up(double z) { return -rounded_down(-z); }

void check_cell(const char* name, double size, std::size_t count) {
  if (!(size >= kSmallestLength && size <= HeightField::kLargestHeight))
    throw Error("height field", fmt::format("{} must be more than 0 and at most 1e30, got {}", name, size));
  if (!(size * static_cast<double>(count) <= HeightField::kLargestHeight))
    throw Error("height field", fmt::format("reaches beyond 1e30: {} cells of {} = {}", count, name, size));
}

void check_grid(const HeightGrid& grid, std::size_t heights) {
  constexpr std::size_t kMost = std::size_t{1} << 31;
  if (grid.columns < 2 || grid.rows < 2)
    throw Error("height field", fmt::format("must have 2 × 2 heights or more, got {} × {}", grid.columns, grid.rows));
  if (grid.columns > kMost || grid.rows > kMost)
    throw Error("height field",
                fmt::format("must have 2^31 columns and rows at most, got {} × {}", grid.columns, grid.rows));
  if (heights / grid.columns != grid.rows || heights % grid.columns != 0)
    throw Error("height field", fmt::format("expected {} × {} heights, got {}", grid.columns, grid.rows, heights));
  check_cell("dx", grid.dx, grid.columns - 1);
  check_cell("dy", grid.dy, grid.rows - 1);
}

// How far i·step is from where it is rounded to, for all i up to count.
double product_rounding(double step, std::size_t count) {
  double worst = 0;
  for (std::size_t i = 0; i <= count; ++i) {
    const auto k = static_cast<double>(i);
    worst = std::max(worst, std::abs(std::fma(k, step, -(k * step))));
  }
  return worst;
}

template <class T>
std::shared_ptr<const Data> made(const HeightGrid& grid, std::span<const T> heights) {
  check_grid(grid, heights.size());
  auto data = std::make_shared<Data>();
  Data& d = *data;
  d.grid = grid;
  Range all;
  bool are_floats = true;
  std::uint64_t stamp = 0x4865696768747321U;
  const auto mix = [&](double number) {
    // Adding 0 leaves no −0, which is the same height.
    stamp = (stamp ^ std::bit_cast<std::uint64_t>(number + 0.0)) * 0x9E3779B97F4A7C15U;
    stamp ^= stamp >> 29U;
  };
  mix(static_cast<double>(grid.columns)), mix(static_cast<double>(grid.rows)), mix(grid.dx), mix(grid.dy);
  for (std::size_t k = 0; k < heights.size(); ++k) {
    const auto z = static_cast<double>(heights[k]);
    if (!(std::abs(z) <= HeightField::kLargestHeight)) {
      throw Error("height field", fmt::format("the height of row {}, column {} must be a number up to 1e30, got {}",
                                              k / grid.columns, k % grid.columns, z));
    }
    are_floats = are_floats && static_cast<double>(static_cast<float>(z)) == z;
    all.extend(z);
    mix(z);
  }
  d.stamp = stamp;
  if (are_floats) {
    d.floats.resize(heights.size());
    std::transform(heights.begin(), heights.end(), d.floats.begin(), [](T z) { return static_cast<float>(z); });
  } else {
    d.doubles.assign(heights.begin(), heights.end());
  }
  d.surface = {{0, 0, all.low}, {d.x(d.cells_x()), d.y(d.cells_y()), all.high}};
  // As far off along both axes at once.
  d.rounding = product_rounding(grid.dx, d.cells_x()) + product_rounding(grid.dy, d.cells_y());
  const std::size_t longest = std::max(d.cells_x(), d.cells_y());
  d.top = static_cast<int>(std::bit_width(longest - 1));
  for (int level = kStored; level <= d.top; ++level) {
    Data::Level l;
    const std::size_t size = std::size_t{1} << level;
    l.columns = (d.cells_x() + size - 1) >> level, l.rows = (d.cells_y() + size - 1) >> level;
    l.low.resize(l.columns * l.rows), l.high.resize(l.columns * l.rows);
    for (std::size_t row = 0; row < l.rows; ++row) {
      for (std::size_t column = 0; column < l.columns; ++column) {
        Range r;
        const std::size_t half = size / 2, i = column * size, j = row * size;
        for (const std::size_t y : {j, j + half}) {
          for (const std::size_t x : {i, i + half}) {
            if (x >= d.cells_x() || y >= d.cells_y()) continue;
            const Range part = d.range(x, y, level - 1);
            r.extend(part.low), r.extend(part.high);
          }
        }
        l.low[row * l.columns + column] = rounded_down(r.low);
        l.high[row * l.columns + column] = rounded_up(r.high);
      }
    }
    d.levels.push_back(std::move(l));
  }
  return data;
}

}  // namespace
}  // namespace height_field

HeightField::HeightField(const HeightGrid& grid, std::span<const double> heights)
    : data_(height_field::made(grid, heights)) {}
HeightField::HeightField(const HeightGrid& grid, std::span<const float> heights)
    : data_(height_field::made(grid, heights)) {}

const HeightGrid& HeightField::grid() const { return data_->grid; }
double HeightField::height(std::size_t column, std::size_t row) const { return data_->z(column, row); }
const Aabb& HeightField::surface_bounds() const { return data_->surface; }
std::size_t HeightField::triangles() const { return 2 * data_->cells_x() * data_->cells_y(); }
std::uint64_t HeightField::stamp() const { return data_->stamp; }
std::size_t HeightField::heights_bytes() const {
  return data_->floats.size() * sizeof(float) + data_->doubles.size() * sizeof(double);
}

std::size_t HeightField::memory_bytes() const {
  std::size_t bytes = sizeof(height_field::Data) + heights_bytes();
  for (const auto& level : data_->levels)
    bytes += (level.low.size() + level.high.size()) * sizeof(float) + sizeof(level);
  return bytes;
}

std::optional<double> HeightField::height_at(double x, double y) const {
  const height_field::Data& d = *data_;
  if (!(x >= 0 && x <= d.surface.max.x() && y >= 0 && y <= d.surface.max.y())) return std::nullopt;
  const auto cell = [](double at, double step, std::size_t count) {
    const auto i = static_cast<std::size_t>(std::max(0.0, at / step));
    return std::min(i, count - 1);
  };
  const std::size_t i = cell(x, d.grid.dx, d.cells_x()), j = cell(y, d.grid.dy, d.cells_y());
  const double u = std::clamp((x - d.x(i)) / d.grid.dx, 0.0, 1.0), v = std::clamp((y - d.y(j)) / d.grid.dy, 0.0, 1.0);
  const double z00 = d.z(i, j), z10 = d.z(i + 1, j), z01 = d.z(i, j + 1), z11 = d.z(i + 1, j + 1);
  // Weights of the corners of the triangle.
  if (u >= v) return (1 - u) * z00 + (u - v) * z10 + v * z11;
  return (1 - v) * z00 + (v - u) * z01 + u * z11;
}

}  // namespace graze
