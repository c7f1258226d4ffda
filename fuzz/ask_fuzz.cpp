// Any bytes as a line of `graze ask`: the call never throws, and the answer is one line of valid JSON.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "graze/io/ask.h"

namespace {

// 1e999 stands for infinity in answers; a reader with a wider float takes it.
using Json = nlohmann::basic_json<std::map, std::vector, std::string, bool, std::int64_t, std::uint64_t, long double>;

void expect(bool holds, const char* claim, const std::string& text) {
  if (holds) return;
  std::fprintf(stderr, "%s: %s\n", claim, text.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const graze::Answer given = graze::answer({reinterpret_cast<const char*>(data), size});
  expect(given.text.find('\n') == std::string::npos, "an answer is one line", given.text);
  const Json answer = Json::parse(given.text, nullptr, false);
  expect(answer.is_object(), "an answer is a JSON object", given.text);
  const bool refused = given.verdict == graze::Verdict::refused;
  expect(given.verdict != graze::Verdict::failed, "graze does not fail", given.text);
  expect(answer.contains("error") == refused, "errors and only errors are refusals", given.text);
  return 0;
}
