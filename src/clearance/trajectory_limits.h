// What no trajectory that is made may exceed.
#pragma once

namespace graze {

/// So many poses take 8 GiB. A step that asks for more is a mistake of units.
inline constexpr double kMostPoses = 67108864;

}  // namespace graze
