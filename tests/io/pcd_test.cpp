// PCD files written by hand, and LZF.
#include "io/cloud_files.h"
#include "io/lzf.h"

namespace graze {
namespace pcd_test {

using namespace graze_test;

std::string header(const std::string& fields, const std::string& sizes, const std::string& types,
                   const std::string& counts, int points, const std::string& data) {
  return "# .PCD v.7 - Point Cloud Data file format\nVERSION .7\nFIELDS " + fields + "\nSIZE " + sizes + "\nTYPE " +
         types + "\nCOUNT " + counts + "\nWIDTH " + std::to_string(points) +
         "\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS " + std::to_string(points) + "\nDATA " + data + "\n";
}

std::string unpacked(const std::string& packed, std::size_t size) {
  io::LzfDecoder decoder(io::Bytes::of(packed, "f"), 0, packed.size());
  std::string whole(size, '\0');
  // In parts, from copies, as the reader of columns does.
  for (std::size_t at = 0; at < size;) {
    const std::size_t part = std::min<std::size_t>(size - at, 1 + at % 777);
    io::LzfDecoder copy = decoder;
    EXPECT_TRUE(copy.read(nullptr, part));
    EXPECT_TRUE(decoder.read(whole.data() + at, part));
    at += part;
  }
  EXPECT_TRUE(decoder.at_end());
  return whole;
}

TEST(Lzf, UnpacksWhatItPacked) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::string bytes;
    const std::size_t letters = 1 + random() % (round % 2 == 0 ? 3 : 256);
    const std::size_t size = random() % 30000;
    while (bytes.size() < size) {
      if (random() % 4 == 0 && bytes.size() > 20) {
        bytes += bytes.substr(random() % bytes.size(), random() % 600);
      } else {
        bytes += static_cast<char>(random() % letters);
      }
    }
    const std::string packed = io::lzf_packed(bytes);
    EXPECT_LE(packed.size(), bytes.size() + bytes.size() / 32 + 1);
    ASSERT_EQ(unpacked(packed, bytes.size()), bytes);
  }
  EXPECT_LT(io::lzf_packed(std::string(100000, 'x')).size(), 1300U);
}

TEST(Lzf, UnpacksAsSpecified) {
  // Three literals, a repetition of 3 from 3 back, one of 7 + 9 - … from 1 back.
  EXPECT_EQ(unpacked(std::string("\x02"
                                 "abc"
                                 "\x20\x02"
                                 "\xE0\x01\x00",
                                 9),
                     3 + 3 + 10),
            "abcabccccccccccc");
}

TEST(Lzf, RejectsInvalidData) {
  const auto refuses = [](std::string packed) {
    io::LzfDecoder decoder(io::Bytes::of(packed, "f"), 0, packed.size());
    return !decoder.read(nullptr, 100);
  };
  EXPECT_TRUE(refuses(""));
  EXPECT_TRUE(
      refuses("\x1f"
              "abc"));
  EXPECT_TRUE(refuses(std::string("\x20\x00", 2))) << "repeats bytes before the start";
  EXPECT_TRUE(refuses("\xE0"));
}

TEST(Pcd, ReadsPaddingAndFieldsOfManyValues) {
  std::string bytes = header("x y z _ fpfh normal_x", "4 4 4 1 2 8", "F F F U I F", "1 1 1 4 3 1", 2, "binary");
  for (const int i : {0, 1}) {
    for (const float x : {1.F, 2.F, 3.F}) bytes += bytes_of(x + static_cast<float>(i));
    bytes += "pad_";
    for (const int k : {0, 1, 2}) bytes += bytes_of(static_cast<std::int16_t>(-10 * i - k));
    bytes += bytes_of(0.5);
  }
  const Cloud cloud = parse_cloud(bytes, "f");
  ASSERT_EQ(cloud.size(), 2U);
  EXPECT_EQ(cloud.point(1), Vec3(2, 3, 4));
  ASSERT_EQ(cloud.attributes().size(), 4U);
  EXPECT_EQ(cloud.attribute("fpfh[2]")->values<std::int16_t>()[1], -12);
  EXPECT_EQ((*cloud.attribute("normal_x"))[1], 0.5);
  EXPECT_TRUE(
      contains(refused(bytes.substr(0, bytes.size() - 1)), "claims 2 points of at least 30 bytes, but only 59"));
  EXPECT_TRUE(contains(refused(bytes + "x"), "1 bytes follow"));
}

