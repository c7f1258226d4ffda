// What a command may write to.
#pragma once

#include <span>
#include <string>

namespace graze::app {

/// Throws Error if the output is one of the input files.
void expect_no_input(const std::string& output, std::span<const std::string> inputs);

/// The same for the files that JSON names as "file", anywhere in it; relative names count from `folder`.
void expect_no_input(const std::string& output, const std::string& json, const std::string& folder);

/// The same for a scene and the files that it names.
void expect_no_scene(const std::string& output, const std::string& scene);

}  // namespace graze::app
