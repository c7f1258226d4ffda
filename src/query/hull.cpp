#include "query/hull.h"

#include "index/bvh_walk.h"

namespace graze {
namespace {

// Numbers are minus how far things reach along n from the tree's origin.
struct MeshSupport {
  const mesh::Data& d;
  const Vec3& n;
  double best = -kInfinity;
  Vec3 point = Vec3::Zero();

  void open(const bvh::Node& node, float (&bounds)[bvh::kWidth]) const {
    for (std::size_t k = 0; k < bvh::kWidth && node.child[k] != bvh::kNone; ++k) {
      double reach = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        const double along = n[static_cast<Eigen::Index>(i)];
        reach += along * double{along > 0 ? node.max[i][k] : node.min[i][k]};
      }
      bounds[k] = static_cast<float>(-reach);
    }
  }
  // With room for the rounding of the bounds to float32 and of what they are compared with.
  double limit() const {
    const double offset = dot(n, d.tree.origin);
    return offset - best + 0x1p-22 * d.extent + 16 * kEpsilon * size_of(d.tree.origin);
  }
  void leaf(std::size_t leaf) {
    const mesh::Block& block = d.blocks[leaf];
    for (std::size_t k = 0; k < bvh::kWidth && block.triangle[k] != bvh::kNone; ++k) {
      for (std::size_t c = 0; c < 3; ++c) {
        const Vec3& p = d.corner(block.triangle[k], c);
        const double at = dot(n, p);
        if (at > best) best = at, point = p;
      }
    }
  }
};

struct CloudWalk {
  const Vec3& n;
  double radius;
  double best = -kInfinity;
  Vec3 point = Vec3::Zero();
  double bound(const Aabb& box) const { return -farthest_of(box, n); }
  double limit() const { return -best; }
  void leaf(const CloudTree& h, std::size_t i) {
    const Vec3 p = h.primitive(i).center;
    const double at = dot(n, p);
    if (at > best) best = at, point = p;
  }
};

}  // namespace

Vec3 support_point(const mesh::Data& mesh, const Vec3& direction) {
  MeshSupport support{mesh, direction};
  bvh::near_first(mesh.tree, support);
  return support.point;
}

Vec3 support_point(const Cloud& cloud, const Vec3& direction) {
  CloudWalk walk{direction, cloud.radius()};
  traverse(CloudTree(cloud), walk);
  return walk.point;
}

}  // namespace graze
