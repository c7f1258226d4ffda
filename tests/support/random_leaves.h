// Maps of cells and cubes of cells, and bodies to put among them.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <vector>

#include "graze/geometry/geometry.h"
#include "graze/geometry/occupancy_map_builder.h"
#include "graze/shape/box.h"
#include "support/generator.h"

namespace graze_test {

using namespace graze;  // NOLINT

struct Leaves {
  double resolution = 0;
  std::vector<OccupancyCell> all;
  OccupancyMap map;
};

/// Cells and cubes of all levels, in all octants or far from the origin, some of them free.
inline Leaves random_leaves(Generator& random) {
  Leaves leaves;
  leaves.resolution = random.integer(0, 1) ? 0.05 : random.magnitude(-2, 0);
  const std::int32_t far = random.integer(0, 2) == 0 ? 1 << random.integer(10, 26) : 0;
  const int extent = 1 << random.integer(2, 8);
  OccupancyMapBuilder builder(leaves.resolution);
  std::set<std::array<std::int32_t, 3>> taken;  // corners of cubes of 8 cells
  for (int i = random.integer(1, 120); i > 0; --i) {
    OccupancyCell leaf;
    leaf.level = random.integer(0, 3);
    const auto axis = [&] {
      const std::int32_t k = random.integer(-extent, extent - 1) + far;
      return k & ~((1 << leaf.level) - 1);
    };
    leaf.key = {axis(), axis(), axis()};
    if (!taken.insert({leaf.key.x >> 3, leaf.key.y >> 3, leaf.key.z >> 3}).second) continue;
    leaf.log_odds = static_cast<float>(random.uniform(-2, 3));
    leaves.all.push_back(leaf);
    builder.add(leaf);
  }
  leaves.map = std::move(builder).finish();
  return leaves;
}

/// Few cubes of up to 1024 cells per side, next to each other, in all octants, or at the ends of the keys.
inline Leaves coarse_leaves(Generator& random) {
  Leaves leaves;
  leaves.resolution = 0.01;
  OccupancyMapBuilder builder(leaves.resolution);
  constexpr int kLevel = 10;
  const int extent = random.integer(1, 3), end = random.integer(0, 3);
  const std::int32_t ends[4] = {0, 0, std::numeric_limits<std::int32_t>::min(),
                                std::numeric_limits<std::int32_t>::max()};
  std::set<std::array<std::int32_t, 3>> taken;
  for (int i = random.integer(1, 12); i > 0; --i) {
    OccupancyCell leaf;
    leaf.level = random.integer(0, kLevel);
    std::array<std::int32_t, 3> cube{};
    const auto axis = [&](std::size_t a) {
      const std::int64_t side = std::int64_t{1} << kLevel;
      std::int64_t k = random.integer(-extent, extent - 1) * side + random.integer(0, (1 << kLevel) - 1);
      if (a == 0) k += ends[end];
      k = std::clamp(k, std::int64_t{ends[2]}, std::int64_t{ends[3]});
      cube[a] = static_cast<std::int32_t>(k >> kLevel);
      return static_cast<std::int32_t>(k >> leaf.level << leaf.level);
    };
    leaf.key.x = axis(0), leaf.key.y = axis(1), leaf.key.z = axis(2);
    if (!taken.insert(cube).second) continue;
    leaf.log_odds = static_cast<float>(random.uniform(-2, 3));
    leaves.all.push_back(leaf);
    builder.add(leaf);
  }
  leaves.map = std::move(builder).finish();
  return leaves;
}

inline graze::Geometry random_body(Generator& random, double size) {
  const double a = size * random.uniform(0.2, 1), b = size * random.uniform(0.2, 1), c = size * random.uniform(0.2, 1);
  switch (random.integer(0, 5)) {
    case 0:
      return Sphere{.radius = a};
    case 1:
      return Box{.half = {a, b, c}};
    case 2:
      return Cylinder{.radius = a, .half_length = b};
    case 3:
      return Capsule{.radius = a, .half_length = b};
    case 4:
      return Cone{.radius = a, .half_length = b};
    default:
      break;
  }
  const std::vector<Vec3> corners{{a, 0, 0}, {-a, b, 0}, {-a, -b, 0}, {0, 0, c}};
  const std::vector<MeshTriangle> triangles{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  return Mesh(corners, triangles);
}

}  // namespace graze_test
