#include "graze/geometry/bounding.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "graze/shape/shape.h"
#include "support/generator.h"
#include "support/meshes.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze_test {
namespace bounding_test {

using graze::BoundingBox;
using graze::BoundingCapsule;
using graze::BoundingSphere;
using graze::Cloud;
using graze::Convex;
using graze::Mesh;
using graze::Pose;
using graze::Vec3;
using Points = std::vector<Vec3>;
using Exact = std::array<mpq_class, 3>;

// --- the exact truth about containment ------------------------------------------------------------------------------

using ExactMatrix = std::array<std::array<mpq_class, 3>, 3>;

// The matrices that take points of the world into the frame: the transpose of the rotation, and its exact inverse.
std::array<ExactMatrix, 2> inverses(const Pose& pose) {
  ExactMatrix r, transpose, inverse;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      r[i][j] = pose.rotation()(static_cast<int>(i), static_cast<int>(j));
      transpose[j][i] = r[i][j];
    }
  }
  mpq_class determinant = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      inverse[j][i] = r[i1][j1] * r[i2][j2] - r[i1][j2] * r[i2][j1];
      if (i == 0) determinant += r[0][j] * inverse[j][0];
    }
  }
  for (auto& row : inverse) {
    for (mpq_class& x : row) x /= determinant;
  }
  return {transpose, inverse};
}

Exact times(const ExactMatrix& m, const Exact& v) {
  Exact product;
  for (std::size_t i = 0; i < 3; ++i) product[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
  return product;
}

Exact difference(const Vec3& a, const Vec3& b) {
  Exact d;
  for (int k = 0; k < 3; ++k) d[static_cast<std::size_t>(k)] = mpq_class(a[k]) - mpq_class(b[k]);
  return d;
}

mpq_class square(const mpq_class& x) { return x * x; }

// `within` says whether a point of the frame is inside.
template <class Within>
int outside(const Points& points, const Pose& pose, const Within& within) {
  int count = 0;
  const auto matrices = inverses(pose);
  for (const Vec3& p : points) {
    const Exact d = difference(p, pose.translation());
    for (const ExactMatrix& m : matrices) count += within(times(m, d)) ? 0 : 1;
  }
  return count;
}

int outside(const Points& points, const BoundingSphere& b, double grow = 0) {
  const mpq_class radius = mpq_class(b.sphere.radius) - grow;
  return outside(points, b.pose, [&](const Exact& p) {
    return radius >= 0 && square(p[0]) + square(p[1]) + square(p[2]) <= square(radius);
  });
}

int outside(const Points& points, const BoundingBox& b, double grow = 0) {
  return outside(points, b.pose, [&](const Exact& p) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (abs(p[k]) > mpq_class(b.box.half.value()[static_cast<int>(k)]) - grow) return false;
    }
    return true;
  });
}

int outside(const Points& points, const BoundingCapsule& b, double grow = 0) {
  const mpq_class radius = mpq_class(b.capsule.radius) - grow, half = double(b.capsule.half_length);
  return outside(points, b.pose, [&](const Exact& p) {
    const mpq_class beyond = abs(p[2]) - half;
    return radius >= 0 && square(p[0]) + square(p[1]) + (beyond > 0 ? square(beyond) : mpq_class(0)) <= square(radius);
  });
}

// --- points of every kind -------------------------------------------------------------------------------------------

enum class Kind {
  cube,
  gauss,
  lattice,
  line,
  plane,
  sphere,
  circle,
  duplicates,
  needle,
  pancake,
  near_pairs,
  cocircular
};
constexpr Kind kKinds[] = {Kind::cube,   Kind::gauss,   Kind::lattice,    Kind::line,
                           Kind::plane,  Kind::sphere,  Kind::circle,     Kind::duplicates,
                           Kind::needle, Kind::pancake, Kind::near_pairs, Kind::cocircular};

