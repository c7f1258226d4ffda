// How deep a body overlaps a solid made of blocks. Upper bound: translations along a number of directions, each as long
// as the last pair of parts needs. Lower bound: balls of one body about points of the other.
#include "base/overloads.h"
#include "query/blocks.h"
#include "query/blocks_ask.h"
#include "query/farthest.h"
#include "query/field_depth.h"
#include "query/solvers.h"

namespace graze {
namespace {

constexpr int kCasts = 32;  // toward where two parts leave each other

// What a computed gap of the two may be wrong by.
template <class A, class B>
double rounding_of(const A& a, const B& b, const Relative& relative) {
  const auto size = [](const Aabb& box) { return box.empty() ? 0 : size_of(box.min) + size_of(box.max); };
  double sum = size(finite_box(b)) + size_of(relative.translation);
  if constexpr (!Unbounded<A>) sum += size(finite_box(a)) + size(near_boxes(a, b, relative).of_b);
  else sum += std::abs(a.offset());
  return 64 * kEpsilon * sum;
}

// How far b has to go along a direction until the last pair of parts that meets on the way has left each other. Nodes
// count as far as their shadows say.
class LastExit {
 public:
  LastExit(const Relative& relative, const Vec3& direction, double longest, double rounding)
      : relative_(relative), direction_(direction), longest_(longest), rounding_(rounding) {
    way_.distance.beyond = true;
  }

  double bound(const Aabb& a, const Aabb& b) const {
    if (a.empty() || b.empty()) return kInfinity;
    const Aabb here = relative_.box_to_a(b);
    Aabb passed = here;
    const Vec3 way = times(longest_, direction_);
    passed.extend(Aabb{here.min + way, here.max + way});
    if (gap(a, passed) > 0) return kInfinity;
    const Vec3 n = direction_;
    const double ahead = n.dot(a.center()) + n.cwiseAbs().dot(a.half());
    const double behind = n.dot(here.center()) - n.cwiseAbs().dot(here.half());
    return -(ahead - behind) - 2 * rounding_;
  }
  double limit() const { return length_ > longest_ ? -kInfinity : -length_; }

  template <class A, class B>
  void leaf(const A& a, std::size_t i, const B& b, std::size_t j) {
    if (length_ > longest_) return;
    const auto& part_a = a.primitive(i);
    const Block part_b = b.primitive(j);
    const Vec3 back = turned_back(relative_.rotation, times(-1, direction_));
    double length = dot(direction_, minus(reach(part_a), relative_.to_a(farthest(part_b, back)))) + 4 * rounding_;
    if (!(length > length_)) return;
    Relative moved = relative_;
    PairDistance last;
    for (int step = 0; step < kCasts; ++step) {
      moved.translation = along(relative_.translation, length, direction_);
      const PairDistance d = measure_either(part_a, part_b, moved, {.depth = false});
      if (!(d.value > 0)) break;
      last = d;
      const double slope = dot(d.normal, direction_), spare = d.value - d.tolerance - rounding_;
      if (!(spare > 2 * rounding_)) break;
      if (slope <= 0) return;  // they never meet before this
      constexpr double kMinSlope = 1e-9;
      if (slope < kMinSlope) break;
      length -= spare / slope;
      if (!(length > length_)) return;  // others keep them together for longer
    }
    length_ = length;
    way_.distance.beyond = false;
    way_.distance.value = -length, way_.distance.normal = direction_;
    // The point of a where they part; b's is that after the translation.
    way_.distance.on_a = std::isfinite(last.value) ? last.on_a : reach(part_a);
    way_.distance.tolerance = 0;
    way_.a = feature_of(a, i), way_.b = feature_of(b, j);
  }

  PartsDistance result() const {
    PartsDistance r = way_;
    if (length_ > longest_) r.distance = beyond_limit();
    return r;
  }

