// graze collide: do two shapes touch?
#include <limits>
#include <memory>

#include "command.h"
#include "pair.h"

namespace graze::app {

void add_collide(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("collide", "Tell whether two shapes touch: exit code 1 if they do, 0 if not");
  const auto arguments = std::make_shared<PairArguments>();
  add_pair(*command, *arguments);
  constexpr double kMost = std::numeric_limits<double>::max();
  command->add_option("--margin", arguments->number, "Metres; closer than this counts as touching")
      ->check(CLI::Range(-kMost, kMost))
      ->default_val(0)
      ->type_name("NUMBER");
  command->callback(
      [&session, arguments] { session.run = [arguments] { return ask_about_pair("collide", "margin", *arguments); }; });
}

}  // namespace graze::app
