// Every shape rejects invalid numbers at construction, and names the number.
#include <gtest/gtest.h>

#include "graze/shape/shape.h"
#include "support/refusal.h"

namespace graze_test {
namespace validation_test {

using namespace graze;

const double kNan = std::nan("");

TEST(Validation, NamesTheFieldAndTheValue) {
  EXPECT_EQ(refusal([] { return Sphere{.radius = -1}; }), "sphere radius: must be 0 or between 1e-50 and 1e50, got -1");
  EXPECT_EQ(refusal([] { return Capsule{.radius = -1, .half_length = 1}; }),
            "capsule radius: must be 0 or between 1e-50 and 1e50, got -1");
  EXPECT_EQ(refusal([] { return Capsule{.radius = 1, .half_length = kInfinity}; }),
            "capsule half_length: must be 0 or between 1e-50 and 1e50, got inf");
  EXPECT_EQ(refusal([] {
              return Box{.half = {1, -2, 3}};
            }),
            "box half extents: each must be 0 or between 1e-50 and 1e50, got (1, -2, 3)");
  EXPECT_EQ(refusal([] {
              Triangle({1, 2, 3}, {4, kNan, 6}, {7, 8, 9});
            }),
            "triangle b: coordinates must be finite and at most 1e50, got (4, nan, 6)");
  EXPECT_EQ(refusal([] {
              return HalfSpace({0, 0, 0}, 1);
            }),
            "half-space normal: must be finite and not zero, got (0, 0, 0)");
  EXPECT_EQ(refusal([] {
              return Plane({0, kNan, 0}, 1);
            }),
            "plane normal: must be finite and not zero, got (0, nan, 0)");
  const std::vector<Vec3> points{{1, 2, 3}, {4, 5, 6}, {7, -kInfinity, 9}};
  EXPECT_EQ(refusal([&] { return Convex::hull_of(points); }),
            "convex hull point 2: coordinates must be finite and at most 1e50, got (7, -inf, 9)");
  EXPECT_EQ(refusal([] { return Convex::hull_of({}); }), "convex hull: needs at least one point, got none");
}

// A function that makes a shape from one size, and the field that the error must name.
struct Maker {
  const char* field;
  void (*make)(double);
};

constexpr Maker kMakers[] = {
    {"sphere radius", [](double x) { static_cast<void>(Sphere{.radius = x}); }},
    {"capsule radius", [](double x) { static_cast<void>(Capsule{.radius = x, .half_length = 1}); }},
    {"capsule half_length", [](double x) { static_cast<void>(Capsule{.radius = 1, .half_length = x}); }},
    {"box half extents",
     [](double x) {
       static_cast<void>(Box{.half = {x, 1, 1}});
     }},
    {"box half extents",
     [](double x) {
       static_cast<void>(Box{.half = {1, x, 1}});
     }},
    {"box half extents",
     [](double x) {
       static_cast<void>(Box{.half = {1, 1, x}});
     }},
    {"cylinder radius", [](double x) { static_cast<void>(Cylinder{.radius = x, .half_length = 1}); }},
    {"cylinder half_length", [](double x) { static_cast<void>(Cylinder{.radius = 1, .half_length = x}); }},
    {"cone radius", [](double x) { static_cast<void>(Cone{.radius = x, .half_length = 1}); }},
    {"cone half_length", [](double x) { static_cast<void>(Cone{.radius = 1, .half_length = x}); }},
    {"ellipsoid radii",
     [](double x) {
       static_cast<void>(Ellipsoid{.radii = {x, 1, 1}});
     }},
    {"ellipsoid radii",
     [](double x) {
       static_cast<void>(Ellipsoid{.radii = {1, x, 1}});
     }},
    {"ellipsoid radii",
     [](double x) {
       static_cast<void>(Ellipsoid{.radii = {1, 1, x}});
     }},
};

TEST(Validation, RejectsEveryBadSizeOfEveryShape) {
  for (const auto& [field, make] : kMakers) {
    for (const double bad : {kNan, kInfinity, -kInfinity, -1.0, -1e-300, 1e-51, 1e51, 5e-324}) {
      const std::string why = refusal([&, make = make] { make(bad); });
      EXPECT_EQ(why.find(std::string(field) + ": "), 0u) << field << " " << bad << ": " << why;
    }
    for (const double good : {1e-50, 1e-4, 1.0, 1e6, 1e50}) {
      EXPECT_EQ(refusal([&, make = make] { make(good); }), "") << field << " " << good;
    }
    const bool may_be_zero = std::string(field) != "ellipsoid radii";
    EXPECT_EQ(refusal([&, make = make] { make(0); }).empty(), may_be_zero) << field;
    EXPECT_EQ(refusal([&, make = make] { make(-0.0); }).empty(), may_be_zero) << field;
  }
}

TEST(Validation, SuggestsAlternativesToAFlatEllipsoid) {
  EXPECT_EQ(refusal([] { return Ellipsoid{.radii = Vec3(1, 0, 2)}; }),
            "ellipsoid radii: each must be positive and between 1e-50 and 1e50, got (1, 0, 2); for a flat body take a "
            "cylinder of half_length 0 (a disc), a capsule of radius 0 (a segment) or a convex of points");
}

TEST(Validation, RejectsBadCoordinates) {
  for (const double bad : {kNan, kInfinity, -kInfinity, 1e51, -1e51}) {
    for (int axis = 0; axis < 3; ++axis) {
      Vec3 p(1, 2, 3);
      p[axis] = bad;
      EXPECT_EQ(refusal([&] { return Triangle(p, {0, 0, 0}, {1, 0, 0}); }).find("triangle a: "), 0u);
      EXPECT_EQ(refusal([&] { return Triangle({0, 0, 0}, p, {1, 0, 0}); }).find("triangle b: "), 0u);
      EXPECT_EQ(refusal([&] { return Triangle({0, 0, 0}, {1, 0, 0}, p); }).find("triangle c: "), 0u);
      const std::vector<Vec3> points{{0, 0, 0}, p};
      EXPECT_EQ(refusal([&] { return Convex::hull_of(points); }).find("convex hull point 1: "), 0u);
    }
  }
  EXPECT_EQ(refusal([] { return Triangle({1, 1, 1}, {1, 1, 1}, {1, 1, 1}); }), "") << "a point is a triangle too";
}

TEST(Validation, PlanesAcceptNormalsOfAnyLength) {
  for (const double length : {1e-300, 1e-9, 1.0, 3.0, 1e9, 1e300}) {
    const Vec3 normal = Vec3(2, -1, 2) * (length / 3);
    const HalfSpace h(normal, 5 * length);
    EXPECT_LE((h.normal() - Vec3(2, -1, 2) / 3).norm(), 4 * kEpsilon) << length;
    EXPECT_NEAR(h.offset(), 5, 16 * kEpsilon) << length;
    const Plane p(normal, 5 * length);
    EXPECT_EQ(p.normal(), h.normal());
    EXPECT_EQ(p.offset(), h.offset());
  }
  EXPECT_EQ(HalfSpace({0, 0, 5e-324}, 0).normal(), Vec3(0, 0, 1));
  EXPECT_EQ(HalfSpace({0, -7, 0}, 14).normal(), Vec3(0, -1, 0));
  EXPECT_EQ(HalfSpace({0, -7, 0}, 14).offset(), 2);
}

TEST(Validation, PlanesKeepUnitNormalsToTheBit) {
  for (const Vec3& n : {Vec3(0.6, 0.8, 0), Vec3(1, 1, 1).normalized(), Vec3(-0.1, 0.3, 0.7).normalized()}) {
    EXPECT_EQ(HalfSpace(n, 0.1).normal(), n);
    EXPECT_EQ(HalfSpace(n, 0.1).offset(), 0.1);
    EXPECT_EQ(Plane(n, 0.1).normal(), n);
  }
}

TEST(Validation, PlanesRejectOffsetsThatAreNotFinite) {
  for (const double bad : {kNan, kInfinity, -kInfinity, 1e51}) {
    EXPECT_EQ(refusal([&] { return HalfSpace({0, 0, 1}, bad); }).find("half-space offset: "), 0u);
    EXPECT_EQ(refusal([&] { return Plane({0, 0, 1}, bad); }).find("plane offset: "), 0u);
  }
  EXPECT_EQ(refusal([] {
              return HalfSpace({0, 0, 1e-300}, 1);
            }).find("half-space offset: "),
            0u)
      << "1e300 along the normal";
  for (int axis = 0; axis < 3; ++axis) {
    for (const double bad : {kNan, kInfinity, -kInfinity}) {
      Vec3 normal(1, 1, 1);
      normal[axis] = bad;
      EXPECT_EQ(refusal([&] { return HalfSpace(normal, 1); }).find("half-space normal: "), 0u);
      EXPECT_EQ(refusal([&] { return Plane(normal, 1); }).find("plane normal: "), 0u);
    }
  }
}

TEST(Shape, HasAName) {
  const std::vector<Vec3> point{{0, 0, 0}};
  const std::pair<Shape, const char*> named[] = {
      {Sphere{.radius = 1}, "sphere"},
      {Capsule{.radius = 1, .half_length = 1}, "capsule"},
      {Box{.half = {1, 1, 1}}, "box"},
      {Triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0}), "triangle"},
      {Cylinder{.radius = 1, .half_length = 1}, "cylinder"},
      {Cone{.radius = 1, .half_length = 1}, "cone"},
      {Ellipsoid{.radii = {1, 1, 1}}, "ellipsoid"},
      {Convex::hull_of(point), "convex"},
      {HalfSpace({0, 0, 1}, 0), "half-space"},
      {Plane({0, 0, 1}, 0), "plane"},
  };
  for (const auto& [shape, name] : named) EXPECT_EQ(name_of(shape), name);
  EXPECT_EQ(std::size(named), std::variant_size_v<Shape>);
}

}  // namespace validation_test
}  // namespace graze_test
