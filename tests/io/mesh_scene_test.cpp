// COLLADA and glTF, written by hand: placed parts, units and axes.
#include "io/mesh_files.h"

namespace graze {
namespace mesh_scene_test {

using namespace graze_test;

class SceneFiles : public CloudFiles {};

const std::string kTetra =
    R"(<source id="p"><float_array id="pa" count="12">0 0 0  1 0 0  0 1 0 <!-- c --> 0 0 1</float_array>
<technique_common><accessor source="#pa" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>)";
const std::string kTriangles =
    R"(<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>)";
const std::string kNode = R"(<node><instance_geometry url="#g"/></node>)";

std::string dae(const std::string& asset, const std::string& mesh, const std::string& nodes,
                const std::string& libraries = "") {
  return R"(<?xml version="1.0" encoding="utf-8"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset>)" +
         asset + R"(</asset><library_geometries><geometry id="g"><mesh>)" + kTetra + mesh +
         "</mesh></geometry></library_geometries>" + libraries + R"(<library_visual_scenes><visual_scene id="s">)" +
         nodes + R"(</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>)";
}
const std::string kZUp = "<up_axis>Z_UP</up_axis>";

TEST(Dae, HonoursUnitAndUpAxis) {
  const MeshFile inch =
      parse_mesh(dae(R"(<unit name="inch" meter="0.0254"/><up_axis>Z_UP</up_axis>)", kTriangles, kNode), "f");
  EXPECT_EQ(inch.header.unit, 0.0254);
  EXPECT_EQ(inch.header.unit_source, MeshHeader::Source::file);
  EXPECT_EQ(inch.header.up, UpAxis::z);
  EXPECT_EQ(inch.header.version, "1.4.1");
  EXPECT_EQ(inch.vertices[3], Vec3(0, 0, 0.0254));
  const MeshFile plain = parse_mesh(dae("", kTriangles, kNode), "f");
  EXPECT_EQ(plain.header.unit_source, MeshHeader::Source::format);
  EXPECT_EQ(plain.header.up, UpAxis::y) << "what COLLADA says where the file does not";
  EXPECT_EQ(plain.vertices[2], Vec3(0, 0, 1));
  const MeshFile x_up = parse_mesh(dae("<up_axis>X_UP</up_axis>", kTriangles, kNode), "f");
  EXPECT_EQ(x_up.vertices[1], Vec3(0, 0, 1));
  EXPECT_NEAR(report_of(x_up).volume, 1.0 / 6, 1e-15);
  const std::string moved = R"(<node><translate>0 0 2,5</translate><instance_geometry url="#g"/></node>)";
  const MeshFile comma = parse_mesh(dae(R"(<unit meter="0,010000"/><up_axis>Z_UP</up_axis>)", kTriangles, moved), "f");
  EXPECT_EQ(comma.header.unit, 0.01);
  EXPECT_DOUBLE_EQ(comma.vertices[0].z(), 0.025);
  EXPECT_TRUE(contains(refused_mesh(dae(R"(<unit meter="0.01"/>)", kTriangles, moved), "f"), "'2,5', is not a number"));
  EXPECT_TRUE(contains(refused_mesh(dae(R"(<unit meter="1,000"/>)", kTriangles, kNode), "f"), "is not a number"))
      << "one, or a thousand";
  const MeshFile kept = parse_mesh(dae(R"(<unit meter="0.0254"/>)", kTriangles, kNode), "f",
                                   {.unit = 2, .up = UpAxis::z, .believe_unit = false, .believe_up = false});
  EXPECT_EQ(kept.vertices[2], Vec3(0, 2, 0));
  EXPECT_EQ(kept.header.unit_source, MeshHeader::Source::caller);
}

TEST(Dae, ReadsEveryPrimitive) {
  const std::string input =
      R"(<input semantic="VERTEX" source="#v" offset="1"/><input semantic="NORMAL" source="#n" offset="0"/>)";
  for (const std::string& mesh :
       {"<triangles>" + input + "<p>9 0 9 2 9 1 9 0 9 1 9 3 9 0 9 3 9 2 9 1 9 2 9 3</p></triangles>",
        "<polylist>" + input +
            "<vcount>3 3 3 3</vcount><p>9 0 9 2 9 1 9 0 9 1 9 3 9 0 9 3 9 2 9 1 9 2 9 3</p></polylist>",
        "<polygons>" + input + "<p>9 0 9 2 9 1</p><p>9 0 9 1 9 3</p><p>9 0 9 3 9 2</p><p>9 1 9 2 9 3</p></polygons>",
        "<tristrips>" + input + "<p>9 0 9 2 9 1 9 3 9 0 9 2</p></tristrips>",
        "<trifans>" + input + "<p>9 0 9 2 9 1 9 3 9 2</p><p>9 1 9 2 9 3</p></trifans>"}) {
    const MeshFile file = parse_mesh(dae(kZUp, mesh, kNode), "f");
    EXPECT_EQ(corners_of(file), corners_of(tetrahedron())) << mesh;
  }
  const MeshFile lines = parse_mesh(dae(kZUp, "<lines>" + input + "<p>9 0 9 1 9 1 9 2</p></lines>", kNode), "f");
  EXPECT_EQ(lines.header.lines, 2U);
  EXPECT_TRUE(lines.triangles.empty());
}

TEST(Dae, RejectsASceneThatPlacesNothing) {
  EXPECT_EQ(refused_mesh(dae(kZUp, kTriangles, "<node/>"), "f"),
            "f: holds 1 geometries, but its scene places no triangle of them");
  EXPECT_EQ(refused_mesh("<COLLADA version=\"1.4.1\"/>", "f"), "f: holds no geometries, so no triangles");
}

TEST(Gltf, RejectsASceneThatPlacesNothing) {
  EXPECT_EQ(refused_mesh(R"({"asset":{"version":"2.0"},"nodes":[{}],"scenes":[{"nodes":[0]}]})", "f.gltf"),
            "f.gltf: holds no meshes, so no triangles");
}

TEST(Dae, AppliesTransformsInOrder) {
  const auto at = [](const std::string& transforms, const std::string& inner = "") {
    const std::string nodes =
        "<node>" + transforms + "<node>" + inner + R"(<instance_geometry url="#g"/></node></node>)";
    return parse_mesh(dae(kZUp, kTriangles, nodes), "f");
  };
  EXPECT_TRUE(at("<translate>1 2 3</translate><rotate>0 0 1 90</rotate><scale>2 2 2</scale>")
                  .vertices[1]
                  .isApprox(Vec3(1, 4, 3)));
  EXPECT_TRUE(at("<rotate>0 0 1 90</rotate>", "<translate>1 0 0</translate>").vertices[0].isApprox(Vec3(0, 1, 0)));
  EXPECT_EQ(at("<matrix>1 0 0 5 0 1 0 6 0 0 1 7 0 0 0 1</matrix>").vertices[0], Vec3(5, 6, 7));
  EXPECT_NEAR(report_of(at("<scale>-1 1 1</scale>")).volume, 1.0 / 6, 1e-15) << "mirrored parts face outwards";
  EXPECT_EQ(refusal([&] { at("<lookat>1 2 3 4 5 6 7 8 9</lookat>"); }),
            "f: <node> in <visual_scene id='s'>: stands below a <lookat>, which graze does not apply");
}

TEST(Dae, PlacesNodesOfLibrariesAndSkins) {
  const std::string libraries =
      R"(<library_controllers><controller id="c"><skin source="#g"><bind_shape_matrix>1 0 0 5 0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix></skin></controller></library_controllers>
<library_nodes><node id="n"><translate>3 0 0</translate><instance_geometry url="#g"/></node></library_nodes>)";
  const MeshFile file = parse_mesh(
      dae(kZUp, kTriangles,
          R"(<node><instance_node url="#n"/><instance_node url="#n"/><instance_controller url="#c"/></node>)",
          libraries),
      "f");
  EXPECT_EQ(file.triangles.size(), 12U);
  EXPECT_EQ(file.header.parts, 3U);
  EXPECT_EQ(file.vertices[0], Vec3(3, 0, 0));
  EXPECT_EQ(file.vertices[8], Vec3(5, 0, 0));
  ASSERT_EQ(file.header.notes.size(), 1U);
}

