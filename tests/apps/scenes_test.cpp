// graze check and graze distance with scenes.
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "apps/shell.h"

namespace graze_test {
namespace scenes_test {

class Scenes : public Shell {
 protected:
  void SetUp() override {
    Shell::SetUp();
    std::filesystem::create_directories(path("cell"));
    write("cell/part.off", "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n");
    write("cell/cell.json", R"({"objects": [
      {"name": "floor", "shape": "halfspace", "normal": [0, 0, 1], "offset": 0},
      {"name": "bench", "shape": "box", "half": [1, 1, 0.5], "pose": {"xyz": [0, 0, 0.5]}},
      {"name": "pärt", "shape": "mesh", "file": "part.off", "solid": true, "pose": {"xyz": [0, 0, 0.75]}},
      {"name": "lamp", "shape": "sphere", "radius": 0.25, "pose": {"xyz": [0, 0, 3]}}],
      "allowed": [["bench", "floor"]]})");
  }
};

TEST_F(Scenes, CheckNamesTheCollidingObjects) {
  const Outcome found = run("$GRAZE check cell/cell.json");
  EXPECT_EQ(found.code, 1) << found.err;
  EXPECT_TRUE(found.out.starts_with("bench and pärt collide: depth 0.250000 m, ")) << found.out;
  EXPECT_TRUE(found.out.ends_with("cell/cell.json: 4 objects, 1 colliding pair\n")) << found.out;
  const nlohmann::json json = nlohmann::json::parse(run("$GRAZE check --json cell/cell.json").out);
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["objects"], 4);
  ASSERT_EQ(json["collisions"].size(), 1U);
  EXPECT_EQ(json["collisions"][0]["a"], "bench");
  EXPECT_EQ(json["collisions"][0]["b"], "pärt");
  EXPECT_EQ(json["collisions"][0]["contacts"][0]["depth"], 0.25);
  EXPECT_EQ(json["nearest"]["distance"], -0.25);
}

TEST_F(Scenes, CheckReportsTheDistanceOfTheNearestPair) {
  run("sed 's/0.75\\]/1.125]/' cell/cell.json >cell/free.json");
  const Outcome free = run("$GRAZE check cell/free.json");
  EXPECT_EQ(free.code, 0) << free.err;
  EXPECT_EQ(free.out, "clear: the nearest of 4 objects are bench and pärt, 0.124999 m apart\n") << "rounded down";
  EXPECT_EQ(run("$GRAZE check cell/free.json --margin 0.2").code, 1);
  EXPECT_TRUE(
      run("$GRAZE check cell/free.json --margin 0.2").out.starts_with("bench and pärt collide: gap 0.125000 m, "));
}

TEST_F(Scenes, CheckDoesNotPassWhatCannotBeCompared) {
  write("empty.json", R"({"objects":[]})");
  write("one.json", R"({"objects":[{"name":"a","shape":"sphere","radius":1}]})");
  write("allowed.json", R"({"objects":[{"name":"a","shape":"sphere","radius":1,"group":"g"},
    {"name":"b","shape":"sphere","radius":1,"group":"g"}],"allowed":[["g","g"]]})");
  write("cloud.json", R"({"objects":[{"name":"a","shape":"sphere","radius":1},{"name":"b","shape":"cloud","points":[]},
    {"name":"c","shape":"sphere","radius":1,"pose":{"xyz":[9,0,0]}}]})");
  for (const char* file : {"empty.json", "one.json", "allowed.json"}) {
    const Outcome nothing = run(std::string("$GRAZE check ") + file);
    EXPECT_EQ(nothing.code, 3) << file;
    EXPECT_EQ(nothing.out, "") << file;
    EXPECT_NE(nothing.err.find("no two of them to compare"), std::string::npos) << nothing.err;
  }
  const Outcome cloud = run("$GRAZE check cloud.json");
  EXPECT_EQ(cloud.code, 3);
  EXPECT_EQ(cloud.err, "graze: cloud.json: object 'b' has no points; remove it, or give it some\n");
  EXPECT_EQ(run("$GRAZE check nowhere.json").code, 3);
  EXPECT_EQ(run("$GRAZE check").code, 2);
  EXPECT_EQ(run("$GRAZE check one.json --max 0").code, 2);
}

