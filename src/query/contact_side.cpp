#include "query/contact_side.h"

#include "base/overloads.h"
#include "query/farthest.h"
#include "query/mesh_ask.h"

namespace graze {
namespace {

// Whether the triangles at a point, all of which it lies on, have all their corners below a plane through it.
class Corners {
 public:
  Corners(const Vec3& p, const Vec3& n, double slack) : p_(p), n_(n), slack_(slack), relative_(times(-1, p)) {}

  const Relative& relative() const { return relative_; }
  double limit() const { return below_ ? slack_ : -kInfinity; }
  template <class A, class B>
  void leaf(const A& a, std::size_t i, const B& b, std::size_t j) {
    const Facet facet = b.primitive(j);
    const PairDistance d = measure_either(a.primitive(i), facet, relative_, {.limit = slack_, .depth = false});
    if (d.beyond || d.value > slack_) return;
    any_ = true;
    for (const Vec3& corner : {facet.triangle.a(), facet.triangle.b(), facet.triangle.c()}) {
      const Vec3 v = minus(corner, p_);
      if (dot(n_, v) > slack_ + kLevel * std::sqrt(norm_sq(v))) below_ = false;
    }
  }
  bool below() const { return any_ && below_; }

 private:
  const Vec3 &p_, &n_;
  double slack_;
  const Relative relative_;
  bool any_ = false, below_ = true;
};

// Along the surface to where it is asked about.
constexpr double kStep = 1e-3;

// Unit; zero where the triangle has no area.
Vec3 normal_of(const Mesh& mesh, Feature triangle) { return MeshTree(mesh).facet(triangle).outward(); }

}  // namespace

Vec3 ContactSide::middle() const {
  if (mesh() == nullptr) return bounds(g_.geometry()).center();
  const Triangle t = MeshTree(*mesh()).facet(part_).triangle;
  return times(1.0 / 3, plus(plus(t.a(), t.b()), t.c()));
}

Vec3 ContactSide::toward_middle() const { return along(p_, kStep, minus(middle(), p_)); }

bool ContactSide::is_on_part(const Vec3& q) const {
  const Relative relative(times(-1, q));
  const Facet facet = MeshTree(*mesh()).facet(part_);
  return measure_either(Sphere{.radius = 0}, facet.triangle, relative, {.depth = false}).value <= slack_;
}

bool ContactSide::divides(const Vec3& q, const Vec3& up) const {
  const Mesh& m = *mesh();
  return !m.solid() || (m.winding(along(q, beside_, up)) == 0 && m.winding(along(q, -beside_, up)) != 0);
}

bool ContactSide::below_plane() const {
  const auto of_part = [&](const auto& part) {
    return dot(n_, minus(farthest(part, n_), p_)) <= slack_ + kLevel * size_of(minus(farthest(part, n_), p_));
  };
  return g_.visit(Overloads{[&](const Mesh& mesh) {
                              Corners corners(p_, n_, slack_);
                              ask_mesh(Sphere{.radius = 0}, mesh, corners.relative(), corners);
                              return corners.below() && (!mesh.solid() || mesh.winding(along(p_, beside_, n_)) == 0);
                            },
                            [&](const Cloud& cloud) {
                              return of_part(Ball{cloud.point(part_), {.radius = cloud.radius()}});
                            },
                            [&](const Bounded auto& shape) { return of_part(shape); },
                            [](const Unbounded auto&) { return true; }});
}

bool ContactSide::is_face_at(const Vec3& q) const {
  if (mesh() == nullptr || !is_on_part(p_)) return false;
  const double height = dot(normal_of(*mesh(), part_), n_);
  return height * height >= 1 - kLevel * kLevel && divides(q, n_);
}

bool ContactSide::is_face_below(const Vec3& other) const {
  if (mesh() == nullptr) return false;
  const Vec3 there = minus(other, p_), level = along(there, -dot(there, n_), n_), inward = minus(middle(), p_);
  const double length = std::sqrt(norm_sq(level)), size = std::sqrt(norm_sq(inward));
  // Straight above, or a little toward it, well within the triangle.
  const Vec3 q = length > kStep * size ? along(p_, kStep * size / length, level) : along(p_, kStep, inward);
  const Triangle t = MeshTree(*mesh()).facet(part_).triangle;
  const Vec3 area = cross(minus(t.b(), t.a()), minus(t.c(), t.a()));
  constexpr double kWithin = 1e-4 * kStep;
  const auto within = [&](const Vec3& from, const Vec3& to) {
    return dot(area, cross(minus(to, from), minus(q, from))) > kWithin * norm_sq(area);
  };
  return within(t.a(), t.b()) && within(t.b(), t.c()) && within(t.c(), t.a()) && is_face_at(q);
}

bool ContactSide::is_turned_to_other() const {
  if (mesh() == nullptr) return true;
  const Vec3 normal = normal_of(*mesh(), part_);
  const double height = dot(normal, n_);
  return height * height > 1 - kIncident * kIncident && is_on_part(p_) &&
         divides(toward_middle(), times(height > 0 ? 1 : -1, normal));
}

}  // namespace graze
