// First contacts of moving vertices, faces and edges beside exact root isolation.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "graze/base/error.h"
#include "graze/query/first_contact.h"
#include "oracle/exact_contact.h"
#include "support/generator.h"
#include "support/scale.h"

namespace graze_test {
namespace first_contact_test {

using graze::first_contact_edge_edge;
using graze::first_contact_vertex_face;
using graze::FirstContact;
using graze::Vec3;
using graze_oracle::Meeting;
using Points = std::array<Vec3, 4>;

constexpr double kTolerance = 1e-6;

struct Query {
  Meeting meeting = Meeting::vertex_face;
  Points from, to;
};

FirstContact ask(const Query& q, double tolerance = kTolerance) {
  return q.meeting == Meeting::vertex_face ? first_contact_vertex_face(q.from, q.to, {.tolerance = tolerance})
                                           : first_contact_edge_edge(q.from, q.to, {.tolerance = tolerance});
}

graze_oracle::FourPoints plain(const Points& p) {
  graze_oracle::FourPoints out;
  for (std::size_t i = 0; i < 4; ++i) out[i] = {p[i].x(), p[i].y(), p[i].z()};
  return out;
}

std::string text_of(const Query& q) {
  std::string text = q.meeting == Meeting::vertex_face ? "vertex-face" : "edge-edge";
  for (const Points* points : {&q.from, &q.to}) {
    text += points == &q.from ? "\nfrom" : "\nto  ";
    for (const Vec3& p : *points) {
      char line[100];
      std::snprintf(line, sizeof line, " {%a, %a, %a}", p.x(), p.y(), p.z());
      text += line;
    }
  }
  return text;
}

// How far x is from a segment or a face.
double off_segment(const Vec3& x, const Vec3& a, const Vec3& b) {
  const Vec3 e = b - a;
  const double s = e.squaredNorm() > 0 ? std::clamp((x - a).dot(e) / e.squaredNorm(), 0.0, 1.0) : 0;
  return (a + s * e - x).norm();
}
double off_face(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c) {
  const double edges = std::min({off_segment(x, a, b), off_segment(x, b, c), off_segment(x, c, a)});
  const Vec3 n = (b - a).cross(c - a);
  const bool inside =
      n.dot((b - a).cross(x - a)) >= 0 && n.dot((c - b).cross(x - b)) >= 0 && n.dot((a - c).cross(x - c)) >= 0;
  return inside && n.norm() > 0 ? std::min(edges, std::abs(n.normalized().dot(x - a))) : edges;
}

struct Tally {
  int asked = 0, hits = 0, missed = 0, late = 0, wide = 0, false_hits = 0, uncertain = 0, asymmetric = 0;

  void judge(const Query& q) {
    const auto truth = graze_oracle::exact_first_contact(q.meeting, plain(q.from), plain(q.to));
    const FirstContact c = ask(q);
    ++asked;
    hits += truth ? 1 : 0;
    const int before = wrong();
    missed += truth && !c.hit ? 1 : 0;
    late += truth && c.hit && mpq_class(c.time) > truth->high ? 1 : 0;
    false_hits += !truth && c.hit ? 1 : 0;
    uncertain += c.hit && !c.certain ? 1 : 0;
    wide += c.hit && c.certain && !touches(q, c) ? 1 : 0;
    const Query back{q.meeting, q.to, q.from};
    asymmetric += ask(back).hit != c.hit ? 1 : 0;
    asymmetric += ask(relabelled(q)).hit != c.hit ? 1 : 0;
    if (wrong() != before) ADD_FAILURE() << text_of(q) << "\nhit " << c.hit << " at " << c.time << " truth " << !!truth;
  }

  int wrong() const { return missed + late + false_hits + uncertain + wide + asymmetric; }

  static Query relabelled(const Query& q) {
    Query r = q;
    for (Points* p : {&r.from, &r.to}) {
      if (q.meeting == Meeting::vertex_face) std::rotate(p->begin() + 1, p->begin() + 2, p->end());
      else std::rotate(p->begin(), p->begin() + 2, p->end());
    }
    return r;
  }

  // The points of the answer are of the features at its time, and within the tolerance.
  static bool touches(const Query& q, const FirstContact& c) {
    Points p;
    double size = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      p[i] = (1 - c.time) * q.from[i] + c.time * q.to[i];
      size = std::max({size, q.from[i].norm(), q.to[i].norm()});
    }
    const double rounding = 1e-7 * size;  // of points off a sliver, as computed here
    const bool vertex = q.meeting == Meeting::vertex_face;
    const double off_a = vertex ? (p[0] - c.on_a).norm() : off_segment(c.on_a, p[0], p[1]);
    const double off_b = vertex ? off_face(c.on_b, p[1], p[2], p[3]) : off_segment(c.on_b, p[2], p[3]);
    return c.time >= 0 && c.time <= 1 && (c.on_a - c.on_b).norm() <= kTolerance && off_a <= rounding &&
           off_b <= rounding;
  }

