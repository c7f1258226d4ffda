// Vehicles in JSON files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graze/clearance/vehicle.h"

namespace graze {

/// Options of readers of vehicles.
struct ReadVehicleOptions {
  bool body = true;  ///< false: the files of the body are not read, and the body is empty
};

/// Reads a vehicle:
///
///     {"name": "wagon", "body": {"file": "wagon.ply", "solid": true}, "bogie_distance": 20, "length": 24.6,
///      "axis_heights": [0, 0], "bogie_middle": 0}
///
/// `body` is one part or an array of parts. A part is a file (a mesh with `solid`, `unit` and `pose`, or a cloud with
/// `radius` and `pose`; a relative path counts from the folder of the JSON), or a shape as in docs/ask.md. Axis heights
/// are those of the rear and the front bogie centre in the body frame. All but `body` and `bogie_distance` may be left
/// out; the length is then that of the body. Unknown fields are errors. Throws Error naming the file and the field.
clearance::Vehicle read_vehicle(const std::string& path, const ReadVehicleOptions& options = {});
/// A vehicle and the files that it is made of.
struct VehicleFile {
  clearance::Vehicle vehicle;
  std::vector<std::string> files;  ///< of its parts, as they were opened
};
/// The same with the names of the files that it is made of.
VehicleFile read_vehicle_file(const std::string& path, const ReadVehicleOptions& options = {});
/// The same from bytes in memory; `name` stands for them in errors. Parts that are files are refused if `options.body`.
clearance::Vehicle parse_vehicle(std::string_view bytes, const std::string& name,
                                 const ReadVehicleOptions& options = {});

}  // namespace graze
