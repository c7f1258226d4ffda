#include "query/patch.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <span>

#include "graze/base/elementary.h"

namespace graze {
namespace {

Patch point_patch(const Vec3& p) {
  Patch r;
  r.push(p);
  return r;
}

Patch edge_patch(const Vec3& p, const Vec3& q) {
  Patch r;
  r.push(p), r.push(q);
  return r;
}

// Of a size of 0 corners coincide: an edge is then a point, a face an edge or a point.
Patch distinct(const Patch& patch) {
  Patch r;
  for (std::size_t i = 0; i < patch.size; ++i) {
    if (patch.points[i] != patch.points[(i + 1) % patch.size]) r.push(patch.points[i]);
  }
  if (r.size == 0) r.push(patch.points[0]);
  return r;
}

// Eight corners of the disc of `radius` at height z, seen from outside along the sign of `up`; the first lies where n
// points, so that a tilted disc shows its deepest point.
Patch disc_patch(double radius, double z, double up, const Vec3& n) {
  constexpr int kCorners = 8;
  constexpr double kPi = 3.14159265358979323846;
  const double heading = n.x() == 0 && n.y() == 0 ? 0 : elementary::atan2(n.y(), n.x());
  Patch r;
  for (int i = 0; i < kCorners; ++i) {
    const double angle = heading + up * i * (2 * kPi / kCorners);
    r.push({radius * elementary::cos(angle), radius * elementary::sin(angle), z});
  }
  return r;
}

// Points of a plane with normal n, reduced to their convex hull and put in counter-clockwise order (monotone chain).
Patch planar_hull(std::span<const Vec3> points, const Vec3& n) {
  const Vec3 u = any_orthogonal(n), v = n.cross(u);
  struct Flat {
    double x, y;
    const Vec3* p;
  };
  std::array<Flat, Patch::kMaxPoints> flat;
  const std::size_t count = std::min(points.size(), flat.size());
  for (std::size_t i = 0; i < count; ++i) flat[i] = {u.dot(points[i]), v.dot(points[i]), &points[i]};
  std::sort(flat.begin(), flat.begin() + static_cast<std::ptrdiff_t>(count),
            [](const Flat& a, const Flat& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
  const auto left_turn = [](const Flat& a, const Flat& b, const Flat& c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 0;
  };
  std::array<Flat, 2 * Patch::kMaxPoints> chain;
  std::size_t size = 0;
  const auto walk = [&](std::size_t start, const Flat& next) {
    while (size >= start + 2 && !left_turn(chain[size - 2], chain[size - 1], next)) --size;
    chain[size++] = next;
  };
  for (std::size_t i = 0; i < count; ++i) walk(0, flat[i]);
  for (std::size_t i = count - 1, start = size - 1; i-- > 0;) walk(start, flat[i]);
  Patch r;
  for (std::size_t i = 0; i + 1 < size || i == 0; ++i) r.push(*chain[i].p);
  return r;
}

// Corners of a face collected from the vertices on its plane; when there are too many, the farthest along evenly
// spread directions stand for all.
class FaceCorners {
 public:
  explicit FaceCorners(const Vec3& normal) : normal_(normal) {}
  void add(const Vec3& p) {
    if (count_ < points_.size()) points_[count_++] = p;
    else full_ = true;
  }
  bool overflowed() const { return full_; }
  Patch corners() const { return planar_hull({points_.data(), count_}, normal_); }
  void reset() { count_ = 0, full_ = false; }

 private:
  Vec3 normal_;
  std::size_t count_ = 0;
  bool full_ = false;
  std::array<Vec3, Patch::kMaxPoints> points_;
};

// The vertices of a polytope that lie at least as high along `face_normal` as `height`.
Patch face_of(std::span<const Vec3> vertices, const Vec3& face_normal, double height) {
  FaceCorners corners(face_normal);
  for (const Vec3& v : vertices) {
    if (face_normal.dot(v) >= height) corners.add(v);
  }
  if (!corners.overflowed()) return corners.corners();
  corners.reset();
  const Vec3 u = any_orthogonal(face_normal), w = face_normal.cross(u);
  constexpr int kDirections = 32;
  for (int i = 0; i < kDirections; ++i) {
    const double angle = i * (6.28318530717958647692 / kDirections);
    const Vec3 d = elementary::cos(angle) * u + elementary::sin(angle) * w;
    const Vec3* best = nullptr;
    for (const Vec3& v : vertices) {
      if (face_normal.dot(v) >= height && (best == nullptr || d.dot(v) > d.dot(*best))) best = &v;
    }
    corners.add(*best);
  }
  return corners.corners();
}

// The edge from the highest vertex along n with the least tilt, if that is at most max_tilt; else the vertex.
Patch edge_or_vertex(std::span<const Vec3> vertices, const Vec3& n, double max_tilt) {
  const Vec3* top = vertices.data();
  for (const Vec3& v : vertices) {
    if (n.dot(v) > n.dot(*top)) top = &v;
  }
  const Vec3* end = nullptr;
  double flattest = max_tilt;
  for (const Vec3& v : vertices) {
    const Vec3 down = *top - v;
    const double length = down.norm();
    if (length > 0 && n.dot(down) <= flattest * length) flattest = n.dot(down) / length, end = &v;
  }
  return end == nullptr ? point_patch(*top) : edge_patch(*top, *end);
}

}  // namespace

Patch patch(const Sphere& shape, const Vec3& n, double) { return point_patch(shape.radius * n); }

Patch patch(const Capsule& shape, const Vec3& n, double max_tilt) {
  const Vec3 out = shape.radius * n, end(0, 0, shape.half_length);
  if (std::abs(n.z()) > max_tilt) return point_patch(out + std::copysign(1.0, n.z()) * end);
  return distinct(edge_patch(out - end, out + end));
}

Patch patch(const Box& shape, const Vec3& n, double max_tilt) {
  const Vec3& half = shape.half;
  Eigen::Index axis = 0;
  const double largest = n.cwiseAbs().maxCoeff(&axis);
  const Vec3 corner = support(shape, n);
  if (largest * largest >= 1 - max_tilt * max_tilt) {
    const Eigen::Index i = (axis + 1) % 3, j = (axis + 2) % 3;
    const double turn = std::copysign(1.0, n[axis]);
    Patch r;
    for (const auto& [a, b] : {std::pair{1, 1}, {-1, 1}, {-1, -1}, {1, -1}}) {
      Vec3 p = corner;
      p[i] = a * turn * half[i], p[j] = b * half[j];
      r.push(p);
    }
    return distinct(r);
  }
  Eigen::Index flat = 0;
  if (n.cwiseAbs().minCoeff(&flat) > max_tilt) return point_patch(corner);
  Vec3 other = corner;
  other[flat] = -other[flat];
  return distinct(edge_patch(corner, other));
}

Patch patch(const Triangle& shape, const Vec3& n, double max_tilt) {
  const Vec3 normal = (shape.b() - shape.a()).cross(shape.c() - shape.a());
  const double area = normal.norm(), facing = normal.dot(n);
  if (area > 0 && facing * facing >= (1 - max_tilt * max_tilt) * area * area) {
    Patch r;
    r.push(shape.a());
    r.push(facing > 0 ? shape.b() : shape.c());
    r.push(facing > 0 ? shape.c() : shape.b());
    return r;
  }
  return edge_or_vertex(shape.vertices(), n, max_tilt);
}

Patch patch(const Cylinder& shape, const Vec3& n, double max_tilt) {
  const double across = std::sqrt(n.x() * n.x() + n.y() * n.y()), up = std::copysign(1.0, n.z());
  if (across <= max_tilt && across <= std::abs(n.z())) {
    return distinct(disc_patch(shape.radius, up * shape.half_length, up, n));
  }
  const Vec3 top = support(shape, n);
  if (std::abs(n.z()) > max_tilt) return point_patch(top);
  return distinct(edge_patch(top, {top.x(), top.y(), -top.z()}));
}

Patch patch(const Cone& shape, const Vec3& n, double max_tilt) {
  // A disc or a segment.
  if (shape.radius == 0 || shape.half_length == 0)
    return patch(Cylinder{.radius = double{shape.radius}, .half_length = double{shape.half_length}}, n, max_tilt);
  const double across = std::sqrt(n.x() * n.x() + n.y() * n.y());
  if (n.z() < 0 && across <= max_tilt) return disc_patch(shape.radius, -shape.half_length, -1, n);
  const double height = 2 * shape.half_length, slant = std::sqrt(shape.radius * shape.radius + height * height);
  const double tilt = std::abs(across * shape.radius - n.z() * height) / slant;
  if (across > 0 && tilt <= max_tilt) {
    return edge_patch({0, 0, shape.half_length},
                      {n.x() / across * shape.radius, n.y() / across * shape.radius, -shape.half_length});
  }
  return point_patch(support(shape, n));
}

Patch patch(const Ellipsoid& shape, const Vec3& n, double) { return point_patch(support(shape, n)); }

Patch patch(const Convex& shape, const Vec3& n, double max_tilt) {
  // How far corners of one face may lie off its plane, in parts of the hull's size.
  constexpr double kPlanar = 1e-9;
  const std::span<const Vec3> vertices = shape.vertices();
  if (!shape.flat()) {
    const Convex::Face* best = nullptr;
    for (const Convex::Face& f : shape.faces()) {
      if (best == nullptr || f.normal.dot(n) > best->normal.dot(n)) best = &f;
    }
    const double facing = best->normal.dot(n);
    if (facing > 0 && facing * facing >= 1 - max_tilt * max_tilt) {
      const Patch r = face_of(vertices, best->normal, best->offset - kPlanar * shape.radius());
      if (r.is_face()) return r;
    }
    return edge_or_vertex(vertices, n, max_tilt);
  }
  // A flat hull faces n where all of it is level.
  const double top = n.dot(vertices[shape.support_index(n)]);
  const double bottom = n.dot(vertices[shape.support_index(-n)]);
  if (vertices.size() >= 3 && top - bottom <= max_tilt * shape.radius()) {
    const Patch r = face_of(vertices, n, bottom);
    if (r.is_face()) return r;
  }
  return edge_or_vertex(vertices, n, max_tilt);
}

}  // namespace graze
