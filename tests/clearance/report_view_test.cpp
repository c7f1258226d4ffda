// The data of the pictures in a report, against plain loops.
#include "graze/clearance/report_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "support/generator.h"
#include "support/refusal.h"

namespace graze::clearance {
namespace report_view_test {

using graze_test::Generator;
using graze_test::refusal;

const Aabb kBox{{-5, -1.5, 0}, {5, 1.5, 3}};

struct Scene {
  std::vector<Pose> poses = {Pose::at({0, 0, 0}), Pose::from_rpy({50, 5, 1}, 0, 0, 0.2)};
  std::vector<double> chainage = {0, 50.3};
  std::vector<Vec3> points;
  std::vector<PointClearance> results;

  ReportPath path() const { return {poses, chainage, kBox}; }
};

Scene make_scene(std::uint64_t seed, std::size_t count, const Vec3& origin = Vec3::Zero()) {
  Generator dice(seed);
  Scene s;
  for (Pose& pose : s.poses) pose = pose.moved_to(pose.translation() + origin);
  for (std::size_t i = 0; i < count; ++i) {
    s.points.push_back(origin + Vec3(dice.uniform(-8, 58), dice.uniform(-4, 9), dice.uniform(-1, 5)));
    PointClearance r;
    const double c = dice.uniform(-0.3, 1.2);
    if (c < 0.9) r = {std::round(c * 20) / 20, 0, static_cast<float>(dice.uniform(0, 1)), 0};
    if (i % 50 == 7) {
      s.points.back().x() = std::numeric_limits<double>::quiet_NaN();
      r = {kInfinity, PointClearance::kSkipped, 0, 0};
    }
    s.results.push_back(r);
  }
  return s;
}

Report report_of(const Scene& s) {
  ReportBuilder builder(s.path());
  builder.add(s.points, s.results, 0);
  return std::move(builder).finish();
}

TEST(ReportView, ACodeHasTheLevelAndGrowsWithTheClearance) {
  const ReportOptions o{.warn = 0.2, .fail = 0.1};
  int last = -1;
  for (int k = -300; k <= 300; ++k) {
    const double c = k * 0.002;
    const std::uint8_t code = clearance_code(c, o, 0.5);
    EXPECT_GE(int{code}, last) << c;
    last = code;
    EXPECT_EQ(code >> 6U, static_cast<int>(level_of(c, o))) << c;
  }
  EXPECT_EQ(clearance_code(0.5, o, 0.5), 254);
  EXPECT_EQ(clearance_code(0.500001, o, 0.5), 255);
  EXPECT_EQ(clearance_code(kInfinity, o, 0.5), 255);
  EXPECT_EQ(clearance_code(std::numeric_limits<double>::quiet_NaN(), o, 0.5), 0);
  EXPECT_EQ(clearance_code(0, {.warn = 0, .fail = 0}, 0.5) >> 6U, 0);
}

// All points of a cloud with their codes, from its nodes.
std::multiset<std::array<double, 4>> unpacked(const ReportCloud& cloud) {
  std::multiset<std::array<double, 4>> out;
  for (const ReportCloudNode& n : cloud.nodes) {
    for (std::uint32_t i = n.first; i < n.first + n.count; ++i) {
      std::array<double, 4> p{};
      for (std::size_t k = 0; k < 3; ++k) {
        p[k] =
            double{n.min[k]} + double{n.size} * cloud.places[i][k] / 65535 + cloud.origin[static_cast<Eigen::Index>(k)];
      }
      p[3] = cloud.codes[i];
      out.insert(p);
    }
  }
  return out;
}

TEST(ReportView, ACloudWithinItsBudgetHasEveryPoint) {
  for (const Vec3& origin : {Vec3(0, 0, 0), Vec3(4.5e6, 5.1e5, 220)}) {
    const Scene s = make_scene(1, 20000, origin);
    const Report r = report_of(s);
    ReportCloudBuilder builder(r, s.path(), {.points = 1'000'000, .leaf = 200, .limit = 0.9});
    builder.add(s.points, s.results, 0);
    const ReportCloud cloud = std::move(builder).finish();
    EXPECT_EQ(cloud.places.size(), r.points - r.skipped);
    EXPECT_GT(cloud.nodes.size(), 20U);
    // Matched by rounding to a millimetre grid would be fragile: each must have a partner within half a millimetre.
    std::vector<std::array<double, 4>> have;
    for (const auto& p : unpacked(cloud)) have.push_back(p);
    std::sort(have.begin(), have.end());
    std::size_t found = 0;
    for (std::size_t i = 0; i < s.points.size(); ++i) {
      if (!is_finite(s.points[i])) continue;
      const double code = clearance_code(s.results[i].clearance, r.options, 0.9);
      auto at = std::lower_bound(have.begin(), have.end(), std::array<double, 4>{s.points[i].x() - 2e-3, 0, 0, 0});
      for (; at != have.end() && (*at)[0] < s.points[i].x() + 2e-3; ++at) {
        if ((Vec3((*at)[0], (*at)[1], (*at)[2]) - s.points[i]).norm() < 2e-3 && (*at)[3] == code) {
          ++found;
          break;
        }
      }
    }
    EXPECT_EQ(found, r.points - r.skipped);
  }
}

TEST(ReportView, NodesOfACloudNestAndComeAfterTheirParents) {
  const Scene s = make_scene(2, 20000);
  ReportCloudBuilder builder(report_of(s), s.path(), {.leaf = 100});
  builder.add(s.points, s.results, 0);
  const ReportCloud cloud = std::move(builder).finish();
  std::vector<int> parents(cloud.nodes.size(), 0);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < cloud.nodes.size(); ++i) {
    const ReportCloudNode& n = cloud.nodes[i];
    EXPECT_EQ(n.first, next);
    next += n.count;
    for (std::uint32_t c = n.children; c < n.children + n.child_count; ++c) {
      ASSERT_GT(c, i);
      ASSERT_LT(c, cloud.nodes.size());
      ++parents[c];
      EXPECT_EQ(cloud.nodes[c].size, n.size / 2);
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_GE(cloud.nodes[c].min[k], n.min[k]);
        EXPECT_LE(cloud.nodes[c].min[k], n.min[k] + n.size);
      }
    }
  }
  EXPECT_EQ(next, cloud.places.size());
  EXPECT_EQ(parents[0], 0);
  EXPECT_TRUE(std::all_of(parents.begin() + 1, parents.end(), [](int n) { return n == 1; }));
}

