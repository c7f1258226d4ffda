#if GRAZE_HAVE_FCL

#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/cone.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/ellipsoid.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "graze/shape/convex.h"
#include "shapes_peer.h"

namespace shapes_bench {
namespace {

std::shared_ptr<fcl::CollisionGeometryd> to_fcl(const ShapeSpec& spec) {
  const Vec3& h = spec.half;
  switch (spec.kind) {
    case Kind::sphere:
      return std::make_shared<fcl::Sphered>(h.x());
    case Kind::box:
      return std::make_shared<fcl::Boxd>(Vec3(2 * h));
    case Kind::capsule:
      return std::make_shared<fcl::Capsuled>(h.x(), 2 * h.z());
    case Kind::cylinder:
      return std::make_shared<fcl::Cylinderd>(h.x(), 2 * h.z());
    case Kind::cone:
      return std::make_shared<fcl::Coned>(h.x(), 2 * h.z());
    case Kind::ellipsoid:
      return std::make_shared<fcl::Ellipsoidd>(h);
    case Kind::convex:
      break;
  }
  // FCL needs the faces and does not compute hulls; shapes_check proves those of graze before they are used.
  const graze::Convex hull = graze::Convex::hull_of(spec.vertices);
  auto vertices = std::make_shared<std::vector<fcl::Vector3d>>(hull.vertices().begin(), hull.vertices().end());
  auto faces = std::make_shared<std::vector<int>>();
  for (const std::array<int, 3>& t : hull.triangles()) faces->insert(faces->end(), {3, t[0], t[1], t[2]});
  return std::make_shared<fcl::Convexd>(vertices, static_cast<int>(hull.triangles().size()), faces, true);
}

class FclSubject final : public Subject {
 public:
  FclSubject(const PairSet& set, fcl::GJKSolverType solver) : solver_(solver) {
    for (const ShapeSpec& spec : set.a) shapes_a_.push_back(to_fcl(spec));
    for (const ShapeSpec& spec : set.b) shapes_b_.push_back(to_fcl(spec));
    for (const Case& c : set.cases) {
      sizes_.push_back(c.size);
      a_.push_back(to_fcl(c.a));
      b_.push_back(to_fcl(c.b));
    }
  }

  /// FCL's own solver reports depths with the wrong sign, and an assertion in its signed distance then aborts the
  /// process.
  bool answers(Question question) const override {
    if (question == Question::signed_distance) return solver_ != fcl::GST_INDEP;
    return question != Question::manifold;
  }

  void run(Question question, std::span<double> out) override {
    const bool wants_contact = question == Question::contact;
    fcl::CollisionRequestd collision(1, wants_contact);
    collision.gjk_solver_type = solver_;
    fcl::CollisionResultd hit;
    fcl::DistanceRequestd request(true, question == Question::signed_distance);
    request.gjk_solver_type = solver_;
    fcl::DistanceResultd apart;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      const fcl::CollisionGeometryd *a = shapes_a_[sizes_[i]].get(), *b = shapes_b_[sizes_[i]].get();
      try {
        if (question == Question::boolean || wants_contact) {
          hit.clear();
          fcl::collide(a, a_[i], b, b_[i], collision, hit);
          if (wants_contact) {
            out[i] = hit.isCollision() ? std::abs(hit.getContact(0).penetration_depth) : 0;
          } else {
            out[i] = hit.isCollision() ? 1 : 0;
          }
        } else {
          apart.clear();
          fcl::distance(a, a_[i], b, b_[i], request, apart);
          out[i] = apart.min_distance;
        }
      } catch (const std::exception&) {
        out[i] = std::numeric_limits<double>::quiet_NaN();
      }
    }
  }

 private:
  static fcl::Transform3d to_fcl(const Pose& pose) {
    fcl::Transform3d transform = fcl::Transform3d::Identity();
    transform.linear() = pose.rotation();
    transform.translation() = pose.translation();
    return transform;
  }
  static std::shared_ptr<fcl::CollisionGeometryd> to_fcl(const ShapeSpec& spec) { return shapes_bench::to_fcl(spec); }

  fcl::GJKSolverType solver_;
  std::vector<std::shared_ptr<fcl::CollisionGeometryd>> shapes_a_, shapes_b_;
  std::vector<fcl::Transform3d, Eigen::aligned_allocator<fcl::Transform3d>> a_, b_;
  std::vector<std::size_t> sizes_;
};

}  // namespace

std::unique_ptr<Subject> prepare_fcl_libccd(const PairSet& set) {
  return std::make_unique<FclSubject>(set, fcl::GST_LIBCCD);
}
std::unique_ptr<Subject> prepare_fcl_indep(const PairSet& set) {
  return std::make_unique<FclSubject>(set, fcl::GST_INDEP);
}

}  // namespace shapes_bench

#endif
