#include "query/cloud_near.h"

namespace graze::cloud_walk {
namespace {

// The tree measures from the core of a body to the middles of points.
template <class Core>
bool visit_nearest_to(const Core& core, const Cloud& cloud, double radius, const NearQuestion& question,
                      const kd_tree::NearVisitor& visitor) {
  const kd_tree::Tree<float>* tree = floats_of(cloud.tree());
  const double reach = radius + cloud.radius();
  return tree != nullptr &&
         kd_tree::visit_nearest(*tree, core, {.limit = question.limit + reach, .enough = question.enough + reach},
                                visitor);
}

}  // namespace

PointGrid::Verdict verdict(const Cloud& cloud, const SphereInCloud& sphere, double limit) {
  const PointGrid* grid = cloud.grid();
  if (grid == nullptr || !(limit >= 0)) return PointGrid::Verdict::undecided;
  return grid->verdict(sphere.center, sphere.inner(cloud, limit), sphere.outer(cloud, limit));
}

bool visit_nearest(const Cloud& cloud, const SphereInCloud& sphere, const NearQuestion& question,
                   const kd_tree::NearVisitor& visitor) {
  return visit_nearest_to(kd_tree::NearPoint{sphere.center, sphere.slack}, cloud, sphere.radius, question, visitor);
}

bool visit_nearest(const Cloud& cloud, const Body& body, const NearQuestion& question,
                   const kd_tree::NearVisitor& visitor) {
  return visit_nearest_to<kd_tree::NearBox>(body, cloud, body.outline.radius, question, visitor);
}

}  // namespace graze::cloud_walk
