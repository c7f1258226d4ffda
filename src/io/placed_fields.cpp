#include "io/placed_fields.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "graze/io/height_field_file.h"
#include "graze/io/map_file.h"
#include "io/placed.h"

namespace graze::io {

Geometry height_field_from(const Fields& fields) {
  fields.allow_only("a heightfield",
                    {"shape", "file", "heights", "cell", "columns", "scale", "offset", "pose", "local"});
  if (fields.has("file") == fields.has("heights")) throw Error(fields.path(), "needs either file or heights");
  std::array<double, 2> cell{0, 0};
  if (fields.has("cell")) fields.numbers("cell", cell);
  if (fields.has("file")) {
    ReadHeightFieldOptions options;
    options.dx = cell[0], options.dy = cell[1];
    options.scale = fields.number_or("scale", 1), options.offset = fields.number_or("offset", 0);
    options.columns = fields.count_or("columns", 0);
    const std::string file = fields.file("file");
    const std::string key = fmt::format("heightfield {} {} {} {} {} {}", cell[0], cell[1], options.scale,
                                        options.offset, options.columns, file);
    try {
      return fields.read_once(key, [&] { return read_height_field(file, options).field; });
    } catch (const Error& error) {
      refuse_file(fields.path_of("file"), error);
    }
  }
  for (const std::string_view name : {"columns", "scale", "offset"}) {
    if (fields.has(name)) throw Error(fields.path_of(name), "is for a file");
  }
  const Value rows = fields.required("heights");
  const std::string path = fields.path_of("heights");
  if (!rows.is_array()) throw Error(path, "must be a list of rows of heights");
  std::vector<double> heights;
  std::size_t columns = 0, count = 0;
  for (const Value row : rows) {
    const std::string at = fmt::format("{}[{}]", path, count);
    if (!row.is_array()) throw Error(at, "must be a list of heights");
    if (count == 0) columns = row.size();
    if (row.size() != columns)
      throw Error(at, fmt::format("expected {} heights as in row 0, got {}", columns, row.size()));
    heights.resize(heights.size() + columns);
    read_numbers(row, at, std::span(heights).last(columns));
    ++count;
  }
  if (!fields.has("cell")) throw Error(fields.path(), "needs cell: [dx, dy]");
  return Fields::naming(fields.path(), [&] {
    return HeightField({.columns = columns, .rows = count, .dx = cell[0], .dy = cell[1]}, std::span(heights));
  });
}

Geometry map_view_from(const Fields& fields) {
  fields.allow_only("a map", {"shape", "file", "threshold", "unknown", "pose", "local"});
  const double threshold = fields.number_or("threshold", 0.5);
  const std::string unknown = fields.text("unknown");
  if (unknown != "free" && unknown != "occupied")
    throw Error(fields.path_of("unknown"),
                fmt::format("must be \"free\" or \"occupied\", got \"{}\"", shortened(unknown)));
  const UnknownSpace space = unknown == "free" ? UnknownSpace::free : UnknownSpace::occupied;
  if (!(threshold >= 0 && threshold <= 1))
    throw Error(fields.path_of("threshold"), fmt::format("must be from 0 to 1, got {}", threshold));
  const std::string file = fields.file("file");
  try {
    return fields.read_once(fmt::format("map {} {} {}", threshold, unknown, file),
                            [&] { return MapView(read_map(file), space, threshold); });
  } catch (const Error& error) {
    refuse_file(fields.path_of("file"), error);
  }
}

}  // namespace graze::io
