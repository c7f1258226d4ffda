#include "scene/planar_grid.h"

#include <fmt/format.h>

#include <bit>
#include <limits>

#include "graze/base/error.h"
#include "graze/index/near_first.h"
#include "scene/planar_check.h"
#include "scene/planar_shapes.h"

namespace graze::planar {
namespace {

using Tables = Grid::Tables;
constexpr std::size_t kSide = Tables::kSide;
constexpr std::size_t kMaxCells = (std::size_t{1} << 31U) - 1;
// A side has less than 2^31 cells: 28 halvings of its words.
constexpr std::size_t kDepth = 30;

std::size_t halves(std::size_t n, std::size_t of) { return (n + of - 1) / of; }

// Cells of a word that are cells of the grid.
std::uint64_t valid_cells(const Grid& grid, std::size_t x, std::size_t y) {
  const std::size_t columns = std::min(kSide, grid.columns() - x * kSide),
                    rows = std::min(kSide, grid.rows() - y * kSide);
  const std::uint64_t row = (std::uint64_t{1} << columns) - 1;
  std::uint64_t cells = 0;
  for (std::size_t j = 0; j < rows; ++j) cells |= row << (j * kSide);
  return cells;
}

void build_levels(const Grid& grid, Tables& tables) {
  Tables::Level level{halves(grid.columns(), kSide), halves(grid.rows(), kSide), {}};
  level.flags.resize(level.columns * level.rows);
  for (std::size_t y = 0, at = 0; y < level.rows; ++y) {
    for (std::size_t x = 0; x < level.columns; ++x, ++at) {
      const std::uint64_t word = tables.words[at];
      level.flags[at] = static_cast<std::uint8_t>((word != 0 ? Tables::occupied : 0) |
                                                  ((valid_cells(grid, x, y) & ~word) != 0 ? Tables::free : 0));
    }
  }
  tables.levels.push_back(std::move(level));
  while (tables.levels.back().flags.size() > 1) {
    const Tables::Level& below = tables.levels.back();
    Tables::Level above{halves(below.columns, 2), halves(below.rows, 2), {}};
    above.flags.resize(above.columns * above.rows);
    for (std::size_t y = 0; y < below.rows; ++y) {
      for (std::size_t x = 0; x < below.columns; ++x) {
        std::uint8_t& flags = above.flags[x / 2 + y / 2 * above.columns];
        flags = static_cast<std::uint8_t>(flags | below.flags[x + y * below.columns]);
      }
    }
    tables.levels.push_back(std::move(above));
  }
}

// What rounding does to the corner of a cell, seen from a point `origin` away from that of the grid.
double rounding_of(const Grid& grid, const Vec2& origin) {
  const Vec2 extent(static_cast<double>(grid.columns()) * grid.cell().x(),
                    static_cast<double>(grid.rows()) * grid.cell().y());
  return 4 * kEpsilon * (norm1(origin) + norm1(extent));
}

struct Node {
  std::uint32_t x, y, level;
};

// The corners of some cells, without the origin of the grid.
Aabb2 cells_of(const Grid& grid, std::size_t x, std::size_t y, std::size_t side) {
  const auto at = [&](std::size_t i, std::size_t j) {
    return Vec2(static_cast<double>(std::min(i, grid.columns())) * grid.cell().x(),
                static_cast<double>(std::min(j, grid.rows())) * grid.cell().y());
  };
  return {at(x, y), at(x + side, y + side)};
}
Aabb2 cells_of(const Grid& grid, const Node& node) {
  const std::size_t side = kSide << node.level;
  return cells_of(grid, node.x * side, node.y * side, side);
}

// A question to the pyramid: Query has bound(box), limit() and cell(box), boxes without the origin of the grid. Nodes
// with a bound of at least the limit are passed over.
template <class Query>
class GridWalk {
 public:
  using Place = Node;
  using Bound = double;

  GridWalk(const Grid& grid, Tables::Flag wanted, Query& query) : grid_(grid), wanted_(wanted), query_(query) {}

