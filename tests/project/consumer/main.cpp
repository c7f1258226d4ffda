// A user's program: asks a few questions and prints the answers to the last bit.
#include <graze/graze.h>
#include <graze/version.h>
#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--version") == 0) {
    std::puts(graze::kVersion);
    return 0;
  }
  using namespace graze;
  const Placed box = at(Box{.half = {1, 1, 1}}, Pose::from_rpy({0.1, 0.2, 0.3}, 0.4, 0.5, 0.6));
  const Placed ball = at(Sphere{.radius = 0.5}, Pose::at({2.5, 0, 0}));
  const Placed cone = at(Cone{.radius = 0.5, .half_length = 1}, Pose::from_rpy({0.5, 0.9, 0}, 1, 2, 3));
  for (const Placed& other : {ball, cone}) {
    const Distance d = distance(box, other);
    std::printf("%d %a %a %a\n", collide(box, other), d.value, d.on_a.x(), d.on_b.x());
  }
  std::printf("%zu %zu %zu\n", sizeof(Placed), alignof(Placed), sizeof(Distance));
  return collide(box, cone) && !collide(box, ball) ? 0 : 1;
}
