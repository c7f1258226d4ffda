// Broad phases of other libraries behind one small interface, so that each is compiled in a file of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graze/base/aabb.h"

namespace graze::bench {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// A set of moving boxes.
class BroadPeer {
 public:
  virtual ~BroadPeer() = default;
  virtual std::string name() const = 0;
  /// Sets the boxes without time being taken: what a caller has before the broad phase is asked.
  virtual void place(std::span<const Aabb> boxes) = 0;
  /// Brings the structure up to date and counts all pairs that it reports.
  virtual std::size_t step() = 0;
  /// The same pairs, the lower index first, sorted.
  virtual Pairs pairs() = 0;
};

/// Discs in the plane, and whether a disc touches any.
struct Disc {
  double x, y, radius;
};
class DiscPeer {
 public:
  virtual ~DiscPeer() = default;
  virtual bool touches(const Disc& query) = 0;
};

enum class FclManager { dynamic_tree, sweep_and_prune, spatial_hash };
std::unique_ptr<BroadPeer> make_fcl(FclManager manager, std::span<const Aabb> boxes);
std::unique_ptr<BroadPeer> make_bullet(std::span<const Aabb> boxes);
/// Discs as spheres in FCL's dynamic tree; the callback decides by the distance of centers.
std::unique_ptr<DiscPeer> make_fcl_discs(std::span<const Disc> discs);
/// Boxes in FCL's dynamic tree; whether the box around the query, 2 m high, overlaps any.
std::unique_ptr<DiscPeer> make_fcl_boxes(std::span<const Aabb> boxes);
/// The same, but the callback decides by the distance of the query's center from the rectangle.
std::unique_ptr<DiscPeer> make_fcl_rectangles(std::span<const Aabb> boxes);
/// FCL's dynamic tree built from scratch with each of its initial levels, 0 (default) to 3: CPU ns of the fastest of
/// `rounds`.
std::vector<double> fcl_build_times(std::span<const Aabb> boxes, int rounds);

}  // namespace graze::bench
