#include "query/bounded.h"

#include "graze/query/bounded.h"

namespace graze {
namespace {

// Less than 0 if x comes before y, 0 if they are the same, number by number.
int order_of(std::span<const double> x, std::span<const double> y) {
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  }
  return x.size() == y.size() ? 0 : x.size() < y.size() ? -1 : 1;
}

template <class Bound>
bool comes_after(const BoundedMesh<Bound>& a, const Pose& pose_a, const BoundedMesh<Bound>& b, const Pose& pose_b) {
  if (const int c = order_of({pose_a.translation().data(), 3}, {pose_b.translation().data(), 3}); c != 0) return c > 0;
  if (const int c = order_of({pose_a.rotation().data(), 9}, {pose_b.rotation().data(), 9}); c != 0) return c > 0;
  const auto numbers = [](std::span<const Vec3> v) {
    return v.empty() ? std::span<const double>() : std::span<const double>(v.front().data(), 3 * v.size());
  };
  return order_of(numbers(a.vertices()), numbers(b.vertices())) > 0;
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
  double parting(const Relative& relative, const Vec3& normal) const {
    double most = -kInfinity, least = kInfinity;
    for (const Vec3& p : first.vertices()) most = std::max(most, dot(normal, p));
    for (const Vec3& p : second.vertices()) least = std::min(least, dot(normal, relative.to_a(p)));
    return most - least;
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
  // The way out of an overlap is that of two triangles; along it, all of both is surely apart after this much.
  if (d.value < -d.tolerance)
    d.tolerance = std::max(d.tolerance, pair.parting(relative, best.normal) + d.value + d.tolerance);
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
