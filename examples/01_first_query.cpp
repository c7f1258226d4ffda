// The first questions: do two things touch, how far apart are they, and where do they meet?

#include <graze/graze.h>

#include <cstdio>

int main() {
  // [snippet]
  using namespace graze;

  // A tool above a table. Metres and radians; a capsule lies along its z axis.
  const Capsule tool{.radius = 0.05, .half_length = 0.2};
  const Placed table = at(Box{.half = {0.6, 0.4, 0.02}}, Pose::at({0, 0, 0.7}));
  const Placed above = at(tool, Pose::from_rpy({0.1, 0, 1.2}, 0, 0.3, 0));

  const Distance d = distance(above, table);  // d.value < 0 would be an overlap
  std::printf("%.3f m of clearance, at x = %.3f m on the table\n", d.value, d.on_b.x());

  if (collide(above, table, {.margin = 0.5})) std::puts("closer than half a metre");

  const Placed lowered = at(tool, Pose::at({0.1, 0, 0.96}));
  for (const Contact& c : contacts(lowered, table)) {
    std::printf("pressed in by %.3f m at z = %.3f m\n", c.depth, c.point.z());
  }
  // [/snippet]

  const bool as_expected = d.value > 0.2 && d.value < 0.3 && !collide(above, table) && collide(lowered, table);
  return as_expected ? 0 : 1;
}
