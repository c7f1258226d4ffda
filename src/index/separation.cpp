// Lower bounds of distances by directions: along any unit vector, what lies between two bounds is no more than their
// distance. Each kind tries the directions along which its like is apart.
#include "graze/index/separation.h"

#include <Eigen/LU>
#include <algorithm>

namespace graze {
namespace {

// More than what the numbers below are rounded by, and poses are off from rotations, as a part of their sizes.
constexpr double kRounding = 32 * kEpsilon;
// Edges whose sine (squared) is smaller span no direction; one of the faces' does as well.
constexpr double kParallel = 1e-12;

double size_of(const Vec3& v) { return std::abs(v.x()) + std::abs(v.y()) + std::abs(v.z()); }
double dot(const Vec3& a, const Vec3& b) { return a.x() * b.x() + a.y() * b.y() + a.z() * b.z(); }
Vec3 turned(const Mat3& m, const Vec3& v) {
  return {m(0, 0) * v.x() + m(0, 1) * v.y() + m(0, 2) * v.z(), m(1, 0) * v.x() + m(1, 1) * v.y() + m(1, 2) * v.z(),
          m(2, 0) * v.x() + m(2, 1) * v.y() + m(2, 2) * v.z()};
}
Vec3 turned_back(const Mat3& m, const Vec3& v) {
  return {m(0, 0) * v.x() + m(1, 0) * v.y() + m(2, 0) * v.z(), m(0, 1) * v.x() + m(1, 1) * v.y() + m(2, 1) * v.z(),
          m(0, 2) * v.x() + m(1, 2) * v.y() + m(2, 2) * v.z()};
}

// What three orthogonal gaps prove: that both are as far apart as all of them together; if none is a gap, the largest.
double together(double x, double y, double z) {
  const double highest = std::max(x, std::max(y, z));
  if (!(highest > 0)) return highest;
  x = std::max(x, 0.0), y = std::max(y, 0.0), z = std::max(z, 0.0);
  // No more than the sum of the squares could be, were it not rounded.
  return std::sqrt(x * x + y * y + z * z) * (1 - 4 * kEpsilon);
}

// Boxes of the half extents a and b about 0 and d of a's frame, b's axes being the columns of r.
double boxes_apart(const Mat3& r, const Vec3& d, const Vec3& a, const Vec3& b, double slack, double enough) {
  if (!(slack < kInfinity)) return -kInfinity;
  double s[3][3];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) s[i][j] = std::abs(r(i, j));
  }
  double g[3];
  for (int i = 0; i < 3; ++i) g[i] = std::abs(d[i]) - a[i] - (s[i][0] * b[0] + s[i][1] * b[1] + s[i][2] * b[2]) - slack;
  double best = together(g[0], g[1], g[2]);
  if (best > enough) return best;
  for (int j = 0; j < 3; ++j) {
    g[j] = std::abs(r(0, j) * d[0] + r(1, j) * d[1] + r(2, j) * d[2]) - b[j] -
           (s[0][j] * a[0] + s[1][j] * a[1] + s[2][j] * a[2]) - slack;
  }
  best = std::max(best, together(g[0], g[1], g[2]));
  if (best > enough) return best;
  for (int i = 0; i < 3; ++i) {
    const int k = (i + 1) % 3, l = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int m = (j + 1) % 3, n = (j + 2) % 3;
      // Along the product of the axes i of a and j of b, which is no unit vector. Only gaps are of use.
      const double apart = std::abs(d[l] * r(k, j) - d[k] * r(l, j)) - (a[k] * s[l][j] + a[l] * s[k][j]) -
                           (b[m] * s[i][n] + b[n] * s[i][m]) - slack;
      if (!(apart > 0)) continue;
      const double sine_sq = s[k][j] * s[k][j] + s[l][j] * s[l][j];
      if (!(sine_sq > kParallel)) continue;
      best = std::max(best, apart / std::sqrt(sine_sq) * (1 - 4 * kEpsilon));
      if (best > enough) return best;
    }
  }
  return best;
}

}  // namespace

Separation<Aabb>::Separation(const Mat3& rotation, const Vec3& translation)
    : rotation_(rotation), translation_(translation), size_(size_of(translation)) {}

double Separation<Aabb>::operator()(const Aabb& a, const Aabb& b, double enough) const {
  const Vec3 center_a = a.center(), center_b = b.center(), half_a = a.half(), half_b = b.half();
  const Vec3 d = turned(rotation_, center_b) + translation_ - center_a;
  const double slack = kRounding * (size_ + size_of(center_a) + size_of(center_b) + size_of(half_a) + size_of(half_b));
  return boxes_apart(rotation_, d, half_a, half_b, slack, enough);
}

