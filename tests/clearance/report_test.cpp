// Reports of small scenes against plain loops over all points.
#include "graze/clearance/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "support/refusal.h"

namespace graze::clearance {
namespace report_test {

using graze_test::refusal;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

const Aabb kBox{{-10, -1.5, 0}, {10, 1.5, 4}};

struct Scene {
  std::vector<Pose> poses;
  std::vector<double> chainage;
  std::vector<Vec3> points;
  std::vector<PointClearance> results;
};

// A bend of 200 m radius; points around it with unrelated clearances, since the report must take these as
// they are.
Scene make_scene(std::uint64_t seed, std::size_t count, const Vec3& origin = Vec3::Zero()) {
  std::mt19937_64 dice(seed);
  std::uniform_real_distribution<double> along(-12, 112), across(-3, 3), up(-1, 6), value(-0.3, 1);
  Scene s;
  for (int i = 0; i <= 200; ++i) {
    const double chainage = 0.5 * i, angle = chainage / 200;
    s.poses.push_back(
        Pose::from_rpy(origin + Vec3(200 * std::sin(angle), 200 - 200 * std::cos(angle), 0), 0, 0, angle));
    s.chainage.push_back(
        i == 0 ? 0
               : s.chainage.back() +
                     (s.poses[s.poses.size() - 1].translation() - s.poses[s.poses.size() - 2].translation()).norm());
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double chainage = along(dice), angle = chainage / 200, y = across(dice);
    s.points.push_back(origin + Vec3((200 - y) * std::sin(angle), 200 - (200 - y) * std::cos(angle), up(dice)));
    PointClearance r;
    const double c = value(dice);
    if (c < 0.8) {                            // the limit of the engine
      r.clearance = std::round(c * 50) / 50;  // many ties
      r.pose = static_cast<std::uint32_t>(std::clamp(chainage * 2, 0.0, 199.0));
      r.fraction = 0.25F;
      r.element = static_cast<std::uint32_t>(i);
    }
    if (i % 97 == 5) {
      s.points.back() = {kNaN, 0, 0};
      r = {kInfinity, PointClearance::kSkipped, 0, 0};
    }
    s.results.push_back(r);
  }
  return s;
}

Report report_of(const Scene& s, const ReportOptions& options = {}) {
  ReportBuilder builder(ReportPath(s.poses, s.chainage, kBox), options);
  builder.add(s.points, s.results, 0);
  return std::move(builder).finish();
}

TEST(Report, CountsEveryPointOnce) {
  const Scene s = make_scene(1, 5000);
  const double tolerance = ReportOptions().tolerance;
  const Report r = report_of(s);
  EXPECT_EQ(r.points, 5000U);
  std::uint64_t skipped = 0, within = 0, hits = 0, fail = 0, warn = 0;
  double worst = kInfinity;
  for (std::size_t i = 0; i < s.points.size(); ++i) {
    if (s.results[i].skipped()) {
      ++skipped;
      continue;
    }
    const double c = s.results[i].clearance - tolerance;
    within += c < kInfinity ? 1 : 0;
    hits += c <= 0 ? 1 : 0;
    fail += c > 0 && c < 0.1 ? 1 : 0;
    warn += c >= 0.1 && c < 0.2 ? 1 : 0;
    worst = std::min(worst, s.results[i].clearance);
  }
  EXPECT_EQ(r.skipped, skipped);
  EXPECT_EQ(r.within, within);
  EXPECT_EQ(r.levels[0], hits);
  EXPECT_EQ(r.levels[1], fail);
  EXPECT_EQ(r.levels[2], warn);
  EXPECT_EQ(r.levels[3], 5000 - skipped - hits - fail - warn);
  EXPECT_EQ(r.worst.clearance, worst);
  EXPECT_FALSE(r.passed());
}

TEST(Report, ProfileHasTheMinimumOfEachSideInEachRow) {
  const Scene s = make_scene(2, 4000);
  const ReportPath path(s.poses, s.chainage, kBox);
  const Report r = report_of(s, {.bin = 2});
  std::map<std::pair<std::int64_t, Side>, std::pair<double, std::size_t>> naive;
  for (std::size_t i = 0; i < s.points.size(); ++i) {
    if (!s.results[i].found()) continue;
    const ReportPoint place = path.point_of(s.points[i], s.results[i], i);
    const std::pair key(static_cast<std::int64_t>(std::floor(place.chainage / 2)), place.side);
    const std::pair value(place.clearance, i);
    const auto [at, fresh] = naive.emplace(key, value);
    if (!fresh) at->second = std::min(at->second, value);
  }
  ASSERT_FALSE(r.profile.empty());
  std::size_t filled = 0;
  for (std::size_t k = 0; k < r.profile.size(); ++k) {
    const ProfileRow& row = r.profile[k];
    EXPECT_EQ(row.to - row.from, 2);
    if (k > 0) {
      EXPECT_EQ(row.from, r.profile[k - 1].to);
    }
    for (std::size_t side = 0; side < kSides; ++side) {
      const auto found = naive.find({static_cast<std::int64_t>(std::floor(row.from / 2)), static_cast<Side>(side)});
      if (found == naive.end()) {
        EXPECT_EQ(row.nearest[side].clearance, kInfinity);
        continue;
      }
      ++filled;
      EXPECT_EQ(row.nearest[side].clearance, found->second.first);
      EXPECT_EQ(row.nearest[side].index, found->second.second);
      EXPECT_EQ(row.nearest[side].side, static_cast<Side>(side));
    }
  }
  EXPECT_EQ(filled, naive.size());
}

TEST(Report, ChainageIsThatOfThePointNotOfTheVehicle) {
  // On a bend of 200 m, a point 2.5 m beside chainage 40 that the end of the vehicle hits when the vehicle is at 50.
  const Scene s = make_scene(3, 0);
  const double angle = 40.0 / 200;
  const Vec3 point(197.5 * std::sin(angle), 200 - 197.5 * std::cos(angle), 1);
  PointClearance r{-0.01, 100, 0, 0};
  const ReportPoint place = ReportPath(s.poses, s.chainage, kBox).point_of(point, r, 0);
  EXPECT_NEAR(place.chainage, 40, 0.01);
  EXPECT_NEAR(place.pose_chainage, 50, 0.001);
  EXPECT_EQ(place.side, Side::left);
  EXPECT_NEAR(place.in_vehicle.x(), -9.9, 0.2);
}

TEST(Report, ChainageContinuesStraightBeyondBothEnds) {
  const std::vector<Pose> poses = {Pose::at({0, 0, 0}), Pose::at({10, 0, 0})};
  const std::vector<double> chainage = {100, 110};
  const ReportPath path(poses, chainage, kBox);
  EXPECT_DOUBLE_EQ(path.chainage_of({-3, 1, 1}, 0), 97);
  EXPECT_DOUBLE_EQ(path.chainage_of({14, 1, 1}, 0), 114);
  EXPECT_DOUBLE_EQ(path.chainage_of({14, 1, 1}, 1), 114);
}

TEST(Report, AStandingVehicleHasItsChainageAlongItself) {
  const std::vector<Pose> poses(3, Pose::from_rpy({5, 5, 0}, 0, 0, M_PI / 2));
  const std::vector<double> chainage(3, 0.0);
  const ReportPath path(poses, chainage, kBox);
  EXPECT_NEAR(path.chainage_of({5, 8, 0}, 1), 3, 1e-12);
}

TEST(Report, SidesFollowTheBox) {
  const std::vector<Pose> poses(1);
  const std::vector<double> chainage(1, 0.0);
  const ReportPath path(poses, chainage, kBox);
  EXPECT_EQ(path.side_of({0, 1.6, 2}), Side::left);
  EXPECT_EQ(path.side_of({0, -1.4, 2}), Side::right);  // inside, near the right wall
  EXPECT_EQ(path.side_of({0, 0.5, 4.2}), Side::above);
  EXPECT_EQ(path.side_of({0, 0.5, 0.1}), Side::below);
}

TEST(Report, LevelsMeetAtTheThresholds) {
  const ReportOptions o{.warn = 0.2, .fail = 0.1, .tolerance = 0};
  EXPECT_EQ(level_of(0, o), Level::hit);  // touching
  EXPECT_EQ(level_of(-1, o), Level::hit);
  EXPECT_EQ(level_of(kNaN, o), Level::hit);
  EXPECT_EQ(level_of(0.0999, o), Level::fail);
  EXPECT_EQ(level_of(0.1, o), Level::warn);
  EXPECT_EQ(level_of(0.2, o), Level::clear);
  EXPECT_EQ(level_of(kInfinity, o), Level::clear);
  EXPECT_EQ(level_of(0, {.warn = 0, .fail = 0, .tolerance = 0}), Level::hit);
  // A threshold is kept if all values within the tolerance keep it.
  const ReportOptions t{.warn = 0.2, .fail = 0.1, .tolerance = 0.01};
  EXPECT_EQ(level_of(0.01, t), Level::hit);
  EXPECT_EQ(level_of(0.0101, t), Level::fail);
  EXPECT_EQ(level_of(0.1099, t), Level::fail);
  EXPECT_EQ(level_of(0.1101, t), Level::warn);
  EXPECT_EQ(level_of(0.2099, t), Level::warn);
  EXPECT_EQ(level_of(0.2101, t), Level::clear);
  EXPECT_EQ(level_of(kNaN, t), Level::hit);
  EXPECT_EQ(level_of(kInfinity, t), Level::clear);
  EXPECT_EQ(level_of(0.1, {.warn = 0.2, .fail = 0.1}), Level::fail) << "the search cannot decide that";
}

// Clusters by comparing all pairs of cells.
std::vector<std::set<std::size_t>> naive_clusters(const Scene& s, const ReportOptions& o) {
  using Key = std::array<std::int64_t, 3>;
  std::map<Key, std::vector<std::size_t>> cells;
  std::map<Key, bool> failing;
  for (std::size_t i = 0; i < s.points.size(); ++i) {
    if (!s.results[i].found() || s.results[i].clearance >= o.warn) continue;
    Key key{};
    for (int k = 0; k < 3; ++k)
      key[static_cast<std::size_t>(k)] = static_cast<std::int64_t>(std::floor(s.points[i][k] / o.link));
    cells[key].push_back(i);
    failing[key] = failing[key] || s.results[i].clearance < o.fail;
  }
  const auto beside = [](const Key& a, const Key& b) {
    return std::abs(a[0] - b[0]) <= 1 && std::abs(a[1] - b[1]) <= 1 && std::abs(a[2] - b[2]) <= 1;
  };
  std::map<Key, int> label;
  int next = 0;
  const auto flood = [&](bool only_failing) {
    for (const auto& seed : cells) {
      if (label.contains(seed.first) || (only_failing && !failing[seed.first])) continue;
      label[seed.first] = next;
      for (bool grown = true; grown;) {
        grown = false;
        for (const auto& cell : cells) {
          if (label.contains(cell.first) || (only_failing && !failing[cell.first])) continue;
          for (const auto& other : cells) {
            if (label.contains(other.first) && label[other.first] == next && beside(cell.first, other.first)) {
              label[cell.first] = next;
              grown = true;
              break;
            }
          }
        }
      }
      ++next;
    }
  };
  flood(true);
  for (int step = 0; step < o.halo; ++step) {
    std::map<Key, int> claims;
    for (const auto& cell : cells) {
      if (label.contains(cell.first)) continue;
      for (const auto& [other, l] : label) {
        if (!beside(cell.first, other)) continue;
        const auto [at, fresh] = claims.emplace(cell.first, l);
        if (!fresh) at->second = std::min(at->second, l);
      }
    }
    label.insert(claims.begin(), claims.end());
  }
  flood(false);
  std::vector<std::set<std::size_t>> out(static_cast<std::size_t>(next));
  for (const auto& [key, members] : cells)
    out[static_cast<std::size_t>(label[key])].insert(members.begin(), members.end());
  return out;
}

TEST(Report, ClustersAreThoseOfAllPairsOfCells) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Scene s = make_scene(100 + seed, 700);
    const ReportOptions o{
        .warn = 0.4, .fail = 0.05, .tolerance = 0, .link = 1.0 + 0.1 * static_cast<double>(seed), .halo = 2};
    const Report r = report_of(s, o);
    std::vector<std::set<std::size_t>> naive = naive_clusters(s, o);
    ASSERT_EQ(r.clusters.size(), naive.size());
    const auto worst = [&](const std::set<std::size_t>& members) {
      return *std::min_element(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(s.results[a].clearance, a) < std::pair(s.results[b].clearance, b);
      });
    };
    std::sort(naive.begin(), naive.end(), [&](const auto& a, const auto& b) {
      return std::pair(s.results[worst(a)].clearance, worst(a)) < std::pair(s.results[worst(b)].clearance, worst(b));
    });
    for (std::size_t k = 0; k < naive.size(); ++k) {
      EXPECT_EQ(r.clusters[k].worst.index, worst(naive[k])) << "seed " << seed;
      EXPECT_EQ(r.clusters[k].total(), naive[k].size()) << "seed " << seed;
      Aabb bounds;
      for (const std::size_t i : naive[k]) bounds.extend(s.points[i]);
      EXPECT_EQ(r.clusters[k].bounds, bounds);
      EXPECT_LE(r.clusters[k].from, r.clusters[k].worst.chainage);
      EXPECT_GE(r.clusters[k].to, r.clusters[k].worst.chainage);
    }
  }
}