TEST(Dae, NamesLocationAndReason) {
  const std::string good = dae(kZUp, kTriangles, kNode);
  EXPECT_EQ(refused_mesh(replaced(good, "1 2 3</p>", "1 2 4</p>"), "f"),
            "f: <p> in <geometry id='g'>: index 11 refers to vertex 4, but there are 4");
  EXPECT_EQ(refused_mesh(replaced(good, "1 2 3</p>", "1 2 x</p>"), "f"),
            "f: <p> in <geometry id='g'>: 'x' is not a vertex index");
  EXPECT_EQ(refused_mesh(replaced(good, "0 0 1</float", "0 0 inf</float"), "f"),
            "f: <float_array id='pa'>: number 11, 'inf', is not finite");
  EXPECT_EQ(refused_mesh(replaced(good, "count=\"4\" stride", "count=\"5\" stride"), "f")
                .find("f: <accessor> in <source id='p'>: claims 5 entries"),
            0U);
  EXPECT_TRUE(
      contains(refused_mesh(replaced(good, "stride=\"3\"", "stride=\"18446744073709551615\""), "f"), "f: <accessor>"));
  EXPECT_TRUE(
      contains(refused_mesh(replaced(good, "url=\"#g\"", "url=\"other.dae#g\""), "f"), "other files are not read"));
  EXPECT_TRUE(
      contains(refused_mesh(replaced(good, "url=\"#g\"", "url=\"#v\""), "f"), "there is no <geometry> of that id"));
  EXPECT_TRUE(contains(refused_mesh(good.substr(0, good.size() - 5), "f"), "is not well-formed XML"));
  EXPECT_TRUE(contains(refused_mesh("<a/>", "f.dae"), "is not a COLLADA file"));
  EXPECT_TRUE(contains(refused_mesh(dae("<up_axis>UP</up_axis>", kTriangles, kNode), "f"), "'UP' is not X_UP"));
  EXPECT_TRUE(
      contains(refused_mesh(dae(R"(<unit meter="0"/>)", kTriangles, kNode), "f"), "is not a valid unit length"));
  // Nodes that contain themselves, and nodes that double 60 times.
  const std::string loop = R"(<node id="n"><instance_node url="#n"/></node>)";
  EXPECT_TRUE(contains(refused_mesh(dae(kZUp, kTriangles, loop), "f"), "nodes deep"));
  std::string doubling = "<library_nodes>";
  for (int i = 0; i < 60; ++i) {
    const std::string next = "<instance_node url=\"#n" + std::to_string(i + 1) + "\"/>";
    doubling += "<node id=\"n" + std::to_string(i) + "\">" + next + next + "</node>";
  }
  doubling += R"(<node id="n60"/></library_nodes>)";
  EXPECT_TRUE(contains(refused_mesh(dae(kZUp, kTriangles, R"(<node><instance_node url="#n0"/></node>)", doubling), "f"),
                       "too often"));
}

std::string base64(const std::string& bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : kDigits[bits >> (18 - 6 * k) & 63];
  }
  return text;
}

std::string tetra_buffer() {
  std::string bytes;
  for (const Vec3& p : kTetraVertices) {
    for (const double x : p) bytes += bytes_of(static_cast<float>(x));
  }
  for (const MeshTriangle& t : kTetraTriangles) {
    for (const std::uint32_t i : t) bytes += bytes_of(static_cast<std::uint16_t>(i));
  }
  return bytes;  // 48 + 24
}

std::string gltf(const std::string& buffer, const std::string& nodes = R"([{"mesh":0}])",
                 const std::string& more = "") {
  return R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":)" + nodes +
         R"(,"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],"buffers":[{"byteLength":72)" +
         buffer +
         R"(}],"bufferViews":[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":24}],"accessors":[)" +
         R"({"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},{"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"}])" +
         more + "}";
}

