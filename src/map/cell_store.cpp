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
  if (slot.brick < kUniform) return bricks_[slot.brick];
  const std::uint32_t index = bricks_.take();
  if (averages()) {
    if (histories_.size() <= index) histories_.resize(index + 1);
    if (!histories_[index]) histories_[index] = std::make_unique<BrickHistory>();
    histories_[index]->fill(0);
  }
  Brick& brick = bricks_[index];
  const bool uniform = slot.brick == kUniform;
  brick.known.fill(uniform ? ~0ULL : 0ULL);
  brick.value.fill(uniform ? slot.value : 0);
  brick.cube.fill(Brick::kOneValue);
  slot.brick = index;
  return brick;
}

void CellStore::release(Slot& slot) {
  for (const std::uint32_t cube : bricks_[slot.brick].cube) {
    if (cube != Brick::kOneValue) cubes_.give(cube);
  }
  bricks_.give(slot.brick);
  slot.brick = kUnknown;
}

/// Gives the memory of a brick back that is all unknown, or known and of one value.
void CellStore::fold(Slot& slot) {
  if (slot.brick >= kUniform) return;
  const Brick& brick = bricks_[slot.brick];
  if (!any(brick.known)) {
    release(slot);
    return;
  }
  if (averages() || brick.known != kAllBits) return;
  for (std::size_t w = 0; w < 8; ++w) {
    if (brick.cube[w] != Brick::kOneValue || brick.value[w] != brick.value[0]) return;
  }
  slot.value = brick.value[0];
  release(slot);
  slot.brick = kUniform;
}

/// Gives each cell of a word a value of its own.
CubeValues& CellStore::spread(Brick& brick, std::size_t word) {
  if (brick.cube[word] != Brick::kOneValue) return cubes_[brick.cube[word]];
  const std::uint32_t cube = cubes_.take();
  brick.cube[word] = cube;
  CubeValues& values = cubes_[cube];
  for (unsigned i = 0; i < 64; ++i) values.of[i] = (brick.known[word] >> i & 1U) != 0 ? brick.value[word] : 0;
  return values;
}

/// The known cells of a word are equal: gives back what they have for themselves.
void CellStore::unite(Brick& brick, std::size_t word) {
  const std::uint64_t known = brick.known[word];
  brick.value[word] = known != 0 ? cubes_[brick.cube[word]].of[static_cast<unsigned>(std::countr_zero(known))] : 0;
  cubes_.give(brick.cube[word]);
  brick.cube[word] = Brick::kOneValue;
}

// --- changes
// ----------------------------------------------------------------------------------------------------------

void CellStore::observe(const CellKey& key, const BrickBits& misses, const BrickBits& hits, double time) {
  Chunk* chunk = nullptr;
  Slot& slot = slot_at(key, chunk);
  if (time > slot.time) {
    slot.time = time;
    chunk->times_changed = true;
  }
  if (!newest_ || time > *newest_) newest_ = time;
  if (averages()) {
    chunk->changed = true;
    average(slot, misses, hits);
    return;
  }
  // Most cells of a map are at a clamp and stay there: the chunk need not be encoded again.
  if (misses == kAllBits && slot.brick >= kUniform) {  // uniform before, uniform after
    const float old = slot.brick == kUniform ? slot.value : 0;
    const float value = missed(old, model_);
    if (slot.brick != kUniform || value != old) chunk->changed = true;
    slot.value = value;
    slot.brick = kUniform;
    return;
  }
  Brick& brick = expand(slot);
  for (std::size_t w = 0; w < 8; ++w) {
    if ((misses[w] | hits[w]) != 0 && observe_word(brick, w, misses[w], hits[w])) chunk->changed = true;
  }
  fold(slot);
}

/// Whether this changes a value, or makes one known.
bool CellStore::observe_word(Brick& brick, std::size_t w, std::uint64_t misses, std::uint64_t hits) {
  const std::uint64_t before = brick.known[w], known = before | misses | hits;
  bool changed = known != before;
  if (brick.cube[w] == Brick::kOneValue) {
    const float old = brick.value[w];
    std::optional<float> value;
    bool one_value = true;
    const auto add = [&](std::uint64_t cells, float becomes) {
      if (cells == 0) return;
      one_value = one_value && value.value_or(becomes) == becomes;
      changed = changed || becomes != old;
      value = becomes;
    };
    add(before & ~(misses | hits), old);
    add(before & misses, missed(old, model_));
    add(before & hits, hit(old, model_));
    add(misses & ~before, missed(0, model_));
    add(hits & ~before, hit(0, model_));
    if (one_value) {
      brick.known[w] = known;
      brick.value[w] = *value;
      return changed;
    }
  }
  CubeValues& values = spread(brick, w);
  brick.known[w] = known;
  const CubeChange change = observe_cube(values, misses, hits, known, model_);
  if (change.one_value) unite(brick, w);
  return changed || change.changed;
}

