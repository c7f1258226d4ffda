// The memory that clouds and meshes state for building them, against what it really takes.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "graze/geometry/building_bytes.h"
#include "graze/geometry/cloud.h"
#include "graze/geometry/mesh.h"
#include "support/allocations.h"
#include "support/clouds.h"
#include "support/generator.h"
#include "support/scale.h"

namespace graze_test {
namespace building_bytes_test {

using graze::building_bytes_of_cloud;
using graze::building_bytes_of_mesh;
using graze::Cloud;
using graze::Mesh;
using graze::MeshTriangle;
using graze::NumberType;
using graze::PointView;
using graze::Vec3;

template <class Make>
std::size_t measure(std::size_t stated, const Make& make, const std::string& what) {
  make();  // after this, what threads and the library keep is allocated
  const auto measured = static_cast<std::size_t>(memory_of(make));
  EXPECT_GE(stated, measured) << what;
  return measured;
}

template <class Make>
void check(std::size_t stated, const Make& make, const std::string& what) {
  const std::size_t measured = measure(stated, make, what);
  EXPECT_LE(static_cast<double>(stated), 1.5 * static_cast<double>(measured) + 4096) << what << ": " << measured;
}

TEST(BuildingBytes, OfACloudAreNeverTooFewAndHardlyMoreThanUsed) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer owns malloc";
  Generator random(5);
  for (const int n : {1, 10, 100, 1000, 1025, 5000, 30'000, scaled(100'000), scaled(300'000)}) {
    const auto count = static_cast<std::size_t>(n);
    std::vector<Vec3> any, equal(count, Vec3(1.1, 2.2, 3.3)), scan;
    for (int i = 0; i < n; ++i) {
      any.push_back(random.in_cube(1) * random.magnitude(-3, 3));
      const Vec3 p = random.in_cube(100);
      scan.emplace_back(450000 + std::round(p.x() * 1e3) / 1e3, 5.4e6 + std::round(p.y() * 1e3) / 1e3, p.z());
    }
    const std::string what = std::to_string(n) + " points";
    const auto with_tree = [](const PointView& view) {
      const Cloud cloud(view);
      cloud.prepare();
      return cloud;
    };
    // How much the grid takes depends on where the points are.
    std::vector<NamedCloud> clouds = adversarial_clouds(count);
    clouds.push_back({"surface", surface_samples(table_and_shelf(true), count, 2), 4});
    clouds.push_back(clouds.back());
    clouds.back().name = "an outlier", clouds.back().points[count / 2] = {1e6F, -1e6F, 3e5F};
    for (const NamedCloud& cloud : clouds) {
      measure(
          building_bytes_of_cloud(count, NumberType::float32),
          [&] { return with_tree(PointView(graze_test::floats(cloud.points))); }, what + ", " + cloud.name);
    }
    for (const auto* points : {&any, &equal, &scan}) {
      check(
          building_bytes_of_cloud(count), [&] { return with_tree(*points); }, what);
    }
  }
}

struct Lists {
  std::vector<Vec3> vertices;
  std::vector<MeshTriangle> triangles;
};

// A closed ball, its vertices moved in or out by up to `bumps` of its radius.
Lists ball(std::uint32_t m, double bumps, Generator& random) {
  Lists out;
  constexpr double kPi = std::numbers::pi;
  const auto add = [&](double along, double around) {
    const Vec3 p(std::sin(along) * std::cos(around), std::sin(along) * std::sin(around), std::cos(along));
    out.vertices.emplace_back(p * (1 + bumps * random.uniform(-1, 1)));
  };
  add(0, 0);
  for (std::uint32_t i = 1; i < m; ++i) {
    for (std::uint32_t j = 0; j < 2 * m; ++j) add(kPi * i / m, kPi * j / m);
  }
  add(kPi, 0);
  const auto last = static_cast<std::uint32_t>(out.vertices.size() - 1);
  const auto id = [&](std::uint32_t i, std::uint32_t j) { return 1 + (i - 1) * 2 * m + j % (2 * m); };
  for (std::uint32_t j = 0; j < 2 * m; ++j) {
    out.triangles.push_back({0, id(1, j), id(1, j + 1)});
    out.triangles.push_back({last, id(m - 1, j + 1), id(m - 1, j)});
    for (std::uint32_t i = 1; i + 1 < m; ++i) {
      out.triangles.push_back({id(i, j), id(i + 1, j), id(i + 1, j + 1)});
      out.triangles.push_back({id(i, j), id(i + 1, j + 1), id(i, j + 1)});
    }
  }
  return out;
}

// Each triangle with vertices of its own, as in STL.
Lists apart(const Lists& from) {
  Lists out;
  for (const MeshTriangle& t : from.triangles) {
    const auto first = static_cast<std::uint32_t>(out.vertices.size());
    for (const std::uint32_t v : t) out.vertices.push_back(from.vertices[v]);
    out.triangles.push_back({first, first + 1, first + 2});
  }
  return out;
}

TEST(BuildingBytes, OfAMeshAreNeverTooFewAndHardlyMoreThanUsed) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer owns malloc";
  Generator random(6);
  for (const std::uint32_t m : {2U, 3U, 5U, 8U, 12U, 15U, 25U, 36U, 50U, 70U, 120U, 150U}) {
    const Lists round = ball(m, 0, random), bumpy = ball(m, 0.1, random);
    Lists soup = apart(round), unused = round;
    for (Vec3& v : soup.vertices) v = random.in_cube(1);
    unused.vertices.resize(10 * round.vertices.size(), Vec3::Zero());
    const auto of = [&](const Lists& l, bool solid, const char* name) {
      check(
          building_bytes_of_mesh(l.triangles.size(), l.vertices.size(), solid),
          [&] { return Mesh(l.vertices, l.triangles, {.solid = solid}); },
          std::to_string(l.triangles.size()) + " triangles, " + name);
    };
    of(round, false, "shell"), of(round, true, "solid");
    of(bumpy, false, "bumpy"), of(bumpy, true, "bumpy solid");
    of(apart(round), false, "apart"), of(apart(round), true, "apart, solid");
    of(soup, false, "soup"), of(unused, false, "with unused vertices");
  }
}

}  // namespace building_bytes_test
}  // namespace graze_test
