#include "geometry/cell_bits.h"

#include <algorithm>
#include <span>

namespace graze::map_view {
namespace {

using detail::OccupancyData;
using detail::OctreeNode;

constexpr CellSpans cell_spans() {
  CellSpans spans{};
  for (unsigned a = 0; a < 3; ++a) {
    for (unsigned bit = 0; bit < 64; ++bit) {
      const unsigned at = (bit >> a & 1U) | (bit >> (a + 3) & 1U) << 1U;
      for (unsigned low = 0; low <= at; ++low) {
        for (unsigned high = at; high < 4; ++high) spans.axis[a][low][high] |= std::uint64_t{1} << bit;
      }
    }
  }
  return spans;
}

/// A node of the octree, and the nodes that it counts its children in; null: the chunks of the map.
struct Cube {
  const OctreeNode* node;
  const OctreeNode* pool;
};

class Builder {
 public:
  Builder(const OccupancyData& map, float log_odds, CellBits& bits) : map_(map), log_odds_(log_odds), bits_(bits) {}

  /// What counts below a root of the octree.
  void add(const detail::OctreeRoot& root) {
    const Cube cube{&root.node, map_.nodes.data()};
    int level = std::max(root.level + root.level % 2, CellBits::kBottomLevel);
    CellBlock block;
    if (root.level == level) {
      block = this->block(cube, level);
    } else if (root.level > CellBits::kBrickLevel) {
      Children children;
      add_half(block, children, static_cast<unsigned>(detail::child_of(root.key, level)), cube, level);
      block.first = put(children, level);
    } else {
      std::uint64_t brick = counting(root.node) << 8U * static_cast<unsigned>(detail::child_of(root.key, 2));
      if (root.level == CellBits::kBrickLevel) brick = brick_of(cube);
      if (brick != 0) block.some = std::uint64_t{1} << bit_of(root.key, level);
      block.first = static_cast<std::uint32_t>(bits_.bricks.size());
      bits_.bricks.push_back(brick);
    }
    if (block.some == 0) return;
    bits_.roots[bits_.count++] = {put(block), level, detail::corner_of(root.key, level)};
  }
  /// Puts a root into larger cubes until it is of this level.
  void raise(CellBits::Root& root, int level) {
    for (; root.level < level; root.level += 2) {
      CellBlock above;
      above.some = std::uint64_t{1} << bit_of(root.key, root.level + 2);
      above.first = root.block;
      root.key = detail::corner_of(root.key, root.level + 2);
      root.block = put(above);
    }
  }

 private:
  /// What is below a block, before all of it is put side by side.
  struct Children {
    std::array<CellBlock, 64> blocks;
    std::array<std::uint64_t, 64> bricks;
    std::size_t count = 0;
  };

