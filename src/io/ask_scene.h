// Questions about scenes.
#pragma once

#include "graze/io/ask.h"
#include "io/fields.h"

namespace graze::io {

AskAnswer ask_pairs(const Fields& question);
/// The first object of a scene on a ray.
AskAnswer ask_raycast_scene(const Fields& question);
/// A body that moves through a scene, or an object of it that does.
AskAnswer ask_sweep_scene(const Fields& question);

}  // namespace graze::io
