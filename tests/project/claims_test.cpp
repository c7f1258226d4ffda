// The claims file is what programs and the performance page read: its form and the exit code are fixed here.

#include "bench/claims.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/timing.h"

namespace graze::bench {
namespace {

Claims with_arguments(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "bench_test");
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  return Claims(static_cast<int>(argv.size()), argv.data());
}

Claim fast() { return {.id = "a/b", .ours = 100, .peer_name = "FCL", .peer = 250, .goal = 2}; }

TEST(Claims, WritesTheAgreedFields) {
  const auto path = std::filesystem::temp_directory_path() / "graze_claims_test.json";
  std::filesystem::remove(path);
  Claims claims = with_arguments({"--json", path.string()});
  claims.add(fast());
  EXPECT_EQ(claims.finish(), 0);
  std::ifstream file(path);
  const auto read = nlohmann::json::parse(file);
  const auto expected = nlohmann::json::parse(
      R"({"claims":[{"id":"a/b","ours":100.0,"peer_name":"FCL","peer":250.0,"unit":"ns","ratio":2.5,"goal":2.0,"agree":true}]})");
  EXPECT_EQ(read, expected);
  std::filesystem::remove(path);
}

TEST(Claims, FailWhenAnswersDiffer) {
  Claims claims = with_arguments({});
  claims.add(fast());
  EXPECT_EQ(claims.finish(), 0);
  Claim wrong = fast();
  wrong.agree = false;
  claims.add(wrong);
  EXPECT_EQ(claims.finish(), 1);
  EXPECT_NE(claims.table().find("DIFFER"), std::string::npos);
}

TEST(Claims, FailWhenTheFileCannotBeWritten) {
  Claims claims = with_arguments({"--json", "/no/such/folder/claims.json"});
  claims.add(fast());
  EXPECT_EQ(claims.finish(), 1);
}

TEST(Claims, RatioIsInGrazesFavourAboveOne) {
  Claim rate = fast();
  rate.rate = true;
  EXPECT_DOUBLE_EQ(rate.ratio(), 0.4);
  EXPECT_DOUBLE_EQ(fast().ratio(), 2.5);
}

TEST(Claims, MissedGoalIsShownButDoesNotFail) {
  Claims claims = with_arguments({});
  Claim slow = fast();
  slow.goal = 3;
  claims.add(slow);
  EXPECT_EQ(claims.finish(), 0);
  EXPECT_NE(claims.table().find("missed"), std::string::npos);
}

TEST(Claims, RefusesUnknownArguments) {
  EXPECT_EXIT(with_arguments({"--jsn", "x"}), testing::ExitedWithCode(2), "usage");
}

TEST(Timing, ComparesPerQuery) {
  volatile double sink = 0;
  const auto work = [&](int n) {
    for (int i = 0; i < n; ++i) sink = sink + 1;
  };
  const Times times = compare(
      100, [&] { work(100000); }, [&] { work(1000000); });
  EXPECT_GT(times.ours, 0);
  EXPECT_GT(times.peer, 2 * times.ours);
}

}  // namespace
}  // namespace graze::bench
