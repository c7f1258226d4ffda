// The question "raycast": one ray and many, the first hit, any and all.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "graze/io/ask.h"
#include "graze/query/raycast.h"
#include "io/ask_bodies.h"

namespace graze {
namespace ask_rays_test {

using Json = nlohmann::json;

AskAnswer asked(const std::string& body, const Json& rays, const std::string& more = "") {
  return answer_question(R"({"ask":"raycast","b":)" + body + (rays.is_array() ? R"(,"rays":)" : R"(,"ray":)") +
                         rays.dump() + more + "}");
}

std::string error_of(const std::string& question) {
  const AskAnswer given = answer_question(question);
  EXPECT_EQ(given.verdict, AskVerdict::refused) << question;
  return Json::parse(given.text).value("error", "no error: " + given.text);
}

Json listed(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Json json_of(const Vec3& from, const Vec3& direction) {
  return {{"from", listed(from)}, {"direction", listed(direction)}};
}
Json json_of(const RayHit& hit) {
  return {{"distance", hit.distance},
          {"point", listed(hit.point)},
          {"normal", listed(hit.normal)},
          {"feature", hit.feature}};
}

TEST(AskRays, AnswerLikeTheLibrary) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(-1.5, 1.5);
  std::vector<Ray> rays;
  Json list = Json::array();
  for (int i = 0; i < 40; ++i) {
    // Mostly towards the middle; some along an axis, one within the plane of the flat bodies.
    const Vec3 from = 2 * Vec3(unit(random), unit(random), i == 3 ? 0 : unit(random));
    Vec3 direction = 0.3 * Vec3(unit(random), unit(random), unit(random)) - from;
    if (i % 8 == 3) direction = Vec3(-from.x(), 0, 0);
    rays.emplace_back(from, direction, 4);
    list.push_back(json_of(from, direction));
  }
  std::vector<RayHit> buffer(64);
  std::size_t found = 0;
  for (const std::string& text : ask_bodies()) {
    SCOPED_TRACE(text);
    const Placed body = placed_from_json(text, "b");
    const std::string limit = R"(,"limit":4)";
    const Json first = Json::parse(asked(text, list, limit).text)["hits"];
    const Json any = Json::parse(asked(text, list, limit + R"(,"want":"any")").text)["hit"];
    const Json all = Json::parse(asked(text, list, limit + R"(,"want":"all")").text)["hits"];
    const Json two = Json::parse(asked(text, list, limit + R"(,"want":"all","max":2)").text)["hits"];
    ASSERT_TRUE(first.size() == rays.size() && any.size() == rays.size() && all.size() == rays.size());
    for (std::size_t i = 0; i < rays.size(); ++i) {
      const RayHit hit = raycast(body, rays[i]);
      Json expected = hit.found() ? json_of(hit) : Json::object();
      expected["hit"] = hit.found();
      found += hit.found() ? 1 : 0;
      EXPECT_EQ(first[i], expected);
      EXPECT_EQ(any[i].get<bool>(), meets(body, rays[i]));
      Json each = Json::array();
      for (const RayHit& other : raycast_all(body, rays[i], buffer)) each.push_back(json_of(other));
      EXPECT_EQ(all[i], each);
      while (each.size() > 2) each.erase(2);
      EXPECT_EQ(two[i], each);
      EXPECT_EQ(Json::parse(asked(text, list[i], limit).text), expected);
      EXPECT_EQ(Json::parse(asked(text, list[i], limit + R"(,"want":"any")").text), Json({{"hit", any[i]}}));
      EXPECT_EQ(Json::parse(asked(text, list[i], limit + R"(,"want":"all")").text), Json({{"hits", all[i]}}));
    }
  }
  EXPECT_GT(found, 200U);
}

TEST(AskRays, FindMoreHitsThanTheFirstBufferHolds) {
  Json points = Json::array();
  for (int i = 0; i < 700; ++i) points.push_back({(i * 37) % 700, 0, 0});
  const std::string cloud = R"({"shape":"cloud","radius":0.25,"points":)" + points.dump() + "}";
  const Json ray = json_of(Vec3(-10, 0, 0), Vec3(1, 0, 0));
  const Json hits = Json::parse(asked(cloud, ray, R"(,"want":"all")").text)["hits"];
  ASSERT_EQ(hits.size(), 1400U);  // in and out of each ball
  for (std::size_t i = 0; i < hits.size(); ++i) {
    EXPECT_EQ(hits[i]["distance"].get<double>(), 9.75 + static_cast<double>(i / 2) + (i % 2 == 1 ? 0.5 : 0));
  }
  EXPECT_EQ(Json::parse(asked(cloud, ray, R"(,"want":"all","max":100)").text)["hits"].size(), 100U);
}

TEST(AskRays, AnswerManyAtOnceAndNone) {
  Json rays = Json::array();
  for (int i = 0; i < 3000; ++i) rays.push_back(json_of(Vec3(-3, i * 0.001, 0), Vec3(1, 0, 0)));
  const std::string ball = R"({"shape":"sphere","radius":1})";
  const Json hit = Json::parse(asked(ball, rays, R"(,"want":"any")").text)["hit"];
  for (std::size_t i = 0; i < 3000; ++i) EXPECT_EQ(hit[i].get<bool>(), i <= 1000) << i;
  EXPECT_EQ(asked(ball, Json::array()).text, R"({"hits":[]})");
  EXPECT_EQ(asked(ball, Json::array()).verdict, AskVerdict::clear);
}

TEST(AskRays, ReportTheVerdict) {
  const std::string ball = R"({"shape":"sphere","radius":1})";
  const Json past = json_of(Vec3(-3, 2, 0), Vec3(1, 0, 0)), into = json_of(Vec3(-3, 0, 0), Vec3(1, 0, 0));
  for (const std::string want : {"first", "any", "all"}) {
    const std::string more = R"(,"want":")" + want + R"(")";
    EXPECT_EQ(asked(ball, past, more).verdict, AskVerdict::clear) << want;
    EXPECT_EQ(asked(ball, into, more).verdict, AskVerdict::touching) << want;
    EXPECT_EQ(asked(ball, {past, into}, more).verdict, AskVerdict::touching) << want;
  }
}

TEST(AskRays, RejectBadQuestions) {
  const std::string start = R"({"ask":"raycast","b":{"shape":"sphere","radius":1})";
  const std::string ray = R"(,"ray":{"from":[0,0,0],"direction":[0,0,1]})";
  EXPECT_EQ(error_of(start + "}"), "ray: give either ray or rays");
  EXPECT_EQ(error_of(start + ray + R"(,"rays":[]})"), "ray: give either ray or rays");
  EXPECT_EQ(error_of(start + R"(,"rays":{}})"), "rays: must be an array of rays");
  EXPECT_EQ(error_of(start + R"(,"rays":[{"from":[0,0,0],"direction":[0,0,1]},{"from":[0,0,0],"direction":[0,0,0]}]})"),
            "rays[1].direction: must be finite and have a length");
  EXPECT_EQ(error_of(start + R"(,"rays":[{"form":[0,0,0]}]})"),
            R"(rays[0].form: unknown field; did you mean "from"? a ray has from, direction)");
  EXPECT_EQ(error_of(start + ray + R"(,"want":"frist"})"),
            R"(want: must be first, any or all, got "frist"; did you mean "first"?)");
  EXPECT_EQ(error_of(start + ray + R"(,"max":3})"), R"(max: only goes with "want":"all")");
  EXPECT_EQ(error_of(start + ray + R"(,"want":"all","max":0})"), "max: must be a whole number of at least 1, got 0");
}

}  // namespace ask_rays_test
}  // namespace graze
