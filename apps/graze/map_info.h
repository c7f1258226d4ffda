// What `graze info` reports about an occupancy map.
#pragma once

#include <string>

namespace graze::app {

/// Reads `path` and describes it under the name `file`: some lines of text, or one of JSON.
std::string map_info(const std::string& file, const std::string& path, bool json);

}  // namespace graze::app
