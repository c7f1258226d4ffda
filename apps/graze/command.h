// What the subcommands of the command line share.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>

namespace graze::app {

/// Exit codes of every subcommand.
inline constexpr int kClear = 0;      ///< apart, or all questions answered
inline constexpr int kCollision = 1;  ///< a collision, or below the limit
inline constexpr int kUsage = 2;      ///< the command line was not understood
inline constexpr int kInput = 3;      ///< bad input, or a file that cannot be read or written
inline constexpr int kInternal = 4;   ///< graze itself failed

/// The options of all subcommands and what is to be run once the command line was understood.
struct Session {
  bool quiet = false;
  std::function<int()> run;  ///< returns the exit code; throws Error for bad input
};

// Each adds one subcommand, whose callback sets `session.run`.
void add_ask(CLI::App& app, Session& session);
void add_collide(CLI::App& app, Session& session);
void add_distance(CLI::App& app, Session& session);
void add_demo(CLI::App& app, Session& session);
void add_info(CLI::App& app, Session& session);
void add_convert(CLI::App& app, Session& session);
void add_clearance(CLI::App& app, Session& session);
void add_generate(CLI::App& app, Session& session);

}  // namespace graze::app
