// Meshes: shells and solids, files, cloth that bends and folds, shapes around them.

#include <graze/graze.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

// A sheet of 2 n × n triangles, 1 m × 1 m, rolled about the y axis by a total angle.
std::vector<graze::Vec3> rolled_sheet(int n, double angle) {
  std::vector<graze::Vec3> vertices;
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) {
      const double s = static_cast<double>(i) / n, y = static_cast<double>(j) / n;
      if (angle == 0) {
        vertices.emplace_back(s, y, 0);
      } else {
        vertices.emplace_back(std::sin(s * angle) / angle, y, (1 - std::cos(s * angle)) / angle);
      }
    }
  }
  return vertices;
}

std::vector<graze::MeshTriangle> sheet_triangles(std::uint32_t n) {
  std::vector<graze::MeshTriangle> triangles;
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < n; ++j) {
      const std::uint32_t k = i * (n + 1) + j;
      triangles.push_back({k, k + n + 1, k + n + 2});
      triangles.push_back({k, k + n + 2, k + 1});
    }
  }
  return triangles;
}

}  // namespace

int main() {
  // [snippet]
  using namespace graze;

  // A tetrahedron, once as a shell and once as a solid, which has to be closed. From a file: read_mesh("part.stl").
  const std::vector<Vec3> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const std::vector<MeshTriangle> faces{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  const Mesh shell(corners, faces);
  const Mesh solid(corners, faces, {.solid = true});

  // A small ball inside touches no face: the shell is free of it, the solid is not.
  const Placed ball = at(Sphere{.radius = 0.05}, Pose::at({0.2, 0.2, 0.2}));
  const bool in_shell = collide(ball, at(shell));       // false
  const Distance in_solid = distance(ball, at(solid));  // negative: minus the depth
  const int around = solid.winding({0.2, 0.2, 0.2});    // 1: inside

  // Any pose, either order, no copies: the tree turns with the mesh. A cache makes the next, nearby query cheaper.
  PairCache cache;
  double closest = 10;
  for (int i = 0; i < 100; ++i) {
    const Placed turning = at(solid, Pose::from_rpy({1.5, 0, 0}, 0.01 * i, 0, 0.02 * i));
    closest = std::min(closest, distance(turning, at(shell), {.cache = &cache}).value);
  }

  // A sheet that is rolled up further and further: refitted, rebuilt when that pays, and tested for self-collisions.
  const std::uint32_t n = 30;
  DeformingMesh sheet(rolled_sheet(n, 0), sheet_triangles(n));
  double met_at = 0;
  for (double angle = 0; angle < 8 && met_at == 0; angle += 0.25) {
    sheet.replace_vertices(rolled_sheet(n, angle));
    if (sheet.cost_ratio() > 2) sheet.rebuild();
    if (self_collide(sheet.mesh())) met_at = angle;
  }

  // Bounding shapes as robot models use them: a capsule and the smallest ball around the part, and how tight they are.
  const BoundingCapsule capsule = bounding_capsule(solid);
  const BoundingSphere ball_around = bounding_sphere(solid);
  // [/snippet]

  const MeshReport report = solid.report();
  std::printf("area %.3f m2, volume %.3f m3, watertight: %s\n", report.area, report.volume,
              report.watertight ? "yes" : "no");
  std::printf("ball in the shell: %s, in the solid: %.3f m, winding number %d\n", in_shell ? "collision" : "free",
              in_solid.value, around);
  std::printf("nearest while turning: %.3f m; the sheet meets itself when rolled by %.2f rad\n", closest, met_at);
  std::printf("capsule of radius %.3f m (%.1f x the hull), ball of radius %.3f m (excess %.0e)\n",
              double(capsule.capsule.radius), capsule.volume_over_hull, double(ball_around.sphere.radius),
              ball_around.excess);
  const bool as_expected = report.watertight && !in_shell && in_solid.value < 0 && around == 1 && closest > 0 &&
                           met_at > 6.2 && met_at < 6.6 && ball_around.excess < 1e-9;
  return as_expected ? 0 : 1;
}
