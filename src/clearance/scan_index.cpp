#include "clearance/scan_index.h"

#include <algorithm>
#include <array>
#include <bit>

#include "graze/base/aabb.h"
#include "graze/base/parallel.h"

namespace graze::clearance {
namespace {

constexpr int kDigit = 11;
// Of the place on the curve: three digits. A kilometre of tunnel then has cells of a decimetre, which 32 points fill.
constexpr int kBits = 3 * kDigit - 1;
constexpr std::size_t kBuckets = std::size_t{1} << kDigit, kParts = 16;

std::uint64_t spread(std::uint64_t x) {
  x &= 0x1FFFFF;
  x = (x | x << 32) & 0x1F00000000FFFF;
  x = (x | x << 16) & 0x1F0000FF0000FF;
  x = (x | x << 8) & 0x100F00F00F00F00F;
  x = (x | x << 4) & 0x10C30C30C30C30C3;
  return (x | x << 2) & 0x1249249249249249;
}

// Places on the curve. Bits of the axes take turns while all of them have some left; those of longer axes come first.
struct Curve {
  Vec3 origin = Vec3::Zero(), scale = Vec3::Zero();
  std::array<int, 3> bits{};
  int common = 0;                    // bits that all three have
  std::array<int, 3> upper{};        // where the rest of each starts
  std::array<double, 3> max_cell{};  // largest cell

  Curve(const Aabb& box, int budget) {
    origin = box.min;
    const Vec3 extent = (box.max - box.min).cwiseMax(1e-30);
    // The finest cell that the budget of bits allows.
    double cell = extent.maxCoeff() / (1 << 20);
    for (;; cell *= 1.5) {
      int sum = 0;
      for (int i = 0; i < 3; ++i) {
        const double cells = extent[i] / cell;
        bits[static_cast<std::size_t>(i)] = cells >= 1 ? std::ilogb(cells) + 1 : 0;
        sum += bits[static_cast<std::size_t>(i)];
      }
      if (sum <= budget) break;
    }
    scale.setConstant(1 / cell);
    common = *std::min_element(bits.begin(), bits.end());
    // Two axes left: they take turns as well, which spread() does with the third at 0; simple blocks are as good.
    int at = 3 * common;
    std::array<std::size_t, 3> by{0, 1, 2};
    std::sort(by.begin(), by.end(), [&](std::size_t a, std::size_t b) { return bits[a] < bits[b]; });
    for (const std::size_t i : by) {
      upper[i] = at;
      at += bits[i] - common;
    }
    for (std::size_t i = 0; i < 3; ++i) max_cell[i] = std::ldexp(1.0, bits[i]) - 1;
  }

  std::uint64_t key(const Vec3& p) const {
    std::uint64_t low = 0, high = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto axis = static_cast<Eigen::Index>(i);
      const double x = std::min((p[axis] - origin[axis]) * scale[axis], max_cell[i]);
      const auto cell = static_cast<std::uint64_t>(std::max(0.0, x));
      low |= spread(cell & ((std::uint64_t{1} << common) - 1)) << i;
      high |= (cell >> common) << upper[i];
    }
    return low | high;
  }
};

// By the upper bits, stable, least significant digit first: the same order for any number of threads.
void sort_keys(Buffer<std::uint64_t>& keys, int from, int bits, int threads) {
  Buffer<std::uint64_t> other;
  other.resize(keys.size());
  const std::size_t n = keys.size();
  std::vector<std::array<std::uint32_t, kBuckets>> places(kParts);
  for (int shift = from; shift < from + bits; shift += kDigit) {
    const auto digit = [shift](std::uint64_t key) { return key >> shift & (kBuckets - 1); };
    parallel_for(kParts,
                 [&](std::size_t part) {
                   places[part].fill(0);
                   for (std::size_t i = n * part / kParts; i < n * (part + 1) / kParts; ++i)
                     ++places[part][digit(keys[i])];
                 },
                 {.threads = threads, .grain = 1});
    std::uint32_t sum = 0;
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
      for (auto& part : places) sum += std::exchange(part[bucket], sum);
    }
    parallel_for(kParts,
                 [&](std::size_t part) {
                   auto& place = places[part];
                   for (std::size_t i = n * part / kParts; i < n * (part + 1) / kParts; ++i) {
                     other[place[digit(keys[i])]++] = keys[i];
                   }
                 },
                 {.threads = threads, .grain = 1});
    std::swap(keys, other);
  }
}

ScanNode ball_around(const Aabb& box) {
  const Vec3 center = box.center();
  const Vec3 far = (box.max - center).cwiseMax(center - box.min);
  return {center, far.norm() * (1 + 8 * kEpsilon) + 4 * kEpsilon * center.norm()};
}

}  // namespace

ScanIndex::ScanIndex(std::span<const Vec3> points, int threads) {
  struct Part {
    Aabb box;
    std::size_t count = 0;
  };
  const ParallelOptions options{.threads = threads};
  const Part all = parallel_reduce(
      points.size(), Part{},
      [&](std::size_t begin, std::size_t end) {
        Part part;
        for (std::size_t i = begin; i < end; ++i) {
          if (!is_finite(points[i])) continue;
          part.box.extend(points[i]);
          ++part.count;
        }
        return part;
      },
      [](Part a, const Part& b) {
        a.box.extend(b.box);
        a.count += b.count;
        return a;
      },
      options);
  skipped_ = points.size() - all.count;
  if (all.count == 0) return;

  // A key holds the place on the curve above the index; points that are not finite come last.
  const int index_bits = static_cast<int>(std::bit_width(points.size() - 1)), budget = std::min(62 - index_bits, kBits);
  const Curve curve(all.box, budget);
  const int curve_bits = curve.bits[0] + curve.bits[1] + curve.bits[2] + (skipped_ > 0 ? 1 : 0);
  Buffer<std::uint64_t> keys;
  keys.resize(points.size());
  parallel_for(
      points.size(),
      [&](std::size_t i) {
        const std::uint64_t place = is_finite(points[i]) ? curve.key(points[i]) : std::uint64_t{1} << (curve_bits - 1);
        keys[i] = place << index_bits | i;
      },
      options);
  sort_keys(keys, index_bits, curve_bits, threads);
  order_.resize(all.count);
  const std::uint64_t mask = (std::uint64_t{1} << index_bits) - 1;

  std::vector<Aabb> boxes((all.count + kLeaf - 1) / kLeaf);
  parallel_for(
      boxes.size(),
      [&](std::size_t i) {
        for (std::size_t k = i * kLeaf; k < std::min(all.count, (i + 1) * kLeaf); ++k) {
          order_[k] = static_cast<std::uint32_t>(keys[k] & mask);
          boxes[i].extend(points[order_[k]]);
        }
      },
      options);
  keys = {};
  for (;;) {
    levels_.emplace_back(boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) levels_.back()[i] = ball_around(boxes[i]);
    if (boxes.size() == 1) break;
    std::vector<Aabb> above((boxes.size() + kFan - 1) / kFan);
    for (std::size_t i = 0; i < boxes.size(); ++i) above[i / kFan].extend(boxes[i]);
    boxes = std::move(above);
  }
}

}  // namespace graze::clearance
