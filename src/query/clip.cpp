#include "query/clip.h"

#include <Eigen/Geometry>

namespace graze {
namespace {

// A point of the moving patch with where it lies in the plane across n.
struct Flat {
  double x, y;
  Vec3 p;
};

Flat between(const Flat& a, const Flat& b, double t) {
  return {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.p + t * (b.p - a.p)};
}

// Sutherland and Hodgman: what of `polygon` (or segment) lies left of the line from (x0, y0) along (dx, dy).
std::size_t cut(std::array<Flat, 2 * Patch::kMaxPoints>& polygon, std::size_t size, double x0, double y0, double dx,
                double dy) {
  std::array<Flat, 2 * Patch::kMaxPoints> kept;
  std::size_t count = 0;
  const auto side = [&](const Flat& f) { return dx * (f.y - y0) - dy * (f.x - x0); };
  for (std::size_t i = 0; i < size; ++i) {
    const Flat &from = polygon[i], &to = polygon[(i + 1) % size];
    const double s = side(from), e = side(to);
    if (s >= 0 && count < kept.size()) kept[count++] = from;
    if (((s < 0 && e > 0) || (s > 0 && e < 0)) && !(size == 2 && i == 1) && count < kept.size()) {
      kept[count++] = between(from, to, s / (s - e));
    }
  }
  std::copy_n(kept.begin(), count, polygon.begin());
  return count;
}

}  // namespace

void clip(const Patch& a, const Patch& b, const Vec3& n, PatchContacts& r) {
  r.size = 0;
  if (a.size < 2 && b.size < 2) return;
  const Vec3 u = any_orthogonal(n), v = n.cross(u);
  const auto flat = [&](const Vec3& p) { return Flat{u.dot(p), v.dot(p), p}; };

  if (!a.is_face() && !b.is_face()) {
    // Two edges share more than a point only where they are parallel; an edge and a point never do.
    if (a.size < 2 || b.size < 2) return;
    const Vec3 along = a.points[1] - a.points[0], other = b.points[1] - b.points[0];
    constexpr double kParallel = 1e-6;
    if (along.cross(other).norm() > kParallel * along.norm() * other.norm()) return;
    const double length_sq = along.squaredNorm();
    if (!(length_sq > 0)) return;
    const auto place = [&](const Vec3& p) { return along.dot(p - a.points[0]) / length_sq; };
    double t0 = place(b.points[0]), t1 = place(b.points[1]);
    Vec3 q0 = b.points[0], q1 = b.points[1];
    if (t0 > t1) std::swap(t0, t1), std::swap(q0, q1);
    const double from = std::max(0.0, t0), to = std::min(1.0, t1);
    if (!(from <= to)) return;
    for (const double t : {from, to}) {
      const Vec3 on_a = a.points[0] + t * along;
      const Vec3 on_b = t1 > t0 ? Vec3(q0 + (t - t0) / (t1 - t0) * (q1 - q0)) : q0;
      r.items[r.size++] = {on_a, n.dot(on_a - on_b)};
    }
    return;
  }

  // The flatter of two faces stays, the other patch is cut to its outline.
  const auto plane_of = [&](const Patch& p) {
    Vec3 normal = Vec3::Zero();
    for (std::size_t i = 1; i + 1 < p.size; ++i) {
      normal += (p.points[i] - p.points[0]).cross(p.points[i + 1] - p.points[0]);
    }
    return unit_vector(normal);
  };
  const Vec3 plane_a = a.is_face() ? plane_of(a) : Vec3::Zero(), plane_b = b.is_face() ? plane_of(b) : Vec3::Zero();
  const bool keep_a = a.is_face() && (!b.is_face() || std::abs(plane_a.dot(n)) >= std::abs(plane_b.dot(n)));
  const Patch &fixed = keep_a ? a : b, &moving = keep_a ? b : a;
  const Vec3& plane = keep_a ? plane_a : plane_b;
  // No face that meets another is steeper; one without area has no plane at all.
  constexpr double kSteepest = 0.5;
  if (!(std::abs(plane.dot(n)) > kSteepest)) return;

  std::array<Flat, 2 * Patch::kMaxPoints> cut_patch;
  std::size_t count = 0;
  for (std::size_t i = 0; i < moving.size; ++i) cut_patch[count++] = flat(moving.points[i]);
  // Seen along n, b's corners run clockwise.
  for (std::size_t i = 0; i < fixed.size && count > 0; ++i) {
    const std::size_t j = (i + 1) % fixed.size;
    const Flat from = flat(fixed.points[keep_a ? i : j]), to = flat(fixed.points[keep_a ? j : i]);
    count = cut(cut_patch, count, from.x, from.y, to.x - from.x, to.y - from.y);
  }
  for (std::size_t i = 0; i < count; ++i) {
    // From the moving point along n to the fixed plane.
    const double climb = plane.dot(fixed.points[0] - cut_patch[i].p) / plane.dot(n);
    const Vec3 other = cut_patch[i].p + climb * n;
    r.items[r.size++] = {keep_a ? other : cut_patch[i].p, keep_a ? climb : -climb};
  }
}

}  // namespace graze
