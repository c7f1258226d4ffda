// Usage errors: the message names what was probably meant, or what to use.
#include "apps/shell.h"

namespace graze_test {
namespace usage_test {

class Usage : public Shell {
 protected:
  // The first line of the message about a bad command line.
  std::string said_about(const std::string& arguments) const {
    const Outcome outcome = run("$GRAZE " + arguments);
    EXPECT_EQ(outcome.code, 2) << arguments << outcome.err;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_TRUE(outcome.err.starts_with("graze: ")) << arguments << outcome.err;
    return outcome.err.substr(7, outcome.err.find('\n') - 7);
  }
};

TEST_F(Usage, SuggestsTheCommandThatWasMeant) {
  EXPECT_EQ(said_about("colide {} {}"), "unknown command 'colide'; did you mean 'graze collide'?");
  EXPECT_EQ(said_about("Distance {} {}"), "unknown command 'Distance'; did you mean 'graze distance'?");
  EXPECT_EQ(said_about("clear"), "unknown command 'clear'; did you mean 'graze clearance'?");
  EXPECT_EQ(said_about("generate tunel -o x"), "unknown command 'tunel'; did you mean 'graze generate tunnel'?");
  EXPECT_TRUE(said_about("frobnicate").starts_with("unknown command 'frobnicate'; known are ask, "));
  EXPECT_EQ(said_about("generate"), "graze generate needs one of tunnel, assembly-line");
}

TEST_F(Usage, SuggestsTheOptionThatWasMeant) {
  EXPECT_EQ(said_about("collide --magin 3 {} {}"), "unknown option --magin; did you mean --margin?");
  EXPECT_EQ(said_about("demo --wdith=3"), "unknown option --wdith; did you mean --width?");
  EXPECT_EQ(said_about("--quite demo"), "unknown option --quite; did you mean --quiet?");
  EXPECT_EQ(said_about("clearance s --pth p --vehicle v"), "unknown option --pth; did you mean --path?")
      << "not that --path is missing";
  EXPECT_EQ(said_about("info --report x y"), "unknown option --report; it belongs to 'graze clearance'");
  EXPECT_EQ(said_about("convert a --output b"),
            "unknown option --output; OUT is given without an option: graze convert IN OUT");
  EXPECT_EQ(said_about("demo --frobnicate"), "unknown option --frobnicate");
  EXPECT_EQ(said_about("--verison"), "unknown option --verison; did you mean --version?");
}

TEST_F(Usage, HelpIsACommandToo) {
  for (const std::string command : {"", "clearance", "generate", "generate tunnel"}) {
    const Outcome asked = run("$GRAZE help " + command), option = run("$GRAZE " + command + " --help");
    EXPECT_EQ(asked.code, 0) << command << asked.err;
    EXPECT_EQ(asked.out, option.out) << command;
    EXPECT_NE(asked.out, "") << command;
  }
  EXPECT_EQ(said_about("help clearence"), "unknown command 'clearence'; did you mean 'graze clearance'?");
  EXPECT_EQ(said_about("clearence --help"), "unknown command 'clearence'; did you mean 'graze clearance'?");
}

TEST_F(Usage, SuggestsTheValueThatWasMeant) {
  EXPECT_EQ(said_about("convert a b --format pyl"),
            "--format: unknown value 'pyl'; did you mean 'ply'? Known are ply, pcd, las, xyz, csv, txt, stl, obj, off, "
            "gmap, bt, ot");
  EXPECT_EQ(said_about("convert a b --format zzz"),
            "--format: must be one of ply, pcd, las, xyz, csv, txt, stl, obj, off, gmap, bt, ot, got 'zzz'");
  EXPECT_TRUE(said_about("clearance s --path p --vehicle v --method exat")
                  .starts_with("--method: unknown value 'exat'; did you mean 'exact'?"));
  EXPECT_TRUE(said_about("clearance s --path p --vehicle v --sides left,abvoe")
                  .starts_with("--sides: unknown value 'abvoe'; did you mean 'above'?"));
}

TEST_F(Usage, SaysWhatAnOptionTakes) {
  EXPECT_EQ(said_about("collide {} {} --margin"), "--margin takes one value: --margin NUMBER [0]");
  EXPECT_EQ(said_about("collide {} {} --margin 0,1"), "--margin: must be a number, got '0,1'");
  EXPECT_EQ(said_about("collide {} {} --margin 1e999"), "--margin: must be a number, got '1e999'");
  EXPECT_EQ(said_about("collide {} {} --margin inf"), "--margin: must be a finite number, got 'inf'");
  EXPECT_EQ(said_about("convert a b --translate 1 2"), "--translate takes 3 values: --translate X Y Z");
  EXPECT_EQ(said_about("convert a b --scale 1 --scale 2"), "--scale takes one value: --scale S");
  EXPECT_EQ(said_about("convert a b --float --double"), "--double and --float exclude each other; give one of them");
  EXPECT_EQ(said_about("convert a b --ascii --big-endian"),
            "--ascii and --big-endian exclude each other; give one of them");
  EXPECT_EQ(said_about("demo --width 1e2"), "--width: must be a whole number from 64 to 4096, got '1e2'");
  EXPECT_EQ(said_about("clearance s --path p --vehicle v --fail -1"), "--fail: must be a number, 0 or above, got '-1'");
  EXPECT_EQ(said_about("clearance s --path p --vehicle v --bin 0"), "--bin: must be a number above 0, got '0'");
  EXPECT_EQ(said_about("clearance s --path p --vehicle v --axes fluu"),
            "--axes: must be three of the letters f b l r u d, one for each direction, got 'fluu'");
  EXPECT_EQ(said_about("clearance s --path p --vehicle v --axes lfu"), "--axes: 'lfu' is a left-handed frame");
  EXPECT_EQ(said_about("clearance s --path p"), "--model, --vehicle: exactly one of the two must be given");
  EXPECT_EQ(said_about("ask a b"), "unexpected argument 'b'; expected graze ask FILE");
  EXPECT_EQ(said_about("generate tunnel"),
            "--output DIR is required: The folder for the files; made if it is not there");
}

// What depends on files is an input error, not a usage error.
TEST_F(Usage, SuggestsFormatsAndShowsHowShapesAreWritten) {
  write("cloud.xyz", "0 0 0\n1 0 0\n");
  EXPECT_EQ(
      run("$GRAZE convert cloud.xyz out.PYL").err,
      "graze: out.PYL: its name does not indicate a format; a cloud is written as .ply, .pcd, .las, .xyz, .csv, .txt, "
      ".asc, .pts. Rename it (to .ply?), or give --format\n");
  EXPECT_EQ(run("$GRAZE convert cloud.xyz out.PYL --format ply").code, 0);
  const Outcome word = run("$GRAZE distance sphere '{}'");
  EXPECT_EQ(word.code, 3);
  EXPECT_EQ(
      word.err,
      "graze: A: expected a shape as JSON, such as '{\"shape\":\"sphere\",\"radius\":1}', got 'sphere'; 'graze ask "
      "--help' lists the shapes\n");
}

TEST_F(Usage, PointsToTheHelpOfTheCommand) {
  EXPECT_TRUE(run("$GRAZE generate tunnel").err.ends_with("\nRun 'graze generate tunnel --help' for how to use it.\n"));
  EXPECT_TRUE(run("$GRAZE frobnicate").err.ends_with("\nRun 'graze --help' for how to use it.\n"));
}

}  // namespace usage_test
}  // namespace graze_test
