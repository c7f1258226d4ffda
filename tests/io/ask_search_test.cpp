#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "graze/io/ask.h"

namespace graze {
namespace ask_search_test {

using Json = nlohmann::json;

// Twenty-seven points, index 9 x + 3 y + z with x, y, z of 0, 1, 2.
std::string lattice() {
  std::string points;
  for (int i = 0; i < 27; ++i) {
    points += (i == 0 ? "[" : ",[") + std::to_string(i / 9) + "," + std::to_string(i / 3 % 3) + "," +
              std::to_string(i % 3) + "]";
  }
  return R"({"shape":"cloud","points":[)" + points + "]}";
}

std::string ask_for(const std::string& volume, const std::string& more = "", const std::string& in = lattice()) {
  return answer_question(R"({"ask":"search","in":)" + in + R"(,"volume":)" + volume + more + "}").text;
}

std::string error_of(const std::string& volume, const std::string& more = "", const std::string& in = lattice()) {
  return Json::parse(ask_for(volume, more, in)).value("error", "none");
}

const std::string kBall = R"({"ball":{"center":[0,0,0],"radius":1}})";

TEST(AskSearch, SupportsEveryVolume) {
  EXPECT_EQ(ask_for(kBall), R"({"indices":[0,1,3,9],"distances":[0,1,1,1]})");
  EXPECT_EQ(ask_for(R"({"line":{"point":[1,0,0],"direction":[5,0,0],"radius":0}})"),
            R"({"indices":[9,0,18],"distances":[0,1,1]})");
  EXPECT_EQ(ask_for(R"({"ray":{"point":[1,0,0],"direction":[5,0,0],"radius":0}})"),
            R"({"indices":[9,18],"distances":[0,1]})");
  EXPECT_EQ(ask_for(R"({"segment":{"from":[2,0,0],"to":[1,0,0],"radius":0.5}})"),
            R"({"indices":[18,9],"distances":[0,1]})");
  EXPECT_EQ(ask_for(R"({"box":{"min":[1,1,1],"max":[2,1,1]}})"), R"({"indices":[13,22],"distances":[0.5,0.5]})");
  EXPECT_EQ(ask_for(R"({"obb":{"half":[0.1,1,0.1],"pose":{"xyz":[1,1,1],"rpy":[0,0,1.5707963267948966]}}})"),
            R"({"indices":[13,4,22],"distances":[0,1,1]})");
  EXPECT_EQ(ask_for(R"({"obb":{"half":[0,0,0]}})"), R"({"indices":[0],"distances":[0]})");
  EXPECT_EQ(ask_for(R"({"cylinder":{"from":[0,0,0],"to":[0,0,1],"radius":1}})", R"(,"want":"count")"),
            R"({"count":6})");
  EXPECT_EQ(ask_for(R"({"polytope":{"planes":[[1,1,1,1]]}})"), R"({"indices":[0,1,3,9],"distances":[0,1,1,1]})");
  EXPECT_EQ(ask_for(R"({"polytope":{"planes":[[2,2,2,2]],"center":[1,0,0]}})", R"(,"want":"nearest")"),
            R"({"indices":[9],"distances":[0]})");
}

TEST(AskSearch, SupportsEveryKindOfResult) {
  EXPECT_EQ(ask_for(kBall, R"(,"want":"all")"), ask_for(kBall));
  EXPECT_EQ(ask_for(kBall, R"(,"want":"count")"), R"({"count":4})");
  EXPECT_EQ(ask_for(kBall, R"(,"want":"any")"), R"({"any":true})");
  EXPECT_EQ(ask_for(kBall, R"(,"want":"nearest")"), R"({"indices":[0],"distances":[0]})");
  EXPECT_EQ(ask_for(kBall, R"(,"want":"knearest","k":3)"), R"({"indices":[0,1,3],"distances":[0,1,1]})");
  EXPECT_EQ(ask_for(kBall, R"(,"want":"knearest","k":1e12)"), ask_for(kBall));
  const std::string away = R"({"ball":{"center":[9,9,9],"radius":1}})";
  EXPECT_EQ(ask_for(away), R"({"indices":[],"distances":[]})");
  EXPECT_EQ(ask_for(away, R"(,"want":"nearest")"), R"({"indices":[],"distances":[]})");
  EXPECT_EQ(ask_for(away, R"(,"want":"any")"), R"({"any":false})");
  EXPECT_EQ(ask_for(away, R"(,"want":"count")"), R"({"count":0})");
  EXPECT_EQ(ask_for(kBall, R"(,"want":"count","id":7)"), R"({"id":7,"count":4})");
}

TEST(AskSearch, MeasuresFromTheAxisOnRequest) {
  const std::string in = R"({"shape":"cloud","points":[[1,0.5,0],[8,0.25,0]]})";
  for (const char* kind : {"segment", "cylinder"}) {
    const std::string tube = std::string("{\"") + kind + R"(":{"from":[0,0,0],"to":[9,0,0],"radius":1}})";
    EXPECT_EQ(Json::parse(ask_for(tube, R"(,"to_axis":false)", in))["indices"], Json({0, 1}));
    EXPECT_EQ(ask_for(tube, R"(,"to_axis":true)", in), R"({"indices":[1,0],"distances":[0.25,0.5]})");
  }
  EXPECT_EQ(error_of(kBall, R"(,"to_axis":true)"), "to_axis: this volume has no axis");
  EXPECT_EQ(error_of(kBall, R"(,"to_axis":1)"), "to_axis: must be true or false");
}