std::string in_text() { return R"(,"uri":"data:application/octet-stream;base64,)" + base64(tetra_buffer()) + "\""; }

std::string glb(std::string json, const std::string& binary) {
  json.resize((json.size() + 3) / 4 * 4, ' ');
  const auto word = [](std::size_t n) { return bytes_of(static_cast<std::uint32_t>(n)); };
  return "glTF" + word(2) + word(28 + json.size() + binary.size()) + word(json.size()) + "JSON" + json +
         word(binary.size()) + std::string("BIN\0", 4) + binary;
}

TEST_F(SceneFiles, GltfIsInMetresWithYUp) {
  write("b u.bin", tetra_buffer());
  for (const std::string& bytes : {gltf(in_text()), glb(gltf(""), tetra_buffer()), gltf(R"(,"uri":"b%20u.bin")")}) {
    const MeshFile file = read_mesh_file(write("a.gltf", bytes));
    ASSERT_EQ(file.triangles.size(), 4U);
    EXPECT_EQ(file.vertices[2], Vec3(0, 0, 1)) << "y is up";
    EXPECT_NEAR(report_of(file).volume, 1.0 / 6, 1e-15);
    EXPECT_EQ(file.header.unit_source, MeshHeader::Source::format);
    EXPECT_EQ(file.header.up_source, MeshHeader::Source::format);
    EXPECT_EQ(corners_of(read_mesh_file(path("a.gltf"), {.believe_up = false})), corners_of(tetrahedron()));
  }
}

