// Occupancy maps against everything, judged by brute force over their cells, which are boxes.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <vector>

#include "graze/geometry/occupancy_map_builder.h"
#include "graze/graze.h"
#include "oracle/cases.h"
#include "oracle/exact_overlap.h"
#include "oracle/min_norm.h"
#include "query/placed_of.h"
#include "support/allocations.h"
#include "support/meshes.h"
#include "support/scale.h"

namespace graze_test {
namespace map_view_test {

using namespace graze;
using graze_oracle::Body;
using graze_oracle::Kind;
using graze_oracle::Random;
using graze_oracle::Real;
using graze_oracle::Spec;

// Cells of a cube of 8 × 8 × 8: each occupied, free or unknown.
struct Cells {
  double resolution = 0.25;
  int low = -4;
  std::vector<int> state;  // 1 occupied, 0 free, -1 unknown
  static constexpr int kSide = 8;

  int at(int x, int y, int z) const { return state[static_cast<std::size_t>((z * kSide + y) * kSide + x)]; }
  Aabb box(int x, int y, int z) const {
    const Vec3 corner(low + x, low + y, low + z);
    return {corner * resolution, (corner + Vec3::Ones()) * resolution};
  }
};

Cells random_cells(Random& random, double occupied, double unknown) {
  Cells c;
  c.resolution = random.chance(0.5) ? 0.25 : 0.1;
  for (int k = 0; k < Cells::kSide * Cells::kSide * Cells::kSide; ++k)
    c.state.push_back(random.chance(occupied) ? 1 : random.chance(unknown) ? -1 : 0);
  return c;
}

OccupancyMap map_of(const Cells& c) {
  OccupancyMapBuilder builder(c.resolution);
  for (int z = 0; z < Cells::kSide; ++z) {
    for (int y = 0; y < Cells::kSide; ++y) {
      for (int x = 0; x < Cells::kSide; ++x) {
        const int s = c.at(x, y, z);
        if (s >= 0)
          builder.add({.key = {c.low + x, c.low + y, c.low + z}, .log_odds = log_odds_of(s == 1 ? 0.9 : 0.1)});
      }
    }
  }
  return std::move(builder).finish();
}

// The boxes that count, in the map's frame; around all unknown space six slabs stand for what has no end.
std::vector<Aabb> boxes_of(const Cells& c, UnknownSpace unknown) {
  std::vector<Aabb> boxes;
  const int n = Cells::kSide;
  for (int z = 0; z < n; ++z) {
    for (int y = 0; y < n; ++y) {
      for (int x = 0; x < n; ++x) {
        const int s = c.at(x, y, z);
        if (s == 1 || (s == -1 && unknown == UnknownSpace::occupied)) boxes.push_back(c.box(x, y, z));
      }
    }
  }
  if (unknown == UnknownSpace::occupied) {
    const Aabb all{c.box(0, 0, 0).min, c.box(n - 1, n - 1, n - 1).max};
    for (Eigen::Index k = 0; k < 3; ++k) {
      Aabb slab = all.grown(50);
      slab.max[k] = all.min[k];
      boxes.push_back(slab);
      slab = all.grown(50);
      slab.min[k] = all.max[k];
      boxes.push_back(slab);
    }
  }
  return boxes;
}

Spec spec_of(const Aabb& box, const Spec& pose) {
  Spec s;
  s.kind = Kind::convex;
  for (int k = 0; k < 8; ++k)
    s.points.push_back({(k & 1) != 0 ? box.max.x() : box.min.x(), (k & 2) != 0 ? box.max.y() : box.min.y(),
                        (k & 4) != 0 ? box.max.z() : box.min.z()});
  s.wxyz = pose.wxyz, s.xyz = pose.xyz;
  return s;
}

struct Gap {
  Real lower = graze_oracle::kRealInfinity, upper = graze_oracle::kRealInfinity;
};
Gap brute_gap(const Body& a, const std::vector<Body>& cells) {
  Gap best;
  for (const Body& c : cells) {
    const auto near = nearest_pair(a, c);
    best.lower = std::min(best.lower, std::max<Real>(0, near.lower)), best.upper = std::min(best.upper, near.upper);
  }
  return best;
}
Body moved(Body body, const Vec3& by) {
  const graze_oracle::Vec t = real(by);
  body.position = body.position + t;
  for (auto& p : body.points) p = p + t;
  return body;
}

class MapAndShape : public testing::TestWithParam<Kind> {};

TEST_P(MapAndShape, AgreesWithBruteForceOverTheCells) {
  const Kind kind = GetParam();
  int hits = 0, misses = 0;
  Random random(50 + static_cast<std::uint64_t>(kind));
  for (int i = 0, n = std::max(60, scaled(60)); i < n && !HasFailure(); ++i) {
    const Cells cells = random_cells(random, random.chance(0.5) ? 0.01 : 0.06, random.chance(0.5) ? 0 : 0.05);
    const UnknownSpace unknown = random.chance(0.5) ? UnknownSpace::free : UnknownSpace::occupied;
    Spec pose;
    if (random.chance(0.5)) pose.wxyz = random.rotation();
    pose.xyz = {random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2)};
    Spec s = graze_oracle::random_spec(kind, 0.12, random);
    const double side = Cells::kSide * cells.resolution;
    const Vec3 p = pose_of(pose) * Vec3(random.uniform(-0.6, 0.6) * side, random.uniform(-0.6, 0.6) * side,
                                        random.uniform(-0.6, 0.6) * side);
    s.xyz = {p.x(), p.y(), p.z()};
    const MapView view(map_of(cells), unknown);
    const Placed body = placed_of(s), map = at(view, pose_of(pose));
    const Body exact = body_of(s);
    std::vector<Body> boxes;
    for (const Aabb& box : boxes_of(cells, unknown)) boxes.push_back(body_of(spec_of(box, pose)));
    const Gap gap = brute_gap(exact, boxes);
    const Distance d = distance(body, map);
    SCOPED_TRACE(testing::Message() << "round " << i << " unknown " << static_cast<int>(unknown) << " value " << d.value
                                    << " tolerance " << d.tolerance << " exact " << static_cast<double>(gap.lower)
                                    << " … " << static_cast<double>(gap.upper));
    if (boxes.empty()) {
      EXPECT_EQ(d.value, kInfinity);
      continue;
    }
    if (static_cast<double>(gap.lower) > 1e-8) {
      ++misses;
      EXPECT_FALSE(collide(body, map));
      EXPECT_LE(d.value - d.tolerance, static_cast<double>(gap.upper) + 1e-12);
      EXPECT_GE(d.value + d.tolerance, static_cast<double>(gap.lower) - 1e-12);
      EXPECT_TRUE(contacts(body, map).empty());
      EXPECT_FALSE(collide(body, map, {.margin = d.value - 2 * d.tolerance - 1e-7}));
      EXPECT_TRUE(collide(body, map, {.margin = d.value + 2 * d.tolerance + 1e-9}));
      if (const auto cell = view.cell(d.b)) {
        // The cell that is named is the one that is nearest.
        const Gap named = brute_gap(exact, {body_of(spec_of(*cell, pose))});
        EXPECT_NEAR(static_cast<double>(named.upper), d.value, d.tolerance + 1e-9);
      } else {
        EXPECT_EQ(unknown, UnknownSpace::occupied);
      }
    } else if (static_cast<double>(gap.upper) < 1e-12) {
      ++hits;
      EXPECT_TRUE(collide(body, map));
      EXPECT_LE(d.value, 0);
      EXPECT_FALSE(contacts(body, map).empty());
      if (unknown == UnknownSpace::free && std::isfinite(d.value) && d.value < 0) {
        EXPECT_GT(static_cast<double>(brute_gap(moved(exact, d.normal * (d.value - 1e-9)), boxes).upper), 0);
        const double shorter = (-d.value - d.tolerance) * (1 - 1e-9) - 1e-9;
        for (int k = 0; shorter > 0 && k < 4; ++k)
          EXPECT_LT(static_cast<double>(brute_gap(moved(exact, shorter * vec3(random.direction())), boxes).lower),
                    1e-8);
      }
    }
    EXPECT_EQ(distance(map, body).value, d.value);
    EXPECT_EQ(distance(map, body).a, d.b);
  }
  EXPECT_GT(hits, 0);
  EXPECT_GT(misses, 0);
}

INSTANTIATE_TEST_SUITE_P(All, MapAndShape,
                         testing::Values(Kind::sphere, Kind::capsule, Kind::box, Kind::triangle, Kind::cylinder,
                                         Kind::cone, Kind::ellipsoid, Kind::convex),
                         [](const auto& kind) { return std::string(name_of(kind.param)); });

TEST(MapExact, TouchingACellIsACollision) {
  Random random(60);
  int touching = 0;
  for (int i = 0, n = scaled(150); i < n && !HasFailure(); ++i) {
    Cells cells = random_cells(random, 0.02, 0.02);
    cells.resolution = 0.25;
    const UnknownSpace unknown = random.chance(0.7) ? UnknownSpace::free : UnknownSpace::occupied;
    Spec s = graze_oracle::lattice_spec(random.chance(0.5) ? Kind::box : Kind::sphere, random);
    for (double& size : s.size) size = random.integer(0, 2) / 8.0;
    s.xyz = {random.integer(-8, 8) / 8.0, random.integer(-8, 8) / 8.0, random.integer(-8, 8) / 8.0};
    int side = 1;
    for (const Aabb& box : boxes_of(cells, unknown))
      side = std::min(side, *compare_with_margin(s, spec_of(box, Spec()), 0));
    touching += side == 0 ? 1 : 0;
    if (side <= 0) {
      EXPECT_TRUE(collide(placed_of(s), at(MapView(map_of(cells), unknown)))) << describe(s);
    }
  }
  EXPECT_GT(touching, 0);
}

TEST(MapRays, HitTheFirstCell) {
  Random random(70);
  int hits = 0;
  for (int i = 0, n = scaled(200); i < n && !HasFailure(); ++i) {
    const Cells cells = random_cells(random, 0.03, 0.03);
    const UnknownSpace unknown = random.chance(0.5) ? UnknownSpace::free : UnknownSpace::occupied;
    const Placed map = at(MapView(map_of(cells), unknown));
    const double side = Cells::kSide * cells.resolution / 2;
    const Vec3 from(random.uniform(-1, 1) * side, random.uniform(-1, 1) * side, random.uniform(-1, 1) * side);
    const Ray ray(from, vec3(random.direction()), 3);
    double first = kInfinity;
    for (const Aabb& box : boxes_of(cells, unknown)) {
      const RayHit hit = raycast(at(Box{.half = box.half()}, Pose::at(box.center())), ray);
      first = std::min(first, hit.distance);
    }
    const RayHit hit = raycast(map, ray);
    if (std::isfinite(first)) {
      ++hits;
      EXPECT_NEAR(hit.distance, first, 1e-9);
      EXPECT_TRUE(meets(map, ray));
    } else {
      EXPECT_FALSE(hit.found());
      EXPECT_FALSE(meets(map, ray));
    }
  }
  EXPECT_GT(hits, 0);
}

TEST(MapAndParts, MeetMeshesCloudsFieldsAndMaps) {
  Random random(80);
  int hits = 0, misses = 0;
  for (int i = 0, n = scaled(40); i < n && !HasFailure(); ++i) {
    const Cells cells = random_cells(random, 0.02, 0), others = random_cells(random, 0.01, 0);
    const MapView view(map_of(cells), UnknownSpace::free), other(map_of(others), UnknownSpace::free);
    const Pose pose = Pose::from_rpy({random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2)},
                                     random.uniform(-3, 3), random.uniform(-1, 1), random.uniform(-3, 3));
    std::vector<Vec3> points;
    for (int k = 0; k < 3; ++k) points.push_back(vec3(random.direction()) * random.uniform(0.1, 1));
    const Mesh mesh(points, std::vector<MeshTriangle>{{0, 1, 2}});
    const Cloud cloud(std::span<const Vec3>(points), {.radius = 0.05});
    const std::vector<double> heights = {0.2, -0.3, 0.1, 0, 0.4, -0.2};
    const HeightField field({.columns = 3, .rows = 2, .dx = 0.5, .dy = 0.7}, std::span(heights));
    const Placed map = at(view);
    double to_mesh = kInfinity, to_cloud = kInfinity, to_field = kInfinity, to_map = kInfinity;
    for (const Aabb& box : boxes_of(cells, UnknownSpace::free)) {
      const Placed one = at(Box{.half = box.half()}, Pose::at(box.center()));
      to_mesh = std::min(to_mesh, distance(one, at(mesh, pose)).value);
      to_cloud = std::min(to_cloud, distance(one, at(cloud, pose)).value);
      to_field = std::min(to_field, distance(one, at(field, pose)).value);
      for (const Aabb& b : boxes_of(others, UnknownSpace::free))
        to_map = std::min(to_map, distance(one, at(Box{.half = b.half()}, pose * Pose::at(b.center()))).value);
    }
    const auto expect = [&](const Placed& body, double value) {
      const Distance d = distance(map, body);
      if (value > 1e-9) {
        ++misses;
        EXPECT_NEAR(d.value, value, d.tolerance + 1e-9);
        EXPECT_FALSE(collide(map, body));
      } else if (value < -1e-9) {
        ++hits;
        EXPECT_LE(d.value, 0);
        EXPECT_TRUE(collide(map, body));
        EXPECT_FALSE(contacts(map, body).empty());
      }
    };
    expect(at(mesh, pose), to_mesh);
    expect(at(cloud, pose), to_cloud);
    expect(at(field, pose), to_field);
    expect(at(other, pose), to_map);
  }
  EXPECT_GT(hits, 0);
  EXPECT_GT(misses, 0);
}

