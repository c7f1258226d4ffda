// graze sweep: when two moving shapes first touch, and the page that plays it.
#include <nlohmann/json.hpp>

#include "apps/shell.h"

namespace graze_test {
namespace sweep_command_test {

class SweepCommand : public Shell {
 protected:
  static std::string ball(double y) {
    return R"('{"shape":"sphere","radius":0.5,"pose":{"xyz":[-4,)" + std::to_string(y) +
           R"(,0]},"motion":{"to":{"xyz":[6,)" + std::to_string(y) + ",0]}}}' ";
  }
  static constexpr const char* kPane = R"('{"shape":"box","half":[0.0005,1,1]}' )";
};

TEST_F(SweepCommand, SaysWhenTheyTouch) {
  const Outcome hit = run("$GRAZE sweep " + ball(0) + kPane);
  EXPECT_EQ(hit.code, 1) << hit.err;
  const nlohmann::json json = nlohmann::json::parse(hit.out);
  EXPECT_EQ(json["hit"], true);
  EXPECT_NEAR(json["time"].get<double>(), 0.34995, 1e-6);
  EXPECT_NEAR(json["on_b"][0].get<double>(), -0.0005, 1e-6);
  const Outcome free = run("$GRAZE sweep " + ball(2) + kPane);
  EXPECT_EQ(free.code, 0) << free.err;
  EXPECT_EQ(free.out, "{\"hit\":false}\n");
  EXPECT_EQ(run("$GRAZE sweep " + ball(2) + kPane + "--margin 0.6").code, 1);
  for (const char* bad : {"--margin -1", "--margin nan", "--tolerance 0"})
    EXPECT_EQ(run("$GRAZE sweep " + ball(2) + kPane + bad).code, 2) << bad;
}

TEST_F(SweepCommand, WritesAPageThatNeedsNothingElse) {
  const Outcome hit = run("$GRAZE sweep " + ball(0) + kPane + "--page page.html");
  EXPECT_EQ(hit.code, 1) << hit.err;
  const std::string page = read("page.html");
  EXPECT_NE(page.find("They first come into contact at t = 0.3499"), std::string::npos);
  EXPECT_EQ(page.find("http"), std::string::npos);
  const std::size_t begin = page.find("const data = ") + 13, end = page.find(";\n", begin);
  const nlohmann::json data = nlohmann::json::parse(page.substr(begin, end - begin));
  EXPECT_EQ(data["bodies"].size(), 2U);
  for (const auto& body : data["bodies"]) {
    EXPECT_GT(body["lines"].size(), 0U);
    EXPECT_EQ(body["lines"].size() % 6, 0U);
    EXPECT_EQ(body["contact"].size(), 12U);
    EXPECT_GT(body["poses"].size(), 2U);
  }
}

TEST_F(SweepCommand, TakesMeshesThatBend) {
  write("sheet.obj", "v -1 -1 3\nv 1 -1 3\nv 0 1 3\nf 1 2 3\n");
  const std::string sheet = R"('{"shape":"mesh","file":"sheet.obj","vertices_to":[[-1,-1,-1],[1,-1,-1],[0,1,-1]]}' )";
  const std::string rising = R"('{"shape":"sphere","radius":1,"motion":{"to":{"xyz":[0,0,2]}}}' )";
  const Outcome hit = run("$GRAZE sweep " + sheet + rising + "--page page.html");
  EXPECT_EQ(hit.code, 1) << hit.err;
  EXPECT_NEAR(nlohmann::json::parse(hit.out)["time"].get<double>(), 1.0 / 3, 1e-6);
  const std::string page = read("page.html");
  EXPECT_NE(page.find("bending mesh and sphere"), std::string::npos);
  const std::size_t begin = page.find("const data = ") + 13, end = page.find(";\n", begin);
  const nlohmann::json body = nlohmann::json::parse(page.substr(begin, end - begin))["bodies"][0];
  EXPECT_EQ(body["lines"], (std::vector<int>{-1, -1, 3, 1, -1, 3, 1, -1, 3, 0, 1, 3, 0, 1, 3, -1, -1, 3}));
  EXPECT_EQ(body["ends"], (std::vector<int>{-1, -1, -1, 1, -1, -1, 1, -1, -1, 0, 1, -1, 0, 1, -1, -1, -1, -1}));
  EXPECT_GT(body["poses"].size(), 1U);
  // In either place, and both.
  EXPECT_EQ(run("$GRAZE sweep " + rising + sheet).code, 1);
  EXPECT_EQ(run("$GRAZE sweep " + sheet + sheet).out.find(R"({"hit":true,"time":0,)"), 0U);
  const Outcome refused =
      run(R"($GRAZE sweep '{"shape":"mesh","file":"sheet.obj","vertices_to":[[1,2,3]]}' )" + rising);
  EXPECT_EQ(refused.code, 3);
  EXPECT_NE(refused.err.find("A.vertices_to: must have one point for each of the 3 vertices, got 1"), std::string::npos)
      << refused.err;
}

TEST_F(SweepCommand, RefusesWhatIsNoMotion) {
  for (const char* bad : {R"('{"shape":"sphere","radius":1,"motion":{}}')", "'ball'", "'{'",
                          R"('{"shape":"sphere","radius":1,"motion":{"to":{"xyz":[1,2]}}}')",
                          R"('{"shape":"sphere","radius":1,"motion":{"to":{"xyz":[1,2,3]},"turns":1}}')"}) {
    const Outcome refused = run(std::string("$GRAZE sweep ") + bad + " " + kPane);
    EXPECT_EQ(refused.code, 3) << bad;
    EXPECT_EQ(refused.out, "");
    EXPECT_NE(refused.err.find("A"), std::string::npos) << refused.err;
  }
  EXPECT_EQ(run("$GRAZE sweep " + ball(0) + kPane + "--page /nowhere/page.html").code, 3);
}

}  // namespace sweep_command_test
}  // namespace graze_test
