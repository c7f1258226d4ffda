// graze distance: how far apart are two shapes?
#include <memory>

#include "command.h"
#include "pair.h"

namespace graze::app {

void add_distance(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand(
      "distance", "Print the signed distance of two shapes and their nearest points: exit code 1 if they touch");
  const auto arguments = std::make_shared<PairArguments>();
  add_pair(*command, *arguments);
  command->callback(
      [&session, arguments] { session.run = [arguments] { return ask_about_pair("distance", "", *arguments); }; });
}

}  // namespace graze::app
