// The subjects of the benchmark of points, and the questions they get.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graze/index/capt.h"
#include "graze/index/point_grid.h"
#include "tests/support/clouds.h"

#if GRAZE_HAVE_NANOFLANN
#include <nanoflann.hpp>
#endif

namespace points_bench {

using graze::SpheresView;
using graze::Vec3;
using graze_test::Points;

constexpr double kMinRadius = 0.012, kMaxRadius = 0.08;
constexpr std::size_t kBatch = 8;

/// Spheres of the radii of a robot arm's links.
struct Spheres {
  std::vector<double> x, y, z, r;

  SpheresView all() const { return {x, y, z, r}; }
  SpheresView batch(std::size_t first) const {
    return {
        {x.data() + first, kBatch}, {y.data() + first, kBatch}, {z.data() + first, kBatch}, {r.data() + first, kBatch}};
  }
  std::size_t size() const { return r.size(); }
};

/// Centres up to 10 cm from a point of the cloud, or anywhere in its bounds.
inline Spheres make_spheres(const Points& points, bool near, std::size_t count, std::uint64_t seed, double scale = 1) {
  graze_test::Generator random(seed);
  graze::Aabb box;
  for (const auto& p : points) box.extend(Vec3(p[0], p[1], p[2]));
  Spheres s;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& p = points[random.bits() % points.size()];
    const double tx = random.uniform(0, 1), ty = random.uniform(0, 1), tz = random.uniform(0, 1);
    const Vec3 anywhere = box.min + Vec3(tx, ty, tz).cwiseProduct(box.max - box.min);
    const Vec3 c = near ? Vec3(Vec3(p[0], p[1], p[2]) + scale * random.uniform(0, 0.1) * random.direction()) : anywhere;
    s.x.push_back(c.x());
    s.y.push_back(c.y());
    s.z.push_back(c.z());
    s.r.push_back(scale * random.uniform(kMinRadius, kMaxRadius));
  }
  return s;
}

#if GRAZE_HAVE_NANOFLANN
/// nanoflann's k-d tree over floats, with a result set that ends the search at the first point within the radius.
class Flann {
 public:
  explicit Flann(const Points& points)
      : cloud_{points}, tree_(3, cloud_, nanoflann::KDTreeSingleIndexAdaptorParams(10)) {}
  Flann(const Flann&) = delete;
  Flann& operator=(const Flann&) = delete;

  bool collides(double x, double y, double z, double radius) const {
    const float at[3] = {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)};
    Any any{static_cast<float>(radius * radius)};
    tree_.findNeighbors(any, at, nanoflann::SearchParams());
    return any.hit;
  }
  bool any_collides(const SpheresView& s) const {
    for (std::size_t i = 0; i < s.size(); ++i) {
      if (collides(s.x[i], s.y[i], s.z[i], s.radius[i])) return true;
    }
    return false;
  }

 private:
  struct Cloud {
    const Points& points;
    std::size_t kdtree_get_point_count() const { return points.size(); }
    float kdtree_get_pt(std::size_t i, std::size_t axis) const { return points[i][axis]; }
    template <class Box>
    bool kdtree_get_bbox(Box&) const {
      return false;
    }
  };
  struct Any {
    using DistanceType = float;
    float limit;
    bool hit = false;
    std::size_t size() const { return hit ? 1 : 0; }
    bool full() const { return true; }
    bool addPoint(float squared, std::uint32_t) {
      hit = hit || squared <= limit;
      return !hit;
    }
    float worstDist() const { return limit; }
  };
  using Tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<float, Cloud>, Cloud, 3>;

  Cloud cloud_;
  Tree tree_;
};
#endif

}  // namespace points_bench
