// Height fields and maps of JSON.
#pragma once

#include "io/fields.h"

namespace graze::io {

/// Why a file was refused, without a word that stands in it: who asks may not be who may read the file.
[[noreturn]] void refuse_file(const std::string& path, const Error& error);

Geometry height_field_from(const Fields& fields);
Geometry map_from(const Fields& fields);

}  // namespace graze::io
