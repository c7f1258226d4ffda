#if GRAZE_HAVE_BULLET

#include <btBulletCollisionCommon.h>

#include <BulletCollision/CollisionDispatch/btBoxBoxDetector.h>
#include <BulletCollision/CollisionDispatch/btCollisionObjectWrapper.h>
#include <BulletCollision/CollisionDispatch/btManifoldResult.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPersistentManifold.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>

#include <algorithm>
#include <deque>

#include "shapes_peer.h"

namespace shapes_bench {
namespace {

btVector3 to_bullet(const Vec3& v) {
  return {static_cast<btScalar>(v.x()), static_cast<btScalar>(v.y()), static_cast<btScalar>(v.z())};
}

btTransform to_bullet(const Pose& pose) {
  const auto r = [&](int i, int j) { return static_cast<btScalar>(pose.rotation()(i, j)); };
  return btTransform(btMatrix3x3(r(0, 0), r(0, 1), r(0, 2), r(1, 0), r(1, 1), r(1, 2), r(2, 0), r(2, 1), r(2, 2)),
                     to_bullet(pose.translation()));
}

/// Bullet has no ellipsoid, but takes any support function.
class Ellipsoid final : public btConvexInternalShape {
 public:
  explicit Ellipsoid(const Vec3& radii) {
    m_shapeType = CUSTOM_CONVEX_SHAPE_TYPE;
    m_implicitShapeDimensions = to_bullet(radii);
  }
  btVector3 localGetSupportingVertexWithoutMargin(const btVector3& d) const override {
    const btVector3 scaled = m_implicitShapeDimensions * d;
    const btScalar length_sq = scaled.length2();
    if (!(length_sq > 0)) return {m_implicitShapeDimensions.x(), 0, 0};
    return m_implicitShapeDimensions * scaled / btSqrt(length_sq);
  }
  btVector3 localGetSupportingVertex(const btVector3& d) const override {
    return localGetSupportingVertexWithoutMargin(d);
  }
  void batchedUnitVectorGetSupportingVertexWithoutMargin(const btVector3* directions, btVector3* vertices,
                                                         int count) const override {
    for (int i = 0; i < count; ++i) vertices[i] = localGetSupportingVertexWithoutMargin(directions[i]);
  }
  void calculateLocalInertia(btScalar, btVector3& inertia) const override { inertia.setZero(); }
  const char* getName() const override { return "Ellipsoid"; }
};

/// Without margins, so that Bullet answers for the same bodies; those of sphere and capsule are their radii.
std::unique_ptr<btConvexShape> to_bullet(const ShapeSpec& spec) {
  const Vec3& h = spec.half;
  const auto radius = static_cast<btScalar>(h.x()), length = static_cast<btScalar>(2 * h.z());
  std::unique_ptr<btConvexShape> shape;
  switch (spec.kind) {
    case Kind::sphere:
      return std::make_unique<btSphereShape>(radius);
    case Kind::capsule:
      return std::make_unique<btCapsuleShapeZ>(radius, length);
    case Kind::box:
      shape = std::make_unique<btBoxShape>(to_bullet(h));
      break;
    case Kind::cylinder:
      shape = std::make_unique<btCylinderShapeZ>(btVector3(radius, radius, length / 2));
      break;
    case Kind::cone:
      shape = std::make_unique<btConeShapeZ>(radius, length);
      break;
    case Kind::ellipsoid:
      shape = std::make_unique<Ellipsoid>(h);
      break;
    case Kind::convex: {
      auto hull = std::make_unique<btConvexHullShape>();
      for (const Vec3& v : spec.vertices) hull->addPoint(to_bullet(v), false);
      hull->recalcLocalAabb();
      shape = std::move(hull);
      break;
    }
  }
  shape->setMargin(0);
  return shape;
}

/// The smallest distance that was reported, and how often.
struct Collector final : btDiscreteCollisionDetectorInterface::Result {
  void setShapeIdentifiersA(int, int) override {}
  void setShapeIdentifiersB(int, int) override {}
  void addContactPoint(const btVector3& normal, const btVector3& point, btScalar distance) override {
    normal_on_b = normal;
    on_b = point;
    smallest = std::min(smallest, distance);
    ++count;
  }
  btVector3 normal_on_b, on_b;
  btScalar smallest = BT_LARGE_FLOAT;
  int count = 0;
};

class BulletSubject final : public Subject {
 public:
  explicit BulletSubject(const PairSet& set) : dispatcher_(&configuration_) {
    for (std::size_t i = 0; i < set.a.size(); ++i) {
      a_.push_back(to_bullet(set.a[i]));
      b_.push_back(to_bullet(set.b[i]));
      body_a_.emplace_back().setCollisionShape(a_.back().get());
      body_b_.emplace_back().setCollisionShape(b_.back().get());
    }
    for (const Case& c : set.cases) {
      sizes_.push_back(c.size);
      btDiscreteCollisionDetectorInterface::ClosestPointInput& input = inputs_.emplace_back();
      input.m_transformA = to_bullet(c.a);
      input.m_transformB = to_bullet(c.b);
      placed_a_.emplace_back(nullptr, a_[c.size].get(), &body_a_[c.size], input.m_transformA, -1, -1);
      placed_b_.emplace_back(nullptr, b_[c.size].get(), &body_b_[c.size], input.m_transformB, -1, -1);
      if (algorithms_.size() == c.size) {
        algorithms_.push_back(
            dispatcher_.findAlgorithm(&placed_a_.back(), &placed_b_.back(), nullptr, BT_CONTACT_POINT_ALGORITHMS));
      }
    }
    boxes_ = set.a[0].kind == Kind::box && set.b[0].kind == Kind::box;
  }
  BulletSubject(const BulletSubject&) = delete;
  BulletSubject& operator=(const BulletSubject&) = delete;
  ~BulletSubject() override {
    for (btCollisionAlgorithm* algorithm : algorithms_) {
      algorithm->~btCollisionAlgorithm();
      dispatcher_.freeCollisionAlgorithm(algorithm);
    }
  }

