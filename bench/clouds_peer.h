// Clouds as others would ask them: nanoflann's tree and an exact kernel per point, or a tree of FCL with a ball per
// point.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graze/base/pose.h"
#include "graze/geometry/geometry.h"
#include "meshes_scene.h"
#include "tests/support/clouds.h"

namespace clouds_bench {

using graze::Pose;
using graze::Vec3;

/// What is moved about in front of the cloud.
struct Body {
  std::string name;
  graze::Geometry geometry;
  double reach;                     // of the geometry, from its origin
  double radius = 0;                // of spheres and capsules
  Vec3 half = Vec3::Zero();         // of boxes; of capsules the z is half the axis
  meshes_bench::Soup surface = {};  // of hulls and meshes
};

class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::string name() const = 0;
  virtual bool collide(const Pose& pose) = 0;
  /// Not above 0 where they touch.
  virtual double distance(const Pose& pose) = 0;
};

/// Null where nobody is installed who could.
std::unique_ptr<Peer> make_nanoflann(const graze_test::Points& points, double radius, const Body& body);
std::unique_ptr<Peer> make_fcl(const graze_test::Points& points, double radius, const Body& body);

}  // namespace clouds_bench
