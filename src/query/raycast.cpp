#include "graze/query/raycast.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/overloads.h"
#include "graze/base/error.h"
#include "graze/base/parallel.h"
#include "graze/query/traverse.h"
#include "query/blocks_ask.h"
#include "query/cloud_tree.h"
#include "query/each.h"
#include "query/field_depth.h"
#include "query/mesh_rays.h"
#include "query/mesh_tree.h"
#include "query/mesh_walk.h"
#include "query/ray_shape.h"
#include "query/slab.h"

namespace graze {

Ray::Ray(const Vec3& origin, const Vec3& direction, double length) : origin_(origin), length_(length) {
  if (!is_finite(origin)) throw Error("ray origin", "must be finite");
  if (!(origin.cwiseAbs().maxCoeff() <= kLargestLength)) {
    throw Error("ray origin",
                fmt::format("must be at most 1e50, got ({}, {}, {})", origin.x(), origin.y(), origin.z()));
  }
  const double size = direction.cwiseAbs().maxCoeff();
  if (!is_finite(direction) || !(size > 0)) throw Error("ray direction", "must be finite and have a length");
  direction_ = (direction / size).normalized();
  if (!(length >= 0)) throw Error("ray length", fmt::format("must not be negative, got {}", length));
}

Ray Ray::between(const Vec3& from, const Vec3& to) {
  const Vec3 travel = to - from;
  const double size = travel.cwiseAbs().maxCoeff();
  return {from, travel, size > 0 ? size * (travel / size).norm() : 0};
}

namespace {

// A corner of a triangle, sheared so that the line is the z axis: one product per edge gives the side; see TriangleHit.
struct Sheared {
  double x, y, z;
};

// The point of the line nearest to an edge, if it is within `slack` of it; of an edge along the line, from end to end.
// `error`: what is off by the slack moves the crossing of an edge that runs nearly along the line by more.
bool touches_edge(const Vec3& p, const Vec3& q, const Line& line, double slack, double& t, double& last,
                  double& error) {
  const Vec3 edge = minus(q, p), to_p = minus(p, line.origin);
  const double along_line = dot(edge, line.direction);
  const Vec3 across = along(edge, -along_line, line.direction);
  const double at_p = dot(to_p, line.direction), square = norm_sq(across);
  const Vec3 off = along(to_p, -at_p, line.direction);
  // Where on the edge, from p: nearest to the line as seen along it; an edge along the line is met at its nearer end.
  double s = 0;
  const bool crosses = square > slack * slack;
  if (crosses) s = std::clamp(-dot(off, across) / square, 0.0, 1.0);
  else if (along_line < 0) s = 1;
  t = at_p + s * along_line;
  last = crosses ? t : at_p + (1 - s) * along_line;
  error = slack;
  if (crosses) error += std::min(2 * slack / std::sqrt(square), 1.0) * std::abs(along_line);
  return norm_sq(along(off, s, across)) <= slack * slack * 4;
}

}  // namespace

TriangleHit ray_triangle(const Vec3& a, const Vec3& b, const Vec3& c, const Line& line, double slack) {
  const Vec3& d = line.direction;
  const int w = walk::steepest_axis(d);
  const int u = (w + 1) % 3, v = (w + 2) % 3;
  const double shear_u = d[u] / d[w], shear_v = d[v] / d[w];
  const auto sheared = [&](const Vec3& corner) -> Sheared {
    const Vec3 off = minus(corner, line.origin);
    return {off[u] - shear_u * off[w], off[v] - shear_v * off[w], off[w] / d[w]};
  };
  const Sheared p = sheared(a), q = sheared(b), r = sheared(c);
  // Which side of an edge the line is on, times the edge's length, and the room that the slack makes there: sheared,
  // what is off by the slack is off by twice of it at most. By the difference of the ends: products of the ends
  // themselves would be wrong by more than that where an edge is short.
  struct Side {
    double beside, room;
  };
  const auto side = [&](const Sheared& from, const Sheared& to) -> Side {
    const double x = to.x - from.x, y = to.y - from.y;
    return {from.x * y - from.y * x, 2 * slack * (std::abs(x) + std::abs(y))};
  };
  const auto [beside_a, room_a] = side(r, q);
  const auto [beside_b, room_b] = side(p, r);
  const auto [beside_c, room_c] = side(q, p);
  const double area = beside_a + beside_b + beside_c;
  TriangleHit hit;
  const bool level = !(std::abs(area) > room_a + room_b + room_c);
  if (!level) {
    const double sign = area > 0 ? 1 : -1;
    hit.hit = sign * beside_a >= -room_a && sign * beside_b >= -room_b && sign * beside_c >= -room_c;
    if (!hit.hit) return hit;
    hit.t = (beside_a * p.z + beside_b * q.z + beside_c * r.z) / area;
    // On a border that rounding has opened, no farther than the corners; and the rooms may move it between these.
    const double first = std::min({p.z, q.z, r.z}), last = std::max({p.z, q.z, r.z});
    hit.last = hit.t = std::clamp(hit.t, first, last);
    hit.error = slack + (room_a + room_b + room_c) / std::abs(area) * (last - first);
  } else {
    // Seen from its edge, or no triangle at all: what there is of it are its edges.
    hit.t = kInfinity, hit.last = -kInfinity;
    hit.error = slack;
    double t = 0, last = 0, error = 0;
    for (const auto& [from, to] : {std::pair{&a, &b}, {&b, &c}, {&c, &a}}) {
      if (!touches_edge(*from, *to, line, slack, t, last, error)) continue;
      hit.hit = true, hit.t = std::min(hit.t, t), hit.last = std::max(hit.last, last);
      hit.error = std::max(hit.error, error);
    }
  }
  const Vec3 raw = cross(minus(b, a), minus(c, a));
  const double twice = std::sqrt(norm_sq(raw));
  hit.normal = twice > 0 ? times((dot(raw, d) > 0 ? -1 : 1) / twice, raw) : times(-1, d);
  return hit;
}

namespace {

// What is wanted of the hits. Nothing farther than `limit` is of interest.
class First {
 public:
  /// `so_far` becomes the hit; it may be one of this ray already.
  First(double length, RayHit& so_far) : hit_(so_far), limit_(so_far.found() ? so_far.distance : length) {}
  double limit() const { return limit_; }
  void add(double t, const Vec3& normal, Feature feature) {
    if (hit_.found() && (t > hit_.distance || (t == hit_.distance && feature >= hit_.feature))) return;
    hit_.distance = limit_ = t, put(hit_.normal, normal), hit_.feature = feature;
  }
  static constexpr bool kLeaving = false;

