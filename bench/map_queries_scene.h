// Worlds for queries between many objects and an occupancy map, the same on every machine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graze/base/pose.h"
#include "graze/geometry/mesh.h"
#include "graze/geometry/occupancy_map.h"

namespace map_queries_bench {

using graze::Aabb;
using graze::CellKey;
using graze::MeshTriangle;
using graze::Pose;
using graze::Vec3;

enum class Kind { sphere, box, cylinder };

/// An object: a primitive, and the same as triangles. `size`: radius; half sides; radius and half length (x, z).
struct Object {
  Kind kind = Kind::sphere;
  Vec3 size = Vec3::Zero();
  bool as_mesh = false;
  Pose pose;  // relative to the pose of all
  std::vector<Vec3> vertices;
  std::vector<MeshTriangle> triangles;
};

/// Objects that stand together at one of several poses, and the cells that they meet.
struct World {
  std::string name;
  double resolution = 0;
  std::vector<CellKey> occupied;
  std::vector<Object> objects;
  std::vector<Pose> poses;
};

/// The paper's: 100 spheres, 100 boxes and 100 cylinders, 7,784 occupied cells in patches of surfaces.
World paper_world(bool dense, bool meshes, int poses);
/// A robot of 88 links, half of them meshes, among 24,803 cells; at most poses it nearly touches them.
World robot_world(int poses);

Aabb box_of(const World& world, const CellKey& cell);

/// Another library, or one of its pipelines, with the same world.
class Peer {
 public:
  virtual ~Peer() = default;
  /// Moves all objects; no time is taken.
  virtual void place(const Pose& pose) = 0;
  virtual bool collides() = 0;
  virtual double distance() = 0;

  std::string name;
  double to_boxes = 0, to_tree = 0;  ///< ns: T11 and T12
  bool boxes = false;                ///< the pipeline by way of boxes
};

std::vector<std::unique_ptr<Peer>> fcl_peers(const World& world, bool box_meshes);
std::vector<std::unique_ptr<Peer>> coal_peers(const World& world, bool box_meshes);

}  // namespace map_queries_bench
