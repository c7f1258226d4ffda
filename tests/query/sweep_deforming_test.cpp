// Meshes that bend: first contacts beside exact root isolation over all pairs of features, and beside samples.
#include "graze/query/sweep_deforming.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "graze/graze.h"
#include "oracle/exact_contact.h"
#include "support/allocations.h"
#include "support/generator.h"
#include "support/meshes.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze_test {
namespace sweep_deforming_test {

using graze::at;
using graze::Mesh;
using graze::MeshTriangle;
using graze::Motion;
using graze::MovingMesh;
using graze::Pose;
using graze::StepContact;
using graze::Sweep;
using graze::Vec3;
using graze_oracle::Meeting;

constexpr double kTolerance = 1e-6;

struct Step {
  Soup from;
  std::vector<Vec3> to;
  MovingMesh mesh(bool solid = false) const { return {from.mesh(solid), to}; }
  Step reversed() const {
    Step r = *this;
    r.from.vertices = to, r.to = from.vertices;
    return r;
  }
};

using Corner = std::array<mpq_class, 3>;
int orientation(const std::array<Vec3, 4>& p) {
  Corner d[3];
  for (std::size_t i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) d[i][static_cast<std::size_t>(k)] = mpq_class(p[i + 1][k]) - mpq_class(p[0][k]);
  }
  const mpq_class volume = d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) -
                           d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
                           d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
  return sgn(volume);
}

bool pierces(const Vec3& p, const Vec3& q, const std::array<Vec3, 3>& f) {
  if (orientation({p, f[0], f[1], f[2]}) * orientation({q, f[0], f[1], f[2]}) >= 0) return false;
  const int turns = orientation({p, q, f[0], f[1]}) + orientation({p, q, f[1], f[2]}) + orientation({p, q, f[2], f[0]});
  return std::abs(turns) == 3;
}

struct Ends {
  std::array<Vec3, 3> from, to;
  Ends(const Step& s, std::size_t triangle) {
    for (std::size_t k = 0; k < 3; ++k) {
      from[k] = s.from.vertices[s.from.triangles[triangle][k]];
      to[k] = s.to[s.from.triangles[triangle][k]];
    }
  }
};

graze_oracle::FourPoints plain(const std::array<Vec3, 4>& p) {
  graze_oracle::FourPoints out;
  for (std::size_t i = 0; i < 4; ++i) out[i] = {p[i].x(), p[i].y(), p[i].z()};
  return out;
}

// No later than this, and by less than 2^-120 no earlier.
std::optional<mpq_class> exact_time(const Ends& a, const Ends& b) {
  std::optional<mpq_class> first;
  const auto take = [&](Meeting meeting, const std::array<Vec3, 4>& from, const std::array<Vec3, 4>& to) {
    const auto c = graze_oracle::exact_first_contact(meeting, plain(from), plain(to));
    if (c && (!first || c->high < *first)) first = c->high;
  };
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    if (pierces(a.from[i], a.from[j], b.from) || pierces(b.from[i], b.from[j], a.from)) return mpq_class(0);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    take(Meeting::vertex_face, {a.from[i], b.from[0], b.from[1], b.from[2]}, {a.to[i], b.to[0], b.to[1], b.to[2]});
    take(Meeting::vertex_face, {b.from[i], a.from[0], a.from[1], a.from[2]}, {b.to[i], a.to[0], a.to[1], a.to[2]});
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t l = (k + 1) % 3;
      take(Meeting::edge_edge, {a.from[i], a.from[j], b.from[k], b.from[l]}, {a.to[i], a.to[j], b.to[k], b.to[l]});
    }
  }
  return first;
}

using Truth = std::map<std::pair<std::uint32_t, std::uint32_t>, mpq_class>;

Truth truth_of(const Step& a, const Step& b) {
  Truth truth;
  for (std::uint32_t i = 0; i < a.from.triangles.size(); ++i) {
    for (std::uint32_t j = 0; j < b.from.triangles.size(); ++j) {
      if (const auto time = exact_time(Ends(a, i), Ends(b, j))) truth[{i, j}] = *time;
    }
  }
  return truth;
}