TEST_F(Scenes, CheckDrawsAPage) {
  write("odd.json", R"({"objects":[{"name":"<b>&\"a\"","shape":"sphere","radius":1},
    {"name":"b","shape":"box","half":[1,1,1],"pose":{"xyz":[1.5,0,0]}},
    {"name":"floor","shape":"halfspace","normal":[0,0,1],"offset":-3}]})");
  const Outcome hit = run("$GRAZE check odd.json --page hit.html");
  EXPECT_EQ(hit.code, 1) << hit.err;
  const std::string page = read("hit.html"), text = page.substr(0, page.find("<script"));
  EXPECT_EQ(text.find("<b>"), std::string::npos) << "names are text, not HTML";
  EXPECT_EQ(page.find("{{"), std::string::npos);
  for (const char* part :
       {"&lt;b&gt;&amp;&quot;a&quot;", "1 colliding pair", "<td class=\"n\">0.500000</td>", "<tr data-contact=\"0\""})
    EXPECT_NE(text.find(part), std::string::npos) << part;
  run("sed 's/1.5,0,0/2.5,0,0/' odd.json >free.json");
  EXPECT_EQ(run("$GRAZE check free.json --page free.html").code, 0);
  const std::string free_page = read("free.html");
  EXPECT_NE(free_page.find("500 mm"), std::string::npos);
  EXPECT_EQ(run("$GRAZE check free.json --page nowhere/x.html").code, 3);
  const nlohmann::json data = page_data(page), free = page_data(free_page);
  if (data.is_null()) {
    for (const char* part : {"data:image/png;base64,", "class=\"contact\"", "has no 3-D view"})
      EXPECT_NE(page.find(part), std::string::npos) << part;
    EXPECT_NE(free_page.find("class=\"gap\""), std::string::npos);
    return;
  }
  EXPECT_EQ(data["kind"], "scene");
  ASSERT_EQ(data["objects"].size(), 3U);
  EXPECT_EQ(data["objects"][0]["name"], "<b>&\"a\"");
  EXPECT_EQ(data["objects"][0]["colliding"], true);
  EXPECT_EQ(data["objects"][2]["colliding"], false);
  EXPECT_EQ(data["shapes"][1], nlohmann::json::parse(R"({"kind":"box","half":[1.0,1.0,1.0]})"));
  EXPECT_EQ(data["gap"], nullptr);
  ASSERT_FALSE(data["contacts"].empty());
  EXPECT_EQ(free["contacts"].size(), 0U);
  EXPECT_EQ(free["gap"]["text"], "500 mm");
  EXPECT_NEAR(free["gap"]["to"][0].get<double>() - free["gap"]["from"][0].get<double>(), 0.5, 1e-9);
  EXPECT_EQ(free["objects"][1]["place"].size(), 12U);
}

