#include "query/cloud_ask.h"

#include <bit>

#include "query/cloud_near.h"
#include "query/cloud_tree.h"

namespace graze {
namespace {

// A body in the frame of a cloud, as the walks want it.
template <NearCore A>
struct InCloud {
  const cloud_walk::Outline outline;
  const cloud_walk::Body body;
  InCloud(const A& a, const Cloud& b, const Relative& relative) : outline(outline_of(a)), body(outline, b, relative) {}
  // Around the body, along the cloud's axes.
  Aabb box() const {
    return Aabb{Vec3(body.low[0], body.low[1], body.low[2]), Vec3(body.high[0], body.high[1], body.high[2])}.grown(
        outline.radius + body.slack);
  }
};
template <>
struct InCloud<Sphere> {
  const cloud_walk::SphereInCloud body;
  InCloud(const Sphere& a, const Cloud& b, const Relative& relative) : body(a.radius, b, relative) {}
  Aabb box() const { return Aabb{body.center, body.center}.grown(body.radius + body.slack); }
};

// Asks `query` about the points that may be nearest, until `ended(query)`. False if float32 cannot decide which.
template <NearCore A, class Q, class Ended>
bool ask_nearest(const A& a, const Cloud& b, const InCloud<A>& in_cloud, const cloud_walk::NearQuestion& question,
                 Q& query, const Ended& ended) {
  struct Asked {
    const ShapeLeaf<A> leaf;
    const CloudTree tree;
    Q& query;
    const Ended& ended;
  } asked{ShapeLeaf<A>(a), CloudTree(b), query, ended};
  const kd_tree::NearVisitor visitor{.self = &asked, .point = [](void* self, std::size_t place) {
                                       Asked& x = *static_cast<Asked*>(self);
                                       x.query.leaf(x.leaf, 0, x.tree, place);
                                       return !x.ended(x.query);
                                     }};
  return cloud_walk::visit_nearest(b, in_cloud.body, question, visitor);
}

// After this much along one of the cloud's axes all of the body is apart from all of the cloud.
double length_to_separate(const Aabb& body, const Cloud& b, double slack) {
  double shortest = kInfinity;
  for (int k = 0; k < 3; ++k) {
    shortest = std::min({shortest, body.max[k] - b.bounds().min[k], b.bounds().max[k] - body.min[k]});
  }
  return std::max(shortest + b.radius(), 0.0) + 2 * slack;
}

}  // namespace

template <NearCore A>
bool cloud_collides(const A& a, const Cloud& b, const Relative& relative, double margin) {
  const InCloud<A> in_cloud(a, b, relative);
  // The grid decides most, the nearest points the rest.
  const PointGrid::Verdict verdict = cloud_walk::verdict(b, in_cloud.body, margin);
  if (verdict != PointGrid::Verdict::undecided) return verdict == PointGrid::Verdict::hit;
  CollideQuery query(relative, margin, nullptr);
  const auto hit = [](const CollideQuery& q) { return q.hit(); };
  if (!ask_nearest(a, b, in_cloud, {.limit = margin, .enough = margin}, query, hit)) ask(a, b, relative, query);
  return query.hit();
}

void cloud_collides_each(const Sphere& a, std::span<const Pose> poses, const Cloud& b, const Pose& pose_of_b,
                         double margin, std::span<bool> hits) {
  constexpr std::size_t kMany = 64;
  double x[kMany], y[kMany], z[kMany], inner[kMany], outer[kMany];
  const PointGrid* grid = margin >= 0 ? b.grid() : nullptr;
  if (poses.empty()) return;
  // The sphere takes the cloud's axes, as in CanonicalPair: from one position to the next only the translation changes.
  Relative relative(pose_of_b.rotation(), poses.front().translation(), pose_of_b);
  for (std::size_t first = 0; first < poses.size(); first += kMany) {
    const std::size_t count = std::min(kMany, poses.size() - first);
    const auto move_to = [&](std::size_t i) {
      relative.translation =
          turned_back(pose_of_b.rotation(), minus(pose_of_b.translation(), poses[first + i].translation()));
    };
    PointGrid::Verdicts verdicts{0, count == kMany ? ~0ULL : (1ULL << count) - 1};
    if (grid != nullptr) {
      for (std::size_t i = 0; i < count; ++i) {
        move_to(i);
        const cloud_walk::SphereInCloud sphere(a.radius, b, relative);
        x[i] = sphere.center.x(), y[i] = sphere.center.y(), z[i] = sphere.center.z();
        inner[i] = sphere.inner(b, margin), outer[i] = sphere.outer(b, margin);
      }
      verdicts =
          grid->verdicts({.x = {x, count}, .y = {y, count}, .z = {z, count}, .radius = {outer, count}}, {inner, count});
    }
    for (std::size_t i = 0; i < count; ++i) hits[first + i] = (verdicts.hit >> i & 1U) != 0;
    for (std::uint64_t rest = verdicts.undecided; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(rest));
      move_to(i);
      hits[first + i] = cloud_collides(a, b, relative, margin);
    }
  }
}

template <NearCore A>
bool cloud_distance(const A& a, const Cloud& b, const Relative& relative, const PairQuestion& question,
                    PartsDistance& r) {
  const double limit = std::max(question.limit, 0.0);
  DistanceQuery query(relative, {.limit = limit, .depth = question.depth});
  const auto overlap = [](const DistanceQuery& q) { return !q.so_far().beyond && q.so_far().value <= 0; };
  const InCloud<A> in_cloud(a, b, relative);
  if (!ask_nearest(a, b, in_cloud, {.limit = limit, .enough = 0}, query, overlap)) return false;
  const bool overlaps = overlap(query);
  if (overlaps && question.depth) return false;
  r.distance = query.best(), r.a = query.a(), r.b = query.b();
  PairDistance& d = r.distance;
  if (overlaps)
    d.tolerance = std::max(d.tolerance, length_to_separate(in_cloud.box(), b, in_cloud.body.slack) + d.value);
  if (!d.beyond && d.value - d.tolerance > question.limit) d = beyond_limit();
  return true;
}

template bool cloud_collides(const Sphere&, const Cloud&, const Relative&, double);
template bool cloud_collides(const Capsule&, const Cloud&, const Relative&, double);
template bool cloud_collides(const Box&, const Cloud&, const Relative&, double);
template bool cloud_distance(const Sphere&, const Cloud&, const Relative&, const PairQuestion&, PartsDistance&);
template bool cloud_distance(const Capsule&, const Cloud&, const Relative&, const PairQuestion&, PartsDistance&);
template bool cloud_distance(const Box&, const Cloud&, const Relative&, const PairQuestion&, PartsDistance&);

}  // namespace graze
