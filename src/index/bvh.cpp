#include "graze/index/bvh.h"

#include <fmt/format.h>

#include <vector>

#include "graze/base/error.h"
#include "index/bvh_walk.h"

namespace graze {
namespace {

using bvh::Box;
using bvh::kLeafBit;
using bvh::kNone;
using bvh::kWidth;
using bvh::Node;
using bvh::Tree;

constexpr double kLargestCoordinate = 1e30;

Aabb checked_bounds(std::span<const Aabb> boxes) {
  if (boxes.size() >= kLeafBit) throw Error("bvh", fmt::format("{} boxes are too many", boxes.size()));
  Aabb all;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const bool right = !boxes[i].empty() && boxes[i].min.cwiseAbs().maxCoeff() <= kLargestCoordinate &&
                       boxes[i].max.cwiseAbs().maxCoeff() <= kLargestCoordinate;
    if (!right) throw Error(fmt::format("bvh box {}", i), "is empty, not finite or out of range");
    all.extend(boxes[i]);
  }
  return all;
}

void check_count(std::size_t has, std::size_t given) {
  if (given != has) throw Error("bvh", fmt::format("has {} boxes, cannot be refitted with {}", has, given));
}

Box rounded(const Aabb& box, const Vec3& origin) {
  Box b;
  for (int i = 0; i < 3; ++i) {
    b.min[i] = static_cast<float>(box.min[i] - origin[i]);
    b.max[i] = static_cast<float>(box.max[i] - origin[i]);
  }
  return b;
}

double extent_about(const Aabb& all, const Vec3& origin) {
  return std::max((all.min - origin).cwiseAbs().maxCoeff(), (all.max - origin).cwiseAbs().maxCoeff());
}

}  // namespace

Bvh::Bvh() : tree_(std::make_unique<Tree>()) {}
Bvh::Bvh(Bvh&&) noexcept = default;
Bvh& Bvh::operator=(Bvh&&) noexcept = default;
Bvh::~Bvh() = default;

Bvh::Bvh(std::span<const Aabb> boxes, const BvhOptions& options) : Bvh() {
  const Aabb all = checked_bounds(boxes);
  if (boxes.empty()) return;
  tree_->origin = all.center();
  tree_->rounding = bvh::rounding_for(extent_about(all, tree_->origin));
  std::vector<Box> small(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) small[i] = rounded(boxes[i], tree_->origin);
  bvh::build(*tree_, small, options.threads);
}

void Bvh::refit_over_move(std::span<const Aabb> from, std::span<const Aabb> to) {
  for (const auto& boxes : {from, to}) {
    check_count(size(), boxes.size());
    checked_bounds(boxes);
  }
  // What is in a box that goes straight from one place to another never leaves the box around both.
  std::vector<Aabb> both(from.begin(), from.end());
  for (std::size_t i = 0; i < both.size(); ++i) both[i].extend(to[i]);
  refit(both);
}

void Bvh::refit(std::span<const Aabb> boxes) {
  check_count(size(), boxes.size());
  const Aabb all = checked_bounds(boxes);
  if (boxes.empty()) return;
  tree_->origin = all.center();
  tree_->rounding = bvh::rounding_for(extent_about(all, tree_->origin));
  std::vector<Box> leaves(tree_->leaves);
  for (std::size_t i = 0; i < tree_->order.size(); ++i) {
    if (tree_->order[i] != kNone) leaves[i / kWidth].extend(rounded(boxes[tree_->order[i]], tree_->origin));
  }
  Buffer<Box> scratch;
  bvh::refit(*tree_, leaves, scratch);
}

std::size_t Bvh::size() const { return tree_->size; }
Aabb Bvh::bounds() const { return size() == 0 ? Aabb() : tree_->to_double(tree_->root); }
double Bvh::cost() const { return tree_->cost; }
double Bvh::cost_ratio() const { return tree_->cost_at_build > 0 ? tree_->cost / tree_->cost_at_build : 1; }
std::size_t Bvh::memory_bytes() const { return sizeof(*this) + sizeof(Tree) + tree_->memory_bytes(); }

void Bvh::visit_erased(const Aabb& box, void* body, bool (*call)(void*, std::size_t)) const {
  bvh::visit_overlapping(*tree_, box, [&](std::size_t i) { return call(body, i); });
}

std::string Bvh::validate(std::span<const Aabb> boxes) const { return bvh::validate(*tree_, boxes); }

std::string bvh::validate(const Tree& t, std::span<const Aabb> boxes) {
  if (boxes.size() != t.size) return fmt::format("{} boxes instead of {}", t.size, boxes.size());
  if (t.size == 0) return t.nodes.empty() && t.order.empty() ? "" : "an empty tree with nodes";
  std::vector<char> seen(t.size, 0), leaf_seen(t.leaves, 0), node_seen(t.nodes.size(), 0);
  struct Open {
    std::uint32_t node;
    std::size_t depth;
    Aabb within;
  };
  std::vector<Open> open{{0, 0, t.to_double(t.root)}};
  node_seen[0] = 1;
  while (!open.empty()) {
    const Open top = open.back();
    open.pop_back();
    if (top.depth > bvh::kMaxDepth) return "deeper than promised";
    const Node& node = t.nodes[top.node];
    bool ended = false;
    for (std::size_t k = 0; k < kWidth; ++k) {
      const std::uint32_t child = node.child[k];
      if (child == kNone) {
        ended = true;
        continue;
      }
      if (ended) return fmt::format("node {}: a child behind an empty lane", top.node);
      const Aabb box = t.to_double(node.box(k));
      if (!(box.min.array() >= top.within.min.array()).all() || !(box.max.array() <= top.within.max.array()).all())
        return fmt::format("node {}: child {} is not inside its parent", top.node, k);
      if ((child & kLeafBit) == 0) {
        if (child <= top.node || child >= t.nodes.size() || node_seen[child]++ != 0)
          return fmt::format("node {}: child {} is not a node of its own", top.node, k);
        open.push_back({child, top.depth + 1, box});
        continue;
      }
      const std::size_t leaf = child & ~kLeafBit;
      if (leaf >= t.leaves || leaf_seen[leaf]++ != 0) return fmt::format("leaf {} is not there once", leaf);
      if (t.leaf_size(leaf) == 0) return fmt::format("leaf {} is empty", leaf);
      for (std::size_t i = 0; i < kWidth; ++i) {
        const std::uint32_t primitive = t.order[kWidth * leaf + i];
        if (primitive == kNone) continue;
        if (primitive >= t.size || seen[primitive]++ != 0) return fmt::format("box {} is not there once", primitive);
        const Aabb& inner = boxes[primitive];
        if (!(box.min.array() <= inner.min.array()).all() || !(box.max.array() >= inner.max.array()).all())
          return fmt::format("leaf {} does not hold box {}", leaf, primitive);
      }
    }
  }
  for (std::size_t i = 0; i < t.size; ++i) {
    if (seen[i] == 0) return fmt::format("box {} is missing", i);
  }
  return "";
}

}  // namespace graze
