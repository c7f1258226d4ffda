// A geometry as JSON describes it.
#pragma once

#include <string>

#include "graze/geometry/geometry.h"
#include "io/fields.h"
#include "io/json_line.h"

namespace graze::io {

/// Reads {"xyz":…, "wxyz":…} that stands at `path`; throws Error naming the field.
Pose pose_from(const Json& value, const std::string& path);

/// pose · local of a geometry; both are the identity unless given.
Pose pose_of(const Fields& geometry);

/// Reads {"shape":…, …fields, "pose":…, "local":…} that stands at `path`; throws Error naming the field.
Placed placed_from(const Json& value, const std::string& path);

}  // namespace graze::io
