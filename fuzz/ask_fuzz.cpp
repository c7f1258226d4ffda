// Any bytes as a line of `graze ask`: the call never throws, and the answer is one line of valid JSON.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "fuzz/fuzz.h"
#include "graze/io/ask.h"

namespace {

using graze_fuzz::expect;

// 1e999 stands for infinity in answers; a reader with a wider float accepts it.
using Json = nlohmann::basic_json<std::map, std::vector, std::string, bool, std::int64_t, std::uint64_t, long double>;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const graze::AskAnswer given = graze::answer_question({reinterpret_cast<const char*>(data), size});
  expect(given.text.find('\n') == std::string::npos, "an answer is one line", given.text.c_str());
  const Json answer = Json::parse(given.text, nullptr, false);
  expect(answer.is_object(), "an answer is a JSON object", given.text.c_str());
  const bool refused = given.verdict == graze::AskVerdict::refused;
  expect(given.verdict != graze::AskVerdict::failed, "graze does not fail", given.text.c_str());
  expect(answer.contains("error") == refused, "an answer has an error exactly if the question was rejected",
         given.text.c_str());
  return 0;
}
