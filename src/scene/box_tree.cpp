#include "scene/box_tree.h"

#include <algorithm>

#include "scene/data.h"

namespace graze::scene {
namespace {

using Node = BoxTree::Node;
using Link = BoxTree::Link;
constexpr std::size_t kChildren = BoxTree::kChildren, kFewest = BoxTree::kFewest;

bool less(const BoxKey& a, const BoxKey& b) { return BoxLess()(a, b); }

// The child that has the key if any has: the last whose first key is not behind it.
std::size_t slot_of(const Node& node, const BoxKey& key) {
  std::size_t slot = 0;
  while (slot + 1 < node.count && !less(key, node.key[slot + 1])) ++slot;
  return slot;
}

// One child of a node.
struct Entry {
  Aabb box;
  BoxKey key;
  ObjectLink object;
  Link child;
};
Entry entry_of(const Link& node) { return {node->bounds(), node->key[0], nullptr, node}; }

void put(Node& node, std::size_t at, Entry&& entry) {
  node.box.set(at, entry.box);
  node.key[at] = entry.key;
  node.object[at] = std::move(entry.object);
  node.child[at] = std::move(entry.child);
}
Entry taken(Node& node, std::size_t at) {
  return {node.box[at], node.key[at], std::move(node.object[at]), std::move(node.child[at])};
}
// Of a node that is not full.
void insert(Node& node, std::size_t at, Entry&& entry) {
  for (std::size_t i = node.count++; i > at; --i) put(node, i, taken(node, i - 1));
  put(node, at, std::move(entry));
}
void remove(Node& node, std::size_t at) {
  for (std::size_t i = at + 1; i < node.count; ++i) put(node, i - 1, taken(node, i));
  put(node, --node.count, {});
}
std::shared_ptr<Node> copy_of(const Node& node) { return std::make_shared<Node>(node); }

// The entries of a full node and one more, or of two nodes, on their way to others.
struct Entries {
  bool leaf = true;
  std::size_t count = 0;
  std::array<Entry, 2 * kChildren> entry;

