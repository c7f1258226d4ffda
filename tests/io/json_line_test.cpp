#include "io/json_line.h"

#include <gtest/gtest.h>

#include <string>

namespace graze::io {
namespace json_line_test {

std::string repeat(const std::string& text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

std::string error_of(std::string_view text) { return read_json_line(text).error; }

TEST(JsonLine, ReadsEveryKindOfValue) {
  const JsonLine line = read_json_line(R"({"a":[1,-2,0.5,true,null,"x\u00e9"],"b":{"c":{}}})");
  EXPECT_EQ(line.error, "");
  EXPECT_EQ(line.value, Json::parse(R"({"a":[1,-2,0.5,true,null,"xé"],"b":{"c":{}}})"));
}

TEST(JsonLine, ReadsNumbersAsTheNearestDouble) {
  const JsonLine line =
      read_json_line("[0.1,5e-324,1e-400,1.7976931348623157e308,9007199254740993,0.30000000000000004]");
  ASSERT_EQ(line.error, "");
  EXPECT_EQ(line.value[0].get<double>(), 0.1);
  EXPECT_EQ(line.value[1].get<double>(), 5e-324);
  EXPECT_EQ(line.value[2].get<double>(), 0);
  EXPECT_EQ(line.value[3].get<double>(), 1.7976931348623157e308);
  EXPECT_EQ(line.value[4].get<double>(), 9007199254740992);
  EXPECT_EQ(line.value[5].get<double>(), 0.30000000000000004);
}

TEST(JsonLine, RejectsNumbersBeyondDoubleWithTheirPath) {
  EXPECT_EQ(error_of(R"({"a":{"half":[1,2,1e999]}})"), "a.half[2]: the number 1e999 is beyond the range of a double");
  EXPECT_EQ(error_of(R"({"a":-1e99999})"), "a: the number -1e99999 is beyond the range of a double");
}

TEST(JsonLine, RejectsRepeatedKeysAtAnyDepth) {
  EXPECT_EQ(error_of(R"({"a":1,"a":1})"), "a: the key is given twice");
  EXPECT_EQ(error_of(R"({"a":[{"x":{"y":1,"z":2,"y":[3]}}]})"), "a[0].x.y: the key is given twice");
  EXPECT_EQ(error_of(R"({"a":1,"\u0061":1})"), "a: the key is given twice");
  EXPECT_EQ(error_of(R"([{"a":1},{"a":1}])"), "");
}

TEST(JsonLine, RejectsInvalidJson) {
  for (const char* text : {"",        " ",       "{",        "}",     "[1,]",    "{\"a\":}", "{\"a\" 1}", "{'a':1}",
                           "nul",     "NaN",     "Infinity", "01",    "1.",      ".5",       "+1",        "0x10",
                           "// x\n1", "/* */ 1", "1 2",      "{} {}", "\"\\x\"", "\"",       "[1",        "\t\"\t\""}) {
    EXPECT_TRUE(error_of(text).starts_with("not JSON at column ")) << text << ": " << error_of(text);
  }
}

TEST(JsonLine, RejectsIllFormedUtf8AndNul) {
  for (const char* text :
       {"\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xe2\x82\"", "\xff\xfe{}"}) {
    EXPECT_TRUE(error_of(text).starts_with("not JSON at column ")) << error_of(text);
  }
  EXPECT_EQ(error_of(std::string("{}\0{}", 5)), "not JSON at column 3: a NUL byte");
  EXPECT_EQ(error_of(std::string("{}\0", 3)), "not JSON at column 3: a NUL byte");
}

TEST(JsonLine, AllowsAByteOrderMarkAndWhiteSpace) {
  EXPECT_EQ(error_of("\xEF\xBB\xBF{}"), "");
  EXPECT_EQ(error_of(" \t{ \r}\r"), "");
}

TEST(JsonLine, BoundsTheDepth) {
  EXPECT_EQ(error_of(repeat("[", kMaxDepth) + repeat("]", kMaxDepth)), "");
  EXPECT_NE(error_of(repeat("[", kMaxDepth + 1) + repeat("]", kMaxDepth + 1)).find("nested deeper than 64 levels"),
            std::string::npos);
  EXPECT_NE(error_of(repeat(R"({"a":)", 100000) + "1" + repeat("}", 100000)).find("nested deeper"), std::string::npos);
  EXPECT_NE(error_of(std::string(1000000, '[')), "");
}

TEST(JsonLine, FindsTheIdAfterAnError) {
  const auto id_of = [](const std::string& text) {
    const JsonLine line = read_json_line(text);
    EXPECT_NE(line.error, "") << text;
    return line.id ? line.id->dump() : "none";
  };
  EXPECT_EQ(id_of(R"({"a":1e999,"id":7})"), "7");
  EXPECT_EQ(id_of(R"({"a":1,"a":{"id":2},"id":{"x":[1]}})"), R"({"x":[1]})");
  EXPECT_EQ(id_of(R"({"a":)" + repeat("[", 1000) + repeat("]", 1000) + R"(,"id":null})"), "null");
  EXPECT_EQ(id_of(R"({"id":7,"a":x})"), "7");
  EXPECT_EQ(id_of(R"({"id":7)"), "7");
  EXPECT_EQ(id_of(R"({"id":1,"id":2})"), "1");
  // An id that is itself invalid or incomplete is not used.
  EXPECT_EQ(id_of(R"({"id":[1,2)"), "none");
  EXPECT_EQ(id_of(R"({"id":[1,1e999],"a":1})"), "none");
  EXPECT_EQ(id_of(R"({"id":{"a":1,"a":2}})"), "none");
  EXPECT_EQ(id_of(R"({"a":x,"id":7})"), "none");
  EXPECT_EQ(id_of(R"({"a":{"id":7},"b":x})"), "none");
  EXPECT_EQ(id_of(R"([{"id":7},x])"), "none");
}

TEST(JsonLine, KeepsErrorsShort) {
  EXPECT_LT(error_of("\"" + std::string(100000, 'x')).size(), 300U);
  EXPECT_LT(error_of("{\"" + std::string(100000, 'x') + "\":1e999}").size(), 300U);
  EXPECT_LT(error_of("[" + std::string(100000, '1') + "e999]").size(), 300U);
  std::string nested;
  for (int i = 0; i < 200; ++i) nested += R"({"abcdefghij":)";
  EXPECT_LT(error_of(nested + "1e999").size(), 400U);
}

TEST(JsonLine, ShortensAtTheBoundaryOfACharacter) {
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("abcd", 3), "abc…");
  EXPECT_EQ(shortened("ab€d", 3), "ab…");
}

}  // namespace json_line_test
}  // namespace graze::io
