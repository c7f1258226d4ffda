// A moving body from JSON, as `graze ask` and `graze sweep` take it.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "graze/query/sweep_deforming.h"

namespace graze {

/// A body that moves and keeps its shape, or a mesh that bends. sweep() takes any two:
///
///     std::visit([&](const auto& a, const auto& b) { return sweep(a, b); }, body, other)
using SweptBody = std::variant<Moving, Deforming>;

/// The body that a JSON text describes: a geometry as in placed_from_json (graze/io/ask.h) with "motion":
/// {"shape":"sphere","radius":1,"motion":{"to":{"xyz":[5,0,0]}}}; without one it stays where it is. Or a mesh with
/// "vertices_to", the vertices where they end. Throws Error with the JSON path of the offending field below `where`.
SweptBody swept_from_json(std::string_view text, const std::string& where);

}  // namespace graze
