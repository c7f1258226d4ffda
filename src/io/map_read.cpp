// OctoMap's .bt and .ot: a few lines of text, then the nodes of the octree depth first.
#include <fmt/format.h>
#include <sys/stat.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <optional>

#include "geometry/occupancy_data.h"
#include "graze/base/error.h"
#include "graze/io/map_file.h"
#include "io/bytes.h"
#include "io/gmap_format.h"
#include "io/mesh_source.h"
#include "io/octomap_format.h"

namespace graze {
namespace {

using detail::OctreeSlot;
using io::ByteReader;
using io::Bytes;
using io::kFirstLineOfBt, io::kFirstLineOfOt, io::kOctoMapDepth;

constexpr double kClampMin = 0.1192, kClampMax = 0.971;  // of its probabilities

std::optional<MapFormat> format_of(std::string_view first_line) {
  if (first_line.starts_with(io::kStartOfGmap)) return MapFormat::gmap;
  if (first_line.starts_with(kFirstLineOfBt)) return MapFormat::bt;
  if (first_line.starts_with(kFirstLineOfOt)) return MapFormat::ot;
  return std::nullopt;
}

class MapReading {
 public:
  explicit MapReading(std::shared_ptr<const Bytes> bytes) : reader_(std::move(bytes)) {}

  MapFile read() {
    read_header();
    detail::OccupancyData data;
    data.resolution = resolution_;
    if (size_ > 0) {
      // No inner node takes less than this, and most take more: the array never moves.
      const std::uint64_t bytes_per_inner = file_.format == MapFormat::bt ? 2 : 5 + colour_bytes_;
      data.nodes.reserve(static_cast<std::size_t>(std::min(reader_.remaining() / bytes_per_inner, size_)));
      nodes_ = &data.nodes;
      const std::array<OctreeSlot, 8> octants = file_.format == MapFormat::bt ? bt_children(kOctoMapDepth) : ot_root();
      for (int i = 0; i < 8; ++i) {
        // The centre of OctoMap's cube is the origin: its eight children are the octants.
        const CellKey origin =
            detail::child_key(detail::corner_of({}, OccupancyMap::kTopLevel), OccupancyMap::kTopLevel, i);
        const auto low = [](std::int32_t k) { return k < 0 ? -(1 << (kOctoMapDepth - 1)) : 0; };
        data.roots[static_cast<std::size_t>(i)] =
            detail::root_of(octants[static_cast<std::size_t>(i)], kOctoMapDepth - 1,
                            {low(origin.x), low(origin.y), low(origin.z)}, data.nodes);
      }
    }
    const std::uint64_t end = reader_.position(), more = reader_.remaining();
    if (!reader_.only_padding_follows()) fail(end, fmt::format("{} bytes follow the last node", more));
    if (file_.nodes != size_) {
      fail(end, fmt::format("the data has {} nodes, but the header says {}", file_.nodes, size_));
    }
    data.nodes.shrink_to_fit();
    file_.map = detail::OccupancyData::finish(std::move(data));
    return std::move(file_);
  }

 private:
  [[noreturn]] void fail(std::uint64_t byte, const std::string& why) const {
    throw Error(fmt::format("{}: byte {}", reader_.name(), byte), why);
  }

  void read_header() {
    std::string_view line;
    const bool any = reader_.line(line);
    const std::optional<MapFormat> format = any ? format_of(line) : std::nullopt;
    if (!format || *format == MapFormat::gmap) {
      fail(0, fmt::format("is not an occupancy map: it does not start with '{}', '{}' or '{}'", kFirstLineOfBt,
                          kFirstLineOfOt, io::kStartOfGmap));
    }
    file_.format = *format;
    std::optional<std::uint64_t> size;
    std::optional<double> resolution;
    for (;;) {
      const std::uint64_t at = reader_.position();
      if (!reader_.line(line)) fail(at, "ends before its 'data' line");
      if (line.empty() || line.front() == '#') continue;
      if (line == "data") break;
      const std::size_t space = line.find(' ');
      const std::string_view word = line.substr(0, space);
      const std::string_view value = space == std::string_view::npos ? std::string_view() : line.substr(space + 1);
      if (word == "id") file_.id = std::string(value.substr(0, kLongestShown));
      else if (word == "size") size = number<std::uint64_t>(value, "size", at);
      else if (word == "res") resolution = number<double>(value, "res", at);
      else fail(at, fmt::format("expected 'id', 'size', 'res' or 'data', got '{}'", line.substr(0, kLongestShown)));
    }
    const std::uint64_t at = reader_.position();
    if (!size) fail(at, "the header has no 'size'");
    if (!resolution) fail(at, "the header has no 'res'");
    if (file_.id != "OcTree" && !(file_.id == "ColorOcTree" && file_.format == MapFormat::ot)) {
      fail(at, fmt::format("expected a tree of id OcTree (or ColorOcTree in .ot), got '{}'", file_.id));
    }
    if (file_.id == "ColorOcTree") colour_bytes_ = 3;
    if (!(*resolution >= OccupancyMap::kMinResolution && *resolution <= OccupancyMap::kMaxResolution)) {
      fail(at, fmt::format("expected a resolution from {} to {} m, got {}", OccupancyMap::kMinResolution,
                           OccupancyMap::kMaxResolution, *resolution));
    }
    size_ = *size;
    resolution_ = *resolution;
  }