  static bool is_leaf(const Node& node) { return node.level == 0; }
  static Node child(const Node& node, std::size_t k) {
    const auto bit = static_cast<std::uint32_t>(k);
    return {2 * node.x + (bit & 1U), 2 * node.y + (bit >> 1U), node.level - 1};
  }
  void open(const Node& node, Children<double>& children) const {
    const Tables::Level& level = grid_.tables().levels[node.level - 1];
    for (unsigned k = 0; k < 4; ++k) {
      const Node below = child(node, k);
      if (below.x >= level.columns || below.y >= level.rows) continue;
      if ((level.flags[below.x + below.y * level.columns] & wanted_) == 0) continue;
      children.bound[k] = query_.bound(cells_of(grid_, below));
      if (!beyond(children.bound[k])) children.near |= 1U << k;
    }
  }
  void leaf(const Node& node) {
    const std::uint64_t word = grid_.tables().words[node.x + node.y * grid_.tables().levels[0].columns];
    std::uint64_t left = wanted_ == Tables::occupied ? word : valid_cells(grid_, node.x, node.y) & ~word;
    for (; left != 0; left &= left - 1) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(left));
      const Aabb2 box = cells_of(grid_, node.x * kSide + bit % kSide, node.y * kSide + bit / kSide, 1);
      if (!beyond(query_.bound(box))) query_.cell(box);
    }
  }
  bool beyond(double bound) const { return bound >= query_.limit(); }

  void run() {
    const Tables& tables = grid_.tables();
    if ((tables.levels.back().flags[0] & wanted_) == 0) return;
    const Node root{0, 0, static_cast<std::uint32_t>(tables.levels.size() - 1)};
    NearStack<Node, double, kDepth, 4> open({query_.bound(cells_of(grid_, root)), root});
    near_first(*this, open);
  }

 private:
  const Grid& grid_;
  Tables::Flag wanted_;
  Query& query_;
};

// The nearest cell of a point, nearer than the limit.
struct NearestCell {
  Vec2 origin;  // of the grid, seen from the point
  double best = kInfinity;
  Vec2 to = Vec2::Zero();

  Vec2 offset_to(const Aabb2& box) const {
    const auto axis = [](double low, double high) { return low > 0 ? low : high < 0 ? high : 0.0; };
    return {axis(origin.x() + box.min.x(), origin.x() + box.max.x()),
            axis(origin.y() + box.min.y(), origin.y() + box.max.y())};
  }
  double bound(const Aabb2& box) const { return norm(offset_to(box)); }
  double limit() const { return best; }
  void cell(const Aabb2& box) {
    to = offset_to(box);
    best = norm(to);
  }
};

// Whether a cell is near; which one does not matter.
struct AnyCell : NearestCell {
  bool found = false;
  void cell(const Aabb2&) {
    found = true;
    best = -1;
  }
};

// The first cell on a path.
struct FirstCell {
  const Path& path;
  const Grid& grid;
  double radius;
  Vec2 from_base = grid.origin() - base_of(path), from_start = grid.origin() - path.from();  // to the grid's origin
  double rounding = rounding_of(grid, from_base) + rounding_of(grid, from_start);            // of corners
  double first = kInfinity;

  // That of the disc around the box.
  double bound(const Aabb2& box) const {
    const double reach = radius + norm(box.half()) * entry::kLater;
    const Vec2 start = from_start + box.center();
    if (!(norm(start) > reach + slack_of(path, start, reach) + rounding)) return 0;
    return enters_disc(path, from_base + box.center(), reach, rounding);
  }
  double limit() const { return first; }
  void cell(const Aabb2& box) {
    const std::array<Vec2, 4> corners{{box.min, {box.max.x(), box.min.y()}, box.max, {box.min.x(), box.max.y()}}};
    first = std::min(first, enters_ring(path, {grid.origin(), corners, rounding}, radius));
  }
};

}  // namespace

Grid::Grid(const Vec2& origin, const Vec2& cell, std::size_t columns, std::size_t rows, std::span<const bool> occupied)
    : origin_(checked_point("origin", origin)),
      cell_(checked_size("cell", checked::Sign::positive, cell)),
      columns_(columns),
      rows_(rows) {
  if (columns == 0 || rows == 0) throw Error("rows", "a grid needs at least one cell");
  if (rows > kMaxCells / columns)
    throw Error("rows", fmt::format("{} x {} cells are more than 2^31 - 1", columns, rows));
  if (occupied.size() != columns * rows)
    throw Error("rows", fmt::format("expected {} x {} cells, got {}", columns, rows, occupied.size()));
  checked_point("cell", {static_cast<double>(columns) * cell_.x(), static_cast<double>(rows) * cell_.y()});
  auto tables = std::make_shared<Tables>();
  const std::size_t words = halves(columns, kSide);
  tables->words.resize(words * halves(rows, kSide));
  for (std::size_t j = 0, at = 0; j < rows; ++j) {
    for (std::size_t i = 0; i < columns; ++i, ++at) {
      if (!occupied[at]) continue;
      tables->words[i / kSide + j / kSide * words] |= std::uint64_t{1} << (i % kSide + j % kSide * kSide);
      ++tables->occupied_cells;
      tables->bounds.extend(cells_of(*this, i, j, 1));
    }
  }
  build_levels(*this, *tables);
  if (tables->occupied_cells > 0) {
    const Aabb2& box = tables->bounds;
    tables->bounds = Aabb2{origin_ + box.min, origin_ + box.max}.grown(2 * rounding_of(*this, origin_));
  }
  tables_ = std::move(tables);
}

