// The only file that sees CLI11, which takes longer to compile than any command.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <sstream>

#include "graze/base/nearest_word.h"
#include "options.h"

namespace graze::app {
namespace {

template <class... F>
struct Overloads : F... {
  using F::operator()...;
};
template <class... F>
Overloads(F...) -> Overloads<F...>;

[[noreturn]] void refuse(const Option& option, const std::string& expected, const std::string& got) {
  throw UsageError(option.long_name(), fmt::format("must be {}, got '{}'", expected, got));
}

std::string text_of(const Range& range, const std::string& kind) {
  const bool below = std::isfinite(range.max);
  if (!std::isfinite(range.min)) return below ? fmt::format("{} up to {}", kind, range.max) : kind;
  if (below) return fmt::format("{} from {} to {}", kind, range.min, range.max);
  if (range.min == 0) return range.above ? fmt::format("{} above 0", kind) : fmt::format("{}, 0 or above", kind);
  return fmt::format("{} {} {}", kind, range.above ? "above" : "of at least", range.min);
}

template <typename Number>
Number number_from(const Option& option, const std::string& text) {
  constexpr bool kWhole = std::is_integral_v<Number>;
  const Range& range = option.rules.range;
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data() + (text.starts_with('+') ? 1 : 0), end, value);
  const auto size = static_cast<double>(value);
  const bool within = range.above ? size > range.min : size >= range.min;
  if (status != std::errc() || rest != end || !std::isfinite(size) || !within || size > range.max) {
    const bool finite = status == std::errc::invalid_argument || std::isfinite(size);
    refuse(option, text_of(range, kWhole ? "a whole number" : finite ? "a number" : "a finite number"), text);
  }
  return value;
}

std::string word_from(const Option& option, const std::string& text) {
  const std::vector<std::string>& words = option.rules.one_of;
  if (words.empty() || std::find(words.begin(), words.end(), text) != words.end()) return text;
  const std::string expected = fmt::format("one of {}", fmt::join(words, ", "));
  if (const auto meant = nearest_word(text, words)) {
    throw UsageError(option.long_name(), fmt::format("unknown value '{}'; did you mean '{}'? Known are {}", text,
                                                     *meant, fmt::join(words, ", ")));
  }
  refuse(option, expected, text);
}

void set_target(const Option& option, const std::vector<std::string>& texts) {
  std::visit(Overloads{[&](bool* flag) { *flag = texts.back() != "false" && texts.back() != "0"; },
                       [&](std::string* word) { *word = word_from(option, texts.back()); },
                       [&](double* number) { *number = number_from<double>(option, texts.back()); },
                       [&](std::optional<double>* number) { *number = number_from<double>(option, texts.back()); },
                       [&](int* number) { *number = number_from<int>(option, texts.back()); },
                       [&](std::uint64_t* number) { *number = number_from<std::uint64_t>(option, texts.back()); },
                       [&](std::vector<std::string>* words) {
                         words->clear();
                         for (const std::string& text : texts) words->push_back(word_from(option, text));
                       },
                       [&](std::vector<double>* numbers) {
                         numbers->clear();
                         for (const std::string& text : texts) numbers->push_back(number_from<double>(option, text));
                       }},
             option.target);
}

/// A command with what CLI11 made of it.
struct Node {
  const Command* command;
  CLI::App* app;
  std::string path;  ///< "graze generate tunnel"
  std::vector<std::pair<const Option*, CLI::Option*>> options = {};
  std::vector<Node> below = {};

