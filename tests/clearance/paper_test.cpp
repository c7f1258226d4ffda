#include "graze/clearance/paper.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "graze/base/error.h"
#include "support/scale.h"

namespace graze::clearance {
namespace paper_test {

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  double in(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  Vec3 vec(double size) { return {in(-size, size), in(-size, size), in(-size, size)}; }

 private:
  std::mt19937 engine_;
};

struct Scene {
  std::vector<Vec3> scan, model;
  std::vector<std::vector<Vec3>> bending;
  std::vector<Pose> path;
};

Scene make_scene(unsigned seed, bool tumbling, const Vec3& offset) {
  Dice dice(seed);
  Scene scene;
  for (int i = 0; i < 60; ++i) scene.model.emplace_back(dice.vec(1).cwiseProduct(Vec3(1, 0.3, 0.2)));
  double yaw = 0;
  Vec3 position = offset;
  for (int i = 0; i < 40; ++i) {
    yaw += tumbling ? dice.in(-2, 2) : 0.02;
    position += (tumbling ? 0.05 : 0.1) * Vec3(std::cos(yaw), std::sin(yaw), 0.01);
    scene.path.push_back(Pose::from_rpy(position, tumbling ? dice.in(-1, 1) : 0.01, 0, yaw));
    if (i % 10 == 3) scene.path.push_back(scene.path.back());
  }
  for (std::size_t i = 0; i < scene.path.size(); ++i) {
    scene.bending.push_back(scene.model);
    for (Vec3& p : scene.bending.back()) p.z() += 0.01 * static_cast<double>(i) * p.x();
  }
  for (int i = 0; i < graze_test::scaled(1200); ++i)
    scene.scan.emplace_back(offset + Vec3(dice.in(-2, 5), dice.in(-1, 2), dice.in(-1, 1)));
  // On a lattice with the model's own points at the first pose: distances that equal r.
  for (int i = 0; i < 60; ++i) {
    scene.scan.emplace_back(scene.path[0] * scene.model[static_cast<std::size_t>(i)] + Vec3(0.0625, 0, 0));
  }
  scene.scan[5].y() = std::numeric_limits<double>::quiet_NaN();
  return scene;
}

double segment_square(const Vec3& p, const Vec3& from, const Vec3& to) {
  const Vec3 along = to - from, off = p - from;
  const double square = along.squaredNorm();
  const double t = square > 0 ? std::clamp(off.dot(along) / square, 0.0, 1.0) : 0.0;
  return (p - (from + t * along)).squaredNorm();
}

std::vector<std::uint8_t> naive_set(const PaperClearance& paper, bool along, const std::vector<Vec3>& scan) {
  std::vector<std::uint8_t> hits(scan.size(), 0);
  const double r = paper.options().radius;
  const auto path = paper.path();
  for (std::size_t k = 0; k < scan.size(); ++k) {
    for (std::size_t i = 0; i < path.size() && hits[k] == 0; ++i) {
      const std::size_t next = along ? std::min(i + 1, path.size() - 1) : i;
      for (std::size_t j = 0; j < paper.model(i).size(); ++j) {
        const Vec3 a = path[i] * paper.model(i)[j], b = path[next] * paper.model(next)[j];
        const double square = along ? segment_square(scan[k], a, b) : (scan[k] - a).squaredNorm();
        if (square < r * r) hits[k] = 1;
      }
    }
  }
  return hits;
}

TEST(PaperClearance, SetsAreThoseOfTheNaiveLoops) {
  for (const unsigned seed : {0U, 1U, 4U, 5U}) {
    SCOPED_TRACE(seed);
    const Scene scene = make_scene(seed, seed % 2 == 1, seed >= 4 ? Vec3(4.5e6, 5.4e5, 300) : Vec3(0, 0, 0));
    for (const double radius : {0.0625, 0.3}) {
      for (const bool deforming : {false, true}) {
        const PaperOptions one{.radius = radius, .threads = 1}, two{.radius = radius, .threads = 2};
        const PaperClearance paper =
            deforming ? PaperClearance(scene.bending, scene.path, one) : PaperClearance(scene.model, scene.path, one);
        const PaperClearance again =
            deforming ? PaperClearance(scene.bending, scene.path, two) : PaperClearance(scene.model, scene.path, two);
        const auto simple = paper.colliding(PaperMethod::kd_cd_simple, scene.scan);
        const auto along = paper.colliding(PaperMethod::kd_cd, scene.scan);
        EXPECT_EQ(simple, naive_set(paper, false, scene.scan));
        EXPECT_EQ(along, naive_set(paper, true, scene.scan));
        EXPECT_EQ(again.colliding(PaperMethod::kd_cd_simple, scene.scan), simple);
        EXPECT_EQ(again.colliding(PaperMethod::kd_cd, scene.scan), along);
        EXPECT_GT(std::count(simple.begin(), simple.end(), 1), 10);
        for (std::size_t i = 0; i < simple.size(); ++i) EXPECT_LE(simple[i], along[i]);
      }
    }
  }
}

TEST(PaperClearance, HandlesOnePoseAndEmptyInput) {
  const Scene scene = make_scene(1, false, Vec3::Zero());
  const std::vector<Pose> path{scene.path[3]};
  const PaperClearance paper(scene.model, path, {.radius = 0.2});
  EXPECT_EQ(paper.colliding(PaperMethod::kd_cd_simple, scene.scan), naive_set(paper, false, scene.scan));
  EXPECT_EQ(paper.colliding(PaperMethod::kd_cd, scene.scan), naive_set(paper, true, scene.scan));
  EXPECT_TRUE(paper.colliding(PaperMethod::kd_cd, {}).empty());
  const PaperClearance nothing(std::span<const Vec3>(), path, {});
  EXPECT_EQ(nothing.colliding(PaperMethod::kd_cd, scene.scan), std::vector<std::uint8_t>(scene.scan.size(), 0));
}

TEST(PaperClearance, DepthsAreThoseOfTheNaiveLoops) {
  for (unsigned seed = 0; seed < 3; ++seed) {
    const Scene scene = make_scene(seed, seed == 1, Vec3::Zero());
    const double r = 0.11;
    const PaperClearance paper(scene.model, scene.path, {.radius = r, .axis = static_cast<int>(seed), .threads = 2});
    const auto hits = paper.colliding(PaperMethod::kd_cd, scene.scan);
    const auto fast = paper.depth(PaperMethod::kd_pd_fast, scene.scan, hits);
    const auto full = paper.depth(PaperMethod::kd_pd, scene.scan, hits);
    std::vector<double> naive_fast(hits.size(), 0), naive_full(hits.size(), 0);
    for (std::size_t i = 0; i < hits.size(); ++i) {
      if (hits[i] == 0) continue;
      naive_fast[i] = kInfinity;
      for (std::size_t k = 0; k < hits.size(); ++k) {
        if (hits[k] != 0 || !is_finite(scene.scan[k])) continue;
        naive_fast[i] = std::min(naive_fast[i], (scene.scan[i] - scene.scan[k]).norm());
      }
    }
    for (const Pose& pose : scene.path) {
      for (const Vec3& m : scene.model) {
        Vec3 on_axis = Vec3::Zero();
        on_axis[paper.options().axis] = m[paper.options().axis];
        const Vec3 p = pose * m, a = pose * on_axis;
        std::size_t nearest = hits.size();
        double distance = kInfinity;
        for (std::size_t i = 0; i < hits.size(); ++i) {
          if (hits[i] == 0 || segment_square(scene.scan[i], p, a) > r * r) continue;
          const double d = (scene.scan[i] - p).norm();
          if (d < distance) {
            distance = d;
            nearest = i;
          }
        }
        if (nearest == hits.size()) continue;
        for (std::size_t i = 0; i < hits.size(); ++i) {
          if (hits[i] == 0 || (scene.scan[i] - scene.scan[nearest]).squaredNorm() > r * r) continue;
          naive_full[i] = std::max(naive_full[i], distance);
        }
      }
    }
    for (std::size_t i = 0; i < hits.size(); ++i) {
      EXPECT_NEAR(fast[i], naive_fast[i], 1e-12);
      EXPECT_NEAR(full[i], naive_full[i], 1e-12);
    }
    EXPECT_GT(*std::max_element(full.begin(), full.end()), 0);
  }
}

TEST(PaperClearance, ReducesTheModelToVoxelCentres) {
  EXPECT_NEAR(paper_spacing(0.05), 0.0577350269, 1e-9);  // Table 1: 0.058
  const std::vector<Vec3> points{{0, 0, 0}, {0.9, 0, 0}, {1.1, 0, 0}, {0, 2.5, 0.2}, Vec3::Constant(std::nan(""))};
  const std::vector<Vec3> expected{{0.5, 0.5, 0.5}, {0.5, 2.5, 0.5}, {1.5, 0.5, 0.5}};
  EXPECT_EQ(voxel_centres(points, 1), expected);
  EXPECT_THROW(voxel_centres(points, 0), Error);
  EXPECT_THROW(voxel_centres(points, 1e-9), Error);
  EXPECT_TRUE(voxel_centres({}, 1).empty());
}

TEST(PaperClearance, SamplesThePathAtEqualDistances) {
  const std::vector<Pose> path{Pose::at({0, 0, 0}), Pose::at({1, 0, 0}), Pose::at({1, 0, 0}), Pose::at({1, 2, 0})};
  const auto samples = sample_path(path, 0.5);
  ASSERT_EQ(samples.size(), 7U);
  EXPECT_NEAR((samples[1].translation() - Vec3(0.5, 0, 0)).norm(), 0, 1e-12);
  EXPECT_NEAR((samples[4].translation() - Vec3(1, 1, 0)).norm(), 0, 1e-12);
  EXPECT_EQ(samples.back(), path.back());
  EXPECT_EQ(sample_path(path, 100).size(), 2U);
  EXPECT_EQ(sample_path(std::span(path).first(1), 1).size(), 1U);
  EXPECT_THROW(sample_path(path, 0), Error);
}

TEST(PaperClearance, RejectsInvalidInput) {
  const std::vector<Vec3> model{{0, 0, 0}}, scan{{1, 1, 1}};
  const std::vector<Pose> path{Pose()}, none;
  EXPECT_THROW(PaperClearance(model, none, {}), Error);
  EXPECT_THROW(PaperClearance(model, path, {.radius = 0}), Error);
  EXPECT_THROW(PaperClearance(model, path, {.axis = 3}), Error);
  EXPECT_THROW(PaperClearance(std::vector<std::vector<Vec3>>{{{0, 0, 0}}, {}}, std::vector<Pose>(2), {}), Error);
  const PaperClearance paper(model, path, {});
  EXPECT_THROW(paper.colliding(PaperMethod::kd_pd, scan), Error);
  EXPECT_THROW(paper.depth(PaperMethod::kd_cd, scan, std::vector<std::uint8_t>{0}), Error);
  EXPECT_THROW(paper.depth(PaperMethod::kd_pd, scan, {}), Error);
}

}  // namespace paper_test
}  // namespace graze::clearance