Points some_points(Kind kind, int count, Generator& random) {
  Points points;
  const Pose pose = random.pose(1);
  for (int i = 0; i < count; ++i) {
    Vec3 p = random.in_cube(1);
    switch (kind) {
      case Kind::cube:
        break;
      case Kind::gauss:
        p = p + random.in_cube(1) + random.in_cube(1) + random.in_cube(1);
        break;
      case Kind::lattice:
        p = Vec3(random.integer(-2, 2), random.integer(-2, 2), random.integer(-2, 2));
        break;
      case Kind::line:
        p = pose * Vec3(p.x(), 0, 0);
        break;
      case Kind::plane:
        p = pose * Vec3(p.x(), p.y(), 0);
        break;
      case Kind::sphere:
        p = random.direction();
        break;
      case Kind::circle:
        p = pose * Vec3(std::cos(i), std::sin(i), 0);
        break;
      case Kind::duplicates:
        if (i > 3) p = points[static_cast<std::size_t>(i % 3)];
        break;
      case Kind::needle:
        p = pose * p.cwiseProduct(Vec3(1, 1e-6, 1e-7));
        break;
      case Kind::pancake:
        p = pose * p.cwiseProduct(Vec3(1, 1, 1e-9));
        break;
      case Kind::near_pairs:
        if (i % 2 == 1) p = points.back() + random.in_cube(random.magnitude(-15, -3));
        break;
      case Kind::cocircular:  // eight corners of a box: exactly on one sphere, many of them on one circle
        p = Vec3(i & 1 ? 1 : -1, i & 2 ? 2 : -2, i & 4 ? 3 : -3);
        break;
    }
    points.push_back(p);
  }
  return points;
}

// Where and how large.
struct Setting {
  const char* name;
  double scale;
  Vec3 at;
};
const Setting kSettings[] = {{"here", 1, Vec3(0, 0, 0)},
                             {"1e6 m out", 1, Vec3(1e6, -2e6, 3e5)},
                             {"tiny", 1e-6, Vec3(0, 0, 0)},
                             {"tiny and near", 1e-6, Vec3(1, 2, 3)},
                             {"tiny 1e6 m out", 1e-6, Vec3(1e6, 1e6, 0)},
                             {"huge", 1e12, Vec3(0, 0, 0)},
                             {"hugest", 1e47, Vec3(0, 0, 0)},
                             {"tiniest", 1e-52, Vec3(0, 0, 0)}};

Points placed(Points points, const Setting& setting) {
  for (Vec3& p : points) p = setting.at + setting.scale * p;
  return points;
}

// --- the smallest ball by trying everything -------------------------------------------------------------------------

using Real = long double;
using RealVec = Eigen::Matrix<Real, 3, 1>;

// Of all circumscribed balls of up to four points (centres in their affine hulls) the smallest that contains all
// points.
Real brute_radius(const Points& points) {
  std::vector<RealVec> x;
  for (const Vec3& p : points) x.push_back((p - points[0]).cast<Real>());
  const auto farthest = [&](const RealVec& c) {
    Real largest = 0;
    for (const RealVec& p : x) largest = std::max(largest, (p - c).norm());
    return largest;
  };
  const std::size_t n = x.size();
  Real best = farthest(x[0]);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      best = std::min(best, farthest((x[i] + x[j]) / 2));
      for (std::size_t k = j + 1; k < n; ++k) {
        const RealVec a = x[j] - x[i], b = x[k] - x[i], normal = a.cross(b);
        if (normal.squaredNorm() > 0) {
          const RealVec c =
              (b.squaredNorm() * normal.cross(a) - a.squaredNorm() * normal.cross(b)) / (2 * normal.squaredNorm());
          best = std::min(best, farthest(x[i] + c));
        }
        for (std::size_t l = k + 1; l < n; ++l) {
          const RealVec d = x[l] - x[i];
          const Real volume = normal.dot(d);
          if (volume == 0) continue;
          const RealVec c =
              (d.squaredNorm() * normal + b.squaredNorm() * d.cross(a) + a.squaredNorm() * b.cross(d)) / (2 * volume);
          best = std::min(best, farthest(x[i] + c));
        }
      }
    }
  }
  return best;
}

// What rounding the centre to doubles may add to the radius, relative.
double centre_rounding(const BoundingSphere& b) {
  return b.pose.translation().norm() * 0x1p-53 / std::max(double(b.sphere.radius), 1e-300);
}