TEST(Gltf, AppliesTransforms) {
  const ReadMeshOptions as_is{.believe_up = false};
  const MeshFile file = parse_mesh(
      gltf(
          in_text(),
          R"([{"translation":[1,2,3],"rotation":[0,0,0.5,0.5],"scale":[2,2,2],"children":[1]},{"mesh":0,"children":[2]},{"mesh":0,"matrix":[-1,0,0,0,0,1,0,0,0,0,1,0,7,0,0,1]}])"),
      "f", as_is);
  ASSERT_EQ(file.triangles.size(), 8U);
  EXPECT_EQ(file.header.parts, 2U);
  EXPECT_TRUE(file.vertices[1].isApprox(Vec3(1, 4, 3)));
  EXPECT_TRUE(file.vertices[4].isApprox(Vec3(1, 16, 3)));
  EXPECT_NEAR(report_of(file).volume, 16.0 / 6, 1e-12) << "mirrored parts face outwards";
}

TEST(Gltf, ReadsEveryKindOfPrimitiveAndNumber) {
  const ReadMeshOptions as_is{.believe_up = false};
  const auto read = [&](const std::string& primitive) {
    return parse_mesh(replaced(gltf(in_text()), R"({"attributes":{"POSITION":0},"indices":1})", primitive), "f", as_is);
  };
  EXPECT_EQ(read(R"({"attributes":{"POSITION":0},"mode":5})").triangles[1], (MeshTriangle{1, 3, 2}));
  EXPECT_EQ(read(R"({"attributes":{"POSITION":0},"mode":6})").triangles[1], (MeshTriangle{0, 2, 3}));
  const MeshFile lines = read(R"({"attributes":{"POSITION":0},"mode":1},{"attributes":{"POSITION":0},"mode":0})");
  EXPECT_EQ(lines.header.lines, 1U);
  EXPECT_EQ(lines.header.points, 1U);
  const std::string base = gltf(in_text());
  const MeshFile sparse = parse_mesh(
      replaced(
          base, R"({"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"})",
          R"({"componentType":5126,"count":4,"type":"VEC3","sparse":{"count":2,"indices":{"bufferView":1,"componentType":5123},"values":{"bufferView":0,"byteOffset":12}}})"),
      "f", as_is);
  EXPECT_EQ(sparse.vertices[0], Vec3(1, 0, 0));
  EXPECT_EQ(sparse.vertices[2], Vec3(0, 1, 0));
  EXPECT_EQ(sparse.vertices[1], Vec3(0, 0, 0));
  const MeshFile small = parse_mesh(replaced(base, R"("componentType":5126,"count":4,"type":"VEC3")",
                                             R"("componentType":5121,"normalized":true,"count":4,"type":"VEC3")"),
                                    "f", as_is);
  EXPECT_NEAR(small.vertices[0].maxCoeff(), 0, 1e-15);
}

