#include "graze/io/vehicle_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>

#include "graze/base/error.h"
#include "graze/io/cloud_file.h"
#include "graze/io/mesh_file.h"
#include "io/bytes.h"
#include "io/fields.h"
#include "io/json_value.h"
#include "io/placed.h"

namespace graze {
namespace {

using io::Fields;
using io::Value;

/// Where the files of a body are looked for; none: they may not be named.
using Folder = std::optional<std::filesystem::path>;

bool flag(const Fields& fields, std::string_view name) {
  if (!fields.has(name)) return false;
  const Value value = fields.required(name);
  if (!value.is_boolean()) throw Error(fields.path_of(name), "must be true or false");
  return value.boolean();
}

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
    options.mesh.solid = flag(fields, "solid");
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

/// "not JSON at column 120: …" with the line instead of the column of the whole text.
[[noreturn]] void refuse_json(std::string_view text, const std::string& name, const std::string& error) {
  static constexpr std::string_view kHead = "not JSON at column ";
  std::size_t column = 0;
  if (error.starts_with(kHead)) {
    const char* end = error.data() + error.size();
    const auto [rest, status] = std::from_chars(error.data() + kHead.size(), end, column);
    if (status == std::errc()) {
      const std::string_view before = text.substr(0, column);  // which may stand behind the end
      const auto line = std::count(before.begin(), before.end(), '\n') + 1;
      throw Error(name, static_cast<std::size_t>(line), "not JSON" + std::string(rest, end));
    }
  }
  throw Error(name, error);
}

VehicleFile parse(std::string_view text, const std::string& name, const Folder& folder,
                  const ReadVehicleOptions& options) {
  const io::Document json(text);
  if (!json.error().empty()) refuse_json(text, name, json.error());
  try {
    return vehicle_from(json.root(), folder, options);
  } catch (const Error& error) {
    throw Error(name, error.what());
  }
}

}  // namespace

VehicleFile read_vehicle_file(const std::string& path, const ReadVehicleOptions& options) {
  const std::shared_ptr<const io::Bytes> bytes = io::Bytes::open(path);
  // Values take many times the bytes of their text; a vehicle is small, its points stand in other files.
  constexpr std::uint64_t kLargest = std::uint64_t{16} << 20;
  if (bytes->size() > kLargest) throw Error(path, fmt::format("{} bytes are too many for a vehicle", bytes->size()));
  std::string text(static_cast<std::size_t>(bytes->size()), '\0');
  text.resize(bytes->read(0, text.data(), text.size()));
  return parse(text, path, std::filesystem::path(path).parent_path(), options);
}

clearance::Vehicle read_vehicle(const std::string& path, const ReadVehicleOptions& options) {
  return read_vehicle_file(path, options).vehicle;
}

clearance::Vehicle parse_vehicle(std::string_view bytes, const std::string& name, const ReadVehicleOptions& options) {
  return parse(bytes, name, std::nullopt, options).vehicle;
}

}  // namespace graze
