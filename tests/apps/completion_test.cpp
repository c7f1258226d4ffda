// Completion and the manual, which are generated from the table that parses the command line.
#include <set>
#include <sstream>

#include "apps/shell.h"

namespace graze_test {
namespace completion_test {

class Completion : public Shell {
 protected:
  bool there(const std::string& program) const { return run("command -v " + program).code == 0; }

  // What bash offers for the last word.
  std::string offered(const std::string& words) const {
    write("ask.sh", "source <(\"$GRAZE\" completion bash)\nCOMP_WORDS=(graze " + words +
                        ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_graze\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
    const Outcome outcome = run("bash ask.sh");
    EXPECT_EQ(outcome.code, 0) << words << outcome.err;
    EXPECT_EQ(outcome.err, "") << words;
    std::string out = outcome.out;
    for (char& c : out) c = c == '\n' ? ' ' : c;
    return out.empty() ? out : out.substr(0, out.size() - 1);
  }
  // The long options that the help of a command shows.
  std::set<std::string> options_of(const std::string& command) const {
    std::set<std::string> out;
    std::istringstream help(run("$GRAZE " + command + " --help").out);
    for (std::string line; std::getline(help, line);) {
      const std::size_t at = line.find("--");
      if (!line.starts_with("  -") || at == std::string::npos) continue;
      out.insert(line.substr(at, line.find(' ', at) - at));
    }
    return out;
  }
};

const std::string kCommands[] = {"",     "ask",        "collide",   "distance",        "check",
                                 "info", "convert",    "clearance", "generate tunnel", "generate assembly-line",
                                 "demo", "completion", "manual"};

TEST_F(Completion, OffersMatchingWordsInBash) {
  if (!there("bash")) GTEST_SKIP() << "needs bash";
  EXPECT_EQ(offered("co"), "collide convert completion");
  EXPECT_EQ(offered("generate ''"), "tunnel assembly-line");
  EXPECT_EQ(offered("-q generate tunnel --w"), "--wagon --wagon-points --wheels");
  EXPECT_EQ(offered("convert a b --las"), "--las --las-scale --las-offset");
  EXPECT_EQ(offered("convert a b --format p"), "ply pcd");
  EXPECT_EQ(offered("convert a b --format = p"), "ply pcd") << "as bash splits --format=p";
  EXPECT_EQ(offered("clearance s --sides left,b"), "left,below");
  EXPECT_EQ(offered("completion ''"), "bash zsh fish");
  EXPECT_EQ(offered("collide --margin ''"), "");
  write("scan one.las", "");
  ASSERT_EQ(run("mkdir scans").code, 0);
  EXPECT_EQ(offered("info 'scan '"), "scan one.las");
  EXPECT_EQ(offered("clearance s --path 'scan '"), "scan one.las");
  EXPECT_EQ(offered("clearance s --path scans"), "scans");
  EXPECT_EQ(offered("clearance s --work sc"), "scans");
}

TEST_F(Completion, KnowsEveryOptionOfTheHelp) {
  const std::string bash = run("$GRAZE completion bash").out, zsh = run("$GRAZE completion zsh").out,
                    fish = run("$GRAZE completion fish").out, manual = run("$GRAZE manual").out;
  for (const std::string& command : kCommands) {
    const std::set<std::string> options = options_of(command);
    EXPECT_GE(options.size(), 1U) << command;
    const std::string line = bash.substr(bash.find("'" + command + "') options="));
    const std::string listed = line.substr(0, line.find(" words="));
    for (const std::string& option : options) {
      EXPECT_TRUE((listed + " ").find(option) != std::string::npos) << command << " " << option;
      std::string escaped;
      for (const char c : option) escaped += c == '-' ? "\\-" : std::string(1, c);
      EXPECT_NE(manual.find(escaped), std::string::npos) << command << " " << option;
      if (option == "--help" || option == "--version") continue;
      EXPECT_NE(zsh.find(option + "["), std::string::npos) << command << " " << option;
      EXPECT_NE(fish.find(" -l " + option.substr(2) + " "), std::string::npos) << command << " " << option;
    }
  }
}

TEST_F(Completion, WorksInZshAndFish) {
  ASSERT_EQ(run("$GRAZE completion zsh -o _graze && $GRAZE completion fish -o graze.fish").code, 0);
  if (there("zsh")) {
    const Outcome zsh = run("zsh -n _graze");
    EXPECT_TRUE(zsh.code == 0 && zsh.err.empty()) << zsh.err;
  }
  if (there("fish")) {
    const Outcome offers = run("HOME=$PWD fish -c 'source graze.fish; complete -C \"graze generate tunnel --wag\"'");
    EXPECT_TRUE(offers.out.starts_with("--wagon\t")) << offers.out << offers.err;
    EXPECT_NE(
        run("HOME=$PWD fish -c 'source graze.fish; complete -C \"graze convert a b --format p\"'").out.find("pcd"),
        std::string::npos);
  }
  if (!there("zsh") && !there("fish")) GTEST_SKIP() << "needs zsh or fish";
}

TEST_F(Completion, IncludesAManualThatManShowsWithoutWarnings) {
  ASSERT_EQ(run("$GRAZE manual -o graze.1").code, 0);
  if (!there("man") || !there("groff")) GTEST_SKIP() << "needs man and groff";
  const Outcome shown = run("LC_ALL=C.UTF-8 MANROFFSEQ= MANWIDTH=80 man --warnings -E UTF-8 -l graze.1");
  EXPECT_EQ(shown.code, 0);
  EXPECT_EQ(shown.err, "");
  for (const char* part : {"graze - collision", "--wagon-points N", "graze convert IN OUT", "EXIT STATUS"}) {
    EXPECT_NE(shown.out.find(part), std::string::npos) << part;
  }
}

}  // namespace completion_test
}  // namespace graze_test
