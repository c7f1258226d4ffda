// What `graze info` reports about a height field.
#pragma once

#include <string>

namespace graze::app {

/// Whether the file is an ESRI ASCII grid, by its name and its first word; points may be in files of the same name.
bool is_ascii_grid(const std::string& path);

/// Reads `path` and describes it under the name `file`: some lines of text, or one of JSON.
std::string height_field_info(const std::string& file, const std::string& path, bool json);

}  // namespace graze::app
