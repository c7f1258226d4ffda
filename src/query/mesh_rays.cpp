#include "query/mesh_rays.h"

#include "query/finite_bounds.h"

namespace graze {

RayTarget::RayTarget(const Placed& body) : body_(body) {
  const Aabb box = finite_bounds(body.geometry);
  size_ = size_of(body.pose.translation());
  bounded_ = box.bounded() && !box.empty();
  if (!bounded_) return;
  center_ = box.center();
  size_ += size_of(center_) + size_of(box.half());
}

LocalRay RayTarget::local(const Ray& ray) const {
  const Mat3& turn = body_.pose.rotation();
  const Vec3 origin = turned_back(turn, minus(ray.origin(), body_.pose.translation()));
  LocalRay r{origin, {origin, turned_back(turn, ray.direction())}, 0, ray.length(), 0};
  double size = size_ + size_of(ray.origin());
  if (bounded_) {
    r.shift = dot(minus(center_, origin), r.line.direction);
    size += std::abs(r.shift);
    r.line.origin = r.line.at(r.shift);
  }
  r.slack = body_.uncertainty + kRayRoundings * size;
  return r;
}

namespace walk {

void put(const mesh::Data& mesh, const LocalRay& ray, RayLanes& lanes, std::size_t lane) {
  const Vec3 &from = ray.line.origin, &direction = ray.line.direction;
  const Vec3 off = minus(from, mesh.tree.origin);
  const double reach = 2 * mesh.extent + size_of(off);
  const double slack = ray_slack(mesh, reach, ray.slack, size_of(from));
  lanes.slack[lane] = static_cast<float>(slack);
  lanes.fits[lane] = reach < kLargestReach && slack < kLargestReach;
  lanes.start[lane] = -above(-ray.start(), lanes.slack[lane]);
  lanes.backwards[lane] = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto axis = static_cast<Eigen::Index>(i);
    const double d = std::copysign(std::max(std::abs(direction[axis]), kMinSlope), direction[axis]);
    const double grown = std::copysign(slack, d);
    lanes.inverse[i][lane] = static_cast<float>(1 / d);
    lanes.origin[i][lane] = static_cast<float>(off[axis]);
    lanes.enter[i][lane] = static_cast<float>(off[axis] + grown);
    lanes.leave[i][lane] = static_cast<float>(off[axis] - grown);
    if (std::signbit(d)) lanes.backwards[lane] = static_cast<std::uint8_t>(lanes.backwards[lane] | 1U << i);
  }
  const int w = steepest_axis(direction);
  const double per_w = 1 / direction[w];
  lanes.steepest[lane] = static_cast<std::uint8_t>(w);
  lanes.shear_u[lane] = static_cast<float>(direction[(w + 1) % 3] * per_w);
  lanes.shear_v[lane] = static_cast<float>(direction[(w + 2) % 3] * per_w);
}

}  // namespace walk
}  // namespace graze