void CellStore::average(Slot& slot, const BrickBits& misses, const BrickBits& hits) {
  Brick& brick = expand(slot);
  BrickHistory& history = *histories_[slot.brick];
  const auto window = static_cast<unsigned>(options_.window);
  for (unsigned w = 0; w < 8; ++w) {
    if ((misses[w] | hits[w]) == 0) continue;
    CubeValues& values = spread(brick, w);
    for (std::uint64_t cells = misses[w] | hits[w]; cells != 0; cells &= cells - 1) {
      const auto bit = static_cast<unsigned>(std::countr_zero(cells));
      const unsigned i = 64 * w + bit;
      history[i] = remembered(history[i], (hits[w] >> bit & 1U) != 0, window);
      values.of[bit] = mean_log_odds(history[i]);
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
  if (averages()) {  // free: as after one frame that missed
    for (unsigned i = 0; i < 512; ++i) {
      if ((cells[i >> 6U] >> (i & 63U) & 1U) != 0) (*histories_[slot.brick])[i] = log_odds ? 2U : 0U;
    }
    if (log_odds) log_odds = mean_log_odds(2);
  }
  for (std::size_t w = 0; w < 8; ++w) {
    if (cells[w] != 0) set_word(brick, w, cells[w], log_odds);
  }
  fold(slot);
}

void CellStore::set_word(Brick& brick, std::size_t w, std::uint64_t cells, std::optional<float> log_odds) {
  const std::uint64_t others = brick.known[w] & ~cells;
  const float value = log_odds.value_or(0);
  if (brick.cube[w] == Brick::kOneValue && (others == 0 || !log_odds || brick.value[w] == value)) {
    if (others == 0) brick.value[w] = value;
  } else {
    CubeValues& values = spread(brick, w);
    for (std::uint64_t left = cells; left != 0; left &= left - 1) {
      values.of[static_cast<unsigned>(std::countr_zero(left))] = value;
    }
  }
  brick.known[w] = log_odds ? others | cells : others;
  if (brick.cube[w] != Brick::kOneValue && !averages() &&
      observe_cube(cubes_[brick.cube[w]], 0, 0, brick.known[w], model_).one_value) {
    unite(brick, w);
  }
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
        Brick& brick = bricks_[slot.brick];
        BrickHistory& history = *histories_[slot.brick];
        for (unsigned i = 0; i < 512; ++i) {
          const unsigned w = i >> 6U;
          const std::uint64_t bit = std::uint64_t{1} << (i & 63U);
          if ((brick.known[w] & bit) == 0) continue;
          const auto frames = static_cast<unsigned>(std::bit_width(history[i]) - 1) >> shift;
          const std::uint64_t top = std::uint64_t{1} << frames;
          history[i] = (history[i] & (top - 1)) | top;
          spread(brick, w).of[i & 63U] = frames == 0 ? 0 : mean_log_odds(history[i]);
          if (frames == 0) brick.known[w] &= ~bit;
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
        for (std::size_t w = 0; w < 8; ++w) decay_word(bricks_[slot.brick], w, factor);
        fold(slot);
      }
    }
  }
}

void CellStore::decay_word(Brick& brick, std::size_t w, float factor) {
  const auto faded = [&](float& value) {
    value *= factor;
    if (std::abs(value) >= kFaded) return false;
    value = 0;
    return true;
  };
  if (brick.cube[w] == Brick::kOneValue) {
    if (faded(brick.value[w])) brick.known[w] = 0;
    return;
  }
  CubeValues& values = cubes_[brick.cube[w]];
  for (unsigned i = 0; i < 64; ++i) {
    if (faded(values.of[i])) brick.known[w] &= ~(std::uint64_t{1} << i);
  }
  if (observe_cube(values, 0, 0, brick.known[w], model_).one_value) unite(brick, w);
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

std::size_t CellStore::memory_bytes() const {
  return chunks_.size() * (sizeof(Chunk) + 64) + bricks_.memory_bytes() + cubes_.memory_bytes() +
         histories_.size() * sizeof(BrickHistory);
}

}  // namespace graze::map