TEST(Pcd, ReadsAscii) {
  const std::string start = header("x y z _ a", "4 4 4 1 4", "F F F U I", "1 1 1 2 2", 2, "ascii");
  const Cloud cloud = parse_cloud(start + "1 2 3 0 0 4 5\nnan nan nan 0 0 6 -7\n", "f");
  EXPECT_EQ(cloud.skipped(), 1U);
  EXPECT_EQ((*cloud.attribute("a[1]"))[1], -7);
  EXPECT_EQ(refused(start + "1 2 3 0 0 4 5\n1.25 2 3 0 0 4\n"), "f:13: has 6 values, the fields make 7");
  EXPECT_EQ(refused(start + "1 2 3 0 0 4 5\n1 2 3 0 0 4 x\n"), "f:13: 'x' for field 'a' is not a number");
}

TEST(Pcd, UnpacksColours) {
  const float red_in_float = [] {
    const std::uint32_t bits = 0x00FF8001;
    float value = 0;
    std::memcpy(&value, &bits, 4);
    return value;
  }();
  std::string bytes = header("x y z rgb", "4 4 4 4", "F F F F", "1 1 1 1", 1, "binary");
  bytes += std::string(12, '\0') + bytes_of(red_in_float);
  const auto expect_colors = [](const Cloud& cloud) {
    EXPECT_EQ((*cloud.attribute("red"))[0], 255);
    EXPECT_EQ((*cloud.attribute("green"))[0], 128);
    EXPECT_EQ((*cloud.attribute("blue"))[0], 1);
  };
  expect_colors(parse_cloud(bytes, "f"));
  expect_colors(
      parse_cloud(header("x y z rgb", "4 4 4 4", "F F F U", "1 1 1 1", 1, "ascii") + "0 0 0 16744449\n", "f"));
  expect_colors(
      parse_cloud(header("x y z rgb", "4 4 4 4", "F F F F", "1 1 1 1", 1, "ascii") + "0 0 0 16744449\n", "f"));
  expect_colors(
      parse_cloud(header("x y z rgb", "4 4 4 4", "F F F F", "1 1 1 1", 1, "ascii") + "0 0 0 2.34639707e-38\n", "f"));
  const Cloud alpha =
      parse_cloud(header("x y z rgba", "4 4 4 4", "F F F U", "1 1 1 1", 1, "ascii") + "0 0 0 4294967295\n", "f");
  EXPECT_EQ((*alpha.attribute("alpha"))[0], 255);
}

TEST_F(CloudFiles, PcdKeepsColoursGroupsRowsAndViewpoint) {
  for (const char* data : {"ascii", "binary"}) {
    const std::string from =
        write("a.pcd",
              "VERSION 0.7\nFIELDS x y z rgb f\nSIZE 4 4 4 4 1\nTYPE F F F U U\nCOUNT 1 1 1 1 2\nWIDTH 2\nHEIGHT "
              "2\nVIEWPOINT 1 2 3 "
              "0 0 0 1\nPOINTS 4\nDATA ascii\n1 2 3 256 1 2\n1 2 3 65536 3 4\n1 2 3 1 5 6\n1 2 3 0 7 8\n");
    for (const CloudEncoding encoding : {CloudEncoding::ascii, CloudEncoding::binary, CloudEncoding::compressed}) {
      convert_cloud(from, path("b.pcd"), {.write = {.encoding = encoding}});
      const std::string text = contents("b.pcd");
      EXPECT_TRUE(contains(text, "FIELDS x y z rgb f\n")) << data;
      EXPECT_TRUE(contains(text, "COUNT 1 1 1 1 2\n"));
      EXPECT_TRUE(contains(text, "WIDTH 2\nHEIGHT 2\n"));
      EXPECT_TRUE(contains(text, "VIEWPOINT 1 2 3 0 0 0 1\n")) << text;
      const Cloud cloud = read_cloud(path("b.pcd"));
      EXPECT_EQ((*cloud.attribute("red"))[1], 1);
      EXPECT_EQ((*cloud.attribute("green"))[0], 1);
      EXPECT_EQ((*cloud.attribute("f[1]"))[3], 8);
      EXPECT_EQ(cloud.point(0), Vec3(1, 2, 3));
      EXPECT_EQ(read_cloud(path("b.pcd"), {.apply_viewpoint = true}).point(0), Vec3(0, 0, 6)) << "half a turn about z";
    }
  }
}

