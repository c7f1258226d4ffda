#include "mesh_arguments.h"

#include <cmath>

namespace graze::app {

void add_mesh_arguments(CLI::App& command, MeshArguments& arguments) {
  command.add_option("--unit", arguments.unit, "Metres per unit of a mesh, such as 0.001, whatever its file tells")
      ->option_text("M");
  command.add_option("--up", arguments.up, "The axis of a mesh that points up, whatever its file tells: x, y or z")
      ->check(CLI::IsMember({"x", "y", "z"}))
      ->option_text("AXIS");
}

void check_mesh_arguments(const MeshArguments& arguments) {
  if (arguments.unit && !(std::isfinite(*arguments.unit) && *arguments.unit > 0)) {
    throw CLI::ValidationError("--unit", "must be a positive number of metres");
  }
}

ReadMeshOptions read_options(const MeshArguments& arguments) {
  ReadMeshOptions options;
  if (arguments.unit) {
    options.unit = *arguments.unit;
    options.believe_unit = false;
  }
  if (!arguments.up.empty()) {
    options.up = arguments.up == "x" ? UpAxis::x : arguments.up == "y" ? UpAxis::y : UpAxis::z;
    options.believe_up = false;
  }
  return options;
}

}  // namespace graze::app
