// The table of commands and their options: the command line is parsed by it, and help, completion and the manual are
// made from it.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace graze::app {

/// The command line was not understood: "--margin: must be a finite number, got 'x'".
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
  UsageError(const std::string& option, const std::string& why) : std::runtime_error(option + ": " + why) {}
};

/// Where the value of an option goes; bool is a flag without a value.
using Target = std::variant<bool*, std::string*, double*, std::optional<double>*, int*, std::uint64_t*,
                            std::vector<std::string>*, std::vector<double>*>;

/// The numbers that an option takes; infinities and NaN are never among them.
struct Range {
  double min = -std::numeric_limits<double>::infinity(), max = std::numeric_limits<double>::infinity();
  bool above = false;  ///< `min` itself is too small
};
inline constexpr Range kPositive{.min = 0, .above = true};
inline constexpr Range kNotNegative{.min = 0};

/// What is demanded of the values of an option, and how they are shown.
struct Rules {
  std::string value = {};                ///< behind the name in help: "FILE", "M [0.1]"
  Range range = {};                      ///< of numbers
  std::vector<std::string> one_of = {};  ///< the words that are taken; any if empty
  int count = 0, up_to = 0;              ///< values of a list: exactly, at most; any number from 1 on if both are 0
  bool required = false;
  bool commas = false;       ///< the values of a list stand in one word, with commas between them
  bool file = false;         ///< a positional argument that is a file
  std::string choice = {};   ///< a heading in help; at most one option below it may be given
  std::string without = {};  ///< an option that may not be given beside this one
};

struct Option {
  std::string name;  ///< "-o,--output", or "FILE" for a positional argument
  Target target;
  std::string help;
  Rules rules = {};

  bool positional() const { return name[0] != '-'; }
  bool flag() const { return std::holds_alternative<bool*>(target); }
  bool list() const;
  /// Without the short one: "--output".
  std::string long_name() const;
  /// All of them: "-o", "--output".
  std::vector<std::string> names() const;
  enum class Hint { nothing, words, files, folders };
  /// What may be typed as its value.
  Hint hint() const;
};

/// What a command is run with.
struct Session {
  bool quiet = false;
  std::vector<std::string> arguments;  ///< the command line, beginning with the program
};

struct Command {
  std::string name, help;
  std::vector<Option> options = {};
  std::string footer = {};
  std::vector<Command> commands = {};           ///< one of them must be named
  std::function<void()> check = {};             ///< throws UsageError for values that do not go together
  std::function<int(const Session&)> run = {};  ///< returns the exit code; throws Error for bad input

  void add(const std::vector<Option>& more) { options.insert(options.end(), more.begin(), more.end()); }
};

/// What was asked for on the command line.
struct Request {
  const Command* command = nullptr;  ///< null if none was named
  std::string text = {};             ///< help or the version, to be printed instead of running anything
};

/// Parses the arguments behind the name of the program, sets the targets of the options that are given, and checks the
/// command. `program` has the options that all commands share. Throws UsageError.
Request parse(const Command& program, const std::string& version, const std::vector<std::string>& arguments);

}  // namespace graze::app
