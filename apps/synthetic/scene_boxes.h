// Boxes as meshes and as points on their faces: what the bodies of the scenes are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/base/aabb.h"
#include "graze/geometry/mesh.h"

namespace graze::synthetic {

struct SceneMesh {
  std::vector<Vec3> vertices;
  std::vector<MeshTriangle> triangles;

  /// Twelve triangles that face outwards.
  void add_box(const Aabb& box);
  /// The same with the upper face narrowed to `top` (x and y; its z is not used).
  void add_frustum(const Aabb& box, const Aabb& top);
};

/// A parallelogram: corner, and the two edges from it.
struct ScenePatch {
  Vec3 corner, u, v;
};

/// The faces of a box: bits 0 to 5 of `faces` for -x, +x, -y, +y, -z, +z.
void add_faces(std::vector<ScenePatch>& patches, const Aabb& box, unsigned faces = 63);

/// Points spread over patches, as many on each as its area deserves, in the order of the patches. Point i depends on i,
/// the number of points and the seed only.
class PatchSampler {
 public:
  PatchSampler(std::vector<ScenePatch> patches, std::uint64_t count, std::uint64_t seed, double noise);
  Vec3 point(std::uint64_t i) const;
  double area() const { return sums_.empty() ? 0 : sums_.back(); }

 private:
  std::vector<ScenePatch> patches_;
  std::vector<double> sums_;  // of areas, this patch included
  std::uint64_t count_, seed_;
  double noise_;
};

}  // namespace graze::synthetic
