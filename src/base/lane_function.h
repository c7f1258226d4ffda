// How small functions on SIMD lanes are declared: inlined by force, but for sanitized builds.
#pragma once

#include <hwy/base.h>

// Instrumentation makes every inlined copy large: one file of searches took 146 s to compile under ASan and UBSan with
// forced inlining and takes 5 s without.
#if GRAZE_SANITIZED
#define GRAZE_LANE_FUNCTION inline HWY_MAYBE_UNUSED
#else
#define GRAZE_LANE_FUNCTION HWY_INLINE
#endif
