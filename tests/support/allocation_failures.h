// Makes every allocation of a function fail once.
#pragma once

#include <gtest/gtest.h>

#include <mutex>
#include <new>

#include "support/allocations.h"

namespace graze_test {

/// Calls `make` repeatedly, each time with another allocation failing, until all have failed once: it must throw
/// std::bad_alloc or succeed with the same result, and free what it allocated. `undone` is called after each failure,
/// to check that everything is as before. The first call, without a failure, fills permanent caches.
template <class Make, class Undone>
void fail_each_allocation(const char* name, const Make& make, const Undone& undone) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer owns malloc";
  // Memory that the C++ runtime keeps for exceptions, and the C library for those that leave std::call_once.
  try {
    std::once_flag once;
    std::call_once(once, [] { throw std::bad_alloc(); });
  } catch (const std::bad_alloc&) {
  }
  const auto expected = make();
  long failures = 0;
  for (long after = 0; !testing::Test::HasFailure(); ++after) {
    auto result = expected;
    bool threw = false;
    start_failing_allocations(after);
    try {
      result = make();
    } catch (const std::bad_alloc&) {
      threw = true;
    } catch (...) {
      (void)stop_failing_allocations();
      FAIL() << name << ": allocation " << after << " fails with another exception than std::bad_alloc";
    }
    const FailedAllocation end = stop_failing_allocations();
    EXPECT_EQ(end.balance, 0) << name << " leaks when allocation " << after << " fails";
    if (!threw) {
      EXPECT_EQ(result, expected) << name << " is another one when allocation " << after << " fails";
    }
    if (!end.failed) break;
    ++failures;
    undone();
  }
  EXPECT_GT(failures, 0) << name;
}
template <class Make>
void fail_each_allocation(const char* name, const Make& make) {
  fail_each_allocation(name, make, [] {});
}

}  // namespace graze_test
