#include "clouds_peer.h"

#if GRAZE_HAVE_FCL

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/fcl.h>

#include "meshes_fcl.h"

namespace clouds_bench {
namespace {

using meshes_bench::to_fcl;

std::shared_ptr<fcl::CollisionGeometryd> to_fcl(const Body& body) {
  if (std::holds_alternative<graze::Sphere>(body.geometry)) return std::make_shared<fcl::Sphered>(body.radius);
  if (std::holds_alternative<graze::Capsule>(body.geometry))
    return std::make_shared<fcl::Capsuled>(body.radius, 2 * body.half.z());
  if (std::holds_alternative<graze::Box>(body.geometry)) return std::make_shared<fcl::Boxd>(Vec3(2 * body.half));
  if (std::holds_alternative<graze::Convex>(body.geometry)) {
    auto faces = std::make_shared<std::vector<int>>();
    for (const auto& t : body.surface.triangles) {
      faces->push_back(3);
      for (const std::uint32_t v : t) faces->push_back(static_cast<int>(v));
    }
    return std::make_shared<fcl::Convexd>(std::make_shared<std::vector<fcl::Vector3d>>(body.surface.vertices),
                                          static_cast<int>(body.surface.triangles.size()), faces, true);
  }
  return to_fcl<fcl::OBBRSSd>(body.surface);
}

class FclPeer final : public Peer {
 public:
  FclPeer(const graze_test::Points& points, double radius, const Body& body) : body_(to_fcl(body)) {
    const auto ball = std::make_shared<fcl::Sphered>(radius);
    std::vector<fcl::CollisionObjectd*> all;
    objects_.reserve(points.size());
    for (const auto& p : points) {
      objects_.emplace_back(ball, fcl::Matrix3d::Identity(), fcl::Vector3d(p[0], p[1], p[2]));
      all.push_back(&objects_.back());
    }
    tree_.registerObjects(all);
    tree_.setup();
  }

  std::string name() const override { return "FCL"; }
  bool collide(const Pose& pose) override {
    place(pose);
    Found found;
    tree_.collide(&body_, &found, [](fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* data) {
      fcl::CollisionResultd result;
      fcl::collide(a, b, fcl::CollisionRequestd(1, false), result);
      return static_cast<Found*>(data)->hit = result.isCollision();
    });
    return found.hit;
  }
  double distance(const Pose& pose) override {
    place(pose);
    Found found;
    const auto nearer = [](fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* data, double& least) {
      double& nearest = static_cast<Found*>(data)->distance;
      fcl::DistanceResultd result;
      fcl::distance(a, b, fcl::DistanceRequestd(), result);
      least = nearest = std::min(nearest, result.min_distance);
      return nearest <= 0;
    };
    tree_.distance(&body_, &found, nearer);
    return found.distance;
  }

 private:
  struct Found {
    bool hit = false;
    double distance = std::numeric_limits<double>::infinity();
  };
  void place(const Pose& pose) {
    body_.setTransform(to_fcl(pose));
    body_.computeAABB();
  }

  fcl::CollisionObjectd body_;
  std::vector<fcl::CollisionObjectd> objects_;
  fcl::DynamicAABBTreeCollisionManagerd tree_;
};

}  // namespace

std::unique_ptr<Peer> make_fcl(const graze_test::Points& points, double radius, const Body& body) {
  return std::make_unique<FclPeer>(points, radius, body);
}

}  // namespace clouds_bench

#else

namespace clouds_bench {
std::unique_ptr<Peer> make_fcl(const graze_test::Points&, double, const Body&) { return nullptr; }
}  // namespace clouds_bench

#endif
