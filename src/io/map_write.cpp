// Files of occupancy maps, written: OctoMap's .bt and .ot here.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>

#include "graze/base/error.h"
#include "graze/io/map_file.h"
#include "graze/io/write_file.h"
#include "io/gmap_format.h"
#include "io/octomap_format.h"

namespace graze {
namespace {

class MapWriting {
 public:
  MapWriting(const OccupancyMap& map, MapFormat format, double threshold)
      : map_(map), format_(format), threshold_(log_odds_of(threshold)) {}

  std::string bytes() {
    if (!map_.empty()) {
      std::array<OccupancyNode, 8> octants;
      map_.children(map_.root(), octants);
      for (OccupancyNode& octant : octants) octant = lowered(octant);
      if (format_ == MapFormat::bt) (void)bt_children(octants, false);
      else (void)ot_children(octants);
    }
    return fmt::format(
               "{}\n# (feel free to add / change comments, but leave the first line as it "
               "is!)\n#\nid OcTree\nsize {}\nres {}\ndata\n",
               format_ == MapFormat::bt ? io::kFirstLineOfBt : io::kFirstLineOfOt, nodes_, map_.resolution()) +
           data_;
  }

 private:
  /// The part of an octant that OctoMap has: the cube of 2^15 cells at the origin.
  OccupancyNode lowered(OccupancyNode node) const {
    while (node.level() > io::kOctoMapDepth - 1) {
      std::array<OccupancyNode, 8> children;
      map_.children(node, children);
      std::optional<OccupancyNode> kept;
      for (const OccupancyNode& child : children) {
        const auto at_origin = [&](std::int32_t k) {
          return k == 0 || std::int64_t{k} + (std::int64_t{1} << static_cast<unsigned>(child.level())) == 0;
        };
        if (at_origin(child.key().x) && at_origin(child.key().y) && at_origin(child.key().z)) kept = child;
        else if (child.has_known()) refuse(child);
      }
      if (node.is_leaf() && node.has_known()) refuse(node);
      node = *kept;
    }
    return node;
  }
  [[noreturn]] static void refuse(const OccupancyNode& node) {
    throw Error("map", fmt::format("cell ({}, {}, {}) is beyond the 16-bit keys of OctoMap, -32768 to 32767; "
                                   "write a .gmap, which has all keys",
                                   node.key().x, node.key().y, node.key().z));
  }

  /// How a cube is written: 0 unknown, 1 free, 2 occupied, 3 with children of its own.
  unsigned bt_code(const OccupancyNode& node) {
    if (!node.is_leaf()) {
      std::array<OccupancyNode, 8> children;
      map_.children(node, children);
      return bt_children(children, true);
    }
    if (!node.has_known()) return 0;
    return node.max_log_odds() >= threshold_ ? 2 : 1;
  }
  /// Appends the two bytes of a cube and what follows them; nothing, if its eight children are one leaf.
  unsigned bt_children(const std::array<OccupancyNode, 8>& children, bool may_fold) {
    const std::size_t start = data_.size(), nodes = nodes_;
    data_.append(2, '\0');
    ++nodes_;
    unsigned bits = 0;
    bool same = may_fold;
    for (unsigned i = 0; i < 8; ++i) {
      const unsigned code = bt_code(children[i]);
      if (code == 1 || code == 2) ++nodes_;
      bits |= code << 2 * i;
      same = same && code == (bits & 3U) && code != 3;
    }
    if (same) {
      data_.resize(start);
      nodes_ = nodes;
      return bits & 3U;
    }
    data_[start] = static_cast<char>(bits & 0xFFU);
    data_[start + 1] = static_cast<char>(bits >> 8U);
    return 3;
  }

  /// Appends a cube in which something is known; returns the largest value.
  float ot_node(const OccupancyNode& node) {
    if (node.is_leaf()) {
      ++nodes_;
      append(node.max_log_odds(), 0);
      return node.max_log_odds();
    }
    std::array<OccupancyNode, 8> children;
    map_.children(node, children);
    return ot_children(children);
  }
  float ot_children(const std::array<OccupancyNode, 8>& children) {
    ++nodes_;
    unsigned present = 0;
    float value = -std::numeric_limits<float>::infinity();
    for (unsigned i = 0; i < 8; ++i) {
      if (!children[i].has_known()) continue;
      present |= 1U << i;
      value = std::max(value, children[i].max_log_odds());
    }
    append(value, present);
    for (const OccupancyNode& child : children) {
      if (child.has_known()) ot_node(child);
    }
    return value;
  }
  void append(float value, unsigned present) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (unsigned i = 0; i < 4; ++i) data_ += static_cast<char>(bits >> 8 * i & 0xFFU);
    data_ += static_cast<char>(present);
  }

  const OccupancyMap& map_;
  MapFormat format_;
  float threshold_;
  std::string data_;
  std::size_t nodes_ = 0;
};

MapFormat format_of(const std::string& path, const WriteMapOptions& options) {
  if (options.format) return *options.format;
  if (const auto format = map_format_of(path)) return *format;
  throw Error(path, "expected a name that ends in .gmap, .bt or .ot, or a format");
}

}  // namespace

const char* name_of(MapFormat format) {
  switch (format) {
    case MapFormat::bt:
      return "OctoMap .bt";
    case MapFormat::ot:
      return "OctoMap .ot";
    case MapFormat::gmap:
      break;
  }
  return "graze .gmap";
}

std::optional<MapFormat> map_format_of(std::string_view path) {
  if (path.ends_with(".bt")) return MapFormat::bt;
  if (path.ends_with(".ot")) return MapFormat::ot;
  if (path.ends_with(".gmap")) return MapFormat::gmap;
  return std::nullopt;
}

std::string map_bytes(const OccupancyMap& map, const WriteMapOptions& options) {
  if (!options.format) throw Error("format", "must be given");
  if (*options.format == MapFormat::gmap) return io::gmap_bytes(map, options.sensor);
  if (!(options.threshold >= 0 && options.threshold <= 1)) {
    throw Error("threshold", fmt::format("expected a probability from 0 to 1, got {}", options.threshold));
  }
  return MapWriting(map, *options.format, options.threshold).bytes();
}

std::string map_bytes(const OccupancyMap& map, MapFormat format, double threshold) {
  return map_bytes(map, {.format = format, .threshold = threshold});
}

void write_map(const std::string& path, const OccupancyMap& map, const WriteMapOptions& options) {
  WriteMapOptions known = options;
  known.format = format_of(path, options);
  write_file(path, map_bytes(map, known));
}

}  // namespace graze
