#include "graze/io/ask.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "graze/base/error.h"
#include "graze/query/collide.h"
#include "graze/query/distance.h"

namespace graze {
namespace ask_test {

using Json = nlohmann::json;

const std::string kBall = R"({"shape":"sphere","radius":1})";

std::string pair(const std::string& ask, const std::string& a, const std::string& b, const std::string& more = "") {
  return R"({"ask":")" + ask + R"(","a":)" + a + R"(,"b":)" + b + more + "}";
}

std::string text_of(const std::string& question) { return answer_question(question).text; }
Json json_of(const std::string& question) { return Json::parse(text_of(question)); }

// The error that a question gets.
std::string error_of(const std::string& question) {
  const AskAnswer given = answer_question(question);
  EXPECT_EQ(given.verdict, AskVerdict::refused) << question;
  return Json::parse(given.text).value("error", "no error: " + given.text);
}

// The error of a question whose `a` is this.
std::string error_of_a(const std::string& a) { return error_of(pair("collide", a, kBall)); }

// The error of a question whose `a` is a sphere at this pose.
std::string error_of_pose(const std::string& pose) {
  return error_of_a(R"({"shape":"sphere","radius":1,"pose":)" + pose + "}");
}

// Each kind of shape with its surface through (0, 0, 1), its bulk below, and nothing above.
const std::vector<std::string> kKinds = {
    R"({"shape":"sphere","radius":1})",
    R"({"shape":"box","half":[2,3,1]})",
    R"({"shape":"capsule","radius":0.25,"half_length":0.75})",
    R"({"shape":"cylinder","radius":2,"half_length":1})",
    R"({"shape":"cone","radius":2,"half_length":1})",
    R"({"shape":"ellipsoid","radii":[2,3,1]})",
    R"({"shape":"convex","points":[[-1,-1,0],[1,-1,0],[0,1,0],[0,0,1]]})",
    R"({"shape":"halfspace","normal":[0,0,2],"offset":2})",
    R"({"shape":"plane","normal":[0,0,-2],"offset":-2})",
    R"({"shape":"triangle","points":[[-1,-1,0],[1,-1,0],[0,0,1]]})",
};

TEST(Ask, AnswersEveryQuestionAboutEveryKind) {
  for (const std::string& kind : kKinds) {
    SCOPED_TRACE(kind);
    const std::string near = R"({"shape":"sphere","radius":0.5,"pose":{"xyz":[0,0,2]}})";
    const Json d = json_of(pair("distance", kind, near));
    EXPECT_NEAR(d["distance"].get<double>(), 0.5, 1e-9);
    EXPECT_NEAR(d["on_a"][2].get<double>(), 1, 1e-9);
    EXPECT_NEAR(d["on_b"][2].get<double>(), 1.5, 1e-9);
    EXPECT_EQ(text_of(pair("collide", kind, near)), R"({"collide":false})");
    EXPECT_EQ(text_of(pair("collide", kind, near, R"(,"margin":0.75)")), R"({"collide":true})");
    EXPECT_EQ(text_of(pair("contacts", kind, near)), R"({"contacts":[]})");
    EXPECT_EQ(text_of(pair("penetration", kind, near)), R"({"overlapping":false})");

    const std::string touching = R"({"shape":"sphere","radius":0.5,"pose":{"xyz":[0,0,1.4]}})";
    EXPECT_EQ(text_of(pair("collide", kind, touching)), R"({"collide":true})");
    EXPECT_EQ(text_of(pair("collide", touching, kind)), R"({"collide":true})");
    EXPECT_EQ(json_of(pair("penetration", touching, kind))["overlapping"], true);
    const Json contacts = json_of(pair("contacts", kind, touching))["contacts"];
    ASSERT_GE(contacts.size(), 1U);
    EXPECT_GT(contacts[0]["depth"].get<double>(), 0);
  }
}

TEST(Ask, CastsRays) {
  const auto ray = [](const std::string& fields, const std::string& b, const std::string& more = "") {
    return R"({"ask":"raycast","ray":{)" + fields + R"(},"b":)" + b + more + "}";
  };
  const std::string down = R"("from":[0,0,5],"direction":[0,0,-3])";
  for (const std::string& kind : kKinds) {
    const AskAnswer given = answer_question(ray(down, kind));
    EXPECT_EQ(given.verdict, AskVerdict::touching) << kind;
    const Json hit = Json::parse(given.text);
    EXPECT_NEAR(hit["distance"].get<double>(), 4, 1e-12) << kind;
    EXPECT_NEAR(hit["point"][2].get<double>(), 1, 1e-12) << kind;
    EXPECT_EQ(hit["feature"], 0) << kind;
  }
  EXPECT_EQ(text_of(ray(down, kBall, R"(,"limit":3)")), R"({"hit":false})");
  EXPECT_EQ(error_of(ray(R"("from":[0,0,5],"direction":[0,0,0])", kBall)),
            "ray.direction: must be finite and have a length");
  EXPECT_TRUE(error_of(ray(R"("from":[0,2e50,5],"direction":[0,0,1])", kBall)).starts_with("ray.from: "));
  EXPECT_EQ(error_of(ray(R"("from":[0,0,5])", kBall)), "ray.direction: missing");
  EXPECT_EQ(error_of(ray(down, kBall, R"(,"limit":-1)")), "limit: must not be negative, got -1");
}

TEST(Ask, KeepsTheOrderOfTheCaller) {
  const std::string high = R"({"shape":"box","half":[1,1,1],"pose":{"xyz":[0,0,5]}})";
  const Json ab = json_of(pair("distance", kBall, high)), ba = json_of(pair("distance", high, kBall));
  EXPECT_EQ(ab["on_a"], ba["on_b"]);
  EXPECT_EQ(ab["on_b"], ba["on_a"]);
  EXPECT_EQ(ab["distance"], ba["distance"]);
  const std::string low = R"({"shape":"box","half":[1,1,1],"pose":{"xyz":[0,0,1.5]}})";
  EXPECT_GT(json_of(pair("contacts", kBall, low))["contacts"][0]["normal"][2].get<double>(), 0.5);
  EXPECT_LT(json_of(pair("contacts", low, kBall))["contacts"][0]["normal"][2].get<double>(), -0.5);
}

TEST(Ask, ReportsTheVerdict) {
  const std::string far = R"({"shape":"sphere","radius":1,"pose":{"xyz":[9,0,0]}})";
  for (const char* ask : {"collide", "distance", "contacts", "penetration"}) {
    EXPECT_EQ(answer_question(pair(ask, kBall, far)).verdict, AskVerdict::clear) << ask;
    EXPECT_EQ(answer_question(pair(ask, kBall, kBall)).verdict, AskVerdict::touching) << ask;
  }
  EXPECT_EQ(answer_question("x").verdict, AskVerdict::refused);
}

TEST(Ask, EchoesTheIdOfAnyType) {
  for (const char* id : {"7", "-0.5", "\"x\"", "null", "true", "[1,[2]]", "{\"a\":{}}", "\"é\\n\\u0000\"", "1e+300",
                         "[]", "18446744073709551615", "\"\""}) {
    const std::string good = text_of(pair("collide", kBall, kBall, std::string(",\"id\":") + id));
    EXPECT_EQ(good, std::string("{\"id\":") + id + ",\"collide\":true}");
    const std::string bad = text_of(std::string("{\"id\":") + id + ",\"ask\":\"what\"}");
    EXPECT_TRUE(bad.starts_with(std::string("{\"id\":") + id + ",\"error\":")) << bad;
  }
  EXPECT_EQ(text_of(R"({"id":3,"ask":)").substr(0, 15), R"({"id":3,"error")");
}

TEST(Ask, WritesNumbersThatReadBackToTheSameDouble) {
  const std::string a = R"({"shape":"sphere","radius":0.1})";
  const std::string b = R"({"shape":"sphere","radius":0.2,"pose":{"xyz":[0.7,1.1,-3.3]}})";
  const Distance d = distance(placed_from_json(a, "a"), placed_from_json(b, "b"));
  const Json given = json_of(pair("distance", a, b));
  EXPECT_EQ(given["distance"].get<double>(), d.value);
  EXPECT_EQ(given["tolerance"].get<double>(), d.tolerance);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(given["on_b"][static_cast<std::size_t>(i)].get<double>(), d.on_b[i]);
}

TEST(Ask, SaysWhatIsBeyondTheLimit) {
  const std::string far = R"({"shape":"sphere","radius":1,"pose":{"xyz":[9,0,0]}})";
  EXPECT_EQ(text_of(pair("distance", kBall, far, R"(,"limit":0.5)")), R"({"distance":null,"beyond":0.5})");
  EXPECT_EQ(json_of(pair("distance", kBall, far, R"(,"limit":7.5)"))["distance"], 7);
}

TEST(Ask, WritesInfinityAsANumberThatOverflows) {
  const std::string floor = R"({"shape":"halfspace","normal":[0,0,1],"offset":0})";
  const std::string wall = R"({"shape":"halfspace","normal":[1,0,0],"offset":0})";
  const std::string text = text_of(pair("distance", floor, wall));
  EXPECT_TRUE(text.starts_with(R"({"distance":-1e999,)")) << text;
  EXPECT_EQ(std::strtod("-1e999", nullptr), -kInfinity);
  EXPECT_TRUE(text_of(pair("penetration", floor, wall)).starts_with(R"({"overlapping":true,"depth":1e999,)"));
}

TEST(Ask, PlacesTheShapeAtPoseTimesLocal) {
  const auto pose_of = [](const std::string& pose) {
    return placed_from_json(R"({"shape":"sphere","radius":1,)" + pose + "}", "a").pose;
  };
  const double r = std::sqrt(0.5);
  const Pose turned = Pose::from_wxyz({1, 2, 3}, r, 0, 0, r);
  EXPECT_EQ(pose_of(R"("pose":{"xyz":[1,2,3],"wxyz":[1,0,0,1]})").translation(), Vec3(1, 2, 3));
  EXPECT_TRUE(pose_of(R"("pose":{"xyz":[1,2,3],"wxyz":[5,0,0,5]})").rotation().isApprox(turned.rotation()));
  EXPECT_TRUE(pose_of(R"("pose":{"xyz":[1,2,3],"xyzw":[0,0,1,1]})").rotation().isApprox(turned.rotation()));
  EXPECT_TRUE(pose_of(R"("pose":{"rpy":[0,0,1.5707963267948966]})").rotation().isApprox(turned.rotation()));
  const Pose both = pose_of(R"("local":{"xyz":[1,0,0]},"pose":{"xyz":[1,2,3],"wxyz":[1,0,0,1]})");
  EXPECT_TRUE(both.translation().isApprox(Vec3(1, 3, 3)));
  EXPECT_EQ(pose_of(R"("pose":{})"), Pose());
  // Roll first, then pitch, then yaw, about fixed axes.
  const Pose rpy = pose_of(R"("pose":{"rpy":[0.3,-0.4,0.5]})");
  const Pose steps = Pose::from_rpy({0, 0, 0}, 0, 0, 0.5) * Pose::from_rpy({0, 0, 0}, 0, -0.4, 0) *
                     Pose::from_rpy({0, 0, 0}, 0.3, 0, 0);
  EXPECT_TRUE(rpy.rotation().isApprox(steps.rotation()));
  // Row by row, with the precision of float32.
  const Pose matrix = pose_of(R"("pose":{"matrix":[0,-0.99999997,0,1, 1,0,0,2, 0,0,1,3, 0,0,0,1]})");
  EXPECT_EQ(matrix.translation(), Vec3(1, 2, 3));
  EXPECT_TRUE(matrix.rotation().isApprox(Pose::from_wxyz({0, 0, 0}, 1, 0, 0, 1).rotation(), 1e-7));
  const Pose rows = pose_of(R"("pose":{"matrix":[[0,-0.99999997,0,1],[1,0,0,2],[0,0,1,3],[0,0,0,1]]})");
  EXPECT_EQ(rows.translation(), matrix.translation());
  EXPECT_EQ(rows.rotation(), matrix.rotation());
}

TEST(Ask, RejectsBadPoses) {
  EXPECT_EQ(error_of_pose("7"), "a.pose: must be an object, got a number");
  EXPECT_EQ(error_of_pose(R"({"xyz":[1,2]})"), "a.pose.xyz: must be an array of 3 numbers, got 2");
  EXPECT_EQ(error_of_pose(R"({"xyz":[1,2,null]})"), "a.pose.xyz[2]: must be a number, got null");
  EXPECT_EQ(error_of_pose(R"({"wxyz":[1,0,0]})"), "a.pose.wxyz: must be an array of 4 numbers, got 3");
  EXPECT_EQ(error_of_pose(R"({"quat":[1,0,0,0]})"),
            "a.pose.quat: unknown field; a pose has xyz, wxyz, xyzw, rpy, matrix");
  const std::string more = "a.pose: has more than one rotation; give one of wxyz, xyzw and rpy";
  EXPECT_EQ(error_of_pose(R"({"wxyz":[1,0,0,0],"rpy":[0,0,0]})"), more);
  EXPECT_EQ(error_of_pose(R"({"wxyz":[1,0,0,0],"xyzw":[0,0,0,1]})"), more);
  EXPECT_EQ(error_of_pose(R"({"xyzw":[0,0,0,1],"rpy":[0,0,0]})"), more);
  EXPECT_TRUE(error_of_pose(R"({"wxyz":[0,0,0,0]})").starts_with("a.pose.wxyz: must be finite and not zero"));
  EXPECT_TRUE(error_of_pose(R"({"xyzw":[0,0,0,0]})").starts_with("a.pose.xyzw: must be finite and not zero"));
  EXPECT_TRUE(error_of_pose(R"({"xyz":[0,0,1e300]})").starts_with("a.pose.xyz: "));
  EXPECT_EQ(error_of_pose(R"({"matrix":[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,2]})"),
            "a.pose.matrix: its last row must be 0 0 0 1, got 0 0 0 2");
  EXPECT_TRUE(error_of_pose(R"({"matrix":[1,0,0,0, 0,1,0,0, 0,0,2,0, 0,0,0,1]})")
                  .starts_with("a.pose.matrix: must be orthonormal and right-handed"));
  EXPECT_EQ(error_of_pose(R"({"matrix":[[1,0,0,0],[0,1,0],[0,0,1,0],[0,0,0,1]]})"),
            "a.pose.matrix[1]: must be an array of 4 numbers, got 3");
  EXPECT_EQ(error_of_pose(R"({"matrix":[1,0,0,0]})"), "a.pose.matrix[0]: must be an array of 4 numbers, got a number");
  EXPECT_EQ(error_of_pose(R"({"matrix":[1,0,0]})"), "a.pose.matrix: must be an array of 16 numbers, got 3");
  EXPECT_EQ(error_of_pose(R"({"matrix":[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1],"xyz":[0,0,0]})"),
            "a.pose: has a matrix, which is all of a pose, and more");
  EXPECT_TRUE(
      error_of_a(R"({"shape":"sphere","radius":1,"local":{"xyz":7}})").starts_with("a.local.xyz: must be an arr"));
}

TEST(Ask, RejectsBadShapesWithThePathOfTheField) {
  EXPECT_EQ(error_of_a("[]"), "a: must be an object, got an array");
  EXPECT_EQ(error_of_a("{}"), "a.shape: missing");
  EXPECT_EQ(error_of_a(R"({"shape":7})"), "a.shape: must be a string, got a number");
  EXPECT_TRUE(
      error_of_a(R"({"shape":"ball"})").starts_with("a.shape: unknown shape \"ball\"; known are sphere, capsule,"));
  EXPECT_EQ(error_of_a(R"({"shape":"sphere"})"), "a.radius: missing");
  EXPECT_EQ(error_of_a(R"({"shape":"sphere","radius":"1"})"), "a.radius: must be a number, got a string");
  EXPECT_EQ(error_of_a(R"({"shape":"sphere","radius":[1]})"), "a.radius: must be a number, got an array");
  EXPECT_EQ(error_of_a(R"({"shape":"sphere","radius":true})"), "a.radius: must be a number, got true or false");
  EXPECT_TRUE(error_of_a(R"({"shape":"sphere","radius":-1})").starts_with("a.radius: must be 0 or between "));
  EXPECT_EQ(error_of_a(R"({"shape":"sphere","radius":1,"half":2})"),
            "a.half: unknown field; a sphere has shape, radius, pose, local");
  EXPECT_EQ(error_of_a(R"({"shape":"box","half":[1,2]})"), "a.half: must be an array of 3 numbers, got 2");
  EXPECT_EQ(error_of_a(R"({"shape":"box","half":3})"), "a.half: must be an array of 3 numbers, got a number");
  EXPECT_TRUE(error_of_a(R"({"shape":"box","half":[1,2,-1]})").starts_with("a.half: each must be 0 or between"));
  for (const char* kind : {"capsule", "cylinder", "cone"}) {
    const std::string start = std::string(R"({"shape":")") + kind + R"(",)";
    EXPECT_EQ(error_of_a(start + R"("radius":1})"), "a.half_length: missing");
    EXPECT_TRUE(error_of_a(start + R"("radius":-1,"half_length":1})").starts_with("a.radius: must be "));
    EXPECT_TRUE(error_of_a(start + R"("radius":1,"half_length":-2})").starts_with("a.half_length: must be "));
    EXPECT_TRUE(error_of_a(start + R"("radius":1,"half_length":1,"length":2})").starts_with("a.length: unknown field"));
  }
  EXPECT_TRUE(error_of_a(R"({"shape":"ellipsoid","radii":[1,0,1]})").starts_with("a.radii: each must be positive"));
  EXPECT_TRUE(error_of_a(R"({"shape":"convex","points":[]})").starts_with("a.points: "));
  EXPECT_EQ(error_of_a(R"({"shape":"convex","points":7})"), "a.points: must be an array of points, got a number");
  EXPECT_EQ(error_of_a(R"({"shape":"convex","points":[[0,0,0],[1,2]]})"),
            "a.points[1]: must be an array of 3 numbers, got 2");
  EXPECT_EQ(error_of_a(R"({"shape":"convex","points":[[0,0,{}]]})"), "a.points[0][2]: must be a number, got an object");
  EXPECT_TRUE(error_of_a(R"({"shape":"convex","points":[[0,0,1e300]]})").starts_with("a.points: "));
  EXPECT_EQ(error_of_a(R"({"shape":"triangle","points":[[0,0,0],[1,0,0]]})"),
            "a.points: must be an array of 3 points, got 2");
  EXPECT_TRUE(error_of_a(R"({"shape":"plane","normal":[0,0,0],"offset":1})").starts_with("a: plane normal: "));
  EXPECT_EQ(error_of_a(R"({"shape":"halfspace","normal":[0,0,1]})"), "a.offset: missing");
  EXPECT_TRUE(error_of(pair("collide", kBall, R"({"shape":"sphere","radius":-1})")).starts_with("b.radius: "));
}

TEST(Ask, RejectsBadQuestions) {
  EXPECT_EQ(error_of("[]"), "question: must be an object, got an array");
  EXPECT_EQ(error_of("null"), "question: must be an object, got null");
  EXPECT_EQ(error_of("{}"), "ask: missing");
  EXPECT_EQ(error_of(R"({"ask":[]})"), "ask: must be a string, got an array");
  EXPECT_TRUE(error_of(R"({"ask":"touch"})").starts_with("ask: unknown question \"touch\"; known are collide,"));
  EXPECT_EQ(error_of(R"({"ask":"collide"})"), "a: missing");
  EXPECT_EQ(error_of(R"({"ask":"collide","a":)" + kBall + "}"), "b: missing");
  EXPECT_EQ(error_of(pair("collide", kBall, kBall, R"(,"limit":1)")),
            "limit: unknown field; collide has ask, id, a, b, margin");
  EXPECT_EQ(error_of(pair("distance", kBall, kBall, R"(,"limit":null)")), "limit: must be a number, got null");
  EXPECT_EQ(error_of(pair("distance", kBall, kBall, R"(,"limit":1e999)")),
            "limit: the number 1e999 is beyond the range of a double");
  EXPECT_EQ(error_of(pair("collide", kBall, kBall, R"(,"margin":"1")")), "margin: must be a number, got a string");
  for (const char* max : {"0", "-1", "2.5", "1e-3"}) {
    EXPECT_TRUE(error_of(pair("contacts", kBall, kBall, std::string(",\"max\":") + max))
                    .starts_with("max: must be a whole number of at least 1, got "));
  }
  EXPECT_EQ(error_of(pair("contacts", kBall, kBall, R"(,"max":"3")")),
            "max: must be a whole number of at least 1, got a string");
}

TEST(Ask, SuggestsWhatWasProbablyMeant) {
  EXPECT_TRUE(error_of(R"({"ask":"colide"})")
                  .starts_with("ask: unknown question \"colide\"; did you mean \"collide\"? Known are collide, "));
  EXPECT_EQ(error_of_a(R"({"shape":"sphere","raduis":1})"),
            "a.raduis: unknown field; did you mean \"radius\"? a sphere has shape, radius, pose, local");
  EXPECT_TRUE(error_of_a(R"({"shape":"shpere","radius":1})")
                  .starts_with("a.shape: unknown shape \"shpere\"; did you mean \"sphere\"? Known are sphere, "));
  EXPECT_EQ(error_of(pair("collide", kBall, kBall, R"(,"c":1)")),
            "c: unknown field; collide has ask, id, a, b, margin");
  // The answer is quick however long the word is.
  EXPECT_TRUE(error_of(R"({"ask":")" + std::string(1 << 20, 'x') + R"("})").starts_with("ask: unknown question"));
}

TEST(Ask, BoundsTheNumberOfContacts) {
  const std::string box = R"({"shape":"box","half":[1,1,1]})";
  const std::string floor = R"({"shape":"halfspace","normal":[0,0,1],"offset":-0.9})";
  EXPECT_EQ(json_of(pair("contacts", box, floor))["contacts"].size(), 4U);
  EXPECT_EQ(json_of(pair("contacts", box, floor, R"(,"max":3)"))["contacts"].size(), 3U);
  EXPECT_EQ(json_of(pair("contacts", box, floor, R"(,"max":1e18)"))["contacts"].size(), 4U);
}

TEST(Ask, AnswersAboutClouds) {
  const std::string cloud = R"({"shape":"cloud","points":[[0,0,0],[3,0,0],[9,9,9]],"radius":0.5})";
  EXPECT_EQ(json_of(pair("distance", kBall, cloud, ""))["distance"],
            json_of(pair("distance", cloud, kBall, ""))["distance"]);
  const std::string far_ball = R"({"shape":"sphere","radius":1,"pose":{"xyz":[5,0,0]}})";
  const auto d = json_of(pair("distance", cloud, far_ball, ""));
  EXPECT_EQ(d["distance"], 0.5);
  EXPECT_EQ(d["on_a"][0], 3.5);
  EXPECT_EQ(json_of(pair("collide", cloud, far_ball, R"(,"margin":0.5)"))["collide"], true);
  EXPECT_EQ(json_of(pair("contacts", cloud, kBall, ""))["contacts"].size(), 1U);
  // A cloud without points is infinitely far.
  const std::string empty = R"({"shape":"cloud","points":[]})";
  EXPECT_EQ(json_of(pair("collide", empty, kBall, R"(,"margin":1e9)"))["collide"], false);
  EXPECT_TRUE(json_of(pair("distance", empty, kBall, ""))["distance"].is_null());
  EXPECT_EQ(error_of_a(R"({"shape":"cloud"})"), "a: needs either file or points");
  EXPECT_EQ(error_of_a(R"({"shape":"cloud","points":[[0,0]]})").find("a.points[0]"), 0U);
  EXPECT_EQ(error_of_a(R"({"shape":"cloud","points":[],"radius":-1})").find("a.radius"), 0U);
  EXPECT_EQ(error_of_a(R"({"shape":"cloud","file":"/no/such/file.ply"})").find("a.file: /no/such/file.ply"), 0U);
}

constexpr const char* kTetrahedron =
    R"({"shape":"mesh","vertices":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],"triangles":[[0,2,1],[0,1,3],[1,2,3],[2,0,3]]})";

TEST(Ask, AnswersAboutMeshes) {
  std::string solid = kTetrahedron;
  solid.insert(solid.size() - 1, R"(,"solid":true)");
  const std::string inside = R"({"shape":"sphere","radius":0.01,"pose":{"xyz":[0.1,0.2,0.2]}})";
  EXPECT_EQ(answer_question(pair("collide", kTetrahedron, inside)).text, R"({"collide":false})");
  EXPECT_EQ(answer_question(pair("collide", inside, solid)).text, R"({"collide":true})");
  EXPECT_NEAR(Json::parse(answer_question(pair("distance", solid, inside)).text)["distance"].get<double>(), -0.11,
              1e-12);
  EXPECT_NEAR(Json::parse(answer_question(pair("distance", kTetrahedron, inside)).text)["distance"].get<double>(), 0.09,
              1e-12);
  const std::string empty = R"({"shape":"mesh","vertices":[],"triangles":[]})";
  EXPECT_EQ(answer_question(pair("collide", empty, kBall)).text, R"({"collide":false})");
  EXPECT_EQ(error_of_a(R"({"shape":"mesh","vertices":[[0,0,0]],"triangles":[[0,0,1]]})").find("a.triangles[0][2]"), 0U);
  EXPECT_EQ(error_of_a(R"({"shape":"mesh","vertices":[[0,0,0]],"triangles":[[0,0,-1]]})").find("a.triangles[0][2]"),
            0U);
  EXPECT_EQ(error_of_a(R"({"shape":"mesh","vertices":[[0,0,0]],"triangles":[[0,0]]})").find("a.triangles[0]"), 0U);
  EXPECT_EQ(error_of_a(R"({"shape":"mesh","vertices":[],"triangles":7})").find("a.triangles"), 0U);
  EXPECT_EQ(error_of_a(R"({"shape":"mesh","vertices":[],"triangles":[],"solid":1})").find("a.solid"), 0U);
  EXPECT_NE(error_of_a(R"({"shape":"mesh","vertices":[[0,0,0],[1,0,0],[0,1,0]],"triangles":[[0,1,2]],"solid":true})")
                .find("open at the edge of vertices 0 and 1"),
            std::string::npos);
  EXPECT_EQ(error_of_a(R"({"shape":"mesh"})"), "a: needs either file, or vertices and triangles");
  EXPECT_EQ(error_of_a(R"({"shape":"mesh","file":"a.stl","vertices":[]})"),
            "a: needs either file, or vertices and triangles");
  EXPECT_EQ(error_of_a(R"({"shape":"mesh","vertices":[]})"), "a.triangles: missing");
  EXPECT_EQ(error_of_a(R"({"shape":"mesh","file":"/no/such/file.stl"})").find("a.file: /no/such/file.stl"), 0U);
}

TEST(Ask, FindsTheFirstContactOfWhatMoves) {
  const std::string wall = R"("b":{"shape":"box","half":[1,1,1]})";
  const auto ball = [](const std::string& rest) { return R"("a":{"shape":"sphere","radius":1)" + rest + "}"; };
  const auto asked = [&](const std::string& a, const std::string& b, const std::string& rest = "") {
    return answer_question(R"({"ask":"sweep",)" + a + "," + b + rest + "}");
  };
  const std::string there = R"(,"pose":{"xyz":[-6,0,0]},"motion":{"to":{"xyz":[2,0,0]}})";
  const AskAnswer hit = asked(ball(there), wall);
  EXPECT_EQ(hit.verdict, AskVerdict::touching);
  EXPECT_EQ(hit.text.find(R"({"hit":true,"time":0.49999)"), 0U) << hit.text;
  EXPECT_NE(hit.text.find(R"("on_b":[-1,0,0])"), std::string::npos) << hit.text;
  const AskAnswer early = asked(ball(there), wall, R"(,"margin":1,"tolerance":1e-3)");
  EXPECT_EQ(early.text.find(R"({"hit":true,"time":0.3749)"), 0U) << early.text;
  EXPECT_EQ(asked(ball(R"(,"pose":{"xyz":[-6,0,0]},"motion":{"to":{"xyz":[-6,9,0]}})"), wall).text, R"({"hit":false})");
  EXPECT_EQ(asked(ball(R"(,"motion":{"path":[{"xyz":[-6,0,0]},{"xyz":[-6,6,0]},{"xyz":[6,6,0]}]})"), wall).text,
            R"({"hit":false})");
  EXPECT_EQ(asked(ball(R"(,"motion":{"path":[{"xyz":[-6,0,0]},{"xyz":[6,0,0]},{"xyz":[6,6,0]}]})"), wall).verdict,
            AskVerdict::touching);
  // Both still; a whole turn about a far axis.
  EXPECT_EQ(asked(ball(""), wall).text.find(R"({"hit":true,"time":0,)"), 0U);
  const std::string arm = R"(,"local":{"xyz":[0,5,0]},"pose":{"xyz":[5,0,0]},)";
  EXPECT_EQ(asked(ball(arm + R"("motion":{"to":{"xyz":[5,0,0],"rpy":[0,0,1]}})"), wall).verdict, AskVerdict::clear);
  EXPECT_EQ(asked(ball(arm + R"("motion":{"to":{"xyz":[5,0,0],"rpy":[0,0,1]},"turns":1})"), wall).verdict,
            AskVerdict::touching);
  EXPECT_EQ(asked(ball(R"(,"local":{"xyz":[0,2.5,0]},"pose":{"xyz":[5,0,0]},)"
                       R"("motion":{"to":{"xyz":[5,0,0],"rpy":[0,0,1]},"turns":1})"),
                  wall)
                .verdict,
            AskVerdict::clear);
}

TEST(Ask, FindsTheFirstContactOfMeshesThatBend) {
  const auto sheet = [](const std::string& rest) {
    return R"({"shape":"mesh","vertices":[[-1,-1,3],[1,-1,3],[0,1,3]],"triangles":[[0,1,2]])" + rest + "}";
  };
  const auto asked = [](const std::string& a, const std::string& b, const std::string& rest = "") {
    return R"({"ask":"sweep","a":)" + a + R"(,"b":)" + b + rest + "}";
  };
  const std::string down = R"(,"vertices_to":[[-1,-1,-1],[1,-1,-1],[0,1,-1]])",
                    ball = R"({"shape":"sphere","radius":1})";
  const Json hit = json_of(asked(sheet(down), ball));
  EXPECT_LE(hit["time"], 0.5);
  EXPECT_GT(hit["time"], 0.499999);
  EXPECT_EQ(json_of(asked(ball, sheet(down)))["time"], hit["time"]);
  EXPECT_EQ(json_of(asked(sheet(down), ball, R"(,"margin":1)"))["time"] < 0.25 + 1e-6, true);
  EXPECT_EQ(answer_question(asked(sheet(R"(,"vertices_to":[[-1,-1,1.1],[1,-1,1.1],[0,1,1.1]])"), ball)).text,
            R"({"hit":false})");
  EXPECT_EQ(answer_question(asked(sheet(down + R"(,"pose":{"xyz":[9,0,0]})"), ball)).text, R"({"hit":false})");
  const std::string up = R"({"shape":"mesh","vertices":[[-1,-1,0],[1,-1,0],[0,1,0]],"triangles":[[0,1,2]],)"
                         R"("vertices_to":[[-1,-1,2],[1,-1,2],[0,1,2]]})";
  EXPECT_NEAR(json_of(asked(sheet(down), up))["time"], 0.5, 1e-6);
  EXPECT_NEAR(json_of(asked(sheet(down), R"({"shape":"sphere","radius":1,"motion":{"to":{"xyz":[0,0,2]}}})"))["time"],
              1.0 / 3, 1e-6);

  EXPECT_EQ(error_of(asked(sheet(R"(,"vertices_to":[[0,0,0]])"), ball)),
            "a.vertices_to: must have one point for each of the 3 vertices, got 1");
  EXPECT_EQ(error_of(asked(ball, sheet(R"(,"vertices_to":7)"))).find("b.vertices_to: "), 0U);
  EXPECT_EQ(error_of(asked(sheet(R"(,"vertices_to":[[0,0,1e300],[0,0,0],[0,0,0]])"), ball)).find("a.vertices_to: "),
            0U);
  EXPECT_EQ(error_of(asked(R"({"shape":"sphere","radius":1,"vertices_to":[]})", ball)),
            "a.vertices_to: belongs to a mesh, got a sphere");
  EXPECT_EQ(error_of(asked(sheet(down + R"(,"motion":{"to":{}})"), ball)).find("a.motion: cannot be combined"), 0U);
  EXPECT_NE(error_of_a(sheet(down)).find("vertices_to"), std::string::npos) << "distance does not know it";
}

TEST(Ask, RejectsInvalidMotions) {
  const auto refused = [&](const std::string& rest) {
    return error_of(R"({"ask":"sweep","a":{"shape":"sphere","radius":1)" + rest +
                    R"(},"b":{"shape":"sphere","radius":1}})");
  };
  EXPECT_EQ(refused(R"(,"motion":{})"), "a.motion: needs either to or path");
  EXPECT_EQ(refused(R"(,"motion":7)").find("a.motion: "), 0U);
  EXPECT_EQ(refused(R"(,"motion":{"to":{"xyz":[1,2]}})").find("a.motion.to.xyz"), 0U);
  EXPECT_EQ(refused(R"(,"motion":{"to":{},"turns":1.5})").find("a.motion.turns: must be a whole number"), 0U);
  EXPECT_EQ(refused(R"(,"motion":{"to":{},"turns":1})").find("a.motion.turns: the two rotations are the same"), 0U);
  EXPECT_EQ(refused(R"(,"motion":{"path":[]})"), "a.motion.path: must be a list of poses");
  EXPECT_EQ(refused(R"(,"motion":{"path":[{}],"turns":1})").find("a.motion.turns: "), 0U);
  EXPECT_EQ(refused(R"(,"pose":{"xyz":[1,0,0]},"motion":{"path":[{}]})"),
            "a.pose: must be the first pose of the path, or be left out");
  EXPECT_EQ(
      error_of(R"({"ask":"sweep","a":{"shape":"sphere","radius":1},"b":{"shape":"sphere","radius":1},"margin":-1})")
          .find("margin: "),
      0U);
  EXPECT_EQ(error_of(R"({"ask":"sweep","world":{},"from":[0,0],"to":[1,0],"radius":1})"), "world.plane: missing");
  EXPECT_NE(error_of_a(R"({"shape":"sphere","radius":1,"motion":{"to":{}}})").find("motion"), std::string::npos);
}

TEST(Ask, FindsTheFirstContactOfCornersThatMove) {
  const std::string face = "[-1,-1,0],[1,-1,0],[0,1,0]]";
  const auto asked = [](const std::string& of, const std::string& from, const std::string& to,
                        const std::string& more = "") {
    return R"({"ask":"first_contact","of":")" + of + R"(","from":)" + from + R"(,"to":)" + to + more + "}";
  };
  const std::string through = asked("vertex-face", "[[0,0,1]," + face, "[[0,0,-1]," + face);
  EXPECT_EQ(answer_question(through).verdict, AskVerdict::touching);
  const Json hit = json_of(through);
  EXPECT_LE(hit["time"], 0.5);
  EXPECT_GT(hit["time"], 0.499999);
  EXPECT_FALSE(hit.contains("certain"));
  EXPECT_EQ(hit["on_b"], Json({0, 0, 0}));
  const AskAnswer beside = answer_question(asked("vertex-face", "[[3,0,1]," + face, "[[3,0,-1]," + face));
  EXPECT_EQ(beside.text, R"({"hit":false})");
  EXPECT_EQ(beside.verdict, AskVerdict::clear);
  EXPECT_EQ(json_of(asked("edge-edge", "[[-1,0,1],[1,0,1],[0,-1,0],[0,1,0]]", "[[-1,0,0],[1,0,0],[0,-1,0],[0,1,0]]",
                          R"(,"tolerance":1e-3)"))["hit"],
            true);
  EXPECT_EQ(error_of(asked("face-face", "[]", "[]")), R"(of: must be vertex-face or edge-edge, got "face-face")");
  EXPECT_EQ(error_of(asked("edge-edge", "[[0,0,0]]", "[]")), "from: must have four points, got 1");
  EXPECT_EQ(error_of(asked("vertex-face", "[[0,0,1]," + face, "[[0,0,1]," + face, R"(,"tolerance":0)")),
            "tolerance: must be positive, got 0");
}

TEST(Ask, RejectsVerticesToWhereNothingMoves) {
  EXPECT_EQ(error_of_a(R"({"shape":"sphere","radius":1,"vertices_to":[]})").find("a.vertices_to: unknown field"), 0U);
}

TEST(Ask, AnswersValidJsonWhateverTheBytes) {
  std::vector<std::string> lines = {"", "\xff", "{\"\xff\":1}", R"({"ask":"\ud83d\ude00\u0007"})",
                                    R"({"\u0000":1,"ask":"collide"})"};
  lines.push_back(R"({"ask":")" + std::string(1000, 'x') + R"("})");
  lines.push_back(R"({"ask":"collide",")" + std::string(59, 'x') + R"(é":1})");  // cut in the middle of a character
  for (int byte = 0; byte < 256; ++byte) {
    lines.push_back(std::string(1, static_cast<char>(byte)));
    lines.push_back("{\"id\":1,\"a" + std::string(1, static_cast<char>(byte)) + "\":1,\"ask\":\"collide\"}");
  }
  for (const std::string& line : lines) {
    const AskAnswer given = answer_question(line);
    EXPECT_EQ(given.verdict, AskVerdict::refused);
    EXPECT_TRUE(Json::accept(given.text)) << given.text;
    EXPECT_EQ(given.text.find('\n'), std::string::npos);
  }
}

TEST(Ask, ReadsOneGeometryByItself) {
  const Placed box = placed_from_json(R"({"shape":"box","half":[1,2,3]})", "A");
  EXPECT_EQ(std::get<Box>(box.geometry).half.value(), Vec3(1, 2, 3));
  try {
    placed_from_json(R"({"shape":"box","half":[1,2]})", "A");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "A.half: must be an array of 3 numbers, got 2");
  }
  EXPECT_THROW(placed_from_json("{", "A"), Error);
}

}  // namespace ask_test
}  // namespace graze