TEST(BoundingSphere, IsTheSmallestOfAll) {
  Generator random(1);
  for (int round = 0, n = scaled(60); round < n && !HasFailure(); ++round) {
    for (const Kind kind : kKinds) {
      SCOPED_TRACE(testing::Message() << "kind " << int(kind) << ", round " << round);
      const Points points = some_points(kind, 1 + round % 9, random);
      const BoundingSphere b = graze::bounding_sphere(points);
      const Real truth = brute_radius(points);
      EXPECT_LE(b.sphere.radius, truth * (1 + 1e-12L + 2 * centre_rounding(b)));
      EXPECT_GE(b.sphere.radius, truth * (1 - 1e-15L));
      EXPECT_GE(b.excess, 0);
      EXPECT_LE(b.sphere.radius, truth * (1 + b.excess)) << "the excess is stated";
      EXPECT_LE(b.excess, 1e-12 + 2 * centre_rounding(b));
      EXPECT_EQ(outside(points, b), 0);
    }
  }
}

TEST(BoundingSphere, StatesAnExcessThatIsTinyForManyPointsEverywhere) {
  Generator random(2);
  for (const Setting& setting : kSettings) {
    for (const Kind kind : kKinds) {
      for (const int count : {1, 2, 3, 10, 300}) {
        SCOPED_TRACE(testing::Message() << setting.name << ", kind " << int(kind) << ", " << count << " points");
        const BoundingSphere b = graze::bounding_sphere(placed(some_points(kind, count, random), setting));
        if (b.sphere.radius <= 1e-50) continue;  // the min size of a shape, whatever the points need
        EXPECT_LE(b.excess, 1e-12 + 2 * centre_rounding(b));
      }
    }
  }
}

