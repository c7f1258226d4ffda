// Memory of the last query about a pair, for bodies that move a little between queries.
#pragma once

#include <cstddef>
#include <memory>

namespace graze {

namespace detail {
struct Access;
struct PairMemory;
}  // namespace detail

/// Where the last query about one pair of geometries ended. Hand the same cache to the next query about the same pair,
/// in either order: it starts from there. It never changes an answer by more than the answer's tolerance, and never
/// one of two meshes; one filled by another pair is recognised and ignored. One cache per pair and thread. Queries
/// allocate nothing in it; making and copying one does. Moving is copying.
///
///     PairCache cache;
///     cache.keep_front();                                   // two meshes that stay near each other
///     for (…) collide(at(a, …), at(b, …), {.cache = &cache});
class PairCache {
 public:
  PairCache();
  PairCache(const PairCache& other);
  PairCache& operator=(const PairCache& other);
  ~PairCache();

  /// Forgets the last query.
  void clear();

  /// From now on `collide` and `distance` of two meshes keep a front: the pairs of nodes of their trees at which the
  /// last walk ended, each with a distance that it was farther apart than. The next query looks only at what may have
  /// come near since. Two to nine times faster where the meshes move by no more than a tenth of what is between them,
  /// little or nothing where they jump. Allocates 24 bytes per entry, now and not later; a front that does not fit or
  /// does not pay is given up, and the query answered without. 0: keeps none.
  void keep_front(std::size_t entries = 8192);

 private:
  friend struct detail::Access;
  std::unique_ptr<detail::PairMemory> memory_;
};

}  // namespace graze
