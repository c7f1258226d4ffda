#include "query/moving_walk.h"

#include "graze/index/near_first.h"

namespace graze::moving {
namespace {

using bvh::kLeafBit;
using bvh::kNone;
using bvh::kWidth;
using bvh::Node;

// A child of a node: kWidth × node + lane.
using Ref = std::uint32_t;
constexpr Ref kWhole = 0x7FFFFFF8;     // all of a mesh, above the root
constexpr Ref kSiblings = 0x7FFFFFF9;  // as b, within one mesh: a itself and what follows it in its node
constexpr Ref kTriangle = 0x80000000;  // kWidth × leaf + lane: a triangle

// Boxes of the triangles of a leaf that do not move.
Node boxes_of(const mesh::Block& block, float rounding) {
  Node node;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < kWidth; ++k) {
      const float x = block.at[0][i][k], y = block.at[1][i][k], z = block.at[2][i][k];
      node.min[i][k] = std::min(std::min(x, y), z) - rounding;
      node.max[i][k] = std::max(std::max(x, y), z) + rounding;
    }
  }
  for (std::size_t k = 0; k < kWidth; ++k) node.child[k] = block.triangle[k];
  return node;
}

// One of the two trees.
struct Tree {
  const StepMesh& mesh;
  double size;  // no coordinate of the boxes is larger

  explicit Tree(const StepMesh& m) : mesh(m), size(size_of(m.tree.origin)) {
    for (int i = 0; i < 3; ++i)
      size += std::max(std::abs(double{m.tree.root.min[i]}), std::abs(double{m.tree.root.max[i]}));
  }

  bool is_triangle(Ref ref) const { return (ref & kTriangle) != 0; }
  Node leaf(std::size_t i) const {
    return mesh.leaves != nullptr ? mesh.leaves[i] : boxes_of(mesh.data.blocks[i], mesh.tree.rounding);
  }
  bvh::Box box(Ref ref) const {
    if (ref == kWhole) return mesh.tree.root;
    const std::size_t parent = (ref & ~kTriangle) / kWidth, lane = ref % kWidth;
    return is_triangle(ref) ? leaf(parent).box(lane) : mesh.tree.nodes[parent].box(lane);
  }
  std::uint32_t triangle(Ref ref) const { return mesh.tree.order[ref & ~kTriangle]; }
  std::uint32_t child(Ref ref) const { return ref == kWhole ? 0 : mesh.tree.nodes[ref / kWidth].child[ref % kWidth]; }
};

float size_sq(const bvh::Box& b) {
  float sum = 0;
  for (int i = 0; i < 3; ++i) sum += (b.max[i] - b.min[i]) * (b.max[i] - b.min[i]);
  return sum;
}

class StepWalk {
 public:
  struct Place {
    Ref a, b;
  };
  using Bound = float;  // 0: overlap has no number

  StepWalk(const StepPair& pair, const StepVisitor& visitor)
      : pair_(pair), a_(pair.a), b_(pair.b), back_(pair.relative.inverse()), visitor_(visitor) {
    same_frame_ = pair.relative.aligned && size_of(pair.relative.translation) == 0 && size_of(pair.travel) == 0;
    constexpr double kRoundings = 64 * kEpsilon;
    slack_ = pair.margin + kRoundings * (a_.size + b_.size + size_of(pair.relative.translation) + size_of(pair.travel) +
                                         std::abs(pair.margin));
  }

  static Pending<Place, float> root() { return {0, {kWhole, kWhole}}; }
  bool is_leaf(const Place& place) const { return a_.is_triangle(place.a) && b_.is_triangle(place.b); }
  bool beyond(float) const { return ended_; }
  bool ended() const { return ended_; }
  Place child(const Place& place, std::size_t k) const {
    const Ref ref = first_ + static_cast<Ref>(k);
    if (children_of_both_) return {ref, kSiblings};
    return opens_a_ ? Place{ref, place.b} : Place{place.a, ref};
  }

  void open(const Place& place, Children<float>& children) {
    std::fill_n(children.bound, kWide, 0.0F);
    children_of_both_ = pair_.within && place.a == place.b;
    if (children_of_both_) {
      opens_a_ = true;
      const Node node = opened(a_, place.a);
      for (std::size_t k = 0; k < node.children(); ++k) children.near |= 1U << k;
      return;
    }
    if (place.b == kSiblings) {
      opens_a_ = false;
      const std::size_t lane = place.a % kWidth;
      first_ = place.a - static_cast<Ref>(lane);
      const std::size_t parent = (place.a & ~kTriangle) / kWidth;
      const Node node = a_.is_triangle(place.a) ? a_.leaf(parent) : a_.mesh.tree.nodes[parent];
      near_lanes(node, node.box(lane), a_.mesh.tree.origin, a_.mesh.tree.origin, Frames::same, children);
      children.near &= ~((1U << lane) - 1);
      return;
    }
    const bvh::Box box_a = a_.box(place.a), box_b = b_.box(place.b);
    opens_a_ = b_.is_triangle(place.b) || (!a_.is_triangle(place.a) && size_sq(box_a) >= size_sq(box_b));
    const Vec3 &origin_a = a_.mesh.tree.origin, &origin_b = b_.mesh.tree.origin;
    if (opens_a_) near_lanes(opened(a_, place.a), box_b, origin_b, origin_a, Frames::b_to_a, children);
    else near_lanes(opened(b_, place.b), box_a, origin_a, origin_b, Frames::a_to_b, children);
  }

