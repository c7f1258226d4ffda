// The questions "contains", "closest_point" and "signed_distance" of `graze ask`.
#pragma once

#include "graze/io/ask.h"
#include "io/fields.h"

namespace graze::io {

/// Each answers {"ask":…,"b":GEOMETRY,"point":[x,y,z]} or the same with "points": the members of the answer, without
/// braces. Many points are answered by several threads.
AskAnswer ask_contains(const Fields& question);
AskAnswer ask_closest_point(const Fields& question);
AskAnswer ask_signed_distance(const Fields& question);

}  // namespace graze::io
