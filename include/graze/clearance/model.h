// What moves through a scan: points, triangles or convex shapes, rigid or with one shape per pose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "graze/geometry/geometry.h"

namespace graze {
namespace detail {
struct Access;
}
namespace clearance {

struct ModelData;

/// How far a point is from a model that stands still.
struct ModelDistance {
  double value = kInfinity;   ///< metres; negative inside of solids, shapes and the balls of a cloud
  std::uint32_t element = 0;  ///< point, triangle or shape; means nothing where the value is infinite
};

/// Options of a Model.
struct ModelOptions {
  double uncertainty = 0;  ///< metres: no point is farther than this from where it is given
  int threads = 0;         ///< that index a cloud (a mesh brings its tree with it); 0: as many as the machine has
};

/// The moving thing, in its own frame (a vehicle: x forward, y left, z up). Its distance from a point is that of its
/// nearest element:
///   a cloud       the ball of the cloud's radius around each point, negative inside of a ball;
///   a mesh        its triangles; negative inside if it is solid (minus the distance to the surface);
///   shapes        each placed convex shape, negative inside of one (minus the exit depth of that one).
/// Copies share the data and cost nothing.
///
///     Model wagon(read_cloud("wagon.ply").with_radius(0.01));
///     Model crate(std::vector<Placed>{at(Box{.half = {1, 0.5, 0.5}}, Pose::at({0, 0, 1}))});
///
/// Building takes O(n log n): about 150 ns per point of a cloud on one core; a mesh brings its tree with it.
class Model {
 public:
  /// Nothing; infinitely far from everything.
  Model();
  explicit Model(const Cloud& cloud, const ModelOptions& options = {});
  explicit Model(const Mesh& mesh, const ModelOptions& options = {});
  /// Throws Error for a mesh or a cloud among them and for shapes without bounds (half-space, plane).
  explicit Model(std::span<const Placed> shapes);
  /// Moving is copying: a model that was moved from is what it was.
  Model(const Model&) = default;
  Model& operator=(const Model&) = default;
  ~Model() = default;

  /// A model that changes: `shapes[i]` is how it looks at pose i of the path. Between pose i and i + 1 it is taken to
  /// look like both, so that nothing slips through while it changes. Throws Error if one of them is itself deforming.
  static Model deforming(std::vector<Model> shapes);

  /// Whether there is a frame per pose.
  bool is_deforming() const { return !frames().empty(); }
  /// The shapes of a deforming model, one per pose; empty for a rigid one.
  std::span<const Model> frames() const;

  /// How many points, triangles or shapes; of a deforming model: of all its frames.
  std::size_t size() const;
  /// Around everything, the radius of a cloud included; empty without elements.
  const Aabb& bounds() const;

  /// The nearest element of a rigid model to a point in its frame, if it is not beyond `limit`; of equally near ones
  /// the lowest. A point that is not finite, and an empty model, are infinitely far. No allocation. O(log n)
  ModelDistance distance(const Vec3& place, double limit = kInfinity) const;

  /// Metres: no element is farther than this from where it is given, as Placed::uncertainty says of shapes. It is part
  /// of the tolerance of every clearance.
  double uncertainty() const;

  /// Bytes beside the geometry that was given.
  std::size_t memory_bytes() const;

 private:
  friend struct detail::Access;
  std::shared_ptr<const ModelData> data_;
};

}  // namespace clearance
}  // namespace graze
