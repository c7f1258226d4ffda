// Readers of height fields: what is in a file, and why others are refused.
#include "graze/io/height_field_file.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "graze/base/error.h"
#include "graze/io/ask.h"
#include "support/generator.h"
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

// What the caller states of the numbers holds for every kind of file, or is refused.
TEST(HeightFieldFiles, ScalesEveryKindOfFile) {
  const float raw[] = {1, 2, 3, 4};
  std::string floats(sizeof raw, '\0');
  std::memcpy(floats.data(), raw, sizeof raw);
  const ReadHeightFieldOptions in_feet{.scale = 0.25, .offset = 100};
  EXPECT_EQ(parse_height_field(kGrid, "h.asc", in_feet).field.height(0, 0), 101);
  EXPECT_EQ(parse_height_field(floats, "h.f32", {.dx = 1, .dy = 1, .scale = 0.25, .offset = 100, .columns = 2})
                .field.height(1, 1),
            101);
  EXPECT_NE(why(kGrid, "h.asc", {.columns = 3}).find("states how many columns it has itself"), std::string::npos);
  EXPECT_NE(why("P2 2 2 9 1 2 3 9", "h.pgm", {.dx = 1, .dy = 1, .columns = 2}), "");
  EXPECT_NE(why(kGrid, "h.asc", {.scale = kInfinity}).find("scale and offset must be finite"), std::string::npos);
  EXPECT_NE(why(floats, "h.f32", {.dx = 1, .dy = 1, .offset = kInfinity, .columns = 2}), "");
}

// ESRI's value of a hole holds where a grid states none.
TEST(HeightFieldFiles, HolesAreThoseOfEsriUnlessStated) {
  EXPECT_NE(why("ncols 2 nrows 2 cellsize 1 1 -9999 3 4", "h.asc").find("is a hole"), std::string::npos);
  EXPECT_EQ(why("ncols 2 nrows 2 cellsize 1 NODATA_value -1 1 -9999 3 4", "h.asc"), "");
  // A pit as deep as that is written so that it reads back.
  const std::string path = testing::TempDir() + "graze pit.asc";
  write_height_field(path, HeightField({.columns = 2, .rows = 2}, std::vector<double>{1, -9999, 3, 4}));
  EXPECT_EQ(read_height_field(path).field.height(1, 0), -9999);
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

void append(std::string& out, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) out.push_back(static_cast<char>(value >> shift & 0xFFU));
}
void append_chunk(std::string& out, const std::string& name, const std::string& data) {
  append(out, static_cast<std::uint32_t>(data.size()));
  const std::string body = name + data;
  out += body;
  append(out, static_cast<std::uint32_t>(
                  crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()))));
}

// What a PNG image is made of; each may be spoilt.
struct Png {
  std::uint32_t columns = 0, rows = 0;
  char bits = 16, color = 0, interlace = 0;
  std::string pixels = {};               // bytes of the rows before they are filtered, one after the other
  int filter = -1;                       // -1: each row another
  std::size_t part = std::string::npos;  // bytes per IDAT
  std::string before = {};               // chunks before the pixels

  std::string filtered() const {
    const std::size_t size = (std::size_t{columns} * static_cast<std::size_t>(bits) + 7) / 8, step = bits == 16 ? 2 : 1;
    std::string out;
    for (std::size_t j = 0; j < rows; ++j) {
      const int kind = filter < 0 ? static_cast<int>(j % 5) : filter;
      out.push_back(static_cast<char>(kind));
      const auto byte = [&](std::size_t row, std::size_t i) {
        return static_cast<unsigned char>(pixels[row * size + i]);
      };
      for (std::size_t i = 0; i < size; ++i) {
        const int a = i < step ? 0 : byte(j, i - step), b = j == 0 ? 0 : byte(j - 1, i);
        const int c = j == 0 || i < step ? 0 : byte(j - 1, i - step);
        int nearest = a, best = std::abs(b - c);  // |a + b − c − a|
        if (std::abs(a - c) < best) nearest = b, best = std::abs(a - c);
        if (std::abs(a + b - 2 * c) < best) nearest = c;
        const int guesses[] = {0, a, b, (a + b) / 2, nearest};
        out.push_back(static_cast<char>(byte(j, i) - guesses[kind > 4 ? 0 : kind]));
      }
    }
    return out;
  }
  std::string bytes() const {
    std::string out = "\x89PNG\r\n\x1A\n", header;
    append(header, columns), append(header, rows);
    header += {bits, color, '\0', '\0', interlace};
    append_chunk(out, "IHDR", header);
    out += before;
    const std::string raw = filtered();
    uLongf size = compressBound(static_cast<uLong>(raw.size()));
    std::string packed(size, '\0');
    compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(raw.data()),
             static_cast<uLong>(raw.size()));
    packed.resize(size);
    for (std::size_t from = 0; from < packed.size(); from += std::min(part, packed.size() - from))
      append_chunk(out, "IDAT", packed.substr(from, part));
    append_chunk(out, "IEND", "");
    return out;
  }
};

