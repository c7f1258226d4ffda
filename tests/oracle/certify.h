// A proven lower bound of the depth of an overlap.
#pragma once

#include "oracle/body.h"

namespace graze_oracle {

/// A proven lower bound of the depth of the overlap of two bounded bodies. `deepest` is a known upper
/// bound (from best_direction); the sphere of directions is subdivided until the proof is within `accuracy` (relative)
/// of it or `max_cells` are used up. 0 if nothing can be proven.
Real depth_at_least(const Body& a, const Body& b, Real deepest, Real accuracy, int max_cells);

}  // namespace graze_oracle
