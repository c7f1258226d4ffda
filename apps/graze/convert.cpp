// graze convert: a cloud, a mesh or an occupancy map from one format to another, or a cloud as a height field.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "convert_map.h"
#include "graze/base/error.h"
#include "graze/base/nearest_word.h"
#include "graze/geometry/height_field_builder.h"
#include "graze/io/cloud_file.h"
#include "graze/io/height_field_file.h"
#include "graze/io/map_file.h"
#include "graze/io/mesh_file.h"
#include "graze/io/write_file.h"
#include "interrupt.h"
#include "mesh_arguments.h"
#include "progress_bar.h"
#include "streams.h"

namespace graze::app {
namespace {

constexpr const char* kEncoding = "Encoding, one of";

struct ConvertArguments {
  std::string from, to;
  std::string format, las_version, separator;
  bool ascii = false, binary = false, big_endian = false, compressed = false;
  bool single = false, twice = false, drop = false, no_attributes = false, no_header = false, apply_viewpoint = false;
  double scale = 1, grid = 0, fill = 0;
  std::string heights;
  std::vector<double> translation, las_scale, las_offset;
  MeshArguments mesh;
  std::optional<double> threshold;
  std::string cells;
};

const std::map<std::string, CloudFormat> kFormats = {{"ply", CloudFormat::ply},  {"pcd", CloudFormat::pcd},
                                                     {"las", CloudFormat::las},  {"xyz", CloudFormat::text},
                                                     {"csv", CloudFormat::text}, {"txt", CloudFormat::text}};

ConvertCloudOptions options_of(const ConvertArguments& a) {
  ConvertCloudOptions options;
  options.scale = a.scale;
  if (!a.translation.empty()) options.translation = {a.translation[0], a.translation[1], a.translation[2]};
  options.apply_viewpoint = a.apply_viewpoint;
  options.attributes = !a.no_attributes;
  options.unit = a.mesh.unit;
  WriteCloudOptions& write = options.write;
  if (kFormats.contains(a.format)) write.format = kFormats.at(a.format);
  if (a.format == "csv") write.separator = ',';
  if (a.ascii) write.encoding = CloudEncoding::ascii;
  if (a.binary) write.encoding = CloudEncoding::binary;
  if (a.big_endian) write.encoding = CloudEncoding::binary_big_endian;
  if (a.compressed) write.encoding = CloudEncoding::compressed;
  if (a.single) write.coordinates = NumberType::float32;
  if (a.twice) write.coordinates = NumberType::float64;
  write.drop_skipped = a.drop;
  write.header = !a.no_header;
  if (!a.separator.empty())
    write.separator = a.separator == "tab" ? '\t' : a.separator == "space" ? ' ' : a.separator[0];
  if (a.las_scale.size() == 1) write.scale = Vec3::Constant(a.las_scale[0]);
  if (a.las_scale.size() == 3) write.scale = Vec3(a.las_scale[0], a.las_scale[1], a.las_scale[2]);
  if (a.las_offset.size() == 3) write.offset = Vec3(a.las_offset[0], a.las_offset[1], a.las_offset[2]);
  if (!a.las_version.empty()) write.las_minor = a.las_version == "1.4" ? 4 : 2;
  return options;
}

const std::map<std::string, MeshFormat> kMeshFormats = {
    {"stl", MeshFormat::stl}, {"obj", MeshFormat::obj}, {"ply", MeshFormat::ply}, {"off", MeshFormat::off}};

const std::map<std::string, MapFormat> kMapFormats = {
    {"bt", MapFormat::bt}, {"ot", MapFormat::ot}, {"gmap", MapFormat::gmap}};

// Throws for options that mean nothing to what is no map.
void refuse_map_options(const ConvertArguments& a) {
  const char* option = a.threshold ? "--threshold" : "--cells";
  if (a.threshold || !a.cells.empty()) throw Error(a.from, fmt::format("is no occupancy map; {} is for maps", option));
}

// Throws for options that mean nothing to triangles.
void check_for_mesh(const ConvertArguments& a) {
  refuse_map_options(a);
  const std::pair<bool, const char*> only_clouds[] = {
      {a.compressed, "--compressed"},           {a.drop, "--drop-skipped"},
      {a.no_attributes, "--no-attributes"},     {a.no_header, "--no-header"},
      {a.apply_viewpoint, "--apply-viewpoint"}, {!a.separator.empty(), "--separator"},
      {!a.las_version.empty(), "--las"},        {!a.las_scale.empty(), "--las-scale"},
      {!a.las_offset.empty(), "--las-offset"}};
  for (const auto& [given, name] : only_clouds) {
    if (given) throw Error(a.from, fmt::format("is a mesh; {} is for clouds", name));
  }
  if (!a.format.empty() && !kMeshFormats.contains(a.format)) {
    throw Error(a.from,
                fmt::format("is a mesh and cannot be written as {}; graze writes STL, OBJ, PLY and OFF", a.format));
  }
}

// The format is determined by --format or by the name; `known` are those that can be written.
void check_name(const ConvertArguments& a, const std::vector<std::string>& known, const char* kind) {
  std::error_code error;
  if (!a.format.empty() || (a.from != "-" && !std::filesystem::exists(a.from, error))) return;  // which is said first
  std::string extension = std::filesystem::path(a.to).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  extension.erase(0, 1);
  if (std::find(known.begin(), known.end(), extension) != known.end() || extension == "laz") return;
  const auto meant = nearest_word(extension, known);
  throw Error(a.to,
              fmt::format("its name does not indicate a format; {} is written as .{}. Rename it{}, or give --format",
                          kind, fmt::join(known, ", ."), meant ? fmt::format(" (to .{}?)", *meant) : ""));
}

int convert_mesh(const ConvertArguments& a, bool quiet) {
  check_for_mesh(a);
  check_name(a, {"stl", "obj", "ply", "off"}, "a mesh");
  ProgressBar bar(quiet);
  ReadMeshOptions read = read_options(a.mesh);
  read.progress = bar.progress();
  MeshFile mesh = read_mesh_file(a.from, read);
  const Vec3 shift =
      a.translation.empty() ? Vec3(Vec3::Zero()) : Vec3(a.translation[0], a.translation[1], a.translation[2]);
  for (Vec3& p : mesh.vertices) p = p * a.scale + shift;
  if (a.scale < 0) {  // which mirrors
    for (MeshTriangle& t : mesh.triangles) std::swap(t[1], t[2]);
  }
  WriteMeshOptions write;
  if (!a.format.empty()) write.format = kMeshFormats.at(a.format);
  if (a.ascii) write.encoding = MeshEncoding::ascii;
  if (a.binary) write.encoding = MeshEncoding::binary;
  if (a.big_endian) write.encoding = MeshEncoding::binary_big_endian;
  if (a.single) write.coordinates = NumberType::float32;
  if (a.twice) write.coordinates = NumberType::float64;
  const WriteMeshReport report = write_mesh(a.to, mesh.vertices, mesh.triangles, write);
  say_when_interrupted(a.to + " is complete");
  bar.clear();
  std::string text = fmt::format("{}: {} triangles, {} vertices", a.to, report.triangles, report.vertices);
  if (report.rounding > 0) text += fmt::format(", coordinates rounded by at most {:.2g}", report.rounding);
  remark(quiet, text);
  const MeshHeader& h = mesh.header;
  if (h.lines + h.points > 0) remark(quiet, fmt::format("  left out: {} lines, {} points", h.lines, h.points));
  if (h.unit != 1) remark(quiet, fmt::format("  now in metres, was in units of {} m", h.unit));
  if (h.up != UpAxis::z) remark(quiet, fmt::format("  now with z up, was with {}", name_of(h.up)));
  for (const std::string& note : h.notes) remark(quiet, "  " + note);
  return kClear;
}

// Throws for options that mean nothing to a height field.
void check_for_grid(const ConvertArguments& a) {
  if (a.from == "-") throw Error("IN", "is read twice for a height field, which standard input cannot be; give a file");
  if (is_mesh_file(a.from)) throw Error(a.from, "is a mesh; --grid makes height fields of points");
  const std::pair<bool, const char*> others[] = {{!a.format.empty(), "--format"},
                                                 {a.ascii, "--ascii"},
                                                 {a.binary, "--binary"},
                                                 {a.big_endian, "--big-endian"},
                                                 {a.compressed, "--compressed"},
                                                 {a.single, "--float"},
                                                 {a.twice, "--double"},
                                                 {a.no_header, "--no-header"},
                                                 {!a.separator.empty(), "--separator"},
                                                 {!a.las_version.empty(), "--las"},
                                                 {!a.las_scale.empty(), "--las-scale"},
                                                 {!a.las_offset.empty(), "--las-offset"}};
  for (const auto& [given, name] : others) {
    if (given) throw Error(a.to, fmt::format("is a height field, made by --grid; {} is for clouds", name));
  }
  std::string ending = std::filesystem::path(a.to).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (ending != ".asc" && ending != ".f32")
    throw Error(a.to, "its name does not indicate a format; a height field is written as .asc or .f32. Rename it");
}

// A cloud as a height field, in memory that depends on the heights only.
int grid_cloud(const ConvertArguments& a, bool quiet) {
  check_for_grid(a);
  ReadCloudOptions read{.attributes = false, .apply_viewpoint = a.apply_viewpoint, .unit = a.mesh.unit};
  ProgressBar bar(quiet);
  read.progress = bar.progress();
  const Vec3 shift =
      a.translation.empty() ? Vec3(Vec3::Zero()) : Vec3(a.translation[0], a.translation[1], a.translation[2]);
  std::vector<Vec3> moved;
  const auto each_chunk = [&](const auto& visit) {
    return for_each_chunk(
        a.from,
        [&](const CloudChunk& chunk) {
          moved.resize(chunk.points.size());
          for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = chunk.points[i] * a.scale + shift;
          visit();
          return true;
        },
        read);
  };
  Aabb around;
  std::uint64_t skipped = 0;
  const CloudHeader header = each_chunk([&] {
    for (const Vec3& p : moved) {
      if (is_finite(p)) around.extend(p);
      else ++skipped;
    }
  });
  if (around.empty()) throw Error(a.from, "has no point that could be a height");
  HeightFieldBuilderOptions options{.cell = a.grid, .fill = a.fill};
  if (a.heights == "mean") options.heights = PointHeights::mean;
  if (a.heights == "lowest") options.heights = PointHeights::lowest;
  HeightFieldBuilder builder(around, options);
  each_chunk([&] { builder.add(moved); });
  const BuiltHeightField built = [&] {
    try {
      return builder.build();
    } catch (const Error& error) {
      throw Error(a.from, error.what());
    }
  }();
  const WriteHeightFieldReport report = write_height_field(a.to, built.field, built.origin);
  say_when_interrupted(a.to + " is complete");
  bar.clear();
  const HeightGrid& grid = built.field.grid();
  std::string text = fmt::format("{}: {} × {} heights from {} points", a.to, grid.columns, grid.rows, built.points);
  if (built.filled > 0) text += fmt::format(", {} of them filled from those around", built.filled);
  if (skipped > 0) text += fmt::format(", {} points without coordinates left out", skipped);
  if (report.rounding > 0) text += fmt::format(", heights rounded up by at most {:.2g}", report.rounding);
  remark(quiet, text);
  remark(quiet, fmt::format("  the first height is at x {}, y {}", built.origin.x(), built.origin.y()));
  for (const std::string& note : header.notes) remark(quiet, "  " + note);
  return kClear;
}

int convert_map(const ConvertArguments& a, bool quiet) {
  MapConversion c{.from = a.from, .to = a.to};
  if (a.format.empty()) c.format = map_format_of(a.to);
  else if (kMapFormats.contains(a.format)) c.format = kMapFormats.at(a.format);
  const std::pair<bool, const char*> never[] = {{a.scale != 1, "--scale"},
                                                {!a.translation.empty(), "--translate"},
                                                {a.mesh.unit.has_value(), "--unit"},
                                                {a.no_attributes, "--no-attributes"},
                                                {a.drop, "--drop-skipped"},
                                                {a.apply_viewpoint, "--apply-viewpoint"},
                                                {a.grid > 0, "--grid"}};
  for (const auto& [given, name] : never) {
    if (given) throw Error(a.from, fmt::format("is an occupancy map; {} is not for maps", name));
  }
  if (!c.format) {
    if (kMeshFormats.contains(a.format) && a.format != "ply") {
      throw Error(a.from, fmt::format("is an occupancy map and cannot be written as {}", a.format));
    }
    check_name(a, {"gmap", "bt", "ot", "ply", "pcd", "las", "xyz", "csv", "txt"}, "an occupancy map");
    c.write = options_of(a).write;
  } else if (!a.cells.empty()) {
    throw Error(a.to, "is a map of all cells; --cells is for clouds of their centres");
  }
  c.threshold = a.threshold.value_or(0.5);
  if (!a.cells.empty()) c.cells = a.cells;
  return app::convert_map(c, quiet);
}

int convert(const ConvertArguments& arguments, bool quiet) {
  check_writable(arguments.to);
  if (arguments.from != "-" && is_map_file(arguments.from)) return convert_map(arguments, quiet);
  if (arguments.grid > 0) return grid_cloud(arguments, quiet);
  if (kMapFormats.contains(arguments.format) || (arguments.format.empty() && map_format_of(arguments.to))) {
    throw Error(arguments.from,
                "is no occupancy map; `graze map build` makes one of clouds and the poses of the sensor");
  }
  if (arguments.from != "-" && is_mesh_file(arguments.from)) return convert_mesh(arguments, quiet);
  refuse_map_options(arguments);
  if (arguments.format == "stl" || arguments.format == "obj" || arguments.format == "off") {
    throw Error(arguments.from, fmt::format("is a cloud and cannot be written as {}", arguments.format));
  }
  check_name(arguments, {"ply", "pcd", "las", "xyz", "csv", "txt", "asc", "pts"}, "a cloud");
  ConvertCloudOptions options = options_of(arguments);
  ProgressBar bar(quiet);
  options.write.progress = bar.progress();
  const std::string from = arguments.from == "-" ? "/dev/stdin" : arguments.from;
  const WriteCloudReport report = convert_cloud(from, arguments.to, options);
  say_when_interrupted(arguments.to + " is complete");
  bar.clear();
  std::string text = fmt::format("{}: {} points", arguments.to, report.written);
  if (report.dropped > 0) text += fmt::format(", {} without coordinates left out", report.dropped);
  if (report.rounding > 0) text += fmt::format(", coordinates rounded by at most {:.2g}", report.rounding);
  remark(quiet, text);
  for (const std::string& note : report.notes) remark(quiet, "  " + note);
  return kClear;
}

}  // namespace

Command convert_command() {
  const auto a = std::make_shared<ConvertArguments>();
  Command command{
      .name = "convert",
      .help = "Convert a file of points, triangles or occupancy to another format",
      .options =
          {{"IN",
            &a->from,
            "A cloud: PLY, PCD, LAS, LAZ, E57, or text in columns (XYZ, CSV), - for standard input; or a\n"
            "mesh: STL, OBJ, PLY, OFF, DAE, 3MF, glTF; or an occupancy map: GMAP, BT, OT",
            {.required = true, .file = true}},
           {"OUT",
            &a->to,
            "The new file; its extension determines the format: .ply .pcd .las .xyz .csv .txt, of a mesh\n"
            ".stl .obj .ply .off, of a map .gmap .bt .ot, or one of a cloud for the centres of its cells",
            {.required = true, .file = true}},
           {"--grid",
            &a->grid,
            "Make a height field of the points, .asc or .f32, with heights every S metres",
            {.value = "S", .range = kPositive}},
           {"--heights",
            &a->heights,
            "Of the points near a height: highest (the default: no point is above the surface),\n"
            "mean or lowest",
            {.value = "H", .one_of = {"highest", "mean", "lowest"}}},
           {"--fill",
            &a->fill,
            "Fill holes from heights up to M metres away; holes that are left are an error",
            {.value = "M", .range = kPositive}},
           {"--format",
            &a->format,
            "The format, whatever the extension: ply, pcd, las, xyz, csv, txt; stl, obj, ply, off; gmap, bt, ot",
            {.value = "F",
             .one_of = {"ply", "pcd", "las", "xyz", "csv", "txt", "stl", "obj", "off", "gmap", "bt", "ot"}}},
           {"--ascii", &a->ascii, "Text (PLY, PCD, STL)", {.choice = kEncoding}},
           {"--binary", &a->binary, "Binary, little endian (PLY, PCD, STL); the default", {.choice = kEncoding}},
           {"--big-endian", &a->big_endian, "Binary, big endian (PLY)", {.choice = kEncoding}},
           {"--compressed", &a->compressed, "Compressed binary (PCD)", {.choice = kEncoding}},
           {"--float", &a->single, "Coordinates as float32", {.without = "--double"}},
           {"--double", &a->twice, "Coordinates as float64", {.without = "--float"}},
           {"--scale", &a->scale, "Multiply the coordinates, such as 0.001 for millimetres to metres", {.value = "S"}},
           {"--translate",
            &a->translation,
            "Add X Y Z to the coordinates, after scaling",
            {.value = "X Y Z", .count = 3}}},
      .footer =
          "What the new format can hold is kept: attributes with their types, the scale, offset and coordinate system "
          "of LAS,\n"
          "the viewpoint and rows of PCD. LAS stays in its unit, other targets get metres. Meshes are written in "
          "metres and with z up. OUT may be IN. A file that is there is replaced when the new one is complete.",
      .check =
          [a] {
            if (a->scale == 0) throw UsageError("--scale", "must not be 0");
            if (a->grid == 0 && !a->heights.empty()) throw UsageError("--heights", "needs --grid");
            if (a->grid == 0 && a->fill > 0) throw UsageError("--fill", "needs --grid");
            if (a->las_scale.size() == 2) throw UsageError("--las-scale", "takes one number or three");
          },
      .run = [a](const Session& session) { return convert(*a, session.quiet); }};
  add_mesh_arguments(command, a->mesh);
  command.add({{"--apply-viewpoint", &a->apply_viewpoint, "Move the points of a PCD by its VIEWPOINT"},
               {"--drop-skipped", &a->drop, "Leave out points that are NaN or infinite (LAS does always)"},
               {"--no-attributes", &a->no_attributes, "Coordinates only"},
               {"--separator",
                &a->separator,
                "Of text: ',' ';' tab or space",
                {.value = "C", .one_of = {",", ";", "tab", "space"}}},
               {"--no-header", &a->no_header, "Text without the line of names"},
               {"--las", &a->las_version, "Version of LAS, 1.2 or 1.4", {.value = "V", .one_of = {"1.2", "1.4"}}},
               {"--las-scale",
                &a->las_scale,
                "Grid of LAS coordinates: one number, or three",
                {.value = "S", .range = kPositive, .up_to = 3}},
               {"--las-offset", &a->las_offset, "Origin of LAS coordinates", {.value = "X Y Z", .count = 3}},
               {"--threshold",
                &a->threshold,
                "Of a map: cells of at least this probability are occupied [0.5]",
                {.value = "P", .range = {0, 1}}},
               {"--cells",
                &a->cells,
                "Of a map written as a cloud: whose centres [occupied]",
                {.value = "KIND", .one_of = {"occupied", "free", "known"}}}});
  return command;
}

}  // namespace graze::app