TEST_F(SceneFiles, GltfNamesLocationAndReason) {
  const std::string good = gltf(in_text());
  const auto why = [&](std::string_view from, std::string_view to) {
    return refused_mesh(replaced(good, from, to), "f.gltf");
  };
  EXPECT_EQ(why(R"("count":4)", R"("count":5)"),
            "f.gltf: accessors[0]: claims 5 entries from byte 0 on, more than the 48 bytes of its bufferView hold");
  EXPECT_EQ(why(R"("byteLength":72)", R"("byteLength":73)"),
            "f.gltf: buffers[0]: claims 73 bytes, but there are 72; was the file cut off?");
  EXPECT_EQ(why(R"("byteLength":48)", R"("byteLength":480)").find("f.gltf: bufferViews[0]: reaches"), 0U);
  EXPECT_EQ(why(R"("mesh":0)", R"("mesh":1)"), "f.gltf: nodes[0].mesh: refers to mesh 1, but there are 1");
  EXPECT_EQ(why(R"("count":12)", R"("count":-1)").find("f.gltf: accessors[1].count: must be a whole number"), 0U);
  EXPECT_EQ(why(R"("count":12)", R"("count":11)").find("f.gltf: meshes[0].primitives[0]: has 11 corners"), 0U);
  EXPECT_EQ(why(R"("count":4)", R"("count":3)"),
            "f.gltf: meshes[0].primitives[0]: refers to vertex 3, but there are 3");
  EXPECT_EQ(why(R"("2.0")", R"("1.0")"), "f.gltf: asset: glTF version '1.0' is not 2");
  EXPECT_TRUE(contains(refused_mesh(gltf(in_text(), R"([{"children":[0]}])"), "f.gltf"), "more than one node"));
  EXPECT_TRUE(contains(
      refused_mesh(gltf(in_text(), R"([{"mesh":0}])", R"(,"extensionsRequired":["KHR_draco_mesh_compression"])"),
                   "f.gltf"),
      "KHR_draco_mesh_compression"));
  EXPECT_TRUE(contains(refused_mesh("{\"asset\":", "f.gltf"), "f.gltf: is not glTF: "));
  const std::string binary = glb(gltf(""), tetra_buffer());
  for (std::size_t size = 4; size < binary.size(); size += 3) {
    EXPECT_FALSE(refused_mesh(binary.substr(0, size), "f.glb").empty()) << size;
  }
  EXPECT_TRUE(
      contains(refused_mesh(glb(gltf(""), tetra_buffer().substr(0, 60)), "f"), "claims 72 bytes, but there are 60"));
}

TEST_F(SceneFiles, NothingOutsideTheFolderIsRead) {
  std::filesystem::create_directories(folder_ / "in");
  std::filesystem::create_directories(folder_ / "inner");
  write("secret.bin", tetra_buffer());
  write("inner/secret.bin", tetra_buffer());
  write("in/own.bin", tetra_buffer());
  std::filesystem::create_symlink("../secret.bin", folder_ / "in/link.bin");
  const auto why = [&](const std::string& uri) {
    return refusal([&] { read_mesh_file(write("in/a.gltf", gltf(R"(,"uri":")" + uri + "\""))); });
  };
  EXPECT_EQ(why("own.bin"), "");
  EXPECT_EQ(why("../in/own.bin"), "");
  for (const std::string& uri : {std::string("../secret.bin"), std::string("%2e%2e/secret.bin"),
                                 std::string("link.bin"), path("secret.bin"), std::string("../inner/secret.bin")}) {
    EXPECT_TRUE(contains(why(uri), "outside of the folder")) << uri << why(uri);
  }
  EXPECT_TRUE(contains(why("nothing.bin"), "'nothing.bin' cannot be read: No such file"));
  EXPECT_TRUE(contains(why("http://a/b.bin"), "is not a file name"));
  EXPECT_TRUE(contains(refused_mesh(gltf(R"(,"uri":"own.bin")"), "f"), "only this one is read"));
}

