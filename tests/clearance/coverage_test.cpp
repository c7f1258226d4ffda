// Coverage against plain loops, and what must never count as clear.
#include "graze/clearance/coverage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>

#include "graze/clearance/report.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze::clearance {
namespace coverage_test {

using graze_test::refusal;
using graze_test::scaled;

const Aabb kBox{{-10, -1.5, 0.3}, {10, 1.5, 4}};

struct Route {
  std::vector<Pose> poses;
  std::vector<double> chainage;
};

Route straight(double length) {
  Route route;
  const int parts = static_cast<int>(length * 2);
  for (int k = 0; k <= parts; ++k) {
    route.poses.push_back(Pose::at({length * k / parts, 0, 0}));
    route.chainage.push_back(length * k / parts);
  }
  return route;
}

// Walls at y = ±3, a floor and a roof around a path along x, every 0.1 m along and 0.25 m across.
std::vector<Vec3> tube(double from, double to, const std::function<bool(const Vec3&)>& keep = {}) {
  std::vector<Vec3> points;
  for (int i = 0; i < static_cast<int>((to - from) * 10); ++i) {
    const double x = from + 0.1 * i;
    for (double t = 0; t < 6; t += 0.25) {
      for (const Vec3& p : {Vec3(x, 3, t), Vec3(x, -3, t), Vec3(x, t - 3, 0), Vec3(x, t - 3, 6)}) {
        if (!keep || keep(p)) points.push_back(p);
      }
    }
  }
  return points;
}

Report report_of(const Route& route, const std::vector<Vec3>& points, const CoverageOptions& options = {},
                 double bin = 1, int threads = 0) {
  ReportOptions o;
  o.coverage = options, o.bin = bin, o.threads = threads;
  ReportBuilder builder(ReportPath(route.poses, route.chainage, kBox), o);
  builder.add(points, std::vector<PointClearance>(points.size()), 0);  // all beyond the limit
  return std::move(builder).finish();
}

TEST(Coverage, OfATubeIsComplete) {
  const Report r = report_of(straight(100), tube(-12, 112));
  EXPECT_EQ(r.verdict(), Verdict::clear);
  EXPECT_DOUBLE_EQ(r.coverage.from, -10);  // where the rear end is at the start
  EXPECT_DOUBLE_EQ(r.coverage.to, 110);
  EXPECT_DOUBLE_EQ(r.coverage.scanned, 120);
  for (const double seen : r.coverage.seen) EXPECT_NEAR(seen, 120, 1e-9);
  EXPECT_TRUE(r.coverage.gaps.empty());
}

TEST(Coverage, OnlyACompleteScanIsClear) {
  const Route route = straight(100);
  const std::vector<Vec3> whole = tube(-12, 112);
  const auto moved = [&](const std::function<Vec3(const Vec3&)>& move) {
    std::vector<Vec3> out;
    for (const Vec3& p : whole) out.push_back(move(p));
    return out;
  };
  using V = Verdict;
  const auto verdict = [&](const std::vector<Vec3>& points) { return report_of(route, points).verdict(); };
  EXPECT_EQ(verdict({}), V::not_checked);
  EXPECT_EQ(verdict(tube(-12, 30)), V::partly_checked);
  EXPECT_EQ(verdict(tube(-12, -6)), V::not_checked) << "5 of 120 m";
  EXPECT_EQ(verdict(tube(-12, 112, [](const Vec3& p) { return p.y() <= 0; })), V::not_checked);
  EXPECT_EQ(verdict(tube(-12, 112, [](const Vec3& p) { return p.y() >= 0; })), V::not_checked);
  EXPECT_EQ(verdict(tube(-12, 112, [](const Vec3& p) { return p.z() > 2; })), V::not_checked) << "nothing below";
  EXPECT_EQ(verdict(moved([](const Vec3& p) { return Vec3(p + Vec3(0, 40, 0)); })), V::not_checked);
  EXPECT_EQ(verdict(moved([](const Vec3& p) { return Vec3(p + Vec3(0, 0, 20)); })), V::not_checked);
  EXPECT_EQ(verdict(moved([](const Vec3& p) { return Vec3(p + Vec3(0, 0, -20)); })), V::not_checked);
  EXPECT_EQ(verdict(moved([](const Vec3& p) { return Vec3(p + Vec3(60, 0, 0)); })), V::partly_checked);
  EXPECT_NE(verdict(moved([](const Vec3& p) { return Vec3(p.y(), p.x(), p.z()); })), V::clear);
  EXPECT_EQ(verdict(moved([](const Vec3& p) { return Vec3(1000 * p); })), V::not_checked);
  EXPECT_NE(verdict(moved([](const Vec3& p) { return Vec3(0.001 * p); })), V::clear);
  EXPECT_EQ(verdict(whole), V::clear);
  // Hits are hits whatever was not scanned.
  ReportBuilder builder(ReportPath(route.poses, route.chainage, kBox), {});
  const std::vector<Vec3> one = {{50, 1.5, 2}};
  builder.add(one, std::vector<PointClearance>{{0, 100, 0, 0}}, 0);
  EXPECT_EQ(std::move(builder).finish().verdict(), V::fails);
}

TEST(Coverage, OpenTrackNeedsNothingAboveUnlessRequired) {
  const Route route = straight(100);
  const std::vector<Vec3> ground = tube(-12, 112, [](const Vec3& p) { return p.z() < 0.1; });
  std::vector<Vec3> wide = ground;
  for (const Vec3& p : ground) wide.push_back(p + Vec3(0, p.y() < 0 ? -2 : 2, 0));
  const Report r = report_of(route, wide);
  EXPECT_EQ(r.verdict(), Verdict::clear);
  EXPECT_EQ(r.coverage.seen[static_cast<std::size_t>(Side::above)], 0);
  CoverageOptions all;
  all.demanded = {true, true, true, true};
  EXPECT_EQ(report_of(route, wide, all).verdict(), Verdict::not_checked);
  EXPECT_EQ(report_of(route, tube(-12, 112), all).verdict(), Verdict::clear);
  // Without required sides, some point must still be near the path.
  CoverageOptions none;
  none.demanded = {};
  EXPECT_EQ(report_of(route, {}, none).verdict(), Verdict::not_checked);
  EXPECT_EQ(report_of(route, {{50, 2, 1}}, none).verdict(), Verdict::clear);
}

TEST(Coverage, ToleratesGapsUpToTheirLength) {
  const Route route = straight(100);
  const auto without = [](double from, double to) {
    return tube(-12, 112, [=](const Vec3& p) { return !(p.y() > 1.6 && p.x() >= from && p.x() < to); });
  };
  EXPECT_EQ(report_of(route, without(40, 43)).verdict(), Verdict::clear);
  const Report r = report_of(route, without(40, 44));
  EXPECT_EQ(r.verdict(), Verdict::partly_checked);
  ASSERT_EQ(r.coverage.gaps.size(), 1U);
  EXPECT_NEAR(r.coverage.gaps[0].from, 40, 1e-9);
  EXPECT_NEAR(r.coverage.gaps[0].to, 44, 1e-9);
  EXPECT_EQ(r.coverage.gaps[0].unseen, (std::array<bool, kSides>{true, false, false, false}));
  EXPECT_NEAR(r.coverage.scanned, 116, 1e-9);
  EXPECT_EQ(level_name(r.profile[52], r.options), "not scanned");
  EXPECT_EQ(level_name(r.profile[20], r.options), "clear");
  CoverageOptions patient;
  patient.gap = 4;
  EXPECT_EQ(report_of(route, without(40, 44), patient).verdict(), Verdict::clear);
  // The end of the path has one neighbour.
  EXPECT_EQ(report_of(route, without(107, 200)).verdict(), Verdict::clear);
  EXPECT_EQ(report_of(route, without(106, 200)).verdict(), Verdict::partly_checked);
}

TEST(Coverage, CountsEveryPassOfAPathThatComesBack) {
  Route route = straight(60);
  for (int k = 1; k <= 60; ++k) {  // back on a parallel track 4 m beside, facing the opposite direction
    route.poses.push_back(Pose::from_rpy({60.0 - k, 4, 0}, 0, 0, M_PI));
    route.chainage.push_back(
        route.chainage.back() +
        (route.poses.back().translation() - route.poses[route.poses.size() - 2].translation()).norm());
  }
  std::vector<Vec3> points;
  for (double x = -15; x < 75; x += 0.2) {
    for (double y = -6; y < 10; y += 0.5) points.emplace_back(x, y, 0);
  }
  const Report r = report_of(route, points);
  // All but the turn, where a plane across the path belongs to both directions.
  for (const CoverageGap& gap : r.coverage.gaps) {
    EXPECT_GT(gap.from, 45) << gap.from << " to " << gap.to;
    EXPECT_LT(gap.to, 80) << gap.from << " to " << gap.to;
  }
  EXPECT_GT(r.coverage.share(), 0.8);
}

// The rule again, with loops over all points and a search over all poses.
TEST(Coverage, EqualsPlainLoops) {
  for (int seed = 0; seed < scaled(20); ++seed) {
    std::mt19937_64 dice(static_cast<std::uint64_t>(seed) + 1);
    const auto draw = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(dice); };
    const double radius = draw(80, 2000), bin = draw(0.5, 3), step = draw(0.2, 4);
    const Vec3 origin = seed % 3 == 0 ? Vec3(4.5e6, 5.5e5, 300) : Vec3::Zero();
    const auto at = [&](double s, double y, double z) {
      return Vec3(origin + Vec3((radius - y) * std::sin(s / radius), radius - (radius - y) * std::cos(s / radius), z));
    };
    Route route;
    for (double s = 0; s < 100; s += step) {
      route.poses.push_back(Pose::from_rpy(at(s, 0, 0), draw(-0.05, 0.05), 0, s / radius));
      route.chainage.push_back(
          s == 0 ? 0
                 : route.chainage.back() +
                       (route.poses.back().translation() - route.poses[route.poses.size() - 2].translation()).norm());
    }
    std::vector<Vec3> points;
    for (int i = 0; i < 1500; ++i) points.push_back(at(draw(-30, 130), draw(-12, 12), draw(-9, 13)));
    CoverageOptions o;
    o.lookout = draw(0.5, 8), o.points = draw(0.5, 4), o.gap = draw(0, 6);
    const ReportPath path(route.poses, route.chainage, kBox);
    const Report r = report_of(route, points, o, bin);
    std::map<std::int64_t, std::array<std::uint64_t, kSides>> naive;
    for (const Vec3& p : points) {
      std::size_t near = 0;
      for (std::size_t i = 1; i < route.poses.size(); ++i) {
        if ((route.poses[i].translation() - p).norm() < (route.poses[near].translation() - p).norm()) near = i;
      }
      const auto [s, i] = path.place_along(p, near);
      const Vec3 forward = path.direction(i), left = unit_vector(Vec3(route.poses[i].rotation().col(2)).cross(forward));
      const Vec3 off = p - route.poses[i].translation();
      Aabb section;  // of the box's corners in the frame of travel
      for (int corner = 0; corner < 8; ++corner) {
        const Vec3 c = route.poses[i].rotation() * Vec3(corner & 1 ? kBox.max.x() : kBox.min.x(),
                                                        corner & 2 ? kBox.max.y() : kBox.min.y(),
                                                        corner & 4 ? kBox.max.z() : kBox.min.z());
        section.extend(Vec3(0, c.dot(left), c.dot(forward.cross(left))));
      }
      const Vec3 local(0, off.dot(left), off.dot(forward.cross(left)));
      if ((local - local.cwiseMax(section.min).cwiseMin(section.max)).norm() > o.lookout) continue;
      const Vec3 y = (local - section.center()).cwiseQuotient(section.half());
      const Side side = std::abs(y.y()) >= std::abs(y.z()) ? (y.y() >= 0 ? Side::left : Side::right)
                                                           : (y.z() >= 0 ? Side::above : Side::below);
      ++naive[static_cast<std::int64_t>(std::floor(s / bin))][static_cast<std::size_t>(side)];
    }
    for (const ProfileRow& row : r.profile) {
      if (!row.swept) continue;
      const auto key = static_cast<std::int64_t>(std::floor((row.from + row.to) / 2 / bin));
      EXPECT_EQ(row.points, naive[key]) << "seed " << seed << " at " << row.from;
    }
    // Gaps: a side is seen where there are enough points, or within a short gap between such bins.
    const auto raw = [&](std::size_t k, std::size_t side) {
      return static_cast<double>(r.profile[k].points[side]) >= std::max(1.0, std::ceil(o.points * bin));
    };
    double scanned = 0;
    for (std::size_t k = 0; k < r.profile.size(); ++k) {
      bool all = true;
      for (std::size_t side = 0; side < kSides; ++side) {
        std::size_t first = k, end = k;
        while (first > 0 && !raw(first, side)) --first;
        while (end + 1 < r.profile.size() && !raw(end, side)) ++end;
        const double from = std::max(r.coverage.from, raw(first, side) ? r.profile[first].to : r.profile[first].from),
                     to = std::min(r.coverage.to, raw(end, side) ? r.profile[end].from : r.profile[end].to);
        const bool seen = raw(k, side) || ((raw(first, side) || raw(end, side)) && to - from <= o.gap);
        EXPECT_EQ(r.profile[k].seen[side], seen) << "seed " << seed << " row " << k << " side " << side;
        all = all && (seen || !o.demanded[side]);
      }
      EXPECT_EQ(r.profile[k].scanned, all);
      if (all) scanned += std::min(r.coverage.to, r.profile[k].to) - std::max(r.coverage.from, r.profile[k].from);
    }
    EXPECT_NEAR(r.coverage.scanned, scanned, 1e-6);
  }
}

