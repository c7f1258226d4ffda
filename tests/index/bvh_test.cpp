#include "graze/index/bvh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "index/bvh_data.h"
#include "support/generator.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze_test {
namespace bvh_test {

using graze::Aabb;
using graze::Bvh;
using graze::Vec3;

enum class Layout { uniform, clustered, duplicate, collinear, shrinking, huge, tiny, far, points };
constexpr Layout kLayouts[] = {Layout::uniform,   Layout::clustered, Layout::duplicate,
                               Layout::collinear, Layout::shrinking, Layout::huge,
                               Layout::tiny,      Layout::far,       Layout::points};

std::vector<Aabb> boxes_of(Layout layout, std::size_t count, Generator& random) {
  std::vector<Aabb> boxes;
  const Vec3 along = random.in_cube(1);
  for (std::size_t i = 0; i < count; ++i) {
    Vec3 center = random.in_cube(1), half = random.in_cube(0.05).cwiseAbs();
    switch (layout) {
      case Layout::clustered:
        center *= i % 3 == 0 ? 1 : 0.01;
        break;
      case Layout::duplicate:
        center = Vec3(0.25, 0.5, -1), half = Vec3(0.1, 0.1, 0.1);
        break;
      case Layout::collinear:
        center = random.uniform(-1, 1) * along, half.setZero();
        break;
      case Layout::shrinking:
        center = along * std::exp2(-static_cast<double>(i % 200)), half = center.cwiseAbs() / 4;
        break;
      case Layout::huge:
        center *= 1e29, half *= 1e29;
        break;
      case Layout::tiny:
        center *= 1e-40, half *= 1e-40;
        break;
      case Layout::far:
        center += Vec3(4.5e6, -3e5, 12);
        break;
      case Layout::points:
        half.setZero();
        break;
      default:
        break;
    }
    boxes.push_back(Aabb::around(center, half));
  }
  return boxes;
}

void expect_all_found(const Bvh& tree, const std::vector<Aabb>& boxes, Generator& random) {
  for (int q = 0; q < 20; ++q) {
    const Aabb& some = boxes[random.bits() % boxes.size()];
    Aabb box = Aabb::around(some.center() + random.in_cube((some.max - some.min).norm()), some.half() * 2);
    if (q % 4 == 0) box = {some.max, some.max + some.half()};  // touches
    if (q % 4 == 1) box = {some.min - some.half(), some.min};
    std::vector<char> found(boxes.size(), 0);
    tree.visit_overlapping(box, [&](std::size_t i) { ASSERT_EQ(found[i]++, 0) << "visited twice"; });
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      if (overlap(boxes[i], box)) {
        ASSERT_EQ(found[i], 1) << "box " << i << " was missed";
      }
    }
  }
}

TEST(Bvh, ContainsEveryBoxAndFindsEveryOverlap) {
  Generator random(1);
  for (int round = 0, n = scaled(20); round < n && !HasFailure(); ++round) {
    for (const Layout layout : kLayouts) {
      SCOPED_TRACE(testing::Message() << "layout " << static_cast<int>(layout) << ", round " << round);
      const std::size_t count = round < 12 ? static_cast<std::size_t>(round) + 1 : random.bits() % 3000 + 1;
      const std::vector<Aabb> boxes = boxes_of(layout, count, random);
      Bvh tree(boxes);
      ASSERT_EQ(tree.validate(boxes), "");
      EXPECT_EQ(tree.size(), count);
      EXPECT_EQ(tree.cost_ratio(), 1);
      expect_all_found(tree, boxes, random);
      const std::vector<Aabb> moved = boxes_of(Layout::clustered, count, random);
      tree.refit(moved);
      ASSERT_EQ(tree.validate(moved), "");
      expect_all_found(tree, moved, random);
    }
  }
}

TEST(Bvh, ValidationNoticesABoxThatIsNotContained) {
  Generator random(2);
  std::vector<Aabb> boxes = boxes_of(Layout::uniform, 500, random);
  const Bvh tree(boxes);
  boxes[77].max.x() += 1;
  EXPECT_NE(tree.validate(boxes), "");
}

TEST(Bvh, WithoutBoxesFindsNothing) {
  Bvh tree;
  int visits = 0;
  tree.visit_overlapping(Aabb::everything(), [&](std::size_t) { ++visits; });
  EXPECT_EQ(visits, 0);
  EXPECT_TRUE(tree.bounds().empty());
  tree.refit({});
  EXPECT_EQ(Bvh(std::span<const Aabb>()).validate({}), "");
}

TEST(Bvh, StopsASearchOnRequest) {
  Generator random(3);
  const std::vector<Aabb> boxes = boxes_of(Layout::uniform, 500, random);
  const Bvh tree(boxes);
  int visits = 0;
  tree.visit_overlapping(Aabb::everything(), [&](std::size_t) { return ++visits < 3; });
  EXPECT_EQ(visits, 3);
  visits = 0;
  tree.visit_overlapping(Aabb{Vec3::Constant(std::nan("")), Vec3::Constant(std::nan(""))},
                         [&](std::size_t) { ++visits; });
  EXPECT_EQ(visits, 500) << "NaN is near everything";
}

