// 3MF: a zip archive with a model in XML, whose build places objects, which are meshes or made of other objects.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <pugixml.hpp>
#include <utility>

#include "graze/base/error.h"
#include "io/cloud_source.h"
#include "io/mesh_source.h"
#include "io/zip_archive.h"

namespace graze::io {
namespace {

class ThreemfSource {
 public:
  explicit ThreemfSource(MeshReading& reading) : reading_(reading), archive_(reading.bytes()) {}

  void read() {
    const Model& root = model(root_part());
    MeshHeader& header = reading_.header;
    header.encoding = MeshEncoding::ascii;
    header.unit_source = root.node.attribute("unit") ? MeshHeader::Source::file : MeshHeader::Source::format;
    header.up_source = MeshHeader::Source::format;
    header.unit = unit_of(root);
    for (const pugi::xml_node& item : root.node.child("build").children("item")) {
      const auto [part, id] = target_of(item, root.part);
      place(item, part, id, transform_of(item), 0);
    }
    reading_.refuse_if_empty(objects_.size(), "objects");
  }

 private:
  static constexpr int kMaxDepth = 64;
  using Transform = Eigen::Affine3d;

  struct Model {
    std::string part, text;
    pugi::xml_document document = {};
    pugi::xml_node node = {};
  };

  [[noreturn]] void refuse(const std::string& part, const pugi::xml_node& element, const std::string& why) const {
    std::string place = fmt::format("{}: {}: <{}", reading_.name(), part, element.name());
    for (const char* id : {"id", "objectid"}) {
      if (const pugi::xml_attribute a = element.attribute(id)) place += fmt::format(" {}='{}'", id, a.value());
    }
    throw Error(place + ">", why);
  }

  // What the archive says is its model, or else the only file of that kind.
  std::string root_part() const {
    if (archive_.contains("_rels/.rels")) {
      std::string text = archive_.unpacked("_rels/.rels", 1U << 20U);
      pugi::xml_document document;
      document.load_buffer_inplace(text.data(), text.size());
      for (const pugi::xml_node& relation : document.child("Relationships").children("Relationship")) {
        if (std::string_view(relation.attribute("Type").value()).ends_with("/3dmodel"))
          return without_slash(relation.attribute("Target").value());
      }
    }
    for (const auto& [name, entry] : archive_.entries()) {
      if (name.ends_with(".model")) return name;
    }
    throw Error(reading_.name(), "is a zip archive without a 3MF model; unpack it first: unzip");
  }
  static std::string without_slash(std::string_view path) {
    return std::string(path.starts_with('/') ? path.substr(1) : path);
  }

  const Model& model(const std::string& part) {
    const auto [at, fresh] = models_.try_emplace(part);
    Model& model = at->second;
    if (!fresh) return model;
    // XML in memory takes some five times its size; more than this would break the promise of readers.
    constexpr std::uint64_t kMost = 6U << 20U, kMostPerByte = 8;
    const std::uint64_t most = kMost + kMostPerByte * reading_.bytes()->size();
    model.part = part;
    model.text = archive_.unpacked(part, most - std::min(most, unpacked_));
    unpacked_ += model.text.size();
    const pugi::xml_parse_result result = model.document.load_buffer_inplace(model.text.data(), model.text.size());
    if (!result)
      throw Error(fmt::format("{}: {}: byte {}", reading_.name(), part, result.offset),
                  fmt::format("is not well-formed XML: {}", result.description()));
    model.node = model.document.child("model");
    if (!model.node) throw Error(fmt::format("{}: {}", reading_.name(), part), "has no <model>");
    for (const pugi::xml_node& object : model.node.child("resources").children("object")) {
      const std::string id = object.attribute("id").value();
      if (!objects_.try_emplace({part, id}, object).second) refuse(part, object, "has the id of another object");
    }
    return model;
  }

  double unit_of(const Model& model) const {
    constexpr std::pair<const char*, double> kUnits[] = {{"micron", 1e-6}, {"millimeter", 1e-3}, {"centimeter", 0.01},
                                                         {"inch", 0.0254}, {"foot", 0.3048},     {"meter", 1}};
    const std::string_view unit = model.node.attribute("unit").as_string("millimeter");
    for (const auto& [name, metres] : kUnits) {
      if (unit == name) return metres;
    }
    refuse(model.part, model.node, fmt::format("unit {} is unknown", in_quotes(unit)));
  }

