// What `graze info` reports about a height field.
#pragma once

#include <string>

namespace graze::app {

/// Whether the file is a height field by its name, and an .asc by its first word, too: points are in files of that
/// name.
bool is_height_field(const std::string& path);

/// Reads `path` and describes it under the name `file`: some lines of text, or one of JSON.
std::string height_field_info(const std::string& file, const std::string& path, bool json);

}  // namespace graze::app
