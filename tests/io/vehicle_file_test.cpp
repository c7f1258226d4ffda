// Vehicles in JSON files.
#include "graze/io/vehicle_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "apps/synthetic/tunnel.h"
#include "graze/base/error.h"
#include "graze/io/mesh_file.h"
#include "graze/io/write_file.h"
#include "support/refusal.h"

namespace graze {
namespace vehicle_file_test {

using namespace graze_test;

const std::string kBox = R"("body":{"shape":"box","half":[12,1.4,1],"pose":{"xyz":[0.5,0,2]}})";

std::string refused(const std::string& text) {
  return refusal([&] { parse_vehicle(text, "v.json"); });
}

TEST(VehicleFile, ReadsShapes) {
  const clearance::Vehicle v = parse_vehicle(
      "{" + kBox + R"(, "name":"coach","bogie_distance":17,"bogie_middle":0.5,"axis_heights":[0.1,0.2]})", "v.json");
  EXPECT_EQ(v.name, "coach");
  EXPECT_EQ(v.bogie_distance, 17);
  EXPECT_NEAR(v.length, 24, 1e-12) << "that of the body";
  EXPECT_EQ(v.rear_bogie(), Vec3(-8, 0, 0.1));
  EXPECT_EQ(v.front_bogie(), Vec3(9, 0, 0.2));
  ASSERT_EQ(v.body.size(), 1U);
  EXPECT_LE((bounds(v.body[0].geometry, v.body[0].pose).max - Vec3(12.5, 1.4, 3)).norm(), 1e-12);
  const clearance::Vehicle two = parse_vehicle(
      R"({"bogie_distance":2,"length":9,"body":[{"shape":"sphere","radius":1},{"shape":"sphere","radius":2}]})", "v");
  EXPECT_EQ(two.body.size(), 2U);
  EXPECT_EQ(two.length, 9);
  EXPECT_TRUE(parse_vehicle("{" + kBox + R"(,"bogie_distance":17})", "v", {.body = false}).body.empty());
}

TEST(VehicleFile, FindsFilesBesideIt) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "graze vehicle";
  std::filesystem::create_directories(folder);
  const synthetic::WagonMesh mesh = synthetic::wagon_mesh();
  write_mesh((folder / "wagon.ply").string(), mesh.vertices, mesh.triangles);
  write_file((folder / "cloud.xyz").string(), "0 0 0\n1 2 3\n");
  const auto reads = [&](const std::string& body) {
    write_file((folder / "v.json").string(), "{\n\"bogie_distance\": 20,\n\"body\": " + body + "\n}\n");
    return read_vehicle((folder / "v.json").string());
  };
  const clearance::Vehicle wagon = reads(R"({"file":"wagon.ply","solid":true,"pose":{"xyz":[0,0,1]}})");
  ASSERT_EQ(wagon.body.size(), 1U);
  ASSERT_TRUE(std::holds_alternative<Mesh>(wagon.body[0].geometry));
  EXPECT_TRUE(std::get<Mesh>(wagon.body[0].geometry).solid());
  EXPECT_NEAR(wagon.length, 25.8, 1e-12);
  EXPECT_EQ(wagon.body[0].pose.translation(), Vec3(0, 0, 1));
  const clearance::Vehicle points = reads(R"([{"file":"cloud.xyz","radius":0.5}])");
  ASSERT_TRUE(std::holds_alternative<Cloud>(points.body[0].geometry));
  EXPECT_NEAR(points.length, 2, 1e-12);
  reads(R"([{"file":"cloud.xyz"},{"shape":"sphere","radius":1},{"file":"wagon.ply"}])");
  EXPECT_EQ(read_vehicle_file((folder / "v.json").string()).files,
            (std::vector<std::string>{(folder / "cloud.xyz").string(), (folder / "wagon.ply").string()}));
  const auto refuses = [&](const std::string& body) { return refusal([&] { reads(body); }); };
  const std::string name = (folder / "v.json").string();
  EXPECT_TRUE(refuses(R"({"file":"cloud.xyz","solid":true})").starts_with(name + ": body.solid: is for a mesh"));
  EXPECT_TRUE(refuses(R"({"file":"wagon.ply","radius":1})").starts_with(name + ": body.radius: is for a cloud"));
  EXPECT_NE(refuses(R"({"file":"nowhere.ply"})"), "");
  EXPECT_TRUE(refuses("{").starts_with(name + ":5: not JSON")) << refuses("{");
  std::filesystem::remove_all(folder);
}

TEST(VehicleFile, NamesTheField) {
  EXPECT_EQ(refused("[]"), "v.json: vehicle: must be a JSON object");
  EXPECT_EQ(refused("{}"), "v.json: bogie_distance: missing");
  EXPECT_EQ(refused(R"({"bogie_distance":20})"), "v.json: body: missing");
  EXPECT_EQ(refused(R"({"bogie_distance":-1})"), "v.json: bogie_distance: must be positive and finite, got -1");
  EXPECT_EQ(refused(R"({"bogie_distance":20,"body":[]})"), "v.json: body: has no parts");
  EXPECT_EQ(refused(R"({"bogie_distance":20,"body":[{"shape":"sphere"}]})"), "v.json: body[0].radius: missing");
  EXPECT_EQ(refused(R"({"bogie_distance":20,"body":{"shape":"plane","normal":[0,0,1],"offset":0}})"),
            "v.json: body: has no end");
  EXPECT_EQ(refused(R"({"bogie_distance":20,"body":{"file":"x"}})"), "v.json: body.file: files cannot be named here");
  EXPECT_EQ(refused("{" + kBox + R"(,"bogie_distance":2,"axis_heights":[1]})"),
            "v.json: axis_heights: must be an array of 2 numbers, got 1");
  EXPECT_TRUE(refused("{" + kBox + R"(,"bogie_distance":2,"wheels":4})").starts_with("v.json: wheels: unknown field"));
  EXPECT_TRUE(refused("{" + kBox + R"(,"bogie_distance":2,"id":4})").starts_with("v.json: id: unknown field"));
  EXPECT_NE(refused(""), "");
}

}  // namespace vehicle_file_test
}  // namespace graze