TEST(BoundingSphere, IsOptimalForKnownSolids) {
  const Points cube = closed(3, false).vertices;
  BoundingSphere b = graze::bounding_sphere(cube);
  EXPECT_NEAR(b.sphere.radius, std::sqrt(3.0), 1e-14);
  EXPECT_LE(b.pose.translation().norm(), 1e-14);
  const Points tetrahedron{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  EXPECT_NEAR(graze::bounding_sphere(tetrahedron).sphere.radius, std::sqrt(3.0), 1e-14);
  Points cylinder;
  for (int i = 0; i < 64; ++i) {
    for (const double z : {-2.0, 2.0})
      cylinder.emplace_back(std::cos(i * std::numbers::pi / 32), std::sin(i * std::numbers::pi / 32), z);
  }
  EXPECT_NEAR(graze::bounding_sphere(cylinder).sphere.radius, std::sqrt(5.0), 1e-14);
  const Points pair{{1, 2, 3}, {1, 2, 7}};
  b = graze::bounding_sphere(pair);
  EXPECT_NEAR(b.sphere.radius, 2, 1e-14);
  EXPECT_EQ(b.pose.translation(), Vec3(1, 2, 5));
  b = graze::bounding_sphere(Points(5, Vec3(0.1, 0.2, 0.3)));
  EXPECT_EQ(b.sphere.radius, 0);
  EXPECT_EQ(b.excess, 0);
  EXPECT_EQ(b.pose.translation(), Vec3(0.1, 0.2, 0.3));
}

TEST(BoundingSphere, RotatesWithThePointsAndGrowsWithMore) {
  Generator random(3);
  for (int round = 0, n = scaled(30); round < n && !HasFailure(); ++round) {
    for (const Kind kind : kKinds) {
      SCOPED_TRACE(testing::Message() << "kind " << int(kind) << ", round " << round);
      const Points points = some_points(kind, 5 + round * 7, random);
      const double radius = graze::bounding_sphere(points).sphere.radius;
      const Pose pose = random.pose(1);
      Points turned, reversed(points.rbegin(), points.rend());
      for (const Vec3& p : points) turned.push_back(pose * p);
      EXPECT_NEAR(graze::bounding_sphere(turned).sphere.radius, radius, 3e-12 * radius + 3e-15);
      EXPECT_NEAR(graze::bounding_sphere(reversed).sphere.radius, radius, 2e-12 * radius);
      Points more = points;
      for (int i = 0; i < 3; ++i) {
        more.push_back(random.in_cube(3));
        EXPECT_GE(graze::bounding_sphere(more).sphere.radius, radius * (1 - 1e-12));
      }
    }
  }
}

TEST(BoundingSphere, HandlesManyPoints) {
  Generator random(4);
  for (const Kind kind : {Kind::cube, Kind::sphere, Kind::circle, Kind::lattice}) {
    const Points points = some_points(kind, scaled(100'000), random);
    const BoundingSphere b = graze::bounding_sphere(points);
    EXPECT_LE(b.excess, 1e-12);
    double farthest = 0;
    for (const Vec3& p : points) farthest = std::max(farthest, (p - b.pose.translation()).norm());
    EXPECT_NEAR(farthest, b.sphere.radius, 1e-13);
  }
}

// --- all three ------------------------------------------------------------------------------------------------------

TEST(Bounding, ContainsEveryPointExactly) {
  Generator random(5);
  for (int round = 0, n = scaled(1); round < n && !HasFailure(); ++round) {
    for (const Setting& setting : kSettings) {
      for (const Kind kind : kKinds) {
        for (const int count : {1, 2, 3, 4, 15}) {
          SCOPED_TRACE(testing::Message() << setting.name << ", kind " << int(kind) << ", " << count << " points");
          const Points points = placed(some_points(kind, count, random), setting);
          EXPECT_EQ(outside(points, graze::bounding_sphere(points)), 0);
          const BoundingBox box = graze::bounding_box(points);
          EXPECT_EQ(outside(points, box), 0);
          EXPECT_GE(box.volume_over_hull, 1);
          const BoundingCapsule capsule = graze::bounding_capsule(points);
          EXPECT_EQ(outside(points, capsule), 0);
          EXPECT_GE(capsule.volume_over_hull, 1);
        }
      }
    }
  }
}

TEST(Bounding, ContainsMorePointsThanTheSearchUses) {
  Generator random(6);
  for (const Kind kind : {Kind::gauss, Kind::sphere, Kind::plane, Kind::needle}) {
    SCOPED_TRACE(testing::Message() << "kind " << int(kind));
    const Points points = placed(some_points(kind, 600, random), kSettings[1]);
    EXPECT_EQ(outside(points, graze::bounding_sphere(points)), 0);
    EXPECT_EQ(outside(points, graze::bounding_box(points)), 0);
    EXPECT_EQ(outside(points, graze::bounding_capsule(points)), 0);
  }
}

TEST(Bounding, IsNeverMuchLargerThanTheObviousOne) {
  Generator random(7);
  for (int round = 0, n = scaled(4); round < n; ++round) {
    for (const Kind kind : {Kind::cube, Kind::gauss, Kind::lattice, Kind::sphere, Kind::needle}) {
      SCOPED_TRACE(testing::Message() << "kind " << int(kind) << ", round " << round);
      const Points points = some_points(kind, 60, random);
      graze::Aabb bounds;
      for (const Vec3& p : points) bounds.extend(p);
      const BoundingBox box = graze::bounding_box(points);
      const double hull = graze::volume(Convex::hull_of(points));
      EXPECT_LE(8 * box.box.half->prod(), 8 * bounds.half().prod() * (1 + 1e-12));
      EXPECT_NEAR(8 * box.box.half->prod() / hull, box.volume_over_hull, 1e-3 * box.volume_over_hull);
      const BoundingSphere sphere = graze::bounding_sphere(points);
      const BoundingCapsule capsule = graze::bounding_capsule(points);
      EXPECT_LE(graze::volume(capsule.capsule), graze::volume(sphere.sphere) * (1 + 1e-12));
      EXPECT_NEAR(graze::volume(capsule.capsule) / hull, capsule.volume_over_hull, 1e-3 * capsule.volume_over_hull);
    }
  }
}

TEST(Bounding, IsTheSameEveryTime) {
  Generator random(8);
  const Points points = some_points(Kind::gauss, 700, random);
  EXPECT_EQ(graze::bounding_sphere(points).pose, graze::bounding_sphere(points).pose);
  EXPECT_EQ(graze::bounding_box(points).pose, graze::bounding_box(points).pose);
  EXPECT_EQ(graze::bounding_capsule(points).pose, graze::bounding_capsule(points).pose);
}

TEST(Bounding, RejectsInputWithoutABound) {
  const Points none;
  EXPECT_EQ(refusal([&] { graze::bounding_sphere(none); }), "bounding sphere: needs at least one point, got none");
  EXPECT_EQ(refusal([&] { graze::bounding_box(none); }), "bounding box: needs at least one point, got none");
  EXPECT_EQ(refusal([&] { graze::bounding_capsule(none); }), "bounding capsule: needs at least one point, got none");
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), graze::kInfinity, -graze::kInfinity, 2e49}) {
    const Points points{{0, 0, 0}, {1, 0, 0}, {0, bad, 0}};
    for (const std::string& text :
         {refusal([&] { graze::bounding_sphere(points); }), refusal([&] { graze::bounding_box(points); }),
          refusal([&] { graze::bounding_capsule(points); })}) {
      EXPECT_NE(text.find(" point 2: coordinates must be finite and at most 1e+49, got (0, "), std::string::npos)
          << text;
    }
  }
  EXPECT_EQ(refusal([&] { graze::bounding_box(Mesh()); }),
            "bounding box: needs at least one triangle, got a mesh without any");
  EXPECT_EQ(refusal([&] { graze::hull_of(Mesh()); }),
            "convex hull: needs at least one triangle, got a mesh without any");
  EXPECT_EQ(refusal([&] { graze::bounding_capsule(Cloud()); }),
            "bounding capsule: needs at least one point, got a cloud without any");
}

