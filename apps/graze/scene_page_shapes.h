// The shapes of a page as its viewer draws them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "graze/geometry/geometry.h"

namespace graze::app {

/// Collects shapes, each once: their numbers as JSON, those of meshes, clouds, terrains and maps as bytes.
class ShownShapes {
 public:
  /// Divides what a page may hold among `heavy` geometries.
  explicit ShownShapes(std::size_t heavy);
  /// Whether a geometry is made of many parts.
  static bool is_heavy(const Geometry& geometry);

  /// Around what is drawn of it: of terrains the surface, of maps the cells.
  static Aabb bounds_of(const Geometry& geometry, const Pose& pose = {});

  struct Drawn {
    std::size_t shape = 0;       ///< its place in the list
    Vec3 center = Vec3::Zero();  ///< of the geometry's frame: the origin of what is drawn
  };
  /// `name` is for what cautions() says of it.
  Drawn add(const Geometry& geometry, std::string_view name);
  /// A mesh that bends from its vertices to others.
  Drawn add(const Mesh& from, const std::vector<Vec3>& to, std::string_view name);

  /// The list of shapes, as viewer/src/shapes.ts reads it.
  const nlohmann::json& json() const { return json_; }
  /// Their bytes, in the order of the list.
  const std::string& bytes() const { return bytes_; }
  /// What is drawn coarser than it is, or not at all: sentences for the reader.
  const std::vector<std::string>& cautions() const { return cautions_; }

 private:
  nlohmann::json shape_of(const Geometry& geometry, std::string_view name, const Vec3& center);
  nlohmann::json mesh_json(std::vector<Vec3> vertices, std::vector<std::array<std::uint32_t, 3>> triangles,
                           std::string_view name, const Vec3& center);
  nlohmann::json cloud_json(const Cloud& cloud, std::string_view name, const Vec3& center);
  nlohmann::json cubes_json(const MapView& view, std::string_view name, const Vec3& center);
  nlohmann::json terrain_json(const HeightField& field, std::string_view name, const Vec3& center);

  std::size_t heavy_;
  nlohmann::json json_ = nlohmann::json::array();
  std::string bytes_;
  std::vector<std::string> cautions_;
  std::map<std::uint64_t, Drawn> known_;  // heavy ones by their stamp
};

}  // namespace graze::app
