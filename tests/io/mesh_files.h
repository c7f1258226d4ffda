// Meshes for the tests of readers and writers.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "graze/io/mesh_file.h"
#include "io/cloud_files.h"
#include "support/refusal.h"

namespace graze_test {

/// Why the bytes are not a mesh; empty if they are.
inline std::string refused_mesh(std::string_view bytes, const std::string& name) {
  return refusal([&] { graze::parse_mesh(bytes, name); });
}

/// The corners of every triangle, sorted: the same for the same triangles, whatever their order and indices.
inline std::vector<std::array<double, 9>> corners_of(const graze::MeshFile& file) {
  std::vector<std::array<double, 9>> result;
  for (const graze::MeshTriangle& t : file.triangles) {
    std::array<std::array<double, 3>, 3> corners{};
    for (std::size_t k = 0; k < 3; ++k) {
      const graze::Vec3& p = file.vertices[t[k]];
      corners[k] = {p.x(), p.y(), p.z()};
    }
    // Rotated so that the smallest corner is first: the orientation stays.
    std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()), corners.end());
    std::array<double, 9> flat{};
    for (std::size_t k = 0; k < 9; ++k) flat[k] = corners[k / 3][k % 3];
    result.push_back(flat);
  }
  std::sort(result.begin(), result.end());
  return result;
}

inline graze::MeshReport report_of(const graze::MeshFile& file) {
  return graze::Mesh(file.vertices, file.triangles).report();
}

/// A closed tetrahedron of volume 1/6 that faces outwards.
inline const graze::Vec3 kTetraVertices[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
inline const graze::MeshTriangle kTetraTriangles[] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

inline graze::MeshFile tetrahedron() {
  return {{std::begin(kTetraVertices), std::end(kTetraVertices)},
          {std::begin(kTetraTriangles), std::end(kTetraTriangles)},
          {}};
}

inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace graze_test
