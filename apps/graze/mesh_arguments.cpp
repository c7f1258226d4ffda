#include "mesh_arguments.h"

namespace graze::app {

void add_mesh_arguments(Command& command, MeshArguments& arguments) {
  command.options.push_back({"--unit",
                             &arguments.unit,
                             "Metres per unit of the file, such as 0.001, overriding the file",
                             {.value = "M", .range = kPositive}});
  command.options.push_back({"--up",
                             &arguments.up,
                             "The axis of a mesh that points up, overriding the file: x, y or z",
                             {.value = "AXIS", .one_of = {"x", "y", "z"}}});
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