  /// A bit for each child in which anything counts.
  std::uint64_t counting(const OctreeNode& node) const {
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < 8; ++i) bits |= std::uint64_t{node.value[i] >= log_odds_} << i;
    return bits & node.known;
  }
  Cube below(const Cube& cube, unsigned i) const {
    const std::uint32_t at = cube.node->index(static_cast<int>(i));
    if (cube.node->in_chunks == 0) return {&cube.pool[at], cube.pool};
    const detail::OctreeChunk& chunk = *map_.chunks[at];
    return {&chunk.root, chunk.nodes.data()};
  }
  std::uint64_t brick_of(const Cube& cube) const {
    std::uint64_t brick = 0;
    for (std::uint64_t left = counting(*cube.node); left != 0; left &= left - 1) {
      const auto i = static_cast<unsigned>(std::countr_zero(left));
      const bool leaf = (cube.node->inner >> i & 1U) == 0;
      brick |= (leaf ? 0xFFU : counting(*below(cube, i).node)) << 8 * i;
    }
    return brick;
  }
  CellBlock block(const Cube& cube, int level) {
    CellBlock r;
    Children children;
    for (std::uint64_t left = counting(*cube.node); left != 0; left &= left - 1) {
      const auto i = static_cast<unsigned>(std::countr_zero(left));
      if ((cube.node->inner >> i & 1U) != 0) {
        add_half(r, children, i, below(cube, i), level);
      } else {
        r.some |= std::uint64_t{0xFF} << 8 * i;
        r.full |= std::uint64_t{0xFF} << 8 * i;
      }
    }
    r.first = put(children, level);
    return r;
  }
  /// The half `i` of a block of this level.
  void add_half(CellBlock& out, Children& children, unsigned i, const Cube& half, int level) {
    for (std::uint64_t left = counting(*half.node); left != 0; left &= left - 1) {
      const auto j = static_cast<unsigned>(std::countr_zero(left));
      const std::uint64_t bit = std::uint64_t{1} << (8 * i + j);
      out.some |= bit;
      if ((half.node->inner >> j & 1U) == 0) {
        out.full |= bit;
      } else if (level == CellBits::kBottomLevel) {
        children.bricks[children.count++] = brick_of(below(half, j));
      } else {
        children.blocks[children.count++] = block(below(half, j), level - 2);
      }
    }
  }
  // Which child of a block of this level a cell is in.
  static unsigned bit_of(const CellKey& key, int level) {
    return 8U * static_cast<unsigned>(detail::child_of(key, level)) +
           static_cast<unsigned>(detail::child_of(key, level - 1));
  }
  std::uint32_t put(const CellBlock& block) {
    bits_.blocks.push_back(block);
    return static_cast<std::uint32_t>(bits_.blocks.size() - 1);
  }
  std::uint32_t put(const Children& children, int level) {
    const auto append = [&](auto& all, const auto& some) {
      const auto first = static_cast<std::uint32_t>(all.size());
      all.insert(all.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(children.count));
      return first;
    };
    return level == CellBits::kBottomLevel ? append(bits_.bricks, children.bricks)
                                           : append(bits_.blocks, children.blocks);
  }

  const OccupancyData& map_;
  float log_odds_;
  CellBits& bits_;
};

using Corner = std::array<std::int64_t, 3>;

Corner corner_of(const CellKey& key) { return {key.x, key.y, key.z}; }
Corner corner_of(const Corner& cube, unsigned bit, unsigned shift) {
  const Corner child = child_corner(bit, shift);
  return {cube[0] + child[0], cube[1] + child[1], cube[2] + child[2]};
}

class Bounds {
 public:
  explicit Bounds(const CellBits& bits) : bits_(bits) {}

  void add(const CellBlock& block, int level, const Corner& key) {
    const std::int64_t side = std::int64_t{1} << static_cast<unsigned>(level);
    if (inside(key, side)) return;
    const auto below = static_cast<unsigned>(level - 2);
    for (std::uint64_t left = block.some; left != 0; left &= left - 1) {
      const auto bit = static_cast<unsigned>(std::countr_zero(left));
      const Corner corner = corner_of(key, bit, below);
      if (inside(corner, side / 4)) continue;
      if ((block.full >> bit & 1U) != 0) extend(corner, side / 4);
      else if (level > CellBits::kBottomLevel) add(bits_.blocks[block.index(bit)], level - 2, corner);
      else add_brick(bits_.bricks[block.index(bit)], corner);
    }
  }
  const CellRange& range() const { return range_; }

 private:
  bool inside(const Corner& corner, std::int64_t side) const {
    bool in = true;
    for (std::size_t a = 0; a < 3; ++a) in = in && range_.low[a] <= corner[a] && corner[a] + side - 1 <= range_.high[a];
    return in;
  }
  void extend(const Corner& corner, std::int64_t side) {
    for (std::size_t a = 0; a < 3; ++a) {
      range_.low[a] = std::min(range_.low[a], corner[a]),
      range_.high[a] = std::max(range_.high[a], corner[a] + side - 1);
    }
  }
  void add_brick(std::uint64_t brick, const Corner& corner) {
    for (std::size_t a = 0; a < 3; ++a) {
      unsigned low = 0, high = 3;
      while (low < 3 && (brick & kCellSpans.axis[a][low][low]) == 0) ++low;
      while (high > 0 && (brick & kCellSpans.axis[a][high][high]) == 0) --high;
      range_.low[a] = std::min(range_.low[a], corner[a] + low);
      range_.high[a] = std::max(range_.high[a], corner[a] + high);
    }
  }