  bool answers(Question question) const override { return question != Question::manifold || boxes_; }

  void run(Question question, std::span<double> out) override {
    switch (question) {
      case Question::boolean:
        return run_boolean(out);
      case Question::contact:
        return run_contact(out);
      case Question::distance:
        return run_distance(out, nullptr);
      case Question::signed_distance:
        return run_distance(out, &epa_);
      case Question::manifold:
        return run_manifold(out);
    }
  }

 private:
  /// GJK that may stop at the first axis that separates: the cheapest query that Bullet has.
  void run_boolean(std::span<double> out) {
    constexpr int kApart = 1;  // the detector's code for "the cores are apart"
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      const btConvexShape *a = a_[sizes_[i]].get(), *b = b_[sizes_[i]].get();
      btGjkPairDetector detector(a, b, &simplex_, nullptr);
      const btScalar margin = a->getMargin() + b->getMargin();
      inputs_[i].m_maximumDistanceSquared = margin * margin;
      Collector result;
      detector.getClosestPoints(inputs_[i], result, nullptr);
      out[i] = (result.count > 0 ? result.smallest <= 0 : detector.m_lastUsedMethod != kApart) ? 1 : 0;
    }
  }

  void run_contact(std::span<double> out) {
    const btDispatcherInfo info;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      btManifoldResult result(&placed_a_[i], &placed_b_[i]);
      algorithms_[sizes_[i]]->processCollision(&placed_a_[i], &placed_b_[i], info, &result);
      btPersistentManifold* manifold = result.getPersistentManifold();
      btScalar depth = 0;
      for (int k = 0; k < manifold->getNumContacts(); ++k) {
        depth = std::max(depth, -manifold->getContactPoint(k).getDistance());
      }
      out[i] = depth;
      manifold->clearManifold();
    }
  }

  void run_distance(std::span<double> out, btConvexPenetrationDepthSolver* depth_solver) {
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      btGjkPairDetector detector(a_[sizes_[i]].get(), b_[sizes_[i]].get(), &simplex_, depth_solver);
      inputs_[i].m_maximumDistanceSquared = BT_LARGE_FLOAT;
      Collector result;
      detector.getClosestPoints(inputs_[i], result, nullptr);
      out[i] = result.count > 0 ? result.smallest : 0;
    }
  }

  void run_manifold(std::span<double> out) {
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      btBoxBoxDetector detector(static_cast<const btBoxShape*>(a_[sizes_[i]].get()),
                                static_cast<const btBoxShape*>(b_[sizes_[i]].get()));
      Collector result;
      detector.getClosestPoints(inputs_[i], result, nullptr);
      out[i] = result.count;
    }
  }

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btVoronoiSimplexSolver simplex_;
  btGjkEpaPenetrationDepthSolver epa_;
  std::vector<std::unique_ptr<btConvexShape>> a_, b_;
  // Deques, because the elements must not move.
  std::deque<btCollisionObject> body_a_, body_b_;
  std::deque<btDiscreteCollisionDetectorInterface::ClosestPointInput> inputs_;
  std::deque<btCollisionObjectWrapper> placed_a_, placed_b_;
  std::vector<btCollisionAlgorithm*> algorithms_;
  std::vector<std::size_t> sizes_;
  bool boxes_ = false;
};

}  // namespace

std::unique_ptr<Subject> prepare_bullet(const PairSet& set) { return std::make_unique<BulletSubject>(set); }

}  // namespace shapes_bench

#endif
