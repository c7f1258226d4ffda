// The cubes into which a report sorts the points that are too near, and how they join to clusters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "graze/clearance/report.h"

namespace graze::clearance {

struct CellKey {
  std::int64_t x = 0, y = 0, z = 0;
  auto operator<=>(const CellKey&) const = default;
};

struct CellHash {
  std::size_t operator()(const CellKey& k) const {
    // Odd factors of 64 bits, mixed so that neighbours fall far apart.
    std::uint64_t h = static_cast<std::uint64_t>(k.x) * 0x9E3779B97F4A7C15ULL;
    h = (h ^ (h >> 29)) + static_cast<std::uint64_t>(k.y) * 0xC2B2AE3D27D4EB4FULL;
    h = (h ^ (h >> 31)) + static_cast<std::uint64_t>(k.z) * 0x165667B19E3779F9ULL;
    h *= 0x9FB21C651E98DF25ULL;
    return static_cast<std::size_t>(h ^ (h >> 32));
  }
};

/// A point and what was said of it, without what can be worked out again.
struct Candidate {
  Vec3 point = Vec3::Zero();
  PointClearance result;
  std::uint64_t index = 0;
  bool none = true;
};

/// Whether the first is worse: nearer, and of equally near ones the one with the lower index.
bool worse(double clearance_a, std::uint64_t index_a, double clearance_b, std::uint64_t index_b);

/// What is known of the points below the warning threshold in one cube.
struct Cell {
  Candidate worst;
  std::array<std::uint64_t, kLevels> points{};
  double from = kInfinity, to = -kInfinity;  // chainage
  Aabb bounds;

  void merge(const Cell& other);
};
using Cells = std::unordered_map<CellKey, Cell, CellHash>;

/// Connected cells, each list a cluster, in an order that depends on the cells alone. Those with failing
/// points join first and take in what warns up to `halo` cells around; what is left of the warning ones joins then.
std::vector<std::vector<CellKey>> join_cells(const Cells& cells, int halo);

}  // namespace graze::clearance
