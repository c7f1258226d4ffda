// One number over the bits of many answers: the same on any thread, instruction set, compiler and optimisation level.
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
#include "oracle/cases.h"
#include "query/placed_of.h"
#include "support/scale.h"

namespace graze_test {
namespace {

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

// Query number i: both shapes follow from i alone, without anything that differs between machines.
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

std::uint64_t answers(std::size_t count, int threads) {
  std::vector<std::uint64_t> each(count);
  graze::parallel_for(count, [&](std::size_t i) { each[i] = answer(i); }, {.threads = threads});
  Hash all;
  for (const std::uint64_t h : each) all.add(h);
  return all.value();
}

// Change it when answers are meant to change, and say why in the commit. Every build must print the same.
constexpr std::size_t kCommittedCount = 20000;
constexpr std::uint64_t kCommittedHash = 10546032312871726953U;

TEST(Determinism, AnswersAreThoseThatWereCommitted) { EXPECT_EQ(answers(kCommittedCount, 1), kCommittedHash); }

TEST(ConcurrentDeterminism, AnswersDoNotDependOnTheNumberOfThreads) {
  const auto count = static_cast<std::size_t>(scaled(10000));
  const std::uint64_t alone = answers(count, 1);
  for (const int threads : {2, 3, 8, 32}) EXPECT_EQ(answers(count, threads), alone) << threads << " threads";
}

TEST(Determinism, AnswersDoNotDependOnTheInstructionSet) {
  const auto count = static_cast<std::size_t>(scaled(5000));
  const std::uint64_t best = answers(count, 1);
  for (const auto name : graze::simd_targets()) {
    const graze::ForcedSimdTarget forced(name);
    EXPECT_EQ(answers(count, 1), best) << name;
  }
}

TEST(Determinism, AnswersDoNotDependOnWhatWasAskedBefore) {
  const std::size_t count = 500;
  std::vector<std::uint64_t> forward, backward;
  for (std::size_t i = 0; i < count; ++i) forward.push_back(answer(i));
  for (std::size_t i = count; i-- > 0;) backward.push_back(answer(i));
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(forward[i], backward[count - 1 - i]) << i;
}

}  // namespace
}  // namespace graze_test
