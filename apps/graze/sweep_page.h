// The page of `graze sweep --page`.
#pragma once

#include <string>

#include "graze/io/swept_json.h"

namespace graze::app {

/// Writes a page that plays the motion of both bodies up to their first contact. Throws Error.
void write_sweep_page(const std::string& path, const SweptBody& a, const SweptBody& b, const Sweep& swept,
                      double margin);

}  // namespace graze::app
