// Questions about worlds in the plane.
#pragma once

#include "graze/io/ask.h"
#include "io/fields.h"

namespace graze::io {

/// The nearest obstacle of a point.
AskAnswer ask_nearest(const Fields& question);
/// The two tangents from a point to an obstacle.
AskAnswer ask_tangents(const Fields& question);
/// The first obstacle on the path of a disc.
AskAnswer ask_sweep_world(const Fields& question);

}  // namespace graze::io
