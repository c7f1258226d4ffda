#include "height_field_info.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <fstream>

#include "graze/io/height_field_file.h"
#include "info_text.h"

namespace graze::app {

namespace {

bool is_grid(const std::string& path) { return path.ends_with(".asc") || path.ends_with(".ASC"); }

}  // namespace

bool is_height_field(const std::string& path) {
  std::error_code error;
  if (!is_height_field_file(path) || !std::filesystem::is_regular_file(path, error)) return false;
  // Clouds in text are called .asc, too.
  if (!is_grid(path)) return true;
  std::ifstream file(path);
  std::string word(5, ' ');
  file >> std::ws;
  if (!file.read(word.data(), static_cast<std::streamsize>(word.size()))) return false;
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word == "ncols" || word == "nrows";
}

std::string height_field_info(const std::string& file, const std::string& path, bool json) {
  // An image states neither the size of its cells nor what its numbers count.
  const bool stated = is_grid(path);
  const HeightFieldFile read = stated ? read_height_field(path) : read_height_field(path, {.dx = 1, .dy = 1});
  const HeightGrid& grid = read.field.grid();
  const Aabb& box = read.field.surface_bounds();
  const char* const format = stated ? "ESRI ASCII grid" : "grey image";
  if (json) {
    Json out = {{"schema_version", kSchema},
                {"file", file},
                {"format", format},
                {"columns", grid.columns},
                {"rows", grid.rows}};
    if (stated) {
      out["cell"] = {grid.dx, grid.dy};
      out["origin"] = vector_json(read.origin);
      out["bounds"] = bounds_json(box);
    } else {
      out["values"] = {box.min.z(), box.max.z()};
    }
    out["memory"] = read.field.memory_bytes();
    return line_of(out);
  }
  std::string text = fmt::format("{}\n", file);
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("  {:<11} {}\n", name, value);
  };
  line("format", fmt::format("{}, a height field", format));
  line("heights", fmt::format("{} columns × {} rows", grid.columns, grid.rows));
  if (stated) {
    line("cell", fmt::format("{} × {}", number(grid.dx), number(grid.dy)));
    for (int k = 0; k < 3; ++k) line(std::string(1, "xyz"[k]).c_str(), extent_text(box, k));
    line("origin", fmt::format("{} {}, not applied", number(read.origin.x()), number(read.origin.y())));
  } else {
    line("cell", "not stated: give dx and dy, and scale and offset of the values");
    line("values", extent_text(box, 2));
  }
  line("memory", size_text(read.field.memory_bytes()));
  return text;
}

}  // namespace graze::app
