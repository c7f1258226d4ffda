#include "graze/index/bounds_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "graze/index/separation.h"
#include "graze/query/brute_force.h"
#include "graze/query/traverse.h"
#include "support/allocations.h"
#include "support/generator.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze_test {
namespace bounds_tree_test {

using namespace graze;

enum class Layout { uniform, clustered, duplicate, collinear, shrinking, huge, tiny, far, flat };
constexpr Layout kLayouts[] = {Layout::uniform,   Layout::clustered, Layout::duplicate,
                               Layout::collinear, Layout::shrinking, Layout::huge,
                               Layout::tiny,      Layout::far,       Layout::flat};

std::vector<Vec3> points_of(Layout layout, std::size_t count, Generator& random) {
  std::vector<Vec3> points;
  const Vec3 along = random.in_cube(1);
  for (std::size_t i = 0; i < count; ++i) {
    Vec3 p = random.in_cube(1);
    switch (layout) {
      case Layout::clustered:
        p *= i % 3 == 0 ? 1 : 0.01;
        break;
      case Layout::duplicate:
        p = {0.25, 0.5, -1};
        break;
      case Layout::collinear:
        p = p.x() * along;
        break;
      case Layout::shrinking:
        p = along * std::exp2(-static_cast<double>(i % 200));
        break;
      case Layout::huge:
        p *= 1e29;
        break;
      case Layout::tiny:
        p *= 1e-30;
        break;
      case Layout::far:
        p += Vec3(4.5e6, -3e5, 12);
        break;
      case Layout::flat:
        p.z() = 0.5;
        break;
      default:
        break;
    }
    points.push_back(p);
  }
  return points;
}

using Corners = std::array<std::uint32_t, 3>;
std::vector<Corners> triangles_of(std::size_t vertices, Generator& random) {
  std::vector<Corners> triangles;
  for (std::uint32_t i = 0; i < vertices; ++i) {
    const auto any = [&] { return static_cast<std::uint32_t>(random.bits() % vertices); };
    const auto next = static_cast<std::uint32_t>((i + 1) % vertices);
    triangles.push_back(i % 4 == 0 ? Corners{i, any(), any()} : Corners{i, next, i});
  }
  return triangles;
}

template <class Bound>
typename BoundsTree<Bound>::Options options_of(int i) {
  const SplitRule splits[] = {split::middle, split::mean, split::median, split::surface_area, split::principal};
  typename BoundsTree<Bound>::Options options{.split = splits[i % 5],
                                              .leaf_size = 1 + static_cast<std::size_t>(i / 2 % 3)};
  if constexpr (BoundsTree<Bound>::kOriented) {
    const FitRule fits[] = {fit::frame, fit::principal, fit::smallest};
    options.fit = fits[i % 3];
  }
  return options;
}

template <class Bound>
class BoundsTrees : public testing::Test {};
using Kinds = testing::Types<Aabb, Obb, Rss, KDop<16>, KDop<18>, KDop<24>>;
TYPED_TEST_SUITE(BoundsTrees, Kinds);

TYPED_TEST(BoundsTrees, ContainEverythingForAnySplitAndFit) {
  Generator random(1);
  for (int round = 0, n = scaled(15); round < n && !this->HasFailure(); ++round) {
    for (const Layout layout : kLayouts) {
      SCOPED_TRACE(testing::Message() << "layout " << static_cast<int>(layout) << ", round " << round);
      const std::size_t count = round < 8 ? static_cast<std::size_t>(round) + 1 : random.bits() % 400 + 1;
      const std::vector<Vec3> vertices = points_of(layout, count, random);
      const std::vector<Corners> triangles = triangles_of(count, random);
      BoundsTree<TypeParam> tree(vertices, triangles, options_of<TypeParam>(round)),
          points(vertices, options_of<TypeParam>(round + 1));
      for (BoundsTree<TypeParam>* t : {&tree, &points}) {
        ASSERT_EQ(t->validate(vertices), "");
        EXPECT_EQ(t->size(), count);
        EXPECT_EQ(t->cost_ratio(), 1);
        EXPECT_FALSE(t->over_move());
        const std::vector<Vec3> moved = points_of(Layout::clustered, count, random);
        t->refit(moved);
        ASSERT_EQ(t->validate(moved), "");
        t->refit_over_move(moved, vertices);
        EXPECT_TRUE(t->over_move());
        for (const double time : {0.0, 1e-3, 0.3, 0.5, 0.77, 1.0}) {
          std::vector<Vec3> between = vertices;
          for (std::size_t i = 0; i < count; ++i) between[i] = moved[i] + time * (vertices[i] - moved[i]);
          ASSERT_EQ(t->validate(between), "") << "at time " << time;
        }
        t->rebuild(moved);
        ASSERT_EQ(t->validate(moved), "");
        EXPECT_EQ(t->cost_ratio(), 1);
        EXPECT_FALSE(t->over_move());
      }
    }
  }
}

TYPED_TEST(BoundsTrees, NoticeWhatTheyDoNotContain) {
  Generator random(2);
  std::vector<Vec3> points = points_of(Layout::uniform, 300, random);
  const BoundsTree<TypeParam> tree(points);
  points[77].x() += 3;
  EXPECT_NE(tree.validate(points), "");
  EXPECT_NE(tree.validate(std::span(points).first(299)), "");
}

TYPED_TEST(BoundsTrees, RejectInvalidInput) {
  Generator random(3);
  std::vector<Vec3> points = points_of(Layout::uniform, 30, random);
  const std::vector<Corners> outside{{0, 1, 30}};
  using Tree = BoundsTree<TypeParam>;
  EXPECT_NE(refusal([&] { Tree bad(points, outside); }).find("triangle 0"), std::string::npos);
  EXPECT_NE(refusal([&] { Tree bad(points, {.leaf_size = 0}); }).find("size 0"), std::string::npos);
  EXPECT_NE(refusal([&] { Tree bad(points, {.split = nullptr}); }).find("split"), std::string::npos);
  Tree tree(points);
  const std::vector<Vec3> before = points;
  points[5].y() = std::nan("");
  EXPECT_NE(refusal([&] { Tree bad(points); }).find("vertex 5"), std::string::npos);
  EXPECT_NE(refusal([&] { tree.refit(points); }).find("vertex 5"), std::string::npos);
  EXPECT_NE(refusal([&] { tree.rebuild(points); }).find("vertex 5"), std::string::npos);
  EXPECT_NE(refusal([&] { tree.refit_over_move(before, points); }).find("vertex 5"), std::string::npos);
  EXPECT_NE(refusal([&] { tree.refit_over_move(std::span(before).first(7), before); }).find("cannot take 7"),
            std::string::npos);
  EXPECT_NE(refusal([&] { tree.refit(std::span(before).first(29)); }).find("cannot take 29"), std::string::npos);
  EXPECT_EQ(tree.validate(before), "") << "a rejected change modified it";
  if constexpr (Tree::kOriented) {
    const FitRule stretched = [](std::span<const Vec3>) { return Mat3(2 * Mat3::Identity()); };
    EXPECT_NE(refusal([&] { Tree bad(before, {.fit = stretched}); }).find("orthonormal"), std::string::npos);
    EXPECT_NE(refusal([&] { Tree bad(before, {.fit = nullptr}); }).find("fit"), std::string::npos);
  }
}

template <class Options>
concept HasFit = requires(Options o) {
  o.fit;
};
static_assert(HasFit<BoundsTree<Obb>::Options> && HasFit<BoundsTree<Rss>::Options>);
static_assert(!HasFit<BoundsTree<Aabb>::Options> && !HasFit<BoundsTree<KDop<18>>::Options>,
              "bounds along fixed directions have nothing to fit");

TYPED_TEST(BoundsTrees, WithoutPrimitivesAreEmpty) {
  BoundsTree<TypeParam> tree;
  EXPECT_TRUE(tree.empty());
  EXPECT_EQ(tree.validate({}), "");
  tree.refit({});
  tree.rebuild({});
  EXPECT_EQ(BoundsTree<TypeParam>(std::span<const Vec3>()).size(), 0U);
  const std::vector<Vec3> unused{{1, 2, 3}};
  EXPECT_EQ(BoundsTree<TypeParam>(unused, std::vector<Corners>()).validate(unused), "");
}

TYPED_TEST(BoundsTrees, AcceptAnySplitRule) {
  Generator random(4);
  const std::vector<Vec3> points = points_of(Layout::uniform, 200, random);
  int asked = 0;
  const SplitRule rules[] = {[&](std::span<const Aabb> boxes) {
                               ++asked;
                               EXPECT_GE(boxes.size(), 2U);
                               return SplitPlane{Vec3(1, 2, 3), 0.1};
                             },
                             [](std::span<const Aabb>) {
                               return SplitPlane{Vec3::Constant(std::nan("")), 0};
                             },
                             [](std::span<const Aabb>) {
                               return SplitPlane{Vec3::UnitZ(), kInfinity};
                             },
                             [](std::span<const Aabb> boxes) {  // splits off one at a time: as deep as possible
                               double lowest = kInfinity, next = kInfinity;
                               for (const Aabb& box : boxes) {
                                 const double x = box.min.x();
                                 if (x < lowest) next = lowest, lowest = x;
                                 else next = std::min(next, x);
                               }
                               return SplitPlane{Vec3::UnitX(), next};
                             }};
  for (const SplitRule& rule : rules) {
    const BoundsTree<TypeParam> tree(points, {.split = rule});
    EXPECT_EQ(tree.validate(points), "");
  }
  EXPECT_GT(asked, 0);
}

TYPED_TEST(BoundsTrees, OfEqualAndShrinkingPointsStayShallow) {
  Generator random(5);
  for (const Layout layout : {Layout::duplicate, Layout::shrinking, Layout::collinear}) {
    const std::vector<Vec3> points = points_of(layout, static_cast<std::size_t>(scaled(5000)), random);
    for (int i = 0; i < 5; ++i) {
      auto options = options_of<TypeParam>(i);
      const BoundsTree<TypeParam> tree(points, options);
      EXPECT_EQ(tree.validate(points), "");
    }
  }
}

TYPED_TEST(BoundsTrees, SayWhenARebuildPays) {
  Generator random(6);
  const std::vector<Vec3> points = points_of(Layout::uniform, 2000, random);
  std::vector<Vec3> shuffled = points;
  std::rotate(shuffled.begin(), shuffled.begin() + 777, shuffled.end());
  BoundsTree<TypeParam> tree(points);
  tree.refit(shuffled);
  EXPECT_GT(tree.cost_ratio(), 3);
  tree.refit(points);
  EXPECT_NEAR(tree.cost_ratio(), 1, 1e-6);
  EXPECT_GT(tree.memory_bytes(), 2000 * sizeof(TypeParam));
}

// The nearest pair of points of two trees, by the common traversal.
template <class Bound>
struct Nearest {
  Separation<Bound> between;
  const std::vector<Vec3>&a, &b;
  const Pose& pose;
  double best = kInfinity;
  std::size_t at_a = 0, at_b = 0, tests = 0, leaves = 0;

