#include <algorithm>

#include "query/mesh_sweep.h"
#include "query/sweep_ask.h"

namespace graze {

void ask_meshes(const Mesh& a, const Mesh& b, const Stretch& stretch, SweepQuery& query) {
  struct Asked {
    const MeshTree a, b;
    const Stretch& stretch;
    SweepQuery& query;
    Vec3 toward = Vec3::Zero();

    const Mat3& axes() const { return stretch.begin.a.rotation(); }
    walk::SweptEnd at(const Instant& end) const {
      const auto moved = [&](const Pose& pose) {
        return turned_back(axes(), minus(pose.translation(), stretch.begin.a.translation()));
      };
      return {axes().transpose() * end.a.rotation(), axes().transpose() * end.b.rotation(), moved(end.a), moved(end.b)};
    }
    walk::SweptMoves until(double part) const {
      const Instant end = stretch.pair.at(stretch.begin.t + part * stretch.length());
      return {a.data(), b.data(), stretch.begin.relative, at(end), stretch.sag() * part * part};
    }
  } asked{MeshTree(a), MeshTree(b), stretch, query};
  const walk::SweptMeshes pair(data_of(a), data_of(b), stretch.begin.relative, asked.at(stretch.end), stretch.off,
                               stretch.sag());
  if (!pair.fits()) {
    traverse(hierarchy_of(a), hierarchy_of(b), query);
    return;
  }
  const walk::SweepVisitor visitor{
      .self = &asked,
      .call =
          [](void* self, std::uint32_t of_a, std::uint32_t of_b, double from) {
            Asked& x = *static_cast<Asked*>(self);
            x.query.add(x.a.facet(of_a), of_a, x.b.facet(of_b), of_b, from);
            return std::max(-1.0, x.query.limit());
          },
      .toward = [](void* self) -> const Vec3& {
        Asked& x = *static_cast<Asked*>(self);
        x.toward = turned_back(x.axes(), x.query.normal());
        return x.toward;
      },
      .until = [](void* self, double part) { return static_cast<Asked*>(self)->until(part); }};
  query.reach(walk::visit(pair, query.limit(), visitor));
}

}  // namespace graze
