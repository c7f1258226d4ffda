// Queries do not touch the heap. malloc itself is replaced in this executable and counts while it is asked to.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <span>
#include <vector>

#include "graze/query/collide.h"
#include "graze/query/contacts.h"
#include "graze/query/distance.h"
#include "graze/query/penetration.h"
#include "graze/query/probability.h"
#include "oracle/cases.h"
#include "query/placed_of.h"
#include "support/scale.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GRAZE_OWN_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define GRAZE_OWN_MALLOC 0
#endif
#endif
#if !defined(GRAZE_OWN_MALLOC) && defined(__GLIBC__)
#define GRAZE_OWN_MALLOC 1
#elif !defined(GRAZE_OWN_MALLOC)
#define GRAZE_OWN_MALLOC 0
#endif

namespace {

thread_local bool counting = false;
thread_local long allocations = 0;

}  // namespace

#if GRAZE_OWN_MALLOC
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  allocations += counting ? 1 : 0;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  allocations += counting ? 1 : 0;
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  allocations += counting ? 1 : 0;
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  allocations += counting ? 1 : 0;
  return __libc_memalign(alignment, size);
}
}
#endif

namespace graze_test {
namespace {

using graze_oracle::Kind;
using graze_oracle::kKinds;
using graze_oracle::Random;
using graze_oracle::Trouble;

template <class Ask>
long allocations_of(const Ask& ask) {
  allocations = 0;
  counting = true;
  ask();
  counting = false;
  return allocations;
}

TEST(Allocation, IsCountedHere) {
  if (!GRAZE_OWN_MALLOC) GTEST_SKIP() << "the sanitizer owns malloc";
  EXPECT_GT(allocations_of([] { std::vector<int> v(100, 1); }), 0);
}

TEST(Allocation, NoVerbAllocates) {
  if (!GRAZE_OWN_MALLOC) GTEST_SKIP() << "the sanitizer owns malloc";
  Random random(11);
  std::vector<graze::Contact> buffer(32);
  for (const Kind a : kKinds) {
    for (const Kind b : kKinds) {
      for (const Trouble trouble : graze_oracle::kTroubles) {
        for (int i = 0, n = scaled(3); i < n; ++i) {
          const graze_oracle::Case c = make_case(a, b, trouble, random);
          const graze::Placed pa = placed_of(c.a), pb = placed_of(c.b);
          graze::PairCache cache;
          const long count = allocations_of([&] {
            (void)collide(pa, pb);
            (void)collide(pa, pb, {.margin = 0.1, .cache = &cache});
            (void)collide(pa, pb, {.margin = -0.1});
            (void)distance(pa, pb, {.cache = &cache});
            (void)distance(pa, pb, {.limit = 0.01});
            (void)distance(pa, pb, {.depth = false});
            (void)contacts(pa, pb, buffer, {.max = 32, .margin = 0.1});
            (void)contacts(pa, pb);
            (void)penetration(pa, pb);
          });
          ASSERT_EQ(count, 0) << name_of(a) << " and " << name_of(b) << ", " << name_of(trouble);
        }
      }
    }
  }
}

TEST(Allocation, NoVerbAllocatesForClouds) {
  if (!GRAZE_OWN_MALLOC) GTEST_SKIP() << "the sanitizer owns malloc";
  Random random(12);
  std::vector<graze::Vec3> points;
  for (int i = 0; i < 500; ++i) {
    points.emplace_back(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  }
  std::vector<graze::Contact> buffer(32);
  std::vector<double> each(points.size());
  const graze::Placed a = at(graze::Cloud(std::span<const graze::Vec3>(points), {.radius = 0.01}));
  graze::ProbabilityScratch scratch;
  for (const double x : {1.8, 0.5}) {
    const graze::Placed b = at(graze::Cloud(std::span<const graze::Vec3>(points)), graze::Pose::at({x, 0, 0}));
    const graze::ProbabilityOptions noise{.sigma_a = 0.02, .sigma_b = 0.01, .samples = 100, .of_a = each, .of_b = each};
    (void)probability(a, b, noise, scratch);  // makes the memory
    EXPECT_EQ(allocations_of([&] {
                (void)collide(a, b);
                (void)distance(a, b);
                (void)contacts(a, b, buffer);
                (void)penetration(a, b);
                (void)probability(a, b, noise, scratch);
              }),
              0);
  }
}

}  // namespace
}  // namespace graze_test
