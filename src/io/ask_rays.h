// The question "raycast" of `graze ask`.
#pragma once

#include "graze/io/ask.h"
#include "graze/query/raycast.h"
#include "io/fields.h"

namespace graze::io {

/// Answers {"ask":"raycast","ray":…,"b":GEOMETRY,"want":"first"|"any"|"all"} or the same with "rays": the members of
/// the answer, without braces. Many rays are answered by several threads.
AskAnswer ask_raycast(const Fields& question);

/// {"from":…,"direction":…} that stands at `path`, as long as `limit`; throws Error naming the field.
Ray ray_from(Value value, const std::string& path, double limit);

}  // namespace graze::io
