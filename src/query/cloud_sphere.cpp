#include "query/cloud_sphere.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "graze/index/point_grid.h"
#include "index/kd_tree_near.h"
#include "query/cloud_near.h"
#include "query/cloud_slack.h"

namespace graze {
namespace {

using namespace cloud_walk;

static_assert(kBodiesAtATime <= kd_tree::kMaxInFlight);

// The cloud as a sphere at `at` sees it, in the axes of the cloud.
GRAZE_INLINE Relative seen_from(const Vec3& at, const Pose& pose) {
  Relative relative(turned_back(pose.rotation(), minus(pose.translation(), at)));
  relative.rounded = !hardly_turns(pose.rotation());
  return relative;
}

// A sphere in the frame of a cloud; the slack bounds what all of the arithmetic is wrong by, in metres.
struct SphereInCloud {
  Vec3 center;
  double radius;
  double slack;

  GRAZE_INLINE SphereInCloud(double radius_of_sphere, const Cloud& cloud, const Relative& relative)
      : center(times(-1, relative.translation)),
        radius(radius_of_sphere),
        slack(cloud_walk::slack_of(cloud, relative, center, radius)) {}

  // Points no farther from the centre than this are within the limit for certain …
  double inner(const Cloud& cloud, double limit) const { return radius + limit + cloud.radius() - slack; }
  // … and those that are farther than this are not.
  double outer(const Cloud& cloud, double limit) const {
    return (radius + limit + cloud.radius() + slack) * (1 + 8 * kEpsilon);
  }
  kd_tree::NearPoint point() const { return {center, slack}; }
  Aabb box() const { return Aabb{center, center}.grown(radius + slack); }
};

// One sphere that looks for the nearest point.
class DistanceSearch {
 public:
  GRAZE_INLINE DistanceSearch(const Sphere& a, const Vec3& at, const PlacedCloud& b, const kd_tree::Tree<float>& tree,
                              const PairQuestion& question)
      : at_(at),
        relative_(seen_from(at, b.pose)),
        sphere_(a.radius, b.cloud, relative_),
        nearest_(a, b.cloud, tree, relative_, question) {}
  DistanceSearch(const DistanceSearch&) = delete;
  DistanceSearch& operator=(const DistanceSearch&) = delete;

  kd_tree::NearPoint point() const { return sphere_.point(); }
  kd_tree::NearQuestion question() const { return nearest_.question(sphere_.radius); }
  kd_tree::NearVisitor visitor() { return nearest_.visitor(); }

  // False if the depth is asked for and was not measured.
  [[gnu::flatten]] bool write(const PlacedCloud& b, const PairQuestion& question, const AskedAs& asked,
                              Distance& d) const {
    const bool overlaps = nearest_.overlaps();
    if (overlaps && question.depth) return false;
    d.beyond = !nearest_.found();
    if (d.beyond) return true;
    const double separating = overlaps ? length_to_separate(sphere_.box(), b.cloud, sphere_.slack) : 0;
    const PairDistance best = nearest_.answer(separating);
    d.beyond = best.beyond;
    if (best.beyond) return true;
    const Mat3& frame = b.pose.rotation();
    write_answer(best, turned(frame, best.normal), plus(turned(frame, best.on_a), at_), asked, d);
    (asked.swapped ? d.a : d.b) = nearest_.index();
    return true;
  }

