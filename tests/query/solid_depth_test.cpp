// The depth of solids: against closed forms, against exact differences of unions of boxes, and by checking that the
// translation separates.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "geometry/mesh_data.h"
#include "geometry/mesh_surface.h"
#include "graze/graze.h"
#include "oracle/cases.h"
#include "query/placed_of.h"
#include "query/solid_check.h"
#include "support/scale.h"
#include "support/solids.h"

namespace graze_test {
namespace solid_depth_test {

using graze::Distance;
using graze::Mesh;
using graze::Placed;
using graze::Pose;
using graze::Vec3;
using graze_oracle::Random;

Mesh cube(double half, int n = 1) { return box_soup(Vec3::Constant(-half), Vec3::Constant(half), n).mesh(true); }
Placed point(const Vec3& p, double radius = 0) { return point_at(p, radius); }
Distance check(const Placed& a, const Placed& b, double slack = 1e-9) { return check_overlap(a, b, slack, 1e-7); }

void expect_depth(const Placed& a, const Placed& b, double depth, double slack = 1e-9) {
  const Distance d = check(a, b);
  EXPECT_NEAR(d.value, -depth, slack);
  EXPECT_LE(d.tolerance, slack) << "tight";
}

TEST(SolidDepth, IsRightWhereSurfacesOnlyTouch) {
  const Placed ten = at(cube(10));
  expect_depth(ten, point({9, 0, 0}, 1), 2);
  EXPECT_TRUE(collide(ten, point({9, 0, 0}, 1), {.margin = -1}));
  EXPECT_FALSE(collide(ten, point({9, 0, 0}, 1), {.margin = -2.001}));
  double last = -2.1;
  for (const double x : {8.9999, 8.99999, 9.0, 9.00001, 9.0001}) {
    const double value = distance(ten, point({x, 0, 0}, 1)).value;
    EXPECT_NEAR(value, -(11 - x), 1e-9);
    EXPECT_GT(value, last);
    last = value;
  }
  for (const int n : {1, 3}) {
    const Mesh other = cube(10, n);
    expect_depth(ten, at(other, Pose::at({18, 0, 0})), 2);
    expect_depth(ten, at(other, Pose::at({1, 0, 0})), 19);
    expect_depth(ten, at(other), 20);
    expect_depth(ten, at(other, Pose::at({0, 0, 20})), 0);
    const Distance stacked = distance(ten, at(other, Pose::at({0, 0, 20})));
    EXPECT_NEAR(stacked.normal.z(), 1, 1e-9) << "not along the faces";
  }
}

TEST(SolidDepth, OfConvexSolidsDoesNotDependOnTheTriangles) {
  for (const int n : {1, 2, 5}) {
    const Placed unit = at(cube(1, n));
    expect_depth(unit, point({1.75, -1.5, -0.75}, 1), 1 - std::sqrt(0.75 * 0.75 + 0.25));
    Random random(7);
    for (int i = 0, count = scaled(60); i < count && !HasFailure(); ++i) {
      const Placed box = at(graze::Box{.half = {1, 1, 1}});
      Placed other = placed_of(random_spec(graze_oracle::kKinds[static_cast<std::size_t>(i) % 8], 0.7, random));
      other.pose = random_pose_near(random, Vec3::Zero(), 1.6);
      SCOPED_TRACE(testing::Message() << name_of(other.geometry) << " " << i);
      const Distance truth = distance(box, other);
      if (truth.value > 0 || std::holds_alternative<graze::Triangle>(other.geometry)) continue;
      const Distance d = check(unit, other, 1e-6);
      EXPECT_NEAR(d.value, truth.value, 1e-9 + d.tolerance + truth.tolerance);
      EXPECT_LE(d.tolerance, 1e-7);
    }
  }
}

// Beside an edge the depth is determined by the edge, not by the plane of the nearest triangle.
TEST(SolidDepth, NearEdgesIsThatOfTheEdge) {
  for (const int n : {1, 3}) {
    const Placed unit = at(cube(1, n));
    const double off = 0.25, radius = 0.5;
    for (const double z : {0.0, 0.5, 4.25}) {
      const Placed capsule = at(graze::Capsule{.radius = radius, .half_length = 4.25}, Pose::at({1 + off, 1 + off, z}));
      expect_depth(unit, capsule, radius - std::sqrt(2) * off);
      expect_depth(capsule, unit, radius - std::sqrt(2) * off);
    }
    Random random(17);
    for (int i = 0, count = scaled(100); i < count && !HasFailure(); ++i) {
      // Boxes on a lattice, their faces parallel: the smallest overlap of the three.
      Vec3 half, position;
      double truth = graze::kInfinity;
      for (int k = 0; k < 3; ++k) {
        half[k] = random.integer(1, 12) / 8.0, position[k] = random.integer(-20, 20) / 8.0;
        truth = std::min(truth, 1 + half[k] - std::abs(position[k]));
      }
      if (!(truth > 0)) continue;
      SCOPED_TRACE(testing::Message() << half.transpose() << " at " << position.transpose());
      expect_depth(unit, at(graze::Box{.half = half}, Pose::at(position)), truth);
      expect_depth(unit, at(box_soup(-half, half, 2).mesh(true), Pose::at(position)), truth);
    }
    expect_depth(unit, at(graze::Box{.half = {1, 1.5, 1.5}}, Pose::at({1.75, 0.25, -0.5})), 0.25);
    expect_depth(at(cube(1.5, n)), at(graze::Box{.half = {1.5, 1.5, 1.5}}, Pose::at({2.75, 0.25, 0})), 0.25);
  }
}

TEST(SolidDepth, OfPlanesAndHalfSpacesIsThatOfTheShape) {
  const Mesh mesh = cube(1, 2);
  const graze::Box box{.half = {1, 1, 1}};
  Random random(3);
  for (int i = 0; i < 50; ++i) {
    const Pose pose = i == 0 ? Pose::at({0, 0, 0.125}) : random_pose_near(random, Vec3::Zero(), 1);
    for (const Placed& other : {at(graze::Plane({0, 0, 1}, 0)), at(graze::HalfSpace({0, 0, 1}, 0))}) {
      const Distance truth = distance(at(box, pose), other), d = distance(at(mesh, pose), other);
      EXPECT_NEAR(d.value, truth.value, 1e-12);
      if (d.value <= 0) {
        EXPECT_LE(d.tolerance, 1e-12);
      }
      EXPECT_NEAR((d.on_b - d.on_a - d.value * d.normal).norm(), 0, 1e-12);
      EXPECT_LE(off_surface(at(box, pose), d.on_a), 1e-9);
    }
  }
  EXPECT_NEAR(distance(at(mesh, Pose::at({0, 0, 0.125})), at(graze::Plane({0, 0, 1}, 0))).value, -0.875, 1e-12);
  // Vertices that no triangle uses do not belong to the body.
  Soup stray = box_soup({-1, -1, -1}, {1, 1, 1}, 2);
  stray.vertices.insert(stray.vertices.begin(), {{50, 0, 1}, {0, 50, -1}});
  for (graze::MeshTriangle& t : stray.triangles) t = {t[0] + 2, t[1] + 2, t[2] + 2};
  for (const double level : {-0.25, 0.25}) {
    const Distance d = distance(at(stray.mesh(true)), at(graze::Plane({0, 0, 1}, level)));
    EXPECT_NEAR(d.value, -0.75, 1e-12);
    EXPECT_LE(off_surface(at(box), d.on_a), 1e-9);
  }
  // Between two pieces there is room for a plane.
  Soup two = box_soup({-1, -1, 0}, {1, 1, 2});
  two.add(box_soup({-1, -1, 3}, {1, 1, 9}));
  EXPECT_NEAR(distance(at(two.mesh(true)), at(graze::Plane({0, 0, 1}, 1.5))).value, -0.5, 1e-12);
}

// Two pieces on top of each other without a gap: rounding decides whether a plane fits in between.
TEST(SolidDepth, OfPlanesBetweenPiecesThatTouchReachesBothAnswers) {
  Random random(31);
  int narrow = 0;
  for (int i = 0, count = scaled(300); i < count && !HasFailure(); ++i) {
    SCOPED_TRACE(testing::Message() << "pieces " << i);
    const double middle = random.integer(-3, 3) / 8.0, level = random.uniform(-0.9, 0.9);
    Soup two = box_soup({-1, -1, -1}, {-0.25, 1, middle}, random.integer(1, 2));
    two.add(box_soup({0.25, -1, middle}, {1, 1, 1}, random.integer(1, 2)));
    const Pose pose = i % 4 == 0 ? Pose() : random_pose_near(random, Vec3::Zero(), i % 4 == 1 ? 1e4 : 1);
    const Vec3 up = pose.rotation() * Vec3::UnitZ();
    const graze::Plane plane(up, up.dot(pose * Vec3(0, 0, level)));
    const Distance d = distance(at(two.mesh(true), pose), at(plane));
    const double through = 1 - std::abs(level), between = std::min(through, std::abs(level - middle));
    const double slack = 1e-9;
    EXPECT_LE(d.value - d.tolerance, -between + slack);
    EXPECT_GE(d.value + d.tolerance, -between - slack) << "the gap exists, exactly as wide as the plane";
    EXPECT_GE(d.value, -through - slack);
    if (d.tolerance > slack) ++narrow;
  }
  EXPECT_GT(narrow, 0);
}

TEST(SolidSurface, IsWhereInsideMeetsOutside) {
  Soup pair = box_soup({0, 0, 0}, {2, 2, 2});
  pair.add(box_soup({1, 0, 0}, {3, 2, 2}));
  const Placed assembly = at(pair.mesh(true));
  expect_depth(assembly, point({1, 1, 1}), 1);
  EXPECT_TRUE(collide(assembly, point({1, 1, 1}), {.margin = -0.5}));
  expect_depth(assembly, point({1.5, 1, 0.25}), 0.25);
  expect_depth(assembly, at(graze::Box{.half = {0.5, 0.5, 0.5}}, Pose::at({1.5, 1, 1})), 1.5);
  EXPECT_NEAR(distance(assembly, point({1, 1, 3})).value, 1, 1e-12);

  Soup sheet = box_soup({-1, -1, -1}, {1, 1, 1});
  for (const double size : {0.5, 1.0}) {
    Soup s = sheet;
    const auto first = static_cast<std::uint32_t>(s.vertices.size());
    for (const auto& [y, z] : {std::pair{-size, -size}, {size, -size}, {size, size}, {-size, size}})
      s.vertices.emplace_back(0.1, y, z);
    const std::uint32_t a = first, b = first + 1, c = first + 2, d = first + 3;
    s.triangles.insert(s.triangles.end(), {{a, b, c}, {a, c, d}, {a, c, b}, {a, d, c}});
    const Mesh mesh = s.mesh(true);
    expect_depth(at(mesh), point({0, 0, 0}), 1);
    expect_depth(at(mesh), point({0.1, 0.2, 0}), 0.8);
    expect_depth(at(mesh), point({0.3, 0, 0}, 0.25), 0.95);
    EXPECT_NEAR(graze::clearance::Model(mesh).distance({0, 0, 0}).value, -1, 1e-12);
    EXPECT_NEAR(graze::clearance::Model(mesh).distance({0.5, 0, 0}).value, -0.5, 1e-12);
    EXPECT_NEAR(graze::clearance::Model(mesh).distance({1.5, 0, 0}).value, 0.5, 1e-12);
  }
  // Pieces that face inwards, nested and beside each other.
  for (const bool inwards : {false, true}) {
    Soup nested = box_soup({-2, -2, -2}, {2, 2, 2});
    const Soup inner = box_soup({-1, -1, -1}, {1, 1, 1});
    nested.add(inwards ? inner.turned_inside_out() : inner);
    const Distance d = distance(at(nested.mesh(true)), point({0.75, 0, 0}));
    EXPECT_NEAR(d.value, inwards ? 0.25 : -1.25, 1e-12);
    Soup beside = box_soup({-2, -1, -1}, {-1, 1, 1}).turned_inside_out();
    beside.add(box_soup({0, -1, -1}, {3, 1, 1}));
    const Placed both = at(beside.mesh(true));
    const Distance left = check(both, point({-1.9, 0, 0}, 0.25)), right = check(both, point({2.9, 0, 0}, 0.25));
    EXPECT_NEAR(left.value, -0.35, 1e-9);
    EXPECT_NEAR(left.normal.x(), -1, 1e-9);
    EXPECT_NEAR(right.value, -0.35, 1e-9);
    EXPECT_NEAR(right.normal.x(), 1, 1e-9);
  }
}

// So many faces cross that the surface is not computed: any triangle may belong to it.
TEST(SolidSurface, ThatIsTooCostlyStillEnclosesTheDepth) {
  Soup crowd;
  constexpr int kCopies = 200;
  const double step = 0.3 / (kCopies - 1);
  for (int i = 0; i < kCopies; ++i) crowd.add(box_soup({-1 + step * i, -1, -1}, {1 + step * i, 1, 1}));
  const Mesh mesh = crowd.mesh(true);
  ASSERT_FALSE(data_of(mesh).surface->certain);
  const Placed solid = at(mesh);
  const auto expect = [&](const Placed& other, double truth) {
    const Distance d = distance(solid, other), e = distance(other, solid);
    EXPECT_EQ(d.value, e.value);
    EXPECT_LE(d.value, 0);
    EXPECT_LE(d.value - d.tolerance, -truth + 1e-9);
    EXPECT_GE(d.value + d.tolerance, -truth - 1e-9);
    EXPECT_TRUE(collide(solid, other));
    EXPECT_TRUE(collide(solid, other, {.margin = -truth + 1e-6})) << "unknown is not free";
    const graze::Penetration p = penetration(solid, other);
    EXPECT_TRUE(p.overlapping);
    EXPECT_GE(p.depth + p.tolerance, truth - 1e-9);
    const Distance quick = distance(solid, other, {.depth = false});
    EXPECT_LE(quick.value - quick.tolerance, -truth + 1e-9);
  };
  expect(point({0.1, 0, 0}), 1);
  expect(point({0.1, 0.6, 0.2}), 0.4);
  expect(point({1.25, 0, 0}), 0.05);
  expect(point({0.1, 0.8, 0}, 0.25), 0.45);
  expect(at(graze::Box{.half = {0.2, 0.3, 0.4}}, Pose::at({0.1, 0, 0.5})), 0.9);
  expect(at(cube(0.5), Pose::at({0.1, 1.25, 0})), 0.25);
  EXPECT_GT(distance(solid, point({0.1, 1.5, 0})).value, 0.49);
  EXPECT_FALSE(collide(solid, point({0.1, 1.5, 0})));
}

// Many vertices in one plane, and faces of the two parallel to rounding: the convex solver's polytope folds.
TEST(SolidDepth, OfFinelyDividedParallelBoxesIsExact) {
  Random random(5);
  const auto turned = [](Soup s, const Pose& pose) {
    for (Vec3& v : s.vertices) v = pose.rotation() * v + pose.translation();
    return s;
  };
  for (int i = 0, count = scaled(1500); i < count && !HasFailure(); ++i) {
    const int n = random.integer(1, 4), m = random.integer(1, 4);
    const Pose pose = random_pose_near(random, Vec3::Zero(), i % 3 == 0 ? 1000 : 1);
    Vec3 half_a, half_b, position;
    double truth = graze::kInfinity;
    for (int k = 0; k < 3; ++k) {
      half_a[k] = random.integer(1, 6) / 4.0;
      half_b[k] = i % 2 == 0 ? half_a[k] : random.integer(1, 6) / 4.0;
      position[k] = i % 4 == 0 ? 0 : random.integer(-6, 6) / 4.0;
      truth = std::min(truth, half_a[k] + half_b[k] - std::abs(position[k]));
    }
    if (!(truth > 0)) continue;
    SCOPED_TRACE(testing::Message() << "pair " << i);
    const Soup a = turned(box_soup(-half_a, half_a, n), pose);
    const Soup b = turned(box_soup(position - half_b, position + half_b, i % 8 == 0 ? n : m), pose);
    const Distance d = distance(at(a.mesh(true)), at(b.mesh(true)));
    EXPECT_NEAR(d.value, -truth, 1e-8);
    EXPECT_LE(d.tolerance, 1e-8);
  }
}

// Boxes along the axes: the exact depth of unions of them. The difference of two boxes is a box; the origin leaves the
// union of all of these at a point where up to three of their faces meet.
struct Boxes {
  std::vector<std::pair<Vec3, Vec3>> parts;
  Soup soup(Random& random) const {
    Soup s;
    for (const auto& [low, high] : parts) {
      s.add(box_soup(low, high, random.integer(1, 2)));
    }
    return s;
  }
};

double exact_depth(const Boxes& a, const Boxes& b, bool point = false) {
  std::vector<std::pair<Vec3, Vec3>> sums;  // translations of b at which it overlaps a, open
  for (const auto& [la, ha] : a.parts) {
    for (const auto& [lb, hb] : b.parts) sums.emplace_back(la - hb, ha - lb);
  }
  const auto in_one = [&](const Vec3& t) {
    return std::any_of(sums.begin(), sums.end(), [&](const auto& s) {
      return (s.first.array() < t.array()).all() && (t.array() < s.second.array()).all();
    });
  };
  // A point leaves the inside of the union, which includes the faces between its boxes.
  const auto covered = [&](const Vec3& t) {
    constexpr double kBeside = 1e-7;
    for (int k = 0; point && k < 8; ++k) {
      if (!in_one(t + kBeside * Vec3((k & 1) - 0.5, (k & 2) / 2 - 0.5, (k & 4) / 4 - 0.5))) return false;
    }
    return point || in_one(t);
  };
  std::array<std::vector<double>, 3> levels;
  for (std::size_t k = 0; k < 3; ++k) {
    levels[k].push_back(0);
    for (const auto& s : sums) {
      const auto i = static_cast<Eigen::Index>(k);
      levels[k].push_back(s.first[i]), levels[k].push_back(s.second[i]);
    }
  }
  double best = graze::kInfinity;
  for (const double x : levels[0]) {
    for (const double y : levels[1]) {
      for (const double z : levels[2]) {
        const Vec3 t(x, y, z);
        if (t.norm() < best && !covered(t)) best = t.norm();
      }
    }
  }
  return best;
}

Boxes random_boxes(Random& random, int count) {
  Boxes r;
  for (int i = 0; i < count; ++i) {
    Vec3 low, high;
    for (int k = 0; k < 3; ++k) {
      low[k] = random.integer(-4, 3) / 2.0;
      high[k] = low[k] + random.integer(1, 6) / 2.0;
    }
    r.parts.emplace_back(low, high);
  }
  return r;
}

// The same with flat boxes: parts without volume, which are obstacles where they are outside.
Boxes with_sheets(Boxes boxes, Random& random) {
  for (const auto& [low, high] : random_boxes(random, random.integer(1, 2)).parts) {
    boxes.parts.emplace_back(low, high);
    const int k = random.integer(0, 2);
    boxes.parts.back().second[k] = low[k];
  }
  if (random.integer(0, 3) == 0) boxes.parts.erase(boxes.parts.begin());
  return boxes;
}

// How many overlap, and for how many of these the minimum is found and proven.
struct DepthCounts {
  int overlaps = 0, tight = 0, exact = 0;
  double worst = 0;
};

void check_exactly(const Boxes& a, const Boxes& b, Random& random, DepthCounts& counts) {
  const double truth = exact_depth(a, b);
  const Placed pa = at(a.soup(random).mesh(true)), pb = at(b.soup(random).mesh(true));
  const Distance d = distance(pa, pb);
  if (truth == 0) {
    EXPECT_GE(d.value + d.tolerance, 0);
    return;
  }
  ++counts.overlaps;
  const Distance checked = check(pa, pb, 1e-7);
  EXPECT_LE(checked.value, -truth + 1e-9) << "no translation that short separates";
  EXPECT_GE(checked.value + checked.tolerance, -truth - 1e-9) << "the tolerance reaches the truth";
  if (d.tolerance < 1e-9) ++counts.tight;
  if (d.value > -truth - 1e-6) ++counts.exact;
  counts.worst = std::max(counts.worst, -d.value - truth);
  EXPECT_TRUE(collide(pa, pb, {.margin = -truth + 1e-6}));
}

TEST(SolidDepth, OfUnionsOfBoxesEnclosesTheExactOne) {
  Random random(11);
  DepthCounts counts;
  for (int i = 0, n = scaled(400); i < n && !HasFailure(); ++i) {
    SCOPED_TRACE(testing::Message() << "pair " << i);
    const Boxes a = random_boxes(random, 1 + i % 3), b = random_boxes(random, 1 + i / 3 % 2);
    check_exactly(a, b, random, counts);
  }
  EXPECT_GT(counts.overlaps, 0);
  RecordProperty("overlaps", counts.overlaps), RecordProperty("tight", counts.tight);
  RecordProperty("exact", counts.exact), RecordProperty("worst_excess", std::to_string(counts.worst));
  EXPECT_GE(counts.exact, counts.overlaps * 9 / 10) << "worst: " << counts.worst;
}

TEST(SolidDepth, OfUnionsWithFlatPartsEnclosesTheExactOne) {
  // A sheet away from a cube: what lies between them is outside.
  Soup apart = box_soup({0, 0, 0}, {1, 1, 1});
  apart.add(box_soup({5, 0, 0}, {5, 1, 1}));
  const Placed body = at(apart.mesh(true));
  expect_depth(body, at(box_soup({0.9, 0, 0}, {2, 1, 1}).mesh(true)), 0.1);
  expect_depth(body, at(graze::Box{.half = {0.5, 0.5, 0.5}}, Pose::at({1.25, 0.5, 0.5})), 0.25);
  expect_depth(body, at(graze::Box{.half = {0.5, 0.5, 0.5}}, Pose::at({5.25, 0.5, 0.5})), 0.25);
  expect_depth(body, point({1.25, 0.5, 0.5}, 0.5), 0.25);

  Random random(13);
  DepthCounts counts;
  for (int i = 0, n = scaled(400); i < n && !HasFailure(); ++i) {
    SCOPED_TRACE(testing::Message() << "pair " << i);
    const Boxes a = with_sheets(random_boxes(random, 1 + i % 2), random);
    const Boxes b = i % 3 == 0 ? with_sheets(random_boxes(random, 1), random) : random_boxes(random, 1 + i / 3 % 2);
    check_exactly(a, b, random, counts);
  }
  EXPECT_GT(counts.overlaps, 0);
  EXPECT_GE(counts.exact, counts.overlaps * 9 / 10) << "worst: " << counts.worst;
}

TEST(SolidDepth, OfPointsInUnionsOfBoxesIsExact) {
  Random random(12);
  for (int i = 0, n = scaled(600); i < n && !HasFailure(); ++i) {
    SCOPED_TRACE(testing::Message() << "union " << i);
    const Boxes a = random_boxes(random, 1 + i % 4);
    const Placed mesh = at(a.soup(random).mesh(true));
    for (int j = 0; j < 8; ++j) {
      Vec3 p;
      for (int k = 0; k < 3; ++k) p[k] = j % 2 == 0 ? random.integer(-8, 12) / 4.0 : random.uniform(-2, 3);
      const double truth = exact_depth(a, {{{p, p}}}, true);
      const Distance d = distance(mesh, point(p));
      if (truth == 0) {
        EXPECT_GE(d.value, -d.tolerance);
        continue;
      }
      EXPECT_NEAR(d.value, -truth, 1e-9) << p.transpose();
      EXPECT_LE(d.tolerance, 1e-9);
    }
  }
}

TEST(SolidDepth, NotRequestedIsWithinTheTolerance) {
  Random random(21);
  for (int i = 0, n = scaled(400); i < n && !HasFailure(); ++i) {
    const bool solid = i % 2 == 0;
    const Mesh mesh = closed(3, i % 3 == 0, 0.1).mesh(solid);
    Placed other =
        i % 5 == 0 ? at(closed(2, true).mesh(solid))
                   : placed_of(random_spec(
                         graze_oracle::kKinds[static_cast<std::size_t>(i) % graze_oracle::kKinds.size()], 0.6, random));
    other.pose = random_pose_near(random, Vec3::Zero(), 1);
    const Distance quick = distance(at(mesh), other, {.depth = false}), full = distance(at(mesh), other);
    SCOPED_TRACE(testing::Message() << name_of(other.geometry) << " " << i);
    EXPECT_EQ(quick.value <= 0, full.value <= 0);
    if (full.value > 0) continue;
    EXPECT_LE(quick.value - quick.tolerance, full.value + 1e-12);
    EXPECT_NEAR((quick.on_b - quick.on_a - quick.value * quick.normal).norm(), 0, 1e-9);
  }
}

}  // namespace solid_depth_test
}  // namespace graze_test