bool share_vertex(const Step& s, std::size_t i, std::size_t j) {
  for (const std::uint32_t p : s.from.triangles[i]) {
    for (const std::uint32_t q : s.from.triangles[j]) {
      if (s.from.vertices[p] == s.from.vertices[q] && s.to[p] == s.to[q]) return true;
    }
  }
  return false;
}

Truth truth_within(const Step& s) {
  Truth truth;
  for (std::uint32_t i = 0; i < s.from.triangles.size(); ++i) {
    for (std::uint32_t j = i + 1; j < s.from.triangles.size(); ++j) {
      if (share_vertex(s, i, j)) continue;
      if (const auto time = exact_time(Ends(s, i), Ends(s, j))) truth[{i, j}] = *time;
    }
  }
  return truth;
}

// Booleans equal, times never late, gaps within the tolerance, all pairs found and sorted.
void judge(const Sweep& s, const Truth& truth, const std::vector<StepContact>& found, std::size_t count) {
  ASSERT_EQ(s.hit, !truth.empty());
  ASSERT_EQ(count, truth.size());
  ASSERT_LE(count, found.size());
  for (std::size_t i = 0; i < count; ++i) {
    const StepContact& c = found[i];
    const auto at = truth.find({c.a, c.b});
    ASSERT_TRUE(at != truth.end()) << c.a << ", " << c.b;
    EXPECT_LE(mpq_class(c.time), at->second);
    EXPECT_TRUE(c.certain);
    EXPECT_LE((c.on_a - c.on_b).norm(), kTolerance);
    if (i > 0) {
      EXPECT_LE(found[i - 1].time, c.time);
    }
  }
  if (!s.hit) return;
  EXPECT_EQ(s.time, found[0].time);
  if (s.time > 0) {
    EXPECT_EQ(s.contact.a, found[0].a);
    EXPECT_EQ(s.contact.b, found[0].b);
  }
  EXPECT_LT(s.last_free, s.time);
  mpq_class first = truth.begin()->second;
  for (const auto& [pair, time] : truth) first = std::min(first, time);
  EXPECT_LE(mpq_class(s.time), first) << "late";
  EXPECT_LE(s.contact.value, kTolerance);
}

struct Counts {
  int hits = 0, asked = 0;
  void expect_both() const {
    EXPECT_GT(hits, asked / 20);
    EXPECT_LT(hits, asked - asked / 20);
  }
};

void judge_pair(const Step& a, const Step& b, Counts& counts) {
  const Truth truth = truth_of(a, b);
  const MovingMesh mesh_a = a.mesh(), mesh_b = b.mesh();
  const Sweep s = sweep(at(mesh_a), at(mesh_b));
  std::vector<StepContact> found(truth.size() + 5), again(truth.size() + 5);
  const std::size_t count = step_contacts(at(mesh_a), at(mesh_b), found);
  judge(s, truth, found, count);
  ++counts.asked;
  counts.hits += s.hit ? 1 : 0;
  // The other order, several threads, and time reversed.
  const Sweep other = sweep(at(mesh_b), at(mesh_a));
  EXPECT_EQ(other.hit, s.hit);
  EXPECT_EQ(other.time, s.time);
  ASSERT_EQ(step_contacts(at(mesh_a), at(mesh_b), again, {.threads = 3}), count);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(again[i].time, found[i].time);
    EXPECT_EQ(again[i].a, found[i].a);
    EXPECT_EQ(again[i].b, found[i].b);
  }
  EXPECT_EQ(sweep(at(a.reversed().mesh()), at(b.reversed().mesh())).hit, s.hit);
}

void judge_self(const Step& s, Counts& counts) {
  const Truth truth = truth_within(s);
  const MovingMesh mesh = s.mesh();
  const Sweep first = self_sweep(mesh);
  std::vector<StepContact> found(truth.size() + 5);
  const std::size_t count = self_step_contacts(mesh, found);
  judge(first, truth, found, count);
  EXPECT_EQ(self_step_contacts(mesh, found, {.threads = 2}), count);
  EXPECT_EQ(self_sweep(s.reversed().mesh()).hit, first.hit);
  ++counts.asked;
  counts.hits += first.hit ? 1 : 0;
}

