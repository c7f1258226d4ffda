// Triangles of one mesh that meet each other beyond a shared edge, and the parts into which that cuts them.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "geometry/mesh_data.h"

namespace graze::mesh {

/// Work that may be done for a mesh, in pairs that are looked at. It suffices or not whatever the number of threads:
/// all of them take from it, and how much they take together does not depend on them.
class CutBudget {
 public:
  explicit CutBudget(std::size_t triangles) : left_(20000 + 1000 * static_cast<std::int64_t>(triangles)) {}
  /// False once all is spent.
  bool take(std::size_t pairs) {
    const auto n = static_cast<std::int64_t>(pairs);
    return left_.fetch_sub(n, std::memory_order_relaxed) >= n;
  }
  bool spent() const { return left_.load(std::memory_order_relaxed) < 0; }

 private:
  std::atomic<std::int64_t> left_;
};

/// What meets a triangle.
struct Crossings {
  /// Something meets it in more than a point, besides the one neighbour at each edge: what holds beside it need not
  /// hold beside its neighbours.
  bool alone = false;
  /// The segments in which others run through its inside.
  struct Segment {
    Vec3 a, b;
  };
  std::vector<Segment> segments;
};

/// Lengths below this are lost in rounding.
double cut_tolerance(const Data& data);

/// `weld`: the same number for vertices at the same place. Not all of it where the budget is spent.
Crossings crossings_of(const Data& data, const std::vector<std::uint32_t>& weld, std::uint32_t triangle,
                       CutBudget& budget);

/// Convex parts of a triangle, none of which a segment runs through. Not all cuts are made where the budget is spent.
using Polygon = std::vector<Vec3>;
void cut(const std::array<Vec3, 3>& triangle, const std::vector<Crossings::Segment>& segments, double tolerance,
         CutBudget& budget, std::vector<Polygon>& parts);

}  // namespace graze::mesh
