// graze's own files of occupancy maps, read.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <vector>

#include "geometry/occupancy_data.h"
#include "graze/base/error.h"
#include "io/gmap_format.h"

namespace graze::io {
namespace {

using detail::OctreeSlot;

class GmapReading {
 public:
  explicit GmapReading(std::shared_ptr<const Bytes> bytes) : reader_(std::move(bytes)) {}

  MapFile read() {
    read_header();
    check_sum();
    read_values();
    // No node takes less than this in the file: the array never moves.
    if (nodes_ > reader_.remaining() / 2) fail(32, fmt::format("{} nodes are more than the file has room for", nodes_));
    data_.nodes.reserve(static_cast<std::size_t>(nodes_));
    read_tree();
    read_times();
    if (reader_.remaining() != 4) {
      fail(reader_.position(),
           fmt::format("{} bytes follow the last block, expected the 4 of the checksum", reader_.remaining()));
    }
    data_.nodes.shrink_to_fit();
    file_.map = detail::OccupancyData::finish(std::move(data_));
    if (file_.map.leaves() != leaves_) {
      fail(40, fmt::format("the header says {} leaves, but there are {}", leaves_, file_.map.leaves()));
    }
    return std::move(file_);
  }

 private:
  [[noreturn]] void fail(std::uint64_t byte, const std::string& why) const {
    throw Error(fmt::format("{}: byte {}", reader_.name(), byte), why);
  }

  template <class Word>
  Word take(const char* what) {
    const std::uint64_t at = reader_.position();
    std::array<unsigned char, sizeof(Word)> raw{};
    if (!reader_.take(raw.data(), raw.size())) fail(at, fmt::format("ends before its {}", what));
    Word word = 0;
    for (unsigned i = 0; i < sizeof(Word); ++i) word = static_cast<Word>(word | Word{raw[i]} << 8 * i);
    return word;
  }
  double take_double(const char* what) { return std::bit_cast<double>(take<std::uint64_t>(what)); }
  CellKey take_key(const char* what) {
    const auto axis = [&] { return static_cast<std::int32_t>(take<std::uint32_t>(what)); };
    const std::int32_t x = axis(), y = axis(), z = axis();
    return {x, y, z};
  }

  void read_header() {
    std::array<char, kStartOfGmap.size()> start{};
    if (!reader_.take(start.data(), start.size()) || std::string_view(start.data(), start.size()) != kStartOfGmap) {
      fail(0, fmt::format("is not a map of graze: it does not start with '{}'", kStartOfGmap));
    }
    const auto version = take<std::uint32_t>("version");
    if (version != kGmapVersion) {
      fail(8, fmt::format("is of version {}, but this graze reads version {}", version, kGmapVersion));
    }
    const auto header = take<std::uint32_t>("header");
    if (header != kGmapHeader) fail(12, fmt::format("expected a header of {} bytes, got {}", kGmapHeader, header));
    const auto size = take<std::uint64_t>("header");
    if (size != reader_.bytes().size()) {
      fail(16, fmt::format("the header says {} bytes, but the file has {}", size, reader_.bytes().size()));
    }
    data_.resolution = take_double("header");
    if (!(data_.resolution >= OccupancyMap::kMinResolution && data_.resolution <= OccupancyMap::kMaxResolution)) {
      fail(24, fmt::format("expected a resolution from {} to {} m, got {}", OccupancyMap::kMinResolution,
                           OccupancyMap::kMaxResolution, data_.resolution));
    }
    nodes_ = take<std::uint64_t>("header");
    leaves_ = take<std::uint64_t>("header");
    palette_ = take<std::uint32_t>("header");
    if (palette_ > kGmapPalette) fail(48, fmt::format("expected at most {} values, got {}", kGmapPalette, palette_));
    read_sensor();
    chunks_ = take<std::uint32_t>("header");
    const double newest = take_double("header");
    if (std::isinf(newest)) fail(96, "the time of the newest frame is infinite");
    if (!std::isnan(newest)) data_.newest = newest;
    if (take<std::uint64_t>("header") != 0) fail(104, "the reserved bytes of the header are not 0");
    file_.format = MapFormat::gmap;
    file_.nodes = static_cast<std::size_t>(nodes_ + leaves_);
  }

