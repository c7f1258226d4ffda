// Upper bound: translations after which nothing meets, each a local minimum of the length, from a number of directions.
// Lower bound: balls inside of both about one point keep them together until the sum of the radii is passed.
#include "query/depth_search.h"

#include <array>

#include "base/overloads.h"
#include "query/escape.h"
#include "query/hull.h"
#include "query/mesh_inside.h"
#include "query/point_depth.h"
#include "query/solvers.h"

namespace graze {
namespace {

MeshHull hull_of(const Mesh& mesh) { return {data_of(mesh)}; }
CloudHull hull_of(const Cloud& cloud) { return CloudHull(cloud); }
template <ShapeKind S>
const S& hull_of(const S& shape) {
  return shape;
}

template <ShapeKind S>
Feature nearest_feature(const S&, const Vec3&) {
  return 0;
}

class DepthSearch {
 public:
  DepthSearch(const BoundedPair& pair, const Relative& relative)
      : pair_(pair),
        first_(pair.first),
        second_(pair.second),
        relative_(relative),
        rounding_(escape_rounding(first_, second_, relative)) {}

  PartsDistance run(const PartsDistance* deepest) {
    if (deepest != nullptr) {
      // Mostly the translation that frees the deepest point frees all.
      best_ = *deepest;
      lower_ = -deepest->distance.value - deepest->distance.tolerance;
      if (attempt(deepest->distance.normal, 1) && tight()) return result();
    }
    hulls();
    if (deepest == nullptr) points();
    if (!tight()) directions();
    return result();
  }

 private:
  PartsDistance result() {
    PartsDistance r = best_;
    // The points of both where they touch after the translation; one that was too long becomes shorter.
    const Touch touch = come_to_touch(pair_, relative_, times(upper_, r.distance.normal));
    const double length = std::sqrt(norm_sq(touch.translation));
    if (touch.found) {
      if (length < upper_) hull_tolerance_ = 0;
      if (length != upper_ && length > 0) r.distance.normal = times(1 / length, touch.translation);
      upper_ = length;
      r.distance.value = -upper_;
      r.distance.on_a = touch.on_a, r.a = touch.a, r.b = touch.b;
    }
    r.below = hull_tolerance_ + 4 * rounding_;
    r.distance.tolerance = std::max(0.0, upper_ - lower_) + r.below;
    return r;
  }
  bool tight() const { return !(upper_ - lower_ > 16 * rounding_); }

  void hulls() {
    const PairDistance d = depth_of_hulls(pair_, relative_);
    // The points of the hulls need not be points of the bodies: those where both touch, moved apart, are.
    hull_direction_ = d.normal;
    if (!(-d.value < upper_)) return;
    best_.distance = d;
    upper_ = std::max(0.0, -d.value);
    hull_tolerance_ = d.tolerance;
    find_features(pair_, relative_, best_);
  }

  // Balls about p, of the first one's frame, inside of both.
  void consider(const Vec3& p) {
    if (points_ >= kDepthPoints) return;
    ++points_;
    measure_at(p);
  }
  void measure_at(const Vec3& p) { judge(p, point_depth(first_, p), point_depth(second_, relative_.to_b(p))); }
  // A vertex is in its own mesh, and its depth there is 0 or more.
  void consider_vertex(const Vec3& p, bool of_second) {
    if (points_ >= kDepthPoints) return;
    ++points_;
    const PointDepth other = of_second ? point_depth(first_, p) : point_depth(second_, relative_.to_b(p));
    PointDepth own;
    own.depth = 0;
    own.out = times(-1, of_second ? turned_back(relative_.rotation, other.out) : turned(relative_.rotation, other.out));
    if (of_second) judge(p, other, own);
    else judge(p, own, other);
  }
  void judge(const Vec3& p, const PointDepth& a, const PointDepth& b) {
    const double sum = a.depth + b.depth, sure = sum - a.tolerance - b.tolerance - rounding_;
    if (sure > lower_) lower_ = sure;
    if (sum > deepest_) {
      deepest_ = sum, place_ = p;
      out_[0] = a.out, out_[1] = times(-1, turned(relative_.rotation, b.out));
      has_place_ = true;
    }
  }

  void sample(const PartsBody& g, bool of_second, const Aabb& common) {
    const auto place = [&](const Vec3& p) { return of_second ? relative_.to_a(p) : p; };
    g.visit(Overloads{[&](const Mesh& mesh) {
                        constexpr std::size_t kSamples = 24;
                        const auto vertices = mesh.vertices();
                        const std::size_t stride = std::max<std::size_t>(1, vertices.size() / kSamples);
                        for (std::size_t i = 0; i < vertices.size(); i += stride) {
                          const Vec3 p = place(vertices[i]);
                          if (common.contains(p)) consider_vertex(p, of_second);
                        }
                      },
                      [&](const Cloud& cloud) {
                        int asked = 0;
                        for (std::size_t i = 0; i < cloud.size() && asked < kDepthCloudPoints; ++i) {
                          if (cloud.is_skipped(i)) continue;
                          const Vec3 p = place(cloud.point(i));
                          if (common.grown(cloud.radius()).contains(p)) measure_at(p), ++asked;
                        }
                      },
                      [&](const Bounded auto& s) { consider(place(core(s).center())); }, [](const Unbounded auto&) {}});
  }

