// Files that are part of the program.
#pragma once

#include <string_view>

namespace graze::app {

/// viewer/report.html: the page of a report, with places in double braces.
std::string_view report_template();
/// viewer/map.html: the page of a map, likewise.
std::string_view map_template();
/// viewer/scene.html: the page of objects in space, likewise.
std::string_view scene_template();
/// The script that makes the page move; empty if graze was built without npm.
std::string_view viewer_script();

}  // namespace graze::app
