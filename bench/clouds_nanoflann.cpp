#include "clouds_peer.h"

#if GRAZE_HAVE_NANOFLANN && GRAZE_HAVE_COAL

#include <coal/BVH/BVH_model.h>
#include <coal/distance.h>
#include <coal/shape/convex.h>
#include <coal/shape/geometric_shapes.h>

#include <functional>
#include <limits>
#include <nanoflann.hpp>

namespace clouds_bench {
namespace {

using graze_test::Points;

struct Cloud {
  const Points& points;
  std::size_t kdtree_get_point_count() const { return points.size(); }
  double kdtree_get_pt(std::size_t i, std::size_t axis) const { return points[i][axis]; }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};
using Tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, Cloud>, Cloud, 3>;

// The distance of a point, in the frame of the body, from its surface; not above 0 inside.
struct OfSphere {
  double radius;
  double operator()(const Vec3& p) const { return p.norm() - radius; }
};
struct OfCapsule {
  double radius, half;
  double operator()(const Vec3& p) const {
    return Vec3(p.x(), p.y(), p.z() - std::clamp(p.z(), -half, half)).norm() - radius;
  }
};
struct OfBox {
  Vec3 half;
  double operator()(const Vec3& p) const { return (p.cwiseAbs() - half).cwiseMax(0).norm(); }
};
struct OfCoal {
  std::shared_ptr<coal::CollisionGeometry> body;
  std::shared_ptr<coal::Sphere> ball;
  std::shared_ptr<coal::ComputeDistance> compute;
  double ball_radius;

  double operator()(const Vec3& p) const {
    coal::DistanceResult result;
    const coal::DistanceRequest request(false, false);
    (*compute)(coal::Transform3s(), coal::Transform3s(p), request, result);
    return result.min_distance + ball_radius;
  }
};

OfCoal of_coal(std::shared_ptr<coal::CollisionGeometry> body, double radius) {
  auto ball = std::make_shared<coal::Sphere>(radius);
  auto compute = std::make_shared<coal::ComputeDistance>(body.get(), ball.get());
  return {std::move(body), std::move(ball), std::move(compute), radius};
}

// Points by distance from the body's origin: the body reaches so far, no farther.
template <class Kernel>
class FlannPeer final : public Peer {
 public:
  FlannPeer(const Points& points, double radius, double reach, Kernel kernel)
      : cloud_{points},
        tree_(3, cloud_, nanoflann::KDTreeSingleIndexAdaptorParams(10)),
        radius_(radius),
        reach_(reach),
        kernel_(std::move(kernel)) {}

  std::string name() const override { return "nanoflann"; }
  bool collide(const Pose& pose) override { return search(pose, 0) <= 0; }
  double distance(const Pose& pose) override { return search(pose, std::numeric_limits<double>::infinity()); }

 private:
  struct Nearest {
    using DistanceType = double;
    const FlannPeer& peer;
    const Pose& pose;
    double best;

    std::size_t size() const { return 1; }
    bool full() const { return true; }
    bool addPoint(double, std::uint32_t i) {
      const auto& p = peer.cloud_.points[i];
      const Vec3 local = pose.rotation().transpose() * (Vec3(p[0], p[1], p[2]) - pose.translation());
      best = std::min(best, peer.kernel_(local) - peer.radius_);
      return best > 0;
    }
    double worstDist() const {
      const double farthest = std::max(best, 0.0) + peer.reach_ + peer.radius_;
      return farthest * farthest;
    }
  };

  double search(const Pose& pose, double limit) const {
    // A margin of almost nothing, so that what touches at the limit 0 is found.
    Nearest nearest{*this, pose, limit > 0 ? limit : 1e-12};
    const double at[3] = {pose.translation().x(), pose.translation().y(), pose.translation().z()};
    tree_.findNeighbors(nearest, at, nanoflann::SearchParams());
    return nearest.best;
  }

  Cloud cloud_;
  Tree tree_;
  double radius_, reach_;
  Kernel kernel_;
};

template <class Kernel>
std::unique_ptr<Peer> peer_of(const Points& points, double radius, const Body& body, Kernel kernel) {
  return std::make_unique<FlannPeer<Kernel>>(points, radius, body.reach, std::move(kernel));
}

}  // namespace

std::unique_ptr<Peer> make_nanoflann(const Points& points, double radius, const Body& body) {
  if (std::holds_alternative<graze::Sphere>(body.geometry)) return peer_of(points, radius, body, OfSphere{body.radius});
  if (std::holds_alternative<graze::Capsule>(body.geometry))
    return peer_of(points, radius, body, OfCapsule{body.radius, body.half.z()});
  if (std::holds_alternative<graze::Box>(body.geometry)) return peer_of(points, radius, body, OfBox{body.half});
  if (std::holds_alternative<graze::Convex>(body.geometry)) {
    auto vertices =
        std::make_shared<std::vector<coal::Vec3s>>(body.surface.vertices.begin(), body.surface.vertices.end());
    return peer_of(points, radius, body,
                   of_coal(std::shared_ptr<coal::CollisionGeometry>(
                               coal::ConvexBase::convexHull(vertices, static_cast<unsigned>(vertices->size()), true)),
                           radius));
  }
  auto model = std::make_shared<coal::BVHModel<coal::OBBRSS>>();
  std::vector<coal::Triangle> triangles;
  for (const auto& t : body.surface.triangles) triangles.emplace_back(t[0], t[1], t[2]);
  model->beginModel();
  model->addSubModel(std::vector<coal::Vec3s>(body.surface.vertices.begin(), body.surface.vertices.end()), triangles);
  model->endModel();
  return peer_of(points, radius, body, of_coal(std::move(model), radius));
}

}  // namespace clouds_bench

#else

namespace clouds_bench {
std::unique_ptr<Peer> make_nanoflann(const graze_test::Points&, double, const Body&) { return nullptr; }
}  // namespace clouds_bench

#endif
