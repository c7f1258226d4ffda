// Scenes in JSON files, and the questions of `ask` about scenes.
#include "graze/io/scene_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "graze/base/error.h"
#include "graze/io/ask.h"
#include "graze/io/write_file.h"
#include "support/refusal.h"

namespace graze {
namespace scene_file_test {

using namespace graze_test;

std::string refused(const std::string& text) {
  return refusal([&] { parse_scene(text, "s.json"); });
}

TEST(SceneFile, ReadsObjectsWithAllThatBelongsToThem) {
  const Scene scene = parse_scene(R"({"objects":[
    {"name":"cup","shape":"cylinder","radius":0.04,"half_length":0.05,"attach":"table","pose":{"xyz":[0,0,0.1]},"group":"dishes"},
    {"name":"table","shape":"box","half":[1,1,0.05],"pose":{"xyz":[0,0,1]},"local":{"xyz":[0,0,-0.05]},"margin":0.25,"padding":0.5},
    {"name":"jug","shape":"sphere","radius":0.1,"group":"dishes"}],
    "allowed":[["dishes","table"],["cup","jug"]]})",
                                  "s.json");
  EXPECT_EQ(scene.size(), 3U);
  const SceneObject cup = scene.object("cup"), table = scene.object("table");
  EXPECT_EQ(cup.id, 0U) << "in the order of the file";
  EXPECT_EQ(cup.parent, table.id) << "a parent may come later";
  EXPECT_EQ(cup.placed->pose.translation(), Vec3(0, 0, 1.1)) << "the frame of the parent, not its local one";
  EXPECT_EQ(cup.group, "dishes");
  EXPECT_NEAR(table.placed->pose.translation().z(), 0.95, 1e-15);
  EXPECT_EQ(table.margin, 0.25);
  EXPECT_EQ(table.padding, 0.5);
  EXPECT_TRUE(scene.allowed("jug", "table"));
  EXPECT_TRUE(scene.allowed("cup", "jug"));
  EXPECT_EQ(scene.validate(), "");
  EXPECT_TRUE(parse_scene(R"({"objects":[]})", "s.json").empty());
}

TEST(SceneFile, FindsFilesBesideItAndReadsThemOnce) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "graze scene";
  std::filesystem::create_directories(folder);
  write_file((folder / "part.off").string(),
             "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n");
  write_file((folder / "cloud.xyz").string(), "0 0 0\n1 2 3\n");
  const std::string name = (folder / "s.json").string();
  const auto reads = [&](const std::string& objects) {
    write_file(name, "{\n\"objects\": [" + objects + "]\n}\n");
    return read_scene(name);
  };
  const std::string part = R"("shape":"mesh","file":"part.off")";
  const Scene scene = reads(R"({"name":"a",)" + part + R"(},{"name":"b",)" + part + R"(},{"name":"c",)" + part +
                            R"(,"solid":true},{"name":"d","shape":"cloud","file":"cloud.xyz","radius":0.5})");
  const auto mesh = [&](const char* object) { return std::get<Mesh>(scene.object(object).placed->geometry); };
  EXPECT_EQ(&mesh("a").vertices()[0], &mesh("b").vertices()[0]) << "one mesh, not two";
  EXPECT_FALSE(mesh("a").solid());
  EXPECT_TRUE(mesh("c").solid());
  EXPECT_EQ(std::get<Cloud>(scene.object("d").placed->geometry).radius(), 0.5);
  const auto refuses = [&](const std::string& objects) { return refusal([&] { reads(objects); }); };
  EXPECT_TRUE(refuses(R"({"name":"a","shape":"mesh","file":"nowhere.stl"})").starts_with(name + ": objects[0].file: "));
  EXPECT_TRUE(refuses("{").starts_with(name + ":")) << refuses("{");
  EXPECT_NE(refusal([&] { read_scene((folder / "none.json").string()); }), "");
  std::filesystem::remove_all(folder);
}