  std::vector<std::string> option_names() const {
    std::vector<std::string> out = {"--help", "--version"};
    for (const auto& [option, parsed] : options) {
      if (!option->positional()) out.push_back(option->long_name());
    }
    return out;
  }
  std::vector<std::string> command_names() const {
    std::vector<std::string> out;
    for (const Node& node : below) out.push_back(node.command->name);
    return out;
  }
};

CLI::Option* add(CLI::App& app, const Option& option) {
  if (option.flag()) {
    return app.add_flag_function(
        option.name, [&option](std::int64_t count) { set_target(option, {count > 0 ? "true" : "false"}); },
        option.help);
  }
  CLI::Option* added = app.add_option(
      option.name,
      [&option](const CLI::results_t& texts) {
        set_target(option, texts);
        return true;
      },
      option.help);
  const Rules& rules = option.rules;
  if (option.list()) added->expected(CLI::detail::expected_max_vector_size);
  if (rules.count > 0) added->expected(rules.count);
  if (rules.up_to > 0) added->expected(1, rules.up_to);
  if (rules.commas) added->delimiter(',')->allow_extra_args(false);
  if (!rules.value.empty()) added->option_text(rules.value);
  return added;
}

Node describe(const Command& command, CLI::App& app, const std::string& path) {
  Node node{.command = &command, .app = &app, .path = path};
  for (const Option& option : command.options) {
    CLI::Option* added = add(app, option);
    added->required(option.rules.required);
    if (!option.rules.choice.empty()) added->group(option.rules.choice);
    node.options.emplace_back(&option, added);
  }
  if (!command.footer.empty()) app.footer(command.footer);
  for (const Command& below : command.commands) {
    node.below.push_back(describe(below, *app.add_subcommand(below.name, below.help), path + " " + below.name));
  }
  return node;
}

const Node& chosen(const Node& node) {
  for (const Node& below : node.below) {
    if (below.app->parsed()) return chosen(below);
  }
  return node;
}

// The command that has an option of this name.
const Node* owner_of(const Node& node, const std::string& name) {
  for (const auto& [option, parsed] : node.options) {
    const std::vector<std::string> names = option->names();
    if (std::find(names.begin(), names.end(), name) != names.end()) return &node;
  }
  for (const Node& below : node.below) {
    if (const Node* owner = owner_of(below, name)) return owner;
  }
  return nullptr;
}

// graze convert IN OUT
std::string usage_of(const Node& node) {
  std::string text = node.path;
  for (const auto& [option, parsed] : node.options) {
    if (option->positional()) text += " " + option->name;
  }
  return text;
}

std::string about_option(const Node& program, const Node& node, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> known = node.option_names();
  for (const std::string& shared : program.option_names()) known.push_back(shared);
  std::string text = fmt::format("unknown option {}", name);
  if (const auto meant = nearest_word(name, known)) return text + fmt::format("; did you mean {}?", *meant);
  std::vector<std::string> positionals;
  for (const auto& [option, parsed] : node.options) {
    if (option->positional() && option->rules.file) positionals.push_back(option->name);
  }
  if (const auto meant = nearest_word(name.substr(std::min(name.find_first_not_of('-'), name.size())), positionals)) {
    return text + fmt::format("; {} is given without an option: {}", *meant, usage_of(node));
  }
  if (const Node* owner = owner_of(program, name)) return text + fmt::format("; it belongs to '{}'", owner->path);
  return text;
}

// What was left over of the command line.
std::string about_leftover(const Node& program, const Node& node, const std::vector<std::string>& words) {
  const auto is_option = [](const std::string& word) { return word.size() > 1 && word[0] == '-'; };
  const auto option = std::find_if(words.begin(), words.end(), is_option);
  const auto plain = std::find_if_not(words.begin(), words.end(), is_option);
  if (plain != words.end() && !node.below.empty()) {
    const std::vector<std::string> known = node.command_names();
    const auto meant = nearest_word(*plain, known);
    return fmt::format("unknown command '{}'; {}", *plain,
                       meant ? fmt::format("did you mean '{} {}'?", node.path, *meant)
                             : fmt::format("known are {}", fmt::join(known, ", ")));
  }
  if (option != words.end()) return about_option(program, node, *option);
  return fmt::format("unexpected argument '{}'; expected {}", *plain, usage_of(node));
}

// "--translate takes 3 values: --translate X Y Z"
std::string about_count(const Node& node, const std::string& message) {
  for (const auto& [option, parsed] : node.options) {
    const std::string name = option->long_name();
    const std::size_t at = message.find(name);
    if (at == std::string::npos || (message + " ").find_first_of(" :,", at) != at + name.size()) continue;
    const Rules& rules = option->rules;
    const std::string how = rules.value.empty() ? "" : fmt::format(": {} {}", name, rules.value);
    if (rules.count > 1) return fmt::format("{} takes {} values{}", name, rules.count, how);
    if (rules.up_to > 1) return fmt::format("{} takes 1 to {} values{}", name, rules.up_to, how);
    return fmt::format("{} takes {}{}", name, option->list() ? "values" : "one value", how);
  }
  return message;
}

std::string about_missing(const Node& node, const std::string& message) {
  if (!node.below.empty()) return fmt::format("{} needs one of {}", node.path, fmt::join(node.command_names(), ", "));
  for (const auto& [option, parsed] : node.options) {
    if (!option->rules.required || parsed->count() > 0) continue;
    const std::string value = option->positional() || option->rules.value.empty() ? "" : " " + option->rules.value;
    std::string help = option->help;
    std::replace(help.begin(), help.end(), '\n', ' ');
    return fmt::format("{}{} is required: {}", option->long_name(), value, help);
  }
  return message;
}

// Which options were given that exclude each other.
void check_choices(const Node& node) {
  std::map<std::string, std::string> taken;
  for (const auto& [option, parsed] : node.options) {
    if (parsed->count() == 0) continue;
    const std::string name = option->long_name();
    const auto refuse_beside = [&](const std::string& other) {
      throw UsageError(fmt::format("{} and {} exclude each other; give one of them", other, name));
    };
    if (!option->rules.choice.empty()) {
      const auto [first, added] = taken.emplace(option->rules.choice, name);
      if (!added) refuse_beside(first->second);
    }
    for (const auto& [other, given] : node.options) {
      if (other->long_name() == option->rules.without && given->count() > 0) refuse_beside(other->long_name());
    }
  }
}

}  // namespace

