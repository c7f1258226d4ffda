// Obstacles of which only the nearest points are known.
#include "scene/certified_steps.h"
#include "scene/planar_shapes.h"

namespace graze::planar {

Hit sweep_of(const Custom& custom, const Path& path, double radius) {
  if (const auto own = custom.sweep(path, radius)) return *own;
  scene::Walk<Vec2> walk{.whole = path.length()};
  // After a turn the positions repeat.
  walk.length = path.is_arc() ? std::min(path.length(), path.radius() * entry::kTurn * entry::kLater)
                              : path.length() * entry::kLater;
  if (!path.is_arc()) walk.displacement = &path.displacement();
  walk.rounding = 16 * kEpsilon * (norm1(path.from()) + norm1(path.center()) + norm1(path.spoke()) + radius);
  return scene::certified_steps<Hit>(custom, path, walk, radius);
}

}  // namespace graze::planar
