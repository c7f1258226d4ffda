#include "graze/geometry/moving_mesh.h"

#include <algorithm>

#include "geometry/moving_data.h"
#include "graze/base/parallel.h"
#include "index/bvh_walk.h"

namespace graze {
namespace {

using mesh::Data;
using mesh::Sweep;

// Straight from a to b; exact at both ends, and never beyond either.
double between(double a, double b, double t) {
  if (t <= 0) return a;
  if (t >= 1) return b;
  return std::clamp(a + t * (b - a), std::min(a, b), std::max(a, b));
}

Vec3 between(const Vec3& a, const Vec3& b, double t) {
  return {between(a.x(), b.x(), t), between(a.y(), b.y(), t), between(a.z(), b.z(), t)};
}

Aabb box_of(const MeshTriangle& t, std::span<const Vec3> vertices) {
  return Aabb().extend(vertices[t[0]]).extend(vertices[t[1]]).extend(vertices[t[2]]);
}

// What a mesh can become: the next advance() must not be what finds out that a solid has opened.
void check_end(const Mesh& mesh, std::span<const Vec3> to) {
  mesh::check_vertices(mesh.vertices().size(), to);
  Buffer<std::uint32_t> table;
  if (mesh.solid()) (void)mesh::changed_connection(data_of(mesh), to, table);
}

std::shared_ptr<const Sweep> swept(const Mesh& mesh, std::span<const Vec3> to, int threads) {
  const Data& data = data_of(mesh);
  auto sweep = std::make_shared<Sweep>();
  sweep->to.assign(to.begin(), to.end());
  sweep->tree = data.tree.copy();
  bvh::Tree& tree = sweep->tree;
  if (mesh.empty()) return sweep;
  Aabb all = mesh.bounds();
  for (const MeshTriangle& t : data.triangles) all.extend(box_of(t, to));
  tree.origin = all.center();
  tree.rounding = bvh::rounding_for(
      std::max((all.max - tree.origin).cwiseAbs().maxCoeff(), (all.min - tree.origin).cwiseAbs().maxCoeff()));
  std::vector<bvh::Box> leaves(tree.leaves);
  sweep->leaves.resize(tree.leaves);
  parallel_for(tree.leaves,
               [&](std::size_t leaf) {
                 bvh::Node& lanes = sweep->leaves[leaf];
                 lanes.clear();
                 for (std::size_t k = 0; k < bvh::kWidth; ++k) {
                   const std::uint32_t triangle = tree.order[bvh::kWidth * leaf + k];
                   if (triangle == bvh::kNone) break;
                   const MeshTriangle& t = data.triangles[triangle];
                   const Aabb box = box_of(t, data.vertices).extend(box_of(t, to));
                   bvh::Box small;
                   for (int i = 0; i < 3; ++i) {
                     small.min[i] = static_cast<float>(box.min[i] - tree.origin[i]);
                     small.max[i] = static_cast<float>(box.max[i] - tree.origin[i]);
                   }
                   leaves[leaf].extend(small);
                   for (int i = 0; i < 3; ++i) small.min[i] -= tree.rounding, small.max[i] += tree.rounding;
                   lanes.set(k, small, triangle);
                 }
               },
               {.threads = threads});
  Buffer<bvh::Box> scratch;
  bvh::refit(tree, leaves, scratch);
  return sweep;
}

// Cuts the times to those at which a number that goes from f0 to f1 is not negative.
void cut(Interval& times, double f0, double f1) {
  if (!(f0 < 0) && !(f1 < 0)) return;
  if (f0 < 0 && f1 < 0) {
    times = {1, 0};
    return;
  }
  constexpr double kRounding = 4 * kEpsilon;
  const double at = f0 / (f0 - f1);
  if (f0 < 0) times.lower = std::max(times.lower, at - kRounding);
  else times.upper = std::min(times.upper, at + kRounding);
}

}  // namespace

Interval meeting_times(const Aabb& a0, const Aabb& a1, const Aabb& b0, const Aabb& b1, double margin) {
  Interval times{0, 1};
  for (int i = 0; i < 3 && !times.empty(); ++i) {
    const double size = std::abs(a0.min[i]) + std::abs(a0.max[i]) + std::abs(a1.min[i]) + std::abs(a1.max[i]) +
                        std::abs(b0.min[i]) + std::abs(b0.max[i]) + std::abs(b1.min[i]) + std::abs(b1.max[i]);
    const double slack = margin + 4 * kEpsilon * (size + std::abs(margin));
    cut(times, a0.max[i] - b0.min[i] + slack, a1.max[i] - b1.min[i] + slack);
    cut(times, b0.max[i] - a0.min[i] + slack, b1.max[i] - a1.min[i] + slack);
  }
  return times;
}

MovingMesh::MovingMesh(const Mesh& mesh) : MovingMesh(mesh, mesh.vertices()) {}

MovingMesh::MovingMesh(const Mesh& from, std::span<const Vec3> to, const ThreadOptions& options) : from_(from) {
  check_end(from_, to);
  sweep_ = swept(from_, to, options.threads);
}

void MovingMesh::advance(std::span<const Vec3> next, const ThreadOptions& options) {
  check_end(from_, next);
  auto reached = std::make_shared<Data>();
  reached->divide_as(data_of(from_));
  mesh::Scratch scratch;
  reached->move(sweep_->to, scratch, options.threads);
  const Mesh from = detail::Access::made_of<Mesh>(std::shared_ptr<const Data>(std::move(reached)));
  sweep_ = swept(from, next, options.threads);
  from_ = from;
}

std::span<const Vec3> MovingMesh::to() const { return sweep_->to; }

Triangle MovingMesh::triangle(std::size_t i, double t) const {
  const Data& data = data_of(from_);
  const auto at = [&](std::size_t k) {
    return between(data.corner(i, k), sweep_->to[data.triangles[i][k]], std::isnan(t) ? 0 : t);
  };
  return {at(0), at(1), at(2)};
}

std::vector<Vec3> MovingMesh::vertices(double t) const {
  std::vector<Vec3> all(from_.vertices().begin(), from_.vertices().end());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = between(all[i], sweep_->to[i], std::isnan(t) ? 0 : t);
  return all;
}

Aabb MovingMesh::bounds() const { return empty() ? Aabb() : sweep_->tree.to_double(sweep_->tree.root); }
Aabb MovingMesh::first_bounds(std::size_t i) const { return box_of(from_.triangles()[i], from_.vertices()); }
Aabb MovingMesh::last_bounds(std::size_t i) const { return box_of(from_.triangles()[i], sweep_->to); }

void MovingMesh::visit_erased(const Aabb& box, void* body, bool (*call)(void*, std::size_t, const Interval&)) const {
  bvh::visit_overlapping(sweep_->tree, box, [&](std::size_t i) {
    const Interval times = meeting_times(first_bounds(i), last_bounds(i), box, box);
    return times.empty() || call(body, i, times);
  });
}

std::size_t MovingMesh::memory_bytes() const {
  return sizeof(Sweep) + sweep_->to.capacity() * sizeof(Vec3) + sweep_->tree.memory_bytes() + sweep_->leaves.bytes();
}

std::string MovingMesh::validate() const {
  if (std::string wrong = from_.validate(); !wrong.empty()) return wrong;
  if (sweep_->to.size() != from_.vertices().size()) return "not one end per vertex";
  std::vector<Aabb> boxes;
  for (std::size_t i = 0; i < size(); ++i) boxes.push_back(first_bounds(i).extend(last_bounds(i)));
  if (std::string wrong = bvh::validate(sweep_->tree, boxes); !wrong.empty()) return wrong;
  const bvh::Tree& tree = sweep_->tree;
  for (std::size_t slot = 0; slot < tree.order.size(); ++slot) {
    if (tree.order[slot] == bvh::kNone) continue;
    const bvh::Node& lanes = sweep_->leaves[slot / bvh::kWidth];
    const Aabb &box = boxes[tree.order[slot]], around = tree.to_double(lanes.box(slot % bvh::kWidth));
    if (lanes.child[slot % bvh::kWidth] != tree.order[slot] || !around.contains(box.min) || !around.contains(box.max))
      return "a leaf's boxes do not hold its triangles";
  }
  return "";
}

}  // namespace graze
