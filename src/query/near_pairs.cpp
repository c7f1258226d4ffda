#include "graze/query/near_pairs.h"

#include "geometry/moving_data.h"
#include "query/box_tree.h"
#include "query/relative.h"

namespace graze::detail {
namespace {

class NearPairs {
 public:
  /// `within`: both are one mesh, whose pairs are wanted once.
  NearPairs(const MovingMesh& a, const MovingMesh& b, const Relative& relative, bool within, double margin, void* body,
            NearPairCall call)
      : a_(a), b_(b), relative_(relative), within_(within), margin_(margin), limit_(margin), body_(body), call_(call) {}

  double bound(const Aabb& a, const Aabb& b) const { return gap(a, relative_.box_to_a(b)); }
  double limit() const { return limit_; }
  void leaf(const BoxTree& tree_a, std::size_t slot_a, const BoxTree& tree_b, std::size_t slot_b) {
    const std::size_t i = tree_a.feature(slot_a), j = tree_b.feature(slot_b);
    if (ended_ || (within_ && i >= j)) return;
    const MeshTriangle& t = b_.from().triangles()[j];
    const Interval times = meeting_times(a_.first_bounds(i), a_.last_bounds(i), box_in_a(t, b_.from().vertices()),
                                         box_in_a(t, b_.to()), margin_);
    if (!times.empty() && !call_(body_, i, j, times)) ended_ = true, limit_ = -kInfinity;
  }

 private:
  // Around a triangle of b, rounded outwards.
  Aabb box_in_a(const MeshTriangle& t, std::span<const Vec3> vertices) const {
    if (relative_.aligned && size_of(relative_.translation) == 0)
      return Aabb().extend(vertices[t[0]]).extend(vertices[t[1]]).extend(vertices[t[2]]);
    Aabb box;
    double size = size_of(relative_.translation);
    for (const std::uint32_t k : t) {
      box.extend(relative_.to_a(vertices[k]));
      size = std::max(size, size_of(relative_.translation) + size_of(vertices[k]));
    }
    return box.grown(relative_.placing_error(size) + 8 * kEpsilon * size);
  }

  const MovingMesh &a_, &b_;
  const Relative& relative_;
  bool within_;
  double margin_, limit_;
  void* body_;
  NearPairCall call_;
  bool ended_ = false;
};

}  // namespace

void visit_near_pairs(const MovingMesh& a, const Pose& pose_a, const MovingMesh& b, const Pose& pose_b, double margin,
                      void* body, NearPairCall call) {
  const Relative relative(pose_a, pose_b);
  NearPairs query(a, b, relative, false, margin, body, call);
  traverse(BoxTree(sweep_of(a).tree), BoxTree(sweep_of(b).tree), query);
}

void visit_near_pairs(const MovingMesh& mesh, double margin, void* body, NearPairCall call) {
  const Relative relative{Vec3(Vec3::Zero())};
  NearPairs query(mesh, mesh, relative, true, margin, body, call);
  const BoxTree tree(sweep_of(mesh).tree);
  traverse(tree, tree, query);
}

}  // namespace graze::detail
