#include "geometry/mesh_cut.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>

#include "index/bvh_walk.h"

namespace graze::mesh {
namespace {

struct Plane3 {
  Vec3 origin, normal;  // unit; zero if there is no area
  double over(const Vec3& p) const { return normal.dot(p - origin); }
};

Plane3 plane_of(const std::array<Vec3, 3>& t) {
  const Vec3 n = (t[1] - t[0]).cross(t[2] - t[0]);
  const double length = n.norm();
  return {t[0], length > 0 ? Vec3(n / length) : Vec3(Vec3::Zero())};
}

// The part of a segment within a convex polygon of the plane with this normal, grown by `slack`: its length, 0 if none.
double clip(const Vec3* corners, std::size_t count, const Vec3& normal, double slack, Vec3& a, Vec3& b) {
  double from = 0, to = 1;
  const Vec3 d = b - a;
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 edge = corners[(i + 1) % count] - corners[i];
    const double length = edge.norm();
    if (!(length > 0)) continue;
    const Vec3 inward = normal.cross(edge) / length;
    const double at_a = inward.dot(a - corners[i]) + slack, at_b = inward.dot(b - corners[i]) + slack;
    if (at_a < 0 && at_b < 0) return 0;
    if (at_a < 0) from = std::max(from, at_a / (at_a - at_b));
    else if (at_b < 0) to = std::min(to, at_a / (at_a - at_b));
  }
  if (!(to > from)) return 0;
  b = a + to * d, a = a + from * d;
  return (b - a).norm();
}

std::array<Vec3, 3> corners_of(const Data& data, std::uint32_t t) {
  return {data.corner(t, 0), data.corner(t, 1), data.corner(t, 2)};
}

// Where the plane meets a triangle: up to two points. The heights are those of the corners, 0 within rounding.
std::size_t meets(const std::array<Vec3, 3>& t, const std::array<double, 3>& height, std::array<Vec3, 2>& points) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    if (height[k] == 0 && count < 2) points[count++] = t[k];
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t next = (k + 1) % 3;
    if (height[k] * height[next] < 0 && count < 2)
      points[count++] = t[k] + (height[k] / (height[k] - height[next])) * (t[next] - t[k]);
  }
  return count;
}

class Meeting {
 public:
  Meeting(const Data& data, const std::vector<std::uint32_t>& weld, std::uint32_t t, double tolerance)
      : data_(data), weld_(weld), t_(t), tolerance_(tolerance), corners_(corners_of(data, t)) {
    plane_ = plane_of(corners_);
  }

  bool has_area() const { return plane_.normal != Vec3::Zero(); }

  void with(std::uint32_t x, Crossings& found) const {
    const std::array<Vec3, 3> other = corners_of(data_, x);
    std::array<double, 3> height;
    for (std::size_t k = 0; k < 3; ++k) {
      height[k] = plane_.over(other[k]);
      if (std::abs(height[k]) <= tolerance_) height[k] = 0;
    }
    if ((height[0] > 0 && height[1] > 0 && height[2] > 0) || (height[0] < 0 && height[1] < 0 && height[2] < 0)) return;
    std::size_t shared = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t l = 0; l < 3; ++l)
        shared += weld_[data_.triangles[t_][k]] == weld_[data_.triangles[x][l]] ? 1U : 0U;
    }
    const bool level = height[0] == 0 && height[1] == 0 && height[2] == 0;
    if (!level) {
      if (shared == 2) return;  // the edge that they share, and nothing else
      std::array<Vec3, 2> points;
      if (meets(other, height, points) == 2) add(points[0], points[1], shared == 1, found);
      return;
    }
    if (!overlaps(other)) return;
    found.alone = true;
    for (std::size_t k = 0; k < 3; ++k) add(other[k], other[(k + 1) % 3], false, found);
  }

 private:
  // Of triangles in one plane: whether no edge of either keeps them apart, or lets them share more than a line.
  bool overlaps(const std::array<Vec3, 3>& other) const {
    const auto apart = [&](const std::array<Vec3, 3>& p, const std::array<Vec3, 3>& q) {
      for (std::size_t k = 0; k < 3; ++k) {
        const Vec3 edge = p[(k + 1) % 3] - p[k];
        const double length = edge.norm();
        if (!(length > 0)) return true;
        Vec3 outward = edge.cross(plane_.normal) / length;
        if (outward.dot(p[(k + 2) % 3] - p[k]) > 0) outward = -outward;
        double lowest = kInfinity;
        for (const Vec3& v : q) lowest = std::min(lowest, outward.dot(v - p[k]));
        if (lowest >= -tolerance_) return true;
      }
      return false;
    };
    return !apart(corners_, other) && !apart(other, corners_);
  }

  // From a shared corner a segment that leaves the triangle at a small angle stays within the tolerance for a while.
  // One that runs along an edge or across does so for a good part of its length, or of the triangle.
  double shortest_from_corner(const Vec3& a, const Vec3& b) const {
    constexpr double kPart = 1e-3;
    double longest = 0;
    for (std::size_t k = 0; k < 3; ++k) longest = std::max(longest, (corners_[(k + 1) % 3] - corners_[k]).norm());
    const double area = (corners_[1] - corners_[0]).cross(corners_[2] - corners_[0]).norm();
    return kPart * std::min((b - a).norm(), area / longest);
  }

  void add(Vec3 a, Vec3 b, bool from_corner, Crossings& found) const {
    const double shortest = std::max(4 * tolerance_, from_corner ? shortest_from_corner(a, b) : 0.0);
    if (!(clip(corners_.data(), 3, plane_.normal, tolerance_, a, b) > shortest)) return;
    found.alone = true;
    // Along an edge it cuts nothing.
    Vec3 inner_a = a, inner_b = b;
    if (clip(corners_.data(), 3, plane_.normal, -4 * tolerance_, inner_a, inner_b) > 4 * tolerance_)
      found.segments.push_back({a, b});
  }

  const Data& data_;
  const std::vector<std::uint32_t>& weld_;
  std::uint32_t t_;
  double tolerance_;
  std::array<Vec3, 3> corners_;
  Plane3 plane_;
};

