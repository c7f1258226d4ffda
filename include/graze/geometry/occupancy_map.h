// Space as sensors know it: cells that are free, occupied or unknown, in an octree.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

#include "graze/base/aabb.h"
#include "graze/base/visitor.h"

namespace graze {

/// The log-odds of a probability, log(p / (1 − p)), as OctoMap rounds it; ±infinity for 1 and 0.
float log_odds_of(double probability);
/// The probability of log-odds: 1 − 1 / (1 + exp(log_odds)).
double probability_of(float log_odds);

/// Where a cell is: cell (x, y, z) spans [x·resolution, (x + 1)·resolution) and so on.
struct CellKey {
  std::int32_t x = 0, y = 0, z = 0;  ///< any number of 32 bits; nothing wraps

  bool operator==(const CellKey&) const = default;
};

/// What is known about a location.
enum class Occupancy { unknown, free, occupied };

/// A cube of 2^level cells per side with one value: a leaf of the octree.
struct OccupancyCell {
  CellKey key;         ///< of the cell at the lower corner; a multiple of 2^level
  int level = 0;       ///< 0: a single cell
  float log_odds = 0;  ///< of being occupied
};

namespace detail {
struct OctreeNode;
struct OctreeChunk;
struct OccupancyData;
}  // namespace detail

/// A cube of the octree: something to walk with, a handle that is valid as long as a copy of its map is.
class OccupancyNode {
 public:
  /// 2^level cells per side.
  int level() const { return level_; }
  /// The cell at the lower corner.
  const CellKey& key() const { return key_; }
  /// Whether all of it has one value, or is unknown: there is nothing below.
  bool is_leaf() const { return leaf_; }
  /// Whether anything in it is known.
  bool has_known() const { return known_; }
  /// Whether anything in it is unknown. Of a leaf exactly one of the two is true.
  bool has_unknown() const { return unknown_; }
  /// The largest value of the known cells in it, that of a leaf; −infinity if nothing is known.
  float max_log_odds() const { return value_; }
  /// Whether anything in it counts as occupied: a known cell of at least `threshold` (log-odds), or unknown space.
  bool may_be_occupied(float threshold, bool unknown_is_occupied) const {
    return (known_ && value_ >= threshold) || (unknown_is_occupied && unknown_);
  }

 private:
  friend class OccupancyMap;
  CellKey key_;
  float value_ = 0;
  std::int8_t level_ = 0;
  std::int8_t root_ = -1;  // the octant of key space, while the node is above that octant's stored root
  bool leaf_ = true, known_ = false, unknown_ = true;
  const detail::OctreeNode* node_ = nullptr;  // where its children are described
  const detail::OctreeNode* pool_ = nullptr;  // the nodes that it counts its children in; null: the chunks of the map
};

/// An octree of occupancy probabilities, one version of it: immutable, copies share the data. Made by an
/// OccupancyMapBuilder, an OccupancyMapper (graze/map/occupancy_mapper.h) or a reader (graze/io/map_file.h).
///
///     OccupancyMap map = read_map("office.bt");
///     if (map.state(p) != Occupancy::free) …                         // occupied: probability ≥ 0.5
///     map.visit_leaves([&](const OccupancyCell& c) { draw(map.box(c), probability_of(c.log_odds)); });
///
/// Cells are half open, so that every point is in one cell; a point on a face belongs to the upper one. The box of a
/// cell is closed, with sides i × resolution, each one rounded product, and a point is in the cell whose box says so.
/// Cells have keys of 32 bits per axis; what is beyond them is unknown. All of space that no leaf covers is unknown.
class OccupancyMap {
 public:
  /// The level of the cube of all keys.
  static constexpr int kTopLevel = 32;
  /// Resolutions are from here to here, in metres.
  static constexpr double kMinResolution = 1e-6, kMaxResolution = 1e6;

  /// Nothing known, in cells of 5 cm.
  OccupancyMap();

  /// Side of a cell in metres.
  double resolution() const;
  /// How many leaves are known, coarse ones counted once.
  std::size_t leaves() const;
  /// Whether nothing is known.
  bool empty() const { return leaves() == 0; }
  /// The smallest box around all that is known; empty if nothing is.
  const Aabb& bounds() const;

  /// The cell that a point is in; none if it is not a number or out of the range of keys.
  std::optional<CellKey> key_of(const Vec3& p) const;
  /// The closed box of a cell, of a leaf, of a node.
  Aabb box(const CellKey& key, int level = 0) const;
  Aabb box(const OccupancyCell& cell) const { return box(cell.key, cell.level); }
  Aabb box(const OccupancyNode& node) const { return box(node.key(), node.level()); }

  /// The leaf that covers a cell, or a point; none if it is unknown. O(depth)
  std::optional<OccupancyCell> find(const CellKey& key) const;
  std::optional<OccupancyCell> find(const Vec3& p) const;
  /// The log-odds of a cell, or of the one that a point is in; none if it is unknown.
  std::optional<float> log_odds(const CellKey& key) const;
  std::optional<float> log_odds(const Vec3& p) const;
  /// Occupied if the probability is at least `threshold`, compared as log-odds.
  Occupancy state(const CellKey& key, double threshold = 0.5) const;
  Occupancy state(const Vec3& p, double threshold = 0.5) const;

  /// The cube of all keys, where walks start.
  OccupancyNode root() const;
  /// The eight children of a node that is no leaf, unknown ones included, in the order of the index x + 2y + 4z.
  void children(const OccupancyNode& node, std::array<OccupancyNode, 8>& out) const;
  /// Only those in which something is known; returns how many. Steps over levels at which there is only one, above the
  /// part of space that is known, so that a child may be more than one level below.
  int known_children(const OccupancyNode& node, std::array<OccupancyNode, 8>& out) const;

  /// Calls `visit(const OccupancyCell&)` for every known leaf in the order of the tree (a curve through space); ends
  /// early if it returns false.
  template <class Visit>
  void visit_leaves(Visit&& visit) const {
    visit_all(detail::erased(visit), &detail::call_visitor<std::remove_reference_t<Visit>, const OccupancyCell&>);
  }

  /// Seconds, on the clock of whoever inserted: when the newest frame was taken that is in here; none if the map is not
  /// made of frames. Of a region: of the frames that changed anything in it (to blocks of 8 × 8 × 8 cells).
  std::optional<double> newest() const;
  std::optional<double> newest(const Aabb& region) const;

  /// Equal for copies, and different (but for one chance in 2^64) for maps of different cells.
  std::uint64_t stamp() const;
  /// Bytes that the shared data takes.
  std::size_t memory_bytes() const;
  /// Derives everything again and compares. Throws Error saying what is wrong; nothing, unless memory was damaged.
  void validate() const;

 private:
  friend struct detail::OccupancyData;
  explicit OccupancyMap(std::shared_ptr<const detail::OccupancyData> data) : data_(std::move(data)) {}
  void visit_all(void* body, bool (*visit)(void*, const OccupancyCell&)) const;

  std::shared_ptr<const detail::OccupancyData> data_;
};

}  // namespace graze
