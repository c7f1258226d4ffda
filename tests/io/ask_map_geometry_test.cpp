// Maps as geometries of `graze ask`.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "graze/geometry/occupancy_map_builder.h"
#include "graze/io/ask.h"
#include "graze/io/map_file.h"

namespace graze_test {
namespace ask_map_geometry_test {

using namespace graze;

TEST(AskMapGeometry, CountsTheCellsThatTheQuestionNames) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("ask_map_geometry_" + std::to_string(::getpid()) + ".ot")).string();
  OccupancyMapBuilder builder(0.5);
  for (int x = -4; x < 4; ++x) {
    for (int y = -4; y < 4; ++y) {
      for (int z = -4; z < 4; ++z) {
        const bool wall = x == 3;
        builder.add({.key = {x, y, z}, .log_odds = log_odds_of(wall ? 0.7 : 0.2)});
      }
    }
  }
  write_map(path, std::move(builder).finish());
  const auto ask = [&](const std::string& verb, const std::string& options, const std::string& xyz) {
    return answer_question(R"({"ask":")" + verb + R"(","a":{"shape":"sphere","radius":0.25,"pose":{"xyz":)" + xyz +
                           R"(}},"b":{"shape":"map","file":")" + path + R"(",)" + options + "}}")
        .text;
  };
  EXPECT_EQ(ask("collide", R"("unknown":"free")", "[0,0,0]"), R"({"collide":false})");
  EXPECT_EQ(ask("collide", R"("unknown":"occupied")", "[0,0,0]"), R"({"collide":false})");
  EXPECT_EQ(ask("collide", R"("unknown":"free")", "[1.25,0,0]"), R"({"collide":true})");
  EXPECT_EQ(ask("collide", R"("unknown":"free","threshold":0.8)", "[1.25,0,0]"), R"({"collide":false})");
  EXPECT_EQ(ask("collide", R"("unknown":"free")", "[-9,0,0]"), R"({"collide":false})");
  EXPECT_EQ(ask("collide", R"("unknown":"occupied")", "[-9,0,0]"), R"({"collide":true})");
  EXPECT_EQ(ask("distance", R"("unknown":"free")", "[0,0,0]").substr(0, 17), R"({"distance":1.25,)");
  EXPECT_EQ(ask("distance", R"("unknown":"occupied")", "[-1,0,0]").substr(0, 17), R"({"distance":0.75,)");
  std::filesystem::remove(path);
  EXPECT_NE(ask("collide", R"("unknown":"free")", "[0,0,0]").find("error"), std::string::npos);
}

}  // namespace ask_map_geometry_test
}  // namespace graze_test