TEST(HeightFieldFiles, ReadsPngImagesOfAllDepthsAndFilters) {
  Generator random(1);
  for (const int bits : {1, 2, 4, 8, 16}) {
    for (const int filter : {-1, 0, 1, 2, 3, 4}) {
      Png png{.columns = 13, .rows = 11, .bits = static_cast<char>(bits), .filter = filter};
      const std::size_t size = (13 * static_cast<std::size_t>(bits) + 7) / 8;
      // Smooth, so that filters have something to do, with some noise.
      for (std::size_t i = 0; i < 11 * size; ++i)
        png.pixels.push_back(static_cast<char>(i * 3 + static_cast<std::size_t>(random.integer(0, 40))));
      if (filter == 2) png.part = 7;
      if (filter == 3) append_chunk(png.before, "tEXt", "Title");
      const HeightField field =
          parse_height_field(png.bytes(), "h.png", {.dx = 1, .dy = 1, .scale = 0.5, .offset = -2}).field;
      for (std::size_t j = 0; j < 11; ++j) {
        for (std::size_t i = 0; i < 13; ++i) {
          const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(png.pixels[j * size + at]); };
          const int value =
              bits == 16
                  ? byte(2 * i) * 256 + byte(2 * i + 1)
                  : (byte(i * static_cast<std::size_t>(bits) / 8) >> (8 - bits - static_cast<int>(i) * bits % 8)) %
                        (1 << bits);
          ASSERT_EQ(field.height(i, 10 - j), -2 + 0.5 * value) << bits << " bits, filter " << filter;
        }
      }
    }
  }
}

TEST(HeightFieldFiles, RefusesImagesThatAreNoHeights) {
  const ReadHeightFieldOptions cell{.dx = 1, .dy = 1};
  const Png good{.columns = 2, .rows = 2, .bits = 8, .pixels = "abcd"};
  const std::string bytes = good.bytes();
  EXPECT_EQ(why(bytes, "f.png", cell), "");
  EXPECT_EQ(why(bytes, "f.png"),
            "f.png: does not state the size of its cells; expected dx and dy above 0, got 0 and 0");
  const auto with = [&](const auto& change) {
    Png png = good;
    change(png);
    return why(png.bytes(), "f.png", cell);
  };
  EXPECT_EQ(with([](Png& p) { p.color = 2; }),
            "f.png: has colours or transparency; expected a grey image, whose numbers are heights");
  EXPECT_EQ(with([](Png& p) { p.interlace = 1; }), "f.png: is interlaced; save it without interlacing");
  EXPECT_EQ(with([](Png& p) { p.bits = 3; }), "f.png: has 3 bits per pixel");
  EXPECT_EQ(with([](Png& p) { p.filter = 9; }), "f.png: is damaged: row 0 has an unknown filter 9");
  EXPECT_EQ(with([](Png& p) { append_chunk(p.before, "tRNS", std::string("\0d", 2)); }),
            "f.png: row 1, column 1 from the top is a hole, which is neither free nor occupied; fill it first");
  EXPECT_EQ(with([](Png& p) { append_chunk(p.before, "ABCD", ""); }),
            "f.png: has a chunk that must be understood and is not known");
  // The header claims other sizes than there are pixels.
  const auto claiming = [&](std::uint32_t columns, std::uint32_t rows) {
    std::string out = bytes.substr(0, 8), header;
    append(header, columns), append(header, rows);
    header += std::string("\x08\0\0\0\0", 5);
    append_chunk(out, "IHDR", header);
    return why(out + bytes.substr(33), "f.png", cell);
  };
  EXPECT_EQ(claiming(2, 2), "");
  EXPECT_EQ(claiming(2, 3), "f.png: ends in row 2 of 3");
  EXPECT_EQ(claiming(3, 2), "f.png: ends in row 1 of 2");
  EXPECT_EQ(claiming(2, 1), "f.png: must have 2 × 2 heights or more, got 2 × 1");
  EXPECT_EQ(claiming(0, 2), "f.png: has 0 × 2 pixels");
  const std::string many = claiming(0x7FFFFFFFU, 0x7FFFFFFFU);
  EXPECT_TRUE(many.starts_with("f.png: 2147483647 × 2147483647 heights exceed the limit of 279")) << many;
  Png longer = good;
  longer.rows = 3, longer.pixels += "ef";
  std::string extra = longer.bytes();
  EXPECT_EQ(why(extra, "f.png", cell), "");
  extra = bytes.substr(0, 33) + extra.substr(33);
  EXPECT_EQ(why(extra, "f.png", cell), "f.png: has more than 2 × 2 pixels");
  // Any bit that is wrong, and any end that comes early, is noticed.
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string wrong = bytes;
    wrong[i] = static_cast<char>(wrong[i] ^ 4);
    EXPECT_NE(why(wrong, "f.png", cell), "") << "byte " << i;
    EXPECT_NE(why(bytes.substr(0, i), "f.png", cell), "") << "the first " << i;
  }
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
  EXPECT_EQ(why("1234", "f.bil"), "f.bil: expected a height field in an .asc, .pgm, .png or .f32 file");
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
            R"({"error":"b.unknown: must be \"free\" or \"occupied\", got \"maybe\""})");
  EXPECT_EQ(refused(R"({"shape":"map","file":"x.bt","unknown":"free","threshold":2})"),
            R"({"error":"b.threshold: must be from 0 to 1, got 2"})");
}

}  // namespace height_field_file_test
}  // namespace graze_test
