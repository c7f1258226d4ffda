// Meshes and poses in the types of FCL.
#pragma once

#if GRAZE_HAVE_FCL

#include <fcl/geometry/bvh/BVH_model.h>

#include <memory>
#include <vector>

#include "meshes_scene.h"

namespace meshes_bench {

template <class Bound>
std::shared_ptr<fcl::BVHModel<Bound>> to_fcl(const Soup& soup) {
  auto model = std::make_shared<fcl::BVHModel<Bound>>();
  std::vector<fcl::Triangle> triangles;
  for (const MeshTriangle& t : soup.triangles) triangles.emplace_back(t[0], t[1], t[2]);
  model->beginModel();
  model->addSubModel(soup.vertices, triangles);
  model->endModel();
  return model;
}

/// New positions for the same vertices; bounds are refitted from the leaves up.
template <class Bound>
void refit(fcl::BVHModel<Bound>& model, const std::vector<Vec3>& vertices) {
  model.beginReplaceModel();
  model.replaceSubModel(vertices);
  model.endReplaceModel(true, true);
}

inline fcl::Transform3d to_fcl(const Pose& pose) {
  fcl::Transform3d t = fcl::Transform3d::Identity();
  t.linear() = pose.rotation();
  t.translation() = pose.translation();
  return t;
}

}  // namespace meshes_bench

#endif
