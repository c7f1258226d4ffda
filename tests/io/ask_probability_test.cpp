#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "graze/io/ask.h"

namespace graze {
namespace ask_probability_test {

using Json = nlohmann::json;

std::string cloud(const std::string& points, const std::string& more = "") {
  return R"({"shape":"cloud","points":)" + points + more + "}";
}

Json ask(const std::string& a, const std::string& b, const std::string& more) {
  return Json::parse(answer_question(R"({"ask":"probability","a":)" + a + R"(,"b":)" + b + more + "}").text);
}

std::string error_of(const std::string& a, const std::string& b, const std::string& more) {
  return ask(a, b, more).value("error", "none");
}

const std::string kHere = cloud("[[0,0,0]]"), kThere = cloud("[[3,4,0]]");

TEST(AskProbability, AnswersWithANumber) {
  const Json answer = ask(kHere, kThere, R"(,"sigma_a":3,"sigma_b":4,"id":"x")");
  EXPECT_EQ(answer.size(), 2U);
  EXPECT_EQ(answer["id"], "x");
  EXPECT_NEAR(answer["probability"].get<double>(), 0.15865525393145707, 1e-12);
  EXPECT_EQ(ask(kHere, kThere, "")["probability"], 0);
  EXPECT_EQ(ask(kHere, kHere, "")["probability"], 1);
  EXPECT_EQ(ask(kHere, cloud("[]"), R"(,"sigma_a":3)")["probability"], 0);
}

TEST(AskProbability, SupportsRadiiPosesAndMeetings) {
  const std::string ball = cloud("[[0,0,0]]", R"(,"radius":1,"pose":{"xyz":[2,0,0]})");
  EXPECT_NEAR(ask(kHere, ball, R"(,"sigma_b":1,"meeting":"sides")")["probability"].get<double>(), 0.15865525393145707,
              1e-12);
  const double balls = ask(kHere, ball, R"(,"sigma_b":1)")["probability"].get<double>();
  EXPECT_EQ(balls, (ask(kHere, ball, R"(,"sigma_b":1,"meeting":"balls")")["probability"].get<double>()));
  EXPECT_NEAR(balls, 0.0385, 0.0005);  // Φ(−1) − Φ(−3) − (φ(1) − φ(3)) / 2
  EXPECT_EQ(ask(kHere, ball, R"(,"sigma_b":0)")["probability"], 0);
}

TEST(AskProbability, RejectsUnknownFields) {
  EXPECT_EQ(error_of(kHere, kThere, R"(,"sigma":1)"),
            "sigma: unknown field; did you mean \"sigma_a\"? probability has ask, id, a, b, sigma_a, sigma_b, meeting");
  EXPECT_EQ(error_of(kHere, kThere, R"(,"sigma_a":-1)"), "sigma_a: must be 0 or between 1e-50 and 1e50, got -1");
  EXPECT_TRUE(error_of(kHere, kThere, R"(,"sigma_b":"1")").starts_with("sigma_b: must be a number"));
  EXPECT_EQ(error_of(kHere, kThere, R"(,"meeting":"never")"), "meeting: must be balls or sides, got \"never\"");
  EXPECT_EQ(error_of(R"({"shape":"sphere","radius":1})", kThere, ""), "a.shape: must be \"cloud\", got \"sphere\"");
  EXPECT_EQ(error_of(kHere, R"({"shape":"sphere","radius":1})", ""), "b.shape: must be \"cloud\", got \"sphere\"");
  EXPECT_EQ(Json::parse(answer_question(R"({"ask":"probability","a":)" + kHere + "}").text)["error"], "b: missing");
}

}  // namespace ask_probability_test
}  // namespace graze
