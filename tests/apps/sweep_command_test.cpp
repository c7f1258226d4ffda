// graze sweep: when two moving shapes first touch, and the page that plays it.
#include <algorithm>
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
  EXPECT_EQ(page.find("{{"), std::string::npos);
  EXPECT_EQ(page.find(" src=\"http"), std::string::npos);
  const nlohmann::json data = page_data(page);
  if (data.is_null()) {
    EXPECT_NE(page.find("data:image/png;base64,"), std::string::npos);
    return;
  }
  EXPECT_EQ(data["motion"]["hit"], true);
  EXPECT_NEAR(data["motion"]["time"].get<double>(), 0.34995, 1e-6);
  EXPECT_EQ(data["contacts"].size(), 1U);
  ASSERT_EQ(data["objects"].size(), 2U);
  for (const nlohmann::json& body : data["objects"]) {
    EXPECT_EQ(body["place"].size(), 12U);
    EXPECT_EQ(body["times"].front(), 0);
    EXPECT_EQ(body["times"].back(), 1);
    EXPECT_EQ(body["places"].size(), body["times"].size());
  }
  const nlohmann::json& ball = data["objects"][0];
  EXPECT_NEAR(ball["places"].back()[9].get<double>() - ball["places"].front()[9].get<double>(), 10, 1e-9);
  EXPECT_NEAR(ball["place"][9].get<double>() - ball["places"].front()[9].get<double>(), 3.4995, 1e-5);
}

// The corners of a path, and enough poses of fast turns, or the picture would cut them short.
TEST_F(SweepCommand, ThePageKnowsTheWholeMotion) {
  run(R"sh($GRAZE sweep '{"shape":"box","half":[1,0.1,0.1],"motion":{"path":[{},{"xyz":[1,0,0]},{"xyz":[1,1,0]},
    {"xyz":[0,1,0]}]}}' '{"shape":"box","half":[1,1,1],"pose":{"xyz":[9,0,0]},"motion":{"to":{"xyz":[9,0,0],
    "rpy":[0,0,1]},"turns":20}}' --page page.html)sh");
  const nlohmann::json data = page_data(read("page.html"));
  if (data.is_null()) return;
  EXPECT_EQ(data["motion"]["hit"], false);
  EXPECT_EQ(data["contacts"].size(), 0U);
  const nlohmann::json &path = data["objects"][0], &turn = data["objects"][1];
  EXPECT_NE(std::find(path["times"].begin(), path["times"].end(), 1.0 / 3), path["times"].end());
  EXPECT_GT(turn["times"].size(), 500U);
  double last = 1;
  for (const nlohmann::json& place : turn["places"]) last = std::min(last, place[0].get<double>());
  EXPECT_LT(last, -0.99);
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
  if (const nlohmann::json data = page_data(page); !data.is_null()) {
    EXPECT_EQ(data["shapes"][0]["kind"], "bend");
    EXPECT_EQ(data["shapes"][0]["vertices"], 3);
    EXPECT_EQ(data["shapes"][0]["triangles"], 1);
    EXPECT_EQ(data["objects"][0].count("times"), 0U);
    EXPECT_NEAR(data["half"][2].get<double>(), 2, 1e-9) << "from -1 to 3, with the sphere";
  } else {
    EXPECT_NE(page.find("data:image/png;base64,"), std::string::npos);
  }
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