Vec3 lattice_point(Generator& random, int half) {
  const int x = random.integer(-half, half), y = random.integer(-half, half);
  return Vec3(x, y, random.integer(-half, half));
}

enum class Kind { lattice, planar, still, together, random };

Step random_step(Generator& random, Kind kind, int triangles, const Vec3& offset) {
  Step s;
  for (int i = 0; i < 3 * triangles; ++i) {
    const Vec3 p = kind == Kind::random ? random.in_cube(1) : lattice_point(random, 2);
    const Vec3 q = kind == Kind::random ? random.in_cube(1) : lattice_point(random, 2);
    s.from.vertices.push_back(p + offset);
    s.to.push_back(q + offset);
  }
  for (int i = 0; i < triangles; ++i) {
    const auto first = static_cast<std::uint32_t>(3 * i);
    s.from.triangles.push_back({first, first + 1, first + 2});
  }
  const Vec3 all = s.to[0] - s.from.vertices[0];
  for (std::size_t i = 0; i < s.to.size(); ++i) {
    if (kind == Kind::planar) s.from.vertices[i].z() = s.to[i].z() = 0;
    if (kind == Kind::still) s.to[i] = s.from.vertices[i];
    if (kind == Kind::together) s.to[i] = s.from.vertices[i] + all;
  }
  return s;
}

TEST(SweepDeforming, AgreesWithRootIsolationOverAllPairs) {
  Generator random(1);
  Counts counts;
  for (int i = 0; i < scaled(60) && !testing::Test::HasFatalFailure(); ++i) {
    SCOPED_TRACE(i);
    const auto kind = static_cast<Kind>(i % 5);
    const auto other = static_cast<Kind>(random.integer(0, 3));
    const Vec3 offset(i % 3 * 2.0, i % 2 * 2.0, 1);
    judge_pair(random_step(random, kind, 2, Vec3::Zero()),
               random_step(random, kind == Kind::random ? kind : other, 2, offset), counts);
  }
  counts.expect_both();
}

// A sheet of squares, each vertex of which moves by itself: neighbours share vertices.
Step sheet(Generator& random, int squares, bool lattice, double reach) {
  Step s;
  for (int y = 0; y <= squares; ++y) {
    for (int x = 0; x <= squares; ++x) {
      s.from.vertices.emplace_back(x, y, 0);
      const Vec3 by = lattice ? lattice_point(random, static_cast<int>(reach)) : random.in_cube(reach);
      s.to.push_back(s.from.vertices.back() + by);
    }
  }
  const auto index = [&](int x, int y) { return static_cast<std::uint32_t>(y * (squares + 1) + x); };
  for (int y = 0; y < squares; ++y) {
    for (int x = 0; x < squares; ++x) {
      s.from.triangles.push_back({index(x, y), index(x + 1, y), index(x + 1, y + 1)});
      s.from.triangles.push_back({index(x, y), index(x + 1, y + 1), index(x, y + 1)});
    }
  }
  return s;
}

TEST(SweepDeforming, AgreesWithRootIsolationWithinOneMesh) {
  Generator random(2);
  Counts counts;
  for (int i = 0; i < scaled(24) && !testing::Test::HasFatalFailure(); ++i) {
    SCOPED_TRACE(i);
    Step s = sheet(random, 2, i % 2 == 0, i % 4 < 2 ? 1 : 2);
    if (i % 6 == 5) {  // vertices of their own, as STL has it
      Step loose;
      loose.from = loosened(s.from);
      for (const MeshTriangle& t : s.from.triangles) {
        for (const std::uint32_t v : t) loose.to.push_back(s.to[v]);
      }
      s = loose;
    }
    judge_self(s, counts);
  }
  EXPECT_GT(counts.hits, 0);
  EXPECT_LT(counts.hits, counts.asked);
}