TEST(SceneFile, NamesTheFieldAndWhatToDo) {
  const std::string ball = R"("shape":"sphere","radius":1)";
  const auto objects = [&](const std::string& more) { return R"({"objects":[)" + more + "]}"; };
  EXPECT_EQ(refused("[]"), "s.json: scene: must be a JSON object");
  EXPECT_EQ(refused("{}"), "s.json: objects: missing");
  EXPECT_EQ(refused(R"({"objects":{}})"), "s.json: objects: must be a list of objects");
  EXPECT_EQ(refused(R"({"objects":[],"alowed":[]})"),
            "s.json: alowed: unknown field; did you mean \"allowed\"? a scene has objects, allowed");
  EXPECT_EQ(refused(objects("{" + ball + "}")), "s.json: objects[0].name: missing");
  EXPECT_EQ(refused(objects(R"({"name":"",)" + ball + "}")), "s.json: objects[0].name: must not be empty");
  EXPECT_EQ(refused(objects(R"({"name":"a",)" + ball + R"(},{"name":"a",)" + ball + "}")),
            "s.json: objects[1].name: there is an object 'a' already; remove or replace it");
  EXPECT_EQ(refused(objects(R"({"name":"a","shape":"sphere"})")), "s.json: objects[0].radius: missing");
  EXPECT_EQ(
      refused(objects(R"({"name":"a","gruop":"b",)" + ball + "}")),
      "s.json: objects[0].gruop: unknown field; did you mean \"group\"? a sphere has shape, radius, pose, local, name, "
      "group, attach, margin, padding");
  EXPECT_EQ(refused(objects(R"({"name":"a","margin":-1,)" + ball + "}")),
            "s.json: objects[0].margin: must be between 0 and 1e50 m, got -1");
  EXPECT_EQ(refused(objects(R"({"name":"a","group":"a",)" + ball + "}")),
            "s.json: objects[0].group: 'a' is the name of the object itself");
  EXPECT_EQ(refused(objects(R"({"name":"a","attach":"tabel",)" + ball + R"(},{"name":"table",)" + ball + "}")),
            "s.json: objects[0].attach: has no object 'tabel'; did you mean 'table'?");
  EXPECT_EQ(refused(objects(R"({"name":"a","attach":"a",)" + ball + "}")),
            "s.json: objects[0].attach: 'a' is 'a' or attached to it; attach something else");
  EXPECT_EQ(refused(R"({"objects":[],"allowed":[["a"]]})"),
            "s.json: allowed[0]: must be two names of objects or groups");
  EXPECT_EQ(refused(R"({"objects":[],"allowed":[["a","b"]]})"), "s.json: allowed[0]: has no object 'a'");
  EXPECT_EQ(refused(objects(R"({"name":"a","shape":"mesh","file":"a.stl"})")),
            "s.json: objects[0].file: files cannot be named here");
  EXPECT_TRUE(refused("{\"objects\":\n[}").starts_with("s.json:2: not JSON")) << refused("{\"objects\":\n[}");
}

std::string answer_to(const std::string& question) { return answer_question(question).text; }

TEST(AskScene, PairsComeInTheOrderOfTheObjects) {
  const std::string objects = R"("objects":[{"name":"c","shape":"sphere","radius":1},
    {"name":"b","shape":"sphere","radius":1,"pose":{"xyz":[1,0,0]},"group":"g"},
    {"name":"a","shape":"sphere","radius":1,"pose":{"xyz":[2.5,0,0]},"attach":"b"},
    {"name":"\"q\"","shape":"sphere","radius":1,"pose":{"xyz":[6.25,0,0]}}])";
  std::string one_line = objects;
  std::erase(one_line, '\n');
  const auto pairs = [&](const std::string& more, const std::string& options = "") {
    return answer_to(R"({"ask":"pairs","scene":{)" + one_line + more + "}" + options + "}");
  };
  EXPECT_EQ(pairs(""), R"({"pairs":[["c","b"]]})") << "the attached object is at 3.5, and is not reported";
  EXPECT_EQ(pairs("", R"(,"margin":1.5)"), R"({"pairs":[["c","b"],["c","a"],["a","\"q\""]]})");
  EXPECT_EQ(pairs(R"(,"allowed":[["c","g"]])"), R"({"pairs":[]})");
  EXPECT_EQ(pairs(R"(,"allowed":[["c","x"]])"), R"({"error":"scene.allowed[0]: has no object 'x'"})");
  EXPECT_EQ(answer_to(R"({"ask":"pairs"})"), R"({"error":"scene: missing"})");
  EXPECT_EQ(answer_question(R"({"ask":"pairs","scene":{"objects":[]}})").verdict, AskVerdict::clear);
}

