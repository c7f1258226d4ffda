// Where the tests find the project and the program.
#pragma once

#include <string>

namespace graze_test {

/// Absolute path of a file of the project, such as project_file("docs/ask.md").
std::string project_file(const std::string& name);

/// Absolute path of the program `graze`; empty where the command line is not built.
std::string cli_path();

}  // namespace graze_test