TEST(Coverage, DoesNotDependOnThreads) {
  const Route route = straight(100);
  const std::vector<Vec3> points = tube(-12, 112);
  EXPECT_EQ(profile_csv(report_of(route, points, {}, 1, 1)), profile_csv(report_of(route, points, {}, 1, 4)));
}

TEST(Coverage, HandlesModelsThatStandOrMoveSideways) {
  Route route;
  route.poses.assign(3, Pose());
  route.chainage.assign(3, 0.0);
  EXPECT_EQ(report_of(route, tube(-12, 12)).verdict(), Verdict::clear);
  EXPECT_DOUBLE_EQ(report_of(route, tube(-12, 12)).coverage.length(), 20);
  // Along its own y: left and right of the path are in front of and behind the model.
  Route sideways;
  for (int k = 0; k <= 40; ++k) {
    sideways.poses.push_back(Pose::from_rpy({0.5 * k, 0, 0}, 0, 0, M_PI / 2));
    sideways.chainage.push_back(0.5 * k);
  }
  std::vector<Vec3> points;
  for (double x = -5; x < 25; x += 0.1) {
    for (double y = -14; y < 14; y += 0.25) points.emplace_back(x, y, 0);
  }
  const Report r = report_of(sideways, points);
  EXPECT_EQ(r.verdict(), Verdict::clear);
  EXPECT_NEAR(r.coverage.length(), 23, 1e-9);
  // Straight up, like a lift.
  Route lift;
  for (int k = 0; k <= 40; ++k) {
    lift.poses.push_back(Pose::at({0, 0, 0.5 * k}));
    lift.chainage.push_back(0.5 * k);
  }
  EXPECT_EQ(report_of(lift, {}).verdict(), Verdict::not_checked);
}

TEST(Coverage, RejectsInvalidOptions) {
  const Route route = straight(10);
  const auto refused = [&](const std::function<void(CoverageOptions&)>& change) {
    CoverageOptions o;
    change(o);
    return refusal([&] { report_of(route, {}, o); });
  };
  EXPECT_NE(refused([](CoverageOptions& o) { o.lookout = 0; }), "");
  EXPECT_NE(refused([](CoverageOptions& o) { o.points = -1; }), "");
  EXPECT_NE(refused([](CoverageOptions& o) { o.gap = std::nan(""); }), "");
  EXPECT_NE(refused([](CoverageOptions& o) { o.min_share = 1.5; }), "");
}

}  // namespace coverage_test
}  // namespace graze::clearance