  double bound(const Bound& x, const Bound& y) {
    ++tests;
    return between(x, y, best);
  }
  double limit() const { return best; }
  void leaf(const BoundsTree<Bound>& x, std::size_t i, const BoundsTree<Bound>& y, std::size_t j) {
    ++leaves;
    const std::size_t p = x.order()[i], q = y.order()[j];
    const double d = (pose * b[q] - a[p]).norm();
    if (d < best || (d == best && std::pair(p, q) < std::pair(at_a, at_b))) best = d, at_a = p, at_b = q;
  }
};

TYPED_TEST(BoundsTrees, FindTheNearestPairInAnyPose) {
  Generator random(7);
  for (int round = 0, n = scaled(40); round < n && !this->HasFailure(); ++round) {
    const Layout layout = kLayouts[static_cast<std::size_t>(round) % std::size(kLayouts)];
    if (layout == Layout::huge || layout == Layout::tiny) continue;
    SCOPED_TRACE(testing::Message() << "layout " << static_cast<int>(layout) << ", round " << round);
    std::vector<Vec3> a = points_of(layout, 200, random), b = points_of(Layout::flat, 150, random);
    const BoundsTree<TypeParam> tree_a(a, options_of<TypeParam>(round)), tree_b(b, options_of<TypeParam>(round + 2));
    Pose pose = random.pose(3);
    pose = pose.moved_to(pose.translation() + a[0]);
    const Separation<TypeParam> between(pose.rotation(), pose.translation());
    Nearest<TypeParam> fast{between, a, b, pose}, slow{between, a, b, pose};
    EXPECT_EQ(allocations_of([&] { traverse(tree_a, tree_b, fast); }), 0);
    brute_force(tree_a, tree_b, slow);
    EXPECT_EQ(fast.best, slow.best);
    EXPECT_EQ(std::pair(fast.at_a, fast.at_b), std::pair(slow.at_a, slow.at_b));
    if (layout == Layout::uniform) {
      EXPECT_LT(fast.leaves, slow.leaves / 5);
    }
  }
}

TYPED_TEST(BoundsTrees, AreTheSameEveryTime) {
  Generator random(8);
  const std::vector<Vec3> points = points_of(Layout::clustered, 1000, random);
  const BoundsTree<TypeParam> one(points), two(points);
  EXPECT_TRUE(std::equal(one.order().begin(), one.order().end(), two.order().begin(), two.order().end()));
  EXPECT_EQ(one.cost(), two.cost());
}

}  // namespace bounds_tree_test
}  // namespace graze_test
