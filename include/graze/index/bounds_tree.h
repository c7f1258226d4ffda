// A tree over triangles or points whose bounds, division and fit are the caller's choice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "graze/index/bounds.h"

namespace graze {

/// Where a part is divided: primitives whose box has its centre c at direction · c < offset go to one side, the others
/// to the other. Where that leaves one side empty (or is not a number) the part is halved by count along the direction.
struct SplitPlane {
  Vec3 direction = Vec3::UnitX();  ///< of any length
  double offset = 0;
};

/// Chooses how a part is divided from the boxes of its two or more primitives.
using SplitRule = std::function<SplitPlane(std::span<const Aabb>)>;
namespace split {
SplitPlane middle(std::span<const Aabb> boxes);  ///< half-way between the outermost centres, along the widest axis
SplitPlane mean(std::span<const Aabb> boxes);    ///< through the mean of the centres, along the widest axis
SplitPlane median(std::span<const Aabb> boxes);  ///< through the median: the shallowest tree
SplitPlane surface_area(std::span<const Aabb> boxes);  ///< where the cost of both sides is smallest, over three axes
SplitPlane principal(std::span<const Aabb> boxes);     ///< through the mean, across the direction of largest spread
}  // namespace split

/// Chooses the axes of a bound, the columns of a rotation, from the points in it: for triangles their corners, in
/// order.
using FitRule = std::function<Mat3(std::span<const Vec3>)>;
namespace fit {
Mat3 frame(std::span<const Vec3> points);      ///< those of the frame: cheapest
Mat3 principal(std::span<const Vec3> points);  ///< of largest to smallest spread (Gottschalk et al. 1996)
Mat3 smallest(
    std::span<const Vec3> points);  ///< the best of those two and of turns about the direction of smallest spread
}  // namespace fit

/// Bounds along fixed directions can only be divided in different ways …
struct FixedBoundsOptions {
  SplitRule split = split::surface_area;  ///< where a node is divided
  std::size_t leaf_size = 1;              ///< at most so many primitives per leaf
};
/// … those along axes of their own can be fitted in different ways, too.
struct OrientedBoundsOptions {
  SplitRule split = split::surface_area;  ///< where a node is divided
  std::size_t leaf_size = 1;              ///< at most so many primitives per leaf
  FitRule fit = fit::principal;           ///< the axes of a node
};

/// A binary tree with bounds of one kind (Aabb, Obb, Rss, KDop<16>, KDop<18>, KDop<24>) over triangles or points, as in
/// section IV of the FCL paper. Where the bound does not matter, Mesh and Bvh are several times faster; docs/bounds.md
/// compares them all.
///
///     BoundsTree<Obb> tree(vertices, triangles, {.split = split::median, .fit = fit::smallest});
///     tree.refit(bent);                               // the same triangles elsewhere
///     if (tree.cost_ratio() > 2) tree.rebuild(bent);       // searches cost twice what they did
///     tree.refit_over_move(bent, next);               // bounds that hold every triangle throughout the move
///
/// There is no state in which a tree cannot be asked, and other triangles make another tree. It shows itself as a
/// Hierarchy (graze/query/hierarchy.h), whose primitives are slots: order()[slot] is the caller's index.
/// Separation<Bound> gives lower bounds of distances between nodes of two trees in any poses.
///
/// Build O(n log n), one thread. Refit O(n) for Aabb and KDop; O(n log n) for Obb and Rss, which are fitted to the
/// corners at every level. Nothing throws but constructors, refits and rebuilds, and those change nothing when they do.
template <class Bound>
class BoundsTree {
 public:
  /// The three corners of a triangle, indices of vertices.
  using Corners = std::array<std::uint32_t, 3>;
  /// Whether its bounds have axes of their own.
  static constexpr bool kOriented = std::is_same_v<Bound, Obb> || std::is_same_v<Bound, Rss>;
  /// FixedBoundsOptions or OrientedBoundsOptions.
  using Options = std::conditional_t<kOriented, OrientedBoundsOptions, FixedBoundsOptions>;

