// How files of meshes are to be understood that do not tell it themselves.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "graze/io/mesh_file.h"

namespace graze::app {

struct MeshArguments {
  std::optional<double> unit;  ///< metres
  std::string up;              ///< "x", "y", "z"; empty: not given
};

/// --unit and --up
void add_mesh_arguments(CLI::App& command, MeshArguments& arguments);
/// Throws CLI::ValidationError.
void check_mesh_arguments(const MeshArguments& arguments);
/// What is given holds, whatever the file tells.
ReadMeshOptions read_options(const MeshArguments& arguments);

}  // namespace graze::app