// What lies on either side of a line through `at` that `inward` is square to.
void split(const Polygon& whole, const Vec3& at, const Vec3& inward, Polygon& in, Polygon& out) {
  in.clear(), out.clear();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const Vec3 &p = whole[i], &q = whole[(i + 1) % whole.size()];
    const double hp = inward.dot(p - at), hq = inward.dot(q - at);
    if (hp >= 0) in.push_back(p);
    if (hp <= 0) out.push_back(p);
    if (hp * hq < 0) {
      const Vec3 cross = p + (hp / (hp - hq)) * (q - p);
      in.push_back(cross), out.push_back(cross);
    }
  }
}

}  // namespace

double cut_tolerance(const Data& data) {
  return 64 * kEpsilon * (data.extent + data.tree.origin.cwiseAbs().maxCoeff());
}

Crossings crossings_of(const Data& data, const std::vector<std::uint32_t>& weld, std::uint32_t triangle,
                       CutBudget& budget) {
  Crossings found;
  const double tolerance = cut_tolerance(data);
  const Meeting meeting(data, weld, triangle, tolerance);
  if (!meeting.has_area()) return found;
  const auto box_of = [&](std::size_t t) {
    return Aabb().extend(data.corner(t, 0)).extend(data.corner(t, 1)).extend(data.corner(t, 2));
  };
  const Aabb box = box_of(triangle).grown(tolerance);
  bvh::visit_overlapping(data.tree, box, [&](std::size_t other) {
    if (!budget.take(1)) return false;
    if (other != triangle && overlap(box, box_of(other))) meeting.with(static_cast<std::uint32_t>(other), found);
    return true;
  });
  return found;
}

void cut(const std::array<Vec3, 3>& triangle, const std::vector<Crossings::Segment>& segments, double tolerance,
         CutBudget& budget, std::vector<Polygon>& parts) {
  parts.assign(1, Polygon(triangle.begin(), triangle.end()));
  const Vec3 normal = plane_of(triangle).normal;
  Polygon in, out;
  for (const Crossings::Segment& s : segments) {
    if (!budget.take(parts.size())) return;
    const Vec3 inward = normal.cross(s.b - s.a).normalized();
    for (std::size_t i = 0, n = parts.size(); i < n; ++i) {
      Vec3 a = s.a, b = s.b;
      if (!(clip(parts[i].data(), parts[i].size(), normal, -4 * tolerance, a, b) > 4 * tolerance)) continue;
      split(parts[i], s.a, inward, in, out);
      if (in.size() < 3 || out.size() < 3) continue;
      parts[i] = in;
      parts.push_back(out);
    }
  }
}

}  // namespace graze::mesh
