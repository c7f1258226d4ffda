// Meshes and clouds against half-spaces and planes: only their shadow along the normal counts.
#pragma once

#include "query/solid_depth.h"

namespace graze {

/// Answers in the first one's frame. Compiled for all pairs that there are.
template <Unbounded A, Composite B>
PartsDistance depth_along_normal(const A& a, const B& b, const Relative& relative);

}  // namespace graze
