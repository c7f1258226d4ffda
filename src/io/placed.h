// A geometry as JSON describes it.
#pragma once

#include <string>

#include "graze/geometry/geometry.h"
#include "io/fields.h"
#include "io/json_value.h"

namespace graze::io {

/// Reads {"xyz":…, "wxyz":…} that stands at `path`; throws Error naming the field.
Pose pose_from(Value value, const std::string& path);

/// A point p of a geometry stands at pose · local · p; both are the identity unless given.
struct Poses {
  Pose pose, local;
};
Poses poses_of(const Fields& geometry);

/// Reads {"shape":…, …fields} without the poses; throws Error naming the field.
Geometry geometry_from(const Fields& fields);

/// Reads {"shape":…, …fields, "pose":…, "local":…} that stands at `path`; throws Error naming the field.
Placed placed_from(Value value, const std::string& path);

/// Throws why a file was refused, without a word that stands in it: who asks may not be who may read the file. Readers
/// quote what they found, so that everything between the first quote and the last is left out.
[[noreturn]] void refuse_file(const std::string& path, const Error& error);

}  // namespace graze::io
