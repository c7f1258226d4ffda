// One question about two shapes that are given on the command line.
#pragma once

#include <string>

#include "command.h"

namespace graze::app {

/// A and B as JSON, as `graze ask` takes them, and one optional number.
struct PairArguments {
  std::string a, b;
  double number = 0;
};

/// Adds the two positional arguments, and where their fields are listed.
void add_pair(Command& command, PairArguments& arguments);

/// Prints the answer to the question `ask` with `option` (empty for none) set to the number; returns 1 if the two
/// touch and 0 if not. Throws Error if A or B is refused.
int ask_about_pair(const std::string& ask, const std::string& option, const PairArguments& arguments);

}  // namespace graze::app