// Cells in the inside of a solid meet no triangle of it.
TEST(MapAndParts, MeetTheInsideOfSolidMeshes) {
  Random random(81);
  int within = 0, across = 0, misses = 0;
  for (int i = 0, n = scaled(60); i < n && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    const Cells cells = random_cells(random, random.chance(0.5) ? 0.004 : 0.02, random.chance(0.5) ? 0 : 1);
    const MapView view(map_of(cells), UnknownSpace::free);
    Soup soup = closed(random.chance(0.5) ? 1 : 3, random.chance(0.5));
    const double size = random.uniform(0.1, 1.5);
    for (Vec3& v : soup.vertices) v *= size;
    const Mesh solid(soup.vertices, soup.triangles, {.solid = true}), shell(soup.vertices, soup.triangles);
    const Pose pose = Pose::from_rpy({random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)},
                                     random.uniform(-3, 3), random.uniform(-1, 1), random.uniform(-3, 3));
    double value = kInfinity, to_shell = kInfinity;
    for (const Aabb& box : boxes_of(cells, UnknownSpace::free)) {
      const Placed one = at(Box{.half = box.half()}, Pose::at(box.center()));
      value = std::min(value, distance(one, at(solid, pose), {.depth = false}).value);
      to_shell = std::min(to_shell, distance(one, at(shell, pose), {.depth = false}).value);
    }
    const Placed map = at(view), body = at(solid, pose);
    const Distance d = distance(map, body), quick = distance(map, body, {.depth = false});
    EXPECT_EQ(distance(map, body, {.limit = 1e-3}).beyond, d.value > 1e-3);
    if (value > 1e-9) {
      ++misses;
      EXPECT_FALSE(collide(map, body));
      EXPECT_TRUE(d.value == value || std::abs(d.value - value) <= d.tolerance + 1e-9) << d.value << " " << value;
      continue;
    }
    ++(to_shell > 1e-9 ? within : across);
    EXPECT_TRUE(collide(map, body));
    EXPECT_LE(quick.value, 0);
    EXPECT_LE(quick.value - quick.tolerance, d.value);
    EXPECT_FALSE(contacts(map, body).empty());
    EXPECT_TRUE(sweep(still(map), body).hit);
    ASSERT_LT(d.value, 0);
    // The translation was checked to separate the two, and moving by less than is needed does not.
    const auto moved = [&](double by) { return at(solid, pose.moved_to(pose.translation() + by * d.normal)); };
    EXPECT_FALSE(collide(map, moved(-d.value + 1e-9)));
    if (d.value + d.tolerance < -1e-6) {
      EXPECT_TRUE(collide(map, moved(0.99 * (-d.value - d.tolerance))));
    }
  }
  EXPECT_GT(std::min({within, across, misses}), scaled(60) / 20);
}

