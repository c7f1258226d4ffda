#include <nlohmann/json.hpp>

#include "apps/shell.h"
#include "graze/version.h"

namespace graze_test {
namespace command_line_test {

class CommandLine : public Shell {};

const std::string kBall = R"('{"shape":"sphere","radius":1}')";
const std::string kFar = R"('{"shape":"sphere","radius":1,"pose":{"xyz":[3,0,0]}}')";

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(CommandLine, HelpsNewcomers) {
  const Outcome bare = run("$GRAZE");
  EXPECT_EQ(bare.code, 2);
  EXPECT_EQ(bare.out, "");
  EXPECT_TRUE(contains(bare.err, "graze demo"));
  EXPECT_TRUE(contains(bare.err, "graze --help"));
  EXPECT_EQ(run("$GRAZE --quiet").code, 2);
}

TEST_F(CommandLine, ShowsHelpAndVersionAsResults) {
  for (const std::string command : {"--help", "-h", "ask --help", "demo --help", "collide --help", "distance -h",
                                    "info --help", "convert --help"}) {
    const Outcome help = run("$GRAZE " + command);
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_TRUE(contains(help.out, "Usage: ")) << command << help.out;
    EXPECT_EQ(help.err, "") << command;
  }
  for (const char* word :
       {"ask", "demo", "collide", "distance", "info", "convert", "--quiet", "--version", "Exit codes", "NO_COLOR"}) {
    EXPECT_TRUE(contains(run("$GRAZE --help").out, word)) << word;
  }
  const Outcome version = run("$GRAZE --version");
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.out, std::string("graze ") + graze::kVersion + "\n");
}

TEST_F(CommandLine, ReportsUsageErrorsWithCode2AndAMessage) {
  for (const std::string command :
       {"frobnicate", "--frobnicate", "ask a b", "ask --frobnicate", "demo --output", "collide", "collide {}",
        "distance {} {} {}", "collide {} {} --margin", "collide {} {} --margin x", "collide {} {} --margin nan",
        "collide {} {} --margin inf", "ask demo x", "demo --width 0", "demo --width 1e9"}) {
    const Outcome outcome = run("$GRAZE " + command);
    EXPECT_EQ(outcome.code, 2) << command << outcome.err;
    EXPECT_EQ(outcome.out, "") << command;
    EXPECT_TRUE(outcome.err.starts_with("graze: ")) << command << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "--help")) << command << outcome.err;
  }
}

TEST_F(CommandLine, SaysByItsExitCodeWhetherTwoShapesTouch) {
  const Outcome apart = run("$GRAZE collide " + kBall + " " + kFar);
  EXPECT_EQ(apart.code, 0) << apart.err;
  EXPECT_EQ(apart.out, "{\"collide\":false}\n");
  const Outcome touching = run("$GRAZE collide " + kBall + " " + kBall);
  EXPECT_EQ(touching.code, 1);
  EXPECT_EQ(touching.out, "{\"collide\":true}\n");
  EXPECT_EQ(touching.err, "");
  EXPECT_EQ(run("$GRAZE collide " + kBall + " " + kFar + " --margin 1.5").code, 1);
  EXPECT_EQ(run("$GRAZE collide --margin -3 " + kBall + " " + kBall).code, 0);
}

TEST_F(CommandLine, SaysNothingAboutBodiesWithoutPoints) {
  const std::string nothing = R"('{"shape":"cloud","points":[]}')";
  for (const std::string command : {"collide", "distance", "sweep"}) {
    for (const auto& [bodies, name] : {std::pair(nothing + " " + kBall, "A"), std::pair(kBall + " " + nothing, "B")}) {
      const Outcome outcome = run("$GRAZE " + command + " " + bodies);
      EXPECT_EQ(outcome.code, 3) << command;
      EXPECT_EQ(outcome.out, "") << command;
      EXPECT_EQ(outcome.err,
                std::string("graze: ") + name + ": has no points, so there is nothing to check; give it some\n");
    }
  }
}

TEST_F(CommandLine, PrintsTheDistanceOfTwoShapes) {
  const Outcome apart = run("$GRAZE distance " + kBall + " " + kFar);
  EXPECT_EQ(apart.code, 0);
  EXPECT_EQ(nlohmann::json::parse(apart.out)["distance"], 1);
  EXPECT_EQ(run("$GRAZE distance " + kBall + " " + kBall).code, 1);
}

// As close as coordinates can be without being equal: collide reports a hit, and so must distance, although its value
// is above zero.
TEST_F(CommandLine, DistanceIsNeverClearWhereCollideIsNot) {
  int positive = 0;
  for (const char* gap : {"1e-16", "1e-15", "3e-14", "1e-12", "1e-9", "1e-3"}) {
    const std::string hull =
        R"( '{"shape":"convex","points":[[6000,0,0],[6001,0,0],[6000,1,0],[6000,0,1]],"pose":{"xyz":[-6000,0,0]}}' )";
    const std::string ball = R"('{"shape":"sphere","radius":0,"pose":{"xyz":[-)" + std::string(gap) + R"(,0,0]}}')";
    const Outcome collide = run("$GRAZE collide" + hull + ball), distance = run("$GRAZE distance" + hull + ball);
    EXPECT_TRUE(collide.code == 0 || distance.code == 1) << gap << ": " << distance.out;
    const auto json = nlohmann::json::parse(distance.out);
    EXPECT_EQ(distance.code, json["distance"] > json["tolerance"] ? collide.code : 1) << gap << ": " << distance.out;
    positive += json["distance"] > 0 && distance.code == 1 ? 1 : 0;
  }
  EXPECT_GT(positive, 0) << "the case occurred";
}

