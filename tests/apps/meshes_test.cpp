// graze info and graze convert with meshes, as a newcomer runs them.
#include <nlohmann/json.hpp>

#include "apps/shell.h"

namespace graze_test {
namespace meshes_test {

class Meshes : public Shell {
 protected:
  void SetUp() override {
    Shell::SetUp();
    write("pärt 1.obj", "o a\nv 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    write("open.off", "OFF\n5 3 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n9 9 9\n4 0 1 2 3\n3 0 0 1\n2 0 1\n");
  }
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(Meshes, InfoDescribesTheFile) {
  const Outcome outcome = run("$GRAZE info 'pärt 1.obj' open.off");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const char* part : {"pärt 1.obj\n", "format       OBJ, ascii\n", "triangles    4\n", "vertices     4\n",
                           "unit         1 m, not stated in the file\n", "x            0 … 2  (extent 2)\n",
                           "volume       1.33333333333 m³\n", "closed       yes\n", "defects      none\n",
                           "triangles    3, cut from 1 polygon among others\n",
                           "closed       no: 4 open edges, the first from vertex 0 to 1\n",
                           "defects      1 triangle without area, 1 unused vertex\n", "left out     1 line, 0 points\n",
                           "volume       none, as it is not closed\n"}) {
    EXPECT_TRUE(contains(outcome.out, part)) << part << "\n" << outcome.out;
  }
}

TEST_F(Meshes, InfoWritesJson) {
  const Outcome outcome = run("$GRAZE info --json 'pärt 1.obj' --unit 0.5 --up y");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["file"], "pärt 1.obj");
  EXPECT_EQ(json["format"], "OBJ");
  EXPECT_EQ(json["triangles"], 4);
  EXPECT_EQ(json["watertight"], true);
  EXPECT_EQ(json["bounds"]["min"], (std::vector<double>{0, -1, 0}));
  EXPECT_NEAR(json["volume"].get<double>(), 1.0 / 6, 1e-15);
  EXPECT_EQ(json["unit"]["metres"], 0.5);
  EXPECT_EQ(json["unit"]["source"], "caller");
  EXPECT_EQ(json["up"]["axis"], "y");
  EXPECT_EQ(json["open_edges"], 0);
  const nlohmann::json open = nlohmann::json::parse(run("$GRAZE info --json open.off").out);
  EXPECT_EQ(open["watertight"], false);
  EXPECT_TRUE(open["volume"].is_null());
  EXPECT_EQ(open["degenerate"], 1);
  EXPECT_EQ(open["skipped"]["lines"], 1);
}

TEST_F(Meshes, PlyWithFacesIsAMeshOtherwiseACloud) {
  EXPECT_EQ(run("$GRAZE convert 'pärt 1.obj' mesh.ply").code, 0);
  EXPECT_TRUE(contains(run("$GRAZE info mesh.ply").out, "triangles    4\n"));
  write("cloud.ply",
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 "
        "2 3\n");
  EXPECT_TRUE(contains(run("$GRAZE info cloud.ply").out, "points       1\n"));
}

TEST_F(Meshes, ConvertsByExtensionAndBack) {
  for (const char* name : {"a.stl", "a.ply", "a.obj", "a.off"}) {
    const Outcome done = run(std::string("$GRAZE convert 'pärt 1.obj' ") + name);
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(done.err, std::string(name) + ": 4 triangles, 4 vertices\n");
    const nlohmann::json json = nlohmann::json::parse(run(std::string("$GRAZE info --json ") + name).out);
    EXPECT_NEAR(json["volume"].get<double>(), 8.0 / 6, 1e-12);
  }
  EXPECT_EQ(run("$GRAZE -q convert a.stl a.stl --ascii --scale -2 --translate 1 0 0").err, "") << "IN may be OUT";
  EXPECT_TRUE(read("a.stl").starts_with("solid"));
  const nlohmann::json json = nlohmann::json::parse(run("$GRAZE info --json a.stl").out);
  EXPECT_NEAR(json["volume"].get<double>(), 8 * 8.0 / 6, 1e-12) << "mirrored, and still facing outwards";
  EXPECT_EQ(json["bounds"]["max"], (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(run("$GRAZE convert a.stl b.obj --unit 0.001 --up y").err,
            "b.obj: 4 triangles, 4 vertices\n  now in metres, was in units of 0.001 m\n  now with z up, was with y\n");
}

TEST_F(Meshes, RejectsWithAMessageAndLeavesTheOldFile) {
  write("old.ply", "old");
  write("bad.obj", "v 0 0 0\nf 1 1 2\n");
  const Outcome bad = run("$GRAZE convert bad.obj old.ply");
  EXPECT_EQ(bad.code, 3);
  EXPECT_EQ(bad.err, "graze: bad.obj:2: refers to vertex '2', but 1 come before it, numbered from 1\n");
  EXPECT_EQ(read("old.ply"), "old");
  EXPECT_EQ(run("$GRAZE info bad.obj").code, 3);
  EXPECT_EQ(
      run("$GRAZE convert 'pärt 1.obj' a.pcd").err,
      "graze: a.pcd: its name does not indicate a format; a mesh is written as .stl, .obj, .ply, .off. Rename it, "
      "or give "
      "--format\n");
  EXPECT_EQ(run("$GRAZE convert 'pärt 1.obj' a.ply --compressed").err,
            "graze: pärt 1.obj: is a mesh; --compressed is for clouds\n");
  write("c.xyz", "1 2 3\n");
  EXPECT_EQ(run("$GRAZE convert c.xyz a --format stl").err, "graze: c.xyz: is a cloud and cannot be written as stl\n");
  EXPECT_EQ(run("ls | grep -c tmp").out, "0\n");
  for (const char* usage : {"info a.stl --up w", "info a.stl --unit 0", "convert a.stl b.ply --unit nan"}) {
    EXPECT_EQ(run(std::string("$GRAZE ") + usage).code, 2) << usage;
  }
}

TEST_F(Meshes, AskReadsFiles) {
  const Outcome outcome = run(
      R"($GRAZE distance '{"shape":"mesh","file":"pärt 1.obj","solid":true}' '{"shape":"sphere","radius":1,"pose":{"xyz":[-2,0.5,0.5]}}')");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NEAR(nlohmann::json::parse(outcome.out)["distance"].get<double>(), 1, 1e-12);
  EXPECT_TRUE(contains(
      run(R"(echo '{"ask":"collide","a":{"shape":"mesh","file":"open.off","solid":true},"b":{"shape":"sphere","radius":1}}' | $GRAZE ask)")
          .out,
      "a.file: open.off: "));
}

}  // namespace meshes_test
}  // namespace graze_test
