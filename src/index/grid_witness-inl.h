// Witnesses: for each octant of a block (2³ cells), the steps to a nearest occupied octant at most two away on each
// axis. Most spheres that the bounds leave undecided touch a point of it, so that searches look there first. Per
// instruction set: include it from such a source.
//
//     octants along an axis     | below   | own     | above   |
//                               | 0    1  | 0    1  | 0    1  |
//     steps from own 0           -2   -1    0   +1   +2
//     steps from own 1                -2   -1    0   +1   +2
//
// One pass per axis, as for the cells. A pass holds a key per octant: the squared distance in octants so far in the
// high bits, so that the smallest key is the nearest, and below it the steps taken, three bits per axis as in
// Block::witness. Adding up keys adds up both.

#if defined(GRAZE_INDEX_GRID_WITNESS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef GRAZE_INDEX_GRID_WITNESS_INL_H
#undef GRAZE_INDEX_GRID_WITNESS_INL_H
#else
#define GRAZE_INDEX_GRID_WITNESS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/lane_function.h"
#include "index/grid.h"

HWY_BEFORE_NAMESPACE();
namespace graze::point_grid {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int kMaxStep = 2;                   // octants
constexpr std::size_t kOctants = 8;           // in a block
constexpr std::uint16_t kNoKey = 0x3FFF;      // no occupied octant found
constexpr std::uint16_t kEndOfKeys = 0x2000;  // real keys stay below this and kNoKey above it, whatever is added
constexpr std::uint16_t key_of(int step, int axis) {
  return static_cast<std::uint16_t>(step * step << 9 | (step + kMaxStep) << (6 - 3 * axis));
}

// The pass along z starts from bits, too: per set of occupied octants of a block, the keys that it gives to the octants
// in the same columns of a block `shift` octants below it. From a table.
struct OctantKeys {
  alignas(16) std::uint16_t of[256][kOctants];
};
constexpr OctantKeys make_octant_keys(int shift) {
  OctantKeys keys{};
  for (int bits = 0; bits < 256; ++bits) {
    for (int octant = 0; octant < static_cast<int>(kOctants); ++octant) {
      std::uint16_t best = kNoKey;
      for (int z = 0; z < 2; ++z) {
        const int step = z + shift - octant % 2;
        const bool occupied = (bits >> (octant / 2 * 2 + z) & 1) != 0;
        if (occupied && -kMaxStep <= step && step <= kMaxStep) best = std::min(best, key_of(step, 2));
      }
      keys.of[bits][octant] = best;
    }
  }
  return keys;
}
constexpr OctantKeys kKeysBelow = make_octant_keys(-2), kKeysOwn = make_octant_keys(0),
                     kKeysAbove = make_octant_keys(2);

// Which octants have an occupied cell: their eight cells follow one another. The product gathers the lowest bits of all
// bytes in the highest byte.
GRAZE_LANE_FUNCTION std::uint32_t octants_of(std::uint64_t occupied) {
  occupied |= occupied >> 4U;
  occupied |= occupied >> 2U;
  occupied |= occupied >> 1U;
  return static_cast<std::uint32_t>((occupied & 0x0101010101010101ULL) * 0x0102040810204080ULL >> 56U);
}

#if HWY_TARGET == HWY_SCALAR
inline void octants_along_z(std::uint32_t below, std::uint32_t own, std::uint32_t above, std::uint16_t* out) {
  for (std::size_t i = 0; i < kOctants; ++i) {
    out[i] = std::min({kKeysBelow.of[below][i], kKeysOwn.of[own][i], kKeysAbove.of[above][i]});
  }
}
// Octants along the axis are `stride` apart in their order.
void octants_along(int axis, std::size_t stride, const std::uint16_t* below, const std::uint16_t* own,
                   const std::uint16_t* above, std::uint16_t* out) {
  for (std::size_t i = 0; i < kOctants; ++i) {
    const std::size_t place = i / stride % 2, first = i - place * stride, second = first + stride;
    const std::uint16_t line[6] = {below[first], below[second], own[first], own[second], above[first], above[second]};
    std::uint16_t best = kNoKey;
    for (int step = -kMaxStep; step <= kMaxStep; ++step) {
      const int sum = line[static_cast<int>(place) + 2 + step] + key_of(step, axis);
      best = std::min(best, static_cast<std::uint16_t>(sum));
    }
    out[i] = best;
  }
}
inline void octants_along_y(const std::uint16_t* below, const std::uint16_t* own, const std::uint16_t* above,
                            std::uint16_t* out) {
  octants_along(1, 2, below, own, above, out);
}
// The last pass: what is left of the keys are the steps.
inline void octants_along_x(const std::uint16_t* below, const std::uint16_t* own, const std::uint16_t* above,
                            std::uint16_t* out) {
  octants_along(0, 4, below, own, above, out);
  for (std::size_t i = 0; i < kOctants; ++i) out[i] = out[i] < kEndOfKeys ? out[i] & kNoWitness : kNoWitness;
}
#else
using Octants = hn::FixedTag<std::uint16_t, kOctants>;
GRAZE_LANE_FUNCTION void octants_along_z(std::uint32_t below, std::uint32_t own, std::uint32_t above,
                                         std::uint16_t* out) {
  const Octants d;
  const auto keys = hn::Min(hn::Load(d, kKeysBelow.of[below]), hn::Load(d, kKeysAbove.of[above]));
  hn::StoreU(hn::Min(keys, hn::Load(d, kKeysOwn.of[own])), d, out);
}
template <int kAxis, class V>
GRAZE_LANE_FUNCTION V nearest_octant(Octants d, V two_below, V one_below, V own, V one_above, V two_above) {
  const auto at = [&](V keys, int step) HWY_ATTR { return hn::Add(keys, hn::Set(d, key_of(step, kAxis))); };
  return hn::Min(at(own, 0),
                 hn::Min(hn::Min(at(two_below, -2), at(one_below, -1)), hn::Min(at(one_above, 1), at(two_above, 2))));
}
inline void octants_along_y(const std::uint16_t* below, const std::uint16_t* own, const std::uint16_t* above,
                            std::uint16_t* out) {
  const Octants d;
  const hn::Repartition<std::uint64_t, Octants> slices;  // of equal x: y = 0 in the low half, y = 1 in the high half
  const auto b = hn::LoadU(d, below), o = hn::LoadU(d, own), a = hn::LoadU(d, above);
  const auto between = [&](auto low, auto high) HWY_ATTR {
    return hn::BitCast(
        d, hn::Or(hn::ShiftRight<32>(hn::BitCast(slices, low)), hn::ShiftLeft<32>(hn::BitCast(slices, high))));
  };
  hn::StoreU(nearest_octant<1>(d, b, between(b, o), o, between(o, a), a), d, out);
}
// The last pass: what is left of the keys are the steps.
inline void octants_along_x(const std::uint16_t* below, const std::uint16_t* own, const std::uint16_t* above,
                            std::uint16_t* out) {
  const Octants d;
  const auto b = hn::LoadU(d, below), o = hn::LoadU(d, own), a = hn::LoadU(d, above);
  const auto one_below = hn::CombineShiftRightBytes<8>(d, o, b), one_above = hn::CombineShiftRightBytes<8>(d, a, o);
  const auto keys = nearest_octant<0>(d, b, one_below, o, one_above, a);
  const auto none = hn::Set(d, kNoWitness);
  hn::StoreU(hn::IfThenElse(hn::Lt(keys, hn::Set(d, kEndOfKeys)), hn::And(keys, none), none), d, out);
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace graze::point_grid
HWY_AFTER_NAMESPACE();

#endif