 private:
  template <class P>
  Vec3 reach(const P& part) const {
    return farthest(part, direction_);
  }
  const Relative& relative_;
  const Vec3& direction_;
  double longest_, rounding_;
  double length_ = 0;
  PartsDistance way_;
};

// A plane or half-space: only how far the blocks reach along its normal counts.
template <Unbounded A, BlockKind B>
PartsDistance exit_of_plane(const A& a, const B& b, const Relative& relative, const Vec3& direction) {
  const Vec3 n = turned_back(relative.rotation, direction);
  const double sign = dot(direction, a.normal()) < 0 ? -1 : 1;
  const double level = sign * (a.offset() - dot(a.normal(), relative.translation));
  const auto tree = tree_of(b, near_box(b, times(sign, n), sign * level));
  struct Walk {
    const Vec3& n;
    double lowest = kInfinity;
    Vec3 point = Vec3::Zero();
    Feature feature = 0;
    double bound(const Aabb& box) const {
      if (box.empty()) return kInfinity;
      const double slack = 16 * kEpsilon * (size_of(box.center()) + size_of(box.half()));
      return n.dot(box.center()) - n.cwiseAbs().dot(box.half()) - slack;
    }
    double limit() const { return lowest; }
    void leaf(const decltype(tree)& h, std::size_t i) {
      const Vec3 p = farthest(h.primitive(i), times(-1, n));
      if (const double at = dot(n, p); at < lowest) lowest = at, point = p, feature = feature_of(h, i);
    }
  } walk{n};
  traverse(tree, walk);
  PartsDistance r;
  r.distance.value = -(level - walk.lowest), r.distance.normal = direction;
  r.distance.on_a = along(relative.to_a(walk.point), -r.distance.value, direction);
  r.b = walk.feature;
  return r;
}

class DepthSearch {
 public:
  DepthSearch(const Geometry& a, const Geometry& b, const Relative& relative) : a_(a), b_(b), relative_(relative) {
    rounding_ = with_blocks(a, b, [&](const auto& x, const auto& y) { return rounding_of(x, y, relative); });
    best_.distance.beyond = true;
  }

  PartsDistance run(const Vec3& common) {
    const bool unbounded = std::holds_alternative<HalfSpace>(a_) || std::holds_alternative<Plane>(a_);
    if (unbounded) return of_plane();
    PartsDistance point;
    if (by_center(point)) return point;
    points(common);
    directions();
    refine();
    PartsDistance r = best_;
    if (r.distance.beyond) {
      // Nothing was found that separates: all that is known is that they overlap.
      r.distance = {}, r.distance.value = -kInfinity, r.distance.on_a = common;
      return r;
    }
    const double upper = -r.distance.value;
    // The translation may be longer than needed, but what it says about the depth is no less than the truth.
    r.below = 8 * rounding_;
    r.distance.tolerance = std::max(0.0, upper - lower_) + 8 * rounding_;
    return r;
  }

 private:
  PartsDistance of_plane() {
    return with_blocks(a_, b_, [&]<class A, class B>(const A& a, const B& b) -> PartsDistance {
      if constexpr (Unbounded<A>) {
        PartsDistance r = exit_of_plane(a, b, relative_, a.normal());
        const double up = dot(turned_back(relative_.rotation, a.normal()), Vec3::UnitZ());
        if constexpr (std::same_as<A, Plane>) {
          const Vec3 other = times(-1, a.normal());
          // A field has no lower end.
          const bool field = std::same_as<B, HeightField>;
          const PartsDistance s = exit_of_plane(a, b, relative_, other);
          if (field ? up > 0 || (up == 0 && s.distance.value > r.distance.value) : s.distance.value > r.distance.value)
            r = s;
        }
        r.below = 8 * rounding_;
        // A plane may fit between cells.
        const bool exact = std::same_as<A, HalfSpace> || std::same_as<B, HeightField>;
        r.distance.tolerance = r.below + (exact ? 0 : std::max(0.0, -r.distance.value));
        return r;
      } else {
        return {};
      }
    });
  }