  void expect_right() const {
    EXPECT_EQ(missed, 0);
    EXPECT_EQ(late, 0);
    EXPECT_EQ(wide, 0);
    EXPECT_EQ(false_hits, 0) << "of " << asked - hits;
    EXPECT_EQ(uncertain, 0);
    EXPECT_EQ(asymmetric, 0);
    EXPECT_GT(hits, asked / 50);
    EXPECT_LT(hits, asked - asked / 50);
  }
};

Meeting either(Generator& random) { return random.integer(0, 1) == 0 ? Meeting::vertex_face : Meeting::edge_edge; }

Query lattice_query(Generator& random, int half) {
  Query q{either(random), {}, {}};
  for (Points* points : {&q.from, &q.to}) {
    for (Vec3& p : *points)
      p = {double(random.integer(-half, half)), double(random.integer(-half, half)),
           double(random.integer(-half, half))};
  }
  return q;
}

TEST(FirstContact, AgreesWithRootIsolationOnLattices) {
  Generator random(1);
  Tally tally;
  for (int i = 0; i < scaled(5000); ++i) tally.judge(lattice_query(random, 1 + i % 3));
  tally.expect_right();
}

// All in one plane, at any time or by turns; points that coincide; points that do not move.
TEST(FirstContact, AgreesWithRootIsolationOnDegenerateMotions) {
  Generator random(2);
  Tally tally;
  for (int i = 0; i < scaled(5000); ++i) {
    Query q = lattice_query(random, 1 + i % 4);
    const auto flatten = [&](Points& points) {
      for (Vec3& p : points) p.z() = 0;
    };
    switch (i % 6) {
      case 0:
        flatten(q.from);
        flatten(q.to);
        break;
      case 1:
        flatten(q.from);
        break;
      case 2:
        q.from[3] = q.from[2];
        q.to[3] = q.to[2];
        break;
      case 3:
        q.from[1] = q.from[2];
        q.to[1] = q.to[2];
        q.from[3] = q.from[2];
        break;
      case 4:
        q.to = q.from;
        break;
      default:
        for (std::size_t k = 1; k < 4; ++k) q.to[k] = q.from[k] + (q.to[1] - q.from[1]);
        break;
    }
    tally.judge(q);
  }
  tally.expect_right();
}

TEST(FirstContact, AgreesWithRootIsolationOnRandomMotions) {
  Generator random(3);
  Tally tally;
  for (int i = 0; i < scaled(2000); ++i) {
    Query q{either(random), {}, {}};
    const double far = i % 3 == 0 ? 100 : 0;
    const Vec3 offset = random.in_cube(far);
    for (Points* points : {&q.from, &q.to}) {
      for (Vec3& p : *points) p = offset + random.in_cube(1);
    }
    tally.judge(q);
  }
  tally.expect_right();
}

// Motions that touch on the lattice, turned and shifted with rounding: most gaps are some 1e-16, on either side.
TEST(FirstContact, AgreesWithRootIsolationWithinRoundingOfContact) {
  Generator random(4);
  Tally tally;
  while (tally.asked < scaled(600)) {
    Query q = lattice_query(random, 2);
    if (!ask(q).hit) continue;
    const graze::Pose pose = random.pose(random.integer(0, 1) * 3.0);
    for (Points* points : {&q.from, &q.to}) {
      for (Vec3& p : *points) p = pose * p;
    }
    tally.judge(q);
  }
  tally.expect_right();
}

// Edges that coincide at a time but for the last digits of their coordinates, and vertices within a face likewise: only
// signs of quantities far below those of pairs of doubles tell whether they touch.
TEST(FirstContact, AgreesWithRootIsolationWhereOnlyLastDigitsDiffer) {
  Generator random(7);
  Tally tally;
  const auto nearly = [&](double x) { return x + random.integer(-2, 2) * (x == 0 ? 0x1p-54 : std::abs(x) * 0x1p-53); };
  for (int i = 0; i < scaled(800); ++i) {
    Query q{either(random), {}, {}};
    const bool edges = q.meeting == Meeting::edge_edge;
    const double height = 0.5 + random.uniform(0.001, 0.4), end = 0.5 - random.uniform(0.001, 0.4);
    const double slope = random.integer(0, 2) / 3.0;
    for (std::size_t k = 0; k < 4; ++k) {
      const double along = edges    ? static_cast<double>(k % 2)
                           : k == 0 ? random.integer(0, 4) / 4.0
                                    : (static_cast<double>(k) - 1) / 2;
      const bool moves = edges ? k < 2 : k == 0;
      const double y = !edges && k == 3 ? 1.5 : 0.5;
      q.from[k] = {nearly(along), nearly(moves ? height : y), nearly(slope * along)};
      q.to[k] = {nearly(along), nearly(moves ? end : y), nearly(slope * along)};
    }
    tally.judge(q);
  }
  tally.expect_right();
}

// A vertex that misses a corner, an edge or the plane of a face by less and less.
TEST(FirstContact, FindsNarrowMissesFree) {
  for (const double gap : {1e-3, 1e-7, 1e-10, 1e-13, 0x1p-52}) {
    const Points corner = {{{1 + gap, 0, -1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
    Points through = corner;
    through[0].z() = 2;
    EXPECT_FALSE(first_contact_vertex_face(corner, through).hit) << gap;
    EXPECT_FALSE(first_contact_vertex_face(through, corner).hit) << gap;

    const Points side = {{{-1, -gap, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
    Points along = side;
    along[0].x() = 2;
    EXPECT_FALSE(first_contact_vertex_face(side, along).hit) << gap;

    const Points above = {{{-1, 0.25, gap}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
    Points across = above;
    across[0].x() = 2;
    EXPECT_FALSE(first_contact_vertex_face(above, across).hit) << gap;

    const Points parallel = {{{-3, gap, 0}, {-2, gap, 0}, {0, 0, 0}, {1, 0, 0}}};
    Points beside = parallel;
    for (std::size_t i : {0U, 1U}) beside[i].x() += 5;
    EXPECT_FALSE(first_contact_edge_edge(parallel, beside).hit) << gap;
  }
}

TEST(FirstContact, KnowsContactAtTheStart) {
  const Points on_face = {{{0.25, 0.25, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
  Points away = on_face;
  away[0].z() = 1;
  const FirstContact c = first_contact_vertex_face(on_face, away);
  EXPECT_TRUE(c.hit);
  EXPECT_TRUE(c.certain);
  EXPECT_EQ(c.time, 0);
  EXPECT_TRUE(first_contact_vertex_face(on_face, on_face).certain);
  Points origin;
  for (Vec3& p : origin) p.setZero();
  EXPECT_EQ(first_contact_edge_edge(origin, origin).time, 0);
  EXPECT_TRUE(first_contact_edge_edge(origin, origin).certain);
}

TEST(FirstContact, ScalesByPowersOfTwo) {
  Generator random(5);
  for (int i = 0; i < scaled(2000); ++i) {
    const Query q = lattice_query(random, 3);
    const FirstContact c = ask(q);
    for (const double size : {0x1p-990, 0x1p-100, 0x1p100, 0x1p1020}) {
      Query s = q;
      for (Points* points : {&s.from, &s.to}) {
        for (Vec3& p : *points) p *= size;
      }
      const FirstContact d = ask(s, kTolerance * size);
      ASSERT_EQ(c.hit, d.hit) << text_of(q);
      EXPECT_EQ(c.time, d.time);
      EXPECT_EQ(c.certain, d.certain);
    }
  }
}

TEST(FirstContact, WhatIsNotFiniteIsAHitThatIsNotCertain) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), graze::kInfinity, -graze::kInfinity}) {
    for (std::size_t i = 0; i < 8; ++i) {
      Points from = {{{0, 0, 5}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}, to = from;
      (i < 4 ? from : to)[i % 4].y() = bad;
      for (const FirstContact& c : {first_contact_vertex_face(from, to), first_contact_edge_edge(from, to)}) {
        EXPECT_TRUE(c.hit);
        EXPECT_FALSE(c.certain);
        EXPECT_EQ(c.time, 0);
      }
    }
  }
}

TEST(FirstContact, RunningOutOfStepsIsNeverFree) {
  Generator random(6);
  for (int i = 0; i < scaled(1000); ++i) {
    const Query q = lattice_query(random, 3);
    const auto few = [&](int steps) {
      return q.meeting == Meeting::vertex_face ? first_contact_vertex_face(q.from, q.to, {.max_steps = steps})
                                               : first_contact_edge_edge(q.from, q.to, {.max_steps = steps});
    };
    const FirstContact c = ask(q);
    for (const int steps : {1, 2, 5, 20}) {
      const FirstContact d = few(steps);
      if (c.hit) {
        ASSERT_TRUE(d.hit);
        EXPECT_LE(d.time, c.time);
      } else if (d.hit) {
        EXPECT_FALSE(d.certain);
      }
    }
  }
}

TEST(FirstContact, RefusesOptionsThatMeanNothing) {
  Points p;
  for (Vec3& x : p) x.setZero();
  EXPECT_THROW(first_contact_vertex_face(p, p, {.tolerance = 0}), graze::Error);
  EXPECT_THROW(first_contact_edge_edge(p, p, {.tolerance = std::nan("")}), graze::Error);
  EXPECT_THROW(first_contact_edge_edge(p, p, {.max_steps = 0}), graze::Error);
}

}  // namespace first_contact_test
}  // namespace graze_test
