// Triangles in the world without rounding: how far apart two sets of them are, and what is inside a closed one.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "graze/base/aabb.h"
#include "graze/base/pose.h"
#include "graze/query/distance.h"
#include "oracle/exact_overlap.h"
#include "support/meshes.h"

namespace graze_fuzz {

using graze_oracle::Rational;
using graze_oracle::RationalPoint;

/// A pose in the caller's numbers.
struct PoseNumbers {
  std::array<double, 4> wxyz{1, 0, 0, 0};
  std::array<double, 3> xyz{0, 0, 0};
  graze::Pose pose() const {
    const graze::Vec3 at(xyz[0], xyz[1], xyz[2]);
    if (wxyz == std::array<double, 4>{1, 0, 0, 0}) return graze::Pose::at(at);
    return graze::Pose::from_wxyz(at, wxyz[0], wxyz[1], wxyz[2], wxyz[3]);
  }
};

class ExactSoup {
 public:
  ExactSoup(const graze_test::Soup& soup, const PoseNumbers& pose) : soup_(soup) {
    graze_oracle::Spec spec;
    spec.kind = graze_oracle::Kind::convex;
    spec.wxyz = pose.wxyz, spec.xyz = pose.xyz;
    for (const graze::Vec3& v : soup.vertices) spec.points.push_back({v.x(), v.y(), v.z()});
    points_ = graze_oracle::exact_core(spec);
    for (const RationalPoint& p : points_) {
      rounded_.emplace_back(p.x.get_d(), p.y.get_d(), p.z.get_d());
      reach_ = std::max(reach_, rounded_.back().cwiseAbs().maxCoeff());
    }
    for (const graze::MeshTriangle& t : soup.triangles) {
      boxes_.push_back(graze::Aabb().extend(rounded_[t[0]]).extend(rounded_[t[1]]).extend(rounded_[t[2]]));
    }
  }

  const std::vector<RationalPoint>& points() const { return points_; }

  /// The squared distance of the surfaces; nothing if one of them is empty. Rationals are slow: pairs of triangles that
  /// are farther apart than the nearest by a millionth of the size, as measured by `distance`, are skipped.
  std::optional<Rational> distance_sq(const ExactSoup& other) const {
    struct Pair {
      double distance;
      std::size_t i, j;
    };
    std::vector<Pair> pairs;
    double nearest = graze::kInfinity;
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      for (std::size_t j = 0; j < other.boxes_.size(); ++j) {
        const double apart = gap(boxes_[i], other.boxes_[j]);
        if (apart > nearest + slack(other)) continue;
        const double d = std::max(0.0, distance(at(rounded(i)), at(other.rounded(j))).value);
        nearest = std::min(nearest, d);
        pairs.push_back({d, i, j});
      }
    }
    std::sort(pairs.begin(), pairs.end(), [](const Pair& x, const Pair& y) { return x.distance < y.distance; });
    std::optional<Rational> best;
    for (const Pair& pair : pairs) {
      if (best && (sgn(*best) == 0 || pair.distance > nearest + slack(other))) break;
      const Rational d = graze_oracle::triangle_distance_sq(triangle(pair.i), other.triangle(pair.j));
      if (!best || d < *best) best = d;
    }
    return best;
  }

  /// How often the surface winds around a point that is not on it; nothing in the rare case that no ray is conclusive.
  std::optional<int> winding(const RationalPoint& p) const {
    graze::Aabb all;
    for (const graze::Aabb& box : boxes_) all.extend(box);
    if (!all.grown(1e-14 * reach_).contains({p.x.get_d(), p.y.get_d(), p.z.get_d()})) return 0;
    for (int attempt = 0; attempt < 4; ++attempt) {
      const RationalPoint ray{1009 - 13 * attempt, 331 + 101 * attempt, 127 - 57 * attempt * attempt};
      if (const auto sum = along(p, ray)) return sum;
    }
    return std::nullopt;
  }

  /// Whether a corner of the other one's triangles is inside.
  bool holds_a_corner_of(const ExactSoup& other) const {
    std::vector<bool> asked(other.points_.size(), false);
    for (const graze::MeshTriangle& t : other.soup_.triangles) {
      for (const std::uint32_t v : t) {
        if (asked[v]) continue;
        asked[v] = true;
        if (winding(other.points_[v]).value_or(0) != 0) return true;
      }
    }
    return false;
  }

 private:
  std::array<RationalPoint, 3> triangle(std::size_t i) const {
    const graze::MeshTriangle& t = soup_.triangles[i];
    return {points_[t[0]], points_[t[1]], points_[t[2]]};
  }
  graze::Triangle rounded(std::size_t i) const {
    const graze::MeshTriangle& t = soup_.triangles[i];
    return {rounded_[t[0]], rounded_[t[1]], rounded_[t[2]]};
  }
  double slack(const ExactSoup& other) const { return 1e-6 * (reach_ + other.reach_); }
  static RationalPoint minus(const RationalPoint& p, const RationalPoint& q) {
    return {p.x - q.x, p.y - q.y, p.z - q.z};
  }
  static Rational det(const RationalPoint& p, const RationalPoint& q, const RationalPoint& r) {
    return p.x * (q.y * r.z - q.z * r.y) + p.y * (q.z * r.x - q.x * r.z) + p.z * (q.x * r.y - q.y * r.x);
  }

  // Nothing if the ray meets an edge.
  std::optional<int> along(const RationalPoint& p, const RationalPoint& ray) const {
    int sum = 0;
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      const auto t = triangle(i);
      const RationalPoint a = minus(t[0], p), b = minus(t[1], p), c = minus(t[2], p);
      const Rational ab = det(ray, a, b), bc = det(ray, b, c), ca = det(ray, c, a);
      const int low = std::min({sgn(ab), sgn(bc), sgn(ca)}), high = std::max({sgn(ab), sgn(bc), sgn(ca)});
      if (low < 0 && high > 0) continue;
      if (low == 0 && high == 0) continue;  // no area, or seen edge-on from a plane that the ray lies in
      if (low * high == 0) return std::nullopt;
      // The ray meets the plane at det(a, b, c) over the sum of the three.
      if (sgn(det(a, b, c)) * low > 0) sum += low;
    }
    return sum;
  }

  const graze_test::Soup& soup_;
  std::vector<RationalPoint> points_;
  std::vector<graze::Vec3> rounded_;
  std::vector<graze::Aabb> boxes_;  // of the rounded points
  double reach_ = 0;
};

}  // namespace graze_fuzz
