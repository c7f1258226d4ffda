// What the subcommands of the command line share.
#pragma once

#include "options.h"

namespace graze::app {

/// Exit codes of every subcommand.
inline constexpr int kClear = 0;      ///< apart, or all questions answered
inline constexpr int kCollision = 1;  ///< a collision, or below the limit
inline constexpr int kUsage = 2;      ///< the command line was not understood
inline constexpr int kInput = 3;      ///< bad input, or a file that cannot be read or written
inline constexpr int kInternal = 4;   ///< graze itself failed
inline constexpr int kPartly = 5;     ///< clear where something was scanned, and not all was

// One for each subcommand.
Command ask_command();
Command collide_command();
Command distance_command();
Command check_command();
Command sweep_command();
Command info_command();
Command convert_command();
Command clearance_command();
Command map_command();
Command generate_command();
Command demo_command();
Command completion_command();
Command manual_command();

/// The program with all of them; `session` takes what the options say that they share.
Command graze_command(Session& session);

}  // namespace graze::app
