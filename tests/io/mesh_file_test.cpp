// STL, OBJ, OFF and PLY, written by hand and by graze.
#include <fmt/format.h>

#include <cmath>

#include "graze/io/mesh_file.h"

#include <sys/resource.h>

#include "io/mesh_files.h"

namespace graze {
namespace mesh_file_test {

using namespace graze_test;

class MeshFiles : public CloudFiles {};

std::string ascii_stl() {
  std::string text = "solid part one\n";
  for (const MeshTriangle& t : kTetraTriangles) {
    text += "  facet normal 0 0 nan\n    outer loop\n";
    for (const std::uint32_t i : t) {
      const Vec3& p = kTetraVertices[i];
      text +=
          "      vertex " + std::to_string(p.x()) + " " + std::to_string(p.y()) + " " + std::to_string(p.z()) + "\n";
    }
    text += "    endloop\n  endfacet\n";
  }
  return text + "endsolid part one\n";
}

std::string binary_stl(const std::string& start = "") {
  std::string bytes = start + std::string(80 - start.size(), ' ') + bytes_of<std::uint32_t>(4);
  for (const MeshTriangle& t : kTetraTriangles) {
    bytes += std::string(12, '\0');
    for (const std::uint32_t i : t) {
      for (const double x : kTetraVertices[i]) bytes += bytes_of(static_cast<float>(x));
    }
    bytes += std::string(2, '\7');
  }
  return bytes;
}

TEST(Stl, ReadsTextAndBinary) {
  for (const std::string& bytes :
       {ascii_stl(), replaced(ascii_stl(), "\n", "\r\n"), replaced(ascii_stl(), "vertex", "VERTEX"), binary_stl(),
        binary_stl("solid"), binary_stl("solid facet endsolid"), binary_stl() + std::string(7, '\0')}) {
    const MeshFile file = parse_mesh(bytes, "f.stl");
    EXPECT_EQ(file.vertices.size(), 4U) << "coincident corners are one vertex";
    EXPECT_EQ(corners_of(file), corners_of(tetrahedron()));
    EXPECT_EQ(file.header.parts, 1U);
    EXPECT_EQ(file.header.unit_source, MeshHeader::Source::caller);
    EXPECT_TRUE(report_of(file).watertight);
  }
  EXPECT_EQ(parse_mesh(ascii_stl() + ascii_stl(), "f.stl").header.parts, 2U);
  EXPECT_EQ(parse_mesh("solid\nendsolid\n", "f").triangles.size(), 0U);
  EXPECT_EQ(parse_mesh(std::string(84, '\0'), "f.stl").triangles.size(), 0U) << "an empty mesh is one";
  const std::string zeros = replaced(ascii_stl(), "vertex 0.000000", "vertex -0.0");
  EXPECT_EQ(parse_mesh(zeros, "f.stl").vertices.size(), 4U) << "0 and -0 are the same position";
}

TEST(Stl, NamesLocationAndReason) {
  const std::string binary = binary_stl();
  EXPECT_EQ(
      refused_mesh(binary.substr(0, 200), "f.stl"),
      "f.stl: byte 80: claims 4 triangles of 50 bytes, but only 116 bytes follow; the header is wrong or the file "
      "was cut off");
  EXPECT_EQ(refused_mesh(binary + "x", "f.stl"), "f.stl: 1 bytes follow the last triangle that the header counts");
  std::string nan = binary;
  nan.replace(84 + 50 + 24, 4, bytes_of(std::numeric_limits<float>::quiet_NaN()));
  EXPECT_EQ(refused_mesh(nan, "f.stl"), "f.stl: byte 158: corner 1 of triangle 1 is not finite");
  EXPECT_TRUE(contains(refused_mesh("hello", "f.stl"), "is not an STL file: 5 bytes are too few"));
  const std::string text = ascii_stl();
  EXPECT_EQ(refused_mesh(text.substr(0, text.find("endsolid")), "f.stl"),
            "f.stl: ends before endsolid; was it cut off?");
  EXPECT_EQ(refused_mesh("solid\nfacet\nouter loop\nvertex 1 2 x\n", "f"), "f:4: 'x' for z is not a number");
  EXPECT_EQ(refused_mesh("solid\nfacet\nouter loop\nvertex 1 2 inf\n", "f"), "f:4: 'inf' for z is not finite");
  EXPECT_EQ(refused_mesh("solid\nfacet\nvertex 1 2 3\n", "f"), "f:3: 'vertex' stands after facet, not within a loop");
  EXPECT_EQ(refused_mesh("solid\nfacet\nouter loop\nvertex 1 2 3\nendloop\n", "f"),
            "f:5: a loop has three corners, not 1");
  EXPECT_EQ(refused_mesh("solid\nfacet\nfasces\n", "f").find("f:3: 'fasces' is not an STL keyword"), 0U);
}

const std::string kObj =
    "# by hand\nmtllib ../../../etc/passwd\nv 0 0 0\nv 1 0 0 # x\nv 0 1 0 1.0\nv 0 0 1 0.5 0.5 0.5\nvt 0 0\nvn 0 0 1\n"
    "usemtl red\ns off\ng side\n";

TEST(Obj, ReadsEveryKindOfFace) {
  for (const std::string faces :
       {"f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", "f 1/1 3/1 2/1\nf 1//1 2//1 4//1\nf 1/1/1 4/1/1 3/1/1\nf 2 3 \\\n4",
        "f -4 -2 -3\nf -4 -3 -1\r\nf -4 -1 -2\nf\t-3  -2 -1 \n"}) {
    const MeshFile file = parse_mesh(kObj + faces, "f.obj");
    EXPECT_EQ(corners_of(file), corners_of(tetrahedron()));
    EXPECT_EQ(file.header.parts, 1U);
  }
  const MeshFile file = parse_mesh(kObj + "o a\nf 1 2 3\no b\no c\nf 1 2 4\nl 1 2 3\np 1 2\ncurv 0 1 1 2\n", "f.obj");
  EXPECT_EQ(file.header.parts, 2U);
  EXPECT_EQ(file.header.lines, 1U);
  EXPECT_EQ(file.header.points, 2U);
  ASSERT_EQ(file.header.notes.size(), 1U);
  EXPECT_TRUE(contains(file.header.notes[0], "free-form"));
  EXPECT_EQ(parse_mesh("", "f.obj").triangles.size(), 0U);
}

// As in the test files of FCL.
TEST(Obj, MayStateItsCountsFirst) {
  const std::string faces = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  EXPECT_EQ(corners_of(parse_mesh("# c\n4 4\n" + kObj + faces, "f.obj")), corners_of(tetrahedron()));
  EXPECT_EQ(refused_mesh("4 5\n" + kObj + faces, "f.obj"),
            "f.obj: states 4 vertices and 5 faces in its first line, but 4 and 4 follow; was it cut off?");
  EXPECT_EQ(refused_mesh(kObj + "4 4\n", "f.obj"), "f.obj:12: '4' is not an OBJ keyword");
}

TEST(Obj, NamesLocationAndReason) {
  EXPECT_EQ(refused_mesh(kObj + "f 1 2 5\n", "f.obj"),
            "f.obj:12: refers to vertex '5', but 4 come before it, numbered from 1");
  EXPECT_EQ(refused_mesh(kObj + "f 1 2 0\n", "f.obj"),
            "f.obj:12: refers to vertex '0', but 4 come before it, numbered from 1");
  EXPECT_EQ(refused_mesh(kObj + "f 1 2 -5\n", "f.obj"),
            "f.obj:12: refers to vertex '-5', but 4 come before it, numbered from 1");
  EXPECT_TRUE(contains(refused_mesh(kObj + "f 1 2 99999999999999999999\n", "f.obj"), "f.obj:12: refers to vertex"));
  EXPECT_TRUE(contains(refused_mesh(kObj + "f 1 2 x\n", "f.obj"), "f.obj:12: 'x' is not a corner of a face"));
  EXPECT_EQ(refused_mesh("v 1 2 nan\n", "f.obj"), "f.obj:1: 'nan' for z is not finite");
  EXPECT_EQ(refused_mesh("v 1 2\n", "f.obj"), "f.obj:1: a vertex has 3, 4, 6 or 7 numbers, not 2");
  EXPECT_EQ(refused_mesh("v 1 2 1e16\n", "f.obj").find("f.obj: vertex 0 lies at (1, 2, 1e+16) m"), 0U);
  EXPECT_EQ(refused_mesh("hello\n", "f.obj"), "f.obj:1: 'hello' is not an OBJ keyword");
}

// "v" and "f" rows as UTF-16 of either order of bytes.
std::string as_utf16(std::string_view text, bool big_endian) {
  std::string bytes = big_endian ? "\xFE\xFF" : "\xFF\xFE";
  for (const char c : text) bytes += big_endian ? std::string{'\0', c} : std::string{c, '\0'};
  return bytes;
}

TEST(Utf16, IsReadAsTheSameText) {
  const std::string obj = "o part\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  const MeshFile plain = parse_mesh(obj, "f.obj");
  for (const bool big_endian : {true, false}) {
    const std::string bytes = as_utf16(obj, big_endian);
    const MeshFile file = parse_mesh(bytes, "f.obj");
    EXPECT_EQ(corners_of(file), corners_of(plain));
    EXPECT_EQ(file.header.file_size, bytes.size());
    EXPECT_EQ(refused_mesh(bytes.substr(0, bytes.size() - 1), "f.obj"),
              "f.obj: is text in UTF-16 that ends within a character; was it cut off?");
    EXPECT_EQ(refused_mesh(as_utf16("v 0 0 x\n", big_endian), "f.obj"), refused_mesh("v 0 0 x\n", "f.obj"));
  }
  // An emoji in a name, and half of one.
  for (const std::string& name :
       {std::string("\x3D\xD8\x00\xDE", 4), std::string("\x3D\xD8", 2), std::string("\x00\xDE", 2)}) {
    std::string bytes =
        as_utf16("o ", false) + name + as_utf16("\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", false).substr(2);
    EXPECT_EQ(corners_of(parse_mesh(bytes, "f.obj")), corners_of(plain));
  }
}

TEST(Off, ReadsColoursAndComments) {
  const std::string body = "0 0 0\n1 0 0 # x\n\n0 1 0\n0 0 1\n3 0 2 1 1 0 0\n3 0 1 3\n3 0 3 2\n3 1 2 3 255 255 0 0\n";
  for (const std::string& bytes : {"OFF\n4 4 6\n" + body, "OFF 4 4 0\n" + body, "# c\nCOFF\n# c\n4 4\n" + body,
                                   replaced("OFF\n4 4 6\n" + body, "\n", "\r\n"), "4 4 6\n" + body}) {
    EXPECT_EQ(corners_of(parse_mesh(bytes, "f.off")), corners_of(tetrahedron()));
  }
  EXPECT_EQ(corners_of(parse_mesh("\t OFF4 4 6 # c\n" + body, "f")), corners_of(tetrahedron()));
  const MeshFile odd = parse_mesh("OFF\n3 3 0\n0 0 0\n1 0 0\n0 1 0\n2 0 1\n1 0\n3 0 1 2\n", "f");
  EXPECT_EQ(odd.triangles.size(), 1U);
  EXPECT_EQ(odd.header.lines, 1U);
  EXPECT_EQ(odd.header.points, 1U);
}

TEST(Off, NamesLocationAndReason) {
  EXPECT_EQ(refused_mesh("OFF\n4 4 0\n0 0 0\n", "f").find("f:2: claims 4 vertices and 4 faces, but only 6"), 0U);
  EXPECT_EQ(refused_mesh("OFF\n9000000000000000000 1 0\n0 0 0\n", "f").find("f:2: claims"), 0U);
  EXPECT_EQ(refused_mesh("OFF\n1 1 0\n0 0 0\n3 0 0 1\n", "f"), "f:4: refers to vertex 1, but there are 1");
  EXPECT_EQ(refused_mesh("OFF\n1 1 0\n0 0 0\n3 0 0 -1\n", "f"), "f:4: '-1' is not a vertex index");
  EXPECT_EQ(refused_mesh("OFF\n1 1 0\n0 0 0\n4 0 0 0\n", "f"), "f:4: a face claims 4 corners, 3 follow");
  EXPECT_EQ(refused_mesh("OFF\n1 1 0\n0 0 0\n##########\n", "f"),
            "f: ends within the faces: 1 of 1 are missing; was it cut off?");
  EXPECT_EQ(refused_mesh("OFF\n1 0 0\n0 0 0\n1 1 1\n", "f").find("f:4: comes after the last face"), 0U);
  EXPECT_EQ(refused_mesh("4OFF\n1 0 0\n0 0 0 1\n", "f").find("f:1: '4OFF' has vertices in another number"), 0U);
  EXPECT_EQ(refused_mesh("OFF BINARY\n1 0 0\n", "f").find("f:1: binary OFF is not read"), 0U);
}

std::string ply(const std::string& encoding, const std::string& list = "list uchar int vertex_indices") {
  const bool big = encoding == "binary_big_endian", ascii = encoding == "ascii";
  std::string bytes =
      "ply\nformat " + encoding +
      " 1.0\ncomment c\nelement camera 1\nproperty int id\nelement vertex 4\nproperty double z\nproperty "
      "float x\nproperty list uchar uchar tags\nproperty float y\nelement face 4\nproperty uchar red\nproperty " +
      list + "\nend_header\n";
  bytes += ascii ? "9\n" : bytes_of(std::int32_t{9}, big);
  for (const Vec3& p : kTetraVertices) {
    if (ascii) {
      bytes += std::to_string(p.z()) + " " + std::to_string(p.x()) + " 2 7 7 " + std::to_string(p.y()) + "\n";
    } else {
      bytes += bytes_of(p.z(), big) + bytes_of(static_cast<float>(p.x()), big) + "\2xx" +
               bytes_of(static_cast<float>(p.y()), big);
    }
  }
  for (const MeshTriangle& t : kTetraTriangles) {
    bytes += ascii ? "255 3" : "\xff\3";
    for (const std::uint32_t i : t) {
      bytes += ascii ? " " + std::to_string(i) : bytes_of(static_cast<std::int32_t>(i), big);
    }
    if (ascii) bytes += "\n";
  }
  return bytes;
}

TEST_F(MeshFiles, PlyWithFacesIsAMeshAndWithoutACloud) {
  for (const char* encoding : {"ascii", "binary_little_endian", "binary_big_endian"}) {
    const MeshFile file = parse_mesh(ply(encoding), "f");
    EXPECT_EQ(corners_of(file), corners_of(tetrahedron())) << encoding;
    EXPECT_EQ(file.header.version, "1.0");
    ASSERT_EQ(file.header.notes.size(), 1U);
    EXPECT_EQ(file.header.notes[0], "element 'camera' (1 entries) is not read");
  }
  EXPECT_EQ(corners_of(parse_mesh(ply("ascii", "list int uint vertex_index"), "f")), corners_of(tetrahedron()));
  EXPECT_TRUE(is_mesh_file(write("a.ply", ply("ascii"))));
  EXPECT_FALSE(is_mesh_file(write("b.ply", "ply\nformat ascii 1.0\nelement vertex 0\nelement face 0\nend_header\n")));
  EXPECT_FALSE(is_mesh_file(write("b.xyz", "1 2 3\n")));
  EXPECT_TRUE(is_mesh_file(write("c.dat", ascii_stl())));
  EXPECT_TRUE(is_mesh_file(write("d.dat", binary_stl())));
  EXPECT_FALSE(is_mesh_file("/dev/null"));
  EXPECT_TRUE(contains(refusal([&] { is_mesh_file(path("nothing.stl")); }), "cannot be read: No such file"));
  EXPECT_TRUE(contains(refusal([&] { read_mesh(path("b.ply")); }), "is not a mesh that graze can read"));
}

TEST(MeshPly, ReadsStrips) {
  const std::string bytes =
      "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement "
      "tristrips "
      "1\nproperty list int int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n8 0 1 2 3 -1 2 1 0\n";
  const MeshFile file = parse_mesh(bytes, "f");
  ASSERT_EQ(file.triangles.size(), 3U);
  EXPECT_EQ(file.triangles[0], (MeshTriangle{0, 1, 2}));
  EXPECT_EQ(file.triangles[1], (MeshTriangle{2, 1, 3}));
  EXPECT_EQ(file.triangles[2], (MeshTriangle{2, 1, 0}));
}

TEST(MeshPly, NamesLocationAndReason) {
  const std::string ascii = ply("ascii");
  EXPECT_EQ(refused_mesh(replaced(ascii, "255 3 0 2 1", "255 3 0 2 4"), "f"),
            "f:20: refers to vertex 4, but there are 4");
  EXPECT_EQ(refused_mesh(replaced(ascii, "255 3 0 2 1", "255 3 0 2 -1"), "f"),
            "f:20: refers to vertex -1, but there are 4");
  EXPECT_EQ(refused_mesh(replaced(ascii, "255 3 0 2 1", "255 4 0 2 1"), "f"),
            "f:20: property 'vertex_indices' needs 4 values, 3 follow; was the file cut off?");
  EXPECT_EQ(refused_mesh(replaced(ascii, "255 3 0 2 1", "255 2 0 2 1"), "f"), "f:20: has 5 values, its element has 4");
  // MeshLab states less than it writes; a list of a wrong length is something else.
  const std::string more =
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 2\n"
      "property list uchar int vertex_indices\nproperty list uchar float texcoord\nproperty uchar red\nend_header\n"
      "0 0 0\n1 0 0\n0 1 0\n3 0 1 2 2 0.5 0.5 9 1 1\n3 2 1 0 2 0.5 0.5 9 1 1\n";
  const MeshFile meshlab = parse_mesh(more, "f");
  EXPECT_EQ(meshlab.triangles.size(), 2U);
  ASSERT_EQ(meshlab.header.notes.size(), 1U);
  EXPECT_EQ(refused_mesh(replaced(more, "3 2 1 0 2 0.5 0.5 9 1 1", "3 2 1 0 2 0.5 0.5 9 1"), "f"),
            "f:16: has 9 values, its element has 10");
  EXPECT_EQ(refused_mesh(replaced(ascii, "1.000000 0.000000 2", "inf 0.000000 2"), "f"),
            "f:19: vertex 3 is not finite");
  EXPECT_EQ(refused_mesh(ascii + "1\n", "f").find("f:24: comes after the last entry"), 0U);
  EXPECT_EQ(refused_mesh(replaced(ascii, "vertex_indices", "indices"), "f"),
            "f: element 'face' has no list 'vertex_indices' or 'vertex_index'");
  EXPECT_TRUE(contains(refused_mesh(replaced(ascii, "element face 4", "element face 4000000000"), "f"), "claims"));
  for (const char* encoding : {"binary_little_endian", "binary_big_endian"}) {
    const std::string bytes = ply(encoding);
    const std::size_t header = bytes.find("end_header\n");
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const std::string why = refused_mesh(bytes.substr(0, size), "f.ply");
      EXPECT_TRUE(why.starts_with("f.ply")) << size << why;
      EXPECT_TRUE(size <= header + 11 || contains(why, "cut off")) << why;
    }
  }
}

// A comb whose teeth point at each other, an L, a square with collinear corners, and a bow that crosses itself.
TEST(Polygons, AreCutWithoutOverlap) {
  const auto area = [](const std::vector<Vec3>& outline) {
    std::string text;
    for (const Vec3& p : outline) {
      text += "v " + std::to_string(p.x()) + " " + std::to_string(p.y()) + " " + std::to_string(p.z()) + "\n";
    }
    text += "f";
    for (std::size_t i = 1; i <= outline.size(); ++i) text += " " + std::to_string(i);
    const MeshFile file = parse_mesh(text, "f.obj");
    EXPECT_EQ(file.triangles.size(), outline.size() - 2);
    EXPECT_EQ(file.header.polygons, 1U);
    EXPECT_EQ(file.header.crossed_polygons, 0U);
    return report_of(file).area;
  };
  EXPECT_NEAR(area({{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}}), 3, 1e-12);
  EXPECT_NEAR(area({{0, 2, 0}, {1, 2, 0}, {1, 1, 0}, {2, 1, 0}, {2, 0, 0}, {0, 0, 0}}), 3, 1e-12);
  EXPECT_NEAR(area({{1, 0, 0}, {2, 0, 0}, {2, 1, 0}, {2, 2, 0}, {1, 2, 0}, {0, 2, 0}, {0, 1, 0}, {0, 0, 0}}), 4, 1e-12);
  EXPECT_NEAR(area({{0, 0, 5}, {3, 3, 5}, {0, 1, 5}, {-3, 3, 5}}), 3, 1e-12) << "a dart, reflex corner third";
  std::vector<Vec3> comb, turned;
  for (int i = 0; i < 50; ++i) {
    comb.emplace_back(i, 0, 0);
    comb.emplace_back(i + 0.5, 9, 0);
  }
  comb.emplace_back(50, 0, 0);
  comb.emplace_back(50, -1, 0);
  comb.emplace_back(0, -1, 0);
  EXPECT_NEAR(area(comb), 50 + 50 * 4.5, 1e-9);
  for (const Vec3& p : comb) turned.push_back({p.y() / 1024, p.x() / 16, p.x() / 32 + 7});
  EXPECT_GT(area(turned), 0);
  const MeshFile bow = parse_mesh("v 0 0 0\nv 4 4 0\nv 4 0 0\nv 0 1 0\nf 1 2 3 4\nf 1 1 1 1 1\n", "f.obj");
  EXPECT_EQ(bow.triangles.size(), 5U);
  EXPECT_EQ(bow.header.crossed_polygons, 2U) << "one crosses itself, the other has no normal";
}

TEST_F(MeshFiles, RoundTripsEveryForm) {
  struct Form {
    const char* name;
    MeshEncoding encoding;
  };
  MeshFile tetra = tetrahedron();
  for (Vec3& p : tetra.vertices) p = p * 0.1 + Vec3(1.0 / 3, 4e6, -1e-9);
  for (const Form& form :
       {Form{"a.stl", MeshEncoding::ascii}, Form{"b.stl", MeshEncoding::binary}, Form{"a.obj", MeshEncoding::ascii},
        Form{"a.off", MeshEncoding::ascii}, Form{"a.ply", MeshEncoding::ascii}, Form{"b.ply", MeshEncoding::binary},
        Form{"c.ply", MeshEncoding::binary_big_endian}}) {
    const WriteMeshReport report =
        write_mesh(path(form.name), tetra.vertices, tetra.triangles, {.encoding = form.encoding});
    const MeshFile back = read_mesh_file(path(form.name));
    EXPECT_EQ(report.triangles, 4U);
    EXPECT_EQ(back.header.encoding, form.encoding);
    const bool stl = std::string_view(form.name).ends_with("stl");
    EXPECT_NEAR(report.rounding, stl ? 0.1 : 0, 1e-7) << "4 000 000.1 is not a float";
    if (!stl) {
      EXPECT_EQ(back.vertices, tetra.vertices) << form.name;
      EXPECT_EQ(back.triangles, tetra.triangles) << form.name;
    } else {
      EXPECT_EQ(back.triangles.size(), 4U);
      EXPECT_LE((back.vertices[0] - tetra.vertices[0]).norm(), report.rounding);
    }
    write_mesh(path("f32.ply"), tetra.vertices, tetra.triangles, {.coordinates = NumberType::float32});
    EXPECT_EQ(read_mesh_file(path("f32.ply")).vertices[1].cast<float>(), tetra.vertices[1].cast<float>());
    EXPECT_NE(read_mesh_file(path("f32.ply")).vertices[1], tetra.vertices[1]);
  }
  for (const char* name : {"e.stl", "e.obj", "e.off"}) {
    write_mesh(path(name), {}, {});
    EXPECT_TRUE(read_mesh(path(name)).empty()) << name;
  }
  EXPECT_TRUE(
      contains(refusal([&] { write_mesh(path("a.dae"), {}, {}); }), "its name does not indicate a mesh format"));
  EXPECT_TRUE(
      contains(refusal([&] { write_mesh(path("a"), {}, {}, {.format = MeshFormat::gltf}); }), "does not write"));
  EXPECT_TRUE(contains(refusal([&] { write_mesh(path("a.obj"), {}, {}, {.encoding = MeshEncoding::binary}); }),
                       "there is no binary form of OBJ"));
  EXPECT_TRUE(contains(refusal([&] { write_mesh(path("x.ply"), {}, kTetraTriangles); }), "refers to vertex 0"));
  EXPECT_FALSE(std::filesystem::exists(path("x.ply")));
}

// 450000.03125 as a float32 was written as 450000.03.
TEST_F(MeshFiles, Float32AsTextIsTheSameDouble) {
  MeshFile file = tetrahedron();
  for (Vec3& p : file.vertices) p = (p * 0.1F + Vec3(450000.03125, 0.1F, 0)).cast<float>().cast<double>();
  for (const char* name : {"a.stl", "a.obj", "a.ply", "a.off"}) {
    write_mesh(path(name), file.vertices, file.triangles,
               {.encoding = MeshEncoding::ascii, .coordinates = NumberType::float32});
    EXPECT_EQ(corners_of(read_mesh_file(path(name))), corners_of(file)) << name;
    EXPECT_TRUE(contains(contents(name), "450000.03125 0.10000000149011612 0\n")) << contents(name);
  }
}

// A line of 1.8 MB: the limit on lines used to apply before that on polygons.
TEST_F(MeshFiles, PolygonsMayHaveAsManyCornersAsDocumented) {
  for (const std::size_t corners : {std::size_t{262144}, std::size_t{262145}}) {
    std::string obj, off = "OFF\n" + std::to_string(corners) + " 1 0\n", face, indices;
    for (std::size_t i = 0; i < corners; ++i) {
      const double angle = 6.283185307179586 * static_cast<double>(i) / static_cast<double>(corners);
      const std::string point = fmt::format("{} {} 0\n", 1000 * std::cos(angle), 1000 * std::sin(angle));
      obj += "v " + point;
      off += point;
      face += fmt::format(" {}", i + 1);
      indices += fmt::format(" {}", i);
    }
    for (const auto& [bytes, name] : {std::pair(obj + "f" + face + "\n", "f.obj"),
                                      std::pair(off + std::to_string(corners) + indices + "\n", "f.off")}) {
      if (corners == 262144) {
        EXPECT_EQ(parse_mesh(bytes, name).triangles.size(), corners - 2) << name;
      } else {
        EXPECT_TRUE(
            contains(refused_mesh(bytes, name), "a polygon of 262145 corners; graze reads such of at most 262144"))
            << refused_mesh(bytes, name);
      }
    }
  }
}

TEST_F(MeshFiles, UnitsAndAxesAreThoseOfTheCallerUnlessStated) {
  const MeshFile file = parse_mesh(ascii_stl(), "f", {.unit = 0.001, .up = UpAxis::y});
  EXPECT_NEAR(report_of(file).volume, 1e-9 / 6, 1e-24) << "turned, not mirrored";
  EXPECT_EQ(file.vertices[1], Vec3(0, 0, 0.001)) << "what was y is z";
  EXPECT_EQ(parse_mesh("v 1 2 3\n", "f.obj", {.up = UpAxis::x}).vertices[0], Vec3(-2, -3, 1));
  EXPECT_NEAR(report_of(parse_mesh(ascii_stl(), "f", {.up = UpAxis::x})).volume, 1.0 / 6, 1e-15);
  EXPECT_EQ(refusal([&] { parse_mesh(ascii_stl(), "f", {.unit = 0}); }),
            "unit: must be a positive number of metres, got 0");
  EXPECT_TRUE(read_mesh(write("a.stl", ascii_stl()), {.mesh = {.solid = true}}).solid());
  const std::string open = kObj + "f 1 2 3\n";
  EXPECT_EQ(refusal([&] { read_mesh(write("a.obj", open), {.mesh = {.solid = true}}); }).find(path("a.obj") + ": "),
            0U);
}

TEST_F(MeshFiles, CancellingStopsAndSaysSo) {
  std::string text;
  for (int i = 0; i < 50000; ++i) text += "v 1 2 3\n";
  const Progress stop([](const ProgressUpdate&) { return false; }, {.interval = std::chrono::nanoseconds(0)});
  EXPECT_EQ(refusal([&] { parse_mesh(text, "f.obj", {.progress = stop}); }), "reading f.obj: was cancelled");
}

// Small files with large claims, and polygons that take the most memory per byte.
TEST_F(MeshFiles, TakeMemoryProportionalToTheFile) {
  rusage before{}, after{};
  ::getrusage(RUSAGE_SELF, &before);
  std::string stl = binary_stl();
  stl.replace(80, 4, "\xff\xff\xff\xff");
  EXPECT_FALSE(refused_mesh(stl, "f.stl").empty());
  const std::string header =
      "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty uchar x\nproperty uchar y\nproperty uchar "
      "z\nelement face 1\nproperty list uint uchar vertex_index\nend_header\n0000a0b00";
  EXPECT_FALSE(refused_mesh(header + "\xff\xff\xff\xff" + std::string(1000, '\1'), "f").empty());
  const std::string polygon = header + bytes_of<std::uint32_t>(260000) + std::string(260000, '\1');
  EXPECT_EQ(parse_mesh(polygon, "f").triangles.size(), 259998U);
  EXPECT_TRUE(contains(refused_mesh(header + bytes_of<std::uint32_t>(300000) + std::string(300000, '\1'), "f"),
                       "a polygon of 300000 corners"));
  ::getrusage(RUSAGE_SELF, &after);
  EXPECT_LE(after.ru_maxrss - before.ru_maxrss, (64 << 10) + 64 * static_cast<long>(polygon.size() >> 10));
}

// Faces of many corners with one byte each: the triangles alone would be accepted, but not with their tree.
TEST_F(MeshFiles, CountTheMemoryOfTheMesh) {
  const auto faces = [](int count, int corners) {
    std::string bytes = fmt::format(
        "ply\nformat binary_little_endian 1.0\nelement vertex 255\nproperty uchar x\nproperty uchar y\nproperty uchar "
        "z\nelement face {}\nproperty list uchar uchar vertex_indices\nend_header\n",
        count);
    for (int i = 0; i < 255; ++i) {
      const double turn = 2 * 3.141592653589793 * i / 255;
      for (const double x : {127 + 120 * std::cos(turn), 127 + 120 * std::sin(turn), 0.0}) {
        bytes += static_cast<char>(static_cast<unsigned char>(x));
      }
    }
    std::string face(1, static_cast<char>(corners));
    for (int i = 0; i < corners; ++i) face += static_cast<char>(i);
    for (int i = 0; i < count; ++i) bytes += face;
    return bytes;
  };
  const std::string bomb = refused_mesh(faces(2000, 255), "f.ply");
  EXPECT_EQ(bomb.find("f.ply: claims "), 0U) << bomb;
  EXPECT_TRUE(contains(bomb, "MiB in memory with their search tree; the limit for a file of 512")) << bomb;
  EXPECT_TRUE(contains(bomb, "divide it")) << bomb;
  EXPECT_EQ(refused_mesh(faces(1000, 255), "f.ply"), "") << "what always fits is read";
  // As a solid it takes more.
  const std::string triangles = faces(300'000, 3);
  EXPECT_EQ(refused_mesh(triangles, "f.ply"), "");
  EXPECT_TRUE(contains(refusal([&] { parse_mesh(triangles, "f.ply", {.mesh = {.solid = true}}); }), "claims "));
}

}  // namespace mesh_file_test
}  // namespace graze