TEST(Report, DoesNotDependOnPartsOrThreads) {
  const Scene s = make_scene(7, 3000);
  const ReportPath path(s.poses, s.chainage, kBox);
  const auto text = [](const Report& r) { return profile_csv(r) + clusters_csv(r); };
  const std::string whole = text(report_of(s, {.threads = 1}));
  EXPECT_EQ(text(report_of(s, {.threads = 4})), whole);
  ReportBuilder builder(path);
  const std::span<const Vec3> points(s.points);
  const std::span<const PointClearance> results(s.results);
  builder.add(points.subspan(1700), results.subspan(1700), 1700);  // the second part first
  builder.add(points.first(1700), results.first(1700), 0);
  EXPECT_EQ(text(std::move(builder).finish()), whole);
}

TEST(Report, IsTheSameFarFromTheOrigin) {
  const Scene near = make_scene(8, 2000), far = make_scene(8, 2000, {4.5e6, 5.5e5, 300});
  const Report a = report_of(near, {.bin = 5}), b = report_of(far, {.bin = 5});
  ASSERT_EQ(a.profile.size(), b.profile.size());
  EXPECT_NEAR(a.worst.chainage, b.worst.chainage, 1e-4);
  EXPECT_LT((a.worst.in_vehicle - b.worst.in_vehicle).norm(), 1e-4);
}