Separation<Obb>::Separation(const Mat3& rotation, const Vec3& translation)
    : rotation_(rotation), translation_(translation), size_(size_of(translation)) {}

double Separation<Obb>::operator()(const Obb& a, const Obb& b, double enough) const {
  const Vec3 between = turned(rotation_, b.center) + translation_ - a.center;
  const double slack = kRounding * (size_ + size_of(a.center) + size_of(b.center) + size_of(a.half) + size_of(b.half));
  Mat3 r;
  for (int j = 0; j < 3; ++j) r.col(j) = turned_back(a.axes, turned(rotation_, b.axes.col(j)));
  return boxes_apart(r, turned_back(a.axes, between), a.half, b.half, slack, enough);
}

Separation<Rss>::Separation(const Mat3& rotation, const Vec3& translation)
    : rotation_(rotation), translation_(translation), size_(size_of(translation)) {}

double Separation<Rss>::operator()(const Rss& a, const Rss& b, double enough) const {
  const double radii = a.radius + b.radius;
  const double slack =
      kRounding * (size_ + size_of(a.center) + size_of(b.center) + a.half_x + a.half_y + b.half_x + b.half_y + radii);
  if (!(slack < kInfinity)) return -kInfinity;
  // All in a's axes. Points of the rectangles are x of a and d + y1 u + y2 v of b.
  const Vec3 d = turned_back(a.axes, turned(rotation_, b.center) + translation_ - a.center);
  const Vec3 u = turned_back(a.axes, turned(rotation_, b.axes.col(0)));
  const Vec3 v = turned_back(a.axes, turned(rotation_, b.axes.col(1)));
  const double off_u = dot(d, u), off_v = dot(d, v);
  // What is between them along w, which has the length `length`.
  const auto along = [&](const Vec3& w, double length) {
    const double apart = std::abs(dot(d, w)) - a.half_x * std::abs(w.x()) - a.half_y * std::abs(w.y()) -
                         b.half_x * std::abs(dot(u, w)) - b.half_y * std::abs(dot(v, w));
    const double sure = apart - slack * length;
    return sure / length * (1 - (sure > 0 ? 4 : -4) * kEpsilon) - radii - slack;
  };
  double best = std::abs(d.z()) - b.half_x * std::abs(u.z()) - b.half_y * std::abs(v.z()) - radii - 2 * slack;
  if (best > enough) return best;

  // Nearest points by turns: the best x for y, the best y for x. Whatever was found so far, the direction between the
  // two proves a distance; and where the points themselves are not farther than enough, no direction ever will.
  constexpr int kRounds = 4, kTurns = 3;
  double y1 = 0, y2 = 0;
  for (int round = 0; round < kRounds; ++round) {
    double x1 = 0, x2 = 0;
    for (int turn = 0; turn < kTurns; ++turn) {
      x1 = std::clamp(d.x() + y1 * u.x() + y2 * v.x(), -a.half_x, a.half_x);
      x2 = std::clamp(d.y() + y1 * u.y() + y2 * v.y(), -a.half_y, a.half_y);
      y1 = std::clamp(x1 * u.x() + x2 * u.y() - off_u, -b.half_x, b.half_x);
      y2 = std::clamp(x1 * v.x() + x2 * v.y() - off_v, -b.half_y, b.half_y);
    }
    const Vec3 w(d.x() + y1 * u.x() + y2 * v.x() - x1, d.y() + y1 * u.y() + y2 * v.y() - x2,
                 d.z() + y1 * u.z() + y2 * v.z());
    const double length = std::sqrt(dot(w, w));
    if (!(length > slack)) return best;  // they cross
    best = std::max(best, along(w, length));
    constexpr double kCloseEnough = 1e-3;
    const bool hopeless = enough < kInfinity && length - radii <= enough;
    if (best > enough || hopeless || best >= length - radii - kCloseEnough * length) return best;
  }
  // Rectangles that nearly touch at a sharp angle: the directions of flat boxes prove at least half of their distance.
  Mat3 r;
  r << u, v, Vec3(u.y() * v.z() - u.z() * v.y(), u.z() * v.x() - u.x() * v.z(), u.x() * v.y() - u.y() * v.x());
  const double apart =
      boxes_apart(r, d, {a.half_x, a.half_y, 0}, {b.half_x, b.half_y, 0}, slack, enough + radii + slack);
  return std::max(best, apart - radii - slack);
}

namespace {

// The cones between neighbouring normals of a k-DOP, which cover all directions.
template <std::size_t K>
struct Cones {
  struct Cone {
    std::array<std::uint32_t, 3> normal;
    Mat3 weights;  // weights * direction: how much of each normal is in it
  };
  std::array<Cone, 4 * K> cones;  // 2 K - 4, and some more where normals share a plane
  std::size_t count = 0;

