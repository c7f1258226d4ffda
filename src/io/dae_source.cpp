// COLLADA: an XML text of geometries, and scenes of nodes that place them.
#include <fmt/format.h>

#include <numbers>
#include <string_view>
#include <unordered_map>

#include "graze/base/elementary.h"
#include "graze/base/error.h"
#include "io/cloud_source.h"
#include "io/dae_geometry.h"
#include "io/mesh_source.h"

namespace graze::io {
namespace {

using Transform = Eigen::Affine3d;

/// Elements by their ids; the first one counts.
class Ids : public pugi::xml_tree_walker {
 public:
  bool for_each(pugi::xml_node& node) override {
    if (const pugi::xml_attribute id = node.attribute("id")) ids_.try_emplace(id.value(), node);
    return true;
  }
  pugi::xml_node find(std::string_view id) const {
    const auto at = ids_.find(id);
    return at == ids_.end() ? pugi::xml_node() : at->second;
  }

 private:
  std::unordered_map<std::string_view, pugi::xml_node> ids_;
};

class DaeSource {
 public:
  DaeSource(MeshReading& reading, pugi::xml_document& document) : reading_(reading), root_(document.child("COLLADA")) {
    if (!root_) throw Error(reading.name(), "is not a COLLADA file: its outermost element is not <COLLADA>");
    document.traverse(ids_);
  }

  void read() {
    reading_.header.version = root_.attribute("version").value();
    read_asset();
    // Parts are counted as they are placed.
    pugi::xml_node scene = root_.child("library_visual_scenes").child("visual_scene");
    if (const pugi::xml_node wanted = root_.child("scene").child("instance_visual_scene")) {
      scene = named(wanted, "visual_scene");
    }
    if (scene) {
      for (const pugi::xml_node& node : scene.children("node")) visit(node, Transform::Identity(), nullptr, 0);
    } else {
      for (const pugi::xml_node& library : root_.children("library_geometries")) {
        for (const pugi::xml_node& geometry : library.children("geometry")) place(geometry, Transform::Identity());
      }
    }
    std::size_t geometries = 0;
    for (const pugi::xml_node& library : root_.children("library_geometries")) {
      for ([[maybe_unused]] const pugi::xml_node& geometry : library.children("geometry")) ++geometries;
    }
    reading_.refuse_if_empty(geometries, "geometries");
  }

 private:
  static constexpr int kMaxDepth = 256;

  [[noreturn]] void refuse(const pugi::xml_node& element, const std::string& why) const {
    throw Error(dae_place(reading_.name(), element), why);
  }

  void read_asset() {
    MeshHeader& header = reading_.header;
    const pugi::xml_node asset = root_.child("asset");
    const pugi::xml_attribute metres = asset.child("unit").attribute("meter");
    header.unit_source = metres ? MeshHeader::Source::file : MeshHeader::Source::format;
    if (metres) {
      const char* why = parse_dae_number(metres.value(), dae_has_commas(metres.value()), header.unit);
      if (why == nullptr && !(header.unit > 0 && header.unit <= 1e9)) why = "is not a valid unit length";
      if (why != nullptr) {
        refuse(asset.child("unit"), fmt::format("meter={} {}", in_quotes(metres.value()), why));
      }
    }
    const std::string_view up = asset.child("up_axis").child_value();
    header.up_source = asset.child("up_axis") ? MeshHeader::Source::file : MeshHeader::Source::format;
    header.up = up == "X_UP" ? UpAxis::x : up == "Z_UP" ? UpAxis::z : UpAxis::y;
    if (asset.child("up_axis") && up != "X_UP" && up != "Y_UP" && up != "Z_UP") {
      refuse(asset.child("up_axis"), fmt::format("{} is not X_UP, Y_UP or Z_UP", in_quotes(up)));
    }
  }

  // What the url of an instance names: an element of that kind in this file.
  pugi::xml_node named(const pugi::xml_node& instance, const char* kind, const char* attribute = "url") const {
    const std::string_view url = instance.attribute(attribute).value();
    if (!url.starts_with('#')) {
      refuse(instance,
             fmt::format("refers to {}, which is not in this file; other files are not read", in_quotes(url)));
    }
    const pugi::xml_node found = ids_.find(url.substr(1));
    if (!found || std::string_view(found.name()) != kind) {
      refuse(instance, fmt::format("refers to {}, and there is no <{}> of that id", in_quotes(url), kind));
    }
    return found;
  }

  // `unknown`: a transform on the way that graze does not know, or null.
  void visit(const pugi::xml_node& node, Transform to_world, const char* unknown, int depth) {
    if (depth > kMaxDepth) refuse(node, fmt::format("stands more than {} nodes deep", kMaxDepth));
    // Nodes that are placed by <instance_node> in nodes that are placed so, and so on, could be without number.
    constexpr std::uint64_t kWork = 1'000'000, kWorkPerByte = 8;
    if (visits_ > kWork + kWorkPerByte * reading_.bytes()->size()) refuse(node, "is placed too often");
    for (const pugi::xml_node& child : node.children()) {
      ++visits_;
      const std::string_view name = child.name();
      if (name == "skew" || name == "lookat") unknown = child.name();
      apply(child, name, to_world);
    }
    for (const pugi::xml_node& child : node.children()) {
      const std::string_view name = child.name();
      if (name == "instance_geometry" || name == "instance_controller") {
        if (unknown != nullptr) refuse(node, fmt::format("stands below a <{}>, which graze does not apply", unknown));
        if (name == "instance_geometry") {
          place(named(child, "geometry"), to_world);
        } else {
          place_controlled(named(child, "controller"), to_world, depth);
        }
      } else if (name == "instance_node") {
        visit(named(child, "node"), to_world, unknown, depth + 1);
      } else if (name == "node") {
        visit(child, to_world, unknown, depth + 1);
      }
    }
  }

