// Meshes for the benchmarks, the same on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "graze/base/pose.h"
#include "graze/geometry/mesh.h"

namespace meshes_bench {

using graze::Mesh;
using graze::MeshTriangle;
using graze::Pose;
using graze::Vec3;

struct Soup {
  std::vector<Vec3> vertices;
  std::vector<MeshTriangle> triangles;
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  double uniform(double low, double high) {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return low + (high - low) * static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-53;
  }
  Vec3 direction() {
    for (;;) {
      const Vec3 v(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
      if (v.norm() > 0.1 && v.norm() <= 1) return v.normalized();
    }
  }
  Pose turned(const Vec3& at) {
    return Pose::from_wxyz(at, uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(0.1, 1));
  }

 private:
  std::uint64_t state_;
};

struct PosePair {
  Pose a, b;
};

/// Random rotations, or none, moved together until the surfaces are `gap` apart; negative: moved that much farther in
/// the same direction.
std::vector<PosePair> pairs_at(const Mesh& mesh, double gap, int count, std::uint64_t seed, bool turn = true);

/// A closed sphere of 20 f² triangles of about equal size, radius about 0.5 m, with bumps of a tenth of that.
Soup bumpy_sphere(int frequency, std::uint32_t seed, double bumps = 0.1);

/// A link of a robot: a bumpy tube of about `triangles` triangles, `length` metres along z from the origin.
Soup link(std::size_t triangles, double length, double radius, std::uint32_t seed);

}  // namespace meshes_bench
