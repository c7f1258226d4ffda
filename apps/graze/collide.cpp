// graze collide: do two shapes touch?
#include <memory>

#include "command.h"
#include "pair.h"

namespace graze::app {

Command collide_command() {
  const auto a = std::make_shared<PairArguments>();
  Command command{.name = "collide", .help = "Tell whether two shapes touch: exit code 1 if they do, 0 if not"};
  add_pair(command, *a);
  command.options.push_back(
      {"--margin", &a->number, "Metres; closer than this counts as touching", {.value = "NUMBER [0]"}});
  command.run = [a](const Session&) { return ask_about_pair("collide", "margin", *a); };
  return command;
}

}  // namespace graze::app
