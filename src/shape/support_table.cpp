#include "shape/support_table.h"

#include <algorithm>
#include <array>
#include <queue>
#include <utility>

#include "shape/lanes.h"

namespace graze {
namespace {

// Lists no longer than this are not divided further: two steps of the widest lanes.
constexpr std::size_t kShort = 16;
// Lists longer than this are certain to be divided, or too long to gain much.
constexpr std::size_t kLong = 256;
// Entries kept per vertex, beyond which nothing is divided further.
constexpr std::size_t kEntriesPerVertex = 16;
constexpr int kMaxBits = 6;
// Directions and lengths whose products could lose digits to underflow are left to the scan.
constexpr double kSmallestDirection = 1e-150, kSmallestRadius = 1e-60;
// The cell of a direction is found with a few roundings: cells are wider than that.
constexpr double kWidening = 1e-12;

double along(const Vec3& p, const Vec3& d) { return (p.x() * d.x() + p.y() * d.y()) + p.z() * d.z(); }

/// A cell of `1 << level` along the side of a face, and its candidates.
struct Cell {
  unsigned face = 0;  // axis, or 3 + axis for directions against it
  int level = 0;
  std::uint32_t column = 0, row = 0;
  std::vector<std::uint32_t> vertices;  // ascending
};

struct Longest {
  const std::vector<Cell>* cells;
  bool operator()(std::size_t i, std::size_t j) const {
    const std::size_t a = (*cells)[i].vertices.size(), b = (*cells)[j].vertices.size();
    return a != b ? a < b : i > j;
  }
};

std::array<Vec3, 4> corners_of(const Cell& cell) {
  const auto axis = static_cast<Eigen::Index>(cell.face % 3);
  const double side = std::ldexp(2.0, -cell.level);
  std::array<Vec3, 4> corners;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const auto end = [&](std::uint32_t place, bool upper) {
      return upper ? -1 + (place + 1) * side + kWidening : -1 + place * side - kWidening;
    };
    corners[i][axis] = cell.face < 3 ? 1 : -1;
    corners[i][(axis + 1) % 3] = end(cell.column, (i & 1U) != 0);
    corners[i][(axis + 2) % 3] = end(cell.row, (i & 2U) != 0);
  }
  return corners;
}

/// Removes from the list of the cell all that another vertex of it exceeds along every corner, by more than the
/// rounding of two computed heights. What is removed is exceeded by one that stays.
void keep_candidates(std::span<const Vec3> points, double radius, Cell& cell) {
  using Heights = std::array<double, 4>;
  // The difference of two heights along a direction of length up to 2 is wrong by no more than 6 epsilon of the radius:
  // here and, relative to its length, in the query.
  const double margin = 64 * kEpsilon * radius;
  const std::array<Vec3, 4> corners = corners_of(cell);
  std::vector<Heights> heights;
  heights.reserve(cell.vertices.size());
  for (const std::uint32_t v : cell.vertices) {
    const Vec3& p = points[v];
    heights.push_back({along(p, corners[0]), along(p, corners[1]), along(p, corners[2]), along(p, corners[3])});
  }
  const auto exceeds = [&](const Heights& a, const Heights& b) {
    return a[0] - b[0] > margin && a[1] - b[1] > margin && a[2] - b[2] > margin && a[3] - b[3] > margin;
  };
  // Most are exceeded by one of the highest at the middle of the cell: those are put in front and asked. A vertex that
  // a removed one exceeds is exceeded by one that stays, too, so that those kept so far are enough to ask. A list that
  // is going to be divided need not be the shortest possible.
  const std::size_t asked = heights.size() > kLong ? 8 : 64;
  std::vector<std::pair<double, std::uint32_t>> order(heights.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    const Heights& h = heights[i];
    order[i] = {-((h[0] + h[3]) + (h[1] + h[2])), i};
  }
  if (order.size() > asked)
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(asked), order.end());
  std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(std::min(asked, order.size())));
  std::vector<std::uint32_t> kept;
  for (const auto& [middle, i] : order) {
    bool exceeded = false;
    for (std::size_t k = 0; k < std::min(kept.size(), asked) && !exceeded; ++k) {
      exceeded = exceeds(heights[kept[k]], heights[i]);
    }
    if (!exceeded) kept.push_back(i);
  }
  for (std::uint32_t& i : kept) i = cell.vertices[i];
  std::sort(kept.begin(), kept.end());
  cell.vertices = std::move(kept);
}

std::size_t blocks_of(std::size_t entries) { return (entries + lanes::kBlock - 1) / lanes::kBlock; }

}  // namespace

