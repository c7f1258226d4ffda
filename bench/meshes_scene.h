// Meshes for the benchmarks, the same on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "graze/geometry/mesh.h"

namespace meshes_bench {

using graze::MeshTriangle;
using graze::Vec3;

struct Soup {
  std::vector<Vec3> vertices;
  std::vector<MeshTriangle> triangles;
};

/// A closed sphere of 20 f² triangles of about equal size, radius about 0.5 m, with bumps of a tenth of that.
Soup bumpy_sphere(int frequency, std::uint32_t seed, double bumps = 0.1);

/// A link of a robot: a bumpy tube of about `triangles` triangles, `length` metres along z from the origin.
Soup link(std::size_t triangles, double length, double radius, std::uint32_t seed);

}  // namespace meshes_bench
