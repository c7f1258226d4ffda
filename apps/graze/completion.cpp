// graze completion: what shells need to complete command lines, made from the table of options.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "command.h"
#include "graze/io/write_file.h"
#include "streams.h"

namespace graze::app {
namespace {

/// A command with the words that lead to it: "generate tunnel".
struct Place {
  const Command* command;
  std::string words;
};

void collect(const Command& command, const std::string& words, std::vector<Place>& out) {
  for (const Command& below : command.commands) {
    const std::string path = words.empty() ? below.name : words + " " + below.name;
    out.push_back({&below, path});
    collect(below, path, out);
  }
}

std::vector<std::string> names_of(const std::vector<Command>& commands) {
  std::vector<std::string> out;
  for (const Command& command : commands) out.push_back(command.name);
  return out;
}

bool takes_files(const Command& command) {
  return std::any_of(command.options.begin(), command.options.end(),
                     [](const Option& o) { return o.positional() && o.rules.file; });
}

// A help text in one line.
std::string short_help(std::string help) {
  std::replace(help.begin(), help.end(), '\n', ' ');
  return help;
}

// 'text' for sh, with what zsh and fish take for more than text left out.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string bash(const Command& program) {
  std::vector<Place> places;
  collect(program, "", places);
  std::string find, offer, values;
  const auto add = [&](const Command& command, const std::string& words) {
    std::vector<std::string> options = {"--help"};
    for (const Option& option : command.options) {
      if (!option.positional()) options.push_back(option.long_name());
    }
    if (&command != &program) {
      for (const Option& option : program.options) options.push_back(option.long_name());
    } else {
      options.push_back("--version");
    }
    std::vector<std::string> plain = names_of(command.commands);
    for (const Option& option : command.options) {
      if (!option.positional()) continue;
      plain.insert(plain.end(), option.rules.one_of.begin(), option.rules.one_of.end());
    }
    offer += fmt::format("    '{}') options='{}' words='{}' files={} ;;\n", words, fmt::join(options, " "),
                         fmt::join(plain, " "), takes_files(command) ? 1 : 0);
    for (const Option& option : command.options) {
      if (option.positional() || option.flag()) continue;
      std::vector<std::string> cases;
      for (const std::string& name : option.names()) cases.push_back(fmt::format("'{} {}'", words, name));
      const Option::Hint hint = option.hint();
      values += fmt::format("    {}) ", fmt::join(cases, "|"));
      if (hint == Option::Hint::words) {
        values += fmt::format("_graze_words {} ;;\n", quoted(fmt::format("{}", fmt::join(option.rules.one_of, " "))));
      } else {
        values += hint == Option::Hint::files     ? "_graze_paths -f ;;\n"
                  : hint == Option::Hint::folders ? "_graze_paths -d ;;\n"
                                                  : "COMPREPLY=() ;;\n";
      }
    }
  };
  add(program, "");
  for (const Place& place : places) {
    find += fmt::format("{}'{}'", find.empty() ? "" : "|", place.words);
    add(*place.command, place.words);
  }
  return fmt::format(R"(# Completion of graze for bash; made by: graze completion bash

# One of the words, or of a list with commas its last one.
_graze_words() {{
  local head=
  [[ $cur == *,* ]] && head=${{cur%,*}},
  mapfile -t COMPREPLY < <(compgen -P "$head" -W "$1" -- "${{cur##*,}}")
}}

_graze_paths() {{
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$cur")
}}

_graze() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} option=${{COMP_WORDS[COMP_CWORD-1]}}
  local command= options= words= files= i next
  # --format=ply comes as three words.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $option == = && $COMP_CWORD -gt 2 ]]; then
    option=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="$command${{command:+ }}${{COMP_WORDS[i]}}"
    case $next in
    {}) command=$next ;;
    esac
  done
  COMPREPLY=()
  case "$command $option" in
{}    *)
    case $command in
{}    esac
    if [[ $cur == -* ]]; then
      mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
    elif [[ -n $words ]]; then
      mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    elif [[ $files == 1 ]]; then
      _graze_paths -f
    fi ;;
  esac
}}

complete -F _graze graze
)",
                     find, values, offer);
}

// The text of an option in brackets for _arguments.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const Option& option) {
  switch (option.hint()) {
    case Option::Hint::words: {
      std::vector<std::string> words;
      for (const std::string& word : option.rules.one_of) words.push_back(word == ";" ? "\\;" : word);
      return option.rules.commas ? fmt::format("_values -s , value {}", fmt::join(words, " "))
                                 : fmt::format("({})", fmt::join(words, " "));
    }
    case Option::Hint::files:
      return "_files";
    case Option::Hint::folders:
      return "_files -/";
    case Option::Hint::nothing:
      break;
  }
  return " ";
}

std::string zsh_options(const Command& command, const std::string& indent) {
  std::string out;
  int place = 0;
  for (const Option& option : command.options) {
    const std::string help = zsh_text(short_help(option.help));
    if (option.positional()) {
      const std::string at = option.list() ? "*" : std::to_string(++place);
      out += indent + quoted(fmt::format("{}:{}:{}", at, option.name, zsh_action(option))) + " \\\n";
      continue;
    }
    std::string value;
    for (int k = 0; !option.flag() && k < std::max(1, option.rules.count); ++k) {
      value += fmt::format(":{}:{}", zsh_text(option.rules.value), zsh_action(option));
    }
    const std::vector<std::string> names = option.names();
    for (const std::string& name : names) {
      const std::string others = names.size() > 1 ? fmt::format("({})", fmt::join(names, " ")) : "";
      out += indent + quoted(fmt::format("{}{}[{}]{}", others, name, help, value)) + " \\\n";
    }
  }
  return out;
}