TEST(AskSearch, PlacesTheCloudAndReadsFiles) {
  const std::string moved = R"({"shape":"cloud","points":[[1,0,0]],"radius":0.1,"pose":{"xyz":[0,0,5]}})";
  EXPECT_EQ(ask_for(R"({"ball":{"center":[1,0,5],"radius":0}})", R"(,"want":"count")", moved), R"({"count":1})");
  const auto path = std::filesystem::temp_directory_path() / ("graze_search_" + std::to_string(::getpid()) + ".csv");
  std::ofstream(path) << "x,y,z\n1,2,3\n4,5,6\n";
  const std::string in = R"({"shape":"cloud","file":)" + Json(path.string()).dump() + "}";
  EXPECT_EQ(ask_for(R"({"ball":{"center":[4,5,6],"radius":0}})", "", in), R"({"indices":[1],"distances":[0]})");
  std::filesystem::remove(path);
  EXPECT_NE(ask_for(kBall, "", in).find("error"), std::string::npos);
  EXPECT_EQ(ask_for(kBall, "", R"({"shape":"cloud","points":[]})"), R"({"indices":[],"distances":[]})");
}

TEST(AskSearch, RejectsUnknownFields) {
  EXPECT_EQ(error_of(kBall, R"(,"colour":1)"),
            "colour: unknown field; search has ask, id, in, volume, want, k, to_axis");
  EXPECT_EQ(error_of(kBall, R"(,"want":"most")"), "want: must be all, count, any, nearest or knearest, got \"most\"");
  EXPECT_EQ(error_of(kBall, R"(,"want":"knearest")"), "k: missing");
  EXPECT_EQ(error_of(kBall, R"(,"want":"all","k":2)"), "k: only knearest has it");
  EXPECT_EQ(error_of(kBall, R"(,"want":"knearest","k":0)"), "k: must be a whole number of at least 1, got 0");
  EXPECT_TRUE(error_of(R"({"blob":{}})").starts_with("volume.blob: unknown volume"));
  EXPECT_TRUE(error_of("7").starts_with("volume: must be an object of one member"));
  EXPECT_TRUE(error_of(R"({"ball":{},"box":{}})").starts_with("volume: must be an object of one member"));
  EXPECT_EQ(error_of(R"({"ball":{"center":[0,0,0],"radius":1,"x":1}})"),
            "volume.ball.x: unknown field; a ball has center, radius");
  EXPECT_EQ(error_of(R"({"ball":{"center":[0,0],"radius":1}})"),
            "volume.ball.center: must be an array of 3 numbers, got 2");
  EXPECT_EQ(error_of(R"({"line":{"point":[0,0,0],"direction":[0,0,0],"radius":1}})"),
            "volume.line: line direction: must not be zero");
  EXPECT_EQ(error_of(R"({"cylinder":{"from":[0,0,0],"to":[0,0,0],"radius":1}})"),
            "volume.cylinder: cylinder to: must differ from the other end by 1e-50 at least");
  EXPECT_EQ(error_of(R"({"polytope":{"planes":[[1,0,0,1],[1,0,0]]}})"),
            "volume.polytope.planes[1]: must be an array of 4 numbers, got 3");
  EXPECT_EQ(error_of(kBall, "", R"({"shape":"sphere","radius":1})"), "in.shape: must be \"cloud\", got \"sphere\"");
  EXPECT_EQ(error_of(kBall, "", R"({"shape":"cloud"})"), "in: must have either file or points");
  EXPECT_EQ(error_of(kBall, "", R"({"shape":"cloud","points":[],"solid":true})"),
            "in.solid: unknown field; a cloud has shape, file, points, radius, pose, local");
  EXPECT_NE(error_of(kBall, "", R"({"shape":"cloud","points":[[1e60,0,0]]})"), "none");
}

}  // namespace ask_search_test
}  // namespace graze
