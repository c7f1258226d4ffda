// The question "search" of `graze ask`.
#pragma once

#include "graze/io/ask.h"
#include "io/fields.h"

namespace graze::io {

/// Answers {"ask":"search","in":…,"volume":…,"want":…}: the members of the answer, without braces.
AskAnswer ask_search(const Fields& question);

}  // namespace graze::io