// Every kind of geometry, far from the origin; the bytes of the page are as many as its list of shapes says.
TEST_F(Scenes, ThePageHoldsEveryKindOnce) {
  write("dots.csv", "x,y,z\n0,0,0\n1,0,0\n0,1,0\nnan,0,0\n");
  write("sensor.tum", "0 0 0 5 0 0 0 1\n");
  ASSERT_EQ(run("$GRAZE map build dots.csv --poses sensor.tum --resolution 0.5 -o dots.gmap -q").code, 0);
  const std::string pose = R"("pose":{"xyz":[1e6,2e6,)";
  const std::string shapes[] = {
      R"("shape":"sphere","radius":0.1,)",
      R"("shape":"capsule","radius":0.1,"half_length":0.1,)",
      R"("shape":"cylinder","radius":0.1,"half_length":0.1,)",
      R"("shape":"cone","radius":0.1,"half_length":0.1,)",
      R"("shape":"ellipsoid","radii":[0.1,0.2,0.3],)",
      R"("shape":"convex","points":[[0,0,0],[1,0,0],[0,1,0],[0,0,0.4]],)",
      R"("shape":"convex","points":[[0,0,0],[1,0,0],[0,1,0],[1,1,0]],)",
      R"("shape":"triangle","points":[[0,0,0],[1,0,0],[0,1,0]],)",
      R"("shape":"mesh","file":"cell/part.off",)",
      R"("shape":"mesh","file":"cell/part.off",)",
      R"("shape":"cloud","file":"dots.csv","radius":0.05,)",
      R"("shape":"heightfield","heights":[[0,0.1,0],[0,0.1,0.2]],"cell":[1,1],)",
      R"("shape":"map","file":"dots.gmap","unknown":"free",)",
      R"("shape":"plane","normal":[0,0,1],"offset":50,)",
  };
  std::string scene;
  int i = 0;
  for (const std::string& shape : shapes) {
    scene += (i == 0 ? "" : ",\n") + ("{\"name\":\"" + std::to_string(i) + "\"," + shape) + pose +
             std::to_string(i * 2) + "]}}";
    ++i;
  }
  write("all.json", "{\"objects\":[" + scene + "]}");
  const Outcome drawn = run("$GRAZE check all.json --page all.html");
  EXPECT_LE(drawn.code, 1) << drawn.err;
  const std::string page = read("all.html");
  const nlohmann::json data = page_data(page);
  if (data.is_null()) return;
  ASSERT_EQ(data["objects"].size(), std::size(shapes));
  EXPECT_EQ(data["objects"][8]["shape"], data["objects"][9]["shape"]) << "one file is in the page once";
  ASSERT_EQ(data["shapes"].size(), std::size(shapes) - 1);
  std::size_t bytes = 0;
  for (const nlohmann::json& s : data["shapes"]) {
    if (s["kind"] == "mesh") bytes += 12 * (s["vertices"].get<std::size_t>() + s["triangles"].get<std::size_t>());
    if (s["kind"] == "cloud") bytes += 12 * s["points"].get<std::size_t>();
    if (s["kind"] == "cubes") bytes += (14 * s["cubes"].get<std::size_t>() + 3) / 4 * 4;
  }
  const std::string start = "id=\"graze-shapes\">";
  const std::size_t at = page.find(start) + start.size();
  EXPECT_EQ((page.find("</script>", at) - at) / 4, (bytes + 2) / 3);
  for (const nlohmann::json& o : data["objects"]) {
    for (const nlohmann::json& number : o["place"]) EXPECT_LT(std::abs(number.get<double>()), 100) << o["name"];
  }
}

TEST_F(Scenes, WhatOverlapsWithoutEndHasNoPoint) {
  write("two.json", R"({"objects":[{"name":"floor","shape":"halfspace","normal":[0,0,1],"offset":0},
    {"name":"wall","shape":"plane","normal":[0,1,0],"offset":2},{"name":"ball","shape":"sphere","radius":1,
    "pose":{"xyz":[0,0,5]}}]})");
  const Outcome found = run("$GRAZE check two.json --page two.html");
  EXPECT_EQ(found.code, 1);
  EXPECT_EQ(found.out, "floor and wall collide: they overlap without end\ntwo.json: 3 objects, 1 colliding pair\n");
  const std::string page = read("two.html");
  EXPECT_NE(page.find("<td class=\"n\">without end</td>"), std::string::npos);
  EXPECT_EQ(page.find("<tr data-contact"), std::string::npos);
  const nlohmann::json data = page_data(page);
  EXPECT_TRUE(data.is_null() || data["contacts"].empty());
}

TEST_F(Scenes, DistanceMeasuresTwoObjects) {
  const Outcome apart = run("$GRAZE distance cell/cell.json lamp bench");
  EXPECT_EQ(apart.code, 0) << apart.err;
  const nlohmann::json json = nlohmann::json::parse(apart.out);
  EXPECT_EQ(json["distance"], 1.75);
  EXPECT_EQ(json["a"], "lamp");
  EXPECT_EQ(json["on_b"], (std::vector<double>{0, 0, 1}));
  EXPECT_EQ(run("$GRAZE distance cell/cell.json bench 'pärt'").code, 1);
  EXPECT_EQ(run("$GRAZE distance cell/cell.json bench floor").code, 1) << "allowed, and touching";
  const Outcome unknown = run("$GRAZE distance cell/cell.json bench lump");
  EXPECT_EQ(unknown.code, 3);
  EXPECT_NE(unknown.err.find("did you mean 'lamp'?"), std::string::npos) << unknown.err;
}