  template <class T>
  T number(std::string_view text, std::string_view what, std::uint64_t at) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      fail(at, fmt::format("{} '{}' is not a number", what, text.substr(0, kLongestShown)));
    }
    return value;
  }

  void take(unsigned char* to, std::size_t count, std::uint64_t at) {
    if (!reader_.take(to, count)) fail(at, "ends in the middle of the tree: children are missing");
  }

  /// The children of a cube of this level.
  std::array<OctreeSlot, 8> bt_children(int level) {
    const std::uint64_t at = reader_.position();
    if (level == 0) fail(at, fmt::format("a node at depth {} has children", kOctoMapDepth));
    std::array<unsigned char, 2> raw{};
    take(raw.data(), raw.size(), at);
    const unsigned bits = raw[0] | static_cast<unsigned>(raw[1]) << 8U;
    if (bits == 0) fail(at, "an inner node has no children");
    ++file_.nodes;
    std::array<OctreeSlot, 8> children;
    for (unsigned i = 0; i < 8; ++i) {
      switch (bits >> 2 * i & 3U) {
        case 0:
          break;
        case 1:
          children[i] = OctreeSlot::leaf(log_odds_of(kClampMin)), ++file_.nodes;
          break;
        case 2:
          children[i] = OctreeSlot::leaf(log_odds_of(kClampMax)), ++file_.nodes;
          break;
        default:
          children[i] = join(bt_children(level - 1), *nodes_);
      }
    }
    return children;
  }

  std::array<OctreeSlot, 8> ot_root() {
    std::array<OctreeSlot, 8> children;
    const OctreeSlot root = ot_node(kOctoMapDepth, &children);
    if (!root.inner && root.known) children.fill(root);
    return children;
  }

  /// A cube of this level; its children as well if they are wanted, which are not joined then.
  OctreeSlot ot_node(int level, std::array<OctreeSlot, 8>* separate = nullptr) {
    const std::uint64_t at = reader_.position();
    std::array<unsigned char, 8> raw{};
    take(raw.data(), 5 + colour_bytes_, at);
    const auto value = std::bit_cast<float>(io::little_endian(raw.data()));
    const unsigned present = raw[4 + colour_bytes_];
    ++file_.nodes;
    if (present == 0) {
      if (!std::isfinite(value)) fail(at, "the log-odds of a leaf are not finite");
      return OctreeSlot::leaf(value);
    }
    if (level == 0) fail(at, fmt::format("a node at depth {} has children", kOctoMapDepth));
    std::array<OctreeSlot, 8> children;
    for (unsigned i = 0; i < 8; ++i) {
      if ((present >> i & 1U) != 0) children[i] = ot_node(level - 1);
    }
    if (separate == nullptr) return join(children, *nodes_);
    *separate = children;
    OctreeSlot inner;
    inner.inner = true;
    return inner;
  }

  static constexpr std::size_t kLongestShown = 60;

  ByteReader reader_;
  MapFile file_;
  std::vector<detail::OctreeNode>* nodes_ = nullptr;
  std::uint64_t size_ = 0;
  double resolution_ = 0;
  std::size_t colour_bytes_ = 0;
};

MapFile read_any(std::shared_ptr<const Bytes> bytes) {
  std::array<char, io::kStartOfGmap.size()> start{};
  const std::size_t count = bytes->read(0, start.data(), start.size());
  if (std::string_view(start.data(), count) == io::kStartOfGmap) return io::read_gmap(std::move(bytes));
  return MapReading(std::move(bytes)).read();
}

}  // namespace

MapFile read_map_file(const std::string& path) { return read_any(Bytes::open(path)); }

MapFile parse_map(std::string_view bytes, const std::string& name) { return read_any(Bytes::of(bytes, name)); }

OccupancyMap read_map(const std::string& path) { return read_map_file(path).map; }

bool is_map_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return false;
  const std::shared_ptr<const Bytes> bytes = Bytes::open(path);
  std::array<char, kFirstLineOfBt.size()> start{};
  return format_of({start.data(), bytes->read(0, start.data(), start.size())}).has_value();
}

}  // namespace graze
