// Questions about occupancy maps: "occupancy", "insert", "cost".
#pragma once

#include "graze/io/ask.h"
#include "io/fields.h"

namespace graze::io {

/// Answers {"ask":"occupancy","map":…,"points":…}: the members of the answer, without braces.
AskAnswer ask_occupancy(const Fields& question);
/// Answers {"ask":"insert","resolution":…,"frames":…}.
AskAnswer ask_insert(const Fields& question);
/// Answers {"ask":"cost","map":…,"a":…}.
AskAnswer ask_cost(const Fields& question);

}  // namespace graze::io