TEST_F(Scenes, DistanceDrawsAPage) {
  EXPECT_EQ(run("$GRAZE distance cell/cell.json lamp bench --page apart.html").code, 0);
  EXPECT_NE(read("apart.html").find("lamp and bench are apart by 1.750 m"), std::string::npos);
  EXPECT_EQ(run("$GRAZE distance cell/cell.json bench 'pärt' --page deep.html").code, 1);
  EXPECT_NE(read("deep.html").find("bench and pärt touch; depth 250 mm"), std::string::npos);
  const std::string shapes =
      R"('{"shape":"sphere","radius":1}' '{"shape":"box","half":[1,1,1],"pose":{"xyz":[4,0,0]}}')";
  EXPECT_EQ(run("$GRAZE distance " + shapes + " --page shapes.html").code, 0);
  const std::string page = read("shapes.html");
  EXPECT_NE(page.find("<h1>sphere and box</h1>"), std::string::npos);
  const nlohmann::json data = page_data(page);
  EXPECT_TRUE(data.is_null() || data["gap"]["text"] == "2.000 m");
  EXPECT_EQ(run("$GRAZE distance " + shapes + " --page nowhere/x.html").out, "") << "refused before the work";
}

// A map counts in the picture although unknown space has no end.
TEST_F(Scenes, ThePageShowsCellsInUnknownSpace) {
  write("dots.csv", "x,y,z\n0,0,0\n8,0,0\n");
  write("sensor.tum", "0 0 0 5 0 0 0 1\n");
  ASSERT_EQ(run("$GRAZE map build dots.csv --poses sensor.tum --resolution 0.5 -o dots.gmap -q").code, 0);
  write("unknown.json", R"({"objects":[{"name":"m","shape":"map","file":"dots.gmap","unknown":"occupied"},
    {"name":"b","shape":"sphere","radius":0.1}]})");
  EXPECT_EQ(run("$GRAZE check unknown.json --page unknown.html").code, 1);
  const nlohmann::json data = page_data(read("unknown.html"));
  EXPECT_TRUE(data.is_null() || (data["half"][0] > 3 && data["half"][0] < 20)) << data["half"];
}

// Neither is looked through for names of files before it was read with care.
TEST_F(Scenes, PagesOfWhatIsNoSceneEndWithAnError) {
  write("deep.json", std::string(200000, '[') + std::string(200000, ']'));
  EXPECT_EQ(run("$GRAZE check deep.json --page deep.html").code, 3);
  EXPECT_EQ(run("$GRAZE check /dev/zero --page zero.html").code, 3);
  write("two.json",
        R"({"objects":[{"name":"a","shape":"sphere","radius":1},{"name":"b","shape":"sphere","radius":1}]})");
  EXPECT_EQ(run("cat two.json | $GRAZE check /dev/stdin --page piped.html").code, 1) << "a pipe is read once";
}

TEST_F(Scenes, PagesDoNotReplaceInputs) {
  const std::string scene = read("cell/cell.json"), part = read("cell/part.off");
  for (const char* page : {"cell/cell.json", "cell/part.off", "cell/../cell/part.off"}) {
    const Outcome refused = run(std::string("$GRAZE check cell/cell.json --page ") + page);
    EXPECT_EQ(refused.code, 3);
    EXPECT_NE(refused.err.find("is one of the inputs; name another file"), std::string::npos) << refused.err;
    EXPECT_EQ(run(std::string("$GRAZE distance cell/cell.json lamp bench --page ") + page).code, 3);
  }
  const std::string mesh = R"('{"shape":"mesh","file":"cell/part.off"}' )";
  EXPECT_EQ(run("$GRAZE distance " + mesh + mesh + "--page cell/part.off").code, 3);
  EXPECT_EQ(run("$GRAZE sweep " + mesh + mesh + "--page cell/part.off").code, 3);
  EXPECT_EQ(read("cell/cell.json"), scene);
  EXPECT_EQ(read("cell/part.off"), part);
}

TEST_F(Scenes, ManyCollisionsAndNamesOfSeveralLines) {
  std::string objects = R"({"name":"a\nclear: all","shape":"sphere","radius":1})";
  for (int i = 0; i < 80; ++i) objects += ",{\"name\":\"" + std::to_string(i) + R"(","shape":"sphere","radius":1})";
  write("many.json", "{\"objects\":[" + objects + "]}");
  const Outcome found = run("$GRAZE check many.json --page many.html");
  EXPECT_EQ(found.code, 1);
  EXPECT_EQ(found.out.find("\nclear"), std::string::npos);
  EXPECT_NE(found.out.find("a\\nclear: all and 0 collide"), std::string::npos);
  EXPECT_NE(read("many.html").find("and 1240 more pairs"), std::string::npos);
}

}  // namespace scenes_test
}  // namespace graze_test
