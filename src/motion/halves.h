// Intervals of time, halved: the loop of all walks along a path.
#pragma once

#include <cstddef>

namespace graze::motion {

/// More divisions of one step than any question needs: tangents, then halves down to the roundings of its time.
inline constexpr std::size_t kMaxDivisions = 128;

/// Calls look(part, first, second) for the whole and for its parts, depth first. It returns false if nothing more is
/// to be found in the part; otherwise `first` and `second` are now its halves, in the order in which they will be
/// looked at. No part may come from more than `kDepth` divisions. No allocation.
template <std::size_t kDepth, class Part, class Look>
void halve(const Part& whole, const Look& look) {
  Part open[kDepth + 2];
  std::size_t size = 0;
  open[size++] = whole;
  while (size > 0) {
    const Part part = open[--size];
    if (look(part, open[size + 1], open[size])) size += 2;
  }
}

}  // namespace graze::motion