  void read_sensor() {
    const auto model = take<std::uint32_t>("header");
    if (model > 2) fail(52, fmt::format("expected a sensor model from 0 to 2, got {}", model));
    OccupancyMapperOptions sensor{.resolution = data_.resolution};
    sensor.model = model == 2 ? SensorModel::running_average : SensorModel::log_odds;
    struct Range {
      double* to;
      double min, max;
    };
    for (const auto& [to, min, max] : {Range{&sensor.hit, 0.5, 1}, Range{&sensor.miss, 0, 0.5},
                                       Range{&sensor.clamp_min, 0, 0.5}, Range{&sensor.clamp_max, 0.5, 1}}) {
      const std::uint64_t at = reader_.position();
      *to = take_double("header");
      if (model != 0 && !(*to > 0 && *to < 1 && *to >= min && *to <= max)) {
        fail(at, fmt::format("expected a probability from {} to {}, without 0 and 1, got {}", min, max, *to));
      }
    }
    const auto window = take<std::uint32_t>("header");
    if (model == 0) return;
    if (window < 1 || window > 62) fail(88, fmt::format("expected a window of 1 to 62 frames, got {}", window));
    sensor.window = static_cast<int>(window);
    file_.sensor = sensor;
  }

  void check_sum() {
    const Bytes& bytes = reader_.bytes();
    if (bytes.size() < kGmapHeader + 5) fail(bytes.size(), "ends before its tree");
    std::vector<char> part(std::size_t{64} << 10);
    std::uint32_t sum = 0;
    const std::uint64_t end = bytes.size() - 4;
    for (std::uint64_t at = 0; at < end;) {
      const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(part.size(), end - at));
      const std::size_t got = bytes.read(at, part.data(), wanted);
      if (got == 0) fail(at, "ends while it is being read");
      sum = crc32({part.data(), got}, sum);
      at += got;
    }
    std::array<unsigned char, 4> raw{};
    if (bytes.read(end, raw.data(), raw.size()) != raw.size()) fail(end, "ends before its checksum");
    const std::uint32_t stated =
        raw[0] | std::uint32_t{raw[1]} << 8U | std::uint32_t{raw[2]} << 16U | std::uint32_t{raw[3]} << 24U;
    if (stated != sum) fail(end, "its checksum does not match: the file is damaged");
  }

  void read_values() {
    if (std::uint64_t{4} * palette_ > reader_.remaining()) fail(48, "its values are cut off");
    values_.reserve(palette_);
    for (std::uint32_t i = 0; i < palette_; ++i) values_.push_back(take_value());
  }
  float take_value() {
    const std::uint64_t at = reader_.position();
    const auto value = std::bit_cast<float>(take<std::uint32_t>("values"));
    if (!std::isfinite(value)) fail(at, fmt::format("expected log-odds, got {}", value));
    return value;
  }
  float take_leaf() {
    if (palette_ == 0) return take_value();
    const std::uint64_t at = reader_.position();
    const std::uint32_t index =
        palette_ <= kGmapSmallPalette ? take<std::uint8_t>("tree") : take<std::uint16_t>("tree");
    if (index >= palette_) fail(at, fmt::format("refers to value {} of {}", index, palette_));
    return values_[index];
  }

