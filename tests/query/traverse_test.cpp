// The traversal against brute force, on a hierarchy made for this test: a binary tree over balls.
#include "graze/query/traverse.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "graze/query/brute_force.h"
#include "query/contact_query.h"
#include "support/scale.h"

namespace graze {
namespace traverse_test {

using graze_test::scaled;

struct Ball {
  Vec3 center;
  double radius;
};

// Halves its balls at the median of the longest axis, down to leaves of at most three. Balls are kept in the order of
// the leaves.
class BallTree {
 public:
  using Node = int;
  static constexpr std::size_t kMaxDepth = 40, kMaxChildren = 2;

  explicit BallTree(std::vector<Ball> balls) : balls_(std::move(balls)) {
    if (!balls_.empty()) build(0, balls_.size());
    for (const Ball& ball : balls_) {
      std::vector<Vec3> corners;
      for (int c = 0; c < 8; ++c) {
        corners.push_back(ball.center +
                          ball.radius * Vec3((c & 1) != 0 ? 1 : -1, (c & 2) != 0 ? 1 : -1, c < 4 ? 1 : -1));
      }
      cubes_.push_back(Convex::hull_of(corners));
    }
  }

  bool empty() const { return balls_.empty(); }
  Node root() const { return 0; }
  const Aabb& bounds(Node n) const { return at(n).box; }
  bool is_leaf(Node n) const { return at(n).left < 0; }
  std::size_t children(Node) const { return 2; }
  Node child(Node n, std::size_t i) const { return i == 0 ? at(n).left : at(n).right; }
  std::size_t first(Node n) const { return at(n).first; }
  std::size_t last(Node n) const { return at(n).last; }

  const Ball& ball(std::size_t i) const { return balls_[i]; }
  // What the queries get: the cube around the ball, whose contacts are patches.
  const Convex& primitive(std::size_t i) const { return cubes_[i]; }

 private:
  struct Entry {
    Aabb box;
    std::size_t first, last;
    Node left = -1, right = -1;
  };
  const Entry& at(Node n) const { return nodes_[static_cast<std::size_t>(n)]; }

  Node build(std::size_t first, std::size_t last) {
    const auto index = static_cast<Node>(nodes_.size());
    Entry entry{{}, first, last};
    for (std::size_t i = first; i < last; ++i) {
      entry.box.extend(Aabb::around(balls_[i].center, Vec3::Constant(balls_[i].radius)));
    }
    nodes_.push_back(entry);
    if (last - first > 3) {
      Eigen::Index axis = 0;
      entry.box.half().maxCoeff(&axis);
      const std::size_t middle = (first + last) / 2;
      const auto all = balls_.begin();
      std::nth_element(all + static_cast<std::ptrdiff_t>(first), all + static_cast<std::ptrdiff_t>(middle),
                       all + static_cast<std::ptrdiff_t>(last),
                       [&](const Ball& a, const Ball& b) { return a.center[axis] < b.center[axis]; });
      const Node left = build(first, middle), right = build(middle, last);
      nodes_[static_cast<std::size_t>(index)].left = left;
      nodes_[static_cast<std::size_t>(index)].right = right;
    }
    return index;
  }

  std::vector<Ball> balls_;
  std::vector<Convex> cubes_;
  std::vector<Entry> nodes_;
};

static_assert(Hierarchy<BallTree>);
static_assert(PairQuery<CollideQuery, BallTree, BallTree>);
static_assert(PairQuery<DistanceQuery, BallTree, BallTree>);
static_assert(PairQuery<ContactQuery, BallTree, BallTree>);

// All balls that reach into a ball of the given radius.
struct Range {
  Vec3 center;
  double radius;
  std::set<std::size_t> found;
  std::size_t asked = 0;

