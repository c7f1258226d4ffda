// PLY files written by hand.
#include "io/cloud_files.h"

namespace graze {
namespace ply_test {

using namespace graze_test;

const std::string kAscii =
    "ply\nformat ascii 1.0\ncomment by hand\nobj_info x\nelement vertex 2\nproperty float x\nproperty float y\n"
    "property float z\nproperty uchar red\nend_header\n";

TEST(Ply, ReadsAscii) {
  const Cloud cloud = parse_cloud(kAscii + "1 2 3 255\n-0.1 1e-3 +4 7\n", "f");
  ASSERT_EQ(cloud.size(), 2U);
  EXPECT_EQ(cloud.point(0), Vec3(1, 2, 3));
  EXPECT_EQ(cloud.point(1), Vec3(double{-0.1F}, double{1e-3F}, 4)) << "as the floats that the header declares";
  EXPECT_EQ(cloud.attribute("red")->values<std::uint8_t>()[1], 7);
  EXPECT_EQ(parse_cloud(kAscii + "1 2 3 255\r\n\r\n1 2 3 4.0\r\n \n", "f").size(), 2U) << "blank lines, CRLF, 4.0";
}

TEST(Ply, NamesLineAndValue) {
  EXPECT_EQ(refused(kAscii + "1 2 3 255\n1 zwei 3 4\n"), "f:12: 'zwei' for property 'y' is not a number");
  EXPECT_EQ(refused(kAscii + "1 2 3 255\n1 2 3 256\n"),
            "f:12: '256' for property 'red' does not fit its declared type");
  EXPECT_EQ(refused(kAscii + "1 2 3 255\n1 2 3 1.5\n"),
            "f:12: '1.5' for property 'red' is not a whole number, as its declared type requires");
  EXPECT_EQ(refused(kAscii + "1 2 3 255\n1 2\n1 2 3 4\n"),
            "f:12: ends before property 'z': has 2 values; was the file cut off?");
  EXPECT_EQ(refused(kAscii + "1 2 3 255\n1 2 3 4 5\n"), "f:12: has 5 values, its element has 4");
  EXPECT_EQ(refused(kAscii + "1 2 3 255\n\n\n\n\n\n\n"),
            "f: ends within element 'vertex': 1 of 2 entries are missing; was it cut off?");
  EXPECT_EQ(refused(kAscii + "1 2 3 4\n1 2 3 4\n1 2 3 4\n"),
            "f:13: comes after the last entry that the header counts; its counts are too small");
}

TEST(Ply, RejectsBadHeaders) {
  const std::string start = "ply\nformat ascii 1.0\n";
  EXPECT_TRUE(
      contains(refused(start + "elemental\nend_header\n"), "f:3: 'elemental' is not a keyword of a PLY header"));
  EXPECT_TRUE(contains(refused(start + "property float x\nend_header\n"), "f:3: a property comes before any element"));
  EXPECT_TRUE(contains(refused(start + "element vertex -1\nend_header\n"), "f:3: element count '-1' is not a count"));
  EXPECT_TRUE(
      contains(refused(start + "element vertex 1\nproperty quad x\nend_header\n"), "f:4: property type 'quad'"));
  EXPECT_TRUE(contains(refused(start + "element face 1\nproperty int x\nend_header\n1\n"), "no element 'vertex'"));
  EXPECT_TRUE(
      contains(refused(start + "element vertex 0\nproperty int x\nproperty int y\nend_header\n"), "no property 'z'"));
  EXPECT_TRUE(contains(refused(start + "element vertex 0\nelement vertex 0\nend_header\n"), "comes twice"));
  EXPECT_TRUE(contains(refused(start), "no end_header"));
  EXPECT_TRUE(contains(refused("ply\nelement vertex 0\nend_header\n"), "no format line"));
  EXPECT_TRUE(contains(refused("ply\nformat ascii 2.0\nend_header\n"), "version '2.0' is not 1.0"));
  EXPECT_TRUE(contains(refused("ply\nformat morse 1.0\nend_header\n"), "format 'morse' is not"));
}

// Elements before and after the points, with lists in all of them; in both byte orders.
TEST(Ply, SkipsListsAndOtherElements) {
  for (const bool big : {false, true}) {
    std::string bytes = std::string("ply\nformat ") + (big ? "binary_big_endian" : "binary_little_endian") + " 1.0\n";
    bytes +=
        "element camera 2\nproperty short id\nproperty list uchar double m\nelement vertex 2\nproperty double y\n"
        "property list int short neighbours\nproperty double x\nproperty ushort intensity\nproperty float z\n"
        "element face 1\nproperty list ushort int vertex_indices\nend_header\n";
    for (const int n : {0, 3}) {
      bytes += bytes_of<std::int16_t>(7, big) + static_cast<char>(n);
      for (int i = 0; i < n; ++i) bytes += bytes_of(1.5, big);
    }
    for (const int n : {2, 0}) {
      bytes += bytes_of(0.1 + n, big) + bytes_of<std::int32_t>(n, big);
      for (int i = 0; i < n; ++i) bytes += bytes_of<std::int16_t>(9, big);
      bytes += bytes_of(4e6 + n, big) + bytes_of<std::uint16_t>(300, big) + bytes_of(3.5F, big);
    }
    bytes += bytes_of<std::uint16_t>(3, big) + bytes_of<std::int32_t>(0, big) + bytes_of<std::int32_t>(1, big) +
             bytes_of<std::int32_t>(2, big);
    const Cloud cloud = parse_cloud(bytes, "f");
    ASSERT_EQ(cloud.size(), 2U);
    EXPECT_EQ(cloud.point(0), Vec3(4e6 + 2, 0.1 + 2, 3.5));
    EXPECT_EQ(cloud.point(1), Vec3(4e6, 0.1, 3.5));
    EXPECT_EQ(cloud.attribute("intensity")->values<std::uint16_t>()[1], 300);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_NE(refused(bytes.substr(0, size)), "") << size;
    }
    EXPECT_EQ(refused(bytes + "more"),
              "f: 4 bytes follow the last entry that the header counts; its counts are too small");
    EXPECT_EQ(refused(bytes + "\n"), "");
  }
  const std::string ascii =
      "ply\nformat ascii 1.0\nelement face 1\nproperty list int int i\nelement vertex 1\nproperty float x\nproperty "
      "list "
      "uchar int l\nproperty float y\nproperty float z\nend_header\n3 0 1 2\n1 2 7 7 2 3\n";
  EXPECT_EQ(parse_cloud(ascii, "f").point(0), Vec3(1, 2, 3));
}

TEST(Ply, RejectsListsOfNegativeLength) {
  const std::string bytes =
      "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty list char int l\nproperty float x\nproperty "
      "float y\n"
      "property float z\nend_header\n\xFF" +
      std::string(12, '\0');
  EXPECT_TRUE(contains(refused(bytes), "list 'l' has the length -1"));
}

TEST_F(CloudFiles, PlyReportsWhatItSkips) {
  const std::string file = write(
      "a.ply",
      "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\nproperty float z\nproperty list "
      "uchar int l\nelement face 0\nproperty list uchar int i\nend_header\n");
  const CloudHeader header = read_cloud_header(file);
  EXPECT_EQ(header.notes, (std::vector<std::string>{"element 'face' (0 entries) is not read",
                                                    "list property 'l' of the points is not read"}));
}

TEST(Ply, RejectsADuplicateProperty) {
  EXPECT_EQ(refused("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
                    "property float x\nend_header\n1 2 3 4\n"),
            "f:7: property 'x' of element 'vertex' comes twice");
}

}  // namespace ply_test
}  // namespace graze
