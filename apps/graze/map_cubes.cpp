#include "map_cubes.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "page_template.h"

namespace graze::app {
namespace {

constexpr int kUnknownByte = 255;  // known ones have 0 … 254 for probabilities from 0 to 1

int byte_of(float log_odds) { return static_cast<int>(std::floor(254 * probability_of(log_odds))); }

/// The cubes of a map that a page shows, none smaller than a level.
class CubeCollector {
 public:
  CubeCollector(const OccupancyMap& map, const MapCubesOptions& options, int level)
      : map_(map), options_(options), level_(level), threshold_(log_odds_of(options.threshold)) {}

  /// False if there are too many.
  bool collect() { return map_.empty() || walk(map_.root()); }
  std::vector<ShownCube> cubes;

 private:
  bool wanted(const OccupancyNode& n) const {
    return (n.has_known() && (options_.free || n.max_log_odds() >= threshold_)) ||
           (n.has_unknown() && options_.unknown);
  }
  bool inside(const Aabb& box) const {
    const Aabb& all = map_.bounds();
    return (box.min.array() >= all.min.array()).all() && (box.max.array() <= all.max.array()).all();
  }
  bool outside(const Aabb& box) const {
    const Aabb& all = map_.bounds();
    return (box.max.array() <= all.min.array()).any() || (box.min.array() >= all.max.array()).any();
  }
  bool add(const CellKey& key, int level, int value) {
    cubes.push_back({key, level, value});
    return cubes.size() <= options_.max;
  }

  bool walk(const OccupancyNode& n) {
    if (!wanted(n) || outside(map_.box(n))) return true;
    if (n.is_leaf())
      return n.has_known() ? add(n.key(), n.level(), byte_of(n.max_log_odds())) : unknown(n.key(), n.level());
    if (n.level() <= level_) {  // occupied before unknown before free
      const bool occupied = n.has_known() && n.max_log_odds() >= threshold_;
      if (!occupied && n.has_unknown() && options_.unknown) return add(n.key(), n.level(), kUnknownByte);
      return !n.has_known() || (!occupied && !options_.free) || add(n.key(), n.level(), byte_of(n.max_log_odds()));
    }
    std::array<OccupancyNode, 8> children;
    map_.children(n, children);
    return std::all_of(children.begin(), children.end(), [&](const OccupancyNode& child) { return walk(child); });
  }

  /// An unknown leaf, as far as it is within the bounds.
  bool unknown(const CellKey& key, int level) {
    const Aabb box = map_.box(key, level);
    if (!options_.unknown || outside(box)) return true;
    if (level <= level_ || inside(box)) return add(key, level, kUnknownByte);
    for (int i = 0; i < 8; ++i) {
      const auto at = [&](std::int32_t k, int bit) {
        return static_cast<std::int32_t>(std::int64_t{k} + ((i >> bit & 1) != 0 ? std::int64_t{1} << (level - 1) : 0));
      };
      if (!unknown({at(key.x, 0), at(key.y, 1), at(key.z, 2)}, level - 1)) return false;
    }
    return true;
  }

  const OccupancyMap& map_;
  const MapCubesOptions& options_;
  int level_;
  float threshold_;
};

}  // namespace

std::vector<ShownCube> cubes_of(const OccupancyMap& map, const MapCubesOptions& options, int& level) {
  for (level = 0;; ++level) {
    CubeCollector collector(map, options, level);
    if (collector.collect() || level == OccupancyMap::kTopLevel) return std::move(collector.cubes);
  }
}

std::string cube_bytes(const OccupancyMap& map, const std::vector<ShownCube>& cubes, const Vec3& origin) {
  std::string bytes;
  bytes.reserve(14 * cubes.size());
  for (const ShownCube& c : cubes) {
    const Vec3 center = map.box(c.key, c.level).center() - origin;
    for (int a = 0; a < 3; ++a) append_bytes(bytes, static_cast<float>(center[a]));
  }
  for (const ShownCube& c : cubes) bytes += static_cast<char>(c.level);
  for (const ShownCube& c : cubes) bytes += static_cast<char>(c.value);
  return bytes;
}

}  // namespace graze::app
