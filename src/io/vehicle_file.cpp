#include "graze/io/vehicle_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "graze/base/error.h"
#include "graze/io/cloud_file.h"
#include "graze/io/mesh_file.h"
#include "io/fields.h"
#include "io/json_file.h"
#include "io/placed.h"

namespace graze {
namespace {

using io::Fields;
using io::Value;

/// Where the files of a body are looked for; none: they may not be named.
using Folder = std::optional<std::filesystem::path>;

Placed part_from_file(const Fields& fields, const Folder& folder, std::vector<std::string>& files) {
  fields.allow_only("a part from a file", {"file", "solid", "unit", "radius", "pose", "local"});
  if (!folder) throw Error(fields.path_of("file"), "files cannot be named here");
  const auto [pose, local] = io::poses_of(fields);
  const std::string path = (*folder / fields.text("file")).string();
  files.push_back(path);
  const auto only_for = [&](std::string_view name, const char* what) {
    if (fields.has(name)) throw Error(fields.path_of(name), fmt::format("is for {}, which {} is not", what, path));
  };
  if (is_mesh_file(path)) {
    only_for("radius", "a cloud");
    ReadMeshOptions options;
    options.unit = fields.number_or("unit", 1);
    if (!(options.unit > 0)) throw Error(fields.path_of("unit"), "must be positive");
    options.believe_unit = !fields.has("unit");
    options.mesh.solid = fields.flag("solid");
    return at(read_mesh(path, options), pose, local);
  }
  only_for("solid", "a mesh");
  only_for("unit", "a mesh");
  const double radius = fields.number_or("radius", 0);
  if (!(radius >= 0)) throw Error(fields.path_of("radius"), "must not be negative");
  return at(read_cloud(path, {.radius = radius, .attributes = false}), pose, local);
}

std::optional<Placed> part_from(Value value, const std::string& path, const Folder& folder, bool wanted,
                                std::vector<std::string>& files) {
  const Fields fields(value, path);
  if (!wanted) return std::nullopt;
  Placed part = fields.has("file") ? part_from_file(fields, folder, files) : io::placed_from(value, path);
  const Aabb box = bounds(part.geometry, part.pose);
  if (box.empty()) throw Error(path, "is empty");
  if (!box.bounded()) throw Error(path, "has no end");
  return part;
}

std::vector<Placed> body_from(Value value, const Folder& folder, bool wanted, std::vector<std::string>& files) {
  std::vector<Placed> body;
  const auto add = [&](Value part, const std::string& path) {
    if (std::optional<Placed> made = part_from(part, path, folder, wanted, files)) body.push_back(*std::move(made));
  };
  if (!value.is_array()) {
    add(value, "body");
    return body;
  }
  if (value.size() == 0) throw Error("body", "has no parts");
  std::size_t i = 0;
  for (const Value part : value) add(part, fmt::format("body[{}]", i++));
  return body;
}

VehicleFile vehicle_from(Value value, const Folder& folder, const ReadVehicleOptions& options) {
  if (!value.is_object()) throw Error("vehicle", "must be a JSON object");
  const Fields fields(value, "");
  fields.allow_only("a vehicle", {"name", "body", "bogie_distance", "length", "bogie_middle", "axis_heights"});
  VehicleFile file;
  clearance::Vehicle& vehicle = file.vehicle;
  if (fields.has("name")) vehicle.name = fields.text("name");
  vehicle.bogie_distance = fields.number("bogie_distance");
  vehicle.length = fields.number_or("length", 0);
  vehicle.bogie_middle = fields.number_or("bogie_middle", 0);
  if (fields.has("axis_heights")) {
    std::array<double, 2> heights;
    fields.numbers("axis_heights", heights);
    vehicle.rear_axis_height = heights[0];
    vehicle.front_axis_height = heights[1];
  }
  vehicle.check();  // before files are read
  vehicle.body = body_from(fields.required("body"), folder, options.body, file.files);
  if (!fields.has("length") && !vehicle.body.empty()) {
    Aabb box;
    for (const Placed& part : vehicle.body) box.extend(bounds(part.geometry, part.pose));
    vehicle.length = box.max.x() - box.min.x();
  }
  vehicle.check();
  return file;
}

VehicleFile parse(std::string_view text, const std::string& name, const Folder& folder,
                  const ReadVehicleOptions& options) {
  return io::from_json(text, name, [&](Value root) { return vehicle_from(root, folder, options); });
}

}  // namespace

VehicleFile read_vehicle_file(const std::string& path, const ReadVehicleOptions& options) {
  // Values take many times the bytes of their text; a vehicle is small, its points stand in other files.
  constexpr std::uint64_t kLargest = std::uint64_t{16} << 20;
  const std::string text = io::read_json_text(path, kLargest, "a vehicle");
  return parse(text, path, std::filesystem::path(path).parent_path(), options);
}

clearance::Vehicle read_vehicle(const std::string& path, const ReadVehicleOptions& options) {
  return read_vehicle_file(path, options).vehicle;
}

clearance::Vehicle parse_vehicle(std::string_view bytes, const std::string& name, const ReadVehicleOptions& options) {
  return parse(bytes, name, std::nullopt, options).vehicle;
}

}  // namespace graze
