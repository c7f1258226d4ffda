#include "geometry/mesh_cells.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "geometry/mesh_data.h"

namespace graze::mesh {
namespace {

constexpr std::size_t kPerTriangle = 8, kFewest = 64, kMax = std::size_t{1} << 26U;
// So many cells are looked at per triangle, on average, at most.
constexpr std::size_t kWork = 64;
constexpr int kMaxWinding = 100;

// Cells from `first` to `last` along an axis that an interval reaches.
struct Range {
  std::uint32_t first, last;
  std::size_t size() const { return last - first + 1; }
};
Range range_of(const Cells& cells, int axis, double low, double high) {
  const double end = static_cast<double>(cells.count[axis]) - 1;
  const auto at = [&](double x) {
    return static_cast<std::uint32_t>(std::clamp((x - cells.origin[axis]) * cells.per_metre, 0.0, end));
  };
  return {at(low), at(high)};
}

struct Touched {
  Vec3 low, high;
  Range range[3];
  std::size_t size() const { return range[0].size() * range[1].size() * range[2].size(); }
};
Touched touched_by(const Cells& cells, const Data& data, std::size_t triangle, double grown) {
  const Vec3 &a = data.corner(triangle, 0), &b = data.corner(triangle, 1), &c = data.corner(triangle, 2);
  Touched t;
  t.low = a.cwiseMin(b).cwiseMin(c).array() - grown, t.high = a.cwiseMax(b).cwiseMax(c).array() + grown;
  for (int i = 0; i < 3; ++i) t.range[i] = range_of(cells, i, t.low[i], t.high[i]);
  return t;
}

// Marks the cells of a triangle's box that reach its plane.
void mark(Cells& cells, const Data& data, std::size_t triangle, double grown) {
  const Touched t = touched_by(cells, data, triangle, grown);
  const Vec3& a = data.corner(triangle, 0);
  Vec3 n = (data.corner(triangle, 1) - a).cross(data.corner(triangle, 2) - a);
  const double length = n.norm();
  // Of one without area, the plane is unknown: all of the box counts. What rounding makes of the direction of a sliver
  // is no matter either, as long as all three corners are within the reach of the plane.
  n = length > 0 && std::isfinite(length) ? Vec3(n / length) : Vec3(Vec3::Zero());
  double reach = n.cwiseAbs().sum() * (cells.size / 2) * (1 + 1e-6) + grown;
  for (std::size_t k = 1; k < 3; ++k) reach += std::abs(n.dot(data.corner(triangle, k) - a));
  const Vec3 step = n * cells.size;
  const Vec3 corner = cells.origin + Vec3::Constant(cells.size / 2) - a;
  for (std::uint32_t z = t.range[2].first; z <= t.range[2].last; ++z) {
    for (std::uint32_t y = t.range[1].first; y <= t.range[1].last; ++y) {
      const double row = n.dot(corner) + y * step.y() + z * step.z();
      std::int8_t* at = cells.winding.data() + cells.index(0, y, z);
      for (std::uint32_t x = t.range[0].first; x <= t.range[0].last; ++x) {
        if (!(std::abs(row + x * step.x()) > reach)) at[x] = Cells::kUnknown;
      }
    }
  }
}

// Gives each cell that is not marked its number: that of a neighbour, since nothing lies between them, or of its own.
void fill(Cells& cells, const Data& data) {
  const std::size_t row = cells.count[0], layer = row * cells.count[1];
  std::size_t i = 0;
  for (std::uint32_t z = 0; z < cells.count[2]; ++z) {
    for (std::uint32_t y = 0; y < cells.count[1]; ++y) {
      for (std::uint32_t x = 0; x < cells.count[0]; ++x, ++i) {
        std::int8_t& own = cells.winding[i];
        if (own == Cells::kUnknown) continue;
        if (x == 0 || y == 0 || z == 0) {
          own = 0;  // beside all that is outside
        } else if (cells.winding[i - 1] != Cells::kUnknown) {
          own = cells.winding[i - 1];
        } else if (cells.winding[i - row] != Cells::kUnknown) {
          own = cells.winding[i - row];
        } else if (cells.winding[i - layer] != Cells::kUnknown) {
          own = cells.winding[i - layer];
        } else {
          const int number = winding_by_rays(data, cells.origin + cells.size * Vec3(x + 0.5, y + 0.5, z + 0.5));
          own = std::abs(number) <= kMaxWinding ? static_cast<std::int8_t>(number) : Cells::kUnknown;
        }
      }
    }
  }
}

// Into how many cells the longest side is divided, so that there are no more than wanted.
std::size_t divisions(const Vec3& extent, double longest, std::size_t wanted) {
  const auto cells = [&](std::size_t n) {
    double product = 1;
    for (int i = 0; i < 3; ++i) product *= std::floor(extent[i] / longest * static_cast<double>(n)) + 1;
    return product;
  };
  std::size_t few = 1, many = wanted;
  while (many - few > 1) {
    const std::size_t middle = few + (many - few) / 2;
    (cells(middle) <= static_cast<double>(wanted) ? few : many) = middle;
  }
  return few;
}

}  // namespace

std::shared_ptr<const Cells> cells_of(const Data& data) {
  const Vec3 extent = data.bounds.max - data.bounds.min;
  const double longest = extent.maxCoeff();
  constexpr double kSmall = 1e-90, kLarge = 1e90;
  if (data.triangles.empty() || !(longest > kSmall && longest < kLarge)) return nullptr;
  const double rounding = 64 * kEpsilon * (data.bounds.min.cwiseAbs().sum() + data.bounds.max.cwiseAbs().sum());

  Cells cells;
  std::size_t wanted = std::clamp(kPerTriangle * data.triangles.size(), kFewest, kMax);
  for (;; wanted /= 4) {
    cells.size = longest / static_cast<double>(divisions(extent, longest, wanted));
    constexpr double kApart = 1.0 / 32;  // of a cell: what the nearest triangle is away from those that are known
    cells.clear = kApart * cells.size + rounding;
    cells.per_metre = 1 / cells.size;
    const double grown = 2 * cells.clear + rounding;
    cells.origin = data.bounds.min.array() - 2 * grown;
    for (int i = 0; i < 3; ++i)
      cells.count[i] = static_cast<std::uint32_t>((extent[i] + 4 * grown) * cells.per_metre) + 1;
    if (!(rounding < cells.size)) {
      // So far out that the numbers hardly tell the corners apart.
      if (wanted < 4) return nullptr;
      continue;
    }
    std::size_t work = 0;
    for (std::size_t i = 0; i < data.triangles.size(); ++i) work += touched_by(cells, data, i, grown).size();
    if (wanted <= kFewest || work <= kWork * data.triangles.size()) {
      cells.winding.assign(cells.index(0, 0, cells.count[2]), 0);
      for (std::size_t i = 0; i < data.triangles.size(); ++i) mark(cells, data, i, grown);
      fill(cells, data);
      return std::make_shared<const Cells>(std::move(cells));
    }
  }
}

}  // namespace graze::mesh
