// Sweeps of bodies whose motions say how much they bend.
#pragma once

#include "graze/query/sweep.h"

namespace graze {

/// Whether sweep_stretches() can answer: both bodies have an end, and their motions a bound of what they bend.
bool has_stretches(const Moving& a, const Moving& b);

/// As sweep(): stretch by stretch of time, in each of which every point moves along a line, but for what its path
/// bends. With `any` it is enough to know whether they touch: the time of a hit is any at which they do.
Sweep sweep_stretches(const Moving& a, const Moving& b, const SweepOptions& options, bool any);

}  // namespace graze