  // A point in a field: its depth is known, and it is out as soon as it is on the surface.
  bool by_center(PartsDistance& r) const {
    const auto* sphere = std::get_if<Sphere>(&a_);
    const auto* field = std::get_if<HeightField>(&b_);
    if (sphere == nullptr || field == nullptr || sphere->radius > 0) return false;
    const PointDepth d = point_depth(*field, relative_.to_b(Vec3::Zero()));
    r.distance.value = -d.depth, r.distance.normal = times(-1, turned(relative_.rotation, d.out));
    r.distance.tolerance = r.below = d.tolerance + rounding_;
    r.b = d.feature;
    return true;
  }

  // A point of a, with the ball of a about it.
  void consider(const Vec3& p, double radius) {
    const Vec3 q = relative_.to_b(p);
    const PointDepth d = with_block(b_, [&](const auto& solid) { return point_depth(solid, q); });
    const double sum = d.depth + radius, sure = sum - d.tolerance - rounding_;
    if (sure > lower_) lower_ = sure;
    if (sum > deepest_) deepest_ = sum, blur_ = d.tolerance, out_ = turned(relative_.rotation, d.out);
  }
  void points(const Vec3& common) {
    std::visit(Overloads{[&]<Bounded S>(const S& s) {
                           const auto c = core(s);
                           const double inner = c.inner() + rounding_radius(s);
                           if (inner >= 0) consider(c.center(), inner);
                           for (Eigen::Index k = 0; k < 3; ++k) {
                             Vec3 n = Vec3::Zero();
                             n[k] = 1;
                             for (const Vec3& m : {n, Vec3(turned(relative_.rotation, n))}) {
                               consider(plus(c.center(), c.support(m)), rounding_radius(s));
                               consider(plus(c.center(), c.support(times(-1, m))), rounding_radius(s));
                             }
                           }
                         },
                         [](const Unbounded auto&) {},
                         [&](const Mesh& mesh) {
                           constexpr std::size_t kSamples = 64;
                           const auto vertices = mesh.vertices();
                           const std::size_t stride = std::max<std::size_t>(1, vertices.size() / kSamples);
                           for (std::size_t i = 0; i < vertices.size(); i += stride) consider(vertices[i], 0);
                         },
                         [&](const Cloud& cloud) {
                           constexpr std::size_t kSamples = 256;
                           const std::size_t stride = std::max<std::size_t>(1, cloud.size() / kSamples);
                           for (std::size_t i = 0; i < cloud.size(); i += stride)
                             if (!cloud.is_skipped(i)) consider(cloud.point(i), cloud.radius());
                         },
                         [](const BlockKind auto&) {}},
               a_);
    consider(common, 0);
  }

  bool tight() const {
    return !best_.distance.beyond && !(-best_.distance.value - lower_ > 16 * rounding_ + 8 * blur_);
  }

