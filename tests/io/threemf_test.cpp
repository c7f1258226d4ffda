// 3MF files built by hand: XML in zip archives.
#include <gtest/gtest.h>
#include <zlib.h>

#include "graze/io/mesh_file.h"
#include "io/cloud_files.h"

namespace graze {
namespace threemf_test {

using namespace graze_test;

struct ZippedFile {
  std::string name, text;
  bool deflated = false;
};

std::string deflated(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(text.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zip(const std::vector<ZippedFile>& files, const std::string& comment = "") {
  std::string out, directory;
  for (const ZippedFile& file : files) {
    const std::string packed = file.deflated ? deflated(file.text) : file.text;
    const auto sum = static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(file.text.data()), static_cast<uInt>(file.text.size())));
    const std::string common = bytes_of<std::uint16_t>(0) + bytes_of<std::uint16_t>(file.deflated ? 8 : 0) +
                               bytes_of(0U) + bytes_of(sum) + bytes_of(static_cast<std::uint32_t>(packed.size())) +
                               bytes_of(static_cast<std::uint32_t>(file.text.size())) +
                               bytes_of(static_cast<std::uint16_t>(file.name.size())) + bytes_of<std::uint16_t>(0);
    directory += std::string("PK\x01\x02") + bytes_of<std::uint16_t>(20) + bytes_of<std::uint16_t>(20) + common +
                 std::string(10, '\0') + bytes_of(static_cast<std::uint32_t>(out.size())) + file.name;
    out += std::string("PK\x03\x04") + bytes_of<std::uint16_t>(20) + common + file.name + packed;
  }
  const auto at = static_cast<std::uint32_t>(out.size());
  const auto count = static_cast<std::uint16_t>(files.size());
  return out + directory + "PK\x05\x06" + bytes_of(0U) + bytes_of(count) + bytes_of(count) +
         bytes_of(static_cast<std::uint32_t>(directory.size())) + bytes_of(at) +
         bytes_of(static_cast<std::uint16_t>(comment.size())) + comment;
}

constexpr const char* kTetra =
    "<mesh><vertices><vertex x=\"0\" y=\"0\" z=\"0\"/><vertex x=\"1\" y=\"0\" z=\"0\"/><vertex x=\"0\" y=\"1\" "
    "z=\"0\"/>"
    "<vertex x=\"0\" y=\"0\" z=\"1\"/></vertices><triangles><triangle v1=\"0\" v2=\"2\" v3=\"1\"/>"
    "<triangle v1=\"0\" v2=\"1\" v3=\"3\"/><triangle v1=\"0\" v2=\"3\" v3=\"2\"/><triangle v1=\"1\" v2=\"2\" v3=\"3\"/>"
    "</triangles></mesh>";

std::string model(const std::string& resources, const std::string& items, const std::string& unit = "meter") {
  return "<?xml version=\"1.0\"?><model unit=\"" + unit + "\" xmlns:p=\"x\"><resources>" + resources +
         "</resources><build>" + items + "</build></model>";
}
std::string object(const std::string& id, const std::string& body) {
  return "<object id=\"" + id + "\">" + body + "</object>";
}
std::string archive(const std::string& text) { return zip({{"3D/3dmodel.model", text, true}}); }
MeshFile parsed(const std::string& bytes) { return parse_mesh(bytes, "f.3mf"); }
std::string refused_mesh(const std::string& bytes) {
  return refusal([&] { parsed(bytes); });
}

TEST(Threemf, PlacesTheObjectsOfItsBuild) {
  const std::string text =
      model(object("1", kTetra) + object("2",
                                         "<components><component objectid=\"1\"/><component objectid=\"1\" "
                                         "transform=\"1 0 0 0 1 0 0 0 1 10 0 0\"/></components>"),
            "<item objectid=\"2\" transform=\"0 1 0 -1 0 0 0 0 1 0 0 5\"/>"
            "<item objectid=\"1\" transform=\"1 0 0 0 1 0 0 0 -1 0 0 0\"/>",
            "centimeter");
  for (const bool packed : {false, true}) {
    const MeshFile mesh = parsed(zip({{"a.txt", "beside"}, {"3D/3dmodel.model", text, packed}}, "a comment"));
    EXPECT_EQ(mesh.triangles.size(), 12U);
    EXPECT_EQ(mesh.header.parts, 3U);
    EXPECT_EQ(mesh.header.unit, 0.01);
    // (x, y, z) → (-y, x, z + 5), then centimetres.
    EXPECT_LT((mesh.vertices[5] - Vec3(0, 0.11, 0.05)).norm(), 1e-15) << mesh.vertices[5].transpose();
    EXPECT_LT((mesh.vertices[2] - Vec3(-0.01, 0, 0.05)).norm(), 1e-15);
    // A mirrored solid is still solid, outside out.
    const Mesh solid(mesh.vertices, mesh.triangles, {.solid = true});
    EXPECT_EQ(solid.winding(Vec3(0.001, 0.001, -0.001)), 1);
  }
}

TEST(Threemf, FollowsTheRelationAndPathsToOtherParts) {
  const std::string relations =
      "<Relationships><Relationship Target=\"/other/name.xml\" "
      "Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\"/></Relationships>";
  const std::string root =
      model(object("1", "<components><component p:path=\"/3D/parts.model\" objectid=\"1\"/></components>"),
            "<item objectid=\"1\"/>");
  const MeshFile mesh = parsed(zip({{"_rels/.rels", relations},
                                    {"3D/parts.model", model(object("1", kTetra), "")},
                                    {"other/name.xml", root, true}}));
  EXPECT_EQ(mesh.triangles.size(), 4U);
}

TEST(Threemf, SaysWhatItCannotRead) {
  const auto why = [](const std::string& resources, const std::string& items, const std::string& unit = "meter") {
    return refused_mesh(archive(model(resources, items, unit)));
  };
  const std::string good = zip({{"3D/3dmodel.model", model(object("1", kTetra), "<item objectid=\"1\"/>")}});
  EXPECT_EQ(refused_mesh(good), "");
  std::string other = good;
  other[other.find("z=\"1\"") + 3] = '2';
  EXPECT_TRUE(contains(refused_mesh(other), "'3D/3dmodel.model' in it is damaged: its check sum is wrong"));
  EXPECT_TRUE(contains(refused_mesh(good.substr(0, good.size() - 30)), "without a directory at its end"));
  EXPECT_TRUE(contains(refused_mesh(zip({{"a.txt", "text"}})), "without a 3MF model"));
  EXPECT_TRUE(contains(refused_mesh(archive("<model")), "is not well-formed XML"));
  EXPECT_TRUE(contains(refused_mesh(archive("<other/>")), "has no <model>"));
  EXPECT_TRUE(contains(why(object("1", kTetra), "<item objectid=\"2\"/>"), "<item objectid='2'>"));
  EXPECT_TRUE(contains(why(object("1", kTetra), "<item objectid=\"1\"/>", "mile"), "unit 'mile' is unknown"));
  EXPECT_TRUE(
      contains(why(object("1", kTetra) + object("1", kTetra), "<item objectid=\"1\"/>"), "id of another object"));
  EXPECT_TRUE(contains(why(object("1", kTetra), "<item objectid=\"1\" transform=\"1 2\"/>"), "has not 12 numbers"));
  EXPECT_TRUE(contains(why(object("1", "<mesh><vertices><vertex x=\"0\" y=\"nan\" z=\"0\"/></vertices></mesh>"),
                           "<item objectid=\"1\"/>"),
                       "vertex 0 has y='nan'"));
  EXPECT_TRUE(contains(why(object("1", "<mesh><triangles><triangle v1=\"0\" v2=\"1\" v3=\"2\"/></triangles></mesh>"),
                           "<item objectid=\"1\"/>"),
                       "triangle 0 has v1='0', but there are 0 vertices"));
  EXPECT_NE(why(object("1", kTetra), ""), "") << "nothing is placed";
  EXPECT_TRUE(
      contains(why(object("1", "<components><component objectid=\"1\"/></components>"), "<item objectid=\"1\"/>"),
               "objects deep"));
  // Each object twice the one before.
  std::string doubling = object("0", kTetra);
  for (int i = 1; i < 60; ++i) {
    const std::string component = "<component objectid=\"" + std::to_string(i - 1) + "\"/>";
    doubling += object(std::to_string(i), "<components>" + component + component + "</components>");
  }
  EXPECT_NE(why(doubling, "<item objectid=\"59\"/>"), "");
  // What unpacks to far more than the file has.
  EXPECT_TRUE(
      contains(refused_mesh(archive(model(object("1", kTetra) + std::string(9 << 20, ' '), ""))), "unpacks to"));
}

TEST(Threemf, EndsWithAMeshOrAnErrorWhateverIsDamaged) {
  const std::string good = zip({{"3D/3dmodel.model", model(object("1", kTetra), "<item objectid=\"1\"/>"), true}});
  for (std::size_t at = 0; at < good.size(); ++at) {
    refused_mesh(good.substr(0, at));
    for (const char value : {'\0', '\x7F', '\xFF'}) {
      std::string other = good;
      other[at] = value;
      refused_mesh(other);
    }
  }
}

}  // namespace threemf_test
}  // namespace graze