 private:
  RayHit& hit_;
  double limit_;
};

class Any {
 public:
  explicit Any(double length) : limit_(length) {}
  double limit() const { return limit_; }
  void add(double, const Vec3&, Feature) { found = true, limit_ = -kInfinity; }
  static constexpr bool kLeaving = false;
  bool found = false;

 private:
  double limit_;
};

class All {
 public:
  All(double length, std::span<RayHit> buffer) : length_(length), buffer_(buffer) {}
  double limit() const {
    return count_ < buffer_.size() ? length_ : count_ == 0 ? -kInfinity : buffer_[count_ - 1].distance;
  }
  void add(double t, const Vec3& normal, Feature feature) {
    const auto before = [&](const RayHit& h) { return h.distance < t || (h.distance == t && h.feature <= feature); };
    if (count_ == buffer_.size() && (count_ == 0 || before(buffer_[count_ - 1]))) return;
    if (count_ < buffer_.size()) ++count_;
    std::size_t i = count_ - 1;
    for (; i > 0 && !before(buffer_[i - 1]); --i) buffer_[i] = buffer_[i - 1];
    buffer_[i] = {.distance = t, .normal = normal, .feature = feature};
  }
  static constexpr bool kLeaving = true;
  std::span<RayHit> hits() const { return buffer_.first(count_); }

 private:
  double length_;
  std::span<RayHit> buffer_;
  std::size_t count_ = 0;
};

template <class Sink>
class Cast {
 public:
  Cast(const LocalRay& ray, Sink& sink) : ray_(ray), sink_(sink) {}

