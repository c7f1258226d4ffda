// A balanced tree of boxes, eight to a node, that is changed in place: what AABB trees and Morton trees are made of.
#pragma once

#include "graze/index/near_first.h"
#include "index/broad_structure.h"
#include "index/buffer.h"
#include "index/curve_order.h"

namespace graze::broad {

inline constexpr std::uint32_t kNoNode = 0xFFFFFFFF, kLeafBit = 0x80000000;
/// No node is deeper: nodes but the root hold four when they are made, and the tree is built anew before it is deeper
/// than its number of boxes allows.
inline constexpr std::size_t kTreeDepth = 20;

/// Apart from everything.
template <int N>
FloatBox<N> nothing() {
  constexpr float kFar = std::numeric_limits<float>::infinity();
  FloatBox<N> box;
  each_axis<N>([&](int k) { box.lo[k] = kFar, box.hi[k] = -kFar; });
  return box;
}

/// The boxes of up to eight children by axis, children first. A child is a node, with kLeafBit if that is a leaf; those
/// of a leaf are ids. Lanes without a child are empty.
template <int N>
struct alignas(32) TreeNode {
  float lo[N][kWide], hi[N][kWide];
  std::uint32_t child[kWide];

  void set(std::size_t lane, const FloatBox<N>& box, std::uint32_t to) {
    each_axis<N>([&](int k) { lo[k][lane] = box.lo[k], hi[k][lane] = box.hi[k]; });
    child[lane] = to;
  }
  FloatBox<N> box(std::size_t lane) const {
    FloatBox<N> b;
    each_axis<N>([&](int k) { b.lo[k] = lo[k][lane], b.hi[k] = hi[k][lane]; });
    return b;
  }
  std::size_t lane_of(std::uint32_t to) const {
    std::size_t lane = 0;
    while (child[lane] != to) ++lane;
    return lane;
  }
};

/// What only changes need to know of a node.
struct TreeLink {
  std::uint32_t parent = kNoNode;
  std::uint8_t count = 0, height = 0;  ///< children; 0 for leaves
  bool improved = false;               ///< divided by cost, not along the curve
};

/// Something that becomes a child.
template <int N>
struct TreeItem {
  FloatBox<N> box;
  std::uint32_t child;
};

template <int N>
class WideTree final : public Structure<N> {
 public:
  using Box = AabbOf<N>;
  using Structure<N>::store_;

  WideTree(const Store<N>& store, bool along_curve) : Structure<N>(store), along_curve_(along_curve) {}

  void clear() noexcept override;
  void build(std::span<const BoxId> ids) override;
  bool insert(BoxId id) override;
  void erase(BoxId id, const Box& was) override;
  bool move(BoxId id, const Box& was) override;
  bool worn() const override;

  bool visit(const Box& box, const IdSink& sink) const override;
  bool pairs(PairSink& sink) const override;
  void nearest(const Box& box, NearestBox& best) const override;
  void first_hit(const MovingBox<N>& moving, BoxHit& best) const override;
  bool visit_swept(const MovingBox<N>& moving, const HitSink& sink) const override;

  std::size_t memory_bytes() const override;
  std::string validate() const override;

  /// Divides by cost what overlaps `region` and was not yet, in parts of at most `budget` boxes in all. Gives how many.
  std::size_t improve(const Box& region, std::size_t budget);

  const TreeNode<N>& node(std::uint32_t place) const { return nodes_[place & ~kLeafBit]; }
  unsigned lanes(std::uint32_t place) const { return (1U << links_[place & ~kLeafBit].count) - 1; }
  std::uint32_t root() const { return root_; }
  std::size_t node_limit() const { return nodes_.size(); }
  bool is_leaf_in_use(std::uint32_t n) const { return links_[n].count > 0 && links_[n].height == 0; }
  /// More than floats and their differences with something this far from the origin are rounded by.
  double slack(const Box& about) const;

 private:
  using Item = TreeItem<N>;
  std::uint32_t place_of(std::uint32_t n) const { return links_[n].height == 0 ? n | kLeafBit : n; }
  std::uint32_t new_node(std::uint8_t height);
  void reserve_nodes(std::size_t count);
  void free_node(std::uint32_t n);
  void set_children(std::uint32_t n, std::span<const Item> items);
  FloatBox<N> bounds(std::uint32_t n) const;
  void refit(std::uint32_t n);
  void add_child(std::uint32_t n, const Item& item);
  void split(std::uint32_t n, const Item& more);
  void drop_child(std::uint32_t n, std::size_t lane);
  std::uint32_t build_by_cost(std::span<Item> items, std::uint8_t height);
  void build_along_curve(std::span<const BoxId> ids);
  void gather(std::uint32_t n, std::vector<Item>& items) const;
  void free_below(std::uint32_t n);
  std::size_t improve_below(std::uint32_t n, const FloatBox<N>& region, std::size_t budget);
  std::size_t count_below(std::uint32_t n) const;

  bool along_curve_;
  std::uint32_t root_ = kNoNode;  // a place
  float reach_ = 0;               // no coordinate is larger
  Buffer<TreeNode<N>> nodes_;
  Buffer<TreeLink> links_;
  std::vector<std::uint32_t> unused_, leaf_of_;  // nodes; by id
  std::vector<CurvePlace> places_, sorted_;      // for building, kept for the next time
  Buffer<FloatBox<N>> floats_;
};

/// Divides items in two of `left` and the rest so that area (volume in space) × count is minimal, at the medians of all
/// axes (motion planning thesis, Table 3.6).
template <int N>
void divide_by_cost(std::span<TreeItem<N>> items, std::size_t left);

/// The walks that are compiled per instruction set.
bool visit_tree(const WideTree<2>& tree, const Store<2>& store, const Aabb2& box, const IdSink& sink);
bool visit_tree(const WideTree<3>& tree, const Store<3>& store, const Aabb& box, const IdSink& sink);
bool tree_pairs(const WideTree<2>& tree, const Store<2>& store, PairSink& sink);
bool tree_pairs(const WideTree<3>& tree, const Store<3>& store, PairSink& sink);

}  // namespace graze::broad
