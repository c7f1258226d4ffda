// Non-convex solids at different rotations, against the exact Minkowski sums of their convex parts.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "graze/graze.h"
#include "oracle/cases.h"
#include "oracle/minkowski.h"
#include "query/placed_of.h"
#include "query/solid_check.h"
#include "support/scale.h"
#include "support/solids.h"

namespace graze_test {
namespace solid_union_test {

using graze::Distance;
using graze::Mesh;
using graze::Placed;
using graze::Pose;
using graze::Vec3;
using graze_oracle::Mat;
using graze_oracle::Polytope;
using graze_oracle::PolytopeUnion;
using graze_oracle::Random;
using graze_oracle::separating_depth;
using graze_oracle::Vec;

Vec around(Random& random, double size) {
  const double x = random.uniform(-size, size), y = random.uniform(-size, size);
  return {x, y, random.uniform(-size, size)};
}

// A box, a tetrahedron or the hull of a few points, turned; its numbers are doubles.
Polytope random_part(Random& random) {
  std::vector<Vec> points;
  const int kind = random.integer(0, 2);
  if (kind == 0) {
    const Vec half = around(random, 0.6) + Vec{0.8L, 0.8L, 0.8L};
    for (int k = 0; k < 8; ++k)
      points.push_back(
          {(k & 1) != 0 ? half.x : -half.x, (k & 2) != 0 ? half.y : -half.y, (k & 4) != 0 ? half.z : -half.z});
  } else {
    for (int k = 0, n = kind == 1 ? 4 : random.integer(5, 8); k < n; ++k) points.push_back(around(random, 1.3));
  }
  const auto q = random.rotation();
  const Mat turn = graze_oracle::rotation_of(q[0], q[1], q[2], q[3]);
  const Vec center = around(random, 1);
  for (Vec& p : points) {
    p = turn * p + center;
    for (int k = 0; k < 3; ++k) p[k] = static_cast<double>(p[k]);
  }
  return graze_oracle::polytope_of(points);
}

PolytopeUnion random_union(Random& random, int count) {
  PolytopeUnion parts;
  for (int i = 0; i < count; ++i) parts.push_back(random_part(random));
  return parts;
}

struct Turned {
  Pose pose;
  Mat rotation;
  Vec translation;
};
Turned random_turn(Random& random) {
  const auto q = random.rotation();
  const Vec t = around(random, 0.8);
  return {Pose::from_wxyz({static_cast<double>(t.x), static_cast<double>(t.y), static_cast<double>(t.z)}, q[0], q[1],
                          q[2], q[3]),
          graze_oracle::rotation_of(q[0], q[1], q[2], q[3]), t};
}

double exact_depth(const PolytopeUnion& a, const PolytopeUnion& b, const Turned& turn) {
  PolytopeUnion placed;
  for (const Polytope& p : b) placed.push_back(moved(p, turn.rotation, turn.translation));
  return static_cast<double>(separating_depth(a, placed));
}

// value − tolerance … value contains minus the truth.
void expect_bounds(const Distance& d, double truth) {
  EXPECT_LE(d.value, -truth + 1e-9) << "no translation that short separates";
  EXPECT_GE(d.value + d.tolerance, -truth - 1e-9) << "the tolerance reaches the truth";
}

TEST(MinkowskiOracle, IsRightForBoxesAndTetrahedra) {
  const auto box = [](const Vec& low, const Vec& high) {
    std::vector<Vec> p;
    for (int k = 0; k < 8; ++k)
      p.push_back({(k & 1) != 0 ? high.x : low.x, (k & 2) != 0 ? high.y : low.y, (k & 4) != 0 ? high.z : low.z});
    return graze_oracle::polytope_of(p);
  };
  const Polytope unit = box({0, 0, 0}, {1, 1, 1});
  EXPECT_EQ(unit.faces.size(), 6U);
  EXPECT_EQ(unit.edges.size(), 3U);
  EXPECT_NEAR(static_cast<double>(separating_depth({unit}, {unit})), 1, 1e-15);
  EXPECT_NEAR(static_cast<double>(separating_depth({unit}, {box({0.75L, 0.5L, 0.5L}, {2, 2, 2})})), 0.25, 1e-15);
  EXPECT_EQ(separating_depth({unit}, {box({1, 0, 0}, {2, 1, 1})}), 0);
  EXPECT_EQ(separating_depth({unit}, {box({3, 0, 0}, {4, 1, 1})}), 0);
  // Two boxes around a gap that is too narrow, and the same with one wide enough.
  const Polytope peg = box({0.4L, 0, 0}, {0.6L, 1, 1});
  const PolytopeUnion narrow{box({-2, -3, -3}, {0.5L, 3, 3}), box({0.65L, -3, -3}, {2, 3, 3})};
  const PolytopeUnion wide{box({-2, -3, -3}, {0.5L, 3, 3}), box({0.75L, -3, -3}, {2, 3, 3})};
  EXPECT_NEAR(static_cast<double>(separating_depth(narrow, {peg})), 1.6, 1e-15);
  EXPECT_NEAR(static_cast<double>(separating_depth(wide, {peg})), 0.1, 1e-15);
  const Polytope corner = graze_oracle::polytope_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  EXPECT_EQ(corner.faces.size(), 4U);
  EXPECT_EQ(corner.edges.size(), 6U);
  EXPECT_NEAR(static_cast<double>(separating_depth({corner}, {box({0.25L, 0.25L, 0.25L}, {2, 2, 2})})),
              0.25 / std::sqrt(3.0), 1e-15);
}

TEST(SolidUnions, EncloseTheExactDepthWhenRotated) {
  Random random(31);
  int overlaps = 0, exact = 0;
  double worst = 0;
  for (int i = 0, n = scaled(120); i < n && !HasFailure(); ++i) {
    SCOPED_TRACE(testing::Message() << "pair " << i);
    const PolytopeUnion a = random_union(random, 2 + i % 3), b = random_union(random, 1 + i / 3 % 2);
    const Turned turn = random_turn(random);
    const double truth = exact_depth(a, b, turn);
    const Placed pa = at(finer(soup_of(a), i % 2).mesh(true)), pb = at(soup_of(b).mesh(true), turn.pose);
    if (!(truth > 1e-6)) {
      const Distance d = distance(pa, pb);
      EXPECT_GE(d.value + d.tolerance, -truth - 1e-9);
      continue;
    }
    ++overlaps;
    const Distance d = check_overlap(pa, pb, 1e-6);
    expect_bounds(d, truth);
    if (-d.value < truth + 1e-6) ++exact;
    worst = std::max(worst, -d.value - truth);
  }
  RecordProperty("overlaps", overlaps), RecordProperty("exact", exact);
  RecordProperty("worst_excess", std::to_string(worst));
  EXPECT_GE(exact, overlaps * 9 / 10) << "of " << overlaps << ", worst: " << worst;
}

// A union of one part is convex: both bounds meet, whatever the triangles.
TEST(SolidUnions, OfOnePartEachAreExact) {
  Random random(32);
  for (int i = 0, n = scaled(120); i < n && !HasFailure(); ++i) {
    SCOPED_TRACE(testing::Message() << "pair " << i);
    const PolytopeUnion a = random_union(random, 1), b = random_union(random, 1);
    const Turned turn = random_turn(random);
    const double truth = exact_depth(a, b, turn);
    if (!(truth > 1e-6)) continue;
    for (const int fine : {0, 2}) {
      const Distance d = check_overlap(at(finer(soup_of(a), fine).mesh(true)),
                                       at(finer(soup_of(b), fine / 2).mesh(true), turn.pose), 1e-6);
      EXPECT_NEAR(d.value, -truth, 1e-9);
      EXPECT_LE(d.tolerance, 1e-9);
    }
  }
}

// Edges split repeatedly at random points: slivers of any shape in faces that are flat up to rounding.
Soup with_slivers(Soup s, Random& random, int splits) {
  for (int i = 0; i < splits; ++i) {
    const graze::MeshTriangle chosen =
        s.triangles[static_cast<std::size_t>(random.integer(0, static_cast<int>(s.triangles.size()) - 1))];
    const std::size_t k = static_cast<std::size_t>(random.integer(0, 2));
    const std::uint32_t from = chosen[k], to = chosen[(k + 1) % 3],
                        middle = static_cast<std::uint32_t>(s.vertices.size());
    s.vertices.emplace_back(s.vertices[from] + random.uniform(0, 1) * (s.vertices[to] - s.vertices[from]));
    std::vector<graze::MeshTriangle> split;
    for (const graze::MeshTriangle& t : s.triangles) {
      const auto has = [&](std::uint32_t v) { return t[0] == v || t[1] == v || t[2] == v; };
      if (!has(from) || !has(to)) {
        split.push_back(t);
        continue;
      }
      for (const std::uint32_t gone : {from, to}) {
        graze::MeshTriangle half = t;
        std::replace(half.begin(), half.end(), gone, middle);
        split.push_back(half);
      }
    }
    s.triangles = split;
  }
  return s;
}

TEST(SolidUnions, OfOnePartEachAreExactWhateverTheirSlivers) {
  Random random(33);
  for (int i = 0, n = scaled(400); i < n && !HasFailure(); ++i) {
    SCOPED_TRACE(testing::Message() << "pair " << i);
    const PolytopeUnion a = random_union(random, 1), b = random_union(random, 1);
    const Turned turn = random_turn(random);
    const double truth = exact_depth(a, b, turn);
    if (truth == 0) continue;
    const Soup fine_a = with_slivers(soup_of(a), random, 10 * (i % 5)),
               fine_b = with_slivers(soup_of(b), random, i % 7);
    const Distance d = distance(at(fine_a.mesh(true)), at(fine_b.mesh(true), turn.pose));
    EXPECT_NEAR(d.value, -truth, 1e-9);
    EXPECT_LE(d.tolerance, 1e-9);
  }
}

// The boundary of a union is where its parts' boundaries are outside of all others: a point leaves it by the shortest
// path, whatever the triangles.
TEST(SolidUnions, ArePointwiseExact) {
  Random random(33);
  int inside = 0;
  for (int i = 0, n = scaled(60); i < n && !HasFailure(); ++i) {
    const PolytopeUnion a = random_union(random, 2 + i % 3);
    const Placed coarse = at(soup_of(a).mesh(true)), fine = at(finer(soup_of(a), 2).mesh(true));
    for (int j = 0; j < 6; ++j) {
      const Vec p = around(random, 1.2);
      SCOPED_TRACE(testing::Message() << "union " << i << ", point " << j);
      const PolytopeUnion b{{{p}, {}, {}, {}}};
      const auto truth = static_cast<double>(separating_depth(a, b));
      if (!(truth > 1e-9)) continue;
      ++inside;
      const Placed q = point_at({static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.z)});
      for (const Placed& body : {coarse, fine}) {
        const Distance d = check_overlap(body, q, 1e-8);
        EXPECT_NEAR(d.value, -truth, 1e-9);
        EXPECT_LE(d.tolerance, 1e-9);
      }
    }
  }
  EXPECT_GT(inside, 0);
}

// Bodies with notches, holes and hollows, and everything that may overlap them.
TEST(SolidUnions, AreLeftByEveryKindOfShape) {
  Random random(34);
  Soup hollow = box_soup({-1, -1, -1}, {1, 1, 1}, 2);
  hollow.add(box_soup({-0.6, -0.6, -0.6}, {0.6, 0.6, 0.6}).turned_inside_out());
  Soup assembly = box_soup({-1, -1, -1}, {0.3, 1, 1}, 2).turned_inside_out();
  assembly.add(box_soup({-0.3, -0.8, -0.7}, {1, 0.6, 0.6}).turned_inside_out());
  const std::vector<Soup> bodies{letter_l(), letter_u(), torus(16, 8, 0.8, 0.3), hollow, assembly};
  int overlaps = 0;
  for (int i = 0, n = scaled(60); i < n && !HasFailure(); ++i) {
    const double scale = i % 4 == 1 ? 1e-3 : i % 4 == 2 ? 1e3 : 1;
    const Placed body = at(bodies[static_cast<std::size_t>(i) % 5].moved(Vec3::Zero(), scale).mesh(true),
                           random_pose_near(random, Vec3::Zero(), scale));
    const auto kind = graze_oracle::kKinds[static_cast<std::size_t>(i) % 9];
    Placed other = i % 9 == 8 ? at(letter_u().moved(Vec3::Zero(), 0.7 * scale).mesh(i % 2 == 0))
                              : placed_of(random_spec(kind, random.uniform(0.3, 1) * scale, random));
    other.pose = random_pose_near(random, body.pose.translation(), 0.8 * scale);
    SCOPED_TRACE(testing::Message() << "pair " << i << " with a " << name_of(other.geometry));
    if (distance(body, other).value > 0) continue;
    ++overlaps;
    check_overlap(body, other, 1e-6 * scale, 1e-8 * scale);
  }
  EXPECT_GT(overlaps, 0);
}

// Where coordinates are rounded, the two are apart after the translation by no more than rounding: the points still
// belong to them.
TEST(SolidUnions, TouchOnTheirSurfacesFarOut) {
  Random random(3);
  for (int i = 0, n = scaled(200); i < n && !HasFailure(); ++i) {
    SCOPED_TRACE(testing::Message() << "pair " << i);
    const double far = i % 2 == 1 ? 1e5 : 1e2;
    const Pose pose = random_pose_near(random, Vec3(far, -far, far / 2), 1);
    Soup s = i % 3 == 0 ? closed(4, true) : i % 3 == 1 ? torus(16, 8, 0.8, 0.3) : letter_u();
    for (Vec3& v : s.vertices) v = pose.rotation() * v + pose.translation();
    const Mesh mesh = s.mesh(true);
    const Placed a = at(mesh);
    const Placed b = at(mesh, i % 5 == 0 ? Pose::at({0, 0, 0}) : Pose::at({random.uniform(-0.5, 0.5), 0.1, 0.2}));
    const Distance d = distance(a, b);
    EXPECT_LE(off_surface(a, d.on_a), 1e-6);
    EXPECT_LE(off_surface(b, d.on_b), 1e-6);
  }
}

}  // namespace solid_union_test
}  // namespace graze_test
