// Memory runs out while a file is read: nothing leaks and nothing crashes.
#include <gtest/gtest.h>

#include <string>

#include "graze/io/ask.h"
#include "graze/io/cloud_file.h"
#include "graze/io/mesh_file.h"
#include "graze/io/trajectory_file.h"
#include "graze/io/vehicle_file.h"
#include "io/json_line.h"
#include "support/allocation_failures.h"

namespace graze_test {
namespace allocation_failure_test {

const std::string kObj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
const std::string kOff = "OFF\n4 2 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n";
const std::string kPly =
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
    "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
const std::string kStl =
    "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid "
    "s\n";
TEST(AllocationFailure, LeavesNoHalfReadMesh) {
  for (const auto& [text, name] :
       {std::pair(kObj, "f.obj"), std::pair(kOff, "f.off"), std::pair(kPly, "f.ply"), std::pair(kStl, "f.stl")}) {
    fail_each_allocation(name, [&, &text = text, &name = name] {
      const graze::MeshFile file = graze::parse_mesh(text, name);
      return file.vertices.size() * 100 + file.triangles.size();
    });
  }
}

// The destructors of the JSON library's values allocate and terminate the program if they cannot; ours are empty by
// then.
TEST(AllocationFailure, LeavesNoHalfReadJson) {
  const std::string json =
      R"({"a":[1,[2,[3,{"b":[[],{},"text that is too long to be stored in place"]}]]],"id":[{"c":[1]}]})";
  fail_each_allocation("JSON", [&] {
    const graze::io::JsonLine line = graze::io::read_json_line(json);
    return line.error + line.value.dump() + line.id->dump();
  });
  fail_each_allocation("bad JSON",
                       [&] { return graze::io::read_json_line(R"({"a":[[1,2],{"b":[3]}],"a":[4],)").error; });
  const std::string shape = R"({"shape":"triangle","points":[[0,0,0],[1,0,0],[0,1,0]],"pose":{"xyz":[1,2,3]}})";
  fail_each_allocation("shape", [&] { return name_of(graze::placed_from_json(shape, "A").geometry); });
  const std::string vehicle =
      R"({"bogie_distance":2,"body":[{"shape":"box","half":[1,1,1]},{"shape":"sphere","radius":1}]})";
  fail_each_allocation("vehicle", [&] { return graze::parse_vehicle(vehicle, "f.json").body.size(); });
}

TEST(AllocationFailure, LeavesNoHalfReadGltf) {
  const std::string gltf =
      R"({"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0,"children":[1]},{"mesh":0}],)"
      R"("meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],)"
      R"("accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],)"
      R"("bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"byteLength":36,"uri":)"
      R"("data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]})";
  fail_each_allocation("f.gltf", [&] {
    const graze::MeshFile file = graze::parse_mesh(gltf, "f.gltf");
    return file.vertices.size() * 100 + file.triangles.size();
  });
}

TEST(AllocationFailure, LeavesNoHalfReadCloudOrTrajectory) {
  const std::string points = "x,y,z,intensity\n1,2,3,4\n5,6,7,8\n0.25,1e3,-2,9\n";
  fail_each_allocation("f.csv", [&] { return graze::parse_cloud(points, "f.csv").stamp(); });
  const std::string cloud =
      "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
      "0 0 0\n1 0 0\n";
  fail_each_allocation("f.ply", [&] { return graze::parse_cloud(cloud, "f.ply").stamp(); });
  const std::string path = "0 0 0 0 0 0 0 1\n1 1 2 0 0 0 0 1\n2 2 4 0 0 0 1 1\n";
  fail_each_allocation("f.tum", [&] { return graze::parse_trajectory(path, "f.tum").trajectory.size(); });
}

}  // namespace allocation_failure_test
}  // namespace graze_test
