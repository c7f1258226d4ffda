// The page of `graze sweep --page`.
#pragma once

#include <string>

#include "graze/query/sweep.h"

namespace graze::app {

/// One file that plays the motion of both bodies as lines, with their first contact.
std::string sweep_page(const Moving& a, const Moving& b, const Sweep& swept, double margin);

}  // namespace graze::app