TEST(MapUnknown, HasNoEnd) {
  const MapView occupied(OccupancyMap(), UnknownSpace::occupied), free(OccupancyMap(), UnknownSpace::free);
  for (const double far : {0.0, 1e3, 1e12}) {
    const Placed body = at(Sphere{.radius = 0}, Pose::at({far, 0, 0}));
    EXPECT_TRUE(collide(at(occupied), body)) << far;
    EXPECT_LE(distance(at(occupied), body).value, 0);
    EXPECT_FALSE(collide(at(free), body));
    EXPECT_EQ(distance(at(free), body).value, kInfinity);
  }
  EXPECT_TRUE(collide(at(occupied), at(HalfSpace({0, 0, 1}, 0))));
  EXPECT_TRUE(collide(at(occupied), at(Plane({0, 0, 1}, 0))));
  EXPECT_TRUE(collide(at(occupied), at(occupied)));
  EXPECT_FALSE(collide(at(occupied), at(free)));
  EXPECT_THROW(MapView(OccupancyMap(), UnknownSpace::free, 1.5), Error);
  EXPECT_THROW(MapView(OccupancyMap(), UnknownSpace::free, std::nan("")), Error);
}

TEST(MapThreshold, ChoosesTheCells) {
  OccupancyMapBuilder builder(1);
  builder.add({.key = {0, 0, 0}, .log_odds = log_odds_of(0.6)});
  builder.add({.key = {5, 0, 0}, .log_odds = log_odds_of(0.9)});
  const OccupancyMap map = std::move(builder).finish();
  const Placed body = at(Sphere{.radius = 0.25}, Pose::at({0.5, 0.5, 2}));
  EXPECT_NEAR(distance(at(MapView(map, UnknownSpace::free)), body).value, 0.75, 1e-12);
  EXPECT_GT(distance(at(MapView(map, UnknownSpace::free, 0.8)), body).value, 4);
  EXPECT_EQ(distance(at(MapView(map, UnknownSpace::free, 0.95)), body).value, kInfinity);
}

TEST(MapQueries, DoNotAllocate) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer owns malloc";
  Random random(90);
  const Cells cells = random_cells(random, 0.05, 0.05);
  Contact buffer[8];
  for (const UnknownSpace unknown : {UnknownSpace::free, UnknownSpace::occupied}) {
    const Placed map = at(MapView(map_of(cells), unknown)), body = at(Box{.half = {0.2, 0.2, 0.2}});
    const long count = allocations_of([&] {
      (void)collide(map, body);
      (void)distance(map, body);
      (void)contacts(map, body, buffer);
      (void)raycast(map, Ray({0, 0, 0}, {0, 0, 1}));
    });
    EXPECT_EQ(count, 0);
  }
}

}  // namespace map_view_test
}  // namespace graze_test