TEST(BoundingBox, FindsABoxAtAnyRotation) {
  Generator random(9);
  for (int round = 0, n = scaled(10); round < n; ++round) {
    const Vec3 half(random.uniform(0.1, 1), random.uniform(0.1, 1), random.uniform(0.1, 1));
    const Pose pose = random.pose(3);
    Points points;
    for (int i = 0; i < 8; ++i)
      points.push_back(pose * half.cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
    for (int i = 0; i < 900; ++i) points.push_back(pose * half.cwiseProduct(random.in_cube(1)));
    const BoundingBox b = graze::bounding_box(points);
    EXPECT_NEAR(b.volume_over_hull, 1, 1e-10);
    EXPECT_NEAR(8 * b.box.half->prod(), 8 * half.prod(), 1e-12);
  }
  const BoundingBox upright = graze::bounding_box(closed(2, false).vertices);
  EXPECT_EQ(upright.pose, Pose());
  EXPECT_LE((upright.box.half.value() - Vec3::Ones()).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(BoundingBox, FindsTheCubeAroundATetrahedron) {
  // No face of the tetrahedron lies in a side of its smallest box: each side contains an edge.
  Generator random(10);
  for (int round = 0; round < 10; ++round) {
    const Pose pose = random.pose(1);
    Points points{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    for (Vec3& p : points) p = pose * p;
    EXPECT_NEAR(graze::bounding_box(points).volume_over_hull, 3, 1e-9);
  }
}

TEST(BoundingBox, IsThinAroundFlatInput) {
  Generator random(11);
  const BoundingBox plane = graze::bounding_box(some_points(Kind::plane, 100, random));
  EXPECT_LE(plane.box.half->minCoeff(), 1e-14);
  EXPECT_LE(plane.box.half->maxCoeff(), 1.42);
  EXPECT_EQ(plane.volume_over_hull, graze::kInfinity);
  Vec3 line = graze::bounding_box(some_points(Kind::line, 100, random)).box.half;
  std::sort(line.begin(), line.end());
  EXPECT_LE(line[1], 1e-14);
  EXPECT_LE(line[2], 1);
  EXPECT_EQ(graze::bounding_box(Points{{1, 2, 3}}).box.half.value(), Vec3::Constant(1e-50));
}

TEST(BoundingCapsule, FindsTheAxisOfLongBodies) {
  Generator random(12);
  for (int round = 0, n = scaled(6); round < n; ++round) {
    const Pose pose = random.pose(2);
    Points rod, capsule;
    for (int i = 0; i < 200; ++i) {
      const double angle = random.uniform(0, 2 * std::numbers::pi);
      rod.push_back(pose * Vec3(0.1 * std::cos(angle), 0.1 * std::sin(angle), i % 2 == 0 ? -1 : 1));
      const Vec3 d = random.direction();
      capsule.push_back(pose * Vec3(0.2 * d + Vec3(0, 0, std::copysign(0.7, d.z()))));
    }
    for (int i = 0; i < 48; ++i) {
      const double angle = i * std::numbers::pi / 24;
      capsule.push_back(pose * Vec3(0.2 * std::cos(angle), 0.2 * std::sin(angle), 0.7));
      capsule.push_back(pose * Vec3(0.2 * std::cos(angle), 0.2 * std::sin(angle), -0.7));
    }
    const BoundingCapsule of_rod = graze::bounding_capsule(rod);
    EXPECT_GE(std::abs(of_rod.pose.rotation().col(2).dot(pose.rotation().col(2))), 0.9999);
    // No worse than the thinnest capsule around the whole rod.
    EXPECT_LE(graze::volume(of_rod.capsule), graze::volume(graze::Capsule{.radius = 0.1, .half_length = 1}));
    const BoundingCapsule of_capsule = graze::bounding_capsule(capsule);
    EXPECT_LE(graze::volume(of_capsule.capsule),
              graze::volume(graze::Capsule{.radius = 0.2, .half_length = 0.7}) * (1 + 1e-4));
  }
}

TEST(BoundingCapsule, IsABallWhereThatIsSmaller) {
  const BoundingCapsule b = graze::bounding_capsule(closed(4, true).vertices);
  EXPECT_NEAR(b.capsule.radius, 1, 1e-12);
  EXPECT_LE(b.capsule.half_length, 1e-12);
}

// --- meshes and clouds ----------------------------------------------------------------------------------------------

TEST(Bounding, UsesOnlyVerticesThatTrianglesReferTo) {
  Soup soup = closed(2, false);
  const Points named = soup.vertices;
  soup.vertices.insert(soup.vertices.begin(), Vec3(100, 0, 0));
  soup.vertices.push_back(Vec3(0, 0, 1e9));
  for (graze::MeshTriangle& t : soup.triangles) {
    for (std::uint32_t& i : t) ++i;
  }
  const Mesh mesh = soup.mesh();
  EXPECT_EQ(graze::bounding_sphere(mesh).pose, graze::bounding_sphere(named).pose);
  EXPECT_NEAR(graze::bounding_sphere(mesh).sphere.radius, std::sqrt(3.0), 1e-14);
  EXPECT_NEAR(graze::bounding_box(mesh).volume_over_hull, 1, 1e-10);
  EXPECT_NEAR(graze::bounding_capsule(mesh).capsule.radius, graze::bounding_capsule(named).capsule.radius, 0);
  const Convex hull = graze::hull_of(mesh);
  EXPECT_NEAR(graze::volume(hull), 8, 1e-12);
  EXPECT_EQ(hull.vertices().size(), 8U);
  EXPECT_EQ(hull.stamp(), Convex::hull_of(named).stamp());
}

TEST(Bounding, MakesFlatHullsOfFlatMeshes) {
  const Points corners{{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {9, 9, 9}};
  const std::vector<graze::MeshTriangle> flat{{0, 1, 2}}, line{{0, 1, 1}}, point{{0, 0, 0}};
  std::size_t expected = 3;
  for (const auto& triangles : {flat, line, point}) {
    const Convex hull = graze::hull_of(Mesh(corners, triangles));
    EXPECT_TRUE(hull.flat());
    EXPECT_EQ(hull.vertices().size(), expected--);
  }
}

TEST(Bounding, ContainsTheBallsOfClouds) {
  Generator random(13);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Kind kind : kKinds) {
    SCOPED_TRACE(testing::Message() << "kind " << int(kind));
    Points points = some_points(kind, 20, random);
    points.insert(points.begin() + 5, Vec3(nan, 0, 0));
    const Cloud cloud(graze::PointView(points[0].data(), points.size()), {.radius = 0.3});
    points.erase(points.begin() + 5);
    const BoundingSphere sphere = graze::bounding_sphere(cloud);
    EXPECT_EQ(outside(points, sphere, 0.3), 0);
    EXPECT_LE(sphere.excess, 1e-12);
    EXPECT_NEAR(sphere.sphere.radius, graze::bounding_sphere(points).sphere.radius + 0.3, 1e-14);
    const BoundingBox box = graze::bounding_box(cloud);
    EXPECT_EQ(outside(points, box, 0.3), 0);
    EXPECT_GE(box.volume_over_hull, 1);
    const BoundingCapsule capsule = graze::bounding_capsule(cloud);
    EXPECT_EQ(outside(points, capsule, 0.3), 0);
    EXPECT_GE(capsule.volume_over_hull, 1);
  }
}

}  // namespace bounding_test
}  // namespace graze_test