  // Distances are from the ray's own origin; what is a little behind it is at it, what is a little too far at its end.
  void surface(double t, double error, const Vec3& normal, Feature feature) {
    const double distance = t + ray_.shift;
    if (distance < -error || distance > ray_.length + error) return;
    if (distance - error > sink_.limit()) return;
    const double at = std::clamp(distance, 0.0, ray_.length);
    sink_.add(at, dot(normal, ray_.line.direction) > 0 ? times(-1, normal) : normal, feature);
  }
  void body(LinePart part, Feature feature) {
    if (part.empty()) return;
    // Ends that rounding has exchanged: the better known one is where the ray touches.
    if (part.in.t > part.out.t) {
      const LineEnd known = part.in.error <= part.out.error ? part.in : part.out;
      part.in = part.out = known;
    }
    const bool began_inside = part.in.t < ray_.start() - part.in.error && part.out.t > ray_.start() - part.out.error;
    if (began_inside && !Sink::kLeaving) {
      sink_.add(0, times(-1, ray_.line.direction), feature);
      return;
    }
    if (std::isfinite(part.in.t)) surface(part.in.t, part.in.error, part.in.normal, feature);
    const bool through = part.out.t - part.in.t > part.in.error + part.out.error;
    if (Sink::kLeaving && through && std::isfinite(part.out.t))
      surface(part.out.t, part.out.error, part.out.normal, feature);
  }

  void operator()(const ShapeKind auto& shape) { body(ray_part(shape, ray_.line, ray_.slack), 0); }
  void operator()(const Plane& plane) {
    LinePart below = part_below(plane.normal(), plane.offset(), ray_.line, ray_.slack);
    LinePart above = part_below(times(-1, plane.normal()), -plane.offset(), ray_.line, ray_.slack);
    below.cut(above);
    // A ray in the plane meets it where it begins.
    if (!below.empty())
      surface(std::isfinite(below.in.t) ? below.in.t : ray_.start(), below.in.error, plane.normal(), 0);
  }
  void operator()(const Triangle& t) { triangle(t.a(), t.b(), t.c(), 0); }
  void operator()(const Cloud& cloud) { traverse(CloudTree(cloud), *this); }
  void operator()(const HeightField& field) {
    if (!Sink::kLeaving && point_depth(field, ray_.origin).depth > ray_.slack) {
      sink_.add(0, times(-1, ray_.line.direction), point_depth(field, ray_.origin).feature);
      return;
    }
    const SurfaceTree surface{FieldTree(field, Aabb())};
    traverse(surface, *this);
    walls(field);
  }
  void operator()(const MapView& view) {
    // Unknown space as far as the ray goes, or as what is known does.
    Aabb near;
    near.extend(ray_.origin);
    if (std::isfinite(ray_.length)) near.extend(ray_.line.at(ray_.end()));
    if (view.unknown() == UnknownSpace::occupied && !view.map().box(view.map().root()).contains(ray_.origin)) {
      sink_.add(0, times(-1, ray_.line.direction), map_view::kNoFeature);
      return;
    }
    const MapTree tree(view, near);
    traverse(tree, *this);
  }
  void operator()(const Mesh& mesh) {
    if (mesh.empty()) return;
    if (mesh.solid() && !Sink::kLeaving && mesh.winding(ray_.origin) != 0) {
      RayHit exit;
      First leaving(kInfinity, exit);
      LocalRay all = ray_;
      all.length = kInfinity;
      Cast<First>(all, leaving).triangles(data_of(mesh));
      sink_.add(0, times(-1, ray_.line.direction), exit.feature);
      return;
    }
    triangles(data_of(mesh));
  }

  // Of the trees' boxes, as the traversals ask.
  double bound(const Aabb& box) const {
    return slab_entry(box, ray_.line, ray_.start(), ray_.end(), ray_.slack) + ray_.shift;
  }
  double limit() const { return sink_.limit(); }
  void leaf(const CloudTree& h, std::size_t i) {
    const Ball ball = h.primitive(i);
    body(ray_part(ball.sphere, {minus(ray_.line.origin, ball.center), ray_.line.direction}, ray_.slack), h.feature(i));
  }