TEST(ReportView, TheRootOfACloudHasThePointsThatAreTooNear) {
  Scene s = make_scene(3, 30000);
  for (PointClearance& r : s.results) {
    if (r.found()) r.clearance = 0.5;
  }
  s.points[100] = {20, 2, 1};
  s.results[100] = {-0.1, 0, 0.4F, 0};
  ReportCloudBuilder builder(report_of(s), s.path(), {.points = 3000, .leaf = 10});
  builder.add(s.points, s.results, 0);
  const ReportCloud cloud = std::move(builder).finish();
  EXPECT_NEAR(static_cast<double>(cloud.places.size()), 3000, 300);
  const ReportCloudNode& root = cloud.nodes[0];
  EXPECT_TRUE(std::any_of(cloud.codes.begin() + root.first, cloud.codes.begin() + root.first + root.count,
                          [](std::uint8_t code) { return code < 64; }));
}

TEST(ReportView, ACloudOfEqualPointsTerminates) {
  Scene s = make_scene(4, 0);
  s.points.assign(5000, Vec3(1, 2, 3));
  s.results.assign(5000, {0.05, 0, 0, 0});
  ReportCloudBuilder builder(report_of(s), s.path(), {.leaf = 10});
  builder.add(s.points, s.results, 0);
  EXPECT_EQ(std::move(builder).finish().places.size(), 5000U);
  const Scene none = make_scene(5, 0);
  EXPECT_TRUE(ReportCloudBuilder(report_of(none), none.path()).finish().nodes.empty());
}

