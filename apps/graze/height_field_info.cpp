#include "height_field_info.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <fstream>

#include "graze/io/height_field_file.h"
#include "info_text.h"

namespace graze::app {

bool is_ascii_grid(const std::string& path) {
  std::error_code error;
  if (!is_height_field_file(path) || !std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream file(path);
  std::string word(5, ' ');
  file >> std::ws;
  if (!file.read(word.data(), static_cast<std::streamsize>(word.size()))) return false;
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word == "ncols" || word == "nrows";
}

std::string height_field_info(const std::string& file, const std::string& path, bool json) {
  const HeightFieldFile read = read_height_field(path);
  const HeightGrid& grid = read.field.grid();
  const Aabb& box = read.field.surface_bounds();
  if (json) {
    return line_of({{"schema_version", kSchema},
                    {"file", file},
                    {"format", "ESRI ASCII grid"},
                    {"columns", grid.columns},
                    {"rows", grid.rows},
                    {"cell", {grid.dx, grid.dy}},
                    {"origin", vector_json(read.origin)},
                    {"bounds", bounds_json(box)},
                    {"memory", read.field.memory_bytes()}});
  }
  std::string text = fmt::format("{}\n", file);
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("  {:<11} {}\n", name, value);
  };
  line("format", "ESRI ASCII grid, a height field");
  line("heights", fmt::format("{} columns × {} rows", grid.columns, grid.rows));
  line("cell", fmt::format("{} × {}", number(grid.dx), number(grid.dy)));
  for (int k = 0; k < 3; ++k) line(std::string(1, "xyz"[k]).c_str(), extent_text(box, k));
  line("origin", fmt::format("{} {}, not applied", number(read.origin.x()), number(read.origin.y())));
  line("memory", size_text(read.field.memory_bytes()));
  return text;
}

}  // namespace graze::app
