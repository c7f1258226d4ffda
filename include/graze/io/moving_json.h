// A moving body from JSON, as `graze ask` and `graze sweep` take it.
#pragma once

#include <string>
#include <string_view>

#include "graze/query/sweep.h"

namespace graze {

/// The body that a JSON text describes: a geometry as in placed_from_json (graze/io/ask.h) with "motion":
/// {"shape":"sphere","radius":1,"motion":{"to":{"xyz":[5,0,0]}}}; without one it stays where it is. Throws Error with
/// the JSON path of the offending field below `where`.
Moving moving_from_json(std::string_view text, const std::string& where);

}  // namespace graze
