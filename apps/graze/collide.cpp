// graze collide: do two shapes touch?
#include <cmath>
#include <memory>

#include "command.h"
#include "pair.h"

namespace graze::app {

void add_collide(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("collide", "Tell whether two shapes touch: exit code 1 if they do, 0 if not");
  const auto arguments = std::make_shared<PairArguments>();
  add_pair(*command, *arguments);
  command->add_option("--margin", arguments->number, "Metres; closer than this counts as touching")
      ->default_val(0)
      ->type_name("NUMBER");
  command->callback([&session, arguments] {
    if (!std::isfinite(arguments->number)) throw CLI::ValidationError("--margin", "must be a finite number");
    session.run = [arguments] { return ask_about_pair("collide", "margin", *arguments); };
  });
}

}  // namespace graze::app