Grid Grid::from_text(const Vec2& origin, const Vec2& cell, std::span<const std::string_view> rows) {
  const std::size_t columns = rows.empty() ? 0 : rows[0].size();
  std::unique_ptr<bool[]> occupied(new bool[columns * rows.size()]);
  std::size_t at = 0;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    const auto refuse = [&](const std::string& why) { throw Error(fmt::format("rows[{}]", j), why); };
    if (rows[j].size() != columns)
      refuse(fmt::format("expected {} cells as in the first row, got {}", columns, rows[j].size()));
    for (std::size_t i = 0; i < columns; ++i) {
      const char letter = rows[j][i];
      if (letter != '#' && letter != '.' && letter != ' ') {
        const auto code = static_cast<unsigned char>(letter);
        const bool shown = code > 0x20 && code < 0x7F;
        refuse(fmt::format("expected '#' (occupied), '.' or ' ' (free), got {} in column {}",
                           shown ? fmt::format("'{}'", letter) : fmt::format("byte {}", code), i));
      }
      occupied[at++] = letter == '#';
    }
  }
  return Grid(origin, cell, columns, rows.size(), {occupied.get(), at});
}

bool Grid::occupied(std::size_t column, std::size_t row) const {
  const std::size_t words = tables_->levels[0].columns;
  const std::uint64_t word = tables_->words[column / kSide + row / kSide * words];
  return ((word >> (column % kSide + row % kSide * kSide)) & 1U) != 0;
}
std::size_t Grid::occupied() const { return tables_->occupied_cells; }
std::size_t Grid::memory_bytes() const {
  std::size_t bytes = sizeof(Tables) + tables_->words.capacity() * sizeof(std::uint64_t);
  for (const Tables::Level& level : tables_->levels) bytes += sizeof(level) + level.flags.capacity();
  return bytes;
}

Aabb2 bounds_of(const Grid& grid) { return grid.tables().bounds; }

NearestPoint nearest_of(const Grid& grid, const Vec2& q) {
  NearestCell query{.origin = grid.origin() - q};
  GridWalk(grid, Tables::occupied, query).run();
  NearestPoint near{query.best, q + query.to, 2 * rounding_of(grid, query.origin)};
  if (query.best > 0) return near;
  // Inside: the nearest free cell, or the nearest side of the grid.
  NearestCell way_out{.origin = query.origin};
  const Aabb2 all = cells_of(grid, 0, 0, std::max(grid.columns(), grid.rows()));
  for (const Vec2& to : {Vec2(query.origin.x(), 0), Vec2(query.origin.x() + all.max.x(), 0), Vec2(0, query.origin.y()),
                         Vec2(0, query.origin.y() + all.max.y())}) {
    if (norm(to) < way_out.best) way_out.best = norm(to), way_out.to = to;
  }
  GridWalk(grid, Tables::free, way_out).run();
  near.distance = -way_out.best;
  near.point = q + way_out.to;
  return near;
}

bool touches_within(const Grid& grid, const Vec2& q, double radius) {
  AnyCell query{{.origin = grid.origin() - q}};
  const double rounding = 2 * rounding_of(grid, query.origin);
  query.best = radius + rounding + 4 * kEpsilon * radius;
  query.best += query.best > 0 ? 0 : std::numeric_limits<double>::min();
  GridWalk(grid, Tables::occupied, query).run();
  return query.found;
}

double enters_grid(const Path& path, const Grid& grid, double radius) {
  FirstCell query{path, grid, radius};
  GridWalk(grid, Tables::occupied, query).run();
  return query.first;
}

}  // namespace graze::planar
