// What a clearance model is made of: elements under one tree.
#pragma once

#include <vector>

#include "geometry/mesh_data.h"
#include "graze/clearance/model.h"
#include "graze/index/bvh.h"
#include "motion/minimise.h"
#include "motion/pose_walk.h"

namespace graze::clearance {

using namespace motion;  // the words of paths and places

enum class Kind : std::uint8_t { none, points, triangles, shapes, frames };

struct ModelData {
  Kind kind = Kind::none;
  Cloud cloud;
  Mesh mesh;
  std::vector<Placed> shapes;
  std::vector<Model> frames;

  Bvh own_tree;                      // of points and shapes; a mesh has its own
  const bvh::Tree* tree = nullptr;   // the one that counts
  std::vector<Vec3> slots;           // points only: by slot of the tree
  std::vector<std::uint32_t> whose;  // points only: the caller's index of each finite one
  double radius = 0;                 // of every point
  Aabb bounds;                       // radius included
  double reach = 0;                  // no element, radius included, lies farther from the frame's origin
  double uncertainty = 0;            // no element is farther from where it is given
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
  /// The same for a place inside of a solid mesh: to where inside meets outside.
  ModelDistance inside_distance(const Vec3& place) const;
  /// The triangles where inside meets outside: the mesh itself, unless some of it lies inside.
  const Mesh& surface() const;
};

Reach triangle_reach(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& place);

/// The nearest element by its core (see core_reach) below `limit`; ties to the lowest.
ModelDistance nearest_core(const ModelData& model, const Vec3& place, double limit);

inline const ModelData& data_of(const Model& model) { return detail::Access::data(model); }

}  // namespace graze::clearance