  void leaf(const Place& place) {
    std::uint32_t i = a_.triangle(place.a), j = b_.triangle(place.b);
    if (pair_.within) {
      if (i == j) return;
      if (i > j) std::swap(i, j);
    }
    if (!visitor_.call(visitor_.self, i, j)) ended_ = true;
  }

 private:
  // The node that a child leads to, or the triangles of the leaf.
  Node opened(const Tree& tree, Ref ref) {
    const std::uint32_t child = tree.child(ref);
    const bool leaf = (child & kLeafBit) != 0;
    const std::uint32_t index = child & ~kLeafBit;
    first_ = (leaf ? kTriangle : 0) | (index * static_cast<Ref>(kWidth));
    return leaf ? tree.leaf(index) : tree.mesh.tree.nodes[index];
  }

  enum class Frames { same, b_to_a, a_to_b };

  // A box of the one mesh over the step as the other sees it.
  Aabb in_lanes(const Aabb& box, Frames frames) const {
    if (frames == Frames::same) return box;
    Aabb all = frames == Frames::b_to_a ? pair_.relative.box_to_a(box) : box;
    const Vec3 shift = frames == Frames::b_to_a ? pair_.travel : Vec3(-pair_.travel);
    all.extend(Aabb{all.min + shift, all.max + shift});
    return frames == Frames::b_to_a ? all : back_.box_to_a(all);
  }

  // The lanes whose boxes overlap a box of another frame, grown by all that may be wrong.
  void near_lanes(const Node& node, const bvh::Box& box, const Vec3& origin, const Vec3& lanes_origin, Frames frames,
                  Children<float>& children) const {
    Aabb other;
    for (int i = 0; i < 3; ++i) {
      other.min[i] = origin[i] + double{box.min[i]};
      other.max[i] = origin[i] + double{box.max[i]};
    }
    if (!same_frame_) other = in_lanes(other, frames);
    float low[3], high[3];
    constexpr double kFloat = 0x1p-23;
    for (int i = 0; i < 3; ++i) {
      const double from = other.min[i] - lanes_origin[i] - slack_, to = other.max[i] - lanes_origin[i] + slack_;
      low[i] = static_cast<float>(from - kFloat * std::abs(from));
      high[i] = static_cast<float>(to + kFloat * std::abs(to));
    }
    std::uint32_t apart[kWidth];
    for (std::size_t k = 0; k < kWidth; ++k) {
      std::uint32_t off = 0;
      for (int i = 0; i < 3; ++i) {
        off |= node.min[i][k] > high[i] ? 1U : 0U;
        off |= node.max[i][k] < low[i] ? 1U : 0U;
      }
      apart[k] = off;
    }
    for (std::size_t k = 0; k < kWidth; ++k) children.near |= (apart[k] == 0 && node.child[k] != kNone ? 1U : 0U) << k;
  }

  const StepPair& pair_;
  const Tree a_, b_;
  const Relative back_;
  const StepVisitor& visitor_;
  bool same_frame_;
  double slack_;
  bool ended_ = false;
  // Of the place that was opened last.
  Ref first_ = 0;
  bool opens_a_ = true, children_of_both_ = false;
};

using Stack = PlainStack<StepWalk::Place, float, 2 * (bvh::kMaxDepth + 3)>;

// Level by level, as long as there are too few.
class Division {
 public:
  explicit Division(std::size_t wanted) : wanted_(wanted) { next_ = {StepWalk::root()}; }

  std::vector<Pending<StepWalk::Place, float>> run(StepWalk& walk) {
    while (opened_ && next_.size() < wanted_) {
      std::vector<Pending<StepWalk::Place, float>> level;
      level.swap(next_);
      opened_ = false;
      for (const auto& pending : level) {
        if (walk.is_leaf(pending.place)) {
          next_.push_back(pending);
          continue;
        }
        opened_ = true;
        Children<float> children;
        walk.open(pending.place, children);
        for (std::size_t k = 0; k < kWide; ++k) {
          if ((children.near >> k & 1) != 0) next_.push_back({0, walk.child(pending.place, k)});
        }
      }
    }
    return std::move(next_);
  }

 private:
  std::size_t wanted_;
  bool opened_ = true;
  std::vector<Pending<StepWalk::Place, float>> next_;
};

bool nothing(const StepPair& pair) { return pair.a.tree.size == 0 || pair.b.tree.size == 0; }

}  // namespace

void visit(const StepPair& pair, const StepVisitor& visitor) {
  const Part whole{kWhole, kWhole};
  (void)visit(pair, std::span(&whole, 1), visitor);
}

std::vector<Part> divide(const StepPair& pair, std::size_t wanted) {
  std::vector<Part> parts;
  if (nothing(pair)) return parts;
  const StepVisitor nobody{};
  StepWalk walk(pair, nobody);
  for (const auto& pending : Division(wanted).run(walk)) parts.push_back({pending.place.a, pending.place.b});
  return parts;
}

bool visit(const StepPair& pair, std::span<const Part> parts, const StepVisitor& visitor) {
  if (nothing(pair)) return true;
  StepWalk walk(pair, visitor);
  for (const Part& part : parts) {
    Stack open({0, {part.a, part.b}});
    near_first(walk, open);
    if (walk.ended()) return false;
  }
  return true;
}

}  // namespace graze::moving