  /// Over nothing.
  BoundsTree() = default;
  /// Over points. Throws Error for one that is not finite or beyond 1e30, for 2^30 primitives and more, for leaves of
  /// size 0 and for a fit that gives no rotation.
  explicit BoundsTree(std::span<const Vec3> points, const Options& options = {});
  /// Over triangles, as corners' indices; throws also for an index without a vertex.
  BoundsTree(std::span<const Vec3> vertices, std::span<const Corners> triangles, const Options& options = {});

  /// The vertices (or points) are elsewhere: the division stays, the bounds follow. Throws unless there are as many.
  void refit(std::span<const Vec3> vertices);
  /// Each vertex goes straight from one position to another: every bound holds what is below it at all times between.
  void refit_over_move(std::span<const Vec3> from, std::span<const Vec3> to);
  /// Divides anew.
  void rebuild(std::span<const Vec3> vertices);

  std::size_t size() const { return order_.size(); }  ///< primitives
  /// Whether the bounds are those over a move.
  bool over_move() const { return over_move_; }
  /// The sum of the areas of all bounds over that of the root: how many a search is expected to test.
  double cost() const { return cost_; }
  /// The cost now over the cost when it was built, for bounds of one time: how much worse searches have become.
  double cost_ratio() const { return built_cost_ > 0 ? cost_ / built_cost_ : 1; }
  /// Bytes on the heap.
  std::size_t memory_bytes() const;
  /// Checks every invariant against the vertices of the last refit or build, O(n log n): empty if all hold, else what
  /// does not. After a refit over a move, at its beginning, at its end, or anywhere between.
  std::string validate(std::span<const Vec3> vertices) const;
  /// The caller's index of each slot.
  std::span<const std::uint32_t> order() const { return order_; }

  // A Hierarchy.
  /// A node, by its number.
  using Node = std::uint32_t;
  /// By the rule at most so deep; below that halved by count, so that no input makes it deep.
  static constexpr std::size_t kRuleLevels = 40;
  /// Levels at most, and children of a node.
  static constexpr std::size_t kMaxDepth = kRuleLevels + 30, kMaxChildren = 2;
  bool empty() const { return nodes_.empty(); }
  /// Of a tree that is not empty.
  Node root() const { return 0; }
  const Bound& bounds(Node node) const { return nodes_[node].bound; }
  /// Whether it has primitives and no children.
  bool is_leaf(Node node) const { return nodes_[node].below == 0; }
  /// How many children an inner node has.
  std::size_t children(Node) const { return kMaxChildren; }
  /// Child i of an inner node.
  Node child(Node node, std::size_t i) const { return nodes_[node].below + static_cast<Node>(i); }
  /// The first slot below a node.
  std::size_t first(Node node) const { return nodes_[node].first; }
  /// One past its last slot.
  std::size_t last(Node node) const { return nodes_[node].last; }

 private:
  struct Place {
    Bound bound;
    std::uint32_t first, last;  // slots
    std::uint32_t below;        // the first of two children; 0: a leaf
  };

  BoundsTree(std::span<const Vec3> vertices, std::vector<Corners> triangles, bool points, const Options& options);
  void check(std::span<const Vec3> vertices) const;
  std::vector<Vec3> corners(std::span<const Vec3> from, std::span<const Vec3> to) const;
  void divide(std::span<const Vec3> vertices);
  void fit(std::span<const Vec3> corners, double grow);

  Options options_;
  std::size_t vertices_ = 0;
  std::vector<Corners> triangles_;  // empty over points
  bool points_ = true;
  std::vector<std::uint32_t> order_;
  std::vector<Place> nodes_;  // children after their parents
  bool over_move_ = false;
  double cost_ = 0, built_cost_ = 0;
};

extern template class BoundsTree<Aabb>;
extern template class BoundsTree<Obb>;
extern template class BoundsTree<Rss>;
extern template class BoundsTree<KDop<16>>;
extern template class BoundsTree<KDop<18>>;
extern template class BoundsTree<KDop<24>>;

}  // namespace graze
