#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "graze/io/ask.h"

namespace graze {
namespace ask_map_test {

using Json = nlohmann::json;

/// A file of one cube: cell (0, 0, 0) free, (1, 0, 0) occupied, the rest of 2 × 2 × 2 unknown; cells of 10 cm.
class AskMap : public testing::Test {
 protected:
  void SetUp() override {
    path_ = (std::filesystem::temp_directory_path() / ("ask_map_" + std::to_string(::getpid()) + ".bt")).string();
    std::string data;
    data += std::string("\0\xC0", 2);                               // the octant of all that is positive
    for (int i = 0; i < 14; ++i) data += std::string("\x03\0", 2);  // its first child, and so on
    data += std::string("\x09\0", 2);
    std::ofstream(path_, std::ios::binary) << "# Octomap OcTree binary file\nid OcTree\nsize 18\nres 0.1\ndata\n"
                                           << data;
    map_ = R"({"shape":"map","unknown":"free","file":)" + Json(path_).dump() + "}";
  }
  void TearDown() override { std::filesystem::remove(path_); }
  static Json ask(const std::string& question) { return Json::parse(answer_question(question).text); }

  std::string path_, map_;
};

TEST_F(AskMap, StatesAndProbabilitiesOfPoints) {
  const Json answer =
      ask(R"({"ask":"occupancy","points":[[0.05,0.05,0.05],[0.1,0,0],[0.15,0.15,0.05],[-1,0,0]],"map":)" + map_ + "}");
  EXPECT_EQ(answer["states"], Json::parse(R"(["free","occupied","unknown","unknown"])")) << answer;
  EXPECT_NEAR(answer["probabilities"][0].get<double>(), 0.1192, 1e-6);
  EXPECT_NEAR(answer["probabilities"][1].get<double>(), 0.971, 1e-6);
  EXPECT_TRUE(answer["probabilities"][2].is_null());
  const Json bare = ask(R"({"ask":"occupancy","points":[[0.1,0,0]],"map":{"file":)" + Json(path_).dump() + "}}");
  EXPECT_EQ(bare["states"], Json::parse(R"(["occupied"])")) << bare;
}

TEST_F(AskMap, CostOfABody) {
  const std::string body = R"("a":{"shape":"box","half":[0.08,0.03,0.03],"pose":{"xyz":[0.1,0.05,0.05]}})";
  const Json answer = ask(R"({"ask":"cost","max":1,"map":)" + map_ + "," + body + "}");
  const double volume = 0.08 * 0.06 * 0.06;
  EXPECT_NEAR(answer["cost"].get<double>(), volume * (0.1192 + 0.971), 1e-9) << answer;
  ASSERT_EQ(answer["boxes"].size(), 1U);
  EXPECT_NEAR(answer["boxes"][0]["min"][0].get<double>(), 0.1, 1e-15);
  EXPECT_NEAR(answer["boxes"][0]["max"][0].get<double>(), 0.18, 1e-15);
  const Json high = ask(R"({"ask":"cost","min_probability":0.5,"map":)" + map_ + "," + body + "}");
  EXPECT_NEAR(high["cost"].get<double>(), volume * 0.971, 1e-9);
  const Json moved = ask(R"({"ask":"cost","map":{"shape":"map","pose":{"xyz":[5,0,0]},"file":)" + Json(path_).dump() +
                         "}," + body + R"(,"unknown_probability":0.5})");
  EXPECT_NEAR(moved["cost"].get<double>(), 0.5 * 0.16 * 0.06 * 0.06, 1e-9) << moved;
}

TEST_F(AskMap, CostOfAMotion) {
  // From outside through both known cells, 6 cm thick.
  const std::string body =
      R"("a":{"shape":"box","half":[0.01,0.03,0.03],"pose":{"xyz":[-0.5,0.05,0.05]},"motion":{"to":{"xyz":[0.5,0.05,0.05]}}})";
  const Json answer = ask(R"({"ask":"cost","map":)" + map_ + "," + body + "}");
  EXPECT_NEAR(answer["cost"].get<double>(), 0.1 * 0.06 * 0.06 * (0.1192 + 0.971), 1e-8) << answer;
  ASSERT_EQ(answer["boxes"].size(), 2U);
  EXPECT_NEAR(answer["boxes"][0]["max"][0].get<double>(), 0.2, 1e-12);
  const Json moved = ask(R"({"ask":"cost","map":{"shape":"map","pose":{"xyz":[0,0,5],"wxyz":[0,0,0,1]},"file":)" +
                         Json(path_).dump() + "}," + body + R"(,"unknown_probability":0.5})");
  EXPECT_NEAR(moved["cost"].get<double>(), 0.5 * 1.02 * 0.06 * 0.06, 1e-5) << moved;
  EXPECT_NE(
      ask(R"({"ask":"cost","a":{"shape":"sphere","radius":1,"motion":{}},"map":)" + map_ + "}").value("error", ""), "");
}

TEST_F(AskMap, CellsThatAreOnlyTouchedAreNotListed) {
  const std::string body = R"("a":{"shape":"box","half":[0.05,0.05,0.05],"pose":{"xyz":[0.05,0.05,0.05]}})";
  const Json answer = ask(R"({"ask":"cost","map":)" + map_ + "," + body + "}");
  ASSERT_EQ(answer["boxes"].size(), 1U) << answer;
  EXPECT_NEAR(answer["boxes"][0]["probability"].get<double>(), 0.1192, 1e-6);
}

TEST_F(AskMap, InsertListsSortedCells) {
  const Json answer = ask(
      R"({"ask":"insert","resolution":1,"frames":[{"origin":[0.5,0.5,0.5],"points":[[2.5,0.5,0.5]],"max_range":10}]})");
  ASSERT_EQ(answer["cells"].size(), 3U) << answer;
  EXPECT_EQ(answer["cells"][0][0], 0);
  EXPECT_NEAR(answer["cells"][0][3].get<double>(), -0.405465, 1e-6);
  EXPECT_EQ(answer["cells"][2][0], 2);
  EXPECT_NEAR(answer["cells"][2][3].get<double>(), 0.847298, 1e-6);
  const Json cut = ask(
      R"({"ask":"insert","resolution":1,"rays":"per_end_voxel","hit":0.9,"miss":0.2,"clamp":[0.1,0.9],"frames":[{"origin":[0.5,0.5,0.5],"points":[[9,0.5,0.5]],"max_range":2}]})");
  ASSERT_EQ(cut["cells"].size(), 2U) << cut;
}

TEST_F(AskMap, BadQuestionsAreErrors) {
  const auto error = [&](const std::string& question) { return ask(question).value("error", ""); };
  EXPECT_NE(error(R"({"ask":"occupancy","points":[[0,0,0]],"map":{"shape":"map","file":"nowhere.bt"}})"), "");
  EXPECT_NE(error(R"({"ask":"occupancy","points":[[0,0,0]],"map":{"shape":"sphere","radius":1}})"), "");
  EXPECT_NE(error(R"({"ask":"occupancy","points":[[0,0,0]],"map":)" + map_ + R"(,"threshold":1})"), "");
  EXPECT_NE(error(R"({"ask":"insert","resolution":0,"frames":[]})"), "");
  EXPECT_NE(error(R"({"ask":"insert","resolution":1,"frames":[{"origin":[0,0,0]}]})"), "");
  EXPECT_NE(error(R"({"ask":"insert","resolution":1,"hit":2,"frames":[]})"), "");
  EXPECT_NE(error(R"({"ask":"insert","resolution":1,"rays":"all","frames":[]})"), "");
  EXPECT_NE(error(R"({"ask":"insert","resolution":1,"frames":[{"origin":[0,0,0],"points":[],"max_range":-1}]})"), "");
  EXPECT_NE(error(R"({"ask":"cost","a":{"shape":"halfspace","normal":[0,0,1],"offset":0},"map":)" + map_ + "}"), "");
  EXPECT_NE(error(R"({"ask":"cost","a":{"shape":"sphere","radius":1e9},"unknown_probability":1,"map":)" + map_ + "}"),
            "");
  std::string many;
  for (int i = 0; i < 400; ++i)
    many += (i ? ",[" : "[") + std::to_string(100 + i) + "," + std::to_string(7 * i) + ",99]";
  EXPECT_NE(error(R"({"ask":"insert","resolution":0.05,"frames":[{"origin":[0,0,0],"points":[)" + many + "]}]}"), "")
      << "too much memory";
}

}  // namespace ask_map_test
}  // namespace graze