TEST(Report, OfAnEmptyScanIsNotChecked) {
  const Scene s = make_scene(9, 0);
  const Report r = report_of(s);
  EXPECT_TRUE(r.passed());
  EXPECT_EQ(r.verdict(), Verdict::not_checked);
  EXPECT_GE(r.profile.size(), 120U);  // all that the vehicle sweeps
  EXPECT_TRUE(r.clusters.empty());
  EXPECT_EQ(r.worst.clearance, kInfinity);
  const std::string header =
      "chainage_from_m,chainage_to_m,left_m,right_m,above_m,below_m,min_m,level,left_points,right_points,"
      "above_points,below_points,unseen,scanned\n";
  EXPECT_TRUE(profile_csv(r).starts_with(header));
  EXPECT_NE(profile_csv(r).find("\n-9.0000,-8.0000,,,,,,not scanned,0,0,0,0,left+right+above+below,no\n"),
            std::string::npos);
}

TEST(Report, ListsUpToMaxClustersAndCountsTheRest) {
  const Scene s = make_scene(10, 2000);
  const Report all = report_of(s, {.clusters = 100000}), few = report_of(s, {.clusters = 3});
  ASSERT_GT(all.clusters.size(), 3U);
  EXPECT_EQ(few.clusters.size(), 3U);
  EXPECT_EQ(few.clusters_found, all.clusters.size());
  EXPECT_EQ(few.clusters[2].worst.index, all.clusters[2].worst.index);
}

