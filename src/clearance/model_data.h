// What a clearance model is made of: elements under one tree.
#pragma once

#include <vector>

#include "geometry/mesh_data.h"
#include "graze/clearance/model.h"
#include "graze/index/bvh.h"

namespace graze::clearance {

enum class Kind : std::uint8_t { none, points, triangles, shapes, frames };

/// Signed distance of a place from one element, which is a convex function of the place, and its (sub)gradient.
struct Reach {
  double value;
  Vec3 normal;
};

struct ModelData {
  Kind kind = Kind::none;
  Cloud cloud;
  Mesh mesh;
  std::vector<Placed> shapes;
  std::vector<ClearanceModel> frames;

  Bvh own_tree;                      // of points and shapes; a mesh has its own
  const bvh::Tree* tree = nullptr;   // the one that counts
  std::vector<Vec3> slots;           // points only: by slot of the tree
  std::vector<std::uint32_t> whose;  // points only: the caller's index of each finite one
  double radius = 0;                 // of every point
  Aabb bounds;                       // radius included
  double reach = 0;                  // no element, radius included, lies farther from the frame's origin
  std::size_t size = 0;

  ModelData() = default;
  ModelData(const ModelData&) = delete;
  ModelData& operator=(const ModelData&) = delete;

  bool solid() const { return kind == Kind::triangles && mesh.solid(); }
  bool may_be_negative() const { return kind == Kind::shapes || solid() || radius > 0; }

  std::uint32_t element(std::size_t slot) const {
    return kind == Kind::points ? whose[tree->order[slot]] : tree->order[slot];
  }
  /// Unsigned for triangles, solid or not; without the radius for points: `radius` is to be taken off.
  Reach core_reach(std::size_t slot, const Vec3& place) const;
  /// Signed distance from the surface of a solid mesh.
  ModelDistance signed_distance(const Vec3& place) const;
};

Reach triangle_reach(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& place);

/// The nearest element by its core (see core_reach) below `limit`; ties to the lowest.
ModelDistance nearest_core(const ModelData& model, const Vec3& place, double limit);

/// How far the lanes of a node are from a box of the tree's frame: at most the true gap, 0 where they overlap.
struct Gaps {
  float of[bvh::kWidth];
};
inline void gaps_of(const bvh::Node& node, const float* low, const float* high, Gaps& gaps) {
  for (std::size_t k = 0; k < bvh::kWidth; ++k) {
    float sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const float below = node.min[i][k] - high[i], above = low[i] - node.max[i][k];
      float off = below > above ? below : above;
      off = off > 0 ? off : 0;
      sum += off * off;
    }
    gaps.of[k] = sum;
  }
  // Squares and sums of float32 are wrong by less than this factor, subtractions by what the box was grown.
  for (std::size_t k = 0; k < bvh::kWidth; ++k) gaps.of[k] = std::sqrt(gaps.of[k]) * (1 - 1e-6F);
}

}  // namespace graze::clearance
