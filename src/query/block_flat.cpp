#include "query/block_kernels.h"
#include "query/solvers.h"

namespace graze {
namespace {

// A ball has no frame: the block as its centre sees it.
Relative about(const Ball& ball, const Relative& relative) {
  Relative r = relative;
  r.translation = minus(relative.translation, ball.center);
  return r;
}
double error_about(const Ball& ball, const Block& block, const Relative& relative) {
  const BlockCore c(block);
  return 2 * kEpsilon * (size_of(ball.center) + size_of(relative.translation)) +
         relative.placing_error(size_of(c.center()) + c.reach());
}

struct FaceCorners {
  int count;
  int corner[4];
};
// Counter-clockwise seen from outside.
constexpr FaceCorners kPrism[] = {
    {3, {0, 1, 2}}, {3, {5, 4, 3}}, {4, {0, 3, 4, 1}}, {4, {1, 4, 5, 2}}, {4, {2, 5, 3, 0}}};
constexpr FaceCorners kBox[] = {{4, {0, 4, 6, 2}}, {4, {1, 3, 7, 5}}, {4, {0, 1, 5, 4}},
                                {4, {2, 6, 7, 3}}, {4, {0, 2, 3, 1}}, {4, {4, 5, 7, 6}}};

}  // namespace

Patch patch(const Block& block, const Vec3& n, double max_tilt) {
  const auto corner = [&](int k) -> const Vec3& { return block.corners[static_cast<std::size_t>(k)]; };
  const FaceCorners* best = nullptr;
  double largest = 0;
  for (const FaceCorners& face : block.count == 6 ? std::span<const FaceCorners>(kPrism) : kBox) {
    const Vec3 normal = cross(minus(corner(face.corner[1]), corner(face.corner[0])),
                              minus(corner(face.corner[2]), corner(face.corner[0])));
    const double area = std::sqrt(norm_sq(normal)), facing = area > 0 ? dot(normal, n) / area : 0;
    if (facing > largest) largest = facing, best = &face;
  }
  Patch r;
  if (best != nullptr && largest * largest >= 1 - max_tilt * max_tilt) {
    for (int k = 0; k < best->count; ++k) r.push(corner(best->corner[k]));
    return r;
  }
  const BlockCore c(block);
  r.push(plus(c.center(), c.support(n)));
  return r;
}

PairDistance measure(const Ball& a, const Block& b, const Relative& relative, const PairQuestion& question) {
  const double error = error_about(a, b, relative);
  PairQuestion wider = question;
  wider.limit += error;
  PairDistance r = measure_block(a.sphere, b, about(a, relative), wider);
  if (r.beyond) return r;
  r.on_a = plus(r.on_a, a.center);
  r.tolerance += error;
  return r;
}

bool touch(const Ball& a, const Block& b, const Relative& relative, double margin, PairMemory*) {
  return touch_block(a.sphere, b, about(a, relative), margin + error_about(a, b, relative));
}

GRAZE_BLOCK(Sphere)
GRAZE_BLOCK(Capsule)
GRAZE_BLOCK(Box)
GRAZE_BLOCK(Triangle)
GRAZE_BLOCK(Convex)
GRAZE_BLOCK(HalfSpace)
GRAZE_BLOCK(Plane)
GRAZE_BLOCK(Block)

}  // namespace graze
