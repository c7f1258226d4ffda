#include "pair.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "graze/base/error.h"
#include "graze/io/ask.h"
#include "streams.h"

namespace graze::app {

void add_pair(Command& command, PairArguments& arguments) {
  command.options.push_back(
      {"A", &arguments.a, R"(A shape as JSON, such as {"shape":"sphere","radius":1})", {.required = true}});
  command.options.push_back({"B", &arguments.b, "Another", {.required = true}});
  command.footer = "'graze ask --help' lists the shapes and their fields.";
}

void expect_points(const Geometry& geometry, const std::string& name) {
  if (bounds(geometry).empty()) throw Error(name, "has no points, so there is nothing to check; give it some");
}

int ask_about_pair(const std::string& ask, const std::string& option, const PairArguments& arguments) {
  // Refused here, an argument is named as the user knows it, and what is put together below is one JSON object.
  for (const auto& [text, name] : {std::pair(&arguments.a, "A"), std::pair(&arguments.b, "B")}) {
    if (text->find('{') == std::string::npos) {
      throw Error(name,
                  fmt::format("expected a shape as JSON, such as '{{\"shape\":\"sphere\",\"radius\":1}}', got '{}'; "
                              "'graze ask --help' lists the shapes",
                              text->substr(0, 60)));
    }
    expect_points(placed_from_json(*text, name).geometry, name);
  }
  const std::string number = option.empty() ? "" : fmt::format(",\"{}\":{}", option, arguments.number);
  const AskAnswer given =
      answer_question(fmt::format(R"({{"ask":"{}","a":{},"b":{}{}}})", ask, arguments.a, arguments.b, number));
  if (given.verdict == AskVerdict::refused || given.verdict == AskVerdict::failed) throw std::logic_error(given.text);
  print(given.text + "\n");
  return given.verdict == AskVerdict::touching ? kCollision : kClear;
}

}  // namespace graze::app