  static constexpr std::int64_t kFar = detail::KnownPart::kFar;
  const CellBits& bits_;
  CellRange range_{{kFar, kFar, kFar}, {-kFar, -kFar, -kFar}};
};

}  // namespace

constinit const CellSpans kCellSpans = cell_spans();

namespace {

/// Fills the table with what is below a block.
class Table {
 public:
  explicit Table(CellBits& bits) : bits_(bits) {}

  void add(std::uint32_t at, int level, const Corner& corner) {
    if (level == static_cast<int>(bits_.table_level)) {
      bits_.table[index_of(corner)] = at;
      return;
    }
    const auto shift = static_cast<unsigned>(level - 2);
    const CellBlock block = bits_.blocks[at];
    for (std::uint64_t left = block.some; left != 0; left &= left - 1) {
      const auto bit = static_cast<unsigned>(std::countr_zero(left));
      const Corner below = corner_of(corner, bit, shift);
      if ((block.full >> bit & 1U) == 0) add(block.index(bit), level - 2, below);
      else fill(below, std::int64_t{1} << shift);
    }
  }

 private:
  std::size_t index_of(const Corner& corner) const {
    const unsigned level = bits_.table_level;
    return bits_.place({corner[0] >> level, corner[1] >> level, corner[2] >> level});
  }
  void fill(const Corner& corner, std::int64_t side) {
    if (full_ == CellBits::kNone) {
      full_ = static_cast<std::uint32_t>(bits_.blocks.size());
      bits_.blocks.push_back({~std::uint64_t{0}, ~std::uint64_t{0}, 0});
    }
    const std::int64_t step = std::int64_t{1} << bits_.table_level;
    for (std::int64_t z = 0; z < side; z += step) {
      for (std::int64_t y = 0; y < side; y += step) {
        for (std::int64_t x = 0; x < side; x += step)
          bits_.table[index_of({corner[0] + x, corner[1] + y, corner[2] + z})] = full_;
      }
    }
  }

  CellBits& bits_;
  std::uint32_t full_ = CellBits::kNone;
};

}  // namespace

CellBits::CellBits(const OccupancyMap& map, float log_odds) {
  const OccupancyData& data = OccupancyData::of(map);
  Builder builder(data, log_odds, *this);
  for (const detail::OctreeRoot& root : data.roots) {
    if (root.exists) builder.add(root);
  }
  if (count == 0) return;
  Bounds around(*this);
  for (const Root& root : std::span(roots).first(count))
    around.add(blocks[root.block], root.level, corner_of(root.key));
  range = around.range();
  const double max_size = 512 + static_cast<double>(data.leaves) / 4;
  double size = 0;
  for (;; table_level += 2) {
    size = 1;
    for (std::size_t a = 0; a < 3; ++a) {
      table_first[a] = range.low[a] >> table_level;
      table_size[a] = (range.high[a] >> table_level) - table_first[a] + 1;
      size *= static_cast<double>(table_size[a]);
    }
    if (size <= max_size) break;
  }
  table.assign(static_cast<std::size_t>(size), kNone);
  Table filled(*this);
  for (Root& root : std::span(roots).first(count)) {
    builder.raise(root, static_cast<int>(table_level));
    filled.add(root.block, root.level, corner_of(root.key));
  }
}

Aabb CellBits::bounds(double resolution) const {
  Aabb box;
  if (count == 0) return box;
  for (int a = 0; a < 3; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    box.min[a] = static_cast<double>(range.low[axis]) * resolution;
    box.max[a] = static_cast<double>(range.high[axis] + 1) * resolution;
  }
  return box;
}

}  // namespace graze::map_view
