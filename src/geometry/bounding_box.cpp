#include <Eigen/Geometry>
#include <algorithm>
#include <array>

#include "geometry/bounding_search.h"
#include "graze/base/aabb2.h"

namespace graze::bounding {
namespace {

// Another box has to be smaller by this factor to be worth turning to: boxes along the axes of the frame stay there.
constexpr double kSmallerBox = 1 - 1e-10;
// So many of the best boxes are improved.
constexpr std::size_t kImproved = 8;
constexpr int kMaxTurns = 64;
// Edges that enclose a smaller angle (its sine) span no plane.
constexpr double kParallel = 1e-6;

struct Turned {
  Mat3 axes;
  double volume;
};

// Measures boxes around some points.
class Measure {
 public:
  Measure(std::span<const Vec3> points, double floor, double grow) : points_(points), floor_(floor), grow_(grow) {}

  double extent(const Vec3& axis) const {
    double lowest = kInfinity, highest = -kInfinity;
    for (const Vec3& p : points_) {
      const double at = p.dot(axis);
      lowest = std::min(lowest, at), highest = std::max(highest, at);
    }
    return counted(highest - lowest);
  }
  double volume(const Mat3& axes) const { return extent(axes.col(0)) * extent(axes.col(1)) * extent(axes.col(2)); }

  /// The smallest box with one axis along the unit vector `n`. One of its sides is flush with an edge of the shadow
  /// along n (Freeman and Shapira, 1975).
  Turned smallest_about(const Vec3& n) const {
    const Vec3 u = any_orthogonal(n), v = n.cross(u);
    const std::vector<Vec2> outline = outline_of(u, v);
    Vec2 best(1, 0);
    double best_area = area(outline, best);
    for (std::size_t i = 0; i < outline.size(); ++i) {
      const Vec2 edge = outline[(i + 1) % outline.size()] - outline[i];
      const double length = edge.norm();
      if (!(length > 0)) continue;
      const double tried = area(outline, edge / length);
      if (tried < kSmallerBox * best_area) best = edge / length, best_area = tried;
    }
    Mat3 axes;
    axes.col(0) = best.x() * u + best.y() * v;
    axes.col(2) = n;
    axes.col(1) = n.cross(axes.col(0));
    return {axes, best_area * extent(n)};
  }

 private:
  double counted(double extent) const { return std::max(extent, floor_) + 2 * grow_; }

  double area(const std::vector<Vec2>& outline, const Vec2& along) const {
    double min_x = kInfinity, max_x = -kInfinity, min_y = kInfinity, max_y = -kInfinity;
    for (const Vec2& p : outline) {
      const double x = p.x() * along.x() + p.y() * along.y(), y = p.y() * along.x() - p.x() * along.y();
      min_x = std::min(min_x, x), max_x = std::max(max_x, x);
      min_y = std::min(min_y, y), max_y = std::max(max_y, y);
    }
    return counted(max_x - min_x) * counted(max_y - min_y);
  }

  // The convex hull of the shadow, by Andrew's monotone chain.
  std::vector<Vec2> outline_of(const Vec3& u, const Vec3& v) const {
    std::vector<Vec2> flat;
    flat.reserve(points_.size());
    for (const Vec3& p : points_) flat.emplace_back(p.dot(u), p.dot(v));
    std::sort(flat.begin(), flat.end(),
              [](const Vec2& a, const Vec2& b) { return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y(); });
    std::vector<Vec2> chain;
    const auto add = [&](const Vec2& p, std::size_t first) {
      while (chain.size() >= first + 2) {
        const Vec2 a = chain.back() - chain[chain.size() - 2], b = p - chain[chain.size() - 2];
        if (a.x() * b.y() - a.y() * b.x() > 0) break;
        chain.pop_back();
      }
      chain.push_back(p);
    };
    for (const Vec2& p : flat) add(p, 0);
    const std::size_t turn = chain.size() - 1;
    for (std::size_t i = flat.size() - 1; i-- > 0;) add(flat[i], turn);
    if (chain.size() > 1) chain.pop_back();
    return chain;
  }

  std::span<const Vec3> points_;
  double floor_, grow_;
};

// A box that no turn about one of its own axes makes smaller.
Turned improved(Turned box, const Measure& measure) {
  for (int turn = 0, idle = 0; turn < kMaxTurns && idle < 3; ++turn) {
    const Turned tried = measure.smallest_about(box.axes.col(turn % 3));
    const bool better = tried.volume < kSmallerBox * box.volume;
    if (better) box = tried;
    idle = better ? 0 : idle + 1;
  }
  return box;
}

}  // namespace

Mat3 box_axes(std::span<const Vec3> points, const Core& core, double grow) {
  const Measure few(core.points, core.floor, grow), all(points, core.floor, grow);
  std::vector<Turned> boxes;
  for (const Mat3& axes : {Mat3(Mat3::Identity()), core.principal}) {
    boxes.push_back({axes, few.volume(axes)});
    for (int k = 0; k < 3; ++k) boxes.push_back(few.smallest_about(axes.col(k)));
  }
  for (const Vec3& n : core.normals) boxes.push_back(few.smallest_about(n));
  // The smallest box has two adjacent sides flush with an edge each (O'Rourke 1985); the sides that two edges span are
  // where such boxes without a flush face are found.
  for (std::size_t i = 0; i < core.edges.size(); ++i) {
    for (std::size_t j = i + 1; j < core.edges.size(); ++j) {
      const Vec3 across = unit_vector(core.edges[i]).cross(unit_vector(core.edges[j]));
      if (across.norm() > kParallel) boxes.push_back(few.smallest_about(unit_vector(across)));
    }
  }
  std::stable_sort(boxes.begin() + 1, boxes.end(),
                   [](const Turned& a, const Turned& b) { return a.volume < b.volume; });
  boxes.resize(std::min(boxes.size(), kImproved + 1));
  Turned best{boxes[0].axes, all.volume(boxes[0].axes)};
  for (const Turned& box : boxes) {
    const Turned better = improved(box, few);
    const double volume = all.volume(better.axes);
    if (volume < kSmallerBox * best.volume) best = {better.axes, volume};
  }
  return best.axes;
}

}  // namespace graze::bounding
