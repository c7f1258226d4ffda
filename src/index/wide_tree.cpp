// Changes of a tree, and its invariants.
#include "index/wide_tree.h"

#include <fmt/format.h>

namespace graze::broad {
namespace {

template <int N>
bool same(const FloatBox<N>& a, const FloatBox<N>& b) {
  return std::equal(a.lo, a.lo + N, b.lo) && std::equal(a.hi, a.hi + N, b.hi);
}
template <int N>
bool within(const FloatBox<N>& inner, const FloatBox<N>& outer) {
  FloatBox<N> both = outer;
  both.extend(inner);
  return same(both, outer);
}

// Area or volume, and the sum of the extents, which decides between boxes that are flat.
struct Measure {
  double content = 1, extent = 0;
  template <int N>
  static Measure of(const FloatBox<N>& box) {
    Measure m;
    for (int k = 0; k < N; ++k) {
      const double side = double{box.hi[k]} - double{box.lo[k]};
      m.content *= side, m.extent += side;
    }
    return m;
  }
  Measure operator-(const Measure& o) const { return {content - o.content, extent - o.extent}; }
  Measure operator+(const Measure& o) const { return {content + o.content, extent + o.extent}; }
  Measure operator*(double n) const { return {content * n, extent * n}; }
  bool operator<(const Measure& o) const { return content < o.content || (content == o.content && extent < o.extent); }
};

template <int N>
Measure cost_of(std::span<const TreeItem<N>> items) {
  FloatBox<N> box = nothing<N>();
  for (const TreeItem<N>& item : items) box.extend(item.box);
  return Measure::of(box) * static_cast<double>(items.size());
}

}  // namespace

template <int N>
void divide_by_cost(std::span<TreeItem<N>> items, std::size_t left) {
  const auto halve = [&](int axis) {
    std::nth_element(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(left), items.end(),
                     [axis](const TreeItem<N>& a, const TreeItem<N>& b) {
                       const float at = a.box.lo[axis] + a.box.hi[axis], bt = b.box.lo[axis] + b.box.hi[axis];
                       return at < bt || (at == bt && a.child < b.child);
                     });
  };
  int best = 0, now = -1;
  Measure lowest{kInfinity, kInfinity};
  for (int axis = 0; axis < N; ++axis) {
    halve(now = axis);
    const Measure cost = cost_of<N>(items.first(left)) + cost_of<N>(items.subspan(left));
    if (cost < lowest) lowest = cost, best = axis;
  }
  if (now != best) halve(best);
}
template void divide_by_cost<2>(std::span<TreeItem<2>>, std::size_t);
template void divide_by_cost<3>(std::span<TreeItem<3>>, std::size_t);

template <int N>
void WideTree<N>::clear() noexcept {
  root_ = kNoNode;
  reach_ = 0;
  nodes_.clear(), links_.clear(), unused_.clear();
}

template <int N>
std::uint32_t WideTree<N>::new_node(std::uint8_t height) {
  std::uint32_t n = 0;
  if (unused_.empty()) {
    n = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({});
    links_.push_back({});
    if (unused_.capacity() < nodes_.size()) unused_.reserve(2 * nodes_.size());  // so that free_node never allocates
  } else {
    n = unused_.back();
    unused_.pop_back();
  }
  links_[n] = {kNoNode, 0, height, false};
  for (std::size_t lane = 0; lane < kWide; ++lane) nodes_[n].set(lane, nothing<N>(), kNoNode);
  return n;
}
template <int N>
void WideTree<N>::free_node(std::uint32_t n) {
  links_[n] = {};
  unused_.push_back(n);
}

template <int N>
void WideTree<N>::set_children(std::uint32_t n, std::span<const Item> items) {
  links_[n].count = static_cast<std::uint8_t>(items.size());
  for (std::size_t lane = 0; lane < kWide; ++lane) {
    if (lane >= items.size()) {
      nodes_[n].set(lane, nothing<N>(), kNoNode);
      continue;
    }
    nodes_[n].set(lane, items[lane].box, items[lane].child);
    if (links_[n].height == 0) {
      leaf_of_[items[lane].child] = n;
    } else {
      links_[items[lane].child & ~kLeafBit].parent = n;
    }
  }
}

template <int N>
FloatBox<N> WideTree<N>::bounds(std::uint32_t n) const {
  const TreeNode<N>& node = nodes_[n];
  FloatBox<N> box = node.box(0);
  for (std::size_t lane = 1; lane < kWide; ++lane) box.extend(node.box(lane));  // those without a child are empty
  return box;
}

// The boxes above a node whose children have changed.
template <int N>
void WideTree<N>::refit(std::uint32_t n) {
  while (links_[n].parent != kNoNode) {
    const std::uint32_t parent = links_[n].parent;
    const std::size_t lane = nodes_[parent].lane_of(place_of(n));
    const FloatBox<N> now = bounds(n);
    if (same(nodes_[parent].box(lane), now)) return;
    nodes_[parent].set(lane, now, place_of(n));
    n = parent;
  }
}

template <int N>
void WideTree<N>::add_child(std::uint32_t n, const Item& item) {
  if (links_[n].count == kWide) return split(n, item);
  const std::size_t lane = links_[n].count++;
  nodes_[n].set(lane, item.box, item.child);
  if (links_[n].height == 0) {
    leaf_of_[item.child] = n;
  } else {
    links_[item.child & ~kLeafBit].parent = n;
  }
  refit(n);
}

// A full node and one child more.
template <int N>
void WideTree<N>::split(std::uint32_t n, const Item& more) {
  Item items[kWide + 1];
  for (std::size_t lane = 0; lane < kWide; ++lane) items[lane] = {nodes_[n].box(lane), nodes_[n].child[lane]};
  items[kWide] = more;
  const std::span<Item> all(items);
  divide_by_cost<N>(all, (kWide + 1) / 2);
  const std::uint32_t other = new_node(links_[n].height);
  set_children(n, all.first((kWide + 1) / 2));
  set_children(other, all.subspan((kWide + 1) / 2));
  const std::uint32_t parent = links_[n].parent;
  if (parent != kNoNode) {
    refit(n);
    return add_child(parent, {bounds(other), place_of(other)});
  }
  const std::uint32_t top = new_node(static_cast<std::uint8_t>(links_[n].height + 1));
  const Item both[] = {{bounds(n), place_of(n)}, {bounds(other), place_of(other)}};
  set_children(top, both);
  root_ = place_of(top);
}

template <int N>
bool WideTree<N>::insert(BoxId id) {
  if (id >= leaf_of_.size()) leaf_of_.resize(std::max<std::size_t>(id + 1, 2 * leaf_of_.size()), kNoNode);
  const Item item{store_.floats(id), id};
  for (int k = 0; k < N; ++k) reach_ = std::max({reach_, std::abs(item.box.lo[k]), std::abs(item.box.hi[k])});
  if (root_ == kNoNode) root_ = new_node(0) | kLeafBit;
  std::uint32_t place = root_;
  while ((place & kLeafBit) == 0) {
    const TreeNode<N>& node = nodes_[place];
    std::size_t best = 0;
    Measure lowest{kInfinity, kInfinity};
    for (std::size_t lane = 0; lane < links_[place].count; ++lane) {
      FloatBox<N> grown = node.box(lane);
      const Measure before = Measure::of(grown);
      grown.extend(item.box);
      const Measure growth = Measure::of(grown) - before;
      if (growth < lowest) lowest = growth, best = lane;
    }
    place = node.child[best];
  }
  add_child(place & ~kLeafBit, item);
  return true;
}

template <int N>
void WideTree<N>::drop_child(std::uint32_t n, std::size_t lane) {
  const std::size_t last = --links_[n].count;
  nodes_[n].set(lane, nodes_[n].box(last), nodes_[n].child[last]);
  nodes_[n].set(last, nothing<N>(), kNoNode);
  const std::uint32_t parent = links_[n].parent;
  if (links_[n].count > 0) {
    refit(n);
  } else if (parent != kNoNode) {
    const std::size_t at = nodes_[parent].lane_of(place_of(n));
    free_node(n);
    drop_child(parent, at);
  } else {
    free_node(n);
    root_ = kNoNode;
  }
}

template <int N>
void WideTree<N>::erase(BoxId id, const Box&) {
  const std::uint32_t leaf = leaf_of_[id];
  drop_child(leaf, nodes_[leaf].lane_of(id));
  while (root_ != kNoNode && (root_ & kLeafBit) == 0 && links_[root_].count == 1) {
    const std::uint32_t only = nodes_[root_].child[0];
    free_node(root_);
    root_ = only;
    links_[only & ~kLeafBit].parent = kNoNode;
  }
}

// In place while it stays inside of what is around its leaf.
template <int N>
bool WideTree<N>::move(BoxId id, const Box& was) {
  const std::uint32_t leaf = leaf_of_[id], above = links_[leaf].parent;
  const FloatBox<N> box = store_.floats(id);
  if (above != kNoNode && links_[above].parent != kNoNode && !within(box, bounds(above))) {
    erase(id, was);
    return insert(id);
  }
  for (int k = 0; k < N; ++k) reach_ = std::max({reach_, std::abs(box.lo[k]), std::abs(box.hi[k])});
  nodes_[leaf].set(nodes_[leaf].lane_of(id), box, id);
  refit(leaf);
  return true;
}

template <int N>
bool WideTree<N>::worn() const {
  if (root_ == kNoNode) return false;
  const std::size_t height = links_[root_ & ~kLeafBit].height, used = nodes_.size() - unused_.size();
  return used > store_.indexed / 2 + 32 || (height > 2 && (std::size_t{1} << 2 * height) > 2 * store_.indexed);
}

template <int N>
double WideTree<N>::slack(const Box& about) const {
  double far = 0;
  for (int k = 0; k < N; ++k) {
    for (const double x : {about.min[k] - store_.origin[k], about.max[k] - store_.origin[k]}) {
      if (std::isfinite(x)) far = std::max(far, std::abs(x));
    }
  }
  return 0x1p-22 * double{reach_} + 0x1p-50 * far + 0x1p-148;  // the last: floats that are not normal
}

template <int N>
std::size_t WideTree<N>::memory_bytes() const {
  return nodes_.bytes() + links_.bytes() + (unused_.capacity() + leaf_of_.capacity()) * sizeof(std::uint32_t) +
         (places_.capacity() + sorted_.capacity()) * sizeof(CurvePlace) + floats_.bytes();
}

template <int N>
std::string WideTree<N>::validate() const {
  std::size_t boxes = 0, used = 0;
  std::vector<std::uint32_t> open;
  if (root_ != kNoNode) {
    open.push_back(root_ & ~kLeafBit);
    if (links_[open[0]].parent != kNoNode) return "the root has a parent";
    if (links_[open[0]].height > kTreeDepth) return "deeper than promised";
  }
  while (!open.empty()) {
    const std::uint32_t n = open.back();
    open.pop_back();
    ++used;
    if (links_[n].count == 0 || links_[n].count > kWide) return fmt::format("node {} has no or too many children", n);
    for (std::size_t lane = 0; lane < kWide; ++lane) {
      const std::uint32_t child = nodes_[n].child[lane];
      const FloatBox<N> box = nodes_[n].box(lane);
      if (lane >= links_[n].count) {
        if (child != kNoNode || !same(box, nothing<N>())) return fmt::format("node {}: an unused lane is in use", n);
      } else if (links_[n].height == 0) {
        ++boxes;
        if (child >= leaf_of_.size() || leaf_of_[child] != n) return fmt::format("box {} is in another leaf", child);
        if (!same(box, store_.floats(child))) return fmt::format("box {} is another", child);
      } else {
        const std::uint32_t below = child & ~kLeafBit;
        if (below >= nodes_.size() || child != place_of(below)) return fmt::format("node {}: no such child", n);
        if (links_[below].parent != n || links_[below].height + 1 != links_[n].height)
          return fmt::format("node {} has another parent or height", below);
        if (!same(box, bounds(below))) return fmt::format("node {} has other bounds", below);
        open.push_back(below);
      }
    }
  }
  if (boxes != store_.indexed) return "the tree has another number of boxes";
  return used + unused_.size() == nodes_.size() ? "" : "nodes are lost";
}

template class WideTree<2>;
template class WideTree<3>;

}  // namespace graze::broad
