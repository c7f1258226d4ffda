// What is drawn over the picture of the demo.
#pragma once

#include <string>

#include "demo_page.h"

namespace graze::app {

/// Units across the picture, however many pixels it has; five eighths of it high.
inline constexpr std::size_t kOverlayWidth = 800;

/// SVG elements: for each pair a group "p<index>" with its nearest points or contacts, the chosen ones shown (class
/// "on"), and the objects' names.
std::string overlay(const DemoResults& results, const Camera& camera);

}  // namespace graze::app
