#include "query/cloud_ask.h"

#include <optional>

#include "query/cloud_near.h"
#include "query/cloud_tree.h"

namespace graze {
namespace {

using cloud_walk::NearestPoint;
using cloud_walk::TouchedPoint;

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

// One body that looks for the nearest point.
template <NearCore A>
class DistanceSearch {
 public:
  DistanceSearch(const A& a, const Cloud& b, const kd_tree::Tree<float>& tree, const Relative& relative,
                 const PairQuestion& question)
      : cloud_(b), in_cloud_(a, b, relative), nearest_(a, b, tree, relative, question) {}
  DistanceSearch(const DistanceSearch&) = delete;
  DistanceSearch& operator=(const DistanceSearch&) = delete;

  const kd_tree::NearBox& box() const { return in_cloud_.body; }
  kd_tree::NearQuestion question() const { return nearest_.question(in_cloud_.outline.radius); }
  kd_tree::NearVisitor visitor() { return nearest_.visitor(); }

  // False if the depth is asked for and was not measured.
  [[gnu::flatten]] bool write(const PairQuestion& question, PartsDistance& r) const {
    const bool overlaps = nearest_.overlaps();
    if (overlaps && question.depth) return false;
    r.distance.beyond = !nearest_.found();
    if (r.distance.beyond) return true;
    const double separating =
        overlaps ? cloud_walk::length_to_separate(in_cloud_.box(), cloud_, in_cloud_.body.slack) : 0;
    r.distance = nearest_.answer(separating), r.b = nearest_.index();
    return true;
  }

 private:
  const Cloud& cloud_;
  const InCloud<A> in_cloud_;
  NearestPoint<A> nearest_;
};

}  // namespace

template <NearCore A>
bool cloud_collides(const A& a, const Cloud& b, const Relative& relative, double margin) {
  const InCloud<A> in_cloud(a, b, relative);
  // The grid decides most, the nearest points the rest.
  const PointGrid::Verdict verdict = cloud_walk::verdict(b, in_cloud.body, margin);
  if (verdict != PointGrid::Verdict::undecided) return verdict == PointGrid::Verdict::hit;
  CollideQuery query(relative, margin, nullptr);
  const kd_tree::Tree<float>* floats = floats_of(search_tree(b));
  const CloudTree tree(b);
  TouchedPoint<A> asked{ShapeLeaf<A>(a), tree, query};
  const kd_tree::NearQuestion question =
      cloud_walk::of_cores({.limit = margin, .enough = margin}, in_cloud.outline.radius, b);
  if (floats == nullptr || !kd_tree::visit_nearest(*floats, in_cloud.body, question, asked.visitor()))
    ask(a, b, relative, query);
  return query.hit();
}

template <NearCore A>
bool cloud_distance(const A& a, const Cloud& b, const Relative& relative, const PairQuestion& question,
                    PartsDistance& r) {
  const kd_tree::Tree<float>* floats = floats_of(search_tree(b));
  if (floats == nullptr) return false;
  DistanceSearch<A> search(a, b, *floats, relative, question);
  return kd_tree::visit_nearest(*floats, search.box(), search.question(), search.visitor()) &&
         search.write(question, r);
}

template <NearCore A>
std::uint32_t cloud_distance_each(const A& a, std::span<const Pose> poses, const PlacedCloud& b,
                                  const PairQuestion& question, const AskedAs& asked, std::span<Distance> distances) {
  const kd_tree::Tree<float>* floats = floats_of(search_tree(b.cloud));
  if (floats == nullptr) return 0;
  std::optional<Relative> relatives[kBodiesAtATime];
  std::optional<DistanceSearch<A>> searches[kBodiesAtATime];
  kd_tree::NearBox boxes[kBodiesAtATime];
  kd_tree::NearQuestion questions[kBodiesAtATime];
  kd_tree::NearVisitor visitors[kBodiesAtATime];
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const Relative& relative = relatives[i].emplace(poses[i], b.pose);
    DistanceSearch<A>& search = searches[i].emplace(a, b.cloud, *floats, relative, question);
    boxes[i] = search.box(), questions[i] = search.question(), visitors[i] = search.visitor();
  }
  const std::span<const kd_tree::NearBox> asked_about(boxes, poses.size());
  if (!kd_tree::visit_nearest_each(*floats, asked_about, questions, visitors)) return 0;
  std::uint32_t answered = 0;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    PartsDistance r;
    if (!searches[i]->write(question, r)) continue;
    answered |= 1U << i;
    Distance& d = distances[i] = {};
    d.beyond = r.distance.beyond;
    if (d.beyond) continue;
    const Mat3& frame = poses[i].rotation();
    const Vec3 on_body = plus(turned(frame, r.distance.on_a), poses[i].translation());
    write_answer(r.distance, turned(frame, r.distance.normal), on_body, asked, d);
    (asked.swapped ? d.b : d.a) = r.a, (asked.swapped ? d.a : d.b) = r.b;
  }
  return answered;
}

template bool cloud_collides(const Capsule&, const Cloud&, const Relative&, double);
template bool cloud_collides(const Box&, const Cloud&, const Relative&, double);
template bool cloud_distance(const Capsule&, const Cloud&, const Relative&, const PairQuestion&, PartsDistance&);
template bool cloud_distance(const Box&, const Cloud&, const Relative&, const PairQuestion&, PartsDistance&);
template std::uint32_t cloud_distance_each(const Capsule&, std::span<const Pose>, const PlacedCloud&,
                                           const PairQuestion&, const AskedAs&, std::span<Distance>);
template std::uint32_t cloud_distance_each(const Box&, std::span<const Pose>, const PlacedCloud&, const PairQuestion&,
                                           const AskedAs&, std::span<Distance>);

}  // namespace graze