TEST(Pcd, TakesUpperCaseAxesWhereThereAreNoOthers) {
  const Cloud upper =
      parse_cloud(header("X Z Y Intensity", "4 4 4 4", "F F F F", "1 1 1 1", 1, "ascii") + "1 3 2 7\n", "f");
  EXPECT_EQ(upper.point(0), Vec3(1, 2, 3));
  EXPECT_EQ((*upper.attribute("Intensity"))[0], 7);
  const Cloud both = parse_cloud(header("X x y z", "4 4 4 4", "F F F F", "1 1 1 1", 1, "ascii") + "9 1 2 3\n", "f");
  EXPECT_EQ(both.point(0), Vec3(1, 2, 3));
  EXPECT_EQ((*both.attribute("X"))[0], 9);
}

TEST(Pcd, RejectsBadHeaders) {
  EXPECT_TRUE(contains(refused("VERSION 0.7\nFIELDS x y z\nSIZE 4 4\n"), "SIZE has 2 entries for 3 fields"));
  EXPECT_TRUE(contains(refused(header("x y z", "4 4 3", "F F F", "1 1 1", 1, "ascii")), "TYPE F of SIZE 3"));
  EXPECT_TRUE(contains(refused(header("x y", "4 4", "F F", "1 1", 1, "ascii")), "no field 'z'"));
  EXPECT_TRUE(contains(refused(header("x y z", "4 4 4", "F F F", "1 1 0", 1, "ascii")), "COUNT '0'"));
  EXPECT_TRUE(contains(refused(header("x y z", "4 4 4", "F F F", "1 1 1", 1, "morse")), "DATA 'morse'"));
  EXPECT_TRUE(contains(refused("VERSION 0.7\n"), "no DATA line"));
  EXPECT_TRUE(
      contains(refused("VERSION 0.7\nFIELDS x y\nSIZE 4 4\nTYPE F F\nFIELDS x y z\n"), "f:5: FIELDS comes twice"));
  EXPECT_TRUE(contains(refused("VERSION 0.7\nWIDTH 2\nHEIGHT 2\nPOINTS 5\nFIELDS x\nSIZE 4\nTYPE F\nDATA ascii\n"),
                       "POINTS 5 is not WIDTH 2 × HEIGHT 2"));
  EXPECT_TRUE(contains(refused("VERSION 0.7\nVIEWPOINT 1 2\n"), "f:2: VIEWPOINT needs 7 numbers"));
  EXPECT_TRUE(contains(refused("VERSION 0.7\nVIEWPOINT 1 2 3 0 0 0 0\n"), "f:2: VIEWPOINT"));
  EXPECT_TRUE(
      contains(refused("VERSION 0.7\nFIELDS x y z a\nSIZE 4 4 4 8\nTYPE F F F F\nCOUNT 1 1 1 999999999\nWIDTH 1\nDATA "
                       "binary\n"),
               "takes more than"));
}

TEST(Pcd, RejectsADuplicateField) {
  const std::string rest = "SIZE 4 4 4 4 4\nTYPE F F F F F\nWIDTH 1\nHEIGHT 1\nPOINTS 1\nDATA ascii\n1 2 3 4 5\n";
  EXPECT_EQ(refused("FIELDS x y z x w\n" + rest), "f:1: field 'x' comes twice");
  EXPECT_EQ(refused("FIELDS x y z _ _\n" + rest), "") << "padding may";
}

}  // namespace pcd_test
}  // namespace graze
