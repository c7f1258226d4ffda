// The flat JSON reader against that of the library: what it accepts, both read alike; the rest it passes on.
#include "io/json_value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "support/scale.h"

namespace graze::io {
namespace json_value_test {

Json to_json(Value value) {
  switch (value.kind()) {
    case Value::Kind::null:
      return nullptr;
    case Value::Kind::boolean:
      return value.boolean();
    case Value::Kind::integer:
      return Json(static_cast<std::int64_t>(value.number()));
    case Value::Kind::whole:
      return Json(value.whole());
    case Value::Kind::real:
      return Json(value.number());
    case Value::Kind::string:
      return Json(std::string(value.text()));
    case Value::Kind::array: {
      Json out = Json::array();
      for (const Value part : value) out.push_back(to_json(part));
      EXPECT_EQ(out.size(), value.size());
      return out;
    }
    case Value::Kind::object:
      break;
  }
  Json out = Json::object();
  for (const Value part : value) out[std::string(part.key())] = to_json(part);
  EXPECT_EQ(out.size(), value.size());
  return out;
}

std::string dumped(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

// With types and signs of zero, which == does not see.
void expect_same(const std::string& text) {
  const Document document(text);
  JsonLine line = read_json_line(text);
  ASSERT_EQ(document.error(), line.error) << text;
  ASSERT_EQ(document.id().has_value(), line.id.has_value()) << text;
  ASSERT_EQ(document.id().value_or(""), line.id ? dumped(*line.id) : "") << text;
  if (!line.error.empty()) return;
  if (line.id) line.value["id"] = *line.id;
  Json read = to_json(document.root());
  // Ids that were passed on are null there.
  if (line.id && read["id"].is_null()) line.value["id"] = nullptr;
  ASSERT_EQ(dumped(read), dumped(line.value)) << text;
}

TEST(Document, ReadsWhatTheLibraryReads) {
  for (const char* text : {"{}",
                           "[]",
                           " [ ] ",
                           "\t{\r\n}",
                           "0",
                           "-0",
                           "-0.0",
                           "0.0",
                           "1e5",
                           "1E+5",
                           "1e-5",
                           "-12.5e-3",
                           "01",
                           "-",
                           "+1",
                           ".5",
                           "1.",
                           "1e",
                           "1e+",
                           "0x1",
                           "00",
                           "-01",
                           "1 2",
                           "18446744073709551615",
                           "18446744073709551616",
                           "-9223372036854775808",
                           "-9223372036854775809",
                           "1e308",
                           "1e309",
                           "-1e309",
                           "1e-400",
                           "5e-324",
                           "2e-324",
                           "0.1",
                           "123456789012345678901234567890",
                           "true",
                           "tru",
                           "truex",
                           "nul",
                           "null",
                           "false",
                           "TRUE",
                           "\"\"",
                           "\"a\"",
                           "\"a",
                           "\"\\u00e9\"",
                           "\"\\\"\"",
                           "\"\xc3\xa9\"",
                           "\"\xff\"",
                           "\"\x01\"",
                           "\"\x7f\"",
                           "[1,]",
                           "[,1]",
                           "[1 2]",
                           "[1,2",
                           "{\"a\":1,}",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{a:1}",
                           "{\"a\":1 \"b\":2}",
                           "{\"a\":1,\"a\":2}",
                           "{\"\":1}",
                           "{\"a\":{\"a\":[{\"a\":1}]}}",
                           "",
                           " ",
                           "\xef\xbb\xbf{}",
                           "{\"id\":7}",
                           "{\"id\":-7}",
                           "{\"id\":-0}",
                           "{\"id\":1.50}",
                           "{\"id\":\"x y\"}",
                           "{\"id\":\"\\n\"}",
                           "{\"id\":[1,2]}",
                           "{\"id\":null,\"b\":[true,false]}",
                           "{\"id\":true}",
                           "{\"a\":1,\"id\":{\"b\":2}}",
                           "[{\"id\":7}]",
                           "{\"a\":{\"id\":7}}",
                           "/**/1",
                           "[1]//",
                           "NaN",
                           "Infinity"}) {
    expect_same(text);
  }
  expect_same(std::string("[1\0]", 4));
  for (const std::size_t depth : {1U, 63U, 64U, 65U, 200U}) {
    expect_same(std::string(depth, '[') + std::string(depth, ']'));
    expect_same(std::string(depth, '[') + "{}" + std::string(depth, ']'));
  }
  for (const int members : {31, 32, 33, 100}) {
    std::string text = "{";
    for (int i = 0; i < members; ++i) text += "\"k" + std::to_string(i) + "\":" + std::to_string(i) + ",";
    expect_same(text + "\"last\":[]}");
    expect_same(text + "\"k3\":[]}");
  }
}

TEST(Document, ReadsDamagedQuestionsAsTheLibraryDoes) {
  const std::vector<std::string> seeds = {
      R"({"ask":"distance","a":{"shape":"box","half":[1,0.5,2e-1],"pose":{"xyz":[0,-1,2.25],"rpy":[0,0,1.5]}},"id":12})",
      R"({"id":"q-1","ask":"contacts","a":{"shape":"sphere","radius":1},"b":{"shape":"mesh","solid":true,"file":null}})",
      R"([1,-2,3.5,1e10,-1E-5,[[],[{}]],{"a":{"b":[true,false,null]}},"text"])"};
  const std::string bytes = "{}[]\",:0123456789.-+eE \\\t\ntfnualsr\x7f\xc3\xa9\"\"[[]]";
  std::mt19937_64 random(7);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const int count = graze_test::scaled(60'000);
  for (int i = 0; i < count; ++i) {
    std::string text = seeds[below(seeds.size())];
    for (std::size_t edits = below(4); edits > 0 && !text.empty(); --edits) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text[at] = bytes[below(bytes.size())];
          break;
        case 1:
          text.erase(at, 1 + below(3));
          break;
        case 2:
          text.insert(at, 1, bytes[below(bytes.size())]);
          break;
        default:
          text.insert(at, text.substr(below(text.size()), below(12)));
      }
    }
    expect_same(text);
    if (HasFatalFailure()) return;
  }
}

// Numbers exactly as their digits say, to the last bit.
TEST(Document, ReadsNumbersExactly) {
  std::mt19937_64 random(11);
  const int count = graze_test::scaled(20'000);
  for (int i = 0; i < count; ++i) {
    const std::uint64_t bits = random();
    double x = 0;
    std::memcpy(&x, &bits, sizeof x);
    if (!std::isfinite(x)) continue;
    char text[64];
    std::snprintf(text, sizeof text, "[%.*g]", 1 + static_cast<int>(random() % 20), x);
    const JsonLine line = read_json_line(text);
    const Document document(text);
    ASSERT_EQ(document.error(), line.error) << text;
    if (!line.error.empty()) continue;
    ASSERT_EQ((*document.root().begin()).number(), line.value[0].get<double>()) << text;
  }
}

}  // namespace json_value_test
}  // namespace graze::io
