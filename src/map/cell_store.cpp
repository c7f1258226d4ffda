#include "map/cell_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "graze/base/elementary.h"
#include "graze/base/error.h"

namespace graze::map {
namespace {

using detail::OctreeNode;
using detail::OctreeSlot;

// Means of 0 and 1 have no finite log-odds.
constexpr double kMinMean = 1e-3, kMaxMean = 1 - kMinMean;
// Log-odds of a probability of 0.51: what is nearer to 1/2 after a decay is unknown.
constexpr float kFaded = 0.04F;

bool any(const BrickBits& bits) {
  return (bits[0] | bits[1] | bits[2] | bits[3] | bits[4] | bits[5] | bits[6] | bits[7]) != 0;
}

/// One observation added to a history of at most `window`.
std::uint64_t remembered(std::uint64_t history, bool hit, unsigned window) {
  const std::uint64_t next = std::max<std::uint64_t>(history, 1) << 1U | (hit ? 1U : 0U);
  const std::uint64_t top = std::uint64_t{1} << window;
  return next < 2 * top ? next : (next & (top - 1)) | top;
}

}  // namespace

CellStore::CellStore(const OccupancyMapperOptions& options) : options_(options) {
  detail::checked_resolution(options.resolution);
  const auto check = [](const char* name, double value, double low, double high) {
    if (value > 0 && value < 1 && value >= low && value <= high) return;
    throw Error(name, fmt::format("expected a probability from {} to {}, without 0 and 1, got {}", low, high, value));
  };
  check("hit", options.hit, 0.5, 1);
  check("miss", options.miss, 0, 0.5);
  check("clamp_min", options.clamp_min, 0, 0.5);
  check("clamp_max", options.clamp_max, 0.5, 1);
  if (options.window < 1 || options.window > 62) {
    throw Error("window", fmt::format("expected 1 to 62 frames, got {}", options.window));
  }
  model_ = {log_odds_of(options.hit), log_odds_of(options.miss), log_odds_of(options.clamp_min),
            log_odds_of(options.clamp_max)};
  if (!averages()) return;
  mean_table_.resize(64 * 64);
  for (std::size_t frames = 1; frames <= static_cast<std::size_t>(options.window); ++frames) {
    for (std::size_t hits = 0; hits <= frames; ++hits) {
      const double mean = std::clamp(static_cast<double>(hits) / static_cast<double>(frames), kMinMean, kMaxMean);
      mean_table_[64 * frames + hits] = log_odds_of(mean);
    }
  }
}

float CellStore::mean_log_odds(std::uint64_t history) const {
  const auto frames = static_cast<std::size_t>(std::bit_width(history) - 1);
  const auto hits = static_cast<std::size_t>(std::popcount(history) - 1);
  return mean_table_[64 * frames + hits];
}

// --- where bricks are
// -------------------------------------------------------------------------------------------------

unsigned CellStore::slot_index(const CellKey& brick) { return cell_in_brick(brick.x >> 3, brick.y >> 3, brick.z >> 3); }

CellStore::Chunk& CellStore::chunk_at(const CellKey& brick) {
  const CellKey key = detail::corner_of(brick, detail::kChunkLevel);
  if (last_chunk_ != nullptr && last_chunk_->key == key) return *last_chunk_;
  std::unique_ptr<Chunk>& chunk = chunks_[key];
  if (!chunk) {
    chunk = std::make_unique<Chunk>();
    chunk->key = key;
    sorted_.clear();
  }
  last_chunk_ = chunk.get();
  return *chunk;
}

CellStore::Slot& CellStore::slot_at(const CellKey& brick, Chunk*& chunk) {
  chunk = &chunk_at(brick);
  return chunk->slots[slot_index(brick)];
}

const std::vector<const CellStore::Chunk*>& CellStore::sorted() const {
  if (sorted_.size() == chunks_.size()) return sorted_;
  sorted_.clear();
  for (const auto& [key, chunk] : chunks_) sorted_.push_back(chunk.get());
  std::sort(sorted_.begin(), sorted_.end(),
            [](const Chunk* a, const Chunk* b) { return detail::before(a->key, b->key); });
  return sorted_;
}

Brick& CellStore::expand(Slot& slot) {
  if (slot.brick < kUniform) return *bricks_[slot.brick];
  std::uint32_t index = 0;
  if (!free_.empty()) {
    index = free_.back();
    free_.pop_back();
  } else {
    index = static_cast<std::uint32_t>(bricks_.size());
    bricks_.push_back(std::make_unique<Brick>());
    if (averages()) histories_.push_back(std::make_unique<BrickHistory>());
  }
  Brick& brick = *bricks_[index];
  const bool uniform = slot.brick == kUniform;
  brick.value.fill(uniform ? slot.value : 0);
  brick.known.fill(uniform ? ~0ULL : 0ULL);
  if (averages()) histories_[index]->fill(0);
  slot.brick = index;
  return brick;
}

void CellStore::release(Slot& slot) {
  free_.push_back(slot.brick);
  slot.brick = kUnknown;
}

/// Gives the memory of a brick back that is all unknown, or known and of one value.
void CellStore::fold(Slot& slot) {
  if (slot.brick >= kUniform) return;
  const Brick& brick = *bricks_[slot.brick];
  if (!any(brick.known)) {
    release(slot);
  } else if (!averages() && brick.known == kAllBits && all_equal(brick.value.data())) {
    slot.value = brick.value[0];
    release(slot);
    slot.brick = kUniform;
  }
}

// --- changes
// ----------------------------------------------------------------------------------------------------------

void CellStore::observe(const CellKey& key, const BrickBits& misses, const BrickBits& hits, double time) {
  Chunk* chunk = nullptr;
  Slot& slot = slot_at(key, chunk);
  chunk->changed = true;
  if (time > slot.time) {
    slot.time = time;
    chunk->times_changed = true;
  }
  if (!newest_ || time > *newest_) newest_ = time;
  if (averages()) {
    average(slot, misses, hits);
    return;
  }
  if (misses == kAllBits && slot.brick >= kUniform) {  // uniform before, uniform after
    const float old = slot.brick == kUniform ? slot.value : 0;
    slot.value = old <= model_.low ? old : std::clamp(old + model_.miss, model_.low, model_.high);
    slot.brick = kUniform;
    return;
  }
  Brick& brick = expand(slot);
  observe_log_odds(brick.value.data(), misses, hits, model_);
  for (std::size_t i = 0; i < 8; ++i) brick.known[i] |= misses[i] | hits[i];
  fold(slot);
}

void CellStore::average(Slot& slot, const BrickBits& misses, const BrickBits& hits) {
  Brick& brick = expand(slot);
  BrickHistory& history = *histories_[slot.brick];
  const auto window = static_cast<unsigned>(options_.window);
  for (unsigned w = 0; w < 8; ++w) {
    for (std::uint64_t cells = misses[w] | hits[w]; cells != 0; cells &= cells - 1) {
      const auto bit = static_cast<unsigned>(std::countr_zero(cells));
      const unsigned i = 64 * w + bit;
      history[i] = remembered(history[i], (hits[w] >> bit & 1U) != 0, window);
      brick.value[i] = mean_log_odds(history[i]);
    }
    brick.known[w] |= misses[w] | hits[w];
  }
}

void CellStore::set(const CellKey& key, const BrickBits& cells, std::optional<float> log_odds) {
  Chunk* chunk = nullptr;
  Slot& slot = slot_at(key, chunk);
  if (slot.brick == kUnknown && !log_odds) return;
  chunk->changed = true;
  Brick& brick = expand(slot);
  for (unsigned i = 0; i < 512; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << (i & 63U);
    if ((cells[i >> 6U] & bit) == 0) continue;
    brick.value[i] = log_odds.value_or(0);
    if (log_odds) brick.known[i >> 6U] |= bit;
    else brick.known[i >> 6U] &= ~bit;
    if (averages()) {  // free: as after one frame that missed
      (*histories_[slot.brick])[i] = log_odds ? 2U : 0U;
      if (log_odds) brick.value[i] = mean_log_odds(2);
    }
  }
  fold(slot);
}

void CellStore::add_leaf(const OccupancyCell& leaf) {
  if (leaf.level >= detail::kBrickLevel) {
    const std::int64_t side = std::int64_t{1} << static_cast<unsigned>(leaf.level);
    for (std::int64_t x = 0; x < side; x += 8) {
      for (std::int64_t y = 0; y < side; y += 8) {
        for (std::int64_t z = 0; z < side; z += 8) {
          const auto at = [](std::int32_t k, std::int64_t d) { return static_cast<std::int32_t>(k + d); };
          Chunk* chunk = nullptr;
          Slot& slot = slot_at({at(leaf.key.x, x), at(leaf.key.y, y), at(leaf.key.z, z)}, chunk);
          slot.brick = kUniform;
          slot.value = leaf.log_odds;
          chunk->changed = true;
        }
      }
    }
    return;
  }
  BrickBits cells{};
  const unsigned first = cell_in_brick(leaf.key.x, leaf.key.y, leaf.key.z);
  for (unsigned i = first; i < first + (1U << 3U * static_cast<unsigned>(leaf.level)); ++i) {
    cells[i >> 6U] |= std::uint64_t{1} << (i & 63U);
  }
  set(detail::corner_of(leaf.key, detail::kBrickLevel), cells, leaf.log_odds);
}

void CellStore::add_times(const detail::OccupancyData& map) {
  for (const auto& part : map.times) {
    Chunk& chunk = chunk_at(part->key);
    for (std::size_t i = 0; i < chunk.slots.size(); ++i) chunk.slots[i].time = part->bricks[i];
    chunk.times_changed = true;
  }
  newest_ = map.newest;
}

void CellStore::decay(double seconds, double half_life) {
  if (averages()) {
    aged_ += seconds;
    const double halvings = std::floor(aged_ / half_life);
    if (!(halvings >= 1)) return;
    aged_ -= halvings * half_life;
    const auto shift = static_cast<unsigned>(std::min(halvings, 63.0));
    for (auto& [key, chunk] : chunks_) {
      chunk->changed = true;
      for (Slot& slot : chunk->slots) {
        if (slot.brick >= kUniform) continue;
        Brick& brick = *bricks_[slot.brick];
        BrickHistory& history = *histories_[slot.brick];
        for (unsigned i = 0; i < 512; ++i) {
          const std::uint64_t bit = std::uint64_t{1} << (i & 63U);
          if ((brick.known[i >> 6U] & bit) == 0) continue;
          const auto frames = static_cast<unsigned>(std::bit_width(history[i]) - 1) >> shift;
          const std::uint64_t top = std::uint64_t{1} << frames;
          history[i] = (history[i] & (top - 1)) | top;
          if (frames == 0) brick.known[i >> 6U] &= ~bit;
          brick.value[i] = frames == 0 ? 0 : mean_log_odds(history[i]);
        }
        fold(slot);
      }
    }
    return;
  }
  const auto factor = static_cast<float>(elementary::exp(-seconds / half_life * 0.6931471805599453));
  for (auto& [key, chunk] : chunks_) {
    chunk->changed = true;
    for (Slot& slot : chunk->slots) {
      if (slot.brick == kUniform) {
        slot.value *= factor;
        if (std::abs(slot.value) < kFaded) slot.brick = kUnknown;
      } else if (slot.brick != kUnknown) {
        Brick& brick = *bricks_[slot.brick];
        for (unsigned i = 0; i < 512; ++i) {
          brick.value[i] *= factor;
          if (std::abs(brick.value[i]) >= kFaded) continue;
          brick.value[i] = 0;
          brick.known[i >> 6U] &= ~(std::uint64_t{1} << (i & 63U));
        }
        fold(slot);
      }
    }
  }
}

void CellStore::forget_before(double time) {
  for (auto& [key, chunk] : chunks_) {
    for (Slot& slot : chunk->slots) {
      if (slot.brick == kUnknown || slot.time >= time) continue;
      if (slot.brick < kUniform) release(slot);
      slot.brick = kUnknown;
      chunk->changed = true;
    }
  }
}

void CellStore::drop_empty() {
  const auto is_empty = [](const auto& entry) {
    const auto& slots = entry.second->slots;
    return std::all_of(slots.begin(), slots.end(), [](const Slot& slot) { return slot.brick == kUnknown; });
  };
  if (std::erase_if(chunks_, is_empty) == 0) return;
  last_chunk_ = nullptr;
  sorted_.clear();
}

// --- versions for readers
// ---------------------------------------------------------------------------------------------

OctreeSlot CellStore::encode(const Brick& brick, std::vector<OctreeNode>& nodes) const {
  std::array<OctreeSlot, 8> quarters;
  for (unsigned q = 0; q < 8; ++q) {
    std::array<OctreeSlot, 8> cubes;
    for (unsigned c = 0; c < 8; ++c) {
      const auto known = static_cast<std::uint8_t>(brick.known[q] >> 8 * c);
      if (known == 0) continue;
      const float* value = &brick.value[64 * q + 8 * c];
      OctreeSlot& cube = cubes[c];
      bool same = known == 0xFF;
      for (unsigned i = 0; i < 8; ++i) {
        const bool here = (known >> i & 1U) != 0;
        cube.node.value[i] = here ? value[i] : detail::kNothingKnown;
        cube.value = std::max(cube.value, cube.node.value[i]);
        same = same && value[i] == value[0];
      }
      cube.known = true;
      cube.unknown = known != 0xFF;
      cube.inner = !same;
      cube.node.known = known;
      cube.node.unknown = static_cast<std::uint8_t>(~known);
    }
    quarters[q] = join(cubes, nodes);
  }
  return join(quarters, nodes);
}

void CellStore::encode(const Chunk& chunk) const {
  if (chunk.changed) {
    auto encoded = std::make_shared<detail::OctreeChunk>();
    encoded->key = chunk.key;
    std::array<OctreeSlot, 8> eighths;
    for (unsigned e = 0; e < 8; ++e) {
      std::array<OctreeSlot, 8> cubes;
      for (unsigned c = 0; c < 8; ++c) {
        std::array<OctreeSlot, 8> slots;
        for (unsigned i = 0; i < 8; ++i) {
          const Slot& slot = chunk.slots[64 * e + 8 * c + i];
          if (slot.brick == kUniform) slots[i] = OctreeSlot::leaf(slot.value);
          else if (slot.brick != kUnknown) slots[i] = encode(*bricks_[slot.brick], encoded->nodes);
        }
        cubes[c] = join(slots, encoded->nodes);
      }
      eighths[e] = join(cubes, encoded->nodes);
    }
    chunk.slot = join(eighths, encoded->nodes);
    chunk.encoded.reset();
    if (chunk.slot.inner) {
      encoded->root = chunk.slot.node;
      encoded->nodes.shrink_to_fit();
      encoded->known = known_part(encoded->root, detail::kChunkLevel, encoded->key, encoded->nodes.data());
      std::uint64_t stamp = stamp_of(0, encoded->root);
      for (const OctreeNode& node : encoded->nodes) stamp = stamp_of(stamp, node);
      encoded->stamp = stamp;
      chunk.encoded = std::move(encoded);
    }
    chunk.changed = false;
  }
  if (chunk.times_changed) {
    auto times = std::make_shared<detail::ChunkTimes>();
    times->key = chunk.key;
    for (std::size_t i = 0; i < times->bricks.size(); ++i) times->bricks[i] = chunk.slots[i].time;
    chunk.times = std::move(times);
    chunk.times_changed = false;
  }
}

OccupancyMap CellStore::map() const {
  detail::OccupancyData data;
  data.resolution = options_.resolution;
  data.newest = newest_;
  std::vector<const Chunk*> known;
  for (const Chunk* chunk : sorted()) {
    encode(*chunk);
    if (chunk->slot.known) known.push_back(chunk);
    if (newest_) data.times.push_back(chunk->times);
  }
  // The tree above the chunks, octant by octant, from those of a cube of each level.
  using Chunks = std::span<const Chunk* const>;
  const auto join_above = [&](const auto& self, Chunks chunks, int level) -> OctreeSlot {
    if (chunks.empty()) return {};
    if (level == detail::kChunkLevel) return chunks[0]->slot;
    std::array<OctreeSlot, 8> children;
    std::size_t first = 0;
    for (int i = 0; i < 8; ++i) {
      std::size_t end = first;
      while (end < chunks.size() && detail::child_of(chunks[end]->key, level) == i) ++end;
      children[static_cast<std::size_t>(i)] = self(self, chunks.subspan(first, end - first), level - 1);
      first = end;
    }
    if (level > detail::kChunkLevel + 1) return join(children, data.nodes);
    std::vector<OctreeNode> unused;  // they are in the chunks
    OctreeSlot slot = join(children, unused);
    slot.node.first = static_cast<std::uint32_t>(data.chunks.size());
    slot.node.in_chunks = slot.inner ? 1 : 0;
    for (const Chunk* chunk : chunks) {
      if (slot.inner && chunk->slot.inner) data.chunks.push_back(chunk->encoded);
    }
    return slot;
  };
  Chunks rest(known);
  while (!rest.empty()) {
    const int octant = detail::child_of(rest.front()->key, OccupancyMap::kTopLevel);
    std::size_t count = 1;
    while (count < rest.size() && detail::child_of(rest[count]->key, OccupancyMap::kTopLevel) == octant) ++count;
    const Chunks part = rest.first(count);
    const int level = std::max(detail::common_level(part.front()->key, part.back()->key), detail::kChunkLevel + 1);
    data.roots[static_cast<std::size_t>(octant)] = detail::root_of(
        join_above(join_above, part, level), level, detail::corner_of(part.front()->key, level), data.nodes);
    rest = rest.subspan(count);
  }
  return detail::OccupancyData::finish(std::move(data));
}

std::size_t CellStore::memory_bytes() const {
  return chunks_.size() * (sizeof(Chunk) + 64) + bricks_.size() * (sizeof(Brick) + sizeof(bricks_[0])) +
         histories_.size() * sizeof(BrickHistory);
}

}  // namespace graze::map
