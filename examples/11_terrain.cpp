// Terrain: heights on a grid, solid below; where a rover stands, what it sees and where it would get stuck.

#include <graze/graze.h>

#include <cstdio>
#include <vector>

int main() {
  using namespace graze;

  // A hill of 2 m in the middle of 20 × 20 m.
  constexpr std::size_t kSide = 41;
  std::vector<float> heights;
  for (std::size_t j = 0; j < kSide; ++j) {
    for (std::size_t i = 0; i < kSide; ++i) {
      const float x = (static_cast<float>(i) - 20) / 10, y = (static_cast<float>(j) - 20) / 10;
      const float away = x * x + y * y;
      heights.push_back(away < 1 ? 2 * (1 - away) * (1 - away) : 0);
    }
  }
  const Placed ground = at(HeightField({.columns = kSide, .rows = kSide, .dx = 0.5, .dy = 0.5}, std::span(heights)));

  const Box rover{.half = {0.5, 0.3, 0.2}};
  const Distance d = distance(at(rover, Pose::at({10, 10, 3})), ground);
  std::printf("over the top: %.3f m above the ground\n", d.value);

  const Penetration p = penetration(at(rover, Pose::at({10, 10, 2.1})), ground);
  std::printf("too low: out after %.3f m\n", p.depth);

  // Under the ground is not free, beside it is.
  const bool buried = collide(at(rover, Pose::at({5, 5, -100})), ground);
  const bool beside = collide(at(rover, Pose::at({-5, 5, -100})), ground);
  std::printf("buried: %s, beside: %s\n", buried ? "collides" : "free", beside ? "collides" : "free");

  const RayHit hit = raycast(ground, Ray({2, 10, 1}, {1, 0, 0}));
  std::printf("looking along x at 1 m: the hill at %.3f m, triangle %zu\n", hit.distance, hit.feature);

  const Sweep s = sweep(at(rover, Motion{Pose::at({2, 10, 0.5}), Pose::at({18, 10, 0.5})}), ground);
  std::printf("driving level: %s after %.2f m\n", s.hit ? "stops" : "passes", 16 * s.time);

  return d.value > 0.7 && p.overlapping && buried && !beside && hit.found() && s.hit ? 0 : 1;
}
