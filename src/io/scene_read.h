// A scene as JSON describes it.
#pragma once

#include <string>

#include "graze/scene/scene.h"
#include "io/fields.h"

namespace graze::io {

/// Reads {"objects":…, "allowed":…} that stands at `path`; throws Error naming the field.
Scene scene_from(Value value, const std::string& path, Surroundings around);

}  // namespace graze::io