  Cones() {
    const auto unit_normal = [](std::size_t i) { return unit_vector(KDop<K>::normal(i)); };
    for (std::size_t i = 0; i < K; ++i) {
      for (std::size_t j = i + 1; j < K; ++j) {
        for (std::size_t k = j + 1; k < K; ++k) add(unit_normal, i, j, k);
      }
    }
  }

  // Three neighbours span a face of the hull of all unit normals.
  template <class Normal>
  void add(const Normal& unit_normal, std::size_t i, std::size_t j, std::size_t k) {
    constexpr double kTiny = 1e-9;
    const Vec3 a = unit_normal(i), b = unit_normal(j), c = unit_normal(k), p = b - a, q = c - a;
    Vec3 face(p.y() * q.z() - p.z() * q.y(), p.z() * q.x() - p.x() * q.z(), p.x() * q.y() - p.y() * q.x());
    if (dot(face, a) < 0) face = -face;
    if (!(dot(face, a) > kTiny)) return;
    for (std::size_t m = 0; m < K; ++m) {
      if (dot(face, unit_normal(m) - a) > kTiny) return;
    }
    if (count == cones.size()) return;
    Cone& cone = cones[count++];
    cone.normal = {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), static_cast<std::uint32_t>(k)};
    Mat3 normals;
    normals.col(0) = KDop<K>::normal(i), normals.col(1) = KDop<K>::normal(j), normals.col(2) = KDop<K>::normal(k);
    cone.weights = normals.inverse();
  }

  static const Cones& all() {
    static const Cones cones;
    return cones;
  }
};

}  // namespace

template <std::size_t K>
typename Separation<KDop<K>>::Rows Separation<KDop<K>>::rows(const Mat3& rotation, const Vec3& translation) {
  const Cones<K>& cones = Cones<K>::all();
  Rows rows;
  for (std::size_t k = 0; k < K; ++k) {
    const Vec3& normal = KDop<K>::normal(k);
    const Vec3 back = -turned_back(rotation, normal);
    double best = -kInfinity;
    Row& row = rows[k];
    row = {{0, 1, 2}, {0, 0, 0}, dot(normal, translation), 1 / std::sqrt(dot(normal, normal))};
    for (std::size_t i = 0; i < cones.count; ++i) {
      const Vec3 w = turned(cones.cones[i].weights, back);
      const double lowest = std::min(w.x(), std::min(w.y(), w.z()));
      if (!(lowest > best)) continue;
      best = lowest;
      row.normal = cones.cones[i].normal;
      row.weight = {std::max(0.0, w.x()), std::max(0.0, w.y()), std::max(0.0, w.z())};
    }
  }
  return rows;
}

template <std::size_t K>
Separation<KDop<K>>::Separation(const Mat3& rotation, const Vec3& translation)
    : of_a_(rows(rotation, translation)),
      of_b_(rows(rotation.transpose(), -turned_back(rotation, translation))),
      size_(size_of(translation)) {}

template <std::size_t K>
double Separation<KDop<K>>::apart(const Rows& rows, const KDop<K>& near, const KDop<K>& far, double slack,
                                  double enough) {
  double best = -kInfinity;
  std::array<double, 3> axes;
  for (std::size_t k = 0; k < K / 2; ++k) {
    double apart = -kInfinity;
    for (const std::size_t side : {k, k + K / 2}) {
      const Row& row = rows[side];
      const double reach = row.weight[0] * far.reach[row.normal[0]] + row.weight[1] * far.reach[row.normal[1]] +
                           row.weight[2] * far.reach[row.normal[2]];
      apart = std::max(apart, (row.offset - reach - near.reach[side] - slack) * row.scale);
    }
    if (k < 3) axes[k] = apart;
    best = k == 2 ? std::max(best, together(axes[0], axes[1], axes[2])) : std::max(best, apart);
    if (best > enough) return best;
  }
  return best;
}

template <std::size_t K>
double Separation<KDop<K>>::operator()(const KDop<K>& a, const KDop<K>& b, double enough) const {
  double size = size_;
  for (std::size_t i = 0; i < 3; ++i) {
    size += std::abs(a.reach[i]) + std::abs(a.reach[i + K / 2]) + std::abs(b.reach[i]) + std::abs(b.reach[i + K / 2]);
  }
  const double slack = 2 * kRounding * size;
  if (!(slack < kInfinity)) return -kInfinity;
  const double from_a = apart(of_a_, a, b, slack, enough);
  return from_a > enough ? from_a : std::max(from_a, apart(of_b_, b, a, slack, enough));
}

template class Separation<KDop<16>>;
template class Separation<KDop<18>>;
template class Separation<KDop<24>>;

}  // namespace graze