 private:
  const Vec3& at_;
  const Relative relative_;
  const SphereInCloud sphere_;
  NearestPoint<Sphere> nearest_;
};

// The nearest points decide what the grid leaves open.
bool nearest_collides(const Sphere& a, const Cloud& b, const Relative& relative, const SphereInCloud& sphere,
                      double margin) {
  CollideQuery query(relative, margin, nullptr);
  const kd_tree::Tree<float>* floats = floats_of(search_tree(b));
  const CloudTree tree(b);
  TouchedPoint<Sphere> asked{ShapeLeaf<Sphere>(a), tree, query};
  const kd_tree::NearQuestion question = of_cores({.limit = margin, .enough = margin}, sphere.radius, b);
  if (floats == nullptr || !kd_tree::visit_nearest(*floats, sphere.point(), question, asked.visitor()))
    ask(a, b, relative, query);
  return query.hit();
}

}  // namespace

bool sphere_collides(const Sphere& a, const Vec3& at, const PlacedCloud& b, double margin) {
  const Relative relative = seen_from(at, b.pose);
  const SphereInCloud sphere(a.radius, b.cloud, relative);
  if (const PointGrid* grid = sphere_grid(b.cloud); grid != nullptr && margin >= 0) {
    const PointGrid::Verdict verdict =
        grid->verdict(sphere.center, sphere.inner(b.cloud, margin), sphere.outer(b.cloud, margin));
    if (verdict != PointGrid::Verdict::undecided) return verdict == PointGrid::Verdict::hit;
  }
  return nearest_collides(a, b.cloud, relative, sphere, margin);
}

void sphere_collides_each(const Sphere& a, std::span<const Pose> poses, const PlacedCloud& b, double margin,
                          std::span<bool> hits) {
  constexpr std::size_t kWord = 64;
  double x[kWord], y[kWord], z[kWord], inner[kWord], outer[kWord];
  const PointGrid* grid = margin >= 0 ? sphere_grid(b.cloud) : nullptr;
  for (std::size_t first = 0; first < poses.size(); first += kWord) {
    const std::size_t count = std::min(kWord, poses.size() - first);
    PointGrid::Verdicts verdicts{0, count == kWord ? ~0ULL : (1ULL << count) - 1};
    if (grid != nullptr) {
      for (std::size_t i = 0; i < count; ++i) {
        const SphereInCloud sphere(a.radius, b.cloud, seen_from(poses[first + i].translation(), b.pose));
        x[i] = sphere.center.x(), y[i] = sphere.center.y(), z[i] = sphere.center.z();
        inner[i] = sphere.inner(b.cloud, margin), outer[i] = sphere.outer(b.cloud, margin);
      }
      verdicts =
          grid->verdicts({.x = {x, count}, .y = {y, count}, .z = {z, count}, .radius = {outer, count}}, {inner, count});
    }
    for (std::size_t i = 0; i < count; ++i) hits[first + i] = (verdicts.hit >> i & 1U) != 0;
    for (std::uint64_t rest = verdicts.undecided; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(rest));
      hits[first + i] = sphere_collides(a, poses[first + i].translation(), b, margin);
    }
  }
}

bool sphere_distance(const Sphere& a, const Vec3& at, const PlacedCloud& b, const PairQuestion& question,
                     const AskedAs& asked, Distance& d) {
  const kd_tree::Tree<float>* floats = floats_of(search_tree(b.cloud));
  if (floats == nullptr) return false;
  DistanceSearch search(a, at, b, *floats, question);
  return kd_tree::visit_nearest(*floats, search.point(), search.question(), search.visitor()) &&
         search.write(b, question, asked, d);
}

std::uint32_t sphere_distance_each(const Sphere& a, std::span<const Pose> poses, const PlacedCloud& b,
                                   const PairQuestion& question, const AskedAs& asked, std::span<Distance> distances) {
  const kd_tree::Tree<float>* floats = floats_of(search_tree(b.cloud));
  if (floats == nullptr) return 0;
  std::optional<DistanceSearch> searches[kBodiesAtATime];
  kd_tree::NearPoint points[kBodiesAtATime];
  kd_tree::NearQuestion questions[kBodiesAtATime];
  kd_tree::NearVisitor visitors[kBodiesAtATime];
  for (std::size_t i = 0; i < poses.size(); ++i) {
    DistanceSearch& search = searches[i].emplace(a, poses[i].translation(), b, *floats, question);
    points[i] = search.point(), questions[i] = search.question(), visitors[i] = search.visitor();
  }
  if (!kd_tree::visit_nearest_each(*floats, std::span(points).first(poses.size()), questions, visitors)) return 0;
  std::uint32_t answered = 0;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    distances[i] = {};
    answered |= (searches[i]->write(b, question, asked, distances[i]) ? 1U : 0U) << i;
  }
  return answered;
}

}  // namespace graze
