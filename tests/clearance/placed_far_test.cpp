// Models with large coordinates of their own, or large poses of their parts, moved back near the scan by the path: no
// clearance exceeds the true one by more than the stated tolerance, decided in rational arithmetic.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "graze/base/error.h"
#include "graze/clearance/clearance.h"
#include "graze/clearance/report.h"
#include "query/far_bodies.h"
#include "support/scale.h"

namespace graze_test {
namespace placed_far_test {

using graze::Pose;
using graze::Vec3;
using graze::clearance::Model;
using graze::clearance::PointClearance;
using graze::clearance::SweptClearance;

Pose pose_of(const PlainPose& p) { return Pose::from_wxyz(vec3(p.xyz), p.wxyz[0], p.wxyz[1], p.wxyz[2], p.wxyz[3]); }

// The body in the vehicle's frame: shapes at their local pose, meshes and clouds as they are.
Model model_of(const FarBody& body) {
  const graze::Geometry geometry = geometry_of(body);
  if (const auto* mesh = std::get_if<graze::Mesh>(&geometry)) return Model(*mesh);
  if (const auto* cloud = std::get_if<graze::Cloud>(&geometry)) return Model(*cloud, {.threads = 1});
  const std::vector<graze::Placed> shapes{at(geometry, Pose(), body.local ? pose_of(*body.local) : Pose())};
  return Model(shapes);
}

class ClearanceFar : public testing::TestWithParam<int> {};

TEST_P(ClearanceFar, IsNeverOverstatedOrMissed) {
  const int kind = GetParam();
  Random random(91 + static_cast<std::uint64_t>(kind));
  for (int i = 0, n = scaled(200); i < n && !HasFailure(); ++i) {
    const double away = random.chance(0.2) ? 0 : random.magnitude(0, 7);
    Vec3 to = Vec3::Zero();
    if (random.chance(0.3)) to = random.magnitude(0, 7) * vec3(random.direction());
    const bool many = kind >= kFarKinds - 2;
    const FarBody body = far_body(kind, away, !many && random.chance(0.6), far_rotation(random), to, random);
    FarBody point;
    point.spec.kind = Kind::sphere, point.spec.size = {0, 0, 0};
    const Vec3 p = to + random.uniform(0, 2) * vec3(random.direction());
    point.spec.xyz = {p.x(), p.y(), p.z()};
    const FarTruth truth(body, point);

    const Model model = model_of(body);
    const Pose pose = pose_of({body.spec.wxyz, body.spec.xyz});
    const SweptClearance swept(model, std::vector<Pose>{pose}, {.limit = 8, .threads = 1});
    const PointClearance c = swept.at(p);
    const std::string what = json_of(body) + "\n point " + json_of(point);
    ASSERT_TRUE(c.found()) << what;
    EXPECT_LE(swept.tolerance(), 1.1e-9 + 1024 * graze::kEpsilon * (largest(body) + largest(point) + 8)) << what;
    const bool known = truth.convex() || c.clearance > 0;
    EXPECT_FALSE(known && truth.below(std::nextafter(c.clearance - swept.tolerance(), -graze::kInfinity)))
        << "over-stated: " << c.clearance << " ± " << swept.tolerance() << "\n " << what;
    EXPECT_TRUE(!known || !truth.exact() || truth.within(c.clearance + swept.tolerance() + 1e-12 * largest(body)))
        << "under-stated: " << c.clearance << " ± " << swept.tolerance() << "\n " << what;
    // A point exactly at the limit is found, and one exactly at a threshold does not pass it.
    const double gap = truth.gap();
    if (truth.within(gap)) {
      const SweptClearance tight(model, std::vector<Pose>{pose}, {.limit = gap, .threads = 1});
      EXPECT_TRUE(tight.at(p).found()) << "beyond a limit of " << gap << "\n " << what;
      const graze::clearance::ReportOptions options{
          .warn = gap + 1, .fail = std::nextafter(gap, 1e300), .tolerance = swept.tolerance()};
      EXPECT_LE(level_of(c.clearance, options), graze::clearance::Level::fail) << what;
    }
    // Between poses too; and in a block of points, which takes other code paths.
    Vec3 on = pose.translation();
    on.x() += random.uniform(-5, 5);
    const std::vector<Pose> path{Pose::from_matrix(on, pose.rotation()), pose, pose};
    const SweptClearance along(model, path, {.limit = 8, .threads = 1});
    EXPECT_LE(along.at(p).clearance, c.clearance + along.tolerance() + swept.tolerance()) << what;
    if (i % 8 != 0) continue;
    const std::vector<Vec3> block(300, p);
    std::vector<PointClearance> results(block.size());
    along.measure(block, results);
    EXPECT_LE(results[7].clearance, c.clearance + along.tolerance() + swept.tolerance()) << what;
  }
}

std::vector<int> bounded_kinds() {
  std::vector<int> kinds;
  for (int kind = 0; kind < kFarKinds; ++kind) {
    const bool many = kind >= kFarKinds - 2;
    if (many || !unbounded(graze_oracle::kKinds[static_cast<std::size_t>(kind)])) kinds.push_back(kind);
  }
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(All, ClearanceFar, testing::ValuesIn(bounded_kinds()),
                         [](const auto& kind) { return far_name(kind.param); });

TEST(ClearanceFar, CountsTheUncertaintyOfTheModel) {
  graze::Placed box = at(graze::Box{.half = {1, 1, 1}});
  box.uncertainty = 0.25;
  const std::vector<graze::Placed> shapes{at(graze::Box{.half = {1, 1, 1}}, Pose::at({0, 5, 0})), box};
  const Model model(shapes);
  EXPECT_EQ(model.uncertainty(), 0.25);
  const SweptClearance swept(model, std::vector<Pose>{Pose()}, {.limit = 0.5});
  EXPECT_GE(swept.tolerance(), 0.25);
  EXPECT_LT(swept.tolerance(), 0.2501);
  // May be 0.5 away, and is said to be 0.5: 0.75 is measured, since it is stated to within 0.25.
  EXPECT_TRUE(swept.at({1.7, 0, 0}).found());
  EXPECT_EQ(swept.at({1.7, 0, 0}).clearance, 0.5);
  EXPECT_FALSE(swept.at({1.8, 0, 0}).found());
  // Clear means clear wherever the model really is.
  const graze::clearance::ReportOptions options{.warn = 0.2, .fail = 0.1, .tolerance = swept.tolerance()};
  EXPECT_EQ(level_of(swept.at({1.2, 0, 0}).clearance, options), graze::clearance::Level::hit);
  EXPECT_EQ(level_of(swept.at({1.3, 0, 0}).clearance, options), graze::clearance::Level::fail);
  EXPECT_EQ(level_of(swept.at({1.4, 0, 0}).clearance, options), graze::clearance::Level::warn);
  EXPECT_EQ(level_of(swept.at({1.49, 0, 0}).clearance, options), graze::clearance::Level::clear);
  EXPECT_EQ(Model::deforming({model, model}).uncertainty(), 0.25);
  EXPECT_EQ(
      Model(graze::Cloud(std::span<const Vec3>(std::vector<Vec3>{{0, 0, 0}})), {.uncertainty = 0.125}).uncertainty(),
      0.125);
  EXPECT_THROW(Model(graze::Mesh(), {.uncertainty = -1}), graze::Error);
  EXPECT_THROW(Model(graze::Mesh(), {.uncertainty = std::nan("")}), graze::Error);
}

}  // namespace placed_far_test
}  // namespace graze_test
