// An occupancy map as an obstacle: which of its cells count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "graze/base/aabb.h"

namespace graze {

class OccupancyMap;
namespace detail {
struct Access;
}
namespace map_view {
struct Data;
}

/// What space that nobody has seen counts as. There is no default: either may be fatal.
enum class UnknownSpace { free, occupied };

/// The cells of a map that are obstacles, as closed boxes: those of a probability of at least a threshold and, if the
/// caller wishes so, all that is unknown, without end. Immutable; copies share the data, which keeps the map alive.
///
///     MapView walls(map, UnknownSpace::occupied);        // probability ≥ 0.5
///     bool hit = collide(at(walls), at(gripper, pose));
///
/// Features are cells; cell(feature) gives the box. Making one takes O(n) time in the leaves of the map.
class MapView {
 public:
  /// Throws Error for a threshold that is not between 0 and 1.
  MapView(const OccupancyMap& map, UnknownSpace unknown, double threshold = 0.5);
  MapView(const MapView&) = default;
  MapView& operator=(const MapView&) = default;
  ~MapView() = default;

  const OccupancyMap& map() const;
  UnknownSpace unknown() const;
  double threshold() const;
  /// The box around all that counts; everything where unknown space is occupied; empty if nothing counts.
  Aabb bounds() const;

  /// The leaf that a feature of an answer means; none for unknown space, and for maps of more than 2^21 cells per axis
  /// beyond those.
  std::optional<Aabb> cell(std::size_t feature) const;

  /// Equal for copies, and different (but for one chance in 2^64) for other views.
  std::uint64_t stamp() const;

 private:
  friend struct detail::Access;
  std::shared_ptr<const map_view::Data> data_;
};

}  // namespace graze