  void take(const Node& node) {
    leaf = node.leaf;
    for (std::size_t i = 0; i < node.count; ++i)
      entry[count++] = {node.box[i], node.key[i], node.object[i], node.child[i]};
  }
  void insert(std::size_t at, Entry added) {
    for (std::size_t i = count++; i > at; --i) entry[i] = std::move(entry[i - 1]);
    entry[at] = std::move(added);
  }
  Link node(std::size_t begin, std::size_t end) {
    auto made = std::make_shared<Node>();
    made->leaf = leaf;
    made->count = static_cast<std::uint32_t>(end - begin);
    for (std::size_t i = begin; i < end; ++i) put(*made, i - begin, std::move(entry[i]));
    return made;
  }
};

// A measure of the surface of a box; where it is unbounded, it says nothing.
double surface(const Aabb& box) {
  const Vec3 d = box.max - box.min;
  return d.x() * d.y() + d.y() * d.z() + d.z() * d.x();
}

// Where the curve jumps farthest, by the surfaces of the boxes on both sides: a run that goes on behind a jump would
// have a box that many queries meet.
std::size_t split_of(const Entries& entries) {
  std::array<double, 2 * kChildren> before{};
  Aabb box;
  for (std::size_t i = 0; i < entries.count; ++i) {
    before[i] = static_cast<double>(i) * surface(box);
    box.extend(entries.entry[i].box);
  }
  std::size_t best = entries.count / 2;
  double cost = kInfinity;
  box = {};
  for (std::size_t i = entries.count; i-- > kFewest;) {
    box.extend(entries.entry[i].box);
    const double here = before[i] + static_cast<double>(entries.count - i) * surface(box);
    if (entries.count - i >= kFewest && here < cost) best = i, cost = here;
  }
  return best;
}

// One node, or two.
struct Made {
  Link first, second;
};
Made made_of(Entries& entries) {
  if (entries.count <= kChildren) return {entries.node(0, entries.count), nullptr};
  const std::size_t half = split_of(entries);
  Link first = entries.node(0, half);
  return {std::move(first), entries.node(half, entries.count)};
}

// The node with one more child.
Made with_entry(const Node& node, std::size_t at, Entry&& entry) {
  if (node.count < kChildren) {
    const auto copy = copy_of(node);
    insert(*copy, at, std::move(entry));
    return {copy, nullptr};
  }
  Entries entries;
  entries.take(node);
  entries.insert(at, std::move(entry));
  return made_of(entries);
}

Made with(const Node& node, const BoxKey& key, const Aabb& box, ObjectLink&& object, bool& added) {
  const std::size_t slot = slot_of(node, key);
  if (node.leaf) {
    const bool before = less(key, node.key[slot]), behind = less(node.key[slot], key);
    added = before || behind;
    if (added) return with_entry(node, before ? slot : slot + 1, {box, key, std::move(object), nullptr});
    const auto copy = copy_of(node);
    put(*copy, slot, {box, key, std::move(object), nullptr});
    return {copy, nullptr};
  }
  const Made below = with(*node.child[slot], key, box, std::move(object), added);
  const auto copy = copy_of(node);
  put(*copy, slot, entry_of(below.first));
  if (!below.second) return {copy, nullptr};
  return with_entry(*copy, slot + 1, entry_of(below.second));
}

// May have fewer children than a node should, also none.
Link without(const Node& node, const BoxKey& key) {
  const auto copy = copy_of(node);
  const std::size_t slot = slot_of(node, key);
  if (node.leaf) {
    remove(*copy, slot);
    return copy;
  }
  const Link below = without(*node.child[slot], key);
  if (below->count >= kFewest) {
    put(*copy, slot, entry_of(below));
    return copy;
  }
  // Together with a neighbour: one node or two that have enough.
  const std::size_t left = slot > 0 ? slot - 1 : slot;
  Entries both;
  both.take(slot > 0 ? *node.child[left] : *below);
  both.take(slot > 0 ? *below : *node.child[slot + 1]);
  const Made made = made_of(both);
  put(*copy, left, entry_of(made.first));
  if (made.second) put(*copy, left + 1, entry_of(made.second));
  else remove(*copy, left + 1);
  return copy;
}

std::string faults_below(const Node& node, bool root, std::size_t depth, std::size_t& leaves_at, std::size_t& objects) {
  if (depth > BoxTree::kMaxDepth) return "deeper than promised";
  if (node.count > kChildren || node.count < (root ? (node.leaf ? 1U : 2U) : kFewest))
    return "too few children, or too many";
  if (node.leaf) {
    if (leaves_at == 0) leaves_at = depth;
    if (leaves_at != depth) return "leaves at different depths";
    objects += node.count;
  }
  for (std::size_t i = 0; i < node.count; ++i) {
    if (i > 0 && !less(node.key[i - 1], node.key[i])) return "out of order";
    if (node.leaf) {
      if (node.object[i] == nullptr || !(node.object[i]->box == node.box[i]))
        return "the box of an object is not its own";
      const BoxKey key = key_of(*node.object[i]);
      if (less(key, node.key[i]) || less(node.key[i], key)) return "the key of an object is not its own";
      continue;
    }
    const Node& child = *node.child[i];
    if (!(child.bounds() == node.box[i])) return "a box that is not that of what is below";
    if (less(child.key[0], node.key[i]) || less(node.key[i], child.key[0])) return "a key that is not the first below";
    if (i + 1 < node.count && !less(child.key[child.count - 1], node.key[i + 1])) return "out of order";
    if (std::string why = faults_below(child, false, depth + 1, leaves_at, objects); !why.empty()) return why;
  }
  return {};
}

}  // namespace

Aabb Node::bounds() const {
  Aabb all;
  for (std::size_t i = 0; i < count; ++i) all.extend(box[i]);
  return all;
}

const ObjectLink* BoxTree::find(const BoxKey& key) const {
  const Node* node = root_.get();
  if (node == nullptr) return nullptr;
  while (!node->leaf) node = node->child[slot_of(*node, key)].get();
  const std::size_t slot = slot_of(*node, key);
  return less(key, node->key[slot]) || less(node->key[slot], key) ? nullptr : &node->object[slot];
}

void BoxTree::set(const BoxKey& key, const Aabb& box, ObjectLink object) {
  bool added = true;
  if (!root_) {
    const auto root = std::make_shared<Node>();
    insert(*root, 0, {box, key, std::move(object), nullptr});
    root_ = root;
  } else {
    const Made made = with(*root_, key, box, std::move(object), added);
    if (made.second) {
      const auto root = std::make_shared<Node>();
      root->leaf = false;
      insert(*root, 0, entry_of(made.first));
      insert(*root, 1, entry_of(made.second));
      root_ = root;
    } else {
      root_ = made.first;
    }
  }
  size_ += added ? 1 : 0;
}

void BoxTree::erase(const BoxKey& key) {
  if (find(key) == nullptr) return;
  Link root = without(*root_, key);
  if (root->count == 0) root = nullptr;
  else if (!root->leaf && root->count == 1) root = root->child[0];
  root_ = std::move(root);
  --size_;
}

std::string BoxTree::faults() const {
  if (!root_) return size_ == 0 ? "" : "objects without a tree";
  std::size_t leaves_at = 0, objects = 0;
  if (std::string why = faults_below(*root_, true, 1, leaves_at, objects); !why.empty()) return why;
  return objects == size_ ? "" : "miscounted";
}

}  // namespace graze::scene
