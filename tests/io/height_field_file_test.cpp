// Readers of height fields: what is in a file, and why others are refused.
#include "graze/io/height_field_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "graze/base/error.h"
#include "graze/io/ask.h"
#include "support/refusal.h"

namespace graze_test {
namespace height_field_file_test {

using namespace graze;

const std::string kGrid =
    "ncols 3\nnrows 2\nxllcorner 10\nyllcorner 20\ncellsize 0.5\nNODATA_value -9999\n1 2 3\n4 5.5 -6e-1\n";

std::string why(const std::string& bytes, const std::string& name, const ReadHeightFieldOptions& options = {}) {
  return refusal([&] { parse_height_field(bytes, name, options); });
}

TEST(HeightFieldFiles, ReadsAsciiGrids) {
  const HeightFieldFile file = parse_height_field(kGrid, "hill.asc");
  EXPECT_EQ(file.field.grid().columns, 3U);
  EXPECT_EQ(file.field.grid().rows, 2U);
  EXPECT_EQ(file.field.grid().dx, 0.5);
  // The last row of the file is that of the lowest y.
  EXPECT_EQ(file.field.height(0, 0), 4);
  EXPECT_EQ(file.field.height(2, 0), -0.6);
  EXPECT_EQ(file.field.height(1, 1), 2);
  EXPECT_EQ(file.origin, Vec3(10.25, 20.25, 0));
  EXPECT_EQ(parse_height_field("NCOLS 2 NROWS 2 XLLCENTER 1 YLLCENTER 2 DX 1 DY 3 0 0 0 7", "A.ASC").origin,
            Vec3(1, 2, 0));
}

TEST(HeightFieldFiles, ReadsGreyImages) {
  const ReadHeightFieldOptions options{.dx = 1, .dy = 2, .scale = 0.01, .offset = -5};
  const std::string binary("P5\n# from a sensor\n2 2 65535\n\0\1\0\2\1\0\377\377", 38);
  const HeightField field = parse_height_field(binary, "h.pgm", options).field;
  EXPECT_EQ(field.height(0, 1), -5 + 0.01 * 1);
  EXPECT_EQ(field.height(1, 0), -5 + 0.01 * 65535);
  EXPECT_EQ(parse_height_field("P2 2 2 9 1 2 3 9", "h.pgm", {.dx = 1, .dy = 1}).field.height(1, 0), 9);
}

TEST(HeightFieldFiles, ReadsRawFloats) {
  const float heights[] = {1, 2, 3, 4, 5, 6};
  std::string bytes(sizeof heights, '\0');
  std::memcpy(bytes.data(), heights, sizeof heights);
  const HeightField field = parse_height_field(bytes, "h.f32", {.dx = 1, .dy = 1, .columns = 3}).field;
  EXPECT_EQ(field.grid().rows, 2U);
  EXPECT_EQ(field.height(0, 1), 4);
}

TEST(HeightFieldFiles, RefusesWhatIsNoField) {
  EXPECT_EQ(why("ncols 3\nnrows 2\ncellsize 1\nNODATA_value -9999\n1 2 3\n4 -9999 6\n", "f.asc"),
            "f.asc:6: row 1, column 1 from the top is a hole, which is neither free nor occupied; fill it first");
  EXPECT_EQ(why("ncols 3\nnrows 2\ncellsize 1\n1 2 3\n4 nan 6\n", "f.asc"),
            "f.asc:5: row 1, column 1 from the top is a hole, which is neither free nor occupied; fill it first");
  EXPECT_EQ(why("ncols 2000000000\nnrows 2000000000\ncellsize 1\n1 2 3\n", "f.asc"),
            "f.asc: 2000000000 × 2000000000 heights exceed the file");
  EXPECT_EQ(why("ncols 3\nnrows 2\ncellsize 1\n1 2 3\n", "f.asc"), "f.asc: expected 3 × 2 heights, got 3");
  EXPECT_EQ(why("ncols 2\nnrows 2\ncellsize 1\n1 2 3 4 5\n", "f.asc"), "f.asc:4: has more than 2 × 2 heights");
  EXPECT_EQ(why("ncols 1\nnrows 2\ncellsize 1\n1 2\n", "f.asc"), "f.asc: must have 2 × 2 heights or more, got 1 × 2");
  EXPECT_EQ(why("ncols 2\nnrows 2\ncellsize 1\n1 2 x 4\n", "f.asc"), "f.asc:4: expected a height, got 'x'");
  EXPECT_EQ(why("ncols 2\nnrows 2\ncellsize -1\n1 2 3 4\n", "f.asc"),
            "f.asc: dx must be more than 0 and at most 1e30, got -1");
  EXPECT_EQ(why(kGrid, "f.asc", {.dx = 1, .dy = 1}), "f.asc: states the size of its cells itself");
  EXPECT_EQ(why("P2 2 2 9 1 2 3 10", "f.pgm", {.dx = 1, .dy = 1}),
            "f.pgm: row 1, column 1 from the top is 10, more than 9");
  EXPECT_EQ(why("P5 2 2 255\n123", "f.pgm", {.dx = 1, .dy = 1}), "f.pgm: expected 2 × 2 heights, got 3");
  EXPECT_EQ(why("P5 2 2 255\n1234", "f.pgm"),
            "f.pgm: does not state the size of its cells; expected dx and dy above 0, got 0 and 0");
  EXPECT_EQ(why("1234", "f.png"), "f.png: expected a height field in an .asc, .pgm or .f32 file");
  EXPECT_EQ(why("12345", "f.f32", {.dx = 1, .dy = 1, .columns = 2}),
            "f.f32: expected rows of 2 or more float32, got 5 bytes for 2 columns");
}

TEST(HeightFieldFiles, CutAnywhereAreErrors) {
  for (std::size_t length = 0; length + 5 < kGrid.size(); ++length)
    EXPECT_NE(why(kGrid.substr(0, length), "f.asc"), "") << length;
}

TEST(HeightFieldAsk, AnswersAndRefuses) {
  const auto ask = [](const std::string& field, const std::string& z) {
    return answer_question(R"({"ask":"collide","a":{"shape":"sphere","radius":0.5,"pose":{"xyz":[1,1,)" + z +
                           R"(]}},"b":)" + field + "}")
        .text;
  };
  const std::string hill = R"({"shape":"heightfield","heights":[[0,0,0],[0,1,0],[0,0,0]],"cell":[1,1]})";
  EXPECT_EQ(ask(hill, "2"), R"({"collide":false})");
  EXPECT_EQ(ask(hill, "1.5"), R"({"collide":true})");
  EXPECT_EQ(ask(hill, "-1000"), R"({"collide":true})");
  const auto refused = [&](const std::string& field) { return ask(field, "0"); };
  EXPECT_EQ(refused(R"({"shape":"heightfield","heights":[[0,0],[0]],"cell":[1,1]})"),
            R"({"error":"b.heights[1]: expected 2 heights as in row 0, got 1"})");
  EXPECT_EQ(refused(R"({"shape":"heightfield","heights":[[0,0],[0,0]]})"), R"({"error":"b: needs cell: [dx, dy]"})");
  EXPECT_EQ(refused(R"({"shape":"heightfield","cell":[1,1]})"), R"({"error":"b: needs either file or heights"})");
  EXPECT_EQ(refused(R"({"shape":"map","file":"x.bt","unknown":"maybe"})"),
            R"({"error":"b.unknown: must be \"free\" or \"occupied\""})");
  EXPECT_EQ(refused(R"({"shape":"map","file":"x.bt","unknown":"free","threshold":2})"),
            R"({"error":"b.threshold: must be between 0 and 1"})");
}

}  // namespace height_field_file_test
}  // namespace graze_test
