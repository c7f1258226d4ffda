#include "pair.h"

#include <fmt/format.h>

#include <stdexcept>

#include "graze/io/ask.h"
#include "streams.h"

namespace graze::app {

void add_pair(CLI::App& command, PairArguments& arguments) {
  command.add_option("A", arguments.a, "A shape as JSON, such as {\"shape\":\"sphere\",\"radius\":1}")->required();
  command.add_option("B", arguments.b, "Another")->required();
  command.footer("'graze ask --help' lists the shapes and their fields.");
}

int ask_about_pair(const std::string& ask, const std::string& option, const PairArguments& arguments) {
  // Refused here, an argument is named as the user knows it, and what is put together below is one JSON object.
  placed_from_json(arguments.a, "A");
  placed_from_json(arguments.b, "B");
  const std::string number = option.empty() ? "" : fmt::format(",\"{}\":{}", option, arguments.number);
  const Answer given = answer(fmt::format(R"({{"ask":"{}","a":{},"b":{}{}}})", ask, arguments.a, arguments.b, number));
  if (given.verdict == Verdict::refused || given.verdict == Verdict::failed) throw std::logic_error(given.text);
  print(given.text + "\n");
  return given.verdict == Verdict::touching ? kCollision : kClear;
}

}  // namespace graze::app
