// graze manual: the page that man shows, made from the table of options.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "command.h"
#include "graze/io/write_file.h"
#include "graze/version.h"
#include "streams.h"

namespace graze::app {
namespace {

// Text in roff, escaped so that none of it is an instruction.
std::string roff(const std::string& text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    begins = c == '\n';
  }
  return out;
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }
std::string slanted(const std::string& text) { return "\\fI" + roff(text) + "\\fR"; }

std::string flowing(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return roff(text);
}

void add_option(const Option& option, std::string& out) {
  std::string names;
  for (const std::string& name : option.names()) {
    names += (names.empty() ? "" : ", ") + (option.positional() ? slanted(name) : bold(name));
  }
  if (!option.rules.value.empty()) names += " " + slanted(option.rules.value);
  out += fmt::format(".TP\n{}\n{}\n", names, flowing(option.help));
}

void add_command(const Command& command, const std::string& path, std::string& out) {
  std::string usage = bold(path);
  for (const Option& option : command.options) {
    if (!option.positional()) continue;
    const std::string name = slanted(option.name) + (option.list() ? "…" : "");
    usage += " " + (option.rules.required ? name : "[" + name + "]");
  }
  if (!command.commands.empty()) usage += " " + slanted("COMMAND");
  out += fmt::format(".SS \"{}\"\n{}.\n", usage, flowing(command.help));
  for (const Option& option : command.options) add_option(option, out);
  if (!command.footer.empty()) out += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(command.footer));
  for (const Command& below : command.commands) add_command(below, path + " " + below.name, out);
}

std::string manual(const Command& program) {
  std::string out = fmt::format(".TH GRAZE 1 \"\" \"graze {}\" \"User Commands\"\n", roff(kVersion));
  const std::string about = program.help.substr(program.help.find(' ') + 1);
  out += fmt::format(".SH NAME\ngraze \\- {}\n.SH SYNOPSIS\n\\fBgraze\\fR [\\fB\\-q\\fR] \\fICOMMAND\\fR …\n",
                     roff(about));
  out += ".SH DESCRIPTION\n";
  out += flowing(
      "graze answers whether things in space touch, how far apart they are, where, and how deep: shapes, meshes and "
      "clouds "
      "of points. Results go to standard output, messages to standard error.");
  out += "\n.SH OPTIONS\n";
  for (const Option& option : program.options) add_option(option, out);
  out += ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nPrint help and exit; of a command behind its name.\n";
  out += ".TP\n\\fB\\-\\-version\\fR\nPrint the version and exit.\n";
  out += ".SH COMMANDS\n";
  for (const Command& command : program.commands) add_command(command, program.name + " " + command.name, out);
  out += ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] :
       {std::pair("0", "Clear: nothing touches; or done."),
        std::pair("1",
                  "The two touch, or cannot be distinguished from "
                  "touching; clearance: some points do not keep --fail."),
        std::pair("2", "The command line was not understood."),
        std::pair("3", "Bad input, or a file that cannot be read or written; clearance: nothing was checked."),
        std::pair("4", "graze itself failed."), std::pair("5", "clearance: clear where scanned, and parts were not."),
        std::pair("130", "Interrupted.")}) {
    out += fmt::format(".TP\n{}\n{}\n", code, roff(meaning));
  }
  return out + ".SH ENVIRONMENT\n.TP\nNO_COLOR\nIf set, there are no colours.\n";
}

}  // namespace

Command manual_command() {
  const auto file = std::make_shared<std::string>();
  return {.name = "manual",
          .help = "Print the manual in roff, as man shows it",
          .options = {{"-o,--output", file.get(), "Where to write it; standard output if absent", {.value = "FILE"}}},
          .footer = "Packages install it as graze(1). Otherwise:  graze manual | man -l -",
          .run = [file](const Session&) {
            Session session;
            const std::string text = manual(graze_command(session));
            if (file->empty()) {
              print(text);
            } else {
              write_file(*file, text);
            }
            return kClear;
          }};
}

}  // namespace graze::app
