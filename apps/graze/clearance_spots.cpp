#include "clearance_spots.h"

#include <algorithm>

namespace graze::app {
namespace {

std::uint64_t mixed(const Vec3& p) {
  std::uint64_t h = 0;
  for (int k = 0; k < 3; ++k) {
    const double x = p[k] + 0.0;  // no minus zero
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    h = (h ^ bits) * 0x9E3779B97F4A7C15ULL;
    h ^= h >> 29U;
  }
  h *= 0xBF58476D1CE4E5B9ULL;
  return h ^ (h >> 32U);
}

}  // namespace

std::size_t SpotHash::operator()(const Vec3& p) const { return static_cast<std::size_t>(mixed(p)); }

SpotCounter::SpotCounter() : sketch_(2 * kSlots) {}

void SpotCounter::add(const Vec3& point) {
  constexpr std::size_t kMaxCandidates = 4096;
  ++seen_;
  const std::uint64_t h = mixed(point);
  std::uint32_t& a = sketch_[h % kSlots];
  std::uint32_t& b = sketch_[kSlots + (h >> 40U) % kSlots];
  const std::uint32_t estimate = std::min(a, b);
  // Points of other locations share the slots: what all of them make on average must not be a candidate.
  const std::uint64_t threshold = kMany / 2 + 4 * (seen_ / kSlots);
  if (estimate >= threshold) {
    const auto found = candidates_.find(point);
    if (found != candidates_.end()) {
      ++found->second;
    } else if (candidates_.size() < kMaxCandidates) {
      candidates_.emplace(point, 1);
    }
  }
  // Only the smaller ones grow, which keeps the estimate tight; neither wraps.
  if (a == estimate && a != 0xFFFFFFFFU) ++a;
  if (b == estimate && b != 0xFFFFFFFFU) ++b;
}

std::vector<Spot> SpotCounter::spots() const {
  std::vector<Spot> out;
  for (const auto& [at, count] : candidates_) {
    if (count >= kMany / 2) out.push_back({at, count});
  }
  std::sort(out.begin(), out.end(), [](const Spot& a, const Spot& b) {
    if (a.points != b.points) return a.points > b.points;
    return std::lexicographical_compare(a.at.data(), a.at.data() + 3, b.at.data(), b.at.data() + 3);
  });
  return out;
}

}  // namespace graze::app
