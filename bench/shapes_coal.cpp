#if GRAZE_HAVE_COAL

#include <coal/collision.h>
#include <coal/distance.h>
#include <coal/shape/convex.h>
#include <coal/shape/geometric_shapes.h>

#include <limits>
#include <stdexcept>

#include "shapes_peer.h"

namespace shapes_bench {
namespace {

std::shared_ptr<coal::CollisionGeometry> to_coal(const ShapeSpec& spec) {
  const Vec3& h = spec.half;
  switch (spec.kind) {
    case Kind::sphere:
      return std::make_shared<coal::Sphere>(h.x());
    case Kind::box:
      return std::make_shared<coal::Box>(Vec3(2 * h));
    case Kind::capsule:
      return std::make_shared<coal::Capsule>(h.x(), 2 * h.z());
    case Kind::cylinder:
      return std::make_shared<coal::Cylinder>(h.x(), 2 * h.z());
    case Kind::cone:
      return std::make_shared<coal::Cone>(h.x(), 2 * h.z());
    case Kind::ellipsoid:
      return std::make_shared<coal::Ellipsoid>(h);
    case Kind::convex:
      break;
  }
  auto points = std::make_shared<std::vector<coal::Vec3s>>(spec.vertices.begin(), spec.vertices.end());
  return std::shared_ptr<coal::CollisionGeometry>(
      coal::ConvexBase::convexHull(points, static_cast<unsigned>(points->size()), true));
}

class CoalSubject final : public Subject {
 public:
  explicit CoalSubject(const PairSet& set) {
    for (std::size_t i = 0; i < set.a.size(); ++i) {
      shapes_.push_back(to_coal(set.a[i]));
      const coal::CollisionGeometry* a = shapes_.back().get();
      shapes_.push_back(to_coal(set.b[i]));
      const coal::CollisionGeometry* b = shapes_.back().get();
      collide_.emplace_back(a, b);
      distance_.emplace_back(a, b);
    }
    for (const Case& c : set.cases) {
      sizes_.push_back(c.size);
      a_.emplace_back(c.a.rotation(), c.a.translation());
      b_.emplace_back(c.b.rotation(), c.b.translation());
    }
  }

  bool answers(Question question) const override { return question != Question::manifold; }

  void run(Question question, std::span<double> out) override {
    const bool wants_contact = question == Question::contact;
    coal::CollisionRequest collision(wants_contact ? coal::CONTACT : coal::NO_REQUEST, 1);
    // Lets GJK stop as soon as it knows that the shapes are apart: about the fastest query that Coal has.
    collision.distance_upper_bound = 0;
    coal::CollisionResult hit;
    const coal::DistanceRequest request(true, question == Question::signed_distance);
    coal::DistanceResult apart;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      try {
        if (question == Question::boolean || wants_contact) {
          hit.clear();
          collide_[sizes_[i]](a_[i], b_[i], collision, hit);
          if (wants_contact) {
            out[i] = hit.isCollision() ? -hit.getContact(0).penetration_depth : 0;
          } else {
            out[i] = hit.isCollision() ? 1 : 0;
          }
        } else {
          apart.clear();
          distance_[sizes_[i]](a_[i], b_[i], request, apart);
          out[i] = apart.min_distance;
        }
      } catch (const std::exception&) {
        out[i] = std::numeric_limits<double>::quiet_NaN();
      }
    }
  }

 private:
  std::vector<std::shared_ptr<coal::CollisionGeometry>> shapes_;
  std::vector<coal::ComputeCollision> collide_;
  std::vector<coal::ComputeDistance> distance_;
  std::vector<coal::Transform3s> a_, b_;
  std::vector<std::size_t> sizes_;
};

}  // namespace

std::unique_ptr<Subject> prepare_coal(const PairSet& set) { return std::make_unique<CoalSubject>(set); }

}  // namespace shapes_bench

#endif
