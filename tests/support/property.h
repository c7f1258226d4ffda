// rapidcheck properties whose number of cases follows GRAZE_TEST_SCALE and whose failures can be reproduced.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/detail/TestListenerAdapter.h>

#include <cstdlib>
#include <functional>
#include <sstream>
#include <string>

#include "support/scale.h"

namespace graze_test {

/// Checks `property` (a rapidcheck testable: RC_ASSERT, *rc::gen::…) in scaled(cases) cases. The cases of a test are
/// the same in every run; GRAZE_TEST_SEED=<number> gives others. A failure prints the smallest case that was found and
/// the RC_PARAMS that reproduce it.
template <class Testable>
void check_property(int cases, Testable&& property) {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  rc::detail::TestMetadata metadata;
  metadata.id = std::string(test->test_suite_name()) + "/" + test->name();
  metadata.description = metadata.id;

  rc::detail::TestParams params = rc::detail::configuration().testParams;
  if (std::getenv("RC_PARAMS") == nullptr) {
    const char* seed = std::getenv("GRAZE_TEST_SEED");
    params.seed = std::hash<std::string>()(metadata.id) + (seed != nullptr ? std::strtoull(seed, nullptr, 10) : 0);
    params.maxSuccess = scaled(cases);
  }
  rc::detail::TestListenerAdapter silent;
  const rc::detail::TestResult result = rc::detail::checkTestable(std::forward<Testable>(property), metadata, params,
                                                                  silent, rc::detail::configuration().reproduce);
  if (result.template is<rc::detail::SuccessResult>()) return;
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  FAIL() << message.str() << "\nseed " << params.seed;
}

}  // namespace graze_test