  // The part and the id of an object; a path is that of the production extension.
  std::pair<std::string, std::string> target_of(const pugi::xml_node& from, const std::string& part) const {
    for (const pugi::xml_attribute& a : from.attributes()) {
      if (std::string_view(a.name()).ends_with(":path"))
        return {without_slash(a.value()), from.attribute("objectid").value()};
    }
    return {part, from.attribute("objectid").value()};
  }

  // Twelve numbers, column by column, for columns of points.
  Transform transform_of(const pugi::xml_node& node) const {
    Transform result = Transform::Identity();
    const std::string_view text = node.attribute("transform").value();
    if (text.empty()) return result;
    std::vector<std::string_view> words;
    split_blanks(text, words);
    if (words.size() != 12)
      throw Error(reading_.name(), fmt::format("transform {} has not 12 numbers", in_quotes(text)));
    for (std::size_t i = 0; i < words.size(); ++i) {
      double value = 0;
      if (parse_number(words[i], NumberType::float64, &value) != nullptr || !std::isfinite(value))
        throw Error(reading_.name(), fmt::format("{} in transform is not a finite number", in_quotes(words[i])));
      result.matrix()(static_cast<Eigen::Index>(i % 3), static_cast<Eigen::Index>(i / 3)) = value;
    }
    return result;
  }

  void place(const pugi::xml_node& from, const std::string& part, const std::string& id, const Transform& to_world,
             int depth) {
    model(part);
    const auto found = objects_.find({part, id});
    if (found == objects_.end()) refuse(part, from, "refers to an object that there is not");
    const pugi::xml_node object = found->second;
    if (depth > kMaxDepth) refuse(part, object, fmt::format("stands more than {} objects deep", kMaxDepth));
    // Objects that are made of the same objects again and again could be without number.
    constexpr std::uint64_t kWork = 1'000'000;
    if (++placed_ > kWork) refuse(part, object, "is placed too often");
    if (const pugi::xml_node mesh = object.child("mesh")) {
      const TriangleList& triangles = mesh_of(part, object, mesh);
      reading_.place(triangles, to_world);
      if (!triangles.triangles.empty()) ++reading_.header.parts;
    }
    for (const pugi::xml_node& component : object.child("components").children("component")) {
      const auto [other, component_id] = target_of(component, part);
      place(component, other, component_id, to_world * transform_of(component), depth + 1);
    }
  }

  const TriangleList& mesh_of(const std::string& part, const pugi::xml_node& object, const pugi::xml_node& mesh) {
    const auto [at, fresh] = meshes_.try_emplace(object.internal_object());
    TriangleList& list = at->second;
    if (!fresh) return list;
    for (const pugi::xml_node& vertex : mesh.child("vertices").children("vertex")) {
      Vec3 p;
      for (int k = 0; k < 3; ++k) {
        constexpr std::array<const char*, 3> kAxes = {"x", "y", "z"};
        const std::string_view text = vertex.attribute(kAxes[static_cast<std::size_t>(k)]).value();
        if (parse_number(text, NumberType::float64, &p[k]) != nullptr || !std::isfinite(p[k]))
          refuse(part, object,
                 fmt::format("vertex {} has {}={}, which is no finite number", list.vertices.size(),
                             kAxes[static_cast<std::size_t>(k)], in_quotes(text)));
      }
      reading_.add_vertex(list, p);
    }
    for (const pugi::xml_node& triangle : mesh.child("triangles").children("triangle")) {
      std::array<std::uint32_t, 3> corners{};
      for (std::size_t k = 0; k < 3; ++k) {
        constexpr std::array<const char*, 3> kNames = {"v1", "v2", "v3"};
        const std::string_view text = triangle.attribute(kNames[k]).value();
        std::uint64_t index = 0;
        if (!parse_count(text, index) || index >= list.vertices.size())
          refuse(part, object,
                 fmt::format("triangle {} has {}={}, but there are {} vertices", list.triangles.size(), kNames[k],
                             in_quotes(text), list.vertices.size()));
        corners[k] = static_cast<std::uint32_t>(index);
      }
      reading_.add_triangle(list, corners[0], corners[1], corners[2]);
    }
    return list;
  }

  MeshReading& reading_;
  ZipArchive archive_;
  std::map<std::string, Model> models_;
  std::uint64_t unpacked_ = 0, placed_ = 0;
  std::map<std::pair<std::string, std::string>, pugi::xml_node> objects_;  // by part and id
  std::map<const void*, TriangleList> meshes_;
};

}  // namespace

void read_threemf(MeshReading& reading) { ThreemfSource(reading).read(); }

}  // namespace graze::io