Request parse(const Command& program, const std::string& version, const std::vector<std::string>& arguments) {
  CLI::App app(program.help, program.name);
  app.set_version_flag("--version", version, "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.fallthrough();  // --quiet may stand before or after the subcommand
  app.require_subcommand(0, 1);
  app.get_formatter()->column_width(26);
  Node root = describe(program, app, program.name);
  for (Node& node : root.below) {
    if (!node.below.empty()) node.app->require_subcommand(1);
  }
  std::vector<std::string> words = arguments;
  // "graze help clearance" is what "graze clearance --help" is.
  if (!words.empty() && words.front() == "help")
    std::rotate(words.begin(), words.begin() + 1, words.end()), words.back() = "--help";
  const auto fail = [&](const std::string& message) {
    throw UsageError(message + fmt::format("\nRun '{} --help' for how to use it.", chosen(root).path));
  };
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    const Node& node = chosen(root);
    check_choices(node);
    if (node.command->check) node.command->check();
    return {.command = &node == &root ? nullptr : node.command};
  } catch (const UsageError& error) {
    fail(error.what());
  } catch (const CLI::ParseError& error) {
    const Node& node = chosen(root);
    const std::vector<std::string> leftover = app.remaining(true);
    const bool unknown_command = !node.below.empty() && !leftover.empty();
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success) && !unknown_command) {
      std::ostringstream result, message;
      app.exit(error, result, message);
      return {.text = result.str()};
    }
    // A slip in the name of an option comes out as many things: first of all it is one.
    if (!leftover.empty()) fail(about_leftover(root, node, leftover));
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError)) {
      fail(about_missing(node, error.what()));
    }
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch)) {
      fail(about_count(node, error.what()));
    }
    fail(error.what());
  }
  return {};  // not reached: fail throws
}

}  // namespace graze::app
