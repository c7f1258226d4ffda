// Meshes of every kind, the same for the same seed.
#pragma once

#include <cmath>
#include <map>
#include <vector>

#include "graze/geometry/mesh.h"
#include "oracle/cases.h"

namespace graze_test {

struct Soup {
  std::vector<graze::Vec3> vertices;
  std::vector<graze::MeshTriangle> triangles;
  graze::Mesh mesh(bool solid = false) const { return {vertices, triangles, {.solid = solid}}; }
  graze::Triangle triangle(std::size_t i) const {
    return {vertices[triangles[i][0]], vertices[triangles[i][1]], vertices[triangles[i][2]]};
  }
  void add(const Soup& other) {
    const auto first = static_cast<std::uint32_t>(vertices.size());
    vertices.insert(vertices.end(), other.vertices.begin(), other.vertices.end());
    for (const graze::MeshTriangle& t : other.triangles)
      triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
  Soup turned_inside_out() const {
    Soup s = *this;
    for (graze::MeshTriangle& t : s.triangles) std::swap(t[1], t[2]);
    return s;
  }
  Soup moved(const graze::Vec3& by, double scale = 1) const {
    Soup s = *this;
    for (graze::Vec3& v : s.vertices) v = scale * v + by;
    return s;
  }
};

/// A closed box of n × n squares per side, or a ball made from it (radius 1), with bumps of that fraction of the
/// radius.
inline Soup closed(int n, bool ball, double bumps = 0) {
  Soup s;
  std::map<std::array<int, 3>, std::uint32_t> known;
  const auto vertex = [&](std::array<int, 3> at) {
    const auto [where, fresh] = known.emplace(at, static_cast<std::uint32_t>(s.vertices.size()));
    if (fresh) {
      graze::Vec3 p(2.0 * at[0] / n - 1, 2.0 * at[1] / n - 1, 2.0 * at[2] / n - 1);
      if (ball) p *= (1 + bumps * std::cos(7 * p.x() + 3 * p.y() + 5 * p.z())) / p.norm();
      s.vertices.push_back(p);
    }
    return where->second;
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const int side : {0, n}) {
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          const auto at = [&](int u, int v) {
            std::array<int, 3> p{};
            p[axis] = side, p[(axis + 1) % 3] = i + u, p[(axis + 2) % 3] = j + v;
            return vertex(p);
          };
          const std::uint32_t a = at(0, 0), b = at(1, 0), c = at(1, 1), d = at(0, 1);
          if (side == n) s.triangles.push_back({a, b, c}), s.triangles.push_back({a, c, d});
          else s.triangles.push_back({a, c, b}), s.triangles.push_back({a, d, c});
        }
      }
    }
  }
  return s;
}

/// Every triangle with vertices of its own, as in STL.
inline Soup loosened(const Soup& soup) {
  Soup loose;
  for (const graze::MeshTriangle& t : soup.triangles) {
    const auto first = static_cast<std::uint32_t>(loose.vertices.size());
    for (const std::uint32_t v : t) loose.vertices.push_back(soup.vertices[v]);
    loose.triangles.push_back({first, first + 1, first + 2});
  }
  return loose;
}

enum class Look { soup, ball, sliver, degenerate, duplicate, flat, far, tiny, lattice };
inline constexpr Look kLooks[] = {Look::soup, Look::ball, Look::sliver, Look::degenerate, Look::duplicate,
                                  Look::flat, Look::far,  Look::tiny,   Look::lattice};

inline Soup random_soup(Look look, int count, graze_oracle::Random& random) {
  using graze::Vec3;
  if (look == Look::ball) return closed(1 + count / 40, true, 0.2);
  Soup s;
  const auto around = [&](double size) {
    const double x = random.uniform(-size, size), y = random.uniform(-size, size);
    return Vec3(x, y, random.uniform(-size, size));
  };
  const Vec3 base = look == Look::far ? Vec3(1e6, -2e6, 3e5) : Vec3(Vec3::Zero());
  for (int i = 0; i < count; ++i) {
    const Vec3 center = base + around(1);
    std::array<Vec3, 3> p{center + around(0.3), center + around(0.3), center + around(0.3)};
    switch (look) {
      case Look::sliver:
        p[2] = p[0] + random.uniform(0, 1) * (p[1] - p[0]) + around(1e-7);
        break;
      case Look::degenerate:
        p[2] = i % 3 == 0 ? p[1] : i % 3 == 1 ? Vec3(p[0] + 0.5 * (p[1] - p[0])) : p[2];
        if (i % 7 == 0) p[1] = p[2] = p[0];
        break;
      case Look::duplicate:
        p = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
        break;
      case Look::flat:
        for (Vec3& v : p) v.z() = 0.25;
        break;
      case Look::tiny:
        for (Vec3& v : p) v *= 1e-6;
        break;
      case Look::lattice:
        for (Vec3& v : p) v = Vec3(random.integer(-3, 3), random.integer(-3, 3), random.integer(-3, 3));
        break;
      default:
        break;
    }
    for (const Vec3& v : p) s.vertices.push_back(v);
    const auto first = static_cast<std::uint32_t>(3 * i);
    s.triangles.push_back({first, first + 1, first + 2});
  }
  return s;
}

inline graze::Pose random_pose_near(graze_oracle::Random& random, const graze::Vec3& center, double size) {
  const double x = random.uniform(-size, size), y = random.uniform(-size, size);
  const graze::Vec3 at = center + graze::Vec3(x, y, random.uniform(-size, size));
  const double w = random.uniform(-1, 1), i = random.uniform(-1, 1), j = random.uniform(-1, 1);
  return graze::Pose::from_wxyz(at, w, i, j, random.uniform(0.1, 1));
}

}  // namespace graze_test
