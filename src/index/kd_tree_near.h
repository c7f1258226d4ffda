// The points of a tree of float32 that may be nearest to a body, in SIMD lanes of float32: down the tree to the nearest
// leaf, which all but settles the answer, and back up past what is farther. Doubles are left to the few points that
// float32 cannot tell from the nearest.
#pragma once

#include <cstddef>
#include <span>

#include "graze/base/vec.h"
#include "graze/index/points.h"
#include "index/kd_tree_data.h"

namespace graze::kd_tree {

/// What is asked about the distances (m) of points from a body.
struct NearQuestion {
  double limit = kInfinity;    ///< what is farther does not matter
  double enough = -kInfinity;  ///< a point that is surely no farther than this goes to the visitor at once
};

/// A point among those of the tree. The slack (m) bounds by how much the caller's own distances may be off.
struct NearPoint {
  Vec3 at;
  double slack = 0;
};

/// A box among the points of the tree; a segment is a thin one.
struct NearBox {
  double center[3], axis[3][3], half[3];  // axes: unit
  double low[3], high[3];                 // of a box along the axes of the tree around it
  double slack;                           // as above
};

/// Called with the place of a point in the tree: leaf place / kLeaf, lane place % kLeaf. False ends the search.
struct NearVisitor {
  void* self;
  bool (*point)(void* self, std::size_t place);
};

/// Calls the visitor for every point within the limit that the caller may find to be the nearest, until one of the
/// calls gives false. In the same order on every machine. False, and nothing is called, if float32 cannot answer:
/// numbers whose squares it does not hold.
bool visit_nearest(const Tree<float>& tree, const NearPoint& point, const NearQuestion& question,
                   const NearVisitor& visitor);
bool visit_nearest(const Tree<float>& tree, const NearBox& box, const NearQuestion& question,
                   const NearVisitor& visitor);

/// As many searches as are worth having under way at a time.
inline constexpr std::size_t kMaxInFlight = 16;

/// The same for up to kMaxInFlight points or boxes, each with a question and a visitor: as many calls of each visitor,
/// and in the same order. False, and nothing is called, if float32 cannot answer one of them.
bool visit_nearest_each(const Tree<float>& tree, std::span<const NearPoint> points, const NearQuestion* questions,
                        const NearVisitor* visitors);
bool visit_nearest_each(const Tree<float>& tree, std::span<const NearBox> boxes, const NearQuestion* questions,
                        const NearVisitor* visitors);

/// The point nearest to `p` of those in region::Ball(p, limit), also for a limit that is larger than balls may be.
/// False, and `nearest` is as it was, if float32 cannot answer.
bool find_nearest(const Tree<float>& tree, const Vec3& p, double limit, Neighbor& nearest);

}  // namespace graze::kd_tree
