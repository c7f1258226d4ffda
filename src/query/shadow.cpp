#include "query/shadow.h"

#include "query/depth_search.h"
#include "query/hull.h"
#include "query/mesh_tree.h"

namespace graze {
namespace {

MeshTree tree_of(const Mesh& mesh) { return MeshTree(mesh); }
CloudTree tree_of(const Cloud& cloud) { return CloudTree(cloud); }
Aabb box_of(const Mesh& mesh) { return mesh.bounds(); }
Aabb box_of(const Cloud& cloud) { return cloud.bounds().grown(cloud.radius()); }
// The farthest point along the unit n.
Vec3 farthest(const Mesh& mesh, const Vec3& n) { return support_point(data_of(mesh), n); }
Vec3 farthest(const Cloud& cloud, const Vec3& n) { return along(support_point(cloud, n), cloud.radius(), n); }

// A mesh or a cloud, seen along a direction.
template <Composite B>
class Shadow {
 public:
  Shadow(const B& body, const Vec3& n) : body_(body), n_(n) {}

  Vec3 lowest() const { return farthest(body_, times(-1, n_)); }
  struct Free {
    double level;
    double perhaps;  // no higher: free if rounding hides a gap between parts that touch there
  };
  // From `level` upwards, the first that nothing reaches across. `room`: what rounding may close.
  Free next_free(double level, double room) const {
    constexpr int kWalks = 64;
    double perhaps = kInfinity;
    for (int i = 0; i < kWalks; ++i) {
      Walk walk(body_, n_, level, room);
      traverse(tree_of(body_), walk);
      if (!(walk.up > level)) return {level, std::min(level, perhaps)};
      if (!walk.crossed) perhaps = std::min(perhaps, level);
      level = walk.up;
    }
    const double end = dot(n_, farthest(body_, n_));
    return {end, std::min(end, perhaps)};
  }
  // The corner, or point of a ball, nearest to the level; of balls the upper or lower end.
  Vec3 corner_at(double level, bool upper) const {
    NearestWalk walk{n_, level, upper ? 1.0 : -1.0};
    traverse(tree_of(body_), walk);
    return walk.point;
  }

 private:
  struct Walk {
    Walk(const B& whole, const Vec3& along_n, double from, double closed)
        : body(whole), n(along_n), level(from), room(closed), up(from) {}

    const B& body;
    const Vec3& n;
    double level, room, up;
    bool crossed = false;  // by something that does not end there
    int looks = 0;         // at what is inside beside parts that do
    double bound(const Aabb& box) const {
      const double at = n.dot(box.center()), reach = n.cwiseAbs().dot(box.half());
      return std::max(at - reach - level, level - at - reach) - room;
    }
    double limit() const { return room; }
    // Whether it starts at the level and leads up from there.
    bool take(double low, double high) {
      if (!(low <= level + room && high > level + room)) return false;
      up = std::max(up, high);
      if (low <= level - 2 * room) crossed = true;
      return !crossed;
    }
    void leaf(const MeshTree& h, std::size_t slot) {
      const Triangle t = h.primitive(slot).triangle;
      const double a = dot(n, t.a()), b = dot(n, t.b()), c = dot(n, t.c());
      if (!take(std::min({a, b, c}), std::max({a, b, c}))) return;
      crossed = goes_on_below(t, a <= b && a <= c ? t.a() : b <= c ? t.b() : t.c());
    }
    void leaf(const CloudTree& h, std::size_t i) {
      const Ball ball = h.primitive(i);
      const double at = dot(n, ball.center);
      take(at - ball.sphere.radius, at + ball.sphere.radius);
    }
    // The triangle is one of a surface that is cut into triangles at the level: beside its lowest corner, a little
    // toward its middle, it is inside above the level and below.
    bool goes_on_below(const Triangle& t, const Vec3& lowest) {
      constexpr int kLooks = 64;
      constexpr double kStep = 1e-3, kInwards = 1e-2, kBeside = 1e-4;
      if (looks >= kLooks) return false;
      ++looks;
      const Vec3 middle = times(1.0 / 3, plus(plus(t.a(), t.b()), t.c()));
      const Vec3 normal = cross(minus(t.b(), t.a()), minus(t.c(), t.a()));
      const auto level_part = [&](const Vec3& v) { return along(v, -dot(n, v), n); };
      const Vec3 along_face = level_part(minus(middle, lowest)), across = level_part(normal);
      const double size = std::sqrt(norm_sq(minus(middle, lowest))), length = std::sqrt(norm_sq(across));
      if (!(length > 0)) return false;
      const Vec3 on_face = along(lowest, kStep, along_face);
      for (const double side : {1.0, -1.0}) {
        const Vec3 q = along(on_face, side * kInwards * kStep * size / length, across);
        const double beside = kBeside * kStep * size;
        if (winds_around(along(q, beside, n)) && winds_around(along(q, -beside, n))) return true;
      }
      return false;
    }
    bool winds_around(const Vec3& p) const {
      if constexpr (std::same_as<B, Mesh>) return body.winding(p) != 0;
      else return false;
    }
  };

