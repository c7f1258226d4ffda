// Meshes that bend: when does a sheet that falls first touch a ball, or itself?

#include <graze/graze.h>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

constexpr int kSquares = 20;

// A sheet of one metre that folds over as it falls: at time t of the simulation.
std::vector<graze::Vec3> sheet_at(double t) {
  std::vector<graze::Vec3> vertices;
  for (int y = 0; y <= kSquares; ++y) {
    for (int x = 0; x <= kSquares; ++x) {
      const double u = static_cast<double>(x) / kSquares - 0.5, v = static_cast<double>(y) / kSquares - 0.5;
      const double angle = 4 * t * u;  // it rolls up along x
      const double bend = t > 0 ? std::sin(angle) / (4 * t) : u, rise = t > 0 ? (1 - std::cos(angle)) / (4 * t) : 0;
      vertices.emplace_back(bend, v, 1 - t + rise);
    }
  }
  return vertices;
}

std::vector<graze::MeshTriangle> sheet_triangles() {
  std::vector<graze::MeshTriangle> triangles;
  for (int y = 0; y < kSquares; ++y) {
    for (int x = 0; x < kSquares; ++x) {
      const auto a = static_cast<std::uint32_t>(y * (kSquares + 1) + x), b = a + 1, c = a + kSquares + 1;
      triangles.push_back({a, b, c + 1});
      triangles.push_back({a, c + 1, c});
    }
  }
  return triangles;
}

}  // namespace

int main() {
  using namespace graze;

  constexpr double kStep = 0.1;
  const Placed ball = at(Sphere{.radius = 0.2});
  double touched = -1, folded = -1;

  // [snippet]
  MovingMesh cloth(Mesh(sheet_at(0), sheet_triangles()), sheet_at(kStep));
  for (int step = 0; step < 20; ++step) {
    const Sweep on_ball = sweep(at(cloth), ball);  // over this step, never later than the truth
    const Sweep on_itself = self_sweep(cloth);
    if (on_ball.hit && touched < 0) touched = kStep * (step + on_ball.time);
    if (on_itself.hit && folded < 0) folded = kStep * (step + on_itself.time);
    cloth.advance(sheet_at(kStep * (step + 2)));  // the tree is refitted
  }
  // [/snippet]
  std::printf("the sheet touches the ball at %.3f and itself at %.3f\n", touched, folded);

  // All pairs of triangles that meet during a step, each with its own time.
  const MovingMesh fall(Mesh(sheet_at(0), sheet_triangles()), sheet_at(1));
  const MovingMesh floor(
      Mesh(std::vector<Vec3>{{-1, -1, 0.5}, {1, -1, 0.5}, {0, 2, 0.5}}, std::vector<MeshTriangle>{{0, 1, 2}}));
  std::vector<StepContact> contacts(4);
  const std::size_t count = step_contacts(at(fall), at(floor), contacts);
  std::printf("%zu triangles meet the floor, the first, %u, at %.3f\n", count, contacts[0].a, contacts[0].time);

  const bool as_told = touched > 0 && touched < 1 && folded > touched && count > 4 && contacts[0].time > 0;
  return as_told ? 0 : 1;
}
