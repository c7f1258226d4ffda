// Boxes in a map, queried by loops: what every BroadPhase must agree with. Used by its tests and its fuzz target.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "graze/index/broad_phase.h"
#include "graze/index/spatial_hash.h"

namespace graze_test::broad_phase_model {

using graze::BoxHit;
using graze::BoxId;
using graze::BoxPair;
using graze::BroadPhase;
using graze::BroadPhaseKind;
using graze::kInfinity;
using graze::kNoBox;

inline constexpr BroadPhaseKind kKinds[] = {
    BroadPhaseKind::automatic,    BroadPhaseKind::list,        BroadPhaseKind::scalar_list,
    BroadPhaseKind::spatial_hash, BroadPhaseKind::row_grid,    BroadPhaseKind::sweep_and_prune,
    BroadPhaseKind::aabb_tree,    BroadPhaseKind::morton_tree, BroadPhaseKind::extent_masks};

template <int N>
struct Model {
  using Box = graze::AabbOf<N>;
  using Vec = graze::VecOf<N>;
  std::map<BoxId, Box> boxes;

  static bool over(const Box& a, const Box& b) { return !a.empty() && !b.empty() && overlap(a, b); }
  static double distance(const Box& a, const Box& b) {
    long double sum = 0;
    for (int k = 0; k < N; ++k) {
      const long double off =
          std::max<long double>(static_cast<long double>(a.min[k]) - static_cast<long double>(b.max[k]),
                                static_cast<long double>(b.min[k]) - static_cast<long double>(a.max[k]));
      if (off > 0) sum += off * off;
    }
    return static_cast<double>(std::sqrt(sum));
  }
  std::vector<BoxId> overlapping(const Box& box) const {
    std::vector<BoxId> ids;
    for (const auto& [id, b] : boxes) {
      if (over(b, box)) ids.push_back(id);
    }
    return ids;
  }
  std::vector<BoxPair> pairs() const {
    std::vector<BoxPair> found;
    for (auto a = boxes.begin(); a != boxes.end(); ++a) {
      for (auto b = std::next(a); b != boxes.end(); ++b) {
        if (over(a->second, b->second)) found.push_back({a->first, b->first});
      }
    }
    return found;
  }
  std::vector<BoxPair> pairs_with(const Model& other) const {
    std::vector<BoxPair> found;
    for (const auto& [a, box] : boxes) {
      for (const BoxId b : other.overlapping(box)) found.push_back({a, b});
    }
    return found;
  }
  double nearest(const Box& box) const {
    double best = kInfinity;
    for (const auto& [id, b] : boxes) {
      if (!b.empty() && !box.empty()) best = std::min(best, distance(b, box));
    }
    return best;
  }
};

inline bool close(double a, double b) {
  return a == b || std::abs(a - b) <= 1e-14 * std::max(std::abs(a), std::abs(b));
}

/// Empty, or what a broad phase answers wrongly about a box and its sweep by `move`. `oracle` is a scalar list with the
/// same boxes, which decides where rounding matters.
template <int N>
std::string difference(const BroadPhase<N>& broad, const BroadPhase<N>& oracle, const Model<N>& model,
                       const graze::AabbOf<N>& box, const graze::VecOf<N>& move, double limit) {
  const auto expected = model.overlapping(box);
  std::vector<BoxId> found(expected.size() + 1);
  found.resize(std::min(broad.overlapping(box, found), found.size()));
  if (found != expected) return "overlapping boxes";
  if (broad.overlaps(box) != !expected.empty()) return "whether anything overlaps";

  const auto near = broad.nearest(box);
  if (!close(near.distance, model.nearest(box))) return "the distance of the nearest box";
  if (near.id != oracle.nearest(box).id || near.distance != oracle.nearest(box).distance) return "the nearest box";
  for (const double within : {limit, near.distance}) {
    const auto a = broad.nearest(box, within), b = oracle.nearest(box, within);
    if (a.id != b.id || a.distance != b.distance) return "the nearest box within a limit";
  }

  const auto hits = [&](const BroadPhase<N>& set) {
    std::vector<std::pair<BoxId, double>> all;
    set.visit_swept(box, move, 1, [&](BoxHit hit) { all.emplace_back(hit.id, hit.time); });
    std::sort(all.begin(), all.end());
    return all;
  };
  const auto swept = hits(broad);
  if (swept != hits(oracle)) return "boxes on a sweep";
  if (std::adjacent_find(swept.begin(), swept.end(), [](auto a, auto b) { return a.first == b.first; }) != swept.end())
    return "a box twice on a sweep";
  for (const BoxId id : expected) {
    const bool starts =
        std::any_of(swept.begin(), swept.end(), [&](auto hit) { return hit.first == id && hit.second == 0; });
    if (!starts) return "a box that overlaps at the start of a sweep";
  }
  const BoxHit first = broad.sweep(box, move), first_is = oracle.sweep(box, move);
  if (first.id != first_is.id || first.time != first_is.time) return "the first box on a sweep";
  const BoxHit ray = broad.raycast(box.min, move), ray_is = oracle.raycast(box.min, move);
  if (ray.id != ray_is.id || ray.time != ray_is.time) return "the first box on a ray";
  return "";
}

/// The same about pairs.
template <int N>
std::string pair_difference(const BroadPhase<N>& broad, const Model<N>& model) {
  const auto expected = model.pairs();
  std::vector<BoxPair> found(expected.size() + 1);
  found.resize(std::min(broad.pairs(found), found.size()));
  if (found != expected) return "overlapping pairs";
  if (broad.any_pair() != !expected.empty()) return "whether any pair overlaps";
  return "";
}

}  // namespace graze_test::broad_phase_model