TEST_F(CommandLine, HasNoMinusZero) {
  std::string questions;
  for (const char* ask : {"distance", "contacts", "penetration"}) {
    for (const char* at : {"[0,0,2]", "[0,0,1.5]", "[-0.0,-1.5,-0.0]", "[-3,-0.0,0]"}) {
      for (const char* shape : {R"("box","half":[1,1,1])", R"("cylinder","radius":1,"half_length":1)",
                                R"("convex","points":[[1,1,1],[1,-1,-1],[-1,1,-1],[-1,-1,1]])"}) {
        questions += std::string(R"({"ask":")") + ask + R"(","a":{"shape":)" + shape +
                     R"(},"b":{"shape":"box","half":[1,1,1],"pose":{"xyz":)" + at + "}}}\n";
      }
    }
  }
  write("points.csv", "x,y,z,t\n-0.0,-0.0,1,-0.0\n-0.0,-1,1,-0.0\n");
  for (const std::string command : {"ask", "info points.csv", "info --json points.csv"}) {
    const Outcome outcome = run("$GRAZE " + command, questions);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    for (std::size_t at = 0; (at = outcome.out.find("-0", at)) != std::string::npos; ++at) {
      const std::size_t end = outcome.out.find_first_not_of("0123456789.e-", at);
      EXPECT_NE(std::stod(outcome.out.substr(at, end - at)), 0) << outcome.out.substr(at > 40 ? at - 40 : 0, 80);
    }
  }
}

// Bytes that are not UTF-8, and those that would move the cursor of a terminal.
TEST_F(CommandLine, EscapesBytesOfFileNames) {
  const std::string name = "a\xff\x1b[2J\xc3\xa4.csv", shown = "a\\xff\\x1b[2J\xc3\xa4.csv";
  write(name, "x,y,z\n0,0,0\n1,0,0\n");
  EXPECT_TRUE(run("$GRAZE info '" + name + "'").out.starts_with(shown + "\n"));
  EXPECT_EQ(nlohmann::json::parse(run("$GRAZE info --json '" + name + "'").out)["file"], shown);
  EXPECT_EQ(run("$GRAZE info 'no" + name + "'").err,
            "graze: no" + shown + ": cannot be read: No such file or directory\n");
  EXPECT_EQ(run("$GRAZE convert '" + name + "' 'b" + name + "'").err, "b" + shown + ": 2 points\n");
  EXPECT_TRUE(contains(run("$GRAZE 'frob\xff'").err, "unknown command 'frob\\xff'"));
  EXPECT_TRUE(contains(run("$GRAZE info --frob\xff").err, "unknown option --frob\\xff"));
}

TEST_F(CommandLine, RejectsBadShapesWithCode3) {
  const Outcome outcome = run("$GRAZE distance " + kBall + R"( '{"shape":"box","half":[1,2]}')");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "graze: B.half: must be an array of 3 numbers, got 2\n");
  const std::string smuggled = R"('{"shape":"sphere","radius":1},"margin":9,"x":{}')";
  EXPECT_EQ(run("$GRAZE collide " + smuggled + " " + kBall).code, 3);
}

TEST_F(CommandLine, SaysWhenResultsCannotBeWritten) {
  for (const std::string command : {"--help", "--version", "ask --help", "collide {} {}"}) {
    const std::string whole = command == "collide {} {}" ? "collide " + kBall + " " + kFar : command;
    const Outcome full = run("$GRAZE " + whole + " >/dev/full");
    EXPECT_EQ(full.code, 3) << whole;
    EXPECT_EQ(full.err, "graze: standard output: cannot be written: No space left on device\n") << whole;
  }
}

TEST_F(CommandLine, WorksWithoutAnyStream) {
  EXPECT_EQ(run("$GRAZE collide " + kBall + " " + kFar + " <&- 2>&-").code, 0);
  EXPECT_EQ(run("$GRAZE frobnicate <&- >&- 2>&-").code, 2);
}

// `script` gives the command a terminal.
TEST_F(CommandLine, ColoursMessagesOnTerminalsOnly) {
  if (std::system("command -v script >/dev/null 2>&1") != 0) GTEST_SKIP() << "needs script(1)";
  const auto on_terminal = [&](const std::string& variables) {
    return run(variables + " script -qec '$GRAZE ask nowhere' /dev/null").out;
  };
  EXPECT_TRUE(contains(on_terminal("TERM=xterm"), "\033["));
  EXPECT_FALSE(contains(on_terminal("TERM=xterm NO_COLOR=1"), "\033["));
  EXPECT_FALSE(contains(on_terminal("TERM=dumb"), "\033["));
  EXPECT_TRUE(contains(on_terminal("TERM=xterm NO_COLOR="), "\033["));
  EXPECT_FALSE(contains(run("TERM=xterm $GRAZE ask nowhere").err, "\033["));
}

}  // namespace command_line_test
}  // namespace graze_test