  double bound(const Aabb& box) const { return gap(box, center); }
  double limit() const { return radius; }
  void leaf(const BallTree& tree, std::size_t i) {
    ++asked;
    if ((tree.ball(i).center - center).norm() - tree.ball(i).radius <= radius) found.insert(i);
  }
};

enum class Layout { uniform, clustered, duplicate, collinear, far };

std::vector<Ball> balls(std::mt19937_64& random, Layout layout, std::size_t count) {
  std::uniform_real_distribution<double> u(-1, 1);
  std::vector<Ball> r;
  for (std::size_t i = 0; i < count; ++i) {
    Vec3 c(u(random), u(random), u(random));
    if (layout == Layout::clustered) c = 0.05 * c + Vec3::Constant(i % 2 == 0 ? 0.7 : -0.7);
    if (layout == Layout::duplicate) c = Vec3::Constant(0.25);
    if (layout == Layout::collinear) c = Vec3(c.x(), 0, 0);
    if (layout == Layout::far) c += Vec3(1e6, -2e6, 3e6);
    r.push_back({c, 0.02 + 0.05 * std::abs(u(random))});
  }
  return r;
}

Pose pose(std::mt19937_64& random, double spread, const Vec3& around = Vec3::Zero()) {
  std::uniform_real_distribution<double> u(-1, 1);
  const Vec3 shift(u(random), u(random), u(random));
  return Pose::from_wxyz(around + spread * shift, u(random), u(random), u(random), u(random));
}

constexpr Layout kLayouts[] = {Layout::uniform, Layout::clustered, Layout::duplicate, Layout::collinear, Layout::far};

TEST(Traverse, FindsWhatBruteForceFindsInARange) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> u(0, 1);
  std::size_t asked = 0, all = 0;
  for (const Layout layout : kLayouts) {
    for (int scene = 0; scene < scaled(20); ++scene) {
      const BallTree tree(balls(random, layout, static_cast<std::size_t>(scene * 17 % 300)));
      for (int q = 0; q < 10; ++q) {
        const Vec3 center = tree.empty() ? Vec3::Zero() : Vec3(tree.ball(0).center + Vec3::Constant(u(random) - 0.5));
        Range fast{center, u(random) * 0.5, {}}, slow = fast;
        traverse(tree, fast);
        brute_force(tree, slow);
        ASSERT_EQ(fast.found, slow.found) << "scene " << scene;
        asked += fast.asked, all += slow.asked;
      }
    }
  }
  EXPECT_LT(asked, all / 2) << "too little was skipped";
}

TEST(Traverse, CollidesMeasuresAndTouchesLikeBruteForce) {
  std::mt19937_64 random(12);
  int hits = 0, misses = 0;
  for (const Layout layout : kLayouts) {
    const int scenes = std::max(scaled(8), 4);
    for (int scene = 0; scene < scenes; ++scene) {
      const std::size_t count = 1 + static_cast<std::size_t>(scene) * 32 / static_cast<std::size_t>(scenes);
      const BallTree a(balls(random, layout, count)), b(balls(random, layout, count + 3));
      const Pose pose_a = layout == Layout::far ? Pose() : pose(random, 0.5);
      const Pose pose_b = layout == Layout::far ? Pose::at({0.5, 0.1, 0}) : pose(random, scene % 3 == 0 ? 3 : 0.6);
      const Relative relative(pose_a, pose_b);

      CollideQuery quick(relative, 0.05, nullptr), sure(relative, 0.05, nullptr);
      traverse(a, b, quick);
      brute_force(a, b, sure);
      ASSERT_EQ(quick.hit(), sure.hit()) << "scene " << scene;
      ++(quick.hit() ? hits : misses);

      DistanceQuery near(relative, {}), nearest(relative, {});
      traverse(a, b, near);
      brute_force(a, b, nearest);
      // Bounds of boxes do not give the depth of an overlap: without an overlap the answers have the same bits.
      if (nearest.best().value > 0) {
        ASSERT_EQ(near.best().value, nearest.best().value) << "scene " << scene;
        ASSERT_EQ(near.a(), nearest.a());
        ASSERT_EQ(near.b(), nearest.b());
      } else {
        ASSERT_LE(near.best().value, 0) << "scene " << scene;
      }

      ContactQuery some(relative, 0.01, nullptr), every(relative, 0.01, nullptr);
      traverse(a, b, some);
      brute_force(a, b, every);
      const auto x = some.result(1000), y = every.result(1000);
      ASSERT_EQ(x.size(), y.size()) << "scene " << scene;
      if (!x.empty()) {
        EXPECT_EQ(x[0].depth, y[0].depth);
      }
    }
  }
  EXPECT_GT(hits, scaled(6) - 1);
  EXPECT_GT(misses, scaled(6) - 1);
}

TEST(Traverse, AnswersNothingForAnEmptyHierarchy) {
  std::mt19937_64 random(13);
  const BallTree none({}), some(balls(random, Layout::uniform, 20));
  const Relative relative{Pose(), Pose()};
  DistanceQuery distance(relative, {});
  traverse(none, some, distance);
  EXPECT_TRUE(distance.best().beyond);
  CollideQuery collide(relative, 1e9, nullptr);
  traverse(some, none, collide);
  EXPECT_FALSE(collide.hit());
}

TEST(Traverse, VisitsTheNearestFirst) {
  std::mt19937_64 random(14);
  const BallTree tree(balls(random, Layout::uniform, 2000));
  // With a limit that shrinks to the best so far, far fewer balls are tested than there are.
  struct Nearest {
    Vec3 p;
    double best = kInfinity;
    std::size_t asked = 0;
    double bound(const Aabb& box) const { return gap(box, p); }
    double limit() const { return best; }
    void leaf(const BallTree& t, std::size_t i) {
      ++asked;
      best = std::min(best, (t.ball(i).center - p).norm() - t.ball(i).radius);
    }
  };
  Nearest fast{Vec3(2, 2, 2)}, slow = fast;
  traverse(tree, fast);
  brute_force(tree, slow);
  EXPECT_EQ(fast.best, slow.best);
  EXPECT_LT(fast.asked, 100U);
  EXPECT_EQ(slow.asked, 2000U);
}

}  // namespace traverse_test
}  // namespace graze
