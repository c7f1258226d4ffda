// Properties of any two shapes, whatever the truth is.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "graze/query/collide.h"
#include "graze/query/contacts.h"
#include "graze/query/distance.h"
#include "graze/query/penetration.h"
#include "query/judge.h"
#include "support/property.h"
#include "support/scale.h"

namespace graze_test {
namespace properties_test {

using graze::at;
using graze::Distance;
using graze::Placed;
using graze::Pose;
using graze::Vec3;
using graze_oracle::Case;
using graze_oracle::Kind;
using graze_oracle::kKinds;
using graze_oracle::kTroubles;
using graze_oracle::Random;
using graze_oracle::Spec;
using graze_oracle::Trouble;

// Calls check(case, random) for pairs of any kinds and difficulties; `touching` needs a search and is left out.
template <class Check>
void for_random_pairs(int count, std::uint64_t salt, const Check& check) {
  for (int i = 0, n = scaled(count); i < n && !testing::Test::HasFailure(); ++i) {
    const std::uint64_t seed = salt * 1000003u + static_cast<std::uint64_t>(i);
    Random random(seed);
    const Kind a = kKinds[static_cast<std::size_t>(random.integer(0, 9))];
    const Kind b = kKinds[static_cast<std::size_t>(random.integer(0, 9))];
    Trouble trouble = kTroubles[static_cast<std::size_t>(random.integer(0, 11))];
    if (trouble == Trouble::touching) trouble = Trouble::generic;
    const Case c = make_case(a, b, trouble, random);
    SCOPED_TRACE(testing::Message() << name_of(trouble) << ", seed " << seed << "\n  a: " << describe(c.a)
                                    << "\n  b: " << describe(c.b));
    check(c, random);
  }
}

double size_of(const Case& c) { return static_cast<double>(magnitude(c.a) + magnitude(c.b)); }

double accuracy_of(const Case& c) {
  return static_cast<double>(iterative(c.a.kind, c.b.kind) ? kIterative : kClosedForm) * size_of(c);
}

// Two answers to the same question: equal up to their tolerances, which the pair test keeps small.
void expect_same(const Distance& d, const Distance& e, double rounding) {
  if (std::isinf(d.value) || std::isinf(e.value)) {
    EXPECT_EQ(d.value, e.value);
    return;
  }
  EXPECT_NEAR(d.value, e.value, d.tolerance + e.tolerance + rounding);
}

// Half-spaces and planes that are parallel up to rounding may or may not meet: a rotation can change that.
bool undecidable(const Case& c) { return unbounded(c.a.kind) && unbounded(c.b.kind); }

TEST(Properties, BothOrdersGiveTheSameBits) {
  for_random_pairs(10000, 1, [](const Case& c, Random& random) {
    Judge judge(c);
    const double margin = random.uniform(-0.1, 0.1) * size_of(c);
    judge.check_order(distance(judge.a, judge.b), distance(judge.b, judge.a));
    EXPECT_EQ(collide(judge.a, judge.b), collide(judge.b, judge.a));
    EXPECT_EQ(collide(judge.a, judge.b, {.margin = margin}), collide(judge.b, judge.a, {.margin = margin}));
    const auto p = penetration(judge.a, judge.b), q = penetration(judge.b, judge.a);
    EXPECT_TRUE(same_bits(p.depth, q.depth) && p.overlapping == q.overlapping);
    if (p.overlapping && !judge.twins()) {
      EXPECT_TRUE(p.direction == -q.direction && p.on_a == q.on_b && p.on_b == q.on_a);
    }
    const auto list = contacts(judge.a, judge.b), back = contacts(judge.b, judge.a);
    ASSERT_EQ(list.size(), back.size());
    for (std::size_t i = 0; i < list.size() && !judge.twins(); ++i) {
      EXPECT_TRUE(list[i].point == back[i].point && same_bits(list[i].depth, back[i].depth)) << "contact " << i;
      EXPECT_TRUE(list[i].normal == -back[i].normal) << "contact " << i;
    }
    EXPECT_TRUE(judge.complaints.empty()) << judge.report();
  });
}

TEST(Properties, RepeatingAQuestionGivesTheSameBits) {
  for_random_pairs(3000, 2, [](const Case& c, Random&) {
    const Placed a = placed_of(c.a), b = placed_of(c.b);
    const Distance d = distance(a, b), e = distance(a, b);
    EXPECT_TRUE(same_bits(d.value, e.value) && d.on_a == e.on_a && d.on_b == e.on_b && d.normal == e.normal);
  });
}

TEST(Properties, RigidMotionChangesNothing) {
  for_random_pairs(10000, 3, [](const Case& c, Random& random) {
    if (undecidable(c)) return;
    const Placed a = placed_of(c.a), b = placed_of(c.b);
    const auto q = random.rotation();
    const Vec3 shift = size_of(c) * vec3(random.direction());
    const Pose g = Pose::from_wxyz(shift, q[0], q[1], q[2], q[3]);
    const Distance d = distance(a, b), e = distance(at(a.geometry, g * a.pose), at(b.geometry, g * b.pose));
    expect_same(d, e, static_cast<double>(kRounding) * 2 * size_of(c) + accuracy_of(c));
  });
}

TEST(Properties, ScalingByAPowerOfTwoScalesTheAnswer) {
  for_random_pairs(10000, 4, [](const Case& c, Random& random) {
    const double by = std::ldexp(1.0, random.integer(-40, 40));
    Case scaled_case = c;
    for (Spec* s : {&scaled_case.a, &scaled_case.b}) {
      for (double& x : s->size) x *= by;
      for (double& x : s->xyz) x *= by;
      for (auto& p : s->points) {
        for (double& x : p) x *= by;
      }
      s->offset *= by;
    }
    const Distance d = distance(placed_of(c.a), placed_of(c.b));
    Distance e = distance(placed_of(scaled_case.a), placed_of(scaled_case.b));
    e.value /= by;
    e.tolerance /= by;
    expect_same(d, e, accuracy_of(c));
    EXPECT_LE(e.tolerance, 4 * d.tolerance + accuracy_of(c)) << "by " << by;
  });
}

TEST(Properties, ALargerMarginNeverSetsFree) {
  for_random_pairs(10000, 5, [](const Case& c, Random& random) {
    const Placed a = placed_of(c.a), b = placed_of(c.b);
    const double value = distance(a, b).value, size = size_of(c);
    if (!std::isfinite(value)) return;
    double margins[6] = {value,
                         0,
                         value + random.magnitude(-16, -6) * size,
                         value - random.magnitude(-16, -6) * size,
                         random.uniform(-1, 1) * size,
                         std::nextafter(value, graze::kInfinity)};
    std::sort(std::begin(margins), std::end(margins));
    bool hit = false;
    for (const double margin : margins) {
      const bool now = collide(a, b, {.margin = margin});
      EXPECT_TRUE(now || !hit) << "free again at margin " << margin << ", distance " << value;
      hit = hit || now;
    }
  });
}

TEST(Properties, MovingAStepChangesTheDistanceByNoMoreThanTheStep) {
  for_random_pairs(10000, 6, [](const Case& c, Random& random) {
    if (undecidable(c)) return;
    const Placed a = placed_of(c.a), b = placed_of(c.b);
    const double step = random.magnitude(-12, 0) * size_of(c);
    const Vec3 shift = step * vec3(random.direction());
    const Placed moved = at(b.geometry, b.pose.moved_to(b.pose.translation() + shift));
    const Vec3 done = moved.pose.translation() - b.pose.translation();
    const Distance d = distance(a, b), e = distance(a, moved);
    ASSERT_TRUE(std::isfinite(d.value) && std::isfinite(e.value));
    EXPECT_LE(std::abs(d.value - e.value), done.norm() * (1 + 1e-12) + d.tolerance + e.tolerance + accuracy_of(c));
  });
}

TEST(Properties, GrowingASphereShortensTheDistanceByAsMuch) {
  for_random_pairs(5000, 7, [](const Case& c, Random& random) {
    Case grown = c;
    Spec& s = grown.a;
    if (s.kind != Kind::sphere && s.kind != Kind::capsule) return;
    if (undecidable(c)) return;
    const double by = random.uniform(0, 1) * s.size[0];
    s.size[0] += by;
    const Distance d = distance(placed_of(c.a), placed_of(c.b)), e = distance(placed_of(grown.a), placed_of(grown.b));
    EXPECT_NEAR(d.value - by, e.value, d.tolerance + e.tolerance + accuracy_of(c));
  });
}

TEST(Properties, QuaternionsOfAnyLengthMeanTheSameRotation) {
  for_random_pairs(10000, 8, [](const Case& c, Random& random) {
    const double two = std::ldexp(1.0, random.integer(-300, 300)), any = random.magnitude(-100, 100);
    Case by_two = c, by_any = c;
    for (std::size_t i = 0; i < 4; ++i) {
      by_two.a.wxyz[i] *= two;
      by_any.b.wxyz[i] *= -any;
    }
    if (c.a.wxyz == std::array<double, 4>{1, 0, 0, 0}) return;
    const Distance d = distance(placed_of(c.a), placed_of(c.b));
    const Distance e = distance(placed_of(by_two.a), placed_of(by_two.b));
    EXPECT_TRUE(same_bits(d.value, e.value)) << d.value << " and " << e.value;
    if (undecidable(c)) return;
    expect_same(d, distance(placed_of(by_any.a), placed_of(by_any.b)), accuracy_of(c));
  });
}

TEST(Properties, DuplicatesOrderAndInnerPointsOfAHullChangeNothing) {
  check_property(10000, [] {
    const auto coordinate = rc::gen::inRange(-4, 5);
    const auto points = *rc::gen::nonEmpty(
        rc::gen::container<std::vector<std::array<int, 3>>>(rc::gen::container<std::array<int, 3>>(coordinate)));
    std::vector<Vec3> plain, shuffled;
    for (const auto& p : points) plain.emplace_back(p[0], p[1], p[2]);
    shuffled = plain;
    const auto more = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, plain.size()));
    for (const std::size_t i : more) shuffled.push_back(plain[i]);
    if (!more.empty()) shuffled.push_back((plain[more[0]] + plain.back()) / 2);
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    for (std::size_t i = shuffled.size(); i > 1; --i) {
      std::swap(shuffled[i - 1], shuffled[static_cast<std::size_t>(random.integer(0, static_cast<int>(i) - 1))]);
    }
    const Placed a = at(graze::Convex::hull_of(plain)), b = at(graze::Convex::hull_of(shuffled));
    const auto other = *rc::gen::container<std::array<int, 3>>(rc::gen::inRange(-6, 7));
    const Placed box =
        at(graze::Box{.half = {1, 2, 0.5}}, Pose::at({double(other[0]), double(other[1]), double(other[2])}));
    RC_ASSERT(collide(a, box) == collide(b, box));
    const Distance d = distance(a, box), e = distance(b, box);
    RC_ASSERT(std::abs(d.value - e.value) <= d.tolerance + e.tolerance + 1e-12);
  });
}

}  // namespace properties_test
}  // namespace graze_test
