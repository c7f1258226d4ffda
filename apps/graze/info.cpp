// graze info: what is in a file of points, triangles or occupancy?
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "graze/base/error.h"
#include "graze/io/cloud_file.h"
#include "graze/io/map_file.h"
#include "graze/io/mesh_file.h"
#include "height_field_info.h"
#include "info_text.h"
#include "interrupt.h"
#include "map_info.h"
#include "mesh_arguments.h"
#include "mesh_info.h"
#include "progress_bar.h"
#include "streams.h"

namespace graze::app {
namespace {

using Json = nlohmann::ordered_json;

struct InfoArguments {
  std::vector<std::string> files;
  bool json = false;
  MeshArguments mesh;
};

std::string vector_text(const Vec3& v) { return fmt::format("{} {} {}", v.x() + 0.0, v.y() + 0.0, v.z() + 0.0); }

Json unit_json(const CloudUnits& units) {
  constexpr const char* kKinds[] = {"not stated", "length", "angle", "unknown"};
  Json json = {{"kind", kKinds[static_cast<std::size_t>(units.kind)]}};
  if (!units.name.empty()) json["name"] = units.name;
  if (units.kind == CloudUnits::Kind::length) json["metres"] = vector_json(units.metres);
  if (!units.source.empty()) json["source"] = units.source;
  return json;
}

Json to_json(const std::string& file, const CloudInfo& info) {
  const CloudHeader& h = info.header;
  Json json = {{"schema_version", kSchema}, {"file", file}, {"format", name_of(h.format)}};
  if (!h.version.empty()) json["version"] = h.version;
  json["encoding"] = name_of(h.encoding);
  if (h.point_format >= 0) json["point_format"] = h.point_format;
  json["file_size"] = h.file_size;
  json["points"] = info.points;
  json["skipped"] = info.skipped;
  if (h.height > 1) json["width"] = h.width, json["height"] = h.height;
  json["bounds"] = bounds_json(info.bounds);
  json["coordinates"] = name_of(h.coordinates);
  if (h.scale) json["scale"] = vector_json(*h.scale), json["offset"] = vector_json(*h.offset);
  json["unit"] = unit_json(h.units);
  if (!h.coordinate_system.empty()) json["coordinate_system"] = h.coordinate_system;
  if (h.viewpoint) json["viewpoint"] = vector_json(h.viewpoint->translation());
  json["spacing"] = info.spacing_samples > 0 ? Json(info.spacing) : Json(nullptr);
  json["spacing_samples"] = info.spacing_samples;
  json["density"] = info.density > 0 ? Json(info.density) : Json(nullptr);
  json["attributes"] = Json::array();
  for (const AttributeRange& a : info.attributes) {
    Json entry = {{"name", a.kind.name}, {"type", name_of(a.kind.type)}};
    const bool finite = std::isfinite(a.min) && std::isfinite(a.max) && a.min <= a.max;
    entry["min"] = finite ? Json(a.min) : Json(nullptr);
    entry["max"] = finite ? Json(a.max) : Json(nullptr);
    entry["not_a_number"] = a.not_a_number;
    json["attributes"].push_back(std::move(entry));
  }
  json["notes"] = h.notes;
  return json;
}

std::string format_text(const CloudHeader& h) {
  std::string text(name_of(h.format));
  if (!h.version.empty()) text += " " + h.version;
  if ((h.format != CloudFormat::text && h.format != CloudFormat::las) || h.encoding == CloudEncoding::compressed)
    text += fmt::format(", {}", name_of(h.encoding));
  if (h.point_format >= 0) text += fmt::format(", point format {}", h.point_format);
  return text;
}

std::string to_text(const std::string& file, const CloudInfo& info) {
  const CloudHeader& h = info.header;
  std::string text = file + "\n";
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<12} {}\n", name, value);
  };
  line("format", format_text(h));
  line("size", size_text(h.file_size));
  std::string points = fmt::format("{}", info.points);
  if (h.height > 1) points += fmt::format(", {} × {}", h.width, h.height);
  if (info.skipped > 0) points += fmt::format(", of which {} are NaN or infinite and skipped", info.skipped);
  line("points", points);
  for (int k = 0; k < 3 && !info.bounds.empty(); ++k) line(std::string(1, "xyz"[k]), extent_text(info.bounds, k));
  line("coordinates", h.scale ? fmt::format("{} × scale {} + offset {}", name_of(h.coordinates), vector_text(*h.scale),
                                            vector_text(*h.offset))
                              : std::string(name_of(h.coordinates)));
  line("unit", describe(h.units));
  if (!h.coordinate_system.empty()) line("system", h.coordinate_system);
  if (h.viewpoint) line("viewpoint", fmt::format("{}, not applied", vector_text(h.viewpoint->translation())));
  if (info.spacing_samples > 0) {
    line("spacing", fmt::format("{:.4g}  (median distance to the nearest neighbour, {} samples)", info.spacing,
                                info.spacing_samples));
  }
  if (info.density > 0)
    line("density", fmt::format("{:.4g} per square unit of surface, at this spacing", info.density));
  std::size_t width = 0;
  for (const AttributeRange& a : info.attributes) width = std::max(width, a.kind.name.size());
  if (!info.attributes.empty()) text += "  attributes\n";
  for (const AttributeRange& a : info.attributes) {
    const std::string range = a.min <= a.max ? fmt::format("{} … {}", number(a.min), number(a.max)) : "no values";
    const std::string nan = a.not_a_number > 0 ? fmt::format(", {} NaN", a.not_a_number) : "";
    text += fmt::format("    {:<{}}  {:<7}  {}{}\n", a.kind.name, width, name_of(a.kind.type), range, nan);
  }
  for (const std::string& note : h.notes) line("note", note);
  return text;
}