  // A field has no end below: it can only be left upwards or sidewards.
  bool leads_out(const Vec3& w) const {
    constexpr double kLevel = 1e-12;
    if (std::holds_alternative<HeightField>(b_) && !(dot(w, turned(relative_.rotation, Vec3::UnitZ())) <= kLevel))
      return false;
    return !std::holds_alternative<HeightField>(a_) || w.z() >= -kLevel;
  }
  double longest() const { return best_.distance.beyond ? kInfinity : -best_.distance.value; }
  bool attempt(const Vec3& w) {
    if (tight() || !leads_out(w)) return false;
    const double before = longest();
    const PartsDistance e = last_exit(a_, b_, relative_, w, std::isfinite(before) ? before : enough());
    if (e.distance.beyond || !(-e.distance.value < before)) return false;
    // What lies inside of a solid may be farther from its surface than was looked.
    Relative moved = relative_;
    moved.translation = along(relative_.translation, -e.distance.value, w);
    if (block_inside(a_, b_, moved)) return false;
    best_ = e;
    return true;
  }
  // Nothing that separates along a direction is longer than this.
  double enough() const {
    return with_blocks(a_, b_, [&]<class A, class B>(const A& a, const B& b) -> double {
      if constexpr (Unbounded<A>) {
        return kInfinity;
      } else {
        const NearBoxes near = near_boxes(a, b, relative_);
        const Aabb box = finite_box(b);
        return 4 * (size_of(box.half()) + size_of(near.of_b.half()) + size_of(minus(box.center(), near.of_b.center())));
      }
    });
  }
  // As short as the deepest point allows, if that is free: what is not convex may be left and entered again farther
  // along.
  void attempt_short(const Vec3& w) {
    if (tight() || !leads_out(w) || !(deepest_ > 0)) return;
    // In a narrow valley, a little farther.
    Relative moved = relative_;
    double length = 0;
    bool free = false;
    for (const double more : {8.0, 256.0, 8192.0}) {
      length = deepest_ + more * rounding_ + 4 * blur_;
      if (!(length < longest())) break;
      moved.translation = along(relative_.translation, length, w);
      free = !blocks_collide(a_, b_, moved, 0);
      if (free) break;
    }
    if (!free) return;
    // The points of both where they part.
    const PartsDistance near = blocks_distance(a_, b_, moved, {.depth = false});
    best_ = near;
    best_.distance.value = -length, best_.distance.normal = w, best_.distance.beyond = false;
  }
  void directions() {
    const Mat3& turn = relative_.rotation;
    const Vec3 up = turned(turn, Vec3::UnitZ());
    const bool field_a = std::holds_alternative<HeightField>(a_);
    if (field_a) {
      // Level in the frames of both, or as far from the one's inside as from the other's.
      const Vec3 level = cross(Vec3::UnitZ(), up);
      if (norm_sq(level) > 0) attempt(unit_vector(level)), attempt(times(-1, unit_vector(level)));
      const Vec3 apart = minus(Vec3::UnitZ(), up);
      if (norm_sq(apart) > 0) attempt(unit_vector(apart));
    }
    attempt(times(-1, up));
    attempt_short(times(-1, out_));
    attempt(times(-1, out_));
    for (Eigen::Index k = 0; k < 3; ++k) {
      Vec3 n = Vec3::Zero();
      n[k] = 1;
      for (const Vec3& m : {n, Vec3(turned(turn, n))}) attempt(m), attempt(times(-1, m));
    }
  }
  // From the best direction to better ones beside it, by smaller and smaller turns.
  void refine() {
    constexpr double kFirst = 0.4, kLast = 2e-3;
    constexpr int kAttempts = 48;
    int left = kAttempts;
    for (double turn = kFirst; turn > kLast && left > 0 && !best_.distance.beyond && !tight();) {
      const Vec3 n = best_.distance.normal, u = any_orthogonal(n), v = cross(n, u);
      bool better = false;
      for (const Vec3& m : {u, Vec3(times(-1, u)), v, Vec3(times(-1, v))}) {
        --left;
        if (attempt(unit_vector(along(n, turn, m)))) {
          better = true;
          break;
        }
      }
      if (!better) turn /= 2;
    }
  }

  const Geometry &a_, &b_;
  const Relative& relative_;
  double rounding_ = 0, lower_ = 0, deepest_ = -kInfinity, blur_ = 0;
  Vec3 out_ = Vec3::UnitZ();
  PartsDistance best_;
};

}  // namespace

PartsDistance last_exit(const Geometry& a, const Geometry& b, const Relative& relative, const Vec3& direction,
                        double longest) {
  return with_blocks(a, b, [&]<class A, class B>(const A& first, const B& second) -> PartsDistance {
    if constexpr (Unbounded<A>) {
      return exit_of_plane(first, second, relative, direction);
    } else {
      LastExit query(relative, direction, longest, rounding_of(first, second, relative));
      ask_blocks(first, second, relative, query);
      return query.result();
    }
  });
}

PartsDistance blocks_depth(const Geometry& a, const Geometry& b, const Relative& relative, const Vec3& common) {
  return DepthSearch(a, b, relative).run(common);
}

}  // namespace graze