TEST(ReportView, ASectionHasTheWorstPointOfEachCell) {
  const Scene s = make_scene(6, 40000);
  const ReportPath path = s.path();
  const Report r = report_of(s);
  ASSERT_GE(r.clusters.size(), 1U);
  std::vector<ReportPoint> places;
  for (std::size_t i = 0; i < std::min<std::size_t>(r.clusters.size(), 4); ++i) places.push_back(r.clusters[i].worst);
  const SectionOptions o{.thickness = 0.5, .margin = 1, .raster = 32};
  SectionBuilder builder(path, std::array{ReportModel()}, places, o);
  builder.add(std::span(s.points).subspan(9000), std::span(s.results).subspan(9000));
  builder.add(std::span(s.points).first(9000), std::span(s.results).first(9000));
  const std::vector<ReportSection> sections = std::move(builder).finish();
  ASSERT_EQ(sections.size(), places.size());
  for (const ReportSection& section : sections) {
    const Pose pose = path.pose_at(section.place);
    std::map<std::pair<int, int>, double> naive;
    for (std::size_t i = 0; i < s.points.size(); ++i) {
      const Vec3 p = pose.rotation().transpose() * (s.points[i] - pose.translation());
      if (!is_finite(p) || !section.window.contains(p)) continue;
      const auto cell = [&](int axis) {
        const double f = (p[axis] - section.window.min[axis]) / (section.window.max[axis] - section.window.min[axis]);
        return std::min(static_cast<int>(f * 32), 31);
      };
      const auto [at, fresh] = naive.emplace(std::pair(cell(2), cell(1)), s.results[i].clearance);
      if (!fresh) at->second = std::min(at->second, s.results[i].clearance);
    }
    ASSERT_EQ(section.points.size(), naive.size());
    std::size_t k = 0;
    for (const auto& [cell, clearance] : naive) EXPECT_EQ(section.points[k++].clearance, clearance);
    EXPECT_GT(naive.size(), 20U);
  }
}

TEST(ReportView, ASectionCutsTheModel) {
  const std::vector<Placed> parts = {at(Box{.half = {5, 1.5, 1.5}}, Pose::at({0, 0, 1.5}))};
  const ReportModel model = report_model(parts);
  EXPECT_EQ(model.triangles.size(), 12U);
  const Scene s = make_scene(7, 10);
  ReportPoint place;
  place.in_vehicle = {1, 2, 1};
  const std::vector<ReportSection> sections = SectionBuilder(s.path(), std::array{model}, std::array{place}).finish();
  double length = 0;
  for (const ReportSection::Line& line : sections.at(0).outline) {
    length += std::hypot(line.from[0] - line.to[0], line.from[1] - line.to[1]);
  }
  EXPECT_NEAR(length, 12, 1e-5);
}

TEST(ReportView, ModelsOfEveryKindAreDrawn) {
  Generator dice(8);
  std::vector<Vec3> points(1000);
  for (Vec3& p : points) p = dice.in_cube(1);
  points[5].y() = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Vec3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const std::vector<MeshTriangle> triangle = {{0, 1, 2}};
  const std::vector<Placed> parts = {at(Sphere{.radius = 1}), at(Capsule{.radius = 0.5, .half_length = 1}),
                                     at(Cloud(PointView(std::span<const Vec3>(points)))), at(Mesh(corners, triangle))};
  const ReportModel model = report_model(parts, {.points = 200});
  EXPECT_GT(model.triangles.size(), 1000U);
  EXPECT_LE(model.points.size(), 200U);
  EXPECT_GT(model.points.size(), 50U);
  for (const MeshTriangle& t : model.triangles) {
    for (const std::uint32_t corner : t) ASSERT_LT(corner, model.vertices.size());
  }
  EXPECT_NE(refusal([] { report_model(std::vector<Placed>{at(Plane({0, 0, 1}, 0))}); }), "");
}

}  // namespace report_view_test
}  // namespace graze::clearance
