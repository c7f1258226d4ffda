// Scenes in JSON files.
#pragma once

#include <string>
#include <string_view>

#include "graze/scene/scene.h"

namespace graze {

/// Reads a scene:
///
///     {"objects": [{"name": "table", "shape": "box", "half": [0.6, 0.4, 0.02], "pose": {"xyz": [0, 0, 0.7]}},
///                  {"name": "cup", "shape": "mesh", "file": "cup.stl", "group": "dishes", "attach": "table",
///                   "pose": {"xyz": [0, 0, 0.02]}, "margin": 0.01, "padding": 0.001}],
///      "allowed": [["dishes", "table"]]}
///
/// An object is a geometry as in docs/ask.md with a `name`, and perhaps a `group`, an object to `attach` it to (which
/// may come later in the list; the pose is then relative to it), a `margin` and a `padding` (m). `allowed` names pairs
/// of objects or groups. A relative path of a geometry's `file` counts from the folder of the JSON; a file that several
/// objects name is read once. Unknown fields are errors. Throws Error naming the file and the field.
Scene read_scene(const std::string& path);
/// The same from bytes in memory; `name` stands for them in errors. Geometry from files is refused.
Scene parse_scene(std::string_view bytes, const std::string& name);

}  // namespace graze