  void apply(const pugi::xml_node& element, std::string_view name, Transform& to_world) const {
    if (name == "matrix") {
      const std::vector<double> m = dae_numbers(reading_.name(), element, 16);
      to_world = to_world * matrix_of(element, m);
    } else if (name == "translate") {
      const std::vector<double> t = dae_numbers(reading_.name(), element, 3);
      to_world.translate(Vec3(t[0], t[1], t[2]));
    } else if (name == "scale") {
      const std::vector<double> s = dae_numbers(reading_.name(), element, 3);
      to_world.scale(Vec3(s[0], s[1], s[2]));
    } else if (name == "rotate") {
      const std::vector<double> r = dae_numbers(reading_.name(), element, 4);
      const Vec3 axis(r[0], r[1], r[2]);
      // An axis of zeros turns nothing.
      if (axis.norm() > 0) {
        const auto [sine, cosine] = elementary::sin_cos(r[3] * std::numbers::pi / 360);
        const Vec3 v = sine * axis.normalized();
        to_world.rotate(Eigen::Quaterniond(cosine, v.x(), v.y(), v.z()));
      }
    }
  }

  // Row by row, as COLLADA has it.
  Transform matrix_of(const pugi::xml_node& element, const std::vector<double>& m) const {
    if (m[12] != 0 || m[13] != 0 || m[14] != 0 || m[15] != 1) refuse(element, "its matrix is not affine");
    Transform result;
    result.matrix() = Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(m.data());
    return result;
  }

  // A skin in the shape that it was bound in, or the base of a morph.
  void place_controlled(const pugi::xml_node& controller, const Transform& to_world, int depth) {
    reading_.note("skins and morphs are not applied: the mesh stands in its bind shape");
    if (depth > kMaxDepth) refuse(controller, "refers to controllers in a circle");
    const pugi::xml_node skin = controller.child("skin");
    const pugi::xml_node control = skin ? skin : controller.child("morph");
    if (!control) refuse(controller, "has neither <skin> nor <morph>");
    Transform bound = to_world;
    if (const pugi::xml_node matrix = skin.child("bind_shape_matrix")) {
      bound = bound * matrix_of(matrix, dae_numbers(reading_.name(), matrix, 16));
    }
    const std::string_view source = control.attribute("source").value();
    const bool again = source.starts_with('#') && std::string_view(ids_.find(source.substr(1)).name()) == "controller";
    if (again) {
      place_controlled(named(control, "controller", "source"), bound, depth + 1);
    } else {
      place(named(control, "geometry", "source"), bound);
    }
  }

  struct Part {
    TriangleList triangles;
    std::size_t parts = 0, lines = 0, polygons = 0, crossed = 0, points = 0;
  };

  // Counts are those of what is placed, so a part that is placed twice counts twice.
  void place(const pugi::xml_node& geometry, const Transform& to_world) {
    const auto [at, fresh] = parts_.try_emplace(geometry.internal_object());
    Part& part = at->second;
    MeshHeader& h = reading_.header;
    if (fresh) {
      const MeshHeader before = h;
      if (geometry.child("mesh")) {
        read_dae_mesh(reading_, geometry.child("mesh"), part.triangles);
      } else {
        reading_.note("geometries other than <mesh> (splines, hulls) are not read");
      }
      part.parts = h.parts - before.parts;
      part.lines = h.lines - before.lines;
      part.polygons = h.polygons - before.polygons;
      part.crossed = h.crossed_polygons - before.crossed_polygons;
      part.points = h.points - before.points;
    } else {
      h.parts += part.parts;
      h.lines += part.lines;
      h.polygons += part.polygons;
      h.crossed_polygons += part.crossed;
      h.points += part.points;
    }
    reading_.place(part.triangles, to_world);
  }

  MeshReading& reading_;
  pugi::xml_node root_;
  Ids ids_;
  std::unordered_map<const void*, Part> parts_;
  std::uint64_t visits_ = 0;  // of children of nodes
};

}  // namespace

void read_dae(MeshReading& reading) {
  const std::shared_ptr<const Bytes>& bytes = reading.bytes();
  std::string text(static_cast<std::size_t>(bytes->size()), '\0');
  text.resize(bytes->read(0, text.data(), text.size()));
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_buffer_inplace(text.data(), text.size());
  if (!result) {
    throw Error(fmt::format("{}: byte {}", bytes->name(), result.offset),
                fmt::format("is not well-formed XML: {}", result.description()));
  }
  DaeSource(reading, document).read();
}

}  // namespace graze::io
