// Questions about meshes that bend.
#pragma once

#include <string_view>

#include "graze/io/ask.h"
#include "graze/query/sweep_deforming.h"
#include "io/fields.h"

namespace graze::io {

/// Whether the geometry that a member of the question describes has vertices that move.
bool deforms(const Fields& question, std::string_view name);
/// A sweep of which at least one body does.
AskAnswer ask_sweep_deforming(const Fields& question);

/// The mesh that bends there.
Deforming deforming_from(const Fields& question, std::string_view name);

}  // namespace graze::io