TEST(AskScene, ARayMeetsTheFirstObject) {
  const std::string scene = R"({"objects":[{"name":"far","shape":"box","half":[1,1,1],"pose":{"xyz":[5,0,0]}},)"
                            R"({"name":"near","shape":"box","half":[1,1,1]}]})";
  const std::string ray = R"("ray":{"from":[-3,0.5,0],"direction":[2,0,0]})";
  EXPECT_EQ(answer_to(R"({"ask":"raycast",)" + ray + R"(,"scene":)" + scene + "}"),
            R"({"hit":true,"distance":2,"point":[-1,0.5,0],"normal":[-1,0,0],"feature":0,"object":"near"})");
  EXPECT_EQ(answer_to(R"({"ask":"raycast",)" + ray + R"(,"limit":1,"scene":)" + scene + "}"), R"({"hit":false})");
  EXPECT_EQ(answer_to(R"({"ask":"raycast",)" + ray + R"(,"b":{},"scene":)" + scene + "}"),
            R"({"error":"b: unknown field; raycast has ask, id, ray, scene, limit"})");
}

TEST(AskScene, SweepsTakeBodiesAndObjects) {
  const std::string scene =
      R"("scene":{"objects":[{"name":"wall","shape":"box","half":[1,5,5],"pose":{"xyz":[5,0,0]},"padding":0.5},)"
      R"({"name":"cup","shape":"box","half":[0.5,0.5,0.5],"group":"dishes"},)"
      R"({"name":"lid","shape":"box","half":[0.5,0.5,0.5],"attach":"cup","pose":{"xyz":[0,0,2]}}],"allowed":[["dishes","wall"]]})";
  const auto swept = [&](const std::string& more) { return answer_to(R"({"ask":"sweep",)" + scene + more + "}"); };
  const std::string ball =
      R"(,"a":{"shape":"sphere","radius":0.5,"pose":{"xyz":[2,0,0]},"motion":{"to":{"xyz":[6,0,0]}}})";
  EXPECT_TRUE(swept(ball).starts_with(R"({"hit":true,"time":0.24999)")) << swept(ball);
  EXPECT_TRUE(swept(ball).ends_with(R"("object":"wall"})")) << swept(ball);
  EXPECT_EQ(swept(ball + R"(,"as":"cup")"), R"({"hit":false})");
  EXPECT_EQ(swept(ball + R"(,"as":"cup","margin":-1)"), R"({"error":"margin: must be 0 or more, got -1"})");
  // The cup may touch the wall, its lid may not.
  const std::string cup = R"(,"object":"cup","motion":{"to":{"xyz":[6,0,0]}})";
  EXPECT_TRUE(swept(cup).ends_with(R"("moving":"lid","object":"wall"})")) << swept(cup);
  EXPECT_EQ(swept(R"(,"object":"cup","motion":{"to":{"xyz":[-6,0,0]}})"), R"({"hit":false})");
  const std::string cloth =
      R"(,"a":{"shape":"mesh","vertices":[[-1,-1,3],[1,-1,3],[0,1,3]],"triangles":[[0,1,2]],"vertices_to":[[-1,-1,9],[1,-1,9],[0,1,9]]})";
  EXPECT_EQ(swept(cloth), R"({"hit":false})");
  EXPECT_EQ(swept(R"(,"object":"cub","motion":{"to":{}})"),
            R"({"error":"object: has no object 'cub'; did you mean 'cup'?"})");
  EXPECT_EQ(swept(R"(,"object":"cup")"), R"({"error":"motion: missing"})");
  EXPECT_EQ(swept(R"(,"object":"cup","as":"x","motion":{"to":{}})"),
            R"({"error":"as: belongs to a; an object stands for itself"})");
  EXPECT_EQ(swept(""), R"({"error":"scene: needs either a, a body that moves, or object"})");
  EXPECT_EQ(swept(ball + R"(,"motion":{"to":{}})"), R"({"error":"motion: belongs to a, or to an object"})");
}

}  // namespace scene_file_test
}  // namespace graze
