// One hash over the bits of many answers: the same for any thread, instruction set, compiler and optimisation level.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "graze/base/parallel.h"
#include "graze/base/simd.h"
#include "graze/query/collide.h"
#include "graze/query/contacts.h"
#include "graze/query/distance.h"
#include "graze/query/penetration.h"
#include "graze/query/probability.h"
#include "oracle/cases.h"
#include "query/placed_of.h"
#include "support/scale.h"

namespace graze_test {
namespace determinism_test {

using graze_oracle::Kind;
using graze_oracle::kKinds;
using graze_oracle::Random;
using graze_oracle::Trouble;

class Hash {  // FNV-1a over 64-bit words
 public:
  void add(std::uint64_t word) {
    for (int i = 0; i < 8; ++i) {
      value_ = (value_ ^ ((word >> (8 * i)) & 0xffu)) * 0x100000001b3u;
    }
  }
  void add(double x) { add(std::bit_cast<std::uint64_t>(x)); }
  void add(const graze::Vec3& v) {
    for (const double x : v) add(x);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

// Query number i: both shapes depend on i only, not on anything that differs between machines.
std::uint64_t answer(std::size_t i) {
  constexpr Trouble kPlain[] = {Trouble::generic, Trouble::aligned, Trouble::sliver, Trouble::nested,
                                Trouble::far,     Trouble::tiny,    Trouble::mixed};
  Random random(i + 1);
  const Kind a = kKinds[static_cast<std::size_t>(random.integer(0, 9))];
  const Kind b = kKinds[static_cast<std::size_t>(random.integer(0, 9))];
  const graze_oracle::Case c = make_case(a, b, kPlain[random.integer(0, 6)], random);
  const graze::Placed pa = placed_of(c.a), pb = placed_of(c.b);
  Hash hash;
  hash.add(std::uint64_t{collide(pa, pb)});
  hash.add(std::uint64_t{collide(pa, pb, {.margin = 0.1})});
  const graze::Distance d = distance(pa, pb);
  hash.add(d.value);
  hash.add(d.tolerance);
  hash.add(d.on_a);
  hash.add(d.on_b);
  const graze::Penetration p = penetration(pa, pb);
  hash.add(p.depth);
  hash.add(p.direction);
  for (const graze::Contact& contact : contacts(pa, pb)) {
    hash.add(contact.point);
    hash.add(contact.depth);
  }
  return hash.value();
}

// The same for bodies of many parts, half of them rotated, and for the roll, pitch and yaw of poses. Depths of
// non-convex bodies, which are only bounded, are left out.
std::uint64_t answer_of_many(std::size_t i) {
  Random random(i + 1);
  const auto points = [&](int count) {
    std::vector<graze::Vec3> list;
    const graze::Vec3 away = random.chance(0.2) ? graze::Vec3(4.5e6, -3e5, 120) : graze::Vec3(0, 0, 0);
    for (int k = 0; k < count; ++k) {
      const double x = random.uniform(-1, 1), y = random.uniform(-1, 1), z = random.uniform(-1, 1);
      list.push_back(away + graze::Vec3(x, y, z));
    }
    return list;
  };
  const auto body = [&]() -> graze::Geometry {
    const int kind = random.integer(0, 4);
    if (kind < 2) {
      const std::vector<graze::Vec3> corners = points(40);
      std::vector<graze::MeshTriangle> triangles;
      for (std::uint32_t k = 0; k + 2 < corners.size(); ++k) triangles.push_back({k, k + 1, k + 2});
      return graze::Mesh(corners, triangles);
    }
    if (kind < 4) {
      const double radius = 0.01 * random.integer(0, 5);
      const std::vector<graze::Vec3> centers = points(60);
      return graze::Cloud(std::span<const graze::Vec3>(centers), {.radius = radius});
    }
    return graze::Convex::hull_of(points(12));
  };
  const auto pose = [&](const graze::Geometry& of) {
    const double roll = random.uniform(-4, 4), pitch = random.uniform(-2, 2), yaw = random.uniform(-4, 4);
    const graze::Pose turned = graze::Pose::from_rpy({0, 0, 0}, roll, pitch, yaw);
    const double x = random.uniform(-2, 2), y = random.uniform(-2, 2), z = random.uniform(-2, 2);
    const graze::Vec3 position = graze::Vec3(x, y, z) - turned * bounds(of).center();
    return random.chance(0.5) ? graze::Pose::from_rpy(position, roll, pitch, yaw)
                              : graze::Pose::at(graze::Vec3(x, y, z) - bounds(of).center());
  };
  const graze::Geometry a = body(), b = body();
  const graze::Placed pa = at(a, pose(a)), pb = at(b, pose(b));
  Hash hash;
  hash.add(std::uint64_t{collide(pa, pb)});
  hash.add(std::uint64_t{collide(pa, pb, {.margin = 0.1})});
  const graze::Distance d = distance(pa, pb, {.depth = false});
  if (d.value > 0) {
    hash.add(d.value);
    hash.add(d.tolerance);
    hash.add(d.on_a);
    hash.add(d.on_b);
  }
  for (const graze::Contact& contact : contacts(pa, pb, {.margin = 0.05})) {
    hash.add(contact.point);
    hash.add(contact.depth);
  }
  if (std::holds_alternative<graze::Cloud>(a) && std::holds_alternative<graze::Cloud>(b)) {
    const graze::Probability p = probability(pa, pb, {.sigma_a = 0.01, .sigma_b = 0.02, .samples = 200});
    hash.add(p.value);
    hash.add(p.low);
    hash.add(p.high);
  }
  return hash.value();
}

std::uint64_t answers(std::size_t count, int threads, std::uint64_t (*of)(std::size_t) = answer) {
  std::vector<std::uint64_t> each(count);
  graze::parallel_for(count, [&](std::size_t i) { each[i] = of(i); }, {.threads = threads});
  Hash all;
  for (const std::uint64_t h : each) all.add(h);
  return all.value();
}

// Change it only when answers are meant to change, and say why in the commit. Every build must give the same value.
constexpr std::size_t kCommittedCount = 20000;
constexpr std::uint64_t kCommittedHash = 13610555236213343011U;

TEST(Determinism, AnswersHaveTheCommittedHash) { EXPECT_EQ(answers(kCommittedCount, 1), kCommittedHash); }

constexpr std::size_t kCommittedCountOfMany = 2000;
constexpr std::uint64_t kCommittedHashOfMany = 2711355073198093944U;

TEST(Determinism, AnswersAboutManyPartsHaveTheCommittedHash) {
  EXPECT_EQ(answers(kCommittedCountOfMany, 1, answer_of_many), kCommittedHashOfMany);
}

TEST(ConcurrentDeterminism, AnswersDoNotDependOnTheNumberOfThreads) {
  const auto count = static_cast<std::size_t>(scaled(10000));
  const std::uint64_t alone = answers(count, 1);
  for (const int threads : {2, 3, 8, 32}) EXPECT_EQ(answers(count, threads), alone) << threads << " threads";
  const auto fewer = static_cast<std::size_t>(scaled(500));
  EXPECT_EQ(answers(fewer, 8, answer_of_many), answers(fewer, 1, answer_of_many));
}

TEST(Determinism, AnswersDoNotDependOnTheInstructionSet) {
  const auto count = static_cast<std::size_t>(scaled(5000));
  const std::uint64_t best = answers(count, 1), best_of_many = answers(count / 10, 1, answer_of_many);
  for (const auto name : graze::simd_targets()) {
    const graze::ForcedSimdTarget forced(name);
    EXPECT_EQ(answers(count, 1), best) << name;
    EXPECT_EQ(answers(count / 10, 1, answer_of_many), best_of_many) << name;
  }
}

TEST(Determinism, AnswersDoNotDependOnEarlierQueries) {
  const std::size_t count = 500;
  std::vector<std::uint64_t> forward, backward;
  for (std::size_t i = 0; i < count; ++i) forward.push_back(answer(i));
  for (std::size_t i = count; i-- > 0;) backward.push_back(answer(i));
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(forward[i], backward[count - 1 - i]) << i;
}

}  // namespace determinism_test
}  // namespace graze_test
