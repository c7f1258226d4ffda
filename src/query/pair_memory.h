// What a PairCache remembers.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/access.h"
#include "graze/base/vec.h"
#include "graze/query/pair_cache.h"

namespace graze {

/// Where the last walk through the trees of two meshes ended: pairs of nodes that together cover all pairs of
/// triangles, each with a distance that it was farther apart than. While the meshes have moved by less than that, it
/// need not be looked at again.
struct MeshFront {
  /// A pair of nodes.
  struct Entry {
    double key;           ///< how far apart, plus `moved` when that was found
    std::uint32_t a, b;   ///< nodes: 8 × index + lane
    std::uint32_t lanes;  ///< which children of the larger one
  };
  std::vector<Entry> entries;  ///< the first `size`: a heap, the smallest key on top
  std::size_t size = 0;        ///< entries in use
  std::size_t cost = 0;        ///< steps after which a new front is cheaper
  std::uint32_t idle = 0;      ///< queries to come for which none is kept
  /// Which meshes and trees these are nodes of.
  std::uint64_t mesh_a = 0, mesh_b = 0, tree_a = 0, tree_b = 0;
  /// The rotation and the translation of b as a saw it, and how far anything may have moved since the front was new.
  Mat3 rotation = Mat3::Identity();
  Vec3 translation = Vec3::Zero();
  double moved = 0;
};

struct detail::PairMemory {
  void clear() { size = 0, has_parts = false, front.size = 0, front.idle = 0; }

  /// The last simplex as `size` points of both shapes, a and b, each in its own frame: they stay points of the shapes
  /// wherever the bodies move. `stamp_a` and `stamp_b` say whether these are still the shapes they belong to.
  int size = 0;
  std::uint64_t stamp_a = 0, stamp_b = 0;
  std::array<Vec3, 4> a{}, b{};

  /// Of meshes, where `has_parts`: `part_a` and `part_b`, which met or were nearest, with the stamps `whole_a` and
  /// `whole_b` of the geometries they belong to. They are asked first, which mostly leaves little to do for the rest.
  bool has_parts = false;
  std::uint64_t whole_a = 0, whole_b = 0;
  std::size_t part_a = 0, part_b = 0;

  /// See PairCache::keep_front.
  MeshFront front;
};
using detail::PairMemory;

/// Null without a cache.
inline PairMemory* memory_of(PairCache* cache) {
  return cache == nullptr ? nullptr : detail::Access::memory(*cache).get();
}

}  // namespace graze
