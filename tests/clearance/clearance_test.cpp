#include "graze/clearance/clearance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "apps/synthetic/tunnel.h"
#include "graze/base/error.h"
#include "graze/clearance/track.h"
#include "graze/clearance/vehicle.h"
#include "graze/motion/motion.h"
#include "support/scale.h"

namespace graze::clearance {
namespace clearance_test {

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  double in(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  Vec3 vec(double size) { return {in(-size, size), in(-size, size), in(-size, size)}; }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }
  Pose turned(const Vec3& position, double angle) {
    const Vec3 axis = vec(1).normalized();
    const double s = std::sin(angle / 2);
    return Pose::from_wxyz(position, std::cos(angle / 2), s * axis.x(), s * axis.y(), s * axis.z());
  }

 private:
  std::mt19937 engine_;
};

Cloud cloud_of(const std::vector<Vec3>& points, double radius = 0) {
  return Cloud(PointView(std::span<const Vec3>(points)), {.radius = radius});
}

// Corner i is on the upper side along x, y and z where bits 0, 1 and 2 of i are set.
Mesh box_of(const std::vector<Vec3>& corners, bool solid = true) {
  const std::vector<MeshTriangle> t{{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return Mesh(corners, t, {.solid = solid});
}

// A closed, slightly bumpy box of triangles.
Mesh closed_box(Dice& dice, const Vec3& half, bool solid) {
  std::vector<Vec3> v;
  for (int i = 0; i < 8; ++i) {
    v.emplace_back((i & 1 ? 1 : -1) * half.x() * dice.in(0.8, 1), (i & 2 ? 1 : -1) * half.y() * dice.in(0.8, 1),
                   (i & 4 ? 1 : -1) * half.z() * dice.in(0.8, 1));
  }
  return box_of(v, solid);
}

enum class What { points, balls, shell, solid, shapes };

Model some_model(Dice& dice, What what, const Vec3& half) {
  switch (what) {
    case What::points:
    case What::balls: {
      std::vector<Vec3> points;
      for (int i = 0; i < 40; ++i) points.emplace_back(dice.vec(1).cwiseProduct(half));
      return Model(cloud_of(points, what == What::balls ? 0.05 : 0));
    }
    case What::shell:
    case What::solid:
      return Model(closed_box(dice, half, what == What::solid));
    case What::shapes: {
      std::vector<Placed> shapes;
      shapes.push_back(at(Box{.half = Vec3(half / 2)}, Pose::at(dice.vec(0.3))));
      shapes.push_back(at(Capsule{.radius = 0.1, .half_length = 0.4}, dice.turned(dice.vec(0.5), 1)));
      shapes.push_back(at(Sphere{.radius = 0.2}, Pose::at(dice.vec(0.6))));
      return Model(shapes);
    }
  }
  return {};
}

enum class How { driving, tumbling, standing, turning };

std::vector<Pose> some_path(Dice& dice, How how, const Vec3& offset) {
  std::vector<Pose> path;
  double yaw = 0;
  Vec3 position = offset;
  const int count = how == How::standing ? 1 : how == How::driving ? 12 : 5;
  for (int i = 0; i < count; ++i) {
    switch (how) {
      case How::driving:
        yaw += dice.in(-0.05, 0.08);
        position += 0.25 * Vec3(std::cos(yaw), std::sin(yaw), 0.02);
        if (i % 5 != 4) path.push_back(Pose::from_rpy(position, 0.02 * i, 0.01, yaw));
        if (i % 4 == 0) path.push_back(Pose::from_rpy(position, 0.02 * i, 0.01, yaw));  // repeated
        break;
      case How::tumbling:
        position += Vec3(0.3, 0.1, 0);
        path.push_back(dice.turned(position, dice.in(1, 3)));
        break;
      case How::standing:
        path.push_back(dice.turned(position, 0.4));
        break;
      case How::turning:
        path.push_back(Pose::from_rpy(position, 0, 0, 1.5 * i));
        break;
    }
  }
  return path;
}

double value_at(const SweptClearance& swept, const PointClearance& r, const Vec3& p) {
  const Pose pose = swept.pose_of(r);
  const Vec3 position = pose.rotation().transpose() * (p - pose.translation());
  return swept.model().distance(position).value;
}

void expect_same(const PointClearance& found, const PointClearance& truth, double limit, double tolerance) {
  if (!truth.found()) {
    EXPECT_TRUE(!found.found() || found.clearance > limit - tolerance) << found.clearance;
    return;
  }
  if (truth.clearance > limit - tolerance && !found.found()) return;
  EXPECT_TRUE(found.found()) << truth.clearance;
  EXPECT_NEAR(found.clearance, truth.clearance, tolerance);
}

class SweptClearanceAll : public testing::TestWithParam<std::tuple<What, How>> {};

TEST_P(SweptClearanceAll, EqualsBruteForce) {
  const auto [what, how] = GetParam();
  for (unsigned seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed * 100 + static_cast<unsigned>(what) * 10 + static_cast<unsigned>(how));
    const Vec3 half = seed == 3 ? Vec3(0.01, 0.008, 0.005) : Vec3(0.9, 0.4, 0.3);
    const double limit = seed == 1 ? 0.05 : 0.4;
    const Model model = some_model(dice, what, half);
    const std::vector<Pose> path = some_path(dice, how, Vec3::Zero());
    const SweptClearance swept(model, path, {.limit = limit});
    for (int i = 0; i < 12; ++i) {
      const Vec3 p = path[static_cast<std::size_t>(dice.below(static_cast<int>(path.size())))] *
                     Vec3(dice.vec(1).cwiseProduct(half * 1.5));
      const PointClearance truth = brute_force_clearance(model, path, p, limit), found = swept.at(p);
      expect_same(found, truth, limit, 2 * kTolerance);
      // The value is that at the reported time, up to the fraction's float32.
      if (found.found() && what != What::shapes) {
        EXPECT_NEAR(value_at(swept, found, p), found.clearance, 1e-6);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, SweptClearanceAll,
                         testing::Combine(testing::Values(What::points, What::balls, What::shell, What::solid,
                                                          What::shapes),
                                          testing::Values(How::driving, How::tumbling, How::standing, How::turning)));

// The block path (scan tree, field, lanes) against the search for a single point, which is checked above.
class SweptBlocks : public testing::TestWithParam<std::tuple<What, How>> {};

TEST_P(SweptBlocks, EqualSinglePoints) {
  const auto [what, how] = GetParam();
  for (unsigned seed = 0; seed < 3; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed * 100 + static_cast<unsigned>(what) * 10 + static_cast<unsigned>(how) + 7);
    const Vec3 half = Vec3(0.9, 0.4, 0.3);
    const double limit = seed == 1 ? 0.03 : 0.2;
    const Vec3 offset = seed == 2 ? Vec3(4.5e6, 5.4e5, 300) : Vec3(0, 0, 0);
    const Model model = some_model(dice, what, half);
    const std::vector<Pose> path = some_path(dice, how, offset);
    std::vector<Vec3> scan;
    for (int i = 0; i < graze_test::scaled(2200); ++i)
      scan.emplace_back(offset + Vec3(dice.in(-3, 6), dice.in(-2, 2), dice.in(-1, 1)));
    for (int i = 0; i < 100; ++i) scan.push_back(scan[static_cast<std::size_t>(i)]);
    scan[17].x() = std::numeric_limits<double>::quiet_NaN();
    scan[18].z() = kInfinity;
    const SweptClearance swept(model, path, {.limit = limit, .threads = 1});
    const SweptClearance two(model, path, {.limit = limit, .threads = 2});
    std::vector<PointClearance> found(scan.size()), again(scan.size());
    std::vector<std::uint8_t> hits(scan.size());
    const Counts counts = swept.measure(scan, found);
    EXPECT_EQ(counts.skipped, 2U);
    EXPECT_TRUE(counts.complete);
    two.measure(scan, again);
    EXPECT_EQ(swept.collide(scan, hits).within, counts.within);
    EXPECT_TRUE(found[17].skipped() && found[18].skipped());
    std::size_t within = 0;
    for (std::size_t i = 0; i < scan.size(); ++i) {
      EXPECT_EQ(found[i], again[i]);
      EXPECT_EQ(hits[i] != 0, found[i].found());
      expect_same(found[i], swept.at(scan[i]), limit, seed == 2 ? 1e-8 : 2 * kTolerance);
      within += found[i].found() ? 1 : 0;
    }
    EXPECT_EQ(within, counts.within);
    if (seed != 1) {
      EXPECT_GT(within, 0U);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, SweptBlocks,
                         testing::Combine(testing::Values(What::points, What::balls, What::shell, What::solid,
                                                          What::shapes),
                                          testing::Values(How::driving, How::tumbling, How::standing, How::turning)));

TEST(SweptClearance, DeformingModelsEqualBruteForce) {
  Dice dice(5);
  const std::vector<Pose> path = some_path(dice, How::tumbling, {4.5e6, 0, 0});
  std::vector<Model> frames;
  for (std::size_t i = 0; i < path.size(); ++i) {
    frames.push_back(some_model(dice, static_cast<What>(i % 5), {0.6, 0.3, 0.2}));
  }
  frames[3] = Model(Mesh());  // vanishes for a while
  const Model model = Model::deforming(frames);
  const SweptClearance swept(model, path, {.limit = 0.3});
  std::size_t found = 0;
  for (int i = 0; i < 150; ++i) {
    const Vec3 p = path[static_cast<std::size_t>(dice.below(static_cast<int>(path.size())))] * dice.vec(0.8);
    const PointClearance truth = brute_force_clearance(model, path, p, 0.3), r = swept.at(p);
    expect_same(r, truth, 0.3, 1e-8);
    found += r.found() ? 1 : 0;
  }
  EXPECT_GT(found, 20U);
}

TEST(SweptClearance, NothingSlipsBetweenPoses) {
  // A rod turns by 90 degrees from one pose to the next: only in between does it pass the point.
  std::vector<Vec3> rod;
  for (int i = 0; i <= 100; ++i) rod.emplace_back(0.01 * i, 0, 0);
  const Model model(cloud_of(rod));
  const std::vector<Pose> path{Pose(), Pose::from_rpy({0, 0, 0}, 0, 0, std::acos(-1.0) / 2)};
  const SweptClearance swept(model, path, {.limit = 0.1});
  const PointClearance r = swept.at({std::sqrt(0.5), std::sqrt(0.5), 0});
  EXPECT_NEAR(r.clearance, 0, 1e-9);
  EXPECT_EQ(r.pose, 0U);
  EXPECT_NEAR(r.fraction, 0.5, 1e-6);
  EXPECT_EQ(r.element, 100U);
}

TEST(SweptClearance, ReportsThePoseOfTheMinimum) {
  const Model model(std::vector<Placed>{at(Box{.half = {1, 1, 1}})});
  const std::vector<Pose> path{Pose::at({0, 0, 0}), Pose::at({10, 0, 0}), Pose::at({10, 10, 0})};
  const SweptClearance swept(model, path, {.limit = 5});
  EXPECT_NEAR(swept.at({5, 3, 0}).clearance, 2, 1e-9);
  EXPECT_NEAR(swept.at({5, 0.25, 0}).clearance, -0.75, 1e-9);  // the exit at the time when it is deepest inside
  EXPECT_EQ(swept.at({10, 13, 0}).pose, 2U);
  EXPECT_EQ(swept.at({10, 13, 0}).fraction, 0);
  EXPECT_EQ(swept.at({100, 0, 0}).clearance, kInfinity);
  EXPECT_FALSE(swept.at({100, 0, 0}).found());
}

TEST(SweptClearance, PointsDeepInsideASolidAreInside) {
  Dice dice(3);
  const Model model(closed_box(dice, {5, 5, 5}, true));
  const std::vector<Pose> path{Pose::at({0, 0, 0}), Pose::at({0.1, 0, 0})};
  const SweptClearance swept(model, path, {.limit = 0.01});
  EXPECT_LT(swept.at({0, 0, 0}).clearance, -3);
  std::vector<Vec3> scan(static_cast<std::size_t>(graze_test::scaled(5000)), Vec3(0, 0, 0));
  std::vector<PointClearance> results(scan.size());
  swept.measure(scan, results);
  for (const PointClearance& r : results) EXPECT_EQ(r, swept.at({0, 0, 0}));
}

TEST(SweptClearance, APointThatSlidesJustOutsideAFaceIsMeasuredQuickly) {
  // In steps of the gap this would take weeks.
  std::vector<Vec3> v;
  for (int i = 0; i < 8; ++i) v.emplace_back(i & 1 ? 500 : -500, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
  const Model train(box_of(v));
  const std::vector<Pose> path{Pose::at({-2000, 0, 0}), Pose::at({2000, 0, 0})};
  const SweptClearance swept(train, path, {.limit = 0.1});
  for (const double gap : {0.0, 1e-10, 5e-10, 1e-9, 1e-7, 1e-5}) {
    EXPECT_NEAR(swept.at({0, 1 + gap, 0}).clearance, gap, 2e-9);
    EXPECT_NEAR(swept.at({0, -0.3, -1 - gap}).clearance, gap, 2e-9);
  }
}

TEST(SweptClearance, PointsThatASolidJustGrazesAreInside) {
  Dice dice(11);
  const Pose aslant = Pose::from_rpy({0.1, 0.2, 0.3}, 0.02, -0.03, 0.01);  // no face is square to an axis
  std::vector<Vec3> v;
  for (int i = 0; i < 8; ++i) v.push_back(aslant * Vec3(i & 1 ? 12.3 : -12.3, i & 2 ? 1.5 : -1.5, i & 4 ? 3 : 0));
  const Model wagon(box_of(v));
  for (const double far : {0.0, 300.0, 4.5e6}) {
    std::vector<Pose> bend;  // of 300 m radius, one pose every 10 cm
    for (int i = 0; i < 400; ++i) {
      const double angle = i * 0.1 / 300;
      bend.push_back(Pose::from_rpy({far + 300 * std::sin(angle), -far + 300 * (1 - std::cos(angle)), 0}, 0, 0, angle));
    }
    const SweptClearance swept(wagon, bend, {.limit = 0.1});
    const double tolerance = kTolerance + 8 * kEpsilon * far;
    for (int i = 0; i < graze_test::scaled(1000); ++i) {
      const double depth = std::pow(10, dice.in(-8.5, -3));
      const auto step = static_cast<std::size_t>(dice.below(399));
      const Pose pose = Motion(bend[step], bend[step + 1]).at(dice.in(0, 1));
      const Vec3 p =
          pose * (aslant * Vec3(dice.in(-12, 12), (1.5 - depth) * (dice.below(2) == 0 ? 1 : -1), dice.in(0.1, 2.9)));
      ASSERT_LE(swept.at(p).clearance, -depth + tolerance) << far << " m away, " << depth << " m deep";
    }
  }
}

TEST(SweptClearance, TheWagonInTheTunnelGrazesThisPoint) {
  synthetic::WagonMesh mesh = synthetic::wagon_mesh();
  for (Vec3& v : mesh.vertices) v = v.cast<float>().cast<double>();  // as in a file
  const Model model(Mesh(mesh.vertices, mesh.triangles, {.solid = true}));
  const Track track(synthetic::Tunnel({.points = 1000}).track());
  const VehicleRun run = run_along(track, synthetic::wagon(), {.step = 0.1});
  // Leaning as the sum of the up-axes at both bogies, as it did when this was found.
  std::vector<Pose> path;
  for (std::size_t i = 0; i < run.body.size(); ++i) {
    const TrackPosition rear = track.position_at(run.rear[i]), front = track.position_at(run.front[i]);
    const Vec3 up = track.pose_at(rear).rotation().col(2) + track.pose_at(front).rotation().col(2);
    Mat3 rotation;
    rotation.col(0) = unit_vector(front.position - rear.position);
    rotation.col(1) = unit_vector(up.cross(Vec3(rotation.col(0))));
    rotation.col(2) = rotation.col(0).cross(rotation.col(1));
    path.push_back(Pose::from_matrix((rear.position + front.position) / 2, rotation));
  }
  const SweptClearance swept(model, path, {.limit = 0.2});
  // Once reported as just free: a direction computed from a difference of 1e-10 m is only noise.
  EXPECT_NEAR(swept.at({300.2765, -27.51389999999998, 3.4400000000000004}).clearance, -3.7012588e-5, 1e-9);
}

TEST(SweptClearance, HandlesEmptyScansAndCancelledWork) {
  const Model model(std::vector<Placed>{at(Box{.half = {1, 1, 1}})});
  const std::vector<Pose> path{Pose()};
  const SweptClearance swept(model, path);
  EXPECT_EQ(swept.measure({}, {}).within, 0U);
  std::vector<Vec3> scan(10000, Vec3(1, 1, 1));
  std::vector<PointClearance> results(scan.size());
  EXPECT_FALSE(swept.measure(scan, results, Progress([](const ProgressUpdate&) { return false; })).complete);
  std::vector<Vec3> nothing(10000, Vec3::Constant(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_EQ(swept.measure(nothing, results).skipped, nothing.size());
  EXPECT_TRUE(results[5].skipped());
}

TEST(SweptClearance, RejectsInvalidInput) {
  const Model model(std::vector<Placed>{at(Box{.half = {1, 1, 1}})});
  const std::vector<Pose> path{Pose()}, none;
  EXPECT_THROW(SweptClearance(model, none), Error);
  EXPECT_THROW(SweptClearance(model, path, {.limit = -1}), Error);
  EXPECT_THROW(SweptClearance(model, path, {.limit = std::nan("")}), Error);
  EXPECT_THROW(SweptClearance(Model(), path), Error);
  EXPECT_THROW(SweptClearance(Model::deforming({model, model}), path), Error);
  EXPECT_THROW(Model(std::vector<Placed>{at(HalfSpace(Vec3::UnitZ(), 0))}), Error);
  EXPECT_THROW(Model(std::vector<Placed>{at(Cloud())}), Error);
}

}  // namespace clearance_test
}  // namespace graze::clearance
