// A geometry as JSON describes it.
#pragma once

#include <string>

#include "graze/geometry/geometry.h"
#include "io/json_line.h"

namespace graze::io {

/// Reads {"shape":…, …fields, "pose":…, "local":…} that stands at `path`; throws Error naming the field.
Placed placed_from(const Json& value, const std::string& path);

}  // namespace graze::io