  void leaf(const SurfaceTree& h, std::size_t t) {
    const std::array<Vec3, 3> c = h.data().triangle(t);
    triangle(c[0], c[1], c[2], t);
  }
  void leaf(const MapTree& h, std::size_t i) {
    const Block b = h.primitive(i);
    LinePart part;
    for (Eigen::Index k = 0; k < 3; ++k) {
      Vec3 n = Vec3::Zero();
      n[k] = 1;
      part.cut(part_below(n, b.corners[7][k], ray_.line, ray_.slack + b.slack));
      part.cut(part_below(times(-1, n), -b.corners[0][k], ray_.line, ray_.slack + b.slack));
    }
    body(part, h.feature(i));
  }

  void triangles(const mesh::Data& data) {
    walk::RayLanes lanes;
    walk::put(data, ray_, lanes, 0);
    struct Asked {
      Cast& cast;
      const mesh::Data& data;
      double ask(std::size_t t) {
        cast.triangle(data, t);
        return cast.walk_limit();
      }
    } asked{*this, data};
    if (lanes.fits[0]) {
      walk::visit(data, lanes, walk_limit(),
                  {&asked, [](void* self, std::uint32_t t) { return static_cast<Asked*>(self)->ask(t); }});
    } else {
      for (std::size_t t = 0; t < data.triangles.size() && limit() > -kInfinity; ++t) asked.ask(t);
    }
  }

  void triangle(const mesh::Data& data, std::size_t t) {
    triangle(data.corner(t, 0), data.corner(t, 1), data.corner(t, 2), t);
  }
  double walk_limit() const { return limit() - ray_.shift; }

 private:
  // The walls below the border of a field: where the line crosses their plane within the rectangle, at the surface or
  // below.
  void walls(const HeightField& field) {
    const height_field::Data& data = data_of(field);
    const Line& line = ray_.line;
    const double slack = ray_.slack + data.rounding;
    for (const Eigen::Index axis : {0, 1}) {
      const Eigen::Index other = 1 - axis;
      if (line.direction[axis] == 0) continue;
      for (const bool upper : {false, true}) {
        Vec3 normal = Vec3::Zero();
        normal[axis] = upper ? 1 : -1;
        const double plane = upper ? data.surface.max[axis] : data.surface.min[axis];
        const double t = (plane - line.origin[axis]) / line.direction[axis];
        const double error = slack / std::abs(line.direction[axis]);
        if (!std::isfinite(t)) continue;
        Vec3 p = line.at(t);
        const double off = slack + error;  // of where it crosses
        if (p[other] < data.surface.min[other] - off || p[other] > data.surface.max[other] + off) continue;
        p[axis] = plane;
        p[other] = std::clamp(p[other], data.surface.min[other], data.surface.max[other]);
        const std::optional<double> height = field.height_at(p.x(), p.y());
        if (!height || p.z() > *height + off + 8 * kEpsilon * std::abs(*height)) continue;
        surface(t, error, normal, point_depth(field, p - off * normal).feature);
      }
    }
  }
  void triangle(const Vec3& a, const Vec3& b, const Vec3& c, Feature feature) {
    const TriangleHit hit = ray_triangle(a, b, c, ray_.line, ray_.slack);
    if (!hit.hit) return;
    // A ray that begins on the triangle and runs in its plane meets it at once.
    const double t = hit.t < ray_.start() ? std::min(hit.last, ray_.start()) : hit.t;
    surface(t, hit.error, hit.normal, feature);
  }

