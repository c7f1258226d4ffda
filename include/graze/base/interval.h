// A closed interval of the real line.
#pragma once

#include <algorithm>

namespace graze {

/// The numbers from `lower` to `upper`, both included; empty when lower > upper.
struct Interval {
  double lower = 0;
  double upper = 0;

  bool empty() const { return !(lower <= upper); }
  /// Of an interval that is not empty.
  double length() const { return upper - lower; }
  /// Ends included.
  bool contains(double x) const { return lower <= x && x <= upper; }
  bool operator==(const Interval&) const = default;
};

/// The smallest interval that holds both.
inline Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.lower, b.lower), std::max(a.upper, b.upper)};
}
/// What both have in common; empty if that is nothing.
inline Interval intersection(const Interval& a, const Interval& b) {
  return {std::max(a.lower, b.lower), std::min(a.upper, b.upper)};
}

}  // namespace graze
