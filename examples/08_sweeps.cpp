// Bodies that move: when do they first touch? Nothing is sampled, so nothing is passed by.

#include <graze/graze.h>

#include <array>
#include <cstdio>

int main() {
  using namespace graze;

  // A pane of a tenth of a millimetre, and a ball that crosses it at 30 m per unit of time.
  // [snippet]
  const Placed pane = at(Box{.half = {0.00005, 1, 1}});
  const Moving ball = at(Sphere{.radius = 0.02}, Motion(Pose::at({-10, 0, 0}), Pose::at({20, 0, 0})));
  const Sweep shot = sweep(ball, pane);
  std::printf("the ball touches the pane at %.4f, %.2f m on its way\n", shot.time, 30 * shot.time);
  // [/snippet]

  // A hundred samples on the way see nothing.
  bool seen = false;
  for (int i = 0; i <= 100; ++i) seen = seen || collide(at(ball.geometry, ball.motion.at(i / 100.0)), pane);
  std::printf("of a hundred samples %s touches it\n", seen ? "one" : "none");

  // A door swings by a quarter of a turn about its hinge. How far can it go?
  const Screw swing(Pose::at({0.45, 0, 1}), {0, 0, 0}, {0, 0, 1}, 1.5708);
  const Moving door = at(Box{.half = {0.45, 0.02, 1}}, swing);
  const Sweep opened = sweep(door, at(Capsule{.radius = 0.1, .half_length = 0.5}, Pose::at({0.3, 0.7, 0.5})));
  std::printf("the door opens by %.1f degrees\n", opened.time * 90);

  // Edges of a planner, all at once, 5 cm from everything.
  const std::array<Motion, 3> edges{Motion(Pose::at({-1, 0, 0}), Pose::at({-1, 1, 0})),
                                    Motion(Pose::at({-1, 0, 0}), Pose::at({1, 0, 0})),
                                    Motion(Pose::at({-1, 0, 0}), Pose::at({-0.1, 0, 0}))};
  std::array<Sweep, 3> checked;
  sweep_each(Sphere{.radius = 0.02}, edges, pane, checked, {.margin = 0.05});
  for (const Sweep& edge : checked) std::printf("%s\n", edge.hit ? "blocked" : "free");

  const bool as_told =
      shot.hit && shot.certain && !seen && opened.hit && !checked[0].hit && checked[1].hit && !checked[2].hit;
  return as_told ? 0 : 1;
}
