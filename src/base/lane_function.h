// How small functions on SIMD lanes are declared: inlined by force, but for sanitized builds.
#pragma once

#include <hwy/base.h>

// Instrumentation makes every inlined copy large: one file of searches took 146 s to compile under ASan and UBSan with
// forced inlining and takes 5 s without.
#if GRAZE_SANITIZED
#define GRAZE_LANE_FUNCTION inline HWY_MAYBE_UNUSED
#define GRAZE_LANE_WALK
#else
#define GRAZE_LANE_FUNCTION HWY_INLINE
// With all that it calls inlined: what is compiled for any machine cannot inline what is compiled for one.
#define GRAZE_LANE_WALK [[gnu::flatten]]
#endif
