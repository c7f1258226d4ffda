// The questions about points: contains, closest_point, signed_distance.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "graze/io/ask.h"
#include "graze/query/point.h"
#include "io/ask_bodies.h"

namespace graze {
namespace ask_points_test {

using Json = nlohmann::json;

AskAnswer asked(const std::string& what, const std::string& body, const Json& points, const std::string& more = "") {
  const std::string name = points[0].is_array() ? "points" : "point";
  return answer_question(R"({"ask":")" + what + R"(","b":)" + body + R"(,")" + name + R"(":)" + points.dump() + more +
                         "}");
}

std::string error_of(const std::string& question) {
  const AskAnswer given = answer_question(question);
  EXPECT_EQ(given.verdict, AskVerdict::refused) << question;
  return Json::parse(given.text).value("error", "no error: " + given.text);
}

Json listed(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

TEST(AskPoints, AnswersLikeTheLibrary) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(-1.5, 1.5);
  std::vector<Vec3> points{{0, 0, 0}, {0.25, 0.25, 0.25}, {1, 0, 0}};
  for (int i = 0; i < 40; ++i) points.emplace_back(unit(random), unit(random), unit(random));
  Json list = Json::array();
  for (const Vec3& p : points) list.push_back(listed(p));
  for (const std::string& text : ask_bodies()) {
    SCOPED_TRACE(text);
    const Placed body = placed_from_json(text, "b");
    const Json inside = Json::parse(asked("contains", text, list).text)["contains"];
    const Json values = Json::parse(asked("signed_distance", text, list).text);
    const Json closest = Json::parse(asked("closest_point", text, list).text)["closest"];
    ASSERT_EQ(inside.size(), points.size());
    ASSERT_EQ(closest.size(), points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_EQ(inside[i].get<bool>(), contains(body, points[i]));
      EXPECT_EQ(Json::parse(asked("contains", text, list[i]).text), Json({{"contains", inside[i]}}));
      const ClosestPoint c = closest_point(body, points[i]);
      const Json one = Json::parse(asked("closest_point", text, list[i]).text);
      EXPECT_EQ(one, closest[i]);
      if (!c.found()) {
        EXPECT_TRUE(one["distance"].is_null() && one["beyond"].is_null());
        EXPECT_TRUE(values["signed_distance"][i].is_null() && values["tolerance"][i].is_null());
        continue;
      }
      EXPECT_EQ(one["distance"].get<double>(), c.distance);
      EXPECT_EQ(one["tolerance"].get<double>(), c.tolerance);
      EXPECT_EQ(one["feature"].get<std::size_t>(), c.feature);
      EXPECT_EQ(one["point"], listed(c.point));
      EXPECT_EQ(one["normal"], listed(c.normal));
      EXPECT_EQ(values["signed_distance"][i].get<double>(), c.distance);
      EXPECT_EQ(values["tolerance"][i].get<double>(), c.tolerance);
      EXPECT_EQ(Json::parse(asked("signed_distance", text, list[i]).text),
                Json({{"signed_distance", c.distance}, {"tolerance", c.tolerance}}));
    }
  }
}

TEST(AskPoints, RespectsTheLimit) {
  const std::string ball = R"({"shape":"sphere","radius":1})";
  const Json points = {{3, 0, 0}, {0, 0, 9}};
  EXPECT_EQ(Json::parse(asked("signed_distance", ball, points, R"(,"limit":4)").text)["signed_distance"],
            Json({2, nullptr}));
  EXPECT_EQ(Json::parse(asked("closest_point", ball, points, R"(,"limit":4)").text)["closest"][1],
            Json({{"distance", nullptr}, {"beyond", 4}}));
  EXPECT_EQ(answer_question(R"({"ask":"contains","b":{"shape":"sphere","radius":1},"points":[]})").text,
            R"({"contains":[]})");
}

TEST(AskPoints, ReportsTheVerdict) {
  const std::string ball = R"({"shape":"sphere","radius":1})";
  for (const char* what : {"contains", "closest_point", "signed_distance"}) {
    EXPECT_EQ(asked(what, ball, {{3, 0, 0}, {0, 0, 9}}).verdict, AskVerdict::clear) << what;
    EXPECT_EQ(asked(what, ball, {{3, 0, 0}, {0, 0, 0.5}}).verdict, AskVerdict::touching) << what;
    EXPECT_EQ(asked(what, ball, {1, 0, 0}).verdict, AskVerdict::touching) << what;
  }
}

TEST(AskPoints, RejectsBadQuestions) {
  const std::string ball = R"("b":{"shape":"sphere","radius":1})";
  for (const std::string what : {"contains", "closest_point", "signed_distance"}) {
    const std::string start = R"({"ask":")" + what + R"(",)";
    EXPECT_EQ(error_of(start + ball + "}"), "point: give either point or points");
    EXPECT_EQ(error_of(start + ball + R"(,"point":[1,2,3],"points":[]})"), "point: give either point or points");
    EXPECT_EQ(error_of(start + R"("point":[1,2,3]})"), "b: missing");
    EXPECT_EQ(error_of(start + ball + R"(,"point":[1,2]})"), "point: must be an array of 3 numbers, got 2");
    EXPECT_EQ(error_of(start + ball + R"(,"points":[[1,2,3],[1,2]]})"),
              "points[1]: must be an array of 3 numbers, got 2");
    EXPECT_TRUE(error_of(start + ball + R"(,"points":[[1,2,3],[1,2,1e51]]})").starts_with("points[1]: coordinates"));
    EXPECT_TRUE(error_of(start + ball + R"(,"point":[1,2,1e51]})").starts_with("point: coordinates must be"));
    EXPECT_TRUE(error_of(start + ball + R"(,"pont":[1,2,1]})").starts_with("pont: unknown field; did you mean"));
  }
  EXPECT_EQ(error_of(R"({"ask":"closest_point",)" + ball + R"(,"point":[1,2,3],"limit":-1})"),
            "limit: must not be negative, got -1");
}

}  // namespace ask_points_test
}  // namespace graze
