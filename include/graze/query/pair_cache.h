// Memory of the last query about a pair, for bodies that move a little between queries.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "graze/base/vec.h"

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
  std::vector<Entry> entries;  ///< the first `size`: a heap, the least key on top
  std::size_t size = 0;        ///< entries in use
  std::size_t cost = 0;        ///< steps after which a new front is cheaper
  std::uint32_t idle = 0;      ///< queries to come for which none is kept
  /// Which meshes and trees these are nodes of.
  std::uint64_t mesh_a = 0, mesh_b = 0, tree_a = 0, tree_b = 0;
  /// The rotation and the translation of b as a saw it, and how far anything may have moved since the front began.
  Mat3 rotation = Mat3::Identity();
  Vec3 translation = Vec3::Zero();
  double moved = 0;
};

/// Where the last query about one pair of geometries ended. Hand the same cache to the next query about the same pair,
/// in either order: it starts from there. It never changes an answer by more than the answer's tolerance, and never
/// one of two meshes; one filled by another pair is recognised and ignored. One cache per pair and thread.
///
///     PairCache cache;
///     cache.keep_front();                                   // two meshes that stay near each other
///     for (…) collide(at(a, …), at(b, …), {.cache = &cache});
class PairCache {
 public:
  /// Forgets the last query.
  void clear() { size = 0, has_parts = false, front.size = 0, front.idle = 0; }

  /// From now on `collide` and `distance` of two meshes keep a front (see MeshFront): the next query looks at what may
  /// have come near since. Two to nine times faster where they move by no more than a tenth of what is between them,
  /// little or nothing where they jump. Allocates 24 bytes per entry, now and not later; a front that does not fit or
  /// does not pay is given up, and the query answered without. 0: keeps none.
  void keep_front(std::size_t entries = 8192) { front = {}, front.entries.resize(entries); }

  /// The last simplex as `size` points of both shapes, a and b, each in its own frame: they stay points of the shapes
  /// wherever the bodies move. `stamp_a` and `stamp_b` tell whether these are still the shapes they belong to.
  int size = 0;
  std::uint64_t stamp_a = 0, stamp_b = 0;
  std::array<Vec3, 4> a{}, b{};

  /// Of meshes, where `has_parts`: `part_a` and `part_b`, which met or were nearest, with the stamps `whole_a` and
  /// `whole_b` of the geometries they belong to. They are asked first, which mostly leaves little to do for the rest.
  bool has_parts = false;
  std::uint64_t whole_a = 0, whole_b = 0;
  std::size_t part_a = 0, part_b = 0;

  /// See keep_front.
  MeshFront front;
};

}  // namespace graze