// A mesh at translations, rotations (normalised bytes) and scales of its own.
TEST(Gltf, PlacesInstances) {
  std::string more;
  for (const float x : {10.0F, 0.0F, 0.0F, 0.0F, 20.0F, 0.0F}) more += bytes_of(x);
  more += std::string("\0\0\0\x7F\0\0\x7F\0", 8);  // none, and a half turn about z
  for (const float s : {1.0F, 1.0F, 1.0F, 2.0F, 2.0F, -2.0F}) more += bytes_of(s);
  const auto with = [&](const std::string& attributes, const std::string& count = "2") {
    const std::string buffer = R"(,{"byteLength":56,"uri":"data:;base64,)" + base64(more) + "\"}";
    std::string text =
        gltf(in_text(), R"([{"mesh":0,"translation":[0,0,1],"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{)" +
                            attributes + "}}}}]");
    text = replaced(text, R"(}],"bufferViews":[)",
                    "}" + buffer +
                        R"(],"bufferViews":[{"buffer":1,"byteLength":24},{"buffer":1,"byteOffset":24,"byteLength":8},)"
                        R"({"buffer":1,"byteOffset":32,"byteLength":24},)");
    text = replaced(text, R"("bufferView":0,"componentType":5126)", R"("bufferView":3,"componentType":5126)");
    text = replaced(text, R"("bufferView":1,"componentType":5123)", R"("bufferView":4,"componentType":5123)");
    return replaced(text, R"("count":12,"type":"SCALAR"}])",
                    R"("count":12,"type":"SCALAR"},{"bufferView":0,"componentType":5126,"count":2,"type":"VEC3"},)"
                    R"({"bufferView":1,"componentType":5120,"normalized":true,"count":)" +
                        count + R"(,"type":"VEC4"},{"bufferView":2,"componentType":5126,"count":2,"type":"VEC3"}])");
  };
  const std::string all = R"("TRANSLATION":2,"ROTATION":3,"SCALE":4)";
  const MeshFile file = parse_mesh(with(all), "f", {.believe_up = false});
  ASSERT_EQ(file.triangles.size(), 8U);
  EXPECT_TRUE(file.vertices[1].isApprox(Vec3(11, 0, 1)));
  EXPECT_TRUE(file.vertices[5].isApprox(Vec3(-2, 20, 1))) << file.vertices[5].transpose();
  EXPECT_NEAR(report_of(file).volume, 9.0 / 6, 1e-6) << "mirrored instances face outwards";
  EXPECT_TRUE(contains(refused_mesh(with(all, "1"), "f"), "ROTATION has 1 entries, others have 2"));
  EXPECT_TRUE(contains(refused_mesh(with(R"("TRANSLATION":3)"), "f"), "must be of type VEC3"));
  EXPECT_TRUE(contains(refused_mesh(with(R"("OTHER":3)"), "f"), "states neither TRANSLATION nor"));
}

// One part placed so often that the triangles exceed the memory budget of the file.
TEST(Gltf, InstancesStayWithinTheBudget) {
  std::string nodes = "[{\"children\":[1";
  for (int i = 2; i < 60000; ++i) nodes += "," + std::to_string(i);
  nodes += "]}";
  for (int i = 1; i < 60000; ++i) nodes += ",{\"mesh\":0}";
  const std::string repeated = gltf(in_text(), nodes + "]");
  EXPECT_EQ(parse_mesh(repeated, "f").triangles.size(), 4U * 59999);
  std::string heavy = replaced(repeated, R"({"attributes":{"POSITION":0},"indices":1})", [] {
    std::string many = R"({"attributes":{"POSITION":0},"indices":1})";
    for (int i = 0; i < 40; ++i) many += R"(,{"attributes":{"POSITION":0},"indices":1})";
    return many;
  }());
  EXPECT_TRUE(contains(refused_mesh(heavy, "f"), "place its parts once each instead of again and again"));
}

}  // namespace mesh_scene_test
}  // namespace graze
