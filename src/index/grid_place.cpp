#include "index/grid_place.h"

#include <algorithm>
#include <utility>

namespace graze::point_grid {
namespace {

// Counts `given` keys; four streams of them, since a count cannot go on where the one before it has not been written.
template <class Count>
void for_each_key(std::size_t given, const Count& count) {
  const std::size_t quarter = given / 4;
  for (std::size_t i = 0; i < quarter; ++i) {
    count(i);
    count(i + quarter);
    count(i + 2 * quarter);
    count(i + 3 * quarter);
  }
  for (std::size_t i = 4 * quarter; i < given; ++i) count(i);
}

// From counts to where what is counted starts, the first at `sum`.
void add_up(std::uint32_t* begin, std::uint32_t* end, std::uint32_t sum) {
  for (std::uint32_t* c = begin; c != end; ++c) sum += std::exchange(*c, sum);
}

// So many points have more slots and cursors than the caches hold: they are sorted in two steps.
bool sorted_in_parts(std::size_t given) { return given >= std::size_t{1} << 19U; }

}  // namespace

void count_points(Grid& grid, std::size_t given) {
  Scratch& s = grid.scratch;
  const std::size_t blocks = grid.block_count();
  s.counts.assign(blocks + 1, 0);
  std::uint32_t* const keys = s.keys.data();
  std::uint32_t* const counts = s.counts.data();
  for_each_key(given, [=](std::size_t i) { ++counts[keys[i]]; });
  s.occupied.clear();
  std::uint32_t cursors = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    if (counts[b] == 0) {
      counts[b] = kNone;
      continue;
    }
    const bool sorted = counts[b] > kScanAll;
    counts[b] = static_cast<std::uint32_t>(s.occupied.size());
    s.occupied.push_back({cursors, sorted ? kNone : 0, 0});
    cursors += sorted ? kEdge * kEdge * kEdge : 1;
  }
  counts[blocks] = static_cast<std::uint32_t>(s.occupied.size());
  s.occupied.push_back({cursors++, 0, 0});
  s.cursors.assign(cursors, 0);
  Scratch::Occupied* const occupied = s.occupied.data();
  const std::uint8_t* const cells = s.cells.data();
  std::uint32_t* const all = s.cursors.data();
  const auto take_key = [=](std::size_t i) {
    Scratch::Occupied& block = occupied[counts[keys[i]]];
    block.cells |= 1ULL << cells[i];
    return keys[i] = block.cursor + (cells[i] & block.sorted);
  };
  if (sorted_in_parts(given)) return for_each_key(given, take_key);
  for_each_key(given, [=](std::size_t i) { ++all[take_key(i)]; });
  add_up(all, all + cursors, 0);
}

namespace {

// Writes the points to their slots; cursors then say where their points end.
template <class PointAt, class IndexAt>
void place_each(Grid& grid, std::size_t given, const PointAt& point_at, const IndexAt& index_at) {
  float *const x = grid.slots.x, *const y = grid.slots.y, *const z = grid.slots.z;
  std::uint32_t* const index = grid.slots.index;
  std::uint32_t* const cursors = grid.scratch.cursors.data();
  const std::uint32_t* const keys = grid.scratch.keys.data();
  for (std::size_t i = 0; i < given; ++i) {
    const std::uint32_t slot = cursors[keys[i]]++;
    const auto p = point_at(i);
    x[slot] = p[0];
    y[slot] = p[1];
    z[slot] = p[2];
    index[slot] = index_at(i);
  }
}

// The same for many points in any order. They are first sorted by parts of the cursors, into the slots of each part;
// then, part by part, to their own slots.
template <class PointAt, class IndexAt>
void place_in_parts(Grid& grid, std::size_t given, const PointAt& point_at, const IndexAt& index_at) {
  constexpr std::size_t kParts = 512;
  Scratch& s = grid.scratch;
  Slots& slots = grid.slots;
  std::uint32_t *const cursors = s.cursors.data(), *const keys = s.keys.data();
  const std::size_t count = s.cursors.size();
  unsigned shift = 0;
  while ((count - 1) >> shift >= kParts) ++shift;
  std::uint32_t next[kParts] = {};
  for_each_key(given, [&](std::size_t i) { ++next[keys[i] >> shift]; });
  add_up(next, next + kParts, 0);
  s.part_keys.resize(given);
  for (std::size_t i = 0; i < given; ++i) {
    const std::uint32_t to = next[keys[i] >> shift]++;
    const auto p = point_at(i);
    slots.set(to, {p[0], p[1], p[2], index_at(i)});
    s.part_keys[to] = keys[i];
  }
  std::uint32_t begin = 0;
  for (std::size_t part = 0; part << shift < count; begin = next[part++]) {
    const std::size_t size = next[part] - begin;
    s.part.resize(size);
    for (std::size_t k = 0; k < size; ++k) {
      s.part[k] = slots[begin + k];
      ++cursors[s.part_keys[begin + k]];
    }
    add_up(cursors + (part << shift), cursors + std::min(count, (part + 1) << shift), begin);
    for (std::size_t k = 0; k < size; ++k) slots.set(cursors[s.part_keys[begin + k]]++, s.part[k]);
  }
}

}  // namespace

void place_points(Grid& grid, const PointView& points, const Record* records) {
  const auto place = [&](const auto& point_at, const auto& index_at) {
    if (sorted_in_parts(points.size())) place_in_parts(grid, points.size(), point_at, index_at);
    else place_each(grid, points.size(), point_at, index_at);
  };
  const auto same = [](std::size_t i) { return static_cast<std::uint32_t>(i); };
  if (records != nullptr) {
    // The points are in scratch memory of the grid around this one.
    place([&](std::size_t i) { return &records[i].x; }, [=](std::size_t i) { return records[i].index; });
  } else if (const float* packed = points.packed_floats(); packed != nullptr) {
    place([=](std::size_t i) { return packed + 3 * i; }, same);
  } else {
    place([&](std::size_t i) { return points.load_point<float>(i); }, same);
  }
}

}  // namespace graze::point_grid
