// graze convert: a cloud or a mesh from one format to another.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "graze/base/error.h"
#include "graze/io/cloud_file.h"
#include "graze/io/mesh_file.h"
#include "mesh_arguments.h"
#include "progress_bar.h"
#include "streams.h"

namespace graze::app {
namespace {

struct ConvertArguments {
  std::string from, to;
  std::string format, las_version, separator;
  bool ascii = false, binary = false, big_endian = false, compressed = false;
  bool single = false, twice = false, drop = false, no_attributes = false, no_header = false, apply_viewpoint = false;
  double scale = 1;
  std::vector<double> translation, las_scale, las_offset;
  MeshArguments mesh;
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
  WriteCloudOptions& write = options.write;
  if (!a.format.empty()) write.format = kFormats.at(a.format);
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

void check_numbers(const ConvertArguments& a) {
  const auto finite = [](const std::vector<double>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
  };
  if (!std::isfinite(a.scale) || a.scale == 0) throw CLI::ValidationError("--scale", "must be finite and not 0");
  if (!finite(a.translation)) throw CLI::ValidationError("--translate", "must be finite numbers");
  if (!finite(a.las_offset)) throw CLI::ValidationError("--las-offset", "must be finite numbers");
  if (!finite(a.las_scale) || std::any_of(a.las_scale.begin(), a.las_scale.end(), [](double x) { return x <= 0; })) {
    throw CLI::ValidationError("--las-scale", "must be positive");
  }
}

const std::map<std::string, MeshFormat> kMeshFormats = {
    {"stl", MeshFormat::stl}, {"obj", MeshFormat::obj}, {"ply", MeshFormat::ply}, {"off", MeshFormat::off}};

// Throws for options that mean nothing to triangles.
void check_for_mesh(const ConvertArguments& a) {
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

int convert_mesh(const ConvertArguments& a, bool quiet) {
  check_for_mesh(a);
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

int convert(const ConvertArguments& arguments, bool quiet) {
  if (arguments.from != "-" && is_mesh_file(arguments.from)) return convert_mesh(arguments, quiet);
  if (arguments.format == "stl" || arguments.format == "obj" || arguments.format == "off") {
    throw Error(arguments.from, fmt::format("is a cloud and cannot be written as {}", arguments.format));
  }
  ConvertCloudOptions options = options_of(arguments);
  ProgressBar bar(quiet);
  options.write.progress = bar.progress();
  const std::string from = arguments.from == "-" ? "/dev/stdin" : arguments.from;
  const WriteCloudReport report = convert_cloud(from, arguments.to, options);
  bar.clear();
  std::string text = fmt::format("{}: {} points", arguments.to, report.written);
  if (report.dropped > 0) text += fmt::format(", {} without coordinates left out", report.dropped);
  if (report.rounding > 0) text += fmt::format(", coordinates rounded by at most {:.2g}", report.rounding);
  remark(quiet, text);
  for (const std::string& note : report.notes) remark(quiet, "  " + note);
  return kClear;
}

}  // namespace

void add_convert(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("convert", "Convert a file of points or triangles to another format");
  const auto a = std::make_shared<ConvertArguments>();
  command
      ->add_option("IN", a->from,
                   "A cloud: PLY, PCD, LAS, or text in columns (XYZ, CSV), - for standard input; or a\n"
                   "mesh: STL, OBJ, PLY, OFF, DAE, glTF")
      ->required();
  command
      ->add_option("OUT", a->to,
                   "The new file; its extension tells the format: .ply .pcd .las .xyz .csv .txt, of a mesh\n"
                   ".stl .obj .ply .off")
      ->required();
  command
      ->add_option("--format", a->format,
                   "The format, whatever the extension: ply, pcd, las, xyz, csv, txt; stl, obj, ply, off")
      ->check(CLI::IsMember({"ply", "pcd", "las", "xyz", "csv", "txt", "stl", "obj", "off"}))
      ->option_text("F");

  CLI::Option_group* encoding = command->add_option_group("Encoding");
  encoding->add_flag("--ascii", a->ascii, "Text (PLY, PCD, STL)");
  encoding->add_flag("--binary", a->binary, "Binary, little endian (PLY, PCD, STL); the default");
  encoding->add_flag("--big-endian", a->big_endian, "Binary, big endian (PLY)");
  encoding->add_flag("--compressed", a->compressed, "Compressed binary (PCD)");
  encoding->require_option(0, 1);
  CLI::Option* single = command->add_flag("--float", a->single, "Coordinates as float32");
  command->add_flag("--double", a->twice, "Coordinates as float64")->excludes(single);

  command->add_option("--scale", a->scale, "Multiply the coordinates, such as 0.001 for millimetres to metres")
      ->option_text("S");
  command->add_option("--translate", a->translation, "Add X Y Z to the coordinates, after scaling")
      ->expected(3)
      ->option_text("X Y Z");
  add_mesh_arguments(*command, a->mesh);
  command->add_flag("--apply-viewpoint", a->apply_viewpoint, "Move the points of a PCD by its VIEWPOINT");
  command->add_flag("--drop-skipped", a->drop, "Leave out points that are NaN or infinite (LAS does always)");
  command->add_flag("--no-attributes", a->no_attributes, "Coordinates only");
  command->add_option("--separator", a->separator, "Of text: ',' ';' tab or space")
      ->check(CLI::IsMember({",", ";", "tab", "space"}))
      ->option_text("C");
  command->add_flag("--no-header", a->no_header, "Text without the line of names");
  command->add_option("--las", a->las_version, "Version of LAS, 1.2 or 1.4")
      ->check(CLI::IsMember({"1.2", "1.4"}))
      ->option_text("V");
  command->add_option("--las-scale", a->las_scale, "Grid of LAS coordinates: one number, or three")
      ->expected(1, 3)
      ->option_text("S");
  command->add_option("--las-offset", a->las_offset, "Origin of LAS coordinates")->expected(3)->option_text("X Y Z");
  command->footer(
      "What the new format can hold is kept: attributes with their types, the scale, offset and coordinate system of "
      "LAS,\n"
      "the viewpoint and rows of PCD. Meshes are written in metres and with z up. OUT may be IN. A file that is there "
      "is replaced when the new one is complete.");
  command->callback([&session, a] {
    check_numbers(*a);
    check_mesh_arguments(a->mesh);
    if (a->las_scale.size() == 2) throw CLI::ValidationError("--las-scale", "takes one number or three");
    session.run = [&session, a] { return convert(*a, session.quiet); };
  });
}

}  // namespace graze::app
