// Questions about scenes.
#pragma once

#include "graze/io/ask.h"
#include "graze/query/raycast.h"
#include "io/fields.h"

namespace graze::io {

AskAnswer ask_pairs(const Fields& question);
/// The first object of a scene on a ray.
AskAnswer ask_raycast_scene(const Fields& question);

/// The `ray` of a question, as long as its `limit`.
Ray ray_from(const Fields& question);

}  // namespace graze::io
