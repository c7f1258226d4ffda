// Unit and up-axis of mesh files that do not state them.
#pragma once

#include <optional>
#include <string>

#include "graze/io/mesh_file.h"
#include "options.h"

namespace graze::app {

struct MeshArguments {
  std::optional<double> unit;  ///< metres
  std::string up;              ///< "x", "y", "z"; empty: not given
};

/// --unit and --up
void add_mesh_arguments(Command& command, MeshArguments& arguments);
/// What is given overrides the file.
ReadMeshOptions read_options(const MeshArguments& arguments);

}  // namespace graze::app
