// graze's own files of occupancy maps, written.
#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "geometry/occupancy_data.h"
#include "io/gmap_format.h"

namespace graze::io {
namespace {

template <class Word>
void append_word(std::string& to, Word word) {
  for (unsigned i = 0; i < sizeof(Word); ++i) to += static_cast<char>(word >> 8 * i & 0xFFU);
}
void append_double(std::string& to, double x) { append_word(to, std::bit_cast<std::uint64_t>(x)); }
void append_key(std::string& to, const CellKey& key) {
  for (const std::int32_t k : {key.x, key.y, key.z}) append_word(to, static_cast<std::uint32_t>(k));
}

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t n = 0; n < 256; ++n) {
    std::uint32_t c = n;
    for (int k = 0; k < 8; ++k) c = (c & 1U) != 0 ? 0xEDB88320U ^ c >> 1U : c >> 1U;
    table[n] = c;
  }
  return table;
}

class GmapWriting {
 public:
  explicit GmapWriting(const OccupancyMap& map) : map_(map), data_(detail::OccupancyData::of(map)) {}

  std::string bytes(const std::optional<OccupancyMapperOptions>& sensor) {
    collect_values();
    write_tree();
    const std::uint32_t chunks = write_times();
    std::string out(kStartOfGmap);
    append_word(out, kGmapVersion);
    append_word(out, static_cast<std::uint32_t>(kGmapHeader));
    append_word(out, std::uint64_t{kGmapHeader} + 4 * values_.size() + body_.size() + 4);
    append_double(out, map_.resolution());
    append_word(out, std::uint64_t{nodes_});
    append_word(out, std::uint64_t{map_.leaves()});
    append_word(out, static_cast<std::uint32_t>(values_.size()));
    append_word(out, !sensor ? 0U : sensor->model == SensorModel::log_odds ? 1U : 2U);
    const OccupancyMapperOptions model = sensor.value_or(OccupancyMapperOptions{});
    for (const double p : {model.hit, model.miss, model.clamp_min, model.clamp_max}) {
      append_double(out, sensor ? p : 0);
    }
    append_word(out, sensor ? static_cast<std::uint32_t>(model.window) : 0U);
    append_word(out, chunks);
    append_double(out, data_.newest.value_or(std::numeric_limits<double>::quiet_NaN()));
    append_word(out, std::uint64_t{0});  // reserved
    for (const float value : values_) append_word(out, std::bit_cast<std::uint32_t>(value));
    out += body_;
    append_word(out, crc32(out));
    return out;
  }

 private:
  /// The distinct values, as long as storing them once each is worth it.
  void collect_values() {
    std::vector<std::uint32_t> bits;
    map_.visit_leaves([&](const OccupancyCell& leaf) {
      const auto word = std::bit_cast<std::uint32_t>(leaf.log_odds);
      if (!bits.empty() && bits.back() == word) return;
      bits.push_back(word);
      if (bits.size() < 8 * kGmapPalette || bits.size() < 2 * distinct_) return;
      distinct(bits);
      distinct_ = bits.size();
    });
    distinct(bits);
    if (bits.size() > kGmapPalette) return;
    for (const std::uint32_t word : bits) values_.push_back(std::bit_cast<float>(word));
  }
  static void distinct(std::vector<std::uint32_t>& bits) {
    std::sort(bits.begin(), bits.end());
    bits.erase(std::unique(bits.begin(), bits.end()), bits.end());
  }

  void write_tree() {
    unsigned present = 0;
    for (unsigned i = 0; i < 8; ++i) present |= data_.roots[i].exists ? 1U << i : 0U;
    body_ += static_cast<char>(present);
    for (const detail::OctreeRoot& root : data_.roots) {
      if (!root.exists) continue;
      // The smallest cube with all that is known, however the map was made.
      const detail::OctreeNode *node = &root.node, *pool = data_.nodes.data();
      int level = root.level;
      CellKey key = root.key;
      while (std::has_single_bit(node->known) && node->inner == node->known) {
        const int child = std::countr_zero(node->known);
        key = detail::child_key(key, level--, child);
        const auto [below, its_pool] = child_of(*node, child, pool);
        node = below, pool = its_pool;
      }
      body_ += static_cast<char>(level);
      append_key(body_, key);
      write_node(*node, pool);
    }
  }