std::shared_ptr<const SupportTable> SupportTable::of(std::span<const Vec3> centered, double radius) {
  const std::size_t count = centered.size();
  if (count < kMinVertices || !(radius > kSmallestRadius)) return nullptr;
  // As many cells as vertices, about.
  int bits = 1;
  while (bits < kMaxBits && (std::size_t{6} << (2 * bits + 2)) <= 2 * count) ++bits;

  std::vector<Cell> cells;
  std::priority_queue<std::size_t, std::vector<std::size_t>, Longest> longest(Longest{&cells});
  std::vector<std::size_t> leaves;
  std::size_t entries = 0;
  const auto add = [&](Cell cell) {
    keep_candidates(centered, radius, cell);
    entries += cell.vertices.size();
    cells.push_back(std::move(cell));
    const Cell& added = cells.back();
    if (added.vertices.size() <= kShort || added.level == bits) leaves.push_back(cells.size() - 1);
    else longest.push(cells.size() - 1);
  };
  std::vector<std::uint32_t> all(count);
  for (std::uint32_t i = 0; i < count; ++i) all[i] = i;
  for (unsigned face = 0; face < 6; ++face) add({.face = face, .vertices = all});
  while (!longest.empty()) {
    const std::size_t place = longest.top();
    longest.pop();
    if (entries > kEntriesPerVertex * count) {
      leaves.push_back(place);
      continue;
    }
    Cell parent = std::move(cells[place]);
    cells[place].vertices.clear();
    entries -= parent.vertices.size();
    for (std::uint32_t child = 0; child < 4; ++child) {
      add({.face = parent.face,
           .level = parent.level + 1,
           .column = 2 * parent.column + child % 2,
           .row = 2 * parent.row + child / 2,
           .vertices = parent.vertices});
    }
  }

  auto table = std::make_shared<SupportTable>();
  table->bits_ = bits;
  const std::uint32_t side = 1U << static_cast<unsigned>(bits);
  table->cells_.resize(std::size_t{6} * side * side);
  for (const std::size_t leaf : leaves) {
    const Cell& cell = cells[leaf];
    List list;
    // With half of all blocks to look at, the scan of all is as good.
    if (2 * blocks_of(cell.vertices.size()) <= blocks_of(count)) {
      list.first = static_cast<std::uint32_t>(table->lanes_.size() / 3);
      list.blocks = static_cast<std::uint32_t>(blocks_of(cell.vertices.size()));
      const auto lanes = lanes::arranged<Lane, 3>(cell.vertices.size(), [&](std::size_t i) {
        const Vec3& p = centered[cell.vertices[i]];
        return std::array{p.x(), p.y(), p.z()};
      });
      table->lanes_.insert(table->lanes_.end(), lanes.begin(), lanes.end());
      table->vertices_.insert(table->vertices_.end(), cell.vertices.begin(), cell.vertices.end());
      table->vertices_.resize((std::size_t{list.first} + list.blocks) * lanes::kBlock, cell.vertices.back());
    }
    const std::uint32_t width = side >> static_cast<unsigned>(cell.level);
    for (std::uint32_t row = cell.row * width; row < (cell.row + 1) * width; ++row) {
      for (std::uint32_t column = cell.column * width; column < (cell.column + 1) * width; ++column) {
        table->cells_[(std::size_t{cell.face} * side + row) * side + column] = list;
      }
    }
  }
  table->lanes_.shrink_to_fit();
  table->vertices_.shrink_to_fit();
  return table;
}

SupportTable::Candidates SupportTable::candidates(const Vec3& direction) const {
  const double x = std::abs(direction.x()), y = std::abs(direction.y()), z = std::abs(direction.z());
  const bool along_x = x >= y && x >= z, along_y = !along_x && y >= z;
  const double main = along_x ? direction.x() : along_y ? direction.y() : direction.z();
  const double first = along_x ? direction.y() : along_y ? direction.z() : direction.x();
  const double second = along_x ? direction.z() : along_y ? direction.x() : direction.y();
  const double size = std::abs(main);
  if (!(size > kSmallestDirection && size < 1 / kSmallestDirection)) return {};
  const auto side = static_cast<double>(1 << bits_), scale = 0.5 * side / size;
  const auto place = [&](double coordinate) {
    // At the upper end of the face, and just beyond by rounding, the last cell is meant. A number that is none gives 0.
    const double scaled = coordinate * scale + 0.5 * side;
    return static_cast<std::size_t>(scaled > 0 ? std::min(scaled, side - 1) : 0);
  };
  const std::size_t axis = along_x ? 0 : along_y ? 1 : 2, face = main < 0 ? axis + 3 : axis;
  const List list =
      cells_[(((face << static_cast<unsigned>(bits_)) + place(second)) << static_cast<unsigned>(bits_)) + place(first)];
  if (list.blocks == 0) return {};
  return {lanes_[std::size_t{3} * list.first].values, list.blocks, vertices_.data() + list.first * lanes::kBlock};
}

std::size_t SupportTable::memory_bytes() const {
  return cells_.capacity() * sizeof(List) + lanes_.capacity() * sizeof(Lane) +
         vertices_.capacity() * sizeof(std::uint32_t);
}

Farthest::Farthest(std::span<const Vec3> points)
    : lanes_(lanes::arranged<SupportTable::Lane, 3>(points.size(), [&](std::size_t i) {
        return std::array{points[i].x(), points[i].y(), points[i].z()};
      })) {
  double radius = 0;
  for (const Vec3& p : points) radius = std::max(radius, p.norm());
  table_ = SupportTable::of(points, radius * (1 + 8 * kEpsilon));
}

std::size_t Farthest::operator()(const Vec3& direction) const {
  if (table_ != nullptr) {
    const SupportTable::Candidates near = table_->candidates(direction);
    if (near.blocks > 0) return near.vertices[lanes::highest_vertex(near.lanes, near.blocks, direction)];
  }
  return lanes::highest_vertex(lanes_[0].values, lanes_.size() / 3, direction);
}

}  // namespace graze
