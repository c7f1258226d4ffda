// Many obstacles in space: what a ball touches, where it stands or on its path, and what is nearest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "graze/scene/spatial_obstacle.h"

namespace graze::spatial {

/// Names an obstacle of a World: from 0 upwards, the one that was removed last first.
using ObstacleId = std::uint32_t;
/// No obstacle.
inline constexpr ObstacleId kNoObstacle = std::numeric_limits<ObstacleId>::max();

/// The nearest obstacle of a point.
struct WorldNearest : NearestPoint {
  ObstacleId obstacle = kNoObstacle;  ///< of equally near ones the lowest
  /// Whether there is one within the limit.
  bool found() const { return obstacle != kNoObstacle; }
};
/// The first obstacle on a path.
struct WorldHit : Hit {
  ObstacleId obstacle = kNoObstacle;  ///< of several at the same fraction the lowest
};

/// Obstacles in space and the questions of a planner about them, found by a BroadPhase. Answers are those of the
/// obstacles one by one, whatever their number and the order in which they came. Queries are const, reentrant, do not
/// throw and, but for bodies on arcs, do not allocate (but see Cloud::prepare). A change that throws leaves everything
/// as it was, also std::bad_alloc where memory runs out.
///
///     World world({at(Sphere{.radius = 0.5}, Pose::at({2, 0, 0})), at(terrain), Custom(Fence())});
///     if (collide(world, {0, 0, 1}, 0.09)) …
///     WorldHit hit = sweep(world, Path::arc({2, 2, 1}, {0, 2, 1}, Vec3::UnitZ(), 3.14), 0.09);
class World {
 public:
  /// No obstacles.
  World();
  /// Obstacle i gets the id i.
  explicit World(std::vector<Obstacle> obstacles);
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;
  ~World();

  /// Adds an obstacle. Throws Error for a Custom whose bounds are not numbers.
  ObstacleId add(Obstacle obstacle);
  /// Moves or changes an obstacle. Throws Error as add does, and for an id that is not in use.
  void replace(ObstacleId id, Obstacle obstacle);
  /// Removes an obstacle. Throws Error for an id that is not in use.
  void remove(ObstacleId id);

  /// How many obstacles there are.
  std::size_t size() const;
  /// Whether the id is in use.
  bool contains(ObstacleId id) const;
  /// The obstacle of an id. Throws Error for one that is not in use.
  const Obstacle& obstacle(ObstacleId id) const;
  /// Checks every invariant: empty if all hold, else what does not.
  std::string validate() const;

 private:
  friend struct WorldAccess;
  struct Data;

  std::unique_ptr<Data> data_;
};

/// Whether a ball touches any obstacle. False is proof; what is not a number touches, and so does a negative radius.
bool collide(const World& world, const Vec3& point, double radius);
/// The nearest point of the boundaries of all obstacles, no farther than `limit` metres; inside of several the deepest.
/// A point that is not a number has the distance NaN.
WorldNearest nearest(const World& world, const Vec3& point, double limit = kInfinity);
/// The first contact of a ball on a path. A radius that is negative or not a number hits at 0.
WorldHit sweep(const World& world, const Path& path, double radius);

}  // namespace graze::spatial
