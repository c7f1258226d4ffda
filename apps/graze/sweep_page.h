// The page of `graze sweep --page`.
#pragma once

#include <string>

#include "graze/io/swept_json.h"

namespace graze::app {

/// One file that plays the motion of both bodies as lines, with their first contact.
std::string sweep_page(const SweptBody& a, const SweptBody& b, const Sweep& swept, double margin);

}  // namespace graze::app
