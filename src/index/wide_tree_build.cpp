// Building a tree: from the top by cost, or from the bottom along the curve of Morton.
#include <bit>

#include "graze/index/morton_tree.h"
#include "index/box_stream.h"
#include "index/curve_order.h"
#include "index/wide_tree.h"

namespace graze {
namespace broad {
namespace {

// So many boxes before they are read, memory is asked for them.
constexpr std::size_t kAhead = 24;

// As many boxes as a node of this height can have below it.
std::size_t capacity(unsigned height) { return std::size_t{1} << 3 * (height + 1); }

}  // namespace

template <int N>
void WideTree<N>::build(std::span<const BoxId> ids) {
  clear();
  if (ids.empty()) return;
  leaf_of_.resize(std::max<std::size_t>(leaf_of_.size(), ids.back() + std::size_t{1}), kNoNode);
  if (along_curve_) {
    build_along_curve(ids);
  } else {
    std::vector<Item> items;
    items.reserve(ids.size());
    for (const BoxId id : ids) items.push_back({store_.floats(id), id});
    std::uint8_t height = 0;
    while (capacity(height) < ids.size()) ++height;
    root_ = place_of(build_by_cost(items, height));
  }
  const FloatBox<N> all = bounds(root_ & ~kLeafBit);
  for (int k = 0; k < N; ++k) reach_ = std::max({reach_, std::abs(all.lo[k]), std::abs(all.hi[k])});
}

// A node of this height over the items, which fit below it.
template <int N>
std::uint32_t WideTree<N>::build_by_cost(std::span<Item> items, std::uint8_t height) {
  const std::uint32_t n = new_node(height);
  links_[n].improved = true;
  if (height == 0) {
    set_children(n, items);
    return n;
  }
  // Halves, or as near to them as full children allow, until each part is a child.
  struct Part {
    std::span<Item> items;
    std::size_t children;
  } parts[kWide] = {{items, (items.size() - 1) / capacity(height - 1U) + 1}};
  std::size_t count = 1;
  for (std::size_t i = 0; i < count;) {
    if (parts[i].children == 1) {
      ++i;
      continue;
    }
    const Part whole = parts[i];
    const std::size_t children = whole.children / 2, left = whole.items.size() * children / whole.children;
    divide_by_cost<N>(whole.items, left);
    parts[i] = {whole.items.first(left), children};
    parts[count++] = {whole.items.subspan(left), whole.children - children};
  }
  Item made[kWide];
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t child = build_by_cost(parts[i].items, static_cast<std::uint8_t>(height - 1));
    made[i] = {bounds(child), place_of(child)};
  }
  set_children(n, std::span<const Item>(made, count));
  return n;
}

template <int N>
void WideTree<N>::build_along_curve(std::span<const BoxId> ids) {
  // Floats about the origin, side by side: leaves read them in another order.
  std::vector<CurvePlace>& places = places_;
  places.resize(ids.size());
  floats_.resize(ids.size());
  if (ids.back() + std::size_t{1} == ids.size()) {  // all that there are
    float_boxes(std::span(store_.boxes).first(ids.size()), store_.origin, floats_.data());
  } else {
    for (std::size_t i = 0; i < ids.size(); ++i) floats_[i] = store_.floats(ids[i]);
  }
  places_along_curve(std::span<const FloatBox<N>>(floats_.data(), ids.size()), store_.floats(store_.all),
                     places.data());
  sort_places(places, sorted_);

  std::size_t total = 0;
  for (std::size_t level = ids.size(); level > 1 || total == 0;) total += level = (level + kWide - 1) / kWide;
  nodes_.resize(total), links_.resize(total);
  unused_.reserve(2 * total);
  std::size_t first = 0, below = 0;  // nodes of this level and of the one below
  for (std::uint8_t height = 0;; ++height) {
    const std::size_t count = height == 0 ? places.size() : first - below;
    const std::size_t made = (count + kWide - 1) / kWide;
    for (std::size_t i = 0; i < made; ++i) {
      const auto n = static_cast<std::uint32_t>(first + i);
      TreeNode<N>& node = nodes_[n];
      const std::size_t children = std::min(kWide, count - i * kWide);
      links_[n] = {kNoNode, static_cast<std::uint8_t>(children), height, false};
      for (std::size_t lane = children; lane < kWide; ++lane) node.set(lane, nothing<N>(), kNoNode);
      for (std::size_t lane = 0; height == 0 && lane < children; ++lane) {
        const std::size_t at = i * kWide + lane, from = places[at].index;
        if (at + kAhead < count) __builtin_prefetch(&floats_[places[at + kAhead].index]);
        node.set(lane, floats_[from], ids[from]);
        leaf_of_[ids[from]] = n;
      }
      for (std::size_t lane = 0; height > 0 && lane < children; ++lane) {
        const auto child = static_cast<std::uint32_t>(below + i * kWide + lane);
        node.set(lane, bounds(child), place_of(child));
        links_[child].parent = n;
      }
    }
    below = first;
    first += made;
    if (made == 1) break;
  }
  root_ = place_of(static_cast<std::uint32_t>(first - 1));
}

template <int N>
std::size_t WideTree<N>::count_below(std::uint32_t n) const {
  if (links_[n].height == 0) return links_[n].count;
  std::size_t count = 0;
  for (std::size_t lane = 0; lane < links_[n].count; ++lane) count += count_below(nodes_[n].child[lane] & ~kLeafBit);
  return count;
}
template <int N>
void WideTree<N>::gather(std::uint32_t n, std::vector<Item>& items) const {
  for (std::size_t lane = 0; lane < links_[n].count; ++lane) {
    if (links_[n].height == 0) {
      items.push_back({nodes_[n].box(lane), nodes_[n].child[lane]});
    } else {
      gather(nodes_[n].child[lane] & ~kLeafBit, items);
    }
  }
}
template <int N>
void WideTree<N>::free_below(std::uint32_t n) {
  for (std::size_t lane = 0; links_[n].height > 0 && lane < links_[n].count; ++lane) {
    free_below(nodes_[n].child[lane] & ~kLeafBit);
  }
  free_node(n);
}

// So many calls of new_node do not allocate.
template <int N>
void WideTree<N>::reserve_nodes(std::size_t count) {
  const std::size_t limit = nodes_.size() + count - std::min(count, unused_.size());
  nodes_.reserve(limit);
  links_.reserve(limit);
  if (unused_.capacity() < limit) unused_.reserve(2 * limit);
}

template <int N>
std::size_t WideTree<N>::improve(const Box& region, std::size_t budget) {
  if (root_ == kNoNode || inverted<N>(region)) return 0;
  return improve_below(root_ & ~kLeafBit, store_.floats(region), budget);
}

template <int N>
std::size_t WideTree<N>::improve_below(std::uint32_t n, const FloatBox<N>& region, std::size_t budget) {
  if (links_[n].improved || links_[n].height == 0) return 0;
  const std::size_t count = count_below(n);
  if (count <= budget) {
    std::vector<Item> items;
    items.reserve(count);
    gather(n, items);
    const std::uint8_t height = links_[n].height;
    const std::uint32_t parent = links_[n].parent;
    const std::size_t lane = parent == kNoNode ? 0 : nodes_[parent].lane_of(place_of(n));
    reserve_nodes(count / 3 + kTreeDepth + 2);  // nodes hold four children or more, but for those at the top
    const std::uint32_t made = build_by_cost(items, height);
    free_below(n);
    links_[made].parent = parent;
    if (parent == kNoNode) {
      root_ = place_of(made);
    } else {
      nodes_[parent].set(lane, bounds(made), place_of(made));
    }
    return count;
  }
  std::size_t spent = 0;
  for (std::size_t lane = 0; lane < links_[n].count && spent < budget; ++lane) {
    const FloatBox<N> box = nodes_[n].box(lane);
    bool far = false;
    for (int k = 0; k < N; ++k) far |= box.lo[k] > region.hi[k] || box.hi[k] < region.lo[k];
    if (!far) spent += improve_below(nodes_[n].child[lane] & ~kLeafBit, region, budget - spent);
  }
  return spent;
}

template class WideTree<2>;
template class WideTree<3>;

template <int N>
StructureOf<N> make_aabb_tree(const Store<N>& store) {
  return std::make_unique<WideTree<N>>(store, false);
}
template <int N>
StructureOf<N> make_morton_tree(const Store<N>& store) {
  return std::make_unique<WideTree<N>>(store, true);
}
template StructureOf<2> make_aabb_tree<2>(const Store<2>&);
template StructureOf<3> make_aabb_tree<3>(const Store<3>&);
template StructureOf<2> make_morton_tree<2>(const Store<2>&);
template StructureOf<3> make_morton_tree<3>(const Store<3>&);

}  // namespace broad

template <int N>
std::size_t MortonTree<N>::improve(std::size_t budget, const Box& region) {
  if (this->kind() != BroadPhaseKind::morton_tree) return 0;  // another kind was moved into this object
  return static_cast<broad::WideTree<N>&>(*this->body_->structure).improve(region, budget);
}
template <int N>
std::size_t MortonTree<N>::improve(std::size_t budget) {
  Box everywhere;
  std::swap(everywhere.min, everywhere.max);
  return improve(budget, everywhere);
}

template class MortonTree<2>;
template class MortonTree<3>;

}  // namespace graze
