// Questions about what moves.
#pragma once

#include "graze/io/ask.h"
#include "io/fields.h"

namespace graze::io {

AskAnswer ask_sweep(const Fields& question);

}  // namespace graze::io
