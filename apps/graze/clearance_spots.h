// Scanners write a direction without an echo as a point at one fixed spot, mostly 0, 0, 0: thousands of the same point.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graze/base/vec.h"

namespace graze::app {

/// A location at which many points are, to the last bit of their coordinates.
struct Spot {
  Vec3 at = Vec3::Zero();
  std::uint64_t points = 0;  ///< at least so many
};

struct SpotHash {
  std::size_t operator()(const Vec3& p) const;
};
struct SpotEqual {
  bool operator()(const Vec3& a, const Vec3& b) const { return a == b; }
};
using SpotSet = std::unordered_set<Vec3, SpotHash, SpotEqual>;

/// Finds every location with at least `kMany` equal points in a stream of up to some 10^8, in a few megabytes; none
/// that has fewer than half of that. In larger streams it takes proportionally more of them.
class SpotCounter {
 public:
  static constexpr std::uint64_t kMany = 1000;
  SpotCounter();
  /// The points are finite.
  void add(const Vec3& point);
  /// By number of points, most first.
  std::vector<Spot> spots() const;

 private:
  // A count-min sketch picks candidates, which are counted exactly from then on.
  static constexpr std::size_t kSlots = std::size_t{1} << 20U;
  std::vector<std::uint32_t> sketch_;
  std::unordered_map<Vec3, std::uint64_t, SpotHash, SpotEqual> candidates_;
  std::uint64_t seen_ = 0;
};

}  // namespace graze::app
