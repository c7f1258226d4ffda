// One question about two shapes that are given on the command line.
#pragma once

#include <string>

#include "command.h"
#include "graze/geometry/geometry.h"

namespace graze::app {

/// A and B as JSON, as `graze ask` takes them, and one optional number.
struct PairArguments {
  std::string a, b;
  double number = 0;
};

/// Adds the two positional arguments, and where their fields are listed.
void add_pair(Command& command, PairArguments& arguments);

/// Throws Error, which names the argument, for a body without points: nothing would be checked.
void expect_points(const Geometry& geometry, const std::string& name);

/// Prints the answer to the question `ask` with `option` (empty for none) set to the number; returns 1 if the two
/// touch and 0 if not. Throws Error if A or B is refused or has no points.
int ask_about_pair(const std::string& ask, const std::string& option, const PairArguments& arguments);

}  // namespace graze::app