TEST(Bvh, OverAMoveFindsWhatOverlapsAtAnyTime) {
  Generator random(6);
  for (int round = 0, n = scaled(10); round < n && !HasFailure(); ++round) {
    for (const Layout layout : kLayouts) {
      SCOPED_TRACE(testing::Message() << "layout " << static_cast<int>(layout) << ", round " << round);
      const std::size_t count = random.bits() % 500 + 1;
      const std::vector<Aabb> from = boxes_of(layout, count, random), to = boxes_of(layout, count, random);
      Bvh tree(from);
      tree.refit_over_move(from, to);
      for (const double t : {0.0, 0.2, 0.5, 0.9, 1.0}) {
        std::vector<Aabb> now = from;
        for (std::size_t i = 0; i < count; ++i) {
          now[i] = {from[i].min + t * (to[i].min - from[i].min), from[i].max + t * (to[i].max - from[i].max)};
        }
        ASSERT_EQ(tree.validate(now), "") << "at time " << t;
        expect_all_found(tree, now, random);
      }
      tree.refit(to);
      EXPECT_EQ(tree.validate(to), "");
    }
  }
}

TEST(Bvh, RejectsHalfAMove) {
  std::vector<Aabb> boxes(3, Aabb::around(Vec3::Zero(), Vec3::Ones()));
  Bvh tree(boxes);
  EXPECT_NE(refusal([&] { tree.refit_over_move(boxes, std::span(boxes).first(2)); }).find("refitted"),
            std::string::npos);
  EXPECT_NE(refusal([&] { tree.refit_over_move(std::span(boxes).first(2), boxes); }).find("refitted"),
            std::string::npos);
  std::vector<Aabb> bad = boxes;
  bad[2] = Aabb();
  EXPECT_NE(refusal([&] { tree.refit_over_move(boxes, bad); }).find("box 2"), std::string::npos);
  EXPECT_NE(refusal([&] { tree.refit_over_move(bad, boxes); }).find("box 2"), std::string::npos) << "one end is enough";
}

TEST(Bvh, SaysWhenARebuildPays) {
  Generator random(4);
  const std::vector<Aabb> boxes = boxes_of(Layout::uniform, 4000, random);
  std::vector<Aabb> shuffled = boxes;
  std::rotate(shuffled.begin(), shuffled.begin() + 1234, shuffled.end());
  Bvh tree(boxes);
  tree.refit(shuffled);
  EXPECT_GT(tree.cost_ratio(), 5);
  EXPECT_EQ(tree.validate(shuffled), "");
  tree.refit(boxes);
  EXPECT_NEAR(tree.cost_ratio(), 1, 1e-6);
}

TEST(Bvh, RejectsInvalidBoxes) {
  std::vector<Aabb> boxes(3, Aabb::around(Vec3::Zero(), Vec3::Ones()));
  Bvh tree(boxes);
  EXPECT_NE(refusal([&] { tree.refit(std::span(boxes).first(2)); }).find("cannot be refitted"), std::string::npos);
  boxes[1].min.y() = 7;
  EXPECT_NE(refusal([&] { Bvh bad(boxes); }).find("box 1"), std::string::npos);
  boxes[1] = Aabb::everything();
  EXPECT_NE(refusal([&] { tree.refit(boxes); }).find("box 1"), std::string::npos);
  boxes[1].min.x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refusal([&] { Bvh bad(boxes); }).find("box 1"), std::string::npos);
}

TEST(ConcurrentBvh, IsTheSameForAnyNumberOfThreads) {
  Generator random(5);
  const std::vector<Aabb> boxes = boxes_of(Layout::clustered, 30000, random);
  const Bvh one(boxes, {.threads = 1});
  EXPECT_EQ(one.validate(boxes), "");
  for (const int threads : {2, 7}) {
    const Bvh other(boxes, {.threads = threads});
    const auto &a = tree_of(one), &b = tree_of(other);
    ASSERT_EQ(a.nodes.size(), b.nodes.size());
    ASSERT_EQ(a.order.size(), b.order.size());
    EXPECT_TRUE(std::equal(a.order.begin(), a.order.end(), b.order.begin()));
    EXPECT_EQ(std::memcmp(a.nodes.data(), b.nodes.data(), a.nodes.size() * sizeof(graze::bvh::Node)), 0);
  }
}

TEST(Bvh, OfAMillionCoincidentBoxesIsBuiltAndSearched) {
  const std::vector<Aabb> boxes(static_cast<std::size_t>(scaled(200000)), Aabb::around({1, 2, 3}, {1, 1, 1}));
  const Bvh tree(boxes);
  EXPECT_EQ(tree.validate(boxes), "");
  std::size_t visits = 0;
  tree.visit_overlapping(Aabb::around({1, 2, 3}, {0, 0, 0}), [&](std::size_t) { ++visits; });
  EXPECT_EQ(visits, boxes.size());
}

}  // namespace bvh_test
}  // namespace graze_test
