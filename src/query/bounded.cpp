#include "query/bounded.h"

#include "graze/query/bounded.h"
#include "query/dispatch.h"

namespace graze {
namespace {

// Equal ones at equal poses, which are indistinguishable, come in any order.
template <class Bound>
bool comes_after(const BoundedMesh<Bound>& a, const Pose& pose_a, const BoundedMesh<Bound>& b, const Pose& pose_b) {
  if (const int c = order_of(pose_a, pose_b); c != 0) return c > 0;
  if (a.triangles().size() != b.triangles().size()) return a.triangles().size() > b.triangles().size();
  for (std::size_t i = 0; i < a.triangles().size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 &p = a.vertices()[a.triangles()[i][k]], &q = b.vertices()[b.triangles()[i][k]];
      for (Eigen::Index axis = 0; axis < 3; ++axis) {
        if (p[axis] != q[axis]) return p[axis] > q[axis];
      }
    }
  }
  return false;
}

// Both orders of the arguments are asked in one order, so that they give the same bits.
template <class Bound>
struct OrderedPair {
  bool swapped;
  const BoundedMesh<Bound>&first, &second;
  const Pose &pose_first, &pose_second;

  OrderedPair(const BoundedMesh<Bound>& a, const Pose& pose_a, const BoundedMesh<Bound>& b, const Pose& pose_b)
      : swapped(comes_after(a, pose_a, b, pose_b)),
        first(swapped ? b : a),
        second(swapped ? a : b),
        pose_first(swapped ? pose_b : pose_a),
        pose_second(swapped ? pose_a : pose_b) {}

  Relative relative() const { return {pose_first, pose_second}; }

  // How far the second has to go along the normal, of the first's frame, for all of both to be apart.
  double separation_bound(const Relative& relative, const Vec3& normal) const {
    double end_of_first = -kInfinity, start_of_second = kInfinity;
    for (const Vec3& p : first.vertices()) end_of_first = std::max(end_of_first, dot(normal, p));
    for (const Vec3& p : second.vertices()) {
      start_of_second = std::min(start_of_second, dot(normal, relative.to_a(p)));
    }
    return end_of_first - start_of_second;
  }
};

}  // namespace

template <class Bound>
bool collide(const BoundedMesh<Bound>& a, const Pose& pose_a, const BoundedMesh<Bound>& b, const Pose& pose_b,
             double margin) {
  if (!(margin >= 0)) {
    const Distance d = distance(a, pose_a, b, pose_b);
    return !(d.value - d.tolerance > margin);
  }
  const OrderedPair<Bound> pair(a, pose_a, b, pose_b);
  const Relative relative = pair.relative();
  BoundedQuery<CollideQuery, Bound> query(relative, margin, nullptr);
  traverse(BoundedTree<Bound>(pair.first), BoundedTree<Bound>(pair.second), query);
  return query.hit();
}

template <class Bound>
Distance distance(const BoundedMesh<Bound>& a, const Pose& pose_a, const BoundedMesh<Bound>& b, const Pose& pose_b,
                  double limit) {
  const OrderedPair<Bound> pair(a, pose_a, b, pose_b);
  const Relative relative = pair.relative();
  PairQuestion question;
  if (!std::isnan(limit)) question.limit = limit;
  BoundedQuery<DistanceQuery, Bound> query(relative, question);
  traverse(BoundedTree<Bound>(pair.first), BoundedTree<Bound>(pair.second), query);
  const PairDistance best = query.best();
  Distance d;
  d.beyond = best.beyond;
  if (best.beyond) return d;
  d.value = best.value;
  d.tolerance = best.tolerance;
  // The exit from an overlap is that of two triangles; along it, all of both is surely apart after this much.
  if (d.value < -d.tolerance)
    d.tolerance = std::max(d.tolerance, pair.separation_bound(relative, best.normal) + d.value + d.tolerance);
  const Vec3 normal = turned(pair.pose_first.rotation(), best.normal), on_first = pair.pose_first * best.on_a;
  d.normal = times(pair.swapped ? -1 : 1, normal);
  d.a = pair.swapped ? query.b() : query.a();
  d.b = pair.swapped ? query.a() : query.b();
  (pair.swapped ? d.on_b : d.on_a) = on_first;
  (pair.swapped ? d.on_a : d.on_b) = along(on_first, best.value, normal);
  return d;
}

#define GRAZE_BOUNDED_VERBS(Bound)                                                                               \
  template bool collide(const BoundedMesh<Bound>&, const Pose&, const BoundedMesh<Bound>&, const Pose&, double); \
  template Distance distance(const BoundedMesh<Bound>&, const Pose&, const BoundedMesh<Bound>&, const Pose&, double);
GRAZE_BOUNDED_VERBS(Aabb)
GRAZE_BOUNDED_VERBS(Obb)
GRAZE_BOUNDED_VERBS(Rss)
GRAZE_BOUNDED_VERBS(KDop<16>)
GRAZE_BOUNDED_VERBS(KDop<18>)
GRAZE_BOUNDED_VERBS(KDop<24>)
#undef GRAZE_BOUNDED_VERBS

}  // namespace graze
