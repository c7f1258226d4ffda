#include "query/cloud_ask.h"

#include "query/cloud_near.h"
#include "query/cloud_tree.h"

namespace graze {
namespace {

using cloud_walk::AskedOfPoints;

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

// Asks `query` about the points that may be nearest, until `ended(query)`. False if float32 cannot decide which.
template <NearCore A, class Query>
bool ask_nearest(const A& a, const Cloud& b, const InCloud<A>& in_cloud, const kd_tree::NearQuestion& question,
                 Query& query, bool (*ended)(const Query&)) {
  const kd_tree::Tree<float>* floats = floats_of(search_tree(b));
  if (floats == nullptr) return false;
  const CloudTree tree(b);
  AskedOfPoints<A, Query> asked{ShapeLeaf<A>(a), tree, query, ended};
  return kd_tree::visit_nearest(*floats, in_cloud.body, cloud_walk::of_cores(question, in_cloud.outline.radius, b),
                                asked.visitor());
}

}  // namespace

template <NearCore A>
bool cloud_collides(const A& a, const Cloud& b, const Relative& relative, double margin) {
  const InCloud<A> in_cloud(a, b, relative);
  // The grid decides most, the nearest points the rest.
  const PointGrid::Verdict verdict = cloud_walk::verdict(b, in_cloud.body, margin);
  if (verdict != PointGrid::Verdict::undecided) return verdict == PointGrid::Verdict::hit;
  CollideQuery query(relative, margin, nullptr);
  if (!ask_nearest(a, b, in_cloud, {.limit = margin, .enough = margin}, query, cloud_walk::has_hit))
    ask(a, b, relative, query);
  return query.hit();
}

template <NearCore A>
bool cloud_distance(const A& a, const Cloud& b, const Relative& relative, const PairQuestion& question,
                    PartsDistance& r) {
  const PairQuestion nearest = cloud_walk::about_nearest(question);
  DistanceQuery query(relative, nearest);
  const InCloud<A> in_cloud(a, b, relative);
  if (!ask_nearest(a, b, in_cloud, {.limit = nearest.limit, .enough = 0}, query, cloud_walk::has_overlap)) return false;
  const bool overlaps = cloud_walk::has_overlap(query);
  if (overlaps && question.depth) return false;
  const double separating = overlaps ? cloud_walk::length_to_separate(in_cloud.box(), b, in_cloud.body.slack) : 0;
  r.distance = cloud_walk::nearest_answer(query, question, separating), r.a = query.a(), r.b = query.b();
  return true;
}

template bool cloud_collides(const Capsule&, const Cloud&, const Relative&, double);
template bool cloud_collides(const Box&, const Cloud&, const Relative&, double);
template bool cloud_distance(const Capsule&, const Cloud&, const Relative&, const PairQuestion&, PartsDistance&);
template bool cloud_distance(const Box&, const Cloud&, const Relative&, const PairQuestion&, PartsDistance&);

}  // namespace graze
