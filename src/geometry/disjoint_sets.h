// Numbers that are joined into sets, each known by its lowest number.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace graze::mesh {

class DisjointSets {
 public:
  using Index = std::uint32_t;
  /// Every number below `count` by itself.
  explicit DisjointSets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), Index{0}); }

  /// The lowest number of the set; shortens the path for those who ask next.
  Index find(Index i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  /// The same without changing anything: for several threads.
  Index root_of(Index i) const {
    while (parent_[i] != i) i = parent_[i];
    return i;
  }
  void unite(Index a, Index b) {
    a = find(a), b = find(b);
    if (a < b) parent_[b] = a;
    else parent_[a] = b;
  }

 private:
  std::vector<Index> parent_;
};

}  // namespace graze::mesh
