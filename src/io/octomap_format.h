// What the reader and the writer of OctoMap's files share.
#pragma once

#include <string_view>

namespace graze::io {

inline constexpr std::string_view kFirstLineOfBt = "# Octomap OcTree binary file";
inline constexpr std::string_view kFirstLineOfOt = "# Octomap OcTree file";
inline constexpr int kOctoMapDepth = 16;  ///< of the trees

}  // namespace graze::io