  const LocalRay& ray_;
  Sink& sink_;
};

template <class Sink>
void cast(const RayTarget& target, const Ray& ray, Sink& sink) {
  const LocalRay local = target.local(ray);
  Cast<Sink> asked(local, sink);
  std::visit([&](const auto& geometry) { asked(geometry); }, target.body().geometry);
}

void to_world(const Placed& body, const Ray& ray, RayHit& hit) {
  hit.point = ray.at(hit.distance);
  // Adding 0 leaves no −0.
  hit.normal = plus(turned(body.pose.rotation(), hit.normal), Vec3::Zero());
}

RayHit first_hit(const RayTarget& target, const Ray& ray) {
  RayHit hit;
  First first(ray.length(), hit);
  cast(target, ray, first);
  if (hit.found()) to_world(target.body(), ray, hit);
  return hit;
}

// Some rays of a batch through the triangles of a mesh.
class MeshRays {
 public:
  static constexpr std::size_t kMost = 256;

  MeshRays(const RayTarget& target, const Mesh& mesh, std::span<const Ray> rays, std::span<RayHit> hits)
      : target_(target), mesh_(mesh), rays_(rays), hits_(hits) {}

  void run() {
    const mesh::Data& data = data_of(mesh_);
    walk::prepare(target_, data, rays_, blocks_);
    for (std::size_t i = 0; i < rays_.size(); ++i) {
      bool& fits = blocks_[i / bvh::kWidth].lanes.fits[i % bvh::kWidth];
      if (mesh_.solid() && mesh_.winding(local(i).origin) != 0) fits = false;
      hits_[i] = fits ? RayHit() : first_hit(target_, rays_[i]);
    }
    walk::visit(data, blocks_, rays_.size(), {this, [](void* self, std::size_t ray, std::uint32_t triangle) {
                                                return static_cast<MeshRays*>(self)->measure(ray, triangle);
                                              }});
    for (std::size_t i = 0; i < rays_.size(); ++i) {
      const bool walked = blocks_[i / bvh::kWidth].lanes.fits[i % bvh::kWidth];
      if (walked && hits_[i].found()) to_world(target_.body(), rays_[i], hits_[i]);
    }
  }

 private:
  LocalRay local(std::size_t i) const { return blocks_[i / bvh::kWidth].local.ray(i % bvh::kWidth); }

  double measure(std::size_t i, std::uint32_t triangle) {
    const LocalRay ray = local(i);
    First first(ray.length, hits_[i]);
    Cast<First> cast(ray, first);
    cast.triangle(data_of(mesh_), triangle);
    return cast.walk_limit();
  }

  const RayTarget& target_;
  const Mesh& mesh_;
  std::span<const Ray> rays_;
  std::span<RayHit> hits_;
  std::array<walk::RayBlock, kMost / bvh::kWidth> blocks_;
};

}  // namespace

RayHit raycast(const Placed& body, const Ray& ray) { return first_hit(RayTarget(body), ray); }

bool meets(const Placed& body, const Ray& ray) {
  Any any(ray.length());
  cast(RayTarget(body), ray, any);
  return any.found;
}

std::span<RayHit> raycast_all(const Placed& body, const Ray& ray, std::span<RayHit> buffer) {
  All all(ray.length(), buffer);
  cast(RayTarget(body), ray, all);
  for (RayHit& hit : all.hits()) to_world(body, ray, hit);
  return all.hits();
}

void raycast_each(const Placed& body, std::span<const Ray> rays, std::span<RayHit> hits,
                  const RaycastEachOptions& options) {
  check_room("hits", rays.size(), hits.size());
  const RayTarget target(body);
  const Mesh* mesh = std::get_if<Mesh>(&body.geometry);
  if (mesh != nullptr && mesh->empty()) mesh = nullptr;
  parallel_chunks(rays.size(),
                  [&](std::size_t begin, std::size_t end) {
                    if (mesh == nullptr) {
                      for (std::size_t i = begin; i < end; ++i) hits[i] = first_hit(target, rays[i]);
                      return;
                    }
                    for (std::size_t i = begin; i < end; i += MeshRays::kMost) {
                      const std::size_t count = std::min(end - i, MeshRays::kMost);
                      MeshRays(target, *mesh, rays.subspan(i, count), hits.subspan(i, count)).run();
                    }
                  },
                  {.threads = options.threads, .grain = mesh != nullptr ? MeshRays::kMost : 0});
}

}  // namespace graze
