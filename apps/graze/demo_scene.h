// A corner of a workshop with one of every shape, and all that graze can say about its pairs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "graze/query/contacts.h"
#include "graze/query/distance.h"

namespace graze::app {

struct Object {
  std::string name;
  Placed placed;
  Vec3 color;  // linear RGB, 0 to 1
  Aabb bounds;
};

using Scene = std::vector<Object>;

/// Metres; the floor is z = 0.
Scene make_scene();

/// Two objects of a scene, by index, and how they stand to each other.
struct PairReport {
  std::size_t a, b;
  Distance distance;
  std::vector<Contact> contacts;
};

/// All pairs, the deepest overlap first and the farthest apart last. Floor and wall, which always meet, are left out.
std::vector<PairReport> report_pairs(const Scene& scene);

/// Queries per second over all pairs of the scene, one thread.
struct Throughput {
  double collide, distance, contacts;
};
Throughput measure_throughput(const Scene& scene);

}  // namespace graze::app
