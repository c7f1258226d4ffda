// The boxes of a scene in a tree of eight children to a node, whose versions share everything that they have in common.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "graze/geometry/geometry.h"
#include "graze/index/near_first.h"
#include "scene/tree_lanes.h"

namespace graze::scene {

struct Object;
using ObjectLink = std::shared_ptr<const Object>;

/// The order of the boxes: along a curve through all of space (that of Morton, without a last level), so that what is
/// near in the order is mostly near in space; unbounded ones first.
struct BoxKey {
  bool bounded = false;
  Vec3 center = Vec3::Zero();
  std::uint64_t id = 0;
};
struct BoxLess {
  bool operator()(const BoxKey& a, const BoxKey& b) const;
};

/// A B-tree of immutable nodes in the order of the keys, all leaves at one depth. A copy is one reference; `set` and
/// `erase` copy the path to the entry, O(log n), and leave every other version as it is. A node has the boxes of its
/// children side by side, so that looking at them needs no other node. Changes that throw change nothing.
class BoxTree {
 public:
  struct Node;
  using Link = std::shared_ptr<const Node>;
  static constexpr std::size_t kChildren = kWide, kFewest = 3;
  struct Node {
    std::uint32_t count = 0;
    bool leaf = true;
    EightBoxes box;
    std::array<BoxKey, kChildren> key;         // of an object, or the first below
    std::array<ObjectLink, kChildren> object;  // of leaves
    std::array<Link, kChildren> child;         // of the others

    Aabb bounds() const;
  };
  /// No tree is deeper: one of this depth has at least 3^26 objects, which no memory holds.
  static constexpr std::size_t kMaxDepth = 27;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Node* root() const { return root_.get(); }

  const ObjectLink* find(const BoxKey& key) const;
  /// Adds an object, or replaces that of the same key.
  void set(const BoxKey& key, const Aabb& box, ObjectLink object);
  /// Removes the object of a key, if there is one.
  void erase(const BoxKey& key);
  /// What does not hold of the order, the number of children, the depth and the boxes; empty if all does.
  std::string faults() const;

 private:
  Link root_;
  std::size_t size_ = 0;
};

}  // namespace graze::scene