TEST(Report, RejectsInvalidInput) {
  const Scene s = make_scene(11, 10);
  const ReportPath path(s.poses, s.chainage, kBox);
  EXPECT_NE(refusal([&] { ReportBuilder(path, {.warn = 0.1, .fail = 0.2}); }), "");
  EXPECT_NE(refusal([&] { ReportBuilder(path, {.warn = kNaN}); }), "");
  EXPECT_NE(refusal([&] { ReportBuilder(path, {.tolerance = -1}); }), "");
  EXPECT_NE(refusal([&] { ReportBuilder(path, {.tolerance = kNaN}); }), "");
  EXPECT_NE(refusal([&] { ReportBuilder(path, {.bin = 0}); }), "");
  EXPECT_NE(refusal([&] { ReportBuilder(path, {.bin = 1e-9}); }), "");
  EXPECT_NE(refusal([&] { ReportBuilder(path, {.link = -1}); }), "");
  EXPECT_NE(refusal([&] { ReportPath({}, {}, kBox); }), "");
  EXPECT_NE(refusal([&] { ReportPath(s.poses, std::vector<double>(3), kBox); }), "");
  EXPECT_NE(refusal([&] { ReportPath(s.poses, s.chainage, Aabb{}); }), "");
  ReportBuilder builder(path);
  EXPECT_NE(refusal([&] { builder.add(s.points, {}, 0); }), "");
  std::vector<PointClearance> bad(s.points.size());
  bad[3] = {0.1, 12345, 0, 0};
  EXPECT_NE(refusal([&] { builder.add(s.points, bad, 0); }), "");
}

}  // namespace report_test
}  // namespace graze::clearance
