// Which vertices are at the same place, by a hash table: O(n), where sorting them would be most of a refit.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "graze/base/vec.h"
#include "index/buffer.h"

namespace graze::mesh {

/// Of a place; 0 and -0 are the same.
struct PlaceHash {
  std::uint64_t operator()(const Vec3& p) const {
    constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15U;
    std::uint64_t h = 0;
    for (int k = 0; k < 3; ++k) {
      h = (h ^ std::bit_cast<std::uint64_t>(p[k] + 0.0)) * kFactor;
      h ^= h >> 32U;
    }
    return h * kFactor;
  }
};

/// The first vertex at each place, found again by place. No allocation once there is room.
template <class Hash = PlaceHash>
class Places {
 public:
  /// `table` is memory for at most `count` different places of `vertices`.
  Places(std::span<const Vec3> vertices, std::size_t count, Buffer<std::uint32_t>& table)
      : vertices_(vertices), table_(table), size_(std::bit_ceil(std::max<std::size_t>(2 * count, 2))) {
    table_.assign(size_, kNobody);
    shift_ = 64U - static_cast<unsigned>(std::countr_zero(size_));
  }

  static constexpr std::uint32_t kNobody = 0xFFFFFFFF;

  /// The vertex that was first at the place of vertex i, i itself if none was; kNobody if too many share its hash,
  /// which takes vertices that were chosen for it.
  std::uint32_t first_at(std::uint32_t i) {
    std::size_t at = static_cast<std::size_t>(Hash()(vertices_[i]) >> shift_);
    for (int probe = 0; probe < kMaxProbes; ++probe, at = (at + 1) & (size_ - 1)) {
      if (table_[at] == kNobody) return table_[at] = i;
      if (vertices_[table_[at]] == vertices_[i]) return table_[at];
    }
    return kNobody;
  }

 private:
  static constexpr int kMaxProbes = 256;

  std::span<const Vec3> vertices_;
  Buffer<std::uint32_t>& table_;
  std::size_t size_;
  unsigned shift_ = 0;
};

/// The same by sorting, however the vertices were chosen.
inline std::vector<std::uint32_t> welded_by_sorting(std::span<const Vec3> vertices) {
  std::vector<std::uint32_t> order(vertices.size()), to(vertices.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto compare = [&](std::uint32_t i, std::uint32_t j) {
    for (int k = 0; k < 3; ++k) {
      if (vertices[i][k] != vertices[j][k]) return vertices[i][k] < vertices[j][k] ? -1 : 1;
    }
    return 0;
  };
  std::sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) {
    const int c = compare(i, j);
    return c < 0 || (c == 0 && i < j);
  });
  for (std::size_t i = 0; i < order.size(); ++i)
    to[order[i]] = i > 0 && compare(order[i - 1], order[i]) == 0 ? to[order[i - 1]] : order[i];
  return to;
}

/// The lowest index at the same place, for every vertex.
template <class Hash = PlaceHash>
std::vector<std::uint32_t> welded(std::span<const Vec3> vertices, Buffer<std::uint32_t>& table) {
  std::vector<std::uint32_t> to(vertices.size());
  Places<Hash> places(vertices, vertices.size(), table);
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    to[i] = places.first_at(static_cast<std::uint32_t>(i));
    if (to[i] == places.kNobody) return welded_by_sorting(vertices);
  }
  return to;
}

/// Whether `weld` is what welded(vertices) gives. It may be denied of vertices that were chosen to share a hash.
template <class Hash = PlaceHash>
bool is_welded(std::span<const Vec3> vertices, std::span<const std::uint32_t> weld, Buffer<std::uint32_t>& table) {
  std::size_t places = 0;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (weld[i] == i) ++places;
    else if (vertices[i] != vertices[weld[i]]) return false;
  }
  Places<Hash> known(vertices, places, table);
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (weld[i] == i && known.first_at(static_cast<std::uint32_t>(i)) != i) return false;
  }
  return true;
}

}  // namespace graze::mesh
