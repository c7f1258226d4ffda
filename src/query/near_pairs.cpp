#include "graze/query/near_pairs.h"

#include "query/moving_walk.h"

namespace graze::detail {
namespace {

struct NearPairs {
  const MovingMesh &a, &b;
  const Relative& relative;
  double margin;
  void* body;
  NearPairCall call;

  static bool visit(void* self, std::uint32_t i, std::uint32_t j) {
    const NearPairs& n = *static_cast<const NearPairs*>(self);
    const MeshTriangle& t = n.b.from().triangles()[j];
    const Interval times = meeting_times(n.a.first_bounds(i), n.a.last_bounds(i), n.box_in_a(t, n.b.from().vertices()),
                                         n.box_in_a(t, n.b.to()), n.margin);
    return times.empty() || n.call(n.body, i, j, times);
  }

  // Around a triangle of b, rounded outwards.
  Aabb box_in_a(const MeshTriangle& t, std::span<const Vec3> vertices) const {
    if (relative.aligned && size_of(relative.translation) == 0)
      return Aabb().extend(vertices[t[0]]).extend(vertices[t[1]]).extend(vertices[t[2]]);
    Aabb box;
    double size = size_of(relative.translation);
    for (const std::uint32_t k : t) {
      box.extend(relative.to_a(vertices[k]));
      size = std::max(size, size_of(relative.translation) + size_of(vertices[k]));
    }
    return box.grown(relative.placing_error(size) + 8 * kEpsilon * size);
  }
};

void visit_pairs(NearPairs pairs, bool within) {
  const moving::StepMesh a(pairs.a), b(pairs.b);
  moving::visit({a, b, pairs.relative, pairs.margin, within}, {&pairs, &NearPairs::visit});
}

}  // namespace

void visit_near_pairs(const MovingMesh& a, const Pose& pose_a, const MovingMesh& b, const Pose& pose_b, double margin,
                      void* body, NearPairCall call) {
  const Relative relative(pose_a, pose_b);
  visit_pairs({a, b, relative, margin, body, call}, false);
}

void visit_near_pairs(const MovingMesh& mesh, double margin, void* body, NearPairCall call) {
  const Relative relative{Vec3(Vec3::Zero())};
  visit_pairs({mesh, mesh, relative, margin, body, call}, true);
}

}  // namespace graze::detail
