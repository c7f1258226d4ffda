// What no trajectory that is made may exceed.
#pragma once

namespace graze::clearance {

/// So many poses take 8 GiB. A step that asks for more is a mistake of units.
inline constexpr double kMaxPoses = 67108864;

}  // namespace graze::clearance
