#include "graze/base/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <mutex>
#include <numbers>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/scale.h"

namespace graze_test {
namespace parallel_test {

using namespace graze;

constexpr int kThreadCounts[] = {0, 1, 2, 3, 8, 32};

TEST(ConcurrentParallelFor, VisitsEveryIndexOnce) {
  for (const int threads : kThreadCounts) {
    for (const std::size_t count : std::vector<std::size_t>{0, 1, 2, 255, 256, 257, 1000, 100'000}) {
      for (const std::size_t grain : std::vector<std::size_t>{0, 1, 7, 1000, 1'000'000}) {
        if (grain == 1 && count > 1000) continue;
        std::vector<int> visits(count, 0);  // not atomic: a second visitor would be a race
        parallel_for(count, [&](std::size_t i) { ++visits[i]; }, {.threads = threads, .grain = grain});
        ASSERT_EQ(std::count(visits.begin(), visits.end(), 1), static_cast<std::ptrdiff_t>(count))
            << "threads " << threads << ", count " << count << ", grain " << grain;
      }
    }
  }
}

TEST(ConcurrentParallelFor, PartsDependOnCountAndGrainOnly) {
  const auto parts_of = [](std::size_t count, const ParallelOptions& options) {
    std::mutex mutex;
    std::set<std::pair<std::size_t, std::size_t>> parts;
    parallel_chunks(
        count,
        [&](std::size_t begin, std::size_t end) {
          const std::scoped_lock lock(mutex);
          EXPECT_TRUE(parts.insert({begin, end}).second);
        },
        options);
    return parts;
  };
  for (const std::size_t count : std::vector<std::size_t>{1, 10, 256, 1001, 12'345}) {
    for (const std::size_t grain : std::vector<std::size_t>{0, 3, 100}) {
      const auto expected = parts_of(count, {.threads = 1, .grain = grain});
      std::size_t next = 0;
      for (const auto& [begin, end] : expected) {
        EXPECT_EQ(begin, next);
        EXPECT_GT(end, begin);
        EXPECT_LE(end - begin, grain > 0 ? grain : count);
        next = end;
      }
      EXPECT_EQ(next, count);
      EXPECT_LE(expected.size(), grain > 0 ? count : 256u);
      for (const int threads : kThreadCounts)
        EXPECT_EQ(parts_of(count, {.threads = threads, .grain = grain}), expected);
    }
  }
}

TEST(ConcurrentParallelFor, UsesAsManyThreadsAsRequested) {
  const auto threads_used = [](int threads) {
    std::mutex mutex;
    std::set<std::thread::id> seen;
    // On a busy machine a second thread may start late: the first waits for it.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    parallel_for(200,
                 [&](std::size_t) {
                   for (;;) {
                     {
                       const std::scoped_lock lock(mutex);
                       seen.insert(std::this_thread::get_id());
                       if (threads == 1 || seen.size() > 1 || std::chrono::steady_clock::now() > deadline) return;
                     }
                     std::this_thread::sleep_for(std::chrono::milliseconds(1));
                   }
                 },
                 {.threads = threads, .grain = 1});
    return seen;
  };
  EXPECT_EQ(threads_used(1), std::set<std::thread::id>{std::this_thread::get_id()});
  for (const int threads : {2, 4, 16}) {
    const std::size_t used = threads_used(threads).size();
    EXPECT_LE(used, static_cast<std::size_t>(threads));
    EXPECT_GE(used, 2u) << "of " << threads;
  }
}

TEST(ConcurrentParallelFor, PassesOnTheExceptionOfTheLowestIndex) {
  for (const int threads : kThreadCounts) {
    for (int round = 0; round < scaled(20); ++round) {
      std::atomic<int> below{0};
      std::string what;
      try {
        parallel_for(500,
                     [&](std::size_t i) {
                       if (i >= 123 && i % 2 == 1) throw std::runtime_error(std::to_string(i));
                       if (i < 123) ++below;
                     },
                     {.threads = threads, .grain = 1});
      } catch (const std::runtime_error& error) {
        what = error.what();
      }
      ASSERT_EQ(what, "123") << threads << " threads";
      ASSERT_EQ(below, 123) << "indices below the failure are still visited";
    }
  }
}

TEST(ConcurrentParallelFor, Nests) {
  for (const int threads : kThreadCounts) {
    std::vector<std::size_t> sums(40, 0);
    parallel_for(sums.size(),
                 [&](std::size_t i) {
                   std::vector<std::size_t> inner(100, 0);
                   parallel_for(inner.size(), [&](std::size_t j) { inner[j] = i * j; },
                                {.threads = threads, .grain = 5});
                   sums[i] = std::accumulate(inner.begin(), inner.end(), std::size_t{0});
                 },
                 {.threads = threads, .grain = 1});
    for (std::size_t i = 0; i < sums.size(); ++i) ASSERT_EQ(sums[i], i * 4950);
  }
}

TEST(ConcurrentParallelFor, MayBeCalledFromSeveralThreads) {
  std::vector<std::vector<int>> results(4);
  {
    std::vector<std::jthread> callers;
    for (auto& result : results) {
      callers.emplace_back([&result] {
        result.assign(5000, 0);
        parallel_for(result.size(), [&](std::size_t i) { result[i] = static_cast<int>(i); }, {.threads = 3});
      });
    }
  }
  for (const auto& result : results) {
    for (std::size_t i = 0; i < result.size(); ++i) ASSERT_EQ(result[i], static_cast<int>(i));
  }
}

TEST(ConcurrentParallelReduce, RoundsTheSameWayOnAnyNumberOfThreads) {
  // The harmonic series: every order of summation gives different last bits.
  const auto sum_with = [](const ParallelOptions& options) {
    return parallel_reduce(
        100'003, 0.0,
        [](std::size_t begin, std::size_t end) {
          double sum = 0;
          for (std::size_t i = begin; i < end; ++i) sum += 1 / (1.0 + static_cast<double>(i));
          return sum;
        },
        std::plus<>(), options);
  };
  for (const std::size_t grain : std::vector<std::size_t>{0, 10, 999}) {
    const double expected = sum_with({.threads = 1, .grain = grain});
    EXPECT_NEAR(expected, std::log(100'003.0) + std::numbers::egamma + 0.5 / 100'003, 1e-10);
    for (const int threads : kThreadCounts) {
      for (int round = 0; round < scaled(5); ++round) {
        ASSERT_EQ(sum_with({.threads = threads, .grain = grain}), expected) << threads << " threads, grain " << grain;
      }
    }
  }
}

TEST(ConcurrentParallelReduce, JoinsFromTheLeft) {
  const auto text_of = [](std::size_t begin, std::size_t end) {
    std::string text;
    for (std::size_t i = begin; i < end; ++i) text += static_cast<char>('a' + i % 26);
    return text;
  };
  const std::string expected = "-" + text_of(0, 1000);
  for (const int threads : kThreadCounts) {
    EXPECT_EQ(parallel_reduce(1000, std::string("-"), text_of, std::plus<>(), {.threads = threads, .grain = 13}),
              expected);
  }
  EXPECT_EQ(parallel_reduce(
                0, 7, [](std::size_t, std::size_t) { return 1; }, std::plus<>()),
            7);
}

}  // namespace parallel_test
}  // namespace graze_test
