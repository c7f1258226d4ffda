#include "mesh_info.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "graze/base/error.h"
#include "info_text.h"

namespace graze::app {
namespace {

struct MeshFacts {
  MeshHeader header;
  MeshReport report;
  Aabb bounds;
};

Json to_json(const std::string& file, const MeshFacts& facts) {
  const MeshHeader& h = facts.header;
  const MeshReport& r = facts.report;
  Json json = {{"schema_version", kSchema}, {"file", file}, {"format", name_of(h.format)}};
  if (!h.version.empty()) json["version"] = h.version;
  json["encoding"] = name_of(h.encoding);
  json["file_size"] = h.file_size;
  json["vertices"] = r.vertices;
  json["triangles"] = r.triangles;
  json["parts"] = h.parts;
  json["polygons"] = h.polygons;
  json["crossed_polygons"] = h.crossed_polygons;
  json["skipped"] = {{"lines", h.lines}, {"points", h.points}};
  json["unit"] = {{"metres", h.unit}, {"source", name_of(h.unit_source)}};
  json["up"] = {{"axis", name_of(h.up)}, {"source", name_of(h.up_source)}};
  json["bounds"] = bounds_json(facts.bounds);
  json["area"] = r.area;
  json["watertight"] = r.watertight;
  json["volume"] = r.watertight ? Json(r.volume) : Json(nullptr);
  json["pieces"] = r.pieces;
  json["degenerate"] = r.degenerate;
  json["duplicate"] = r.duplicate;
  json["open_edges"] = r.open_edges;
  json["non_manifold_edges"] = r.non_manifold_edges;
  json["unused_vertices"] = r.unused_vertices;
  json["first_open_edge"] =
      r.first_open_edge ? Json::array({(*r.first_open_edge)[0], (*r.first_open_edge)[1]}) : Json(nullptr);
  json["notes"] = h.notes;
  return json;
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string source_text(MeshHeader::Source source) {
  constexpr std::string_view kTexts[] = {"as the file says", "by its format", "not stated in the file"};
  return std::string(kTexts[static_cast<std::size_t>(source)]);
}

std::string closed_text(const MeshReport& r) {
  if (r.triangles == 0) return "no: there are no triangles";
  if (r.watertight) return r.volume < 0 ? "yes, but its triangles face inwards" : "yes";
  std::string text = fmt::format("no: {}", counted(r.open_edges, "open edge", "open edges"));
  if (r.first_open_edge) {
    text += fmt::format(", the first from vertex {} to {}", (*r.first_open_edge)[0], (*r.first_open_edge)[1]);
  }
  return text;
}

std::string defects_text(const MeshReport& r) {
  std::string text;
  const auto add = [&](std::size_t count, std::string_view one, std::string_view many) {
    if (count > 0) text += (text.empty() ? "" : ", ") + counted(count, one, many);
  };
  add(r.degenerate, "triangle without area", "triangles without area");
  add(r.duplicate, "triangle that comes twice", "triangles that come twice");
  add(r.non_manifold_edges, "edge with more than two triangles", "edges with more than two triangles");
  add(r.unused_vertices, "unused vertex", "unused vertices");
  return text.empty() ? "none" : text;
}

std::string to_text(const std::string& file, const MeshFacts& facts) {
  const MeshHeader& h = facts.header;
  const MeshReport& r = facts.report;
  std::string text = file + "\n";
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<12} {}\n", name, value);
  };
  line("format",
       fmt::format("{}{}{}, {}", name_of(h.format), h.version.empty() ? "" : " ", h.version, name_of(h.encoding)));
  line("size", size_text(h.file_size));
  std::string made = fmt::format("{}", r.triangles);
  if (h.polygons > 0) made += fmt::format(", cut from {} among others", counted(h.polygons, "polygon", "polygons"));
  line("triangles", made);
  line("vertices", fmt::format("{}", r.vertices));
  line("parts", fmt::format("{} in the file, {} by touching corners", h.parts, r.pieces));
  line("unit", fmt::format("{} m, {}", number(h.unit), source_text(h.unit_source)));
  line("up", fmt::format("{}, {}{}", name_of(h.up), source_text(h.up_source),
                         h.up == UpAxis::z ? "" : "; turned so that z is up"));
  for (int k = 0; k < 3 && !facts.bounds.empty(); ++k) line(std::string(1, "xyz"[k]), extent_text(facts.bounds, k));
  line("area", fmt::format("{} m²", number(r.area)));
  line("volume", r.watertight ? fmt::format("{} m³", number(r.volume)) : "none, as it is not closed");
  line("closed", closed_text(r));
  line("defects", defects_text(r));
  if (h.lines + h.points > 0) {
    line("left out", fmt::format("{}, {}", counted(h.lines, "line", "lines"), counted(h.points, "point", "points")));
  }
  if (h.crossed_polygons > 0) {
    line("note",
         fmt::format("{} cross themselves or have no area", counted(h.crossed_polygons, "polygon", "polygons")));
  }
  for (const std::string& note : h.notes) line("note", note);
  return text;
}

}  // namespace

std::string mesh_info(const std::string& file, const std::string& path, ReadMeshOptions options, bool json,
                      ProgressBar& bar) {
  options.progress = bar.progress();
  MeshFile read = read_mesh_file(path, options);
  bar.clear();
  MeshFacts facts{std::move(read.header), {}, {}};
  try {
    const Mesh mesh(read.vertices, read.triangles);
    facts.report = mesh.report();
    facts.bounds = mesh.bounds();
  } catch (const Error& error) {
    throw Error(path, error.what());
  }
  return json ? line_of(to_json(file, facts)) : to_text(file, facts);
}

}  // namespace graze::app
