// What options of sweeps must be.
#pragma once

#include <fmt/format.h>

#include <cmath>

#include "graze/base/error.h"

namespace graze {

/// Throws Error.
inline void check_sweep_options(double margin, double tolerance, int max_steps) {
  if (!(margin >= 0) || std::isinf(margin)) throw Error("margin", fmt::format("must be 0 or more, got {}", margin));
  if (!(tolerance > 0)) throw Error("tolerance", fmt::format("must be more than 0, got {}", tolerance));
  if (max_steps < 1) throw Error("max_steps", fmt::format("must be 1 or more, got {}", max_steps));
}

}  // namespace graze
