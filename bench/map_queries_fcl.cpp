#include "map_queries_scene.h"

#if GRAZE_HAVE_FCL
#include <fcl/fcl.h>
#include <octomap/OcTree.h>

#include "timing.h"

namespace map_queries_bench {
namespace {

using Body = fcl::CollisionObjectd;
using Manager = fcl::DynamicAABBTreeCollisionManagerd;
using Model = fcl::BVHModel<fcl::OBBRSSd>;

struct Asked {
  fcl::CollisionRequestd collision;
  fcl::CollisionResultd hit;
  fcl::DistanceRequestd distance;
  fcl::DistanceResultd nearest;
};

bool ask_collision(Body* a, Body* b, void* data) {
  auto& asked = *static_cast<Asked*>(data);
  fcl::collide(a, b, asked.collision, asked.hit);
  return asked.hit.isCollision();
}
bool ask_distance(Body* a, Body* b, void* data, double& best) {
  auto& asked = *static_cast<Asked*>(data);
  fcl::distance(a, b, asked.distance, asked.nearest);
  best = asked.nearest.min_distance;
  return best <= 0;
}

std::shared_ptr<Model> model_of(const std::vector<Vec3>& vertices, const std::vector<MeshTriangle>& triangles) {
  auto model = std::make_shared<Model>();
  std::vector<fcl::Triangle> own;
  for (const MeshTriangle& t : triangles) own.emplace_back(t[0], t[1], t[2]);
  model->beginModel();
  model->addSubModel(vertices, own);
  model->endModel();
  return model;
}

std::shared_ptr<fcl::CollisionGeometryd> geometry_of(const Object& object) {
  const Vec3& s = object.size;
  if (object.as_mesh) return model_of(object.vertices, object.triangles);
  if (object.kind == Kind::sphere) return std::make_shared<fcl::Sphered>(s.x());
  if (object.kind == Kind::box) return std::make_shared<fcl::Boxd>(2 * s);
  return std::make_shared<fcl::Cylinderd>(s.x(), 2 * s.z());
}

/// The objects in a manager; what they meet is up to those who inherit.
class FclPeer : public Peer {
 public:
  explicit FclPeer(const World& world) : world_(world) {
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

class Direct final : public FclPeer {
 public:
  Direct(const World& world, bool as_geometry) : FclPeer(world) {
    name = as_geometry ? "FCL direct, tree by tree" : "FCL direct";
    manager_.octree_as_geometry_collide = as_geometry;
    manager_.octree_as_geometry_distance = as_geometry;
    auto tree = std::make_shared<octomap::OcTree>(world.resolution);
    for (const CellKey& cell : world.occupied) {
      const Vec3 center = box_of(world, cell).center();
      tree->updateNode(octomap::point3d(float(center.x()), float(center.y()), float(center.z())), true, true);
    }
    tree->updateInnerOccupancy();
    map_ = std::make_unique<Body>(std::make_shared<fcl::OcTreed>(tree));
    map_->computeAABB();
  }
  bool collides() override {
    Asked asked;
    manager_.collide(map_.get(), &asked, &ask_collision);
    return asked.hit.isCollision();
  }
  double distance() override {
    Asked asked;
    manager_.distance(map_.get(), &asked, &ask_distance);
    return asked.nearest.min_distance;
  }

 private:
  std::unique_ptr<Body> map_;
};

class Boxes final : public FclPeer {
 public:
  Boxes(const World& world, bool as_meshes) : FclPeer(world) {
    name = "FCL via boxes";
    boxes = true;
    auto tree = std::make_shared<octomap::OcTree>(world.resolution);
    for (const CellKey& cell : world.occupied) {
      const Vec3 center = box_of(world, cell).center();
      tree->updateNode(octomap::point3d(float(center.x()), float(center.y()), float(center.z())), true, true);
    }
    tree->updateInnerOccupancy();
    const fcl::OcTreed octree(tree);
    to_boxes = graze::bench::time_of([&] {
      for (const auto& b : octree.toBoxes()) {
        std::shared_ptr<fcl::CollisionGeometryd> geometry;
        if (as_meshes) {
          auto model = std::make_shared<Model>();
          fcl::generateBVHModel(*model, fcl::Boxd(b[3], b[3], b[3]), fcl::Transform3d::Identity());
          geometry = model;
        } else {
          geometry = std::make_shared<fcl::Boxd>(b[3], b[3], b[3]);
        }
        cells_.push_back(std::make_unique<Body>(geometry, fcl::Matrix3d::Identity(), Vec3(b[0], b[1], b[2])));
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
    Asked asked;
    manager_.collide(&tree_, &asked, &ask_collision);
    return asked.hit.isCollision();
  }
  double distance() override {
    Asked asked;
    manager_.distance(&tree_, &asked, &ask_distance);
    return asked.nearest.min_distance;
  }

 private:
  std::vector<std::unique_ptr<Body>> cells_;
  Manager tree_;
};

}  // namespace

std::vector<std::unique_ptr<Peer>> fcl_peers(const World& world, bool box_meshes) {
  std::vector<std::unique_ptr<Peer>> peers;
  peers.push_back(std::make_unique<Direct>(world, false));
  peers.push_back(std::make_unique<Direct>(world, true));
  peers.push_back(std::make_unique<Boxes>(world, box_meshes));
  return peers;
}

}  // namespace map_queries_bench
#else
std::vector<std::unique_ptr<map_queries_bench::Peer>> map_queries_bench::fcl_peers(const World&, bool) { return {}; }
#endif
