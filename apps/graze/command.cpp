#include "command.h"

namespace graze::app {

Command graze_command(Session& session) {
  return {.name = "graze",
          .help = "graze: collision, distance and contacts for things in space",
          .options = {{"-q,--quiet", &session.quiet, "Print results and errors only"}},
          .footer =
              "Results go to standard output, messages to standard error; NO_COLOR is respected.\n"
              "Exit codes: 0 clear, 1 collision or below the limit, 2 usage, 3 bad input or file, 4 internal error.",
          .commands = {ask_command(), collide_command(), distance_command(), check_command(), sweep_command(),
                       info_command(), convert_command(), clearance_command(), map_command(), generate_command(),
                       demo_command(), completion_command(), manual_command()}};
}

}  // namespace graze::app