  void read_tree() {
    const std::uint64_t start = reader_.position();
    const unsigned present = take<std::uint8_t>("tree");
    for (int octant = 0; octant < 8; ++octant) {
      if ((present >> octant & 1U) == 0) continue;
      const std::uint64_t at = reader_.position();
      const int level = take<std::uint8_t>("tree");
      const CellKey key = take_key("tree");
      if (level < 1 || level >= OccupancyMap::kTopLevel) {
        fail(at, fmt::format("expected a cube of level 1 to {}, got {}", OccupancyMap::kTopLevel - 1, level));
      }
      if (!(detail::corner_of(key, level) == key) || detail::child_of(key, OccupancyMap::kTopLevel) != octant) {
        fail(at, fmt::format("({}, {}, {}) is not the corner of a cube of level {} in octant {}", key.x, key.y, key.z,
                             level, octant));
      }
      data_.roots[static_cast<std::size_t>(octant)] = detail::root_of(node(level), level, key, data_.nodes);
    }
    if (read_ != nodes_) fail(start, fmt::format("the header says {} nodes, but there are {}", nodes_, read_));
  }

  /// The cube of a node of this level.
  OctreeSlot node(int level) {
    const std::uint64_t at = reader_.position();
    if (++read_ > nodes_) fail(at, fmt::format("there are more nodes than the header says, {}", nodes_));
    const unsigned bits = take<std::uint16_t>("tree");
    if (bits == 0) fail(at, "an inner node has no children");
    std::array<OctreeSlot, 8> children;
    for (unsigned i = 0; i < 8; ++i) {
      const auto kind = static_cast<GmapChild>(bits >> 2 * i & 3U);
      if (kind == GmapChild::unknown) continue;
      if (kind == GmapChild::inner) {
        if (level == 1) fail(at, "a single cell has children");
        children[i] = node(level - 1);
        continue;
      }
      if (kind == GmapChild::leaf) last_ = take_leaf();
      else if (!last_) fail(at, "the first leaf has no value");
      children[i] = OctreeSlot::leaf(*last_);
    }
    return join(children, data_.nodes);
  }

  void read_times() {
    std::optional<double> last;
    std::optional<CellKey> before;
    // A chunk takes more than this in the file, and 64 times as much in memory at most.
    constexpr std::uint64_t kMinChunk = 12 + 128;
    if (chunks_ > reader_.remaining() / kMinChunk) fail(92, fmt::format("{} blocks of times are cut off", chunks_));
    data_.times.reserve(chunks_);
    for (std::uint32_t c = 0; c < chunks_; ++c) {
      const std::uint64_t at = reader_.position();
      auto part = std::make_shared<detail::ChunkTimes>();
      part->key = take_key("times");
      if (!(detail::corner_of(part->key, detail::kChunkLevel) == part->key) ||
          (before && !detail::before(*before, part->key))) {
        fail(at, "a block of times is not at a multiple of 64 cells, or out of order");
      }
      before = part->key;
      std::array<unsigned char, 128> codes{};
      if (!reader_.take(codes.data(), codes.size())) fail(at, "ends before its times");
      for (std::size_t i = 0; i < part->bricks.size(); ++i) {
        const unsigned code = unsigned{codes[i / 4]} >> 2 * (i % 4) & 3U;
        if (code == 3) fail(at, "a time is neither given nor missing");
        const auto kind = static_cast<GmapTime>(code);
        part->bricks[i] = -kInfinity;
        if (kind == GmapTime::none) continue;
        if (kind == GmapTime::given) {
          last = take_double("times");
          if (!std::isfinite(*last) || !data_.newest || *last > *data_.newest) {
            fail(at, "a time is later than that of the newest frame, or not a number");
          }
        } else if (!last) {
          fail(at, "the first time is not given");
        }
        part->bricks[i] = *last;
      }
      data_.times.push_back(std::move(part));
    }
  }

  ByteReader reader_;
  MapFile file_;
  detail::OccupancyData data_;
  std::uint64_t nodes_ = 0, leaves_ = 0, read_ = 0;
  std::uint32_t palette_ = 0, chunks_ = 0;
  std::vector<float> values_;
  std::optional<float> last_;
};

}  // namespace

MapFile read_gmap(std::shared_ptr<const Bytes> bytes) { return GmapReading(std::move(bytes)).read(); }

}  // namespace graze::io
