// graze distance: how far apart are two shapes?
#include <memory>

#include "command.h"
#include "pair.h"

namespace graze::app {

Command distance_command() {
  const auto a = std::make_shared<PairArguments>();
  Command command{
      .name = "distance",
      .help = "Print the signed distance of two shapes and their nearest points: exit code 1 if they touch"};
  add_pair(command, *a);
  command.run = [a](const Session&) { return ask_about_pair("distance", "", *a); };
  return command;
}

}  // namespace graze::app
