#include "map_queries_scene.h"

#if GRAZE_HAVE_COAL && GRAZE_HAVE_FCL
#define COAL_HAS_OCTOMAP 1
#define COAL_HAVE_OCTOMAP 1
#define OCTOMAP_MAJOR_VERSION 1
#define OCTOMAP_MINOR_VERSION 9
#define OCTOMAP_PATCH_VERSION 7
#include <coal/BVH/BVH_model.h>
#include <coal/broadphase/broadphase_callbacks.h>
#include <coal/broadphase/broadphase_dynamic_AABB_tree.h>
#include <coal/collision.h>
#include <coal/distance.h>
#include <coal/octree.h>
#include <coal/shape/geometric_shape_to_BVH_model.h>
#include <coal/shape/geometric_shapes.h>
#include <octomap/OcTree.h>

#include "timing.h"

namespace map_queries_bench {
namespace {

using Body = coal::CollisionObject;
using Manager = coal::DynamicAABBTreeCollisionManager;
using Model = coal::BVHModel<coal::OBBRSS>;

struct AskCollision final : coal::CollisionCallBackBase {
  coal::CollisionRequest request{coal::NO_REQUEST, 1};
  coal::CollisionResult result;
  bool collide(Body* a, Body* b) override {
    coal::collide(a, b, request, result);
    return result.isCollision();
  }
};
struct AskDistance final : coal::DistanceCallBackBase {
  coal::DistanceRequest request{true, false};
  coal::DistanceResult result;
  bool distance(Body* a, Body* b, coal::CoalScalar& best) override {
    coal::distance(a, b, request, result);
    best = result.min_distance;
    return best <= 0;
  }
};

std::shared_ptr<Model> model_of(const std::vector<Vec3>& vertices, const std::vector<MeshTriangle>& triangles) {
  auto model = std::make_shared<Model>();
  std::vector<coal::Triangle> own;
  for (const MeshTriangle& t : triangles) own.emplace_back(t[0], t[1], t[2]);
  model->beginModel();
  model->addSubModel(vertices, own);
  model->endModel();
  return model;
}

std::shared_ptr<coal::CollisionGeometry> geometry_of(const Object& object) {
  const Vec3& s = object.size;
  if (object.as_mesh) return model_of(object.vertices, object.triangles);
  if (object.kind == Kind::sphere) return std::make_shared<coal::Sphere>(s.x());
  if (object.kind == Kind::box) return std::make_shared<coal::Box>(2 * s);
  return std::make_shared<coal::Cylinder>(s.x(), 2 * s.z());
}

/// The objects in a manager; what they meet is up to those who inherit.
class CoalPeer : public Peer {
 public:
  explicit CoalPeer(const World& world) : world_(world) {
    for (const Object& object : world.objects) {
      objects_.push_back(std::make_unique<Body>(geometry_of(object)));
      manager_.registerObject(objects_.back().get());
    }
    manager_.setup();
  }
  void place(const Pose& pose) override {
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      const Pose at = pose * world_.objects[i].pose;
      objects_[i]->setTransform(at.rotation(), at.translation());
      objects_[i]->computeAABB();
    }
    manager_.update();
  }

 protected:
  const World& world_;
  std::vector<std::unique_ptr<Body>> objects_;
  Manager manager_;
};

class Direct final : public CoalPeer {
 public:
  Direct(const World& world, bool as_geometry) : CoalPeer(world) {
    name = as_geometry ? "Coal direct, tree by tree" : "Coal direct";
    manager_.octree_as_geometry_collide = as_geometry;
    manager_.octree_as_geometry_distance = as_geometry;
    auto tree = std::make_shared<octomap::OcTree>(world.resolution);
    for (const CellKey& cell : world.occupied) {
      const Vec3 center = box_of(world, cell).center();
      tree->updateNode(octomap::point3d(float(center.x()), float(center.y()), float(center.z())), true, true);
    }
    tree->updateInnerOccupancy();
    map_ = std::make_unique<Body>(std::make_shared<coal::OcTree>(tree));
    map_->computeAABB();
  }
  bool collides() override {
    AskCollision asked;
    manager_.collide(map_.get(), &asked);
    return asked.result.isCollision();
  }
  double distance() override {
    AskDistance asked;
    manager_.distance(map_.get(), &asked);
    return asked.result.min_distance;
  }

 private:
  std::unique_ptr<Body> map_;
};

class Boxes final : public CoalPeer {
 public:
  Boxes(const World& world, bool as_meshes) : CoalPeer(world) {
    name = "Coal via boxes";
    boxes = true;
    auto tree = std::make_shared<octomap::OcTree>(world.resolution);
    for (const CellKey& cell : world.occupied) {
      const Vec3 center = box_of(world, cell).center();
      tree->updateNode(octomap::point3d(float(center.x()), float(center.y()), float(center.z())), true, true);
    }
    tree->updateInnerOccupancy();
    const coal::OcTree octree(tree);
    to_boxes = graze::bench::time_of([&] {
      for (const auto& b : octree.toBoxes()) {
        std::shared_ptr<coal::CollisionGeometry> geometry;
        if (as_meshes) {
          auto model = std::make_shared<Model>();
          coal::generateBVHModel(*model, coal::Box(b[3], b[3], b[3]), coal::Transform3s::Identity());
          geometry = model;
        } else {
          geometry = std::make_shared<coal::Box>(b[3], b[3], b[3]);
        }
        cells_.push_back(std::make_unique<Body>(geometry, coal::Matrix3s::Identity(), Vec3(b[0], b[1], b[2])));
      }
    });
    to_tree = graze::bench::time_of([&] {
      std::vector<Body*> raw;
      for (const auto& cell : cells_) raw.push_back(cell.get());
      tree_.registerObjects(raw);
      tree_.setup();
    });
  }
  bool collides() override {
    AskCollision asked;
    manager_.collide(&tree_, &asked);
    return asked.result.isCollision();
  }
  double distance() override {
    AskDistance asked;
    manager_.distance(&tree_, &asked);
    return asked.result.min_distance;
  }

 private:
  std::vector<std::unique_ptr<Body>> cells_;
  Manager tree_;
};

}  // namespace

std::vector<std::unique_ptr<Peer>> coal_peers(const World& world, bool box_meshes) {
  std::vector<std::unique_ptr<Peer>> peers;
  peers.push_back(std::make_unique<Direct>(world, false));
  peers.push_back(std::make_unique<Direct>(world, true));
  peers.push_back(std::make_unique<Boxes>(world, box_meshes));
  return peers;
}

}  // namespace map_queries_bench
#else
std::vector<std::unique_ptr<map_queries_bench::Peer>> map_queries_bench::coal_peers(const World&, bool) { return {}; }
#endif