// In the units of the file, unless others are given: numbers are reported as they are in it.
std::string cloud_info(const std::string& file, const std::string& path, std::optional<double> unit, bool json,
                       ProgressBar& bar) {
  const CloudInfo found = scan_cloud(path, {.unit = unit.value_or(1), .progress = bar.progress()});
  bar.clear();
  return json ? line_of(to_json(file, found)) : to_text(file, found);
}

int info(const InfoArguments& arguments, bool quiet) {
  say_when_interrupted("");
  int status = kClear;
  bool first = true;
  for (const std::string& file : arguments.files) {
    const std::string path = file == "-" ? "/dev/stdin" : file;
    try {
      ProgressBar bar(quiet);
      const std::string name = printable(file);
      const std::string text = is_map_file(path)       ? map_info(name, path, arguments.json)
                               : is_height_field(path) ? height_field_info(name, path, arguments.json)
                               : is_mesh_file(path)
                                   ? mesh_info(name, path, read_options(arguments.mesh), arguments.json, bar)
                                   : cloud_info(name, path, arguments.mesh.unit, arguments.json, bar);
      print((first || arguments.json ? "" : "\n") + printable(text));
      first = false;
      flush_output();
    } catch (const Error& error) {
      // The other files can still be reported; but nothing more can be printed where printing fails.
      if (error.where() == "standard output") throw;
      stop_if_interrupted();
      complain(error.what());
      status = kInput;
    }
  }
  return status;
}

}  // namespace

Command info_command() {
  const auto a = std::make_shared<InfoArguments>();
  Command command{
      .name = "info",
      .help = "Tell what is in files of points, triangles or occupancy",
      .options = {{"FILE",
                   &a->files,
                   "Clouds: PLY, PCD, LAS, LAZ, E57, or text in columns (XYZ, CSV); meshes: STL, OBJ, PLY, OFF, DAE, "
                   "3MF, glTF;\n"
                   "occupancy maps: GMAP, BT, OT; - for standard input (clouds)",
                   {.required = true, .file = true}},
                  {"--json", &a->json, "Print one JSON object per file and line"}},
      .footer =
          "Tells format, size, number of points and of those that are none (NaN), bounds, types, spacing, density, and "
          "the\n"
          "range of every attribute of a cloud, in the units of the file; of a mesh its triangles, bounds, area, "
          "volume,\n"
          "whether it is closed and what is wrong with it, in metres and with z up.",
      .run = [a](const Session& session) { return info(*a, session.quiet); }};
  add_mesh_arguments(command, a->mesh);
  return command;
}

}  // namespace graze::app
