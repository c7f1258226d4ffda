// Poses and `local` poses of thousands of kilometres that cancel: their product is rounded, and the answer allows for
// it.
#include <gtest/gtest.h>

#include <cmath>

#include "graze/io/ask.h"
#include "query/far_check.h"
#include "support/scale.h"

namespace graze_test {
namespace placed_far_test {

class AskedFar : public testing::TestWithParam<int> {};

void check(const FarBody& a, const FarBody& b) {
  const graze::Placed at_a = graze::placed_from_json(json_of(a), "a"), at_b = graze::placed_from_json(json_of(b), "b");
  EXPECT_EQ(far_complaints(at_a, at_b, FarTruth(a, b), largest(a) + largest(b)), "")
      << "  a: " << json_of(a) << "\n  b: " << json_of(b);
}

TEST_P(AskedFar, LocalPosesAreNeverMissedOrOverstated) {
  const int first = GetParam();
  for (int second = first; second < kFarKinds; ++second) {
    Random random(7 + 100u * static_cast<std::uint64_t>(first) + static_cast<std::uint64_t>(second));
    for (int i = 0, n = scaled(48); i < n && !HasFailure(); ++i) {
      const auto wxyz = far_rotation(random), other = random.chance(0.5) ? wxyz : far_rotation(random);
      graze::Vec3 to = graze::Vec3::Zero();
      if (random.chance(0.3)) to = random.magnitude(0, 7) * vec3(random.direction());
      const double away = random.magnitude(0, 7), beside = random.uniform(0, 2);
      const FarBody a = far_body(first, away, random.chance(0.7), wxyz, to, random);
      FarBody b = far_body(second, away, random.chance(0.7), other, to + beside * vec3(random.direction()), random);
      check(a, b);
      const graze::Distance d =
          distance(graze::placed_from_json(json_of(a), "a"), graze::placed_from_json(json_of(b), "b"));
      if (!std::isfinite(d.value) || HasFailure()) continue;
      for (std::size_t k = 0; k < 3; ++k) b.spec.xyz[k] -= d.value * d.normal[static_cast<Eigen::Index>(k)];
      check(a, b);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, AskedFar, testing::Range(0, kFarKinds),
                         [](const auto& kind) { return far_name(kind.param); });

TEST(AskedFar, AHullAndATriangleAtGeoReferencedCoordinatesCollide) {
  const std::string question =
      R"({"ask":"collide","a":{"shape":"convex","points":[[1.3400248654725266,-1.3306978049813765,1.2589989352887214],)"
      R"([1.6400248654725267,-1.2306978049813764,1.3589989352887215],)"
      R"([1.4400248654725267,-1.0306978049813764,1.3589989352887215],)"
      R"([1.4400248654725267,-1.2306978049813764,1.5589989352887215]],)"
      R"("pose":{"xyz":[-0.42841279636036855,0.8948689892386532,-0.7466281022003269]}},)"
      R"("b":{"shape":"triangle","points":[[500001,4500000,300],[500000,4500001,300],[500000,4500000,301]],)"
      R"("pose":{"xyz":[-499999.62580529926,-4500000.6907068435,-299.69533377045406]}}})";
  EXPECT_EQ(graze::answer_question(question).text, R"({"collide":true})");
}

TEST(AskedFar, SearchFindsPointsThatPosesMoveBackOntoTheBorder) {
  // 1e7 + 0.1 is rounded by 1e-9; moved back by the pose, the points are where exact sums put them.
  for (const double away : {1e3, 1e5, 1e7}) {
    const double x = away + 0.1, back = 1 - x;  // exact, and so is x + back
    std::ostringstream text;
    text.precision(17);
    text << R"({"ask":"search","in":{"shape":"cloud","points":[[0.25,0,0]],"local":{"xyz":[)" << x
         << R"(,0,0]},"pose":{"xyz":[)" << back << R"(,0,0]}},"volume":{"ball":{"center":[0,0,0],"radius":1.25}}})";
    EXPECT_NE(graze::answer_question(text.str()).text.find("[0]"), std::string::npos)
        << text.str() << "\n"
        << graze::answer_question(text.str()).text;
  }
}

}  // namespace placed_far_test
}  // namespace graze_test
