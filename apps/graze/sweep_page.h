// The page of `graze sweep --page`.
#pragma once

#include <string>

#include "graze/query/sweep.h"

namespace graze::app {

/// Writes a page that plays the motion of both bodies up to their first contact. Throws Error.
void write_sweep_page(const std::string& path, const Moving& a, const Moving& b, const Sweep& swept, double margin);

}  // namespace graze::app
