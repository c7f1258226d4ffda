// Questions about what moves.
#pragma once

#include "graze/io/ask.h"
#include "io/fields.h"

namespace graze::io {

AskAnswer ask_sweep(const Fields& question);
/// The same for corners of deforming meshes: a vertex and a face, or two edges.
AskAnswer ask_first_contact(const Fields& question);

}  // namespace graze::io