  struct NearestWalk {
    const Vec3& n;
    double level, side;
    double off = kInfinity;
    Vec3 point = Vec3::Zero();
    double bound(const Aabb& box) const {
      const double rounding = 8 * kEpsilon * (size_of(box.center()) + size_of(box.half()) + std::abs(level));
      return std::abs(n.dot(box.center()) - level) - n.cwiseAbs().dot(box.half()) - rounding;
    }
    double limit() const { return off; }
    void take(const Vec3& p) {
      if (const double o = std::abs(dot(n, p) - level); o < off) off = o, point = p;
    }
    void leaf(const MeshTree& h, std::size_t slot) {
      const Triangle t = h.primitive(slot).triangle;
      take(t.a()), take(t.b()), take(t.c());
    }
    void leaf(const CloudTree& h, std::size_t i) {
      const Ball ball = h.primitive(i);
      take(along(ball.center, side * ball.sphere.radius, n));
    }
  };

  const B& body_;
  Vec3 n_;
};

}  // namespace

template <Unbounded A, Composite B>
PartsDistance depth_along_normal(const A& a, const B& b, const Relative& relative) {
  PartsDistance r;
  PairDistance& d = r.distance;
  const Vec3 n = turned_back(relative.rotation, a.normal());
  const double level = a.offset() - dot(a.normal(), relative.translation);
  const Aabb box = box_of(b);
  double shallower = 0;
  d.tolerance = 32 * kEpsilon *
                (size_of(box.center()) + size_of(box.half()) + std::abs(a.offset()) + std::abs(level) +
                 size_of(relative.translation));
  if constexpr (std::same_as<A, HalfSpace>) {
    const Vec3 lowest = Shadow(b, n).lowest();
    d.value = dot(n, lowest) - level, d.normal = a.normal();
    d.on_a = along(relative.to_a(lowest), -d.value, d.normal);
  } else {
    // The plane gives way upwards or downwards; b moves in the opposite direction.
    const Shadow up(b, n), down(b, times(-1, n));
    const double room = d.tolerance;
    const auto free_above = up.next_free(level, room), free_below = down.next_free(-level, room);
    const double above = free_above.level - level, below = free_below.level + level;
    const bool upwards = above <= below;
    d.value = -std::min(above, below);
    d.normal = upwards ? Vec3(-a.normal()) : a.normal();
    // The point of b that is the last to leave.
    const double last = upwards ? level + above : level - below;
    Vec3 p = up.corner_at(last, upwards);
    p = along(p, last - dot(n, p), n);
    d.on_a = along(relative.to_a(p), -d.value, d.normal);
    d.tolerance *= 2;
    // Between parts that touch but for rounding there may be room for the plane, or none.
    shallower = std::max(0.0, -d.value - std::min(free_above.perhaps - level, free_below.perhaps + level));
  }
  r.b = nearest_feature(b, relative.to_b(along(d.on_a, d.value, d.normal)));
  r.below = d.tolerance;
  d.tolerance += shallower;
  return r;
}

template PartsDistance depth_along_normal(const HalfSpace&, const Mesh&, const Relative&);
template PartsDistance depth_along_normal(const HalfSpace&, const Cloud&, const Relative&);
template PartsDistance depth_along_normal(const Plane&, const Mesh&, const Relative&);
template PartsDistance depth_along_normal(const Plane&, const Cloud&, const Relative&);

}  // namespace graze