std::string zsh_commands(const Command& command, const std::string& indent);

std::string zsh_cases(const Command& command, const std::string& indent) {
  std::string out;
  for (const Command& below : command.commands) {
    out += fmt::format("{}{})\n", indent, below.name);
    out += below.commands.empty()
               ? fmt::format("{}  _arguments -s \\\n{}{}    '(-h --help)'{{-h,--help}}'[Print help]' ;;\n", indent,
                             zsh_options(below, indent + "    "), indent)
               : zsh_commands(below, indent + "  ") + indent + "  ;;\n";
  }
  return out;
}

std::string zsh_commands(const Command& command, const std::string& indent) {
  std::string list;
  for (const Command& below : command.commands) {
    list += " " + quoted(below.name + ":" + zsh_text(short_help(below.help)));
  }
  return fmt::format(
      "{0}_arguments -C -s \\\n{1}{0}  '(-h --help)'{{-h,--help}}'[Print help]' '1: :->command' '*:: :->arguments'\n"
      "{0}case $state in\n{0}command)\n{0}  commands=({2})\n{0}  _describe command commands ;;\n"
      "{0}arguments)\n{0}  case $line[1] in\n{3}{0}  esac ;;\n{0}esac\n",
      indent, zsh_options(command, indent + "  "), list, zsh_cases(command, indent + "  "));
}

std::string zsh(const Command& program) {
  return fmt::format(R"(#compdef graze
# Completion of graze for zsh; made by: graze completion zsh

_graze() {{
  local context state state_descr line
  local -a commands
  typeset -A opt_args
{}}}

_graze "$@"
)",
                     zsh_commands(program, "  "));
}

std::string fish(const Command& program) {
  std::vector<Place> places;
  collect(program, "", places);
  std::string out = "# Completion of graze for fish; made by: graze completion fish\n\ncomplete -c graze -f\n";
  const auto seen = [](const std::string& words) {
    return "__fish_seen_subcommand_from " + words.substr(words.rfind(' ') + 1);
  };
  const auto add_commands = [&](const Command& command, const std::string& condition) {
    for (const Command& below : command.commands) {
      out += fmt::format("complete -c graze -n {} -a {} -d {}\n", quoted(condition), below.name,
                         quoted(short_help(below.help)));
    }
  };
  const auto add_options = [&](const Command& command, const std::string& condition) {
    for (const Option& option : command.options) {
      const std::string words = quoted(fmt::format("{}", fmt::join(option.rules.one_of, " ")));
      const Option::Hint hint = option.hint();
      if (option.positional()) {
        if (hint == Option::Hint::files) out += fmt::format("complete -c graze -n {} -F\n", quoted(condition));
        if (hint == Option::Hint::words)
          out += fmt::format("complete -c graze -n {} -a {}\n", quoted(condition), words);
        continue;
      }
      out += fmt::format("complete -c graze{}", condition.empty() ? "" : " -n " + quoted(condition));
      for (const std::string& name : option.names()) {
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (!option.flag()) {
        out += hint == Option::Hint::files     ? " -r -F"
               : hint == Option::Hint::folders ? " -x -a '(__fish_complete_directories)'"
               : hint == Option::Hint::words   ? " -x -a " + words
                                               : " -x";
      }
      out += " -d " + quoted(short_help(option.help)) + "\n";
    }
  };
  add_commands(program, "__fish_use_subcommand");
  add_options(program, "");
  out += "complete -c graze -s h -l help -d 'Print help'\ncomplete -c graze -l version -d 'Print the version'\n";
  for (const Place& place : places) {
    if (!place.command->commands.empty()) {
      add_commands(*place.command, seen(place.words) + fmt::format("; and not __fish_seen_subcommand_from {}",
                                                                   fmt::join(names_of(place.command->commands), " ")));
    }
    add_options(*place.command, seen(place.words));
  }
  return out;
}

struct CompletionArguments {
  std::string shell, file;
};

int completion(const CompletionArguments& a) {
  Session session;
  const Command program = graze_command(session);
  const std::string text = a.shell == "bash" ? bash(program) : a.shell == "zsh" ? zsh(program) : fish(program);
  if (a.file.empty()) {
    print(text);
  } else {
    write_file(a.file, text);
  }
  return kClear;
}

}  // namespace

Command completion_command() {
  const auto a = std::make_shared<CompletionArguments>();
  return {.name = "completion",
          .help = "Print what a shell needs to complete command lines of graze",
          .options = {{"SHELL", &a->shell, "bash, zsh or fish", {.one_of = {"bash", "zsh", "fish"}, .required = true}},
                      {"-o,--output", &a->file, "Where to write it; standard output if absent", {.value = "FILE"}}},
          .footer = "Packages install it. Otherwise, for bash:  source <(graze completion bash)",
          .run = [a](const Session&) { return completion(*a); }};
}

}  // namespace graze::app
