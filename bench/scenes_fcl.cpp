#include "bench/scenes_peer.h"

#if GRAZE_HAVE_FCL
#include <fcl/fcl.h>

#include <algorithm>

#include "bench/timing.h"

namespace graze::bench {
namespace {

using Object = fcl::CollisionObjectd;
using Manager = fcl::BroadPhaseCollisionManagerd;

// Boxes as objects whose FCL bounds are the caller's numbers.
std::vector<std::unique_ptr<Object>> objects_of(std::span<const Aabb> boxes) {
  std::vector<std::unique_ptr<Object>> objects;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Vec3 size = boxes[i].max - boxes[i].min;
    objects.push_back(std::make_unique<Object>(std::make_shared<fcl::Boxd>(size.x(), size.y(), size.z())));
    objects.back()->setTranslation(boxes[i].center());
    objects.back()->computeAABB();
    objects.back()->setUserData(reinterpret_cast<void*>(i));
  }
  return objects;
}

std::uint32_t index_of(const Object* object) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::size_t>(object->getUserData()));
}

bool count(Object*, Object*, void* data) {
  ++*static_cast<std::size_t*>(data);
  return false;
}
bool collect(Object* a, Object* b, void* data) {
  static_cast<Pairs*>(data)->emplace_back(std::minmax(index_of(a), index_of(b)));
  return false;
}

class Fcl final : public BroadPeer {
 public:
  Fcl(FclManager manager, std::span<const Aabb> boxes) : kind_(manager), objects_(objects_of(boxes)) {
    Aabb all;
    double size = 0;
    for (const Aabb& box : boxes) all.extend(box), size += (box.max - box.min).maxCoeff();
    if (manager == FclManager::dynamic_tree) manager_ = std::make_unique<fcl::DynamicAABBTreeCollisionManagerd>();
    if (manager == FclManager::sweep_and_prune) manager_ = std::make_unique<fcl::SaPCollisionManagerd>();
    if (manager == FclManager::spatial_hash) {
      const double cell = 2 * size / static_cast<double>(boxes.size());
      manager_ = std::make_unique<fcl::SpatialHashingCollisionManager<double>>(cell, all.min, all.max);
    }
    std::vector<Object*> raw;
    for (const auto& object : objects_) raw.push_back(object.get());
    manager_->registerObjects(raw);
    manager_->setup();
  }
  std::string name() const override {
    return kind_ == FclManager::dynamic_tree      ? "FCL dynamic tree"
           : kind_ == FclManager::sweep_and_prune ? "FCL sweep and prune"
                                                  : "FCL spatial hash";
  }
  void place(std::span<const Aabb> boxes) override {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      objects_[i]->setTranslation(boxes[i].center());
      objects_[i]->computeAABB();
    }
  }
  std::size_t step() override {
    std::size_t pairs = 0;
    manager_->update();
    manager_->collide(&pairs, &count);
    return pairs;
  }
  Pairs pairs() override {
    Pairs found;
    manager_->update();
    manager_->collide(&found, &collect);
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  FclManager kind_;
  std::vector<std::unique_ptr<Object>> objects_;
  std::unique_ptr<Manager> manager_;
};

class FclDiscs final : public DiscPeer {
 public:
  explicit FclDiscs(std::span<const Disc> discs)
      : discs_(discs.begin(), discs.end()), query_(std::make_shared<fcl::Sphered>(0.09)) {
    for (std::size_t i = 0; i < discs.size(); ++i) {
      objects_.push_back(std::make_unique<Object>(std::make_shared<fcl::Sphered>(discs[i].radius)));
      objects_.back()->setTranslation(Vec3(discs[i].x, discs[i].y, 0));
      objects_.back()->computeAABB();
      objects_.back()->setUserData(reinterpret_cast<void*>(i));
      manager_.registerObject(objects_.back().get());
    }
    manager_.setup();
  }
  bool touches(const Disc& query) override {
    at_ = query;
    hit_ = false;
    query_.setTranslation(Vec3(query.x, query.y, 0));
    query_.computeAABB();
    manager_.collide(&query_, this, [](Object* a, Object* b, void* self) {
      auto& me = *static_cast<FclDiscs*>(self);
      const Disc& disc = me.discs_[index_of(a == &me.query_ ? b : a)];
      const double x = disc.x - me.at_.x, y = disc.y - me.at_.y, r = disc.radius + me.at_.radius;
      return me.hit_ = x * x + y * y <= r * r;
    });
    return hit_;
  }

 private:
  std::vector<Disc> discs_;
  std::vector<std::unique_ptr<Object>> objects_;
  fcl::DynamicAABBTreeCollisionManagerd manager_;
  Object query_;
  Disc at_{};
  bool hit_ = false;
};

class FclBoxes final : public DiscPeer {
 public:
  FclBoxes(std::span<const Aabb> boxes, bool exact)
      : objects_(objects_of(boxes)),
        boxes_(boxes.begin(), boxes.end()),
        query_(std::make_shared<fcl::Boxd>(0.18, 0.18, 2)),
        exact_(exact) {
    for (const auto& object : objects_) manager_.registerObject(object.get());
    manager_.setup();
  }
  bool touches(const Disc& query) override {
    at_ = query;
    hit_ = false;
    query_.setTranslation(Vec3(query.x, query.y, 0));
    query_.computeAABB();
    manager_.collide(&query_, this, [](Object* a, Object* b, void* self) {
      auto& me = *static_cast<FclBoxes*>(self);
      if (!me.exact_) return me.hit_ = true;
      const Aabb& box = me.boxes_[index_of(a == &me.query_ ? b : a)];
      const double x = std::max({box.min.x() - me.at_.x, me.at_.x - box.max.x(), 0.0});
      const double y = std::max({box.min.y() - me.at_.y, me.at_.y - box.max.y(), 0.0});
      return me.hit_ = x * x + y * y <= me.at_.radius * me.at_.radius;
    });
    return hit_;
  }

 private:
  std::vector<std::unique_ptr<Object>> objects_;
  std::vector<Aabb> boxes_;
  fcl::DynamicAABBTreeCollisionManagerd manager_;
  Object query_;
  bool exact_;
  Disc at_{};
  bool hit_ = false;
};

}  // namespace

std::unique_ptr<DiscPeer> make_fcl_boxes(std::span<const Aabb> boxes) {
  return std::make_unique<FclBoxes>(boxes, false);
}
std::unique_ptr<DiscPeer> make_fcl_rectangles(std::span<const Aabb> boxes) {
  return std::make_unique<FclBoxes>(boxes, true);
}
std::unique_ptr<BroadPeer> make_fcl(FclManager manager, std::span<const Aabb> boxes) {
  return std::make_unique<Fcl>(manager, boxes);
}
std::unique_ptr<DiscPeer> make_fcl_discs(std::span<const Disc> discs) { return std::make_unique<FclDiscs>(discs); }

std::vector<double> fcl_build_times(std::span<const Aabb> boxes, int rounds) {
  const auto objects = objects_of(boxes);
  std::vector<Object*> raw;
  for (const auto& object : objects) raw.push_back(object.get());
  std::vector<double> best(4, kInfinity);
  for (int round = 0; round < rounds; ++round) {
    for (int level = 0; level < 4; ++level) {
      fcl::DynamicAABBTreeCollisionManagerd manager;
      manager.tree_init_level = level;
      double& least = best[static_cast<std::size_t>(level)];
      least = std::min(least, time_of([&] {
                         manager.registerObjects(raw);
                         manager.setup();
                       }));
    }
  }
  return best;
}

}  // namespace graze::bench
#endif
