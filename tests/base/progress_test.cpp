#include "graze/base/progress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "graze/base/parallel.h"

namespace graze_test {
namespace progress_test {

using namespace graze;
using namespace std::chrono_literals;

struct Heard {
  double fraction;
  std::string message;
  bool operator==(const Heard&) const = default;
};

constexpr ProgressOptions kEvery{.interval = 0ns};
constexpr ProgressOptions kHardlyEver{.interval = std::chrono::hours(1)};

ProgressListener note_in(std::vector<Heard>& heard) {
  return [&heard](const ProgressUpdate& update) {
    heard.push_back({update.fraction, std::string(update.message)});
    return true;
  };
}

TEST(Progress, IsSilentWithoutAListener) {
  for (const Progress& progress : {Progress(), Progress(ProgressListener())}) {
    EXPECT_TRUE(progress.silent());
    EXPECT_TRUE(progress.report(0.5, "half"));
    EXPECT_TRUE(progress.part(0, 0.5).silent());
    EXPECT_FALSE(progress.cancelled());
    ProgressCounter counter(progress, 2);
    EXPECT_TRUE(counter.advance());
    EXPECT_FALSE(counter.cancelled());
  }
}

TEST(Progress, ReportsFractionAndMessage) {
  std::vector<Heard> heard;
  const Progress progress(note_in(heard), kEvery);
  EXPECT_TRUE(progress.report(0, "reading"));
  EXPECT_TRUE(progress.report(0.5));
  EXPECT_TRUE(progress.report(0.75, "building"));
  EXPECT_TRUE(progress.report(1));
  EXPECT_EQ(heard, (std::vector<Heard>{{0, "reading"}, {0.5, "reading"}, {0.75, "building"}, {1, "building"}}));
}

TEST(Progress, NeverRunsBackwardsOrLeavesZeroToOne) {
  std::vector<Heard> heard;
  const Progress progress(note_in(heard), kEvery);
  for (const double fraction : {-1.0, 0.5, 0.25, std::nan(""), 0.75, 7.0}) progress.report(fraction);
  std::vector<double> fractions;
  for (const Heard& h : heard) fractions.push_back(h.fraction);
  EXPECT_EQ(fractions, (std::vector<double>{0, 0.5, 0.5, 0.5, 0.75, 1}));
}

TEST(Progress, PartsFillTheirShare) {
  std::vector<Heard> heard;
  const Progress progress(note_in(heard), kEvery);
  const Progress first = progress.part(0, 0.25), second = progress.part(0.25, 1);
  first.report(0.5, "reading");
  first.report(1);
  second.part(0, 0.5).report(0.5, "building");
  second.part(0.5, 1).report(1);
  EXPECT_EQ(heard, (std::vector<Heard>{{0.125, "reading"}, {0.25, "reading"}, {0.4375, "building"}, {1, "building"}}));
}

TEST(Progress, PartsOfAnyShareReachTheEnd) {
  for (int i = 1; i < 100; ++i) {
    std::vector<Heard> heard;
    const Progress part = Progress(note_in(heard), kHardlyEver).part(i / 100.0, 1).part(0.3, 1).part(i / 300.0, 1);
    part.report(0);
    part.report(1);
    ASSERT_EQ(heard.size(), 2u);
    EXPECT_EQ(heard[1].fraction, 1);
  }
}

TEST(Progress, SkipsReportsThatComeTooSoonButNeverTheEnd) {
  std::vector<Heard> heard;
  const Progress progress(note_in(heard), kHardlyEver);
  for (int i = 0; i < 1000; ++i) progress.report(i / 1000.0);
  EXPECT_EQ(heard.size(), 1u);
  progress.report(0.9, "a message is not lost");
  EXPECT_EQ(heard.size(), 1u);
  for (int i = 0; i < 3; ++i) progress.report(1);
  progress.report(0.5, "too late");
  ASSERT_EQ(heard.size(), 2u) << "the end is reported once, and nothing after it";
  EXPECT_EQ(heard[1], (Heard{1, "a message is not lost"}));
}

TEST(Progress, ReportsAgainAfterTheInterval) {
  std::vector<Heard> heard;
  const Progress progress(note_in(heard), {.interval = 2ms});
  progress.report(0.1);
  progress.report(0.2);
  std::this_thread::sleep_for(5ms);
  progress.report(0.3);
  ASSERT_GE(heard.size(), 2u);
  EXPECT_EQ(heard.back().fraction, 0.3);
}

TEST(Progress, AcceptsInfiniteIntervals) {
  std::vector<Heard> heard;
  const Progress progress(note_in(heard), {.interval = std::chrono::nanoseconds::max()});
  progress.report(0.1);
  progress.report(0.2);
  progress.report(1);
  EXPECT_EQ(heard.size(), 2u);
}

TEST(Progress, StaysCancelled) {
  int calls = 0;
  const Progress progress([&](const ProgressUpdate& update) { return ++calls, update.fraction < 0.5; }, kEvery);
  const Progress part = progress.part(0, 1);
  EXPECT_TRUE(progress.report(0.25));
  EXPECT_FALSE(progress.cancelled());
  EXPECT_FALSE(part.report(0.5));
  EXPECT_TRUE(progress.cancelled());
  EXPECT_TRUE(part.cancelled());
  EXPECT_FALSE(progress.report(0.75, "still here?"));
  EXPECT_FALSE(progress.report(1));
  EXPECT_EQ(calls, 2);
}

TEST(Progress, CountsSteps) {
  std::vector<Heard> heard;
  ProgressCounter counter(Progress(note_in(heard), kEvery), 4);
  counter.advance();
  counter.advance(2);
  counter.advance();
  EXPECT_EQ(heard, (std::vector<Heard>{{0.25, ""}, {0.75, ""}, {1, ""}}));
}

TEST(ConcurrentProgress, IsHeardByOneThreadAtATimeInOrderToTheEnd) {
  for (const ProgressOptions& options : {kEvery, ProgressOptions{.interval = 20us}, kHardlyEver}) {
    std::vector<Heard> heard;  // not guarded: two calls at once would be a race
    const Progress progress(note_in(heard), options);
    constexpr std::size_t kSteps = 20'000;
    ProgressCounter counter(progress, kSteps);
    parallel_for(kSteps,
                 [&](std::size_t i) {
                   if (i % 1000 == 0) progress.report(0, "part " + std::to_string(i / 1000));
                   counter.advance();
                 },
                 {.threads = 8, .grain = 50});
    ASSERT_FALSE(heard.empty());
    EXPECT_EQ(heard.back().fraction, 1);
    for (std::size_t i = 1; i < heard.size(); ++i) ASSERT_LE(heard[i - 1].fraction, heard[i].fraction);
    for (std::size_t i = 0; i + 1 < heard.size(); ++i) ASSERT_LT(heard[i].fraction, 1);
  }
}

TEST(ConcurrentProgress, CancellingReachesAllThreads) {
  int calls = 0;  // not guarded
  const Progress progress([&](const ProgressUpdate&) { return ++calls < 3; }, kEvery);
  ProgressCounter counter(progress, 100'000);
  std::vector<char> done(100'000, 0);
  parallel_for(done.size(),
               [&](std::size_t i) {
                 if (counter.cancelled()) return;
                 done[i] = 1;
                 counter.advance();
               },
               {.threads = 4, .grain = 1});
  EXPECT_TRUE(progress.cancelled());
  EXPECT_EQ(calls, 3);
  EXPECT_LT(std::count(done.begin(), done.end(), 1), 100'000);
}

}  // namespace progress_test
}  // namespace graze_test
