#include "apps/synthetic/scene_boxes.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <utility>

#include "apps/synthetic/scene_noise.h"

namespace graze::synthetic {

void SceneMesh::add_box(const Aabb& box) { add_frustum(box, box); }

void SceneMesh::add_frustum(const Aabb& box, const Aabb& top) {
  const auto first = static_cast<std::uint32_t>(vertices.size());
  // Counter-clockwise from above, the lower face first.
  for (const bool upper : {false, true}) {
    const Aabb& ring = upper ? top : box;
    const double z = upper ? box.max.z() : box.min.z();
    vertices.insert(vertices.end(), {{ring.min.x(), ring.min.y(), z},
                                     {ring.max.x(), ring.min.y(), z},
                                     {ring.max.x(), ring.max.y(), z},
                                     {ring.min.x(), ring.max.y(), z}});
  }
  const auto quad = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    triangles.push_back({first + a, first + b, first + c});
    triangles.push_back({first + a, first + c, first + d});
  };
  quad(3, 2, 1, 0);
  quad(4, 5, 6, 7);
  for (std::uint32_t k = 0; k < 4; ++k) quad(k, (k + 1) % 4, 4 + (k + 1) % 4, 4 + k);
}

void add_faces(std::vector<ScenePatch>& patches, const Aabb& box, unsigned faces) {
  const Vec3 size = box.max - box.min;
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 u = Vec3::Zero(), v = Vec3::Zero();
    u[(axis + 1) % 3] = size[(axis + 1) % 3];
    v[(axis + 2) % 3] = size[(axis + 2) % 3];
    for (int upper = 0; upper < 2; ++upper) {
      if ((faces >> (2 * axis + upper) & 1U) == 0) continue;
      Vec3 corner = box.min;
      if (upper == 1) corner[axis] = box.max[axis];
      patches.push_back({corner, u, v});
    }
  }
}

PatchSampler::PatchSampler(std::vector<ScenePatch> patches, std::uint64_t count, std::uint64_t seed, double noise)
    : patches_(std::move(patches)), count_(count), seed_(seed), noise_(noise) {
  double sum = 0;
  for (const ScenePatch& patch : patches_) sums_.push_back(sum += patch.u.cross(patch.v).norm());
}

Vec3 PatchSampler::point(std::uint64_t i) const {
  SceneNoise dice(seed_, i);
  const double at = (static_cast<double>(i) + dice.unit()) / static_cast<double>(count_) * sums_.back();
  const auto found = std::upper_bound(sums_.begin(), sums_.end(), at) - sums_.begin();
  const ScenePatch& patch = patches_[std::min(static_cast<std::size_t>(found), patches_.size() - 1)];
  const double s = dice.unit(), t = dice.unit();
  const double x = dice.normal(), y = dice.normal(), z = dice.normal();
  return patch.corner + s * patch.u + t * patch.v + noise_ * Vec3(x, y, z);
}

}  // namespace graze::synthetic
