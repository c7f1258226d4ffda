// The walk down a tree of float32 and back up, nearest child first, without a list to keep in order. Per instruction
// set: include it from such a source.

#if defined(GRAZE_INDEX_KD_TREE_DESCENT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef GRAZE_INDEX_KD_TREE_DESCENT_INL_H
#undef GRAZE_INDEX_KD_TREE_DESCENT_INL_H
#else
#define GRAZE_INDEX_KD_TREE_DESCENT_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/lane_function.h"
#include "index/kd_tree_data.h"

HWY_BEFORE_NAMESPACE();
namespace graze::kd_tree {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::CappedTag<float, kFan> kF;
constexpr hn::RebindToSigned<decltype(kF)> kI;
using F = hn::Vec<decltype(kF)>;
constexpr std::size_t kLanes = hn::MaxLanes(kF);

GRAZE_LANE_FUNCTION F set(float x) { return hn::Set(kF, x); }

/// One open node on each level of the path to where a walk is, and on the highest level two, with a key for each child
/// that is left. Keys are bounds, which are not negative, with the number of the child in the lowest three bits: all
/// different, and ordered as numbers are. Limits must have room for that, and be above 0.
struct OpenNodes {
  static constexpr std::size_t kSlots = kMaxLevels + 1;
  alignas(64) std::int32_t keys[kSlots][kFan];
  std::int32_t min_keys[kSlots];  // of the keys of each slot
  std::uint32_t at[kSlots];       // the node
};

/// Where the walk is: numbers that stay in registers, apart from the memory of what is open.
class Descent {
 public:
  /// Opens the root; or, if it has two children only and the walk's bounds are cheap, both of them: then nobody waits
  /// for the root.
  template <class Walk>
  GRAZE_LANE_FUNCTION void start(const Tree<float>& tree, OpenNodes& open, const Walk& walk) {
    tree_ = &tree, open_ = &open;
    top_ = tree.levels - 1;
    const bool two = Walk::kCheapBounds && top_ > 0 && tree.children(top_) == 2;
    if (two) --top_;
    level_ = top_;
    for (std::size_t k = 0; k < top_; ++k) open.min_keys[k] = kNothing;
    open.min_keys[top_ + 1] = kNothing;
    if (two) put(top_ + 1, 1, walk);
    put(top_, 0, walk);
    choose_top();
  }

  /// Chooses the nearest child that is left, of those whose bounds are not above the limit; the lowest level first.
  /// False if there is none.
  GRAZE_LANE_FUNCTION bool select(float limit) {
    const auto bits = std::bit_cast<std::int32_t>(limit);
    if (min_key_ > bits) {
      // All levels at once: how far up the walk goes on is nothing that jumps could foretell.
      unsigned near = 0;
      for (std::size_t k = 0; k < top_ + 2; ++k) near |= (open_->min_keys[k] <= bits ? 1U : 0U) << k;
      if (near == 0) return false;
      slot_ = level_ = std::min(static_cast<std::size_t>(std::countr_zero(near)), top_);
      if (level_ == top_) choose_top();
      else min_key_ = open_->min_keys[slot_], at_ = open_->at[slot_];
    }
    constexpr std::uint32_t kChildren = kFan;
    child_ = kChildren * at_ + (static_cast<std::uint32_t>(min_key_) & (kChildren - 1));
    forget();
    return true;
  }
  /// What was chosen: a leaf, or a node of the level below.
  bool is_leaf() const { return level_ == 0; }
  std::size_t child() const { return child_; }
  /// Whether its children are leaves.
  bool is_lowest() const { return level_ == 1; }
  const Node<float>& node() const { return tree_->nodes[tree_->first[level_ - 1] + child_]; }

  /// Opens the node that was chosen. walk.bound(node, i): of its children from lane i on; infinite, or no number, for
  /// those that do not matter or do not exist.
  template <class Walk>
  GRAZE_LANE_FUNCTION void open(const Walk& walk) {
    put(--level_, child_, walk);
  }

 private:
  static constexpr std::int32_t kNothing = std::numeric_limits<std::int32_t>::max();

  // The nearer one of the two nodes on the highest level.
  GRAZE_LANE_FUNCTION void choose_top() {
    slot_ = top_ + (open_->min_keys[top_ + 1] < open_->min_keys[top_] ? 1 : 0);
    min_key_ = open_->min_keys[slot_], at_ = open_->at[slot_];
  }

  // A node into a slot.
  template <class Walk>
  GRAZE_LANE_FUNCTION void put(std::size_t slot, std::uint32_t at, const Walk& walk) {
    slot_ = slot, at_ = open_->at[slot] = at;
    const Node<float>& node = tree_->nodes[tree_->first[level_] + at];
    auto min_key = hn::Set(kI, kNothing);
    for (std::size_t i = 0; i < kFan; i += kLanes) {
      const auto bits = hn::And(hn::BitCast(kI, walk.bound(node, i)), hn::Set(kI, 0x7FFFFFF8));
      const auto keys = hn::Or(bits, hn::Iota(kI, static_cast<std::int32_t>(i)));
      hn::Store(keys, kI, open_->keys[slot] + i);
      min_key = hn::Min(min_key, keys);
    }
    min_key_ = open_->min_keys[slot] = hn::GetLane(hn::MinOfLanes(kI, min_key));
  }

  // The child that was chosen. Nobody waits for the next nearest one: the walk goes on below meanwhile.
  GRAZE_LANE_FUNCTION void forget() {
    auto min_key = hn::Set(kI, kNothing);
    std::int32_t* const keys = open_->keys[slot_];
    for (std::size_t i = 0; i < kFan; i += kLanes) {
      const auto of = hn::Load(kI, keys + i);
      const auto left = hn::IfThenElse(hn::Eq(of, hn::Set(kI, min_key_)), hn::Set(kI, kNothing), of);
      hn::Store(left, kI, keys + i);
      min_key = hn::Min(min_key, left);
    }
    min_key_ = open_->min_keys[slot_] = hn::GetLane(hn::MinOfLanes(kI, min_key));
  }

  const Tree<float>* tree_;
  OpenNodes* open_;
  std::size_t top_, level_, slot_;  // the highest level that is open; what was chosen from last
  std::uint32_t at_, child_;        // the node there; which of all children below
  std::int32_t min_key_;            // of what is left of it
};

}  // namespace HWY_NAMESPACE
}  // namespace graze::kd_tree
HWY_AFTER_NAMESPACE();

#endif
