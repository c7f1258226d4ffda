// Height fields and maps of JSON.
#pragma once

#include "io/fields.h"

namespace graze::io {

Geometry height_field_from(const Fields& fields);
Geometry map_from(const Fields& fields);

}  // namespace graze::io
