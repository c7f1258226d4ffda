// A disc among obstacles in the plane: what a planner asks about a mobile robot.

#include <graze/graze.h>

#include <cstdio>
#include <string_view>
#include <vector>

namespace {

// An obstacle of one's own needs only the nearest point of its boundary: a ring that may be entered through nothing.
struct Annulus {
  graze::Vec2 center;
  double inner, outer;
  graze::planar::NearestPoint nearest(const graze::Vec2& q) const {
    const graze::Vec2 way = q - center;
    const double far = way.norm();
    const graze::Vec2 out = far > 0 ? graze::Vec2(way / far) : graze::Vec2(1, 0);
    const bool near_hole = far < (inner + outer) / 2;
    const double distance = near_hole ? inner - far : far - outer;
    return {distance, center + (near_hole ? inner : outer) * out, 1e-15 * (far + outer)};
  }
};

}  // namespace

int main() {
  using namespace graze;
  using namespace graze::planar;

  const std::vector<std::string_view> shelves{"####", "....", "####"};  // the lowest row first
  // [snippet]
  World world(
      {Circle({2, 0.3}, 0.3), Rectangle({4, -0.5}, {0.6, 0.1}, 0.5), Grid::from_text({0, 2}, {0.5, 0.25}, shelves)});
  const bool blocked = collide(world, {0, 0}, 0.09);                          // a robot of 9 cm where it stands
  const WorldHit hit = sweep(world, Path::line({0, 0}, {5, 0}), 0.09);        // and on its way
  const WorldHit turn = sweep(world, Path::arc({2, 2}, {0, 2}, 3.14), 0.09);  // also along a circle
  const WorldNearest near = nearest(world, {3, 1});                           // how much room there is
  const auto around = tangents(world.obstacle(hit.obstacle), {0, 0}, 0.09);   // which way past the obstacle
  // [/snippet]
  std::printf("where it stands: %s\n", blocked ? "blocked" : "free");
  std::printf("on its way: obstacle %u at %.3f of the path, in (%.3f, %.3f)\n", hit.obstacle, hit.fraction,
              hit.center.x(), hit.center.y());
  std::printf("on the arc: %s\n", turn.found() ? "blocked" : "free");
  std::printf("nearest to (3, 1): obstacle %u, %.3f m\n", near.obstacle, near.distance);
  if (around) {
    std::printf("past it on the left by (%.3f, %.3f), on the right by (%.3f, %.3f)\n", around->left.x(),
                around->left.y(), around->right.x(), around->right.y());
  }

  const ObstacleId fence = world.add(Custom(Annulus{{0, 0}, 6, 6.01}));
  const WorldHit out = sweep(world, Path::line({0, -1}, {0, -20}), 0.09);
  std::printf("through the fence: %s, %.3f m from the center\n", out.obstacle == fence ? "no" : "yes",
              out.center.norm());
  return !blocked && hit.obstacle == 0 && around && out.obstacle == fence ? 0 : 1;
}
