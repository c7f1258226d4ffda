#include "map_queries_scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "meshes_scene.h"

namespace map_queries_bench {
namespace {

using meshes_bench::Random;

/// Rectangles of cells across one of the axes, until there are `count`; none of eight cells that an octree would join.
std::vector<CellKey> patches(Random& random, std::size_t count, double half_extent, double resolution, double side) {
  std::set<std::array<int, 3>> cells;
  const auto cell = [&](double x) { return static_cast<int>(std::floor(x / resolution)); };
  while (cells.size() < count) {
    const Vec3 center(random.uniform(-1, 1) * half_extent, random.uniform(-1, 1) * half_extent,
                      random.uniform(-1, 1) * half_extent);
    const int across = static_cast<int>(random.uniform(0, 3));
    const int u = (across + 1) % 3, v = (across + 2) % 3;
    const double half_u = random.uniform(0.3, 1) * side, half_v = random.uniform(0.3, 1) * side;
    std::array<int, 3> key{};
    key[static_cast<std::size_t>(across)] = cell(center[across]);
    for (int i = cell(center[u] - half_u); i <= cell(center[u] + half_u); ++i) {
      for (int j = cell(center[v] - half_v); j <= cell(center[v] + half_v) && cells.size() < count; ++j) {
        key[static_cast<std::size_t>(u)] = i, key[static_cast<std::size_t>(v)] = j;
        cells.insert(key);
      }
    }
  }
  std::vector<CellKey> keys;
  for (const auto& k : cells) keys.push_back({k[0], k[1], k[2]});
  return keys;
}

void tessellate(Object& object) {
  const auto add_ring = [&](double radius, double z, unsigned sides) {
    for (unsigned i = 0; i < sides; ++i) {
      const double angle = 2 * M_PI * i / sides;
      object.vertices.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
    }
  };
  const auto join_rings = [&](unsigned first, unsigned second, unsigned sides) {
    for (unsigned i = 0; i < sides; ++i) {
      const unsigned j = (i + 1) % sides;
      object.triangles.push_back({first + i, first + j, second + i});
      object.triangles.push_back({first + j, second + j, second + i});
    }
  };
  const auto close_by = [&](unsigned ring, unsigned apex, unsigned sides) {
    for (unsigned i = 0; i < sides; ++i) object.triangles.push_back({ring + i, ring + (i + 1) % sides, apex});
  };
  constexpr unsigned kSides = 16;
  const Vec3& s = object.size;
  if (object.kind == Kind::box) {
    for (unsigned k = 0; k < 8; ++k) {
      object.vertices.emplace_back((k & 1U) != 0 ? s.x() : -s.x(), (k & 2U) != 0 ? s.y() : -s.y(),
                                   (k & 4U) != 0 ? s.z() : -s.z());
    }
    for (const std::array<std::uint32_t, 4>& q : {std::array<std::uint32_t, 4>{0, 2, 3, 1},
                                                  {4, 5, 7, 6},
                                                  {0, 1, 5, 4},
                                                  {2, 6, 7, 3},
                                                  {0, 4, 6, 2},
                                                  {1, 3, 7, 5}}) {
      object.triangles.push_back({q[0], q[1], q[2]});
      object.triangles.push_back({q[0], q[2], q[3]});
    }
  } else if (object.kind == Kind::cylinder) {
    add_ring(s.x(), -s.z(), kSides);
    add_ring(s.x(), s.z(), kSides);
    object.vertices.emplace_back(0, 0, -s.z());
    object.vertices.emplace_back(0, 0, s.z());
    join_rings(0, kSides, kSides);
    close_by(0, 2 * kSides, kSides);
    close_by(kSides, 2 * kSides + 1, kSides);
  } else {
    constexpr unsigned kRings = 8;
    for (unsigned r = 1; r < kRings; ++r) {
      const double pitch = M_PI * (double(r) / kRings - 0.5);
      add_ring(s.x() * std::cos(pitch), s.x() * std::sin(pitch), kSides);
      if (r > 1) join_rings((r - 2) * kSides, (r - 1) * kSides, kSides);
    }
    object.vertices.emplace_back(0, 0, -s.x());
    object.vertices.emplace_back(0, 0, s.x());
    close_by(0, (kRings - 1) * kSides, kSides);
    close_by((kRings - 2) * kSides, (kRings - 1) * kSides + 1, kSides);
  }
}

Object random_object(Random& random, Kind kind, double scale) {
  Object object;
  object.kind = kind;
  object.size = scale * Vec3(random.uniform(0.5, 1), random.uniform(0.5, 1), random.uniform(0.5, 1));
  tessellate(object);
  return object;
}

}  // namespace

Aabb box_of(const World& world, const CellKey& cell) {
  const double r = world.resolution;
  return {Vec3(cell.x * r, cell.y * r, cell.z * r), Vec3((cell.x + 1) * r, (cell.y + 1) * r, (cell.z + 1) * r)};
}

World paper_world(bool dense, bool meshes, int poses) {
  Random random(17);
  World world;
  world.name = std::string(dense ? "dense" : "sparse") + (meshes ? ", meshes" : ", primitives");
  world.resolution = 0.05;
  world.occupied = patches(random, 7784, 2.5, world.resolution, 0.5);
  const double extent = dense ? 3 : 10;
  for (int i = 0; i < 300; ++i) {
    Object object = random_object(random, static_cast<Kind>(i % 3), dense ? 0.12 : 0.1);
    object.as_mesh = meshes;
    object.pose = random.turned(extent * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)));
    world.objects.push_back(std::move(object));
  }
  for (int i = 0; i < poses; ++i) {
    const double reach = dense ? 0.3 : 1;
    world.poses.push_back(
        random.turned(reach * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1))));
  }
  return world;
}

World robot_world(int poses) {
  Random random(23);
  World world;
  world.name = "robot";
  world.resolution = 0.05;
  world.occupied = patches(random, 24803, 3, world.resolution, 0.8);
  // What is within the robot's column is free, so that it nearly touches what is around it.
  for (int i = 0; i < 88; ++i) {
    Object object = random_object(random, static_cast<Kind>(i % 3), 0.1);
    object.as_mesh = i % 2 == 1;
    // A trunk with two arms.
    const double along = (i % 30) / 30.0;
    const Vec3 at = i < 30   ? Vec3(0, 0, 1.4 * along - 0.7)
                    : i < 59 ? Vec3(0.9 * along, 0.25, 0.4 - 0.4 * along)
                             : Vec3(0.9 * along, -0.25, 0.4 - 0.5 * along * along);
    object.pose = random.turned(at);
    world.objects.push_back(std::move(object));
  }
  for (int i = 0; i < poses; ++i) {
    world.poses.push_back(
        random.turned(2.5 * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1))));
  }
  return world;
}

}  // namespace map_queries_bench
