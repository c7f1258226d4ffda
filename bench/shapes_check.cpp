#include "shapes_check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <variant>

#include <Eigen/Geometry>

#include "graze/graze.h"
#include "shapes_graze.h"

namespace shapes_bench {
namespace {

/// Metres: by how much rounding may move points of bodies of about a metre.
constexpr double kRounding = 1e-9;
/// Metres: how far a reported point may lie outside its shape.
constexpr double kPointTolerance = 1e-7;

/// A shape in the world.
class Body {
 public:
  explicit Body(const ShapeSpec& spec) : spec_(spec), shape_(to_graze(spec)) {
    const auto* hull = std::get_if<graze::Convex>(&shape_);
    if (hull == nullptr) return;
    for (const std::array<int, 3>& t : hull->triangles()) {
      const auto vertex = [&](int i) { return hull->vertices()[static_cast<std::size_t>(i)]; };
      const Vec3 normal = (vertex(t[1]) - vertex(t[0])).cross(vertex(t[2]) - vertex(t[0])).normalized();
      planes_.push_back({normal, normal.dot(vertex(t[0]))});
    }
    // As many supporting planes as a closed surface over all vertices has triangles.
    proven_ = hull->vertices().size() == spec.vertices.size() && planes_.size() == 2 * spec.vertices.size() - 4;
    for (const graze::Convex::Face& plane : planes_) {
      proven_ = proven_ && plane.normal.dot(support(spec, plane.normal)) <= plane.offset + kRounding;
    }
  }

  const graze::Shape& shape() const { return shape_; }
  bool proven() const { return proven_; }
  Vec3 farthest(const Pose& pose, const Vec3& d) const {
    return pose * support(spec_, pose.rotation().transpose() * d);
  }
  bool contains(const Pose& pose, const Vec3& p) const {
    const Vec3 local = pose.rotation().transpose() * (p - pose.translation());
    if (planes_.empty()) return outside(spec_, local) <= kPointTolerance;
    return std::all_of(planes_.begin(), planes_.end(), [&](const graze::Convex::Face& plane) {
      return plane.normal.dot(local) <= plane.offset + kPointTolerance;
    });
  }

 private:
  const ShapeSpec& spec_;
  graze::Shape shape_;
  std::vector<graze::Convex::Face> planes_;
  bool proven_ = true;
};

/// The gap between the supporting planes across n, negative where they overlap: no more than the signed distance.
double slab(const Body& a, const Body& b, const Case& c, const Vec3& n) {
  return n.dot(b.farthest(c.b, -n)) - n.dot(a.farthest(c.a, n));
}

/// The largest slab that a search finds: from evenly spread directions, then by ever smaller steps around the best.
double largest_slab(const Body& a, const Body& b, const Case& c) {
  constexpr int kStarts = 48, kKept = 2;
  struct Start {
    double slab = -std::numeric_limits<double>::infinity();
    Vec3 n = Vec3::UnitX();
  };
  std::array<Start, kKept> best;
  for (int i = 0; i < kStarts; ++i) {  // a spiral over the sphere
    const double z = 1 - (2 * i + 1) / static_cast<double>(kStarts), angle = 2.399963229728653 * i;
    const double across = std::sqrt(1 - z * z);
    const Vec3 n(across * std::cos(angle), across * std::sin(angle), z);
    const double value = slab(a, b, c, n);
    if (value > best.back().slab) {
      best.back() = {value, n};
      std::sort(best.begin(), best.end(), [](const Start& l, const Start& r) { return l.slab > r.slab; });
    }
  }
  for (Start& start : best) {
    for (double step = 0.2; step > 1e-5;) {
      const Vec3 u = graze::any_orthogonal(start.n), v = start.n.cross(u);
      bool better = false;
      for (const Vec3& side : {u, Vec3(-u), v, Vec3(-v)}) {
        const Vec3 n = (start.n + step * side).normalized();
        const double value = slab(a, b, c, n);
        if (value > start.slab) {
          start = {value, n};
          better = true;
          break;
        }
      }
      if (!better) step /= 2;
    }
  }
  return std::max(best.front().slab, best.back().slab);
}

bool proven_apart(const Body& a, const Body& b, const Case& c, const graze::Distance& d) {
  const double allowed = kProofTolerance * d.value + kRounding;
  return d.value > 0 && std::abs(d.normal.norm() - 1) <= kRounding && slab(a, b, c, d.normal) >= d.value - allowed &&
         a.contains(c.a, d.on_a) && b.contains(c.b, d.on_b) && (d.on_b - d.on_a).norm() <= d.value + allowed;
}

bool proven_deep(const Body& a, const Body& b, const Case& c, const graze::Distance& d) {
  const double allowed = kProofTolerance * std::abs(d.value) + kRounding;
  return d.value < 0 && std::abs(slab(a, b, c, d.normal) - d.value) <= allowed &&
         largest_slab(a, b, c) <= d.value + allowed;
}

}  // namespace

Proof& Proof::operator+=(const Proof& other) {
  boolean += other.boolean;
  distance += other.distance;
  signed_distance += other.signed_distance;
  contact += other.contact;
  hull += other.hull;
  return *this;
}

Proof prove(const PairSet& set) {
  std::vector<Body> a(set.a.begin(), set.a.end()), b(set.b.begin(), set.b.end());
  Proof proof;
  for (std::size_t i = 0; i < a.size(); ++i) proof.hull += !a[i].proven() + !b[i].proven();
  for (const Case& c : set.cases) {
    const Body &body_a = a[c.size], &body_b = b[c.size];
    const graze::Placed placed_a = graze::at(body_a.shape(), c.a), placed_b = graze::at(body_b.shape(), c.b);
    const std::size_t before = proof.unproven();

    proof.boolean += graze::collide(placed_a, placed_b) != c.colliding;

    const graze::Distance apart = graze::distance(placed_a, placed_b, {.depth = false});
    proof.distance += !(c.colliding ? apart.value <= 0 : proven_apart(body_a, body_b, c, apart));

    const graze::Distance d = graze::distance(placed_a, placed_b);
    proof.signed_distance += !(c.colliding ? proven_deep(body_a, body_b, c, d) : proven_apart(body_a, body_b, c, d));

    std::array<graze::Contact, 4> buffer;
    const auto found = graze::contacts(placed_a, placed_b, buffer, {.max = buffer.size()});
    const bool same_depth = !found.empty() && std::abs(found[0].depth + d.value) <= kProofTolerance * std::abs(d.value);
    proof.contact += !(c.colliding ? same_depth : found.empty());

    if (before == 0 && proof.unproven() > 0) proof.first = proof.truth.size();
    proof.truth.push_back(d.value);
  }
  return proof;
}

}  // namespace shapes_bench