  /// An inner child, and the nodes that it counts its own children in.
  std::pair<const detail::OctreeNode*, const detail::OctreeNode*> child_of(const detail::OctreeNode& node, int child,
                                                                           const detail::OctreeNode* pool) const {
    const std::uint32_t index = node.index(child);
    if (node.in_chunks == 0) return {&pool[index], pool};
    const detail::OctreeChunk& chunk = *data_.chunks[index];
    return {&chunk.root, chunk.nodes.data()};
  }

  void write_node(const detail::OctreeNode& node, const detail::OctreeNode* pool) {
    ++nodes_;
    const std::size_t at = body_.size();
    body_.append(2, '\0');
    unsigned bits = 0;
    for (int i = 0; i < 8; ++i) {
      GmapChild kind = GmapChild::unknown;
      if ((node.inner >> i & 1) != 0) {
        kind = GmapChild::inner;
        const auto [child, its_pool] = child_of(node, i, pool);
        write_node(*child, its_pool);
      } else if ((node.known >> i & 1) != 0) {
        const auto value = std::bit_cast<std::uint32_t>(node.value[static_cast<std::size_t>(i)]);
        kind = any_leaf_ && value == last_ ? GmapChild::same_leaf : GmapChild::leaf;
        if (kind == GmapChild::leaf) write_value(value);
      }
      bits |= static_cast<unsigned>(kind) << 2 * i;
    }
    body_[at] = static_cast<char>(bits & 0xFFU);
    body_[at + 1] = static_cast<char>(bits >> 8U);
  }

  void write_value(std::uint32_t value) {
    any_leaf_ = true;
    last_ = value;
    if (values_.empty()) {
      append_word(body_, value);
      return;
    }
    const auto found = std::lower_bound(values_.begin(), values_.end(), value,
                                        [](float a, std::uint32_t b) { return std::bit_cast<std::uint32_t>(a) < b; });
    const auto index = static_cast<std::uint32_t>(found - values_.begin());
    if (values_.size() <= kGmapSmallPalette) body_ += static_cast<char>(index);
    else append_word(body_, static_cast<std::uint16_t>(index));
  }

  std::uint32_t write_times() {
    std::uint32_t chunks = 0;
    std::optional<double> last;
    for (const auto& part : data_.times) {
      const auto has_time = [](double t) { return t > -kInfinity; };
      if (std::none_of(part->bricks.begin(), part->bricks.end(), has_time)) continue;
      ++chunks;
      append_key(body_, part->key);
      std::string codes(128, '\0'), given;
      for (std::size_t i = 0; i < part->bricks.size(); ++i) {
        const double t = part->bricks[i];
        GmapTime kind = GmapTime::none;
        if (has_time(t)) kind = last == t ? GmapTime::same : GmapTime::given;
        if (kind == GmapTime::given) append_double(given, t), last = t;
        codes[i / 4] =
            static_cast<char>(static_cast<unsigned char>(codes[i / 4]) | static_cast<unsigned>(kind) << 2 * (i % 4));
      }
      body_ += codes;
      body_ += given;
    }
    return chunks;
  }

  const OccupancyMap& map_;
  const detail::OccupancyData& data_;
  std::vector<float> values_;  // sorted by their bits; empty: too many
  std::size_t distinct_ = 0;
  std::string body_;
  std::size_t nodes_ = 0;
  bool any_leaf_ = false;
  std::uint32_t last_ = 0;
};

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) {
  static constexpr auto kTable = crc_table();
  std::uint32_t c = ~before;
  for (const char byte : bytes) c = kTable[(c ^ static_cast<unsigned char>(byte)) & 0xFFU] ^ c >> 8U;
  return ~c;
}

std::string gmap_bytes(const OccupancyMap& map, const std::optional<OccupancyMapperOptions>& sensor) {
  return GmapWriting(map).bytes(sensor);
}

}  // namespace graze::io
