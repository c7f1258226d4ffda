// Closed meshes of bodies whose depth is known.
#pragma once

#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "oracle/minkowski.h"
#include "support/meshes.h"

namespace graze_test {

/// A box with n × n squares per side.
inline Soup box_soup(const graze::Vec3& low, const graze::Vec3& high, int n = 1) {
  Soup s = closed(n, false);
  for (graze::Vec3& v : s.vertices) v = low + (v + graze::Vec3::Ones()).cwiseProduct(high - low) / 2;
  return s;
}

/// The closed surfaces of all parts in one mesh, whether they overlap or not.
inline Soup soup_of(const graze_oracle::PolytopeUnion& parts) {
  Soup all;
  for (const graze_oracle::Polytope& p : parts) {
    Soup s;
    for (const graze_oracle::Vec& v : p.points)
      s.vertices.emplace_back(static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z));
    for (const std::vector<std::size_t>& face : p.faces) {
      for (std::size_t k = 1; k + 1 < face.size(); ++k)
        s.triangles.push_back({static_cast<std::uint32_t>(face[0]), static_cast<std::uint32_t>(face[k]),
                               static_cast<std::uint32_t>(face[k + 1])});
    }
    all.add(s);
  }
  return all;
}

/// The same body with every triangle divided into four, that many times.
inline Soup finer(Soup s, int times) {
  for (; times > 0; --times) {
    Soup r;
    r.vertices = s.vertices;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
      const auto [where, fresh] = known.emplace(std::minmax(a, b), static_cast<std::uint32_t>(r.vertices.size()));
      if (fresh) r.vertices.push_back((s.vertices[a] + s.vertices[b]) / 2);
      return where->second;
    };
    for (const graze::MeshTriangle& t : s.triangles) {
      const std::uint32_t ab = middle(t[0], t[1]), bc = middle(t[1], t[2]), ca = middle(t[2], t[0]);
      r.triangles.insert(r.triangles.end(), {{t[0], ab, ca}, {t[1], bc, ab}, {t[2], ca, bc}, {ab, bc, ca}});
    }
    s = r;
  }
  return s;
}

/// A prism of height 1 over the polygon of an L or a U.
inline Soup prism(const std::vector<std::array<double, 2>>& outline, const std::vector<std::array<int, 3>>& faces) {
  Soup s;
  const auto n = static_cast<std::uint32_t>(outline.size());
  for (const double z : {-0.5, 0.5}) {
    for (const auto& [x, y] : outline) s.vertices.emplace_back(x, y, z);
  }
  for (const auto& f : faces) {
    const auto a = static_cast<std::uint32_t>(f[0]), b = static_cast<std::uint32_t>(f[1]),
               c = static_cast<std::uint32_t>(f[2]);
    s.triangles.push_back({a, c, b});
    s.triangles.push_back({n + a, n + b, n + c});
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t j = (i + 1) % n;
    s.triangles.push_back({i, j, n + j});
    s.triangles.push_back({i, n + j, n + i});
  }
  return s;
}
inline Soup letter_l() {
  return prism({{-1, -1}, {1, -1}, {1, -0.4}, {-0.4, -0.4}, {-0.4, 1}, {-1, 1}},
               {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}});
}
inline Soup letter_u() {
  return prism({{-1, -1}, {1, -1}, {1, 1}, {0.6, 1}, {0.6, -0.6}, {-0.6, -0.6}, {-0.6, 1}, {-1, 1}},
               {{0, 1, 4}, {0, 4, 5}, {1, 2, 3}, {1, 3, 4}, {0, 5, 6}, {0, 6, 7}});
}

inline Soup torus(int around, int across, double radius, double tube) {
  Soup s;
  const double turn = 6.283185307179586;
  for (int i = 0; i < around; ++i) {
    for (int j = 0; j < across; ++j) {
      const double u = turn * i / around, v = turn * j / across, r = radius + tube * std::cos(v);
      s.vertices.emplace_back(r * std::cos(u), r * std::sin(u), tube * std::sin(v));
    }
  }
  const auto at = [&](int i, int j) { return static_cast<std::uint32_t>((i % around) * across + j % across); };
  for (int i = 0; i < around; ++i) {
    for (int j = 0; j < across; ++j) {
      s.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      s.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return s;
}

}  // namespace graze_test
