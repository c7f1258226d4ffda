#include "map/ray_fan.h"

#include <algorithm>
#include <array>
#include <bit>

namespace graze::map {
namespace {

/// Looking ahead costs a tile as much as the steps that it saves if its rays pass so many cells along their axis.
constexpr double kManyCells = 6000;

/// The cells of a brick whose rays are marched in each round. In every plane across an axis the first rounds have one
/// of 4 × 4 cells, one of 2 × 2, and every second one as on a chessboard.
constexpr std::array<BrickBits, 4> kRounds = [] {
  std::array<BrickBits, 4> rounds{};
  for (unsigned cell = 0; cell < 512; ++cell) {
    std::array<unsigned, 3> at{};
    for (unsigned a = 0; a < 3; ++a) at[a] = (cell >> a & 1U) | (cell >> (a + 2) & 2U) | (cell >> (a + 4) & 4U);
    const unsigned xy = at[0] ^ at[1], xz = at[0] ^ at[2];
    const unsigned round = ((xy | xz) & 3U) == 0 ? 0 : ((xy | xz) & 1U) == 0 ? 1 : (xy & xz & 1U) != 0 ? 2 : 3;
    rounds[round][cell >> 6U] |= std::uint64_t{1} << (cell & 63U);
  }
  return rounds;
}();

/// For each axis the cells of a word of 4 × 4 × 4 up to some coordinate.
constexpr std::array<std::array<std::uint64_t, 4>, 3> kUpTo = [] {
  std::array<std::array<std::uint64_t, 4>, 3> up_to{};
  for (unsigned cell = 0; cell < 64; ++cell) {
    for (unsigned a = 0; a < 3; ++a) {
      const unsigned at = (cell >> a & 1U) | (cell >> (a + 2) & 2U);
      for (unsigned k = at; k < 4; ++k) up_to[a][k] |= std::uint64_t{1} << cell;
    }
  }
  return up_to;
}();

/// The words of a box of cells along one axis: at most six, see look_ahead().
struct WordRow {
  std::array<std::uint64_t, 8> number{};  // of the words, the part of this axis
  std::array<std::uint64_t, 8> cells{};   // of each word those in the box
  std::size_t count = 0;

  WordRow(std::size_t axis, unsigned shift, std::int64_t low, std::int64_t high) {
    for (std::int64_t word = low >> 2; word <= high >> 2; ++word, ++count) {
      const auto w = static_cast<std::uint64_t>(word);
      number[count] = (w & 1U) << axis | (w >> 1U) << (shift - 6);
      cells[count] = ~std::uint64_t{0};
    }
    cells[count - 1] &= kUpTo[axis][static_cast<std::size_t>(high & 3)];
    if ((low & 3) != 0) cells[0] &= ~kUpTo[axis][static_cast<std::size_t>((low & 3) - 1)];
  }
};

}  // namespace

bool FrameGrid::all_missed(const std::array<std::int64_t, 3>& low, const std::array<std::int64_t, 3>& high) const {
  const WordRow x(0, shift_[0], low[0], high[0]), y(1, shift_[1], low[1], high[1]), z(2, shift_[2], low[2], high[2]);
  for (std::size_t k = 0; k < z.count; ++k) {
    for (std::size_t j = 0; j < y.count; ++j) {
      const std::uint64_t* row = &misses_[z.number[k] | y.number[j]];
      std::uint64_t missing = 0;
      for (std::size_t i = 0; i < x.count; ++i) missing |= x.cells[i] & ~row[x.number[i]];
      if ((missing & y.cells[j] & z.cells[k]) != 0) return false;
    }
  }
  return true;
}

void FrameGrid::look_ahead(RayTile& tile, const RayPlan& plan) const {
  constexpr double kRounding = 1.0 / 64;  // far more than that of any number here
  const CellKey brick = key_of(tile.brick);
  const std::array<std::int32_t, 3> corner{brick.x, brick.y, brick.z}, from{plan.from.x, plan.from.y, plan.from.z};
  std::array<std::int64_t, 3> start{};
  std::array<double, 3> origin{}, near{}, far{};  // in cells from the first one of the grid; rays end from near to far
  double longest = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const auto first = first_cell(a);
    start[a] = from[a] - first;
    origin[a] = plan.origin[static_cast<Eigen::Index>(a)] / plan.resolution - static_cast<double>(first);
    near[a] = static_cast<double>(corner[a] - first) + 0.5 - origin[a];
    far[a] = near[a] + 7;
    longest = std::max({longest, std::abs(near[a]), std::abs(far[a])});
  }
  // Boxes around the rays, of up to eight cells of their length; where a cell is not marked, smaller ones.
  double part = 1;
  while (tile.crossed < 1 && part > 1.0 / 8) {
    const double next = std::min(tile.crossed + part * std::min(0.5 / longest + tile.crossed / 8, 8 / longest), 1.0);
    std::array<std::int64_t, 3> low{}, high{};
    for (std::size_t a = 0; a < 3; ++a) {
      low[a] = static_cast<std::int64_t>(origin[a] + std::min(tile.crossed * near[a], next * near[a]) - kRounding);
      high[a] = static_cast<std::int64_t>(origin[a] + std::max(tile.crossed * far[a], next * far[a]) + kRounding);
      // Rays never go back across the faces of the cell where they start.
      if (near[a] >= 0) low[a] = std::max(low[a], start[a]);
      if (far[a] <= 0) high[a] = std::min(high[a], start[a]);
    }
    if (!all_missed(low, high)) {
      part /= 4;
      continue;
    }
    tile.crossed = next;
    part = std::min(1.0, 2 * part);
  }
}

void RayFan::march(FrameGrid& grid, const RayPlan& plan, RayBatch& batch) {
  tiles_.clear();
  grid.visit_ends([&](std::uint64_t brick, const BrickBits& hits, const BrickBits& ends) {
    const std::size_t rays = count_of(hits) + count_of(ends);
    if (rays == 0) return;
    const CellKey key = grid.key_of(brick);
    const double cells = std::max({std::abs(double(key.x) - plan.from.x), std::abs(double(key.y) - plan.from.y),
                                   std::abs(double(key.z) - plan.from.z)});
    const double passed = static_cast<double>(rays) * std::min(cells, plan.max_range / plan.resolution);
    tiles_.push_back({brick, passed < kManyCells, 0});
  });
  const auto march_batch = [&] {
    grid.march(batch, plan);
    batch.count = 0;
  };
  for (std::size_t round = 0; round < kRounds.size(); ++round) {
    for (RayTile& tile : tiles_) {
      if (round > 0 && tile.few) continue;
      if (round > 0) grid.look_ahead(tile, plan);
      const BrickBits &own = tile.few ? kAllBits : kRounds[round], hits = grid.hits_of(tile.brick),
                      ends = grid.ends_of(tile.brick);
      const CellKey brick = grid.key_of(tile.brick);
      for (unsigned w = 0; w < 8; ++w) {
        for (std::uint64_t left = (hits[w] | ends[w]) & own[w]; left != 0; left &= left - 1) {
          const auto bit = static_cast<unsigned>(std::countr_zero(left));
          const CellKey cell = cell_of_brick(brick, 64 * w + bit);
          const Vec3 center = Vec3(cell.x + 0.5, cell.y + 0.5, cell.z + 0.5) * plan.resolution;
          batch.add(center, (ends[w] >> bit & 1U) != 0, tile.crossed);
          if (batch.full()) march_batch();
        }
      }
    }
    march_batch();
  }
  grid.forget_ends();
}

}  // namespace graze::map