// Whole rows keep to a plane across an axis, so that edges of one row meet within that plane and never cross it.
TEST(SweepDeforming, OfARegularClothMeetsWithinItsRows) {
  Generator random(31);
  Counts counts;
  for (int run = 0, n = std::max(3, scaled(3)); run < n; ++run) {
    constexpr int kColumns = 4, kRows = 2;
    const int axis = run % 3;
    const double fold = random.uniform(1, 3), squeeze = random.uniform(0.2, 1.2), lean = random.uniform(-0.5, 0.5);
    Step s;
    const auto at_time = [&](double t) {
      std::vector<Vec3> vertices;
      for (int y = 0; y <= kRows; ++y) {
        for (int x = 0; x <= kColumns; ++x) {
          const double along = x * (1 - squeeze * t) + lean * t * (x % 2), across = fold * t * (x % 2);
          Vec3 p;
          p[axis] = y + 0.25 * t, p[(axis + 1) % 3] = along, p[(axis + 2) % 3] = across;
          vertices.push_back(p);
        }
      }
      return vertices;
    };
    s.from.vertices = at_time(0), s.to = at_time(1);
    for (std::uint32_t y = 0; y < kRows; ++y) {
      for (std::uint32_t x = 0; x < kColumns; ++x) {
        const std::uint32_t a = y * (kColumns + 1) + x, b = a + kColumns + 1;
        s.from.triangles.push_back({a, a + 1, b + 1});
        s.from.triangles.push_back({a, b + 1, b});
      }
    }
    SCOPED_TRACE(run);
    judge_self(s, counts);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(counts.hits, 0);
}

// On a lattice of even numbers the middle of a step is exact.
TEST(SweepDeforming, OfHalvesIsThatOfTheWhole) {
  Generator random(3);
  int hits = 0, asked = 0;
  for (int i = 0; i < scaled(400); ++i) {
    Step a = random_step(random, static_cast<Kind>(i % 4), 3, Vec3::Zero());
    Step b = random_step(random, Kind::lattice, 3, Vec3(3, 1, 2));
    Step halves[2][2];
    Step* whole[2] = {&a, &b};
    for (std::size_t k = 0; k < 2; ++k) {
      for (Vec3& v : whole[k]->from.vertices) v *= 2;
      for (Vec3& v : whole[k]->to) v *= 2;
      halves[k][0] = halves[k][1] = *whole[k];
      for (std::size_t v = 0; v < whole[k]->to.size(); ++v)
        halves[k][0].to[v] = halves[k][1].from.vertices[v] = 0.5 * (whole[k]->from.vertices[v] + whole[k]->to[v]);
    }
    const Sweep s = sweep(at(a.mesh()), at(b.mesh()));
    const Sweep first = sweep(at(halves[0][0].mesh()), at(halves[1][0].mesh()));
    const Sweep second = sweep(at(halves[0][1].mesh()), at(halves[1][1].mesh()));
    ASSERT_EQ(s.hit, first.hit || second.hit) << i;
    if (first.hit) {
      EXPECT_LE(s.time, 0.5 + 1e-12);
    }
    ++asked;
    hits += s.hit ? 1 : 0;
  }
  EXPECT_GT(hits, asked / 20);
  EXPECT_LT(hits, asked - asked / 20);
}

// The first sample at which the two are within the margin; 2 if there is none.
template <class Distances>
double first_sample(const Distances& distance_at, double margin) {
  constexpr int kSamples = 200;
  for (int k = 0; k <= kSamples; ++k) {
    const double t = static_cast<double>(k) / kSamples;
    if (distance_at(t) <= margin) return t;
  }
  return 2;
}

template <class Distances>
void judge_samples(const Sweep& s, const Distances& distance_at, double margin, Counts& counts) {
  const double sampled = first_sample(distance_at, margin);
  ++counts.asked;
  counts.hits += s.hit ? 1 : 0;
  if (sampled <= 1) {
    ASSERT_TRUE(s.hit) << "missed what happens at " << sampled;
    EXPECT_LE(s.time, sampled) << "late";
  }
  if (!s.hit) return;
  EXPECT_TRUE(s.certain);
  EXPECT_LE(distance_at(s.time), margin + 1.01 * kTolerance);
  EXPECT_LT(s.last_free, s.time);
  if (s.last_free >= 0) {
    EXPECT_GT(distance_at(s.last_free), margin - 1e-12);
  }
}

Mesh mesh_at(const Step& s, double t) {
  const std::vector<Vec3> now = s.mesh().vertices(t);
  return {now, s.from.triangles};
}

std::vector<graze::Geometry> bodies(Generator& random) {
  std::vector<Vec3> points;
  for (int i = 0; i < 40; ++i) points.push_back(random.in_cube(0.4));
  return {graze::Sphere{0.3},
          graze::Box{{0.2, 0.3, 0.1}},
          graze::Capsule{0.1, 0.3},
          graze::Cylinder{0.2, 0.3},
          graze::Ellipsoid{{0.3, 0.2, 0.1}},
          graze::Triangle({0, 0, 0}, {0.5, 0, 0}, {0, 0.5, 0.2}),
          graze::HalfSpace(Vec3(0, 0, 1), -0.5),
          graze::Plane(Vec3(1, 2, 0), 0.2),
          graze::Cloud(points, {.radius = 0.02}),
          closed(2, true).moved(Vec3::Zero(), 0.3).mesh(),
          closed(2, true).moved(Vec3::Zero(), 0.3).mesh(true)};
}

TEST(SweepDeforming, IsNeverLateAgainstAnyBody) {
  Generator random(4);
  Counts counts;
  for (int i = 0; i < scaled(220) && !testing::Test::HasFatalFailure(); ++i) {
    const auto all = bodies(random);
    const graze::Geometry& body = all[static_cast<std::size_t>(i) % all.size()];
    SCOPED_TRACE(std::string(name_of(body)) + " " + std::to_string(i));
    Step s = sheet(random, 3, false, 0.4);
    const double last = random.integer(0, 1) == 0 ? -1 : 1.6;
    for (Vec3& v : s.from.vertices) v = 0.4 * v + Vec3(-0.6, -0.6, 1.3);
    for (Vec3& v : s.to) v = 0.4 * v + Vec3(-0.6, -0.6, last);
    const Pose pose_a = i % 3 == 0 ? Pose() : random.pose(0.3);
    const Pose from = random.pose(0.4), to = i % 4 == 0 ? from : random.pose(0.4);
    const Motion motion =
        i % 4 == 1 ? Motion::turning(from, to.translation() - from.translation(), Vec3::UnitX(), 0) : Motion(from, to);
    const double margin = i % 5 == 0 ? 0.05 : 0;
    const MovingMesh mesh = s.mesh();
    const auto distance_at = [&](const Motion& m) {
      return [&s, &body, pose_a, m](double t) {
        return distance(at(mesh_at(s, t), pose_a), at(body, m.at(t)), {.depth = false}).value;
      };
    };
    const Sweep answer = sweep(at(mesh, pose_a), graze::at(body, motion), {.margin = margin});
    judge_samples(answer, distance_at(motion), margin, counts);
    const Sweep other = sweep(graze::at(body, motion), at(mesh, pose_a), {.margin = margin});
    EXPECT_EQ(other.time, answer.time);
    EXPECT_EQ(other.contact.on_a, answer.contact.on_b);
  }
  counts.expect_both();
}

TEST(SweepDeforming, OfMeshesElsewhereOrWithAMarginIsNeverLate) {
  Generator random(5);
  Counts counts;
  for (int i = 0; i < scaled(120) && !testing::Test::HasFatalFailure(); ++i) {
    SCOPED_TRACE(i);
    Step a = sheet(random, 2, false, 0.5), b = sheet(random, 2, false, 0.5);
    for (Vec3& v : b.from.vertices) v.z() += 2;
    for (Vec3& v : b.to) v.z() += random.integer(-1, 2);
    const Pose pose_a = i % 3 == 0 ? Pose() : random.pose(1), pose_b = i % 3 == 2 ? random.pose(1) : pose_a;
    const double margin = i % 2 == 0 ? 0.1 : 0;
    const Sweep s = sweep(at(a.mesh(), pose_a), at(b.mesh(), pose_b), {.margin = margin});
    judge_samples(
        s,
        [&](double t) {
          return distance(at(mesh_at(a, t), pose_a), at(mesh_at(b, t), pose_b), {.depth = false}).value;
        },
        margin, counts);
    const Sweep other = sweep(at(b.mesh(), pose_b), at(a.mesh(), pose_a), {.margin = margin});
    EXPECT_EQ(other.time, s.time);
  }
  counts.expect_both();
}

Step falling(double from, double to) {
  Step s;
  s.from.vertices = {{-1, -1, from}, {1, -1, from}, {0, 1, from}};
  s.from.triangles = {{0, 1, 2}};
  for (const Vec3& v : s.from.vertices) s.to.emplace_back(v.x(), v.y(), to);
  return s;
}

TEST(SweepDeforming, KnowsTheTimeOfWhatFallsOnASphere) {
  const Sweep s = sweep(at(falling(3, -1).mesh()), at(graze::Sphere{0.5}));
  EXPECT_TRUE(s.hit);
  EXPECT_LE(s.time, 0.625);
  EXPECT_NEAR(s.time, 0.625, 1e-6);
  EXPECT_NEAR(s.contact.on_b.z(), 0.5, 1e-6);
  EXPECT_FALSE(sweep(at(falling(3, 0.5 + 1e-5).mesh()), at(graze::Sphere{0.5})).hit);
  EXPECT_FALSE(sweep(at(falling(3, -1).mesh()), at(graze::Sphere{0.5}, Pose::at({4, 0, 0}))).hit);
}

TEST(SweepDeforming, KnowsTheTimeOfAMeshThatMovesStraightOn) {
  const Mesh ball = closed(2, true).mesh();  // a corner of it is at z = -1
  const Sweep s = sweep(at(falling(0, 0).mesh()), graze::at(ball, Motion(Pose::at({0, 0, 5}), Pose::at({0, 0, -5}))));
  EXPECT_TRUE(s.hit && s.certain);
  EXPECT_LE(s.time, 0.4);
  EXPECT_NEAR(s.time, 0.4, 1e-6);
  EXPECT_FALSE(sweep(at(falling(0, 0).mesh()), graze::at(ball, Motion(Pose::at({0, 0, 5}), Pose::at({0, 9, 5})))).hit);
}

TEST(SweepDeforming, OfThinSheetsDoesNotTunnel) {
  const Sweep s = sweep(at(falling(1e3, -1e3).mesh()), at(falling(0, 0).mesh()));
  EXPECT_TRUE(s.hit && s.certain);
  EXPECT_NEAR(s.time, 0.5, 1e-9);
  // Sheets that pass each other by a rounding are free, and those that touch are not.
  Step above = falling(1, 0x1p-52), onto = falling(1, 0);
  EXPECT_FALSE(sweep(at(above.mesh()), at(falling(0, 0).mesh())).hit);
  EXPECT_TRUE(sweep(at(onto.mesh()), at(falling(0, 0).mesh())).hit);
}

TEST(SweepDeforming, StartsInContactAtTimeZero) {
  const Sweep crossing = sweep(at(falling(0, 5).mesh()), at(graze::Sphere{0.5}));
  EXPECT_TRUE(crossing.hit);
  EXPECT_EQ(crossing.time, 0);
  EXPECT_LT(crossing.last_free, 0);
  // Inside of a solid, far from its surface; a shell does not know.
  Step small;
  small.from = closed(2, true).moved(Vec3::Zero(), 0.1);
  small.to = small.from.vertices;
  const Mesh shell = closed(3, true).mesh(), solid = closed(3, true).mesh(true);
  EXPECT_FALSE(sweep(at(small.mesh()), at(shell)).hit);
  EXPECT_EQ(sweep(at(small.mesh()), at(solid)).time, 0);
  EXPECT_EQ(sweep(at(solid), at(small.mesh())).time, 0);
  EXPECT_TRUE(sweep(at(small.mesh()), at(solid)).hit);
  EXPECT_TRUE(sweep(at(small.mesh()), at(MovingMesh(solid))).hit);
  EXPECT_FALSE(sweep(at(small.mesh()), at(MovingMesh(shell))).hit);
  Step swallowed = small;
  for (Vec3& v : swallowed.from.vertices) v.x() += 5;
  swallowed.to = small.to;
  EXPECT_TRUE(sweep(at(swallowed.mesh()), at(MovingMesh(solid))).hit);
}

TEST(SweepDeforming, GoesOnFromStepToStep) {
  Step s = falling(3, 2);
  MovingMesh mesh = s.mesh();
  for (double z = 1; z >= -2; --z) {
    const bool hit = sweep(at(mesh), at(graze::Sphere{0.5})).hit;
    const double start = mesh.from().vertices()[0].z(), end = mesh.to()[0].z();
    EXPECT_EQ(hit, start >= -0.5 && end <= 0.5) << start;
    std::vector<Vec3> next(mesh.to().begin(), mesh.to().end());
    for (Vec3& v : next) v.z() = z;
    mesh.advance(next);
  }
}

TEST(SweepDeforming, OfNothingIsFree) {
  const MovingMesh nothing((Mesh()));
  const MovingMesh sheet_mesh = falling(1, -1).mesh();
  EXPECT_FALSE(sweep(at(nothing), at(sheet_mesh)).hit);
  EXPECT_FALSE(sweep(at(nothing), at(graze::Sphere{1})).hit);
  EXPECT_FALSE(sweep(at(sheet_mesh), at(graze::Cloud(std::vector<Vec3>()))).hit);
  EXPECT_FALSE(self_sweep(nothing).hit);
  EXPECT_EQ(self_step_contacts(nothing, {}), 0U);
  EXPECT_EQ(step_contacts(at(nothing), at(sheet_mesh), {}, {.threads = 2}), 0U);
}

TEST(SweepDeforming, GivesTheEarliestWhereThereIsNoRoom) {
  Generator random(6);
  Step s = sheet(random, 12, false, 1.5);
  const MovingMesh mesh = s.mesh();
  std::vector<StepContact> all(10000), few(7);
  const std::size_t count = self_step_contacts(mesh, all);
  ASSERT_GT(count, 20U);
  ASSERT_LT(count, all.size());
  for (const int threads : {1, 2, 5}) {
    EXPECT_EQ(self_step_contacts(mesh, few, {.threads = threads}), count);
    for (std::size_t i = 0; i < few.size(); ++i) {
      EXPECT_EQ(few[i].time, all[i].time);
      EXPECT_EQ(few[i].a, all[i].a);
      EXPECT_EQ(few[i].b, all[i].b);
    }
  }
  EXPECT_EQ(self_step_contacts(mesh, {}), count);
}

TEST(SweepDeforming, DoesNotAllocate) {
  Generator random(7);
  const MovingMesh a = sheet(random, 6, false, 1).mesh(), b = falling(3, -1).mesh();
  const Mesh solid = closed(3, true).mesh(true);
  std::vector<StepContact> found(100);
  const auto placed_a = at(a), placed_b = at(b);
  const auto ball = graze::still(at(graze::Sphere{0.5})), wall = graze::still(at(solid));
  EXPECT_EQ(allocations_of([&] {
              (void)sweep(placed_a, placed_b);
              (void)sweep(placed_a, ball);
              (void)sweep(placed_a, wall);
              (void)self_sweep(a);
              (void)self_step_contacts(a, found);
              (void)step_contacts(placed_a, placed_b, found);
            }),
            0);
}

TEST(SweepDeforming, OutOfStepsIsAHitThatIsNotCertain) {
  const Sweep s = sweep(at(falling(3, -1).mesh()), graze::at(graze::Sphere{0.5}, Motion({}, Pose::at({0.1, 0, 0}))),
                        {.max_steps = 1});
  EXPECT_TRUE(s.hit);
  EXPECT_FALSE(s.certain);
  EXPECT_LE(s.time, 0.625);
}

TEST(SweepDeforming, RefusesOptionsThatMeanNothing) {
  const MovingMesh mesh = falling(1, 0).mesh();
  EXPECT_NE(refusal([&] { (void)self_sweep(mesh, {.tolerance = 0}); }).find("tolerance"), std::string::npos);
  EXPECT_NE(refusal([&] { (void)sweep(at(mesh), at(mesh), {.margin = -1}); }).find("margin"), std::string::npos);
  EXPECT_NE(refusal([&] { (void)sweep(at(mesh), at(graze::Sphere{1}), {.max_steps = 0}); }).find("max_steps"),
            std::string::npos);
  EXPECT_NE(refusal([&] { (void)self_step_contacts(mesh, {}, {.tolerance = -1}); }).find("tolerance"),
            std::string::npos);
}

}  // namespace sweep_deforming_test
}  // namespace graze_test
