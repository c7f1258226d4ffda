// The examples of docs/ask.md are true: each question in a ```jsonl block gets the answer that follows it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "graze/io/ask.h"

namespace graze {
namespace {

// Wide enough for 1e999.
using Json = nlohmann::basic_json<std::map, std::vector, std::string, bool, std::int64_t, std::uint64_t, long double>;

// Equal up to rounding in numbers; the page shows tolerances as 0.
bool alike(const Json& a, const Json& b) {
  constexpr long double kRounding = 1e-9L;
  if (a.is_number() && b.is_number()) {
    const auto x = a.get<long double>(), y = b.get<long double>();
    return x == y || std::abs(x - y) <= kRounding;
  }
  if (a.type() != b.type() || a.size() != b.size()) return false;
  if (!a.is_structured()) return a == b;
  for (auto i = a.begin(), j = b.begin(); i != a.end(); ++i, ++j) {
    if (a.is_object() && i.key() != j.key()) return false;
    if (!alike(*i, *j)) return false;
  }
  return true;
}

TEST(AskPage, ItsExamplesAreTrue) {
  std::ifstream page(GRAZE_SOURCE_DIR "/docs/ask.md");
  ASSERT_TRUE(page);
  std::vector<std::string> lines;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      inside = line == "```jsonl";
    } else if (inside) {
      lines.push_back(line);
    }
  }
  ASSERT_GE(lines.size(), 20U);
  for (std::size_t i = 0; i + 1 < lines.size(); i += 2) {
    const std::string given = answer(lines[i]).text;
    EXPECT_TRUE(alike(Json::parse(given), Json::parse(lines[i + 1])))
        << lines[i] << "\n  answers " << given << "\n  the page says " << lines[i + 1];
  }
}

}  // namespace
}  // namespace graze
