// Height fields and maps of JSON.
#pragma once

#include "io/fields.h"

namespace graze::io {

/// Read what geometry_from() of placed.h does, of these kinds.
Geometry height_field_from(const Fields& fields);
Geometry map_view_from(const Fields& fields);

}  // namespace graze::io
