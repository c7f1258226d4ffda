#include <algorithm>

#include "query/mesh_sweep.h"
#include "query/sweep_ask.h"

namespace graze {

void ask_meshes(const Mesh& a, const Mesh& b, const Stretch& stretch, SweepQuery& query) {
  const Mat3& axes = stretch.begin.a.rotation();
  const auto seen = [&](const Pose& pose) {
    return turned_back(axes, minus(pose.translation(), stretch.begin.a.translation()));
  };
  const walk::SweptMeshes pair(data_of(a), data_of(b), axes.transpose() * stretch.end.a.rotation(), seen(stretch.end.a),
                               stretch.begin.relative, axes.transpose() * stretch.end.b.rotation(), seen(stretch.end.b),
                               stretch.off, stretch.sag());
  if (!pair.fits()) {
    traverse(hierarchy_of(a), hierarchy_of(b), query);
    return;
  }
  struct Asked {
    const MeshTree a, b;
    const Mat3& axes;
    SweepQuery& query;
    Vec3 toward = Vec3::Zero();
  } asked{MeshTree(a), MeshTree(b), axes, query};
  const walk::SweepVisitor visitor{.self = &asked,
                                   .call =
                                       [](void* self, std::uint32_t of_a, std::uint32_t of_b, double from) {
                                         Asked& x = *static_cast<Asked*>(self);
                                         x.query.add(x.a.facet(of_a), of_a, x.b.facet(of_b), of_b, from);
                                         return std::max(-1.0, x.query.limit());
                                       },
                                   .toward = [](void* self) -> const Vec3& {
                                     Asked& x = *static_cast<Asked*>(self);
                                     x.toward = turned_back(x.axes, x.query.normal());
                                     return x.toward;
                                   }};
  query.reach(walk::visit(pair, query.limit(), visitor));
}

}  // namespace graze
