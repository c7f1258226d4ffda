#include "graze/index/kd_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <thread>

#include "graze/base/error.h"
#include "graze/base/simd.h"
#include "index/kd_tree_data.h"
#include "index/kd_tree_oracle.h"
#include "support/scale.h"

namespace graze_test {
namespace kd_tree_test {

using graze::Error;
using graze::KdTree;
using graze::kInfinity;
using graze::PointView;
using graze::Pose;
using graze::SearchVolume;
namespace region = graze::region;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<Vec3> as_doubles(const Points& points) {
  std::vector<Vec3> doubles;
  for (const Point& p : points) doubles.emplace_back(p[0], p[1], p[2]);
  return doubles;
}

Pose turn(Generator& random, const Vec3& at) {
  switch (random.integer(0, 3)) {
    case 0:
      return Pose::at(at);
    case 1:
      return Pose::from_wxyz(at, 1, 0, 0, 1);
    default:
      return random.pose(1).moved_to(at);
  }
}

// A volume of any kind near the cloud. Numbers are drawn so that many points lie on its border: from the points
// themselves, and sometimes rounded to a lattice.
Question random_question(const std::vector<Vec3>& points, double size, Generator& random) {
  const auto point = [&]() -> Vec3 {
    const Vec3 p = points.empty() ? Vec3(0, 0, 0) : points[random.bits() % points.size()];
    return graze::is_finite(p) ? p : Vec3(0, 0, 0);
  };
  const bool lattice = random.integer(0, 3) == 0;
  const double step = size / 8;
  const auto position = [&]() -> Vec3 {
    switch (random.integer(0, 3)) {
      case 0:
        return point();
      case 1:
        return random.in_cube(size);
      default: {
        Vec3 p = point() + random.in_cube(size * random.magnitude(-4, 0));
        if (lattice) p = (p / step).array().round().matrix() * step;
        return p;
      }
    }
  };
  const Vec3 a = position(), b = position();
  const auto length = [&]() -> double {
    switch (random.integer(0, 5)) {
      case 0:
        return 0;
      case 1:
        return (point() - a).norm();
      case 2:
        return lattice ? step * random.integer(0, 8) : size * random.magnitude(-3, 0.5);
      default:
        return size * random.magnitude(-3, 0);
    }
  };
  const Vec3 direction = (b - a).isZero(0)                       ? Vec3(0, 0, 2)
                         : (b - a).cwiseAbs().maxCoeff() < 1e-30 ? Vec3(1, 0, 0)
                                                                 : b - a;
  Question q;
  switch (random.integer(0, 7)) {
    case 0:
      q.volume = region::Ball(a, length());
      q.name = "ball";
      break;
    case 1:
      q.volume = region::Line(a, direction, length());
      q.name = "line";
      break;
    case 2:
      q.volume = region::Ray(a, direction, length());
      q.name = "ray";
      break;
    case 3:
      q.volume = region::Segment(a, b, length());
      q.name = "segment";
      break;
    case 4:
      q.volume = region::Box(a.cwiseMin(b), a.cwiseMax(b));
      q.name = "box";
      break;
    case 5: {
      const double x = length(), y = length();
      q.volume = region::OrientedBox({x, y, length()}, turn(random, a));
      q.name = "oriented box";
      break;
    }
    case 6: {
      const Vec3 end = a + direction;  // the same again where a is huge
      q.volume = region::Cylinder(a, end == a ? Vec3(2 * a) : end, length());
      q.name = "cylinder";
      break;
    }
    default:
      for (int i = random.integer(0, 7); i > 0; --i) {
        const Vec3 normal = random.integer(0, 1) == 0 ? random.direction() : Vec3(Vec3::Unit(random.integer(0, 2)));
        const Vec3 on = random.integer(0, 1) == 0 ? point() : a + length() * normal;
        q.sides.push_back({normal, normal.x() * on.x() + normal.y() * on.y() + normal.z() * on.z()});
      }
      q.name = "polytope";
      break;
  }
  q.to_axis = graze::has_axis(q.volume) && random.integer(0, 1) == 0;
  return q;
}

Question with_sides(Question q, const Vec3& center) {
  if (q.name == "polytope") q.volume = region::Polytope(q.sides, center);
  return q;
}

// Every kind of cloud in several sizes, as floats and as doubles, each with some queries; each query is a scene.
TEST(KdTree, EqualsALoopInEveryVolumeAndKindOfResult) {
  Generator random(11);
  int scenes = 0;
  const int questions = scaled(10);
  for (const std::size_t count : {5U, 60U, 400U, 3000U}) {
    for (NamedCloud& cloud : all_clouds(count)) {
      std::vector<Vec3> doubles = as_doubles(cloud.points);
      for (const bool as_float : {true, false}) {
        if (!as_float) {  // no longer floats
          for (Vec3& p : doubles) p = (p * (1 / 3.0)).eval();
        }
        const KdTree tree = as_float ? KdTree(PointView(floats(cloud.points))) : KdTree(doubles);
        ASSERT_EQ(tree.validate(), "") << cloud.name;
        const SearchOracle oracle(doubles);
        for (int i = 0; i < questions; ++i) {
          const Question q = random_question(doubles, cloud.size, random);
          const Question asked = with_sides(q, random.in_cube(cloud.size));
          ASSERT_EQ(difference(tree, oracle, asked), "")
              << cloud.name << ", " << count << " points, " << q.name << ", scene " << scenes;
          ++scenes;
        }
      }
    }
  }
  EXPECT_GE(scenes, scaled(1500));
}

// Small whole numbers: nearly everything lies on a border or ties with something.
TEST(KdTree, EqualsALoopOnALatticeOfTies) {
  Generator random(12);
  const int scenes = scaled(1500);
  for (int scene = 0; scene < scenes;) {
    std::vector<Vec3> points(static_cast<std::size_t>(random.integer(1, 600)));
    for (Vec3& p : points) p = Vec3(random.integer(-3, 3), random.integer(-3, 3), random.integer(-3, 3));
    const KdTree tree(points);
    const SearchOracle oracle(points);
    for (int i = 0; i < 20; ++i, ++scene) {
      const auto at = [&] { return Vec3(random.integer(-4, 4), random.integer(-4, 4), random.integer(-4, 4)); };
      const Vec3 a = at(), b = at();
      const Vec3 v = b.isZero(0) ? Vec3(1, 1, 0) : b;
      const double r = random.integer(0, 5);
      Question q;
      switch (random.integer(0, 6)) {
        case 0:
          q.volume = region::Ball(a, r);
          break;
        case 1:
          q.volume = region::Line(a, v, r);
          break;
        case 2:
          q.volume = region::Ray(a, v, r);
          break;
        case 3:
          q.volume = region::Segment(a, b, r);
          break;
        case 4:
          q.volume = region::Box(a.cwiseMin(b), a.cwiseMax(b));
          break;
        case 5:
          q.volume = region::OrientedBox(v.cwiseAbs(), turn(random, a));
          break;
        default:
          q.volume = region::Cylinder(a, a + v, r);
      }
      q.to_axis = graze::has_axis(q.volume) && random.integer(0, 1) == 0;
      ASSERT_EQ(difference(tree, oracle, q), "") << "scene " << scene << ", volume " << q.volume.index();
    }
  }
}

TEST(KdTree, FindsEveryPointOnTheRadius) {
  const std::vector<Vec3> points{{3, 4, 0}, {0, 0, 5}, {0, -5, 0}, {0, 0, std::nextafter(5, 6)}, {5, 0, 0}};
  const KdTree tree(points);
  std::array<Neighbor, 8> found;
  ASSERT_EQ(tree.search(region::Ball(Vec3::Zero(), 5)).all(found), 4U);
  const std::array<std::size_t, 4> expected{0, 1, 2, 4};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(found[i], (Neighbor{expected[i], 5})) << i;
  EXPECT_EQ(tree.search(region::Ball(Vec3::Zero(), std::nextafter(5, 4))).count(), 0U);
}

TEST(KdTree, MeasuresFromTheStartOrFromTheAxis) {
  const std::vector<Vec3> points{{1, 0.5, 0}, {8, 0.1, 0}, {5, 0.2, 0}};
  const KdTree tree(points);
  const region::Segment segment({0, 0, 0}, {10, 0, 0}, 1);
  EXPECT_EQ(tree.search(segment).nearest().index, 0U);
  EXPECT_EQ(tree.search(segment, {.to_axis = true}).nearest(), (Neighbor{1, 0.1}));
  EXPECT_EQ(tree.search(region::Ray({0, 0, 0}, {-1, 0, 0}, 1)).count(), 0U);
  EXPECT_EQ(tree.search(region::Line({0, 0, 0}, {-1, 0, 0}, 1)).count(), 3U);
}

TEST(KdTree, IsTheSameOnEveryInstructionSetAndForAnyNumberOfThreads) {
  Generator random(13);
  const Points points = surface_samples(table_and_shelf(true), 20000, 4);
  const std::vector<Vec3> doubles = as_doubles(points);
  const KdTree one(PointView(floats(points)), {.threads = 1});
  const KdTree other(PointView(floats(points)), {.threads = 3});
  std::vector<Question> questions(static_cast<std::size_t>(scaled(200)));
  for (Question& q : questions) q = random_question(doubles, 2, random);
  for (Question& q : questions) q = with_sides(std::move(q), {1, 2, 3});
  for (Question& q : questions) {
    if (q.name == "polytope") q.volume = region::Polytope(q.sides);
  }
  std::vector<Neighbor> expected(points.size()), given(points.size());
  for (const Question& q : questions) {
    const std::size_t count = one.search(q.volume, {.to_axis = q.to_axis}).all(expected);
    for (const auto target : graze::simd_targets()) {
      const graze::ForcedSimdTarget forced(target);
      ASSERT_EQ(other.search(q.volume, {.to_axis = q.to_axis}).all(given), count) << q.name << " on " << target;
      ASSERT_TRUE(std::equal(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(count), expected.begin()))
          << q.name << " on " << target;
    }
  }
}

TEST(KdTree, SkipsAndCountsPointsThatAreNotFinite) {
  const Points points = with_gaps(uniform_points(100, 1, 3), 4);
  const KdTree tree((PointView(floats(points))));
  EXPECT_EQ(tree.size(), 75U);
  EXPECT_EQ(tree.skipped(), 25U);
  EXPECT_EQ(tree.search(region::Ball(Vec3::Zero(), 1e3)).count(), 75U);
  const std::vector<Vec3> none(5, Vec3::Constant(kNan));
  EXPECT_EQ(KdTree(none).skipped(), 5U);
  EXPECT_FALSE(KdTree(none).search(region::Ball(Vec3::Zero(), 1e50)).any());
}

TEST(KdTree, WithoutPointsFindsNothing) {
  for (const KdTree& tree : {KdTree(), KdTree(std::span<const Vec3>())}) {
    EXPECT_EQ(tree.size(), 0U);
    EXPECT_TRUE(tree.bounds().empty());
    EXPECT_EQ(tree.validate(), "");
    EXPECT_FALSE(tree.search(region::Ball(Vec3::Zero(), 1e50)).nearest().found());
    EXPECT_EQ(tree.search(region::Line(Vec3::Zero(), {1, 0, 0}, 1e50)).count(), 0U);
    EXPECT_TRUE(tree.search(region::Polytope({})).visit([](const Neighbor&) { return false; }));
  }
}

TEST(KdTree, ReadsPointsWhereTheyLie) {
  struct Record {
    std::uint8_t tag;
    double xyz[3];
    float intensity;
  };
  std::vector<Record> records(50);
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < records.size(); ++i) {
    points.emplace_back(0.1 * static_cast<double>(i), 1, 2);
    for (int axis = 0; axis < 3; ++axis) records[i].xyz[axis] = points[i][axis];
  }
  const KdTree tree(PointView(records[0].xyz, records.size(), sizeof(Record)));
  EXPECT_EQ(tree.search(region::Ball(points[33], 0)).nearest(), (Neighbor{33, 0}));
  EXPECT_EQ(tree.bounds(), KdTree(points).bounds());
  EXPECT_GT(tree.memory_bytes(), 50 * sizeof(Vec3));
}

TEST(KdTree, RejectsInvalidNumbers) {
  const Vec3 o(0, 0, 0), x(1, 0, 0), bad(0, kNan, 0), far(0, 0, 2e50);
  for (const Vec3& p : {bad, far, Vec3(kInfinity, 0, 0)}) {
    EXPECT_THROW(region::Ball(p, 1), Error);
    EXPECT_THROW(region::Line(p, x, 1), Error);
    EXPECT_THROW(region::Line(o, p, 1), Error);
    EXPECT_THROW(region::Ray(p, x, 1), Error);
    EXPECT_THROW(region::Ray(o, p, 1), Error);
    EXPECT_THROW(region::Segment(p, x, 1), Error);
    EXPECT_THROW(region::Segment(o, p, 1), Error);
    EXPECT_THROW(region::Box(p, x), Error);
    EXPECT_THROW(region::Box(o, p), Error);
    EXPECT_THROW(region::OrientedBox(p, Pose()), Error);
    EXPECT_THROW(region::Cylinder(p, x, 1), Error);
    EXPECT_THROW(region::Cylinder(o, p, 1), Error);
    const region::Side side{p, 0};
    EXPECT_THROW(region::Polytope({&side, 1}), Error);
    EXPECT_THROW(region::Polytope({}, p), Error);
  }
  for (const double r : {-1.0, kNan, kInfinity, 1e51}) {
    EXPECT_THROW(region::Ball(o, r), Error);
    EXPECT_THROW(region::Line(o, x, r), Error);
    EXPECT_THROW(region::Ray(o, x, r), Error);
    EXPECT_THROW(region::Segment(o, x, r), Error);
    EXPECT_THROW(region::Cylinder(o, x, r), Error);
    EXPECT_THROW(region::OrientedBox({1, 1, r}, Pose()), Error);
  }
  const region::Side nowhere{o, 1}, endless{x, kNan};
  EXPECT_THROW(region::Polytope({&nowhere, 1}), Error);
  EXPECT_THROW(region::Polytope({&endless, 1}), Error);
  EXPECT_THROW(region::Line(o, o, 1), Error);
  EXPECT_THROW(region::Cylinder(x, x, 1), Error);
  EXPECT_THROW(region::Box(x, o), Error);
  EXPECT_NO_THROW(region::Segment(x, x, 1));
  const std::vector<Vec3> points{o, far};
  EXPECT_THROW(KdTree{points}, Error);
  EXPECT_THROW(KdTree().search(region::Ball(o, 1), {.to_axis = true}), Error);
}

TEST(KdTree, HandlesAMillionEqualPoints) {
  const std::size_t count = 1000000;
  const std::vector<float> same(3 * count, 0.25F);
  const KdTree tree((PointView(same)));
  EXPECT_EQ(tree.validate(), "");
  EXPECT_EQ(tree.search(region::Ball(Vec3::Constant(0.25), 0)).count(), count);
  EXPECT_EQ(tree.search(region::Ball(Vec3::Constant(0.25), 1)).nearest(), (Neighbor{0, 0}));
  EXPECT_FALSE(tree.search(region::Ball(Vec3::Constant(0.3), 0.01)).any());
}

// On a line, splitting at medians sorts the points: the order of the leaves shows whether the selections are right.
TEST(KdTree, SortsPointsOfALine) {
  Generator random(14);
  int drawn = 0;
  // The samples that the builder draws at equal steps are exactly these.
  const auto sampled = [&] { return drawn++ % 97 == 0; };
  using Draw = std::function<double()>;
  const std::pair<const char*, Draw> lines[] = {
      {"uniform", [&] { return random.uniform(-1, 1); }},
      {"of all magnitudes", [&] { return random.magnitude(-30, 30); }},
      {"two clusters",
       [&] { return random.integer(0, 1) == 0 ? random.uniform(0, 1e-6) : random.uniform(1e6, 1e6 + 1); }},
      {"few values", [&] { return static_cast<double>(random.integer(0, 9)); }},
      {"samples lie low", [&] { return random.uniform(0, 1) + (sampled() ? 0 : 10); }},
      {"samples lie high", [&] { return random.uniform(0, 1) + (sampled() ? 10 : 0); }},
      {"one far away", [&] { return random.integer(0, 9999) == 0 ? 1e9 : random.uniform(0, 1); }}};
  for (const std::size_t count : {17U, 700U, 30000U, 100000U}) {
    for (const auto& [name, draw] : lines) {
      std::vector<Vec3> points(count);
      drawn = 0;
      for (Vec3& p : points) p = Vec3(1, draw(), -2);
      const KdTree tree(points);
      ASSERT_EQ(tree.validate(), "") << name;
      double highest = -kInfinity;
      for (const auto& leaf : doubles_of(tree)->leaves) {
        const double* y = leaf.at[1];
        const auto n = std::find_if(y, y + graze::kd_tree::kLeaf, [](double x) { return std::isnan(x); });
        ASSERT_LE(highest, *std::min_element(y, n)) << count << " points, " << name;
        highest = *std::max_element(y, n);
      }
    }
  }
}

// Small batches run in the caller's order, large ones along a curve; some volumes lie far outside.
TEST(ConcurrentKdTree, AnswersBatchesOnThreads) {
  for (const std::size_t count : {5000U, 50000U}) {
    const Points points = uniform_points(count, 1, 9);
    const KdTree tree(PointView(floats(points)), {.threads = 4});
    ASSERT_EQ(tree.validate(), "");
    std::vector<SearchVolume> volumes;
    for (const Point& p : uniform_points(300, 1, 10)) {
      const Vec3 at(p[0], p[1], p[2]);
      volumes.emplace_back(region::Ball(at, 0.1));
      volumes.emplace_back(region::Segment(1e3 * at, at, 0.1));
      volumes.emplace_back(region::OrientedBox({0.1, 0.2, 0.1}, Pose::at(at)));
    }
    volumes.emplace_back(region::Ball({1e50, -1e50, 0}, 1e50));
    for (const int threads : {1, 4}) {
      std::vector<int> asked(volumes.size(), 0);
      std::vector<std::size_t> counts(volumes.size());
      std::vector<Neighbor> nearest(volumes.size());
      tree.search_each(std::span<const SearchVolume>(volumes),
                       [&](std::size_t i, const graze::PointSearch& search) {
                         ++asked[i];
                         counts[i] = search.count();
                         nearest[i] = search.nearest();
                       },
                       {}, {.threads = threads});
      EXPECT_EQ(asked, std::vector<int>(volumes.size(), 1));
      for (std::size_t i = 0; i < volumes.size(); ++i) {
        ASSERT_EQ(counts[i], tree.search(volumes[i]).count()) << i;
        ASSERT_EQ(nearest[i], tree.search(volumes[i]).nearest()) << i;
      }
    }
  }
}

}  // namespace kd_tree_test
}  // namespace graze_test
