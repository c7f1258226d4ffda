#include "meshes_scene.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "graze/query/distance.h"

namespace meshes_bench {

Soup bumpy_sphere(int frequency, std::uint32_t seed, double bumps) {
  const double g = (1 + std::sqrt(5.0)) / 2;
  const Vec3 corners[12] = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                            {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
  const int faces[20][3] = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                            {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                            {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
  Soup soup;
  std::map<std::array<std::int64_t, 3>, std::uint32_t> known;
  const auto vertex = [&](const Vec3& p) {
    const Vec3 n = p.normalized();
    std::array<std::int64_t, 3> key{};
    for (int i = 0; i < 3; ++i) key[static_cast<std::size_t>(i)] = std::llround(n[i] * 1e9);
    const auto [at, fresh] = known.emplace(key, static_cast<std::uint32_t>(soup.vertices.size()));
    if (fresh) {
      const double s = seed,
                   wave = std::sin(11 * n.x() + s) * std::sin(9 * n.y() + 2 * s) + std::sin(13 * n.z() + 3 * s);
      soup.vertices.push_back(0.5 * (1 + bumps * 0.5 * wave) * n);
    }
    return at->second;
  };
  for (const auto& face : faces) {
    const Vec3 &a = corners[face[0]], &b = corners[face[1]], &c = corners[face[2]];
    const auto at = [&](int i, int j) { return vertex(a + (b - a) * i / frequency + (c - a) * j / frequency); };
    for (int i = 0; i < frequency; ++i) {
      for (int j = 0; i + j < frequency; ++j) {
        soup.triangles.push_back({at(i, j), at(i + 1, j), at(i, j + 1)});
        if (i + j + 1 < frequency) soup.triangles.push_back({at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)});
      }
    }
  }
  return soup;
}

Soup link(std::size_t triangles, double length, double radius, std::uint32_t seed) {
  const auto around = static_cast<std::uint32_t>(std::max(6.0, std::sqrt(static_cast<double>(triangles) / 2)));
  const auto rings = static_cast<std::uint32_t>(triangles / (2 * around));
  Soup soup;
  for (std::uint32_t i = 0; i <= rings; ++i) {
    for (std::uint32_t k = 0; k < around; ++k) {
      const double t = static_cast<double>(i) / rings, w = 2 * M_PI * k / around;
      const double r = radius * (1 + 0.2 * std::sin(9 * t + seed) + 0.05 * std::sin(5 * w + seed));
      soup.vertices.push_back({r * std::cos(w), r * std::sin(w), t * length});
    }
  }
  for (std::uint32_t i = 0; i < rings; ++i) {
    for (std::uint32_t k = 0; k < around; ++k) {
      const std::uint32_t a = i * around + k, b = i * around + (k + 1) % around;
      soup.triangles.push_back({a, b, a + around});
      soup.triangles.push_back({b, b + around, a + around});
    }
  }
  return soup;
}

std::vector<PosePair> pairs_at(const Mesh& mesh, double gap, int count, std::uint64_t seed, bool turn) {
  Random random(seed);
  const auto placed = [&](const Vec3& position) { return turn ? random.turned(position) : Pose::at(position); };
  std::vector<PosePair> pairs;
  for (int i = 0; i < count; ++i) {
    const Vec3 direction = random.direction();
    const Pose a = placed(Vec3::Zero());
    double at = 2;
    Pose b = placed(at * direction);
    for (int step = 0; step < 500; ++step) {
      const double d = distance(graze::at(mesh, a), graze::at(mesh, b)).value - std::max(gap, 1e-6);
      if (d < 1e-7) break;
      at -= d;
      b = b.moved_to(at * direction);
    }
    if (gap < 0) b = b.moved_to((at + gap) * direction);
    pairs.push_back({a, b});
  }
  return pairs;
}

}  // namespace meshes_bench