  void points() {
    const Aabb box_a = bounds(first_.geometry()), box_b = relative_.box_to_a(bounds(second_.geometry()));
    const Aabb common{box_a.min.cwiseMax(box_b.min), box_a.max.cwiseMin(box_b.max)};
    sample(first_, false, common), sample(second_, true, common);
    if (common.empty() || tight()) return;
    const Vec3 half = common.half();
    consider(common.center());
    for (int k = 0; k < 8; ++k) consider(common.center() + 0.5 * corner_of(k).cwiseProduct(half));
    climb(std::max(half.maxCoeff() / 2, rounding_));
  }
  static Vec3 corner_of(int k) {
    return {(k & 1) != 0 ? 1.0 : -1.0, (k & 2) != 0 ? 1.0 : -1.0, (k & 4) != 0 ? 1.0 : -1.0};
  }

  // From the best point to better ones, by smaller and smaller steps.
  void climb(double step) {
    constexpr double kFinest = 1e-5;
    const double finest = kFinest * step;
    while (step > finest && points_ < kDepthPoints && !tight()) {
      const double before = deepest_;
      const Vec3 from = place_;
      for (int k = 0; k < 6 && deepest_ == before; ++k) {
        Vec3 p = from;
        p[k / 2] += k % 2 == 0 ? step : -step;
        consider(p);
      }
      for (int k = 0; k < 8 && deepest_ == before; ++k) consider(from + step * 0.57735 * corner_of(k));
      if (deepest_ == before) step /= 2;
    }
  }

  // Along the direction until both are apart, and from there to a local minimum. False if it takes more than `reach`
  // times the best length.
  bool attempt(const Vec3& direction, double reach) {
    if (work_.spent()) return false;
    const Escape e = escape(pair_, relative_, direction, reach * upper_, work_);
    if (!e.free()) return false;
    take(e.length, direction);
    const Vec3 t = descend(pair_, relative_, times(e.length, direction), work_);
    const double length = std::sqrt(norm_sq(t));
    if (length > 0) take(length, times(1 / length, t));
    return true;
  }
  void take(double length, const Vec3& direction) {
    // A translation that was checked counts for more than that of the hulls.
    if (!(length < (hull_tolerance_ > 0 ? upper_ + 64 * rounding_ : upper_))) return;
    upper_ = std::min(upper_, length);
    hull_tolerance_ = 0;
    best_.distance.value = -length, best_.distance.normal = direction, best_.distance.beyond = false;
  }

  // Where it leads out of either, that of the hulls, along the axes of both, and between those of the first.
  static constexpr int kStarts = 3 + 12 + 8 + 12;
  Vec3 start(int k) const {
    if (k < 2) return out_[k];
    if (k < 3) return hull_direction_;
    if (k < 15) {
      const int axis = (k - 3) / 2;
      Vec3 n = Vec3::Zero();
      n[axis / 2] = axis % 2 == 0 ? 1 : -1;
      return k % 2 == 1 ? n : turned(relative_.rotation, n);
    }
    if (k < 23) return 0.5773502691896258 * corner_of(k - 15);
    const Vec3 n = 0.7071067811865476 * corner_of((k - 23) % 4);
    const int axis = (k - 23) / 4;
    return axis == 0 ? Vec3(n.x(), n.y(), 0) : axis == 1 ? Vec3(n.y(), 0, n.x()) : Vec3(0, n.x(), n.y());
  }
  bool same_as_another(int k) const {
    return (k < 2 && !has_place_) || (k > 3 && k < 15 && k % 2 == 0 && relative_.aligned);
  }

  // Those that lead out soon first; the others with what work is left.
  void directions() {
    constexpr double kNear = 1.4, kFar = 2.5;
    std::array<bool, kStarts> done{};
    for (const double reach : {kNear, kFar}) {
      for (int k = 0; k < kStarts && !tight(); ++k) {
        bool& d = done[static_cast<std::size_t>(k)];
        if (!d && !same_as_another(k)) d = attempt(start(k), reach);
      }
    }
  }

  const BoundedPair& pair_;
  const PartsBody &first_, &second_;
  const Relative& relative_;
  double rounding_;
  EscapeWork work_{.left = kDepthWork};
  int points_ = 0;
  PartsDistance best_;
  double upper_ = kInfinity, lower_ = 0, hull_tolerance_ = 0;
  bool has_place_ = false;
  double deepest_ = -kInfinity;
  Vec3 place_ = Vec3::Zero(), out_[2] = {Vec3::UnitX(), Vec3::UnitX()};
  Vec3 hull_direction_ = Vec3::UnitX();
};

}  // namespace

Feature nearest_feature(const Mesh& mesh, const Vec3& p) {
  Feature triangle = 0;
  surface_distance(p, mesh, triangle);
  return triangle;
}

Feature nearest_feature(const Cloud& cloud, const Vec3& p) { return point_depth(cloud, p).feature; }

PairDistance depth_of_hulls(const BoundedPair& pair, const Relative& relative) {
  return pair.visit([&](const auto& a, const auto& b) { return measure(hull_of(a), hull_of(b), relative, {}); });
}

void find_features(const BoundedPair& pair, const Relative& relative, PartsDistance& r) {
  const PairDistance& d = r.distance;
  pair.visit([&](const auto& a, const auto& b) {
    r.a = nearest_feature(a, d.on_a);
    r.b = nearest_feature(b, relative.to_b(along(d.on_a, d.value, d.normal)));
  });
}

PartsDistance search_depth(const BoundedPair& pair, const Relative& relative, const PartsDistance* deepest) {
  return DepthSearch(pair, relative).run(deepest);
}

}  // namespace graze
