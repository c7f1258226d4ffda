// Ctrl-C, and outputs that cannot be written.
#include <unistd.h>

#include "apps/shell.h"

namespace graze_test {
namespace interrupt_test {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class Interrupt : public Shell {
 protected:
  // The files of the folder, hidden ones left out.
  std::string files() const { return run("ls -R").out; }
};

// Two blocks are complete when the third is interrupted; the resumed run uses them and gives the result of an
// uninterrupted one.
TEST_F(Interrupt, SaysHowToResumeAClearanceRun) {
  ASSERT_EQ(run("$GRAZE -q generate tunnel --points 400k -o 'a b'").code, 0);
  const std::string inputs = " clearance 'a b/scan.las' --path 'a b/track.tum' --vehicle 'a b/vehicle.json'";
  const std::string rest = inputs + " --csv 'r'\\''s.csv' --block 20000 --threads 1";
  const Outcome whole = run("$GRAZE -q" + inputs + " --csv whole.csv --block 20000");
  ASSERT_TRUE(whole.code == 1 || whole.code == 5) << whole.err;
  // Waits for blocks, then interrupts. Shells make background jobs ignore SIGINT; `timeout` undoes that.
  const Outcome stopped = run("timeout -s INT 300 $GRAZE" + rest +
                              " & timeout=$!\n"
                              "while [ ! -e \"r's.csv.work/block-000002\" ] && kill -0 $timeout; do sleep 0.01; done\n"
                              "kill -INT $timeout; wait $timeout");
  if (stopped.code == whole.code) GTEST_SKIP() << "it ended before it was interrupted";
  EXPECT_TRUE(stopped.code == 124 || stopped.code == 130) << stopped.code << stopped.err;
  EXPECT_EQ(stopped.out, "");
  ASSERT_TRUE(contains(stopped.err, "graze: interrupted; ")) << stopped.err;
  EXPECT_FALSE(contains(files(), ".tmp")) << "nothing half done";
  EXPECT_FALSE(contains(files(), "\nr's.csv\n"));
  const std::string command = stopped.err.substr(stopped.err.find("\n  ") + 3);
  EXPECT_TRUE(command.ends_with(" --resume\n")) << command;
  const Outcome resumed = run(command);
  EXPECT_EQ(resumed.code, whole.code) << resumed.err;
  EXPECT_TRUE(contains(resumed.err, "Resuming after ")) << resumed.err;
  EXPECT_EQ(read("r's.csv"), read("whole.csv"));
}

TEST_F(Interrupt, EndsByTheSignalAndSaysThatNothingWasWritten) {
  for (const auto& [signal, code] : {std::pair("INT", 130), std::pair("TERM", 143)}) {
    // When the scan is being written, the other files are complete.
    std::string command =
        "rm -rf t; timeout 300 $GRAZE generate tunnel --points 2e9 -o t & timeout=$!\n"
        "until [ -e t/vehicle.json ] && ls t | grep -q scan; do kill -0 $timeout || exit 1; sleep 0.01; done\n"
        "kill -";
    command += signal;
    command += " $timeout; wait $timeout";
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "graze: interrupted; only these files are complete: t/track.tum, t/wagon.ply"))
        << outcome.err;
    EXPECT_EQ(run("ls t").out, "track.tum\nvehicle.json\nwagon.ply\n");
    const Outcome drawing = run(std::string("timeout --preserve-status -s ") + signal + " 1 $GRAZE demo --width 4096");
    EXPECT_EQ(drawing.code, code) << drawing.err;
    EXPECT_TRUE(contains(drawing.err, "graze: interrupted; nothing was written\n")) << drawing.err;
    EXPECT_FALSE(contains(files(), "graze-demo"));
  }
}

TEST_F(Interrupt, IsIgnoredWhereTheCallerIgnoresIt) {
  // Shells do so for background jobs.
  const Outcome outcome =
      run("$GRAZE -q generate tunnel --points 3M -o t & graze=$!\nsleep 0.3; kill -INT $graze; wait $graze");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(files(), "scan.las"));
}

class Outputs : public Shell {
 protected:
  // As a user who may not write everywhere.
  std::string as_nobody() const {
    return ::geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
  }
};

TEST_F(Outputs, NamesAReadOnlyFolderBeforeTheWork) {
  write("cloud.xyz", "0 0 0\n1 0 0\n");
  write("track.tum", "0 0 0 0 0 0 0 1\n1 9 0 0 0 0 0 1\n");
  ASSERT_EQ(run("chmod 755 . && mkdir locked && cp cloud.xyz locked/old.ply && chmod 644 cloud.xyz track.tum && "
                "chmod 444 locked/old.ply && chmod 555 locked")
                .code,
            0);
  if (run(as_nobody() + "$GRAZE info cloud.xyz").code != 0) GTEST_SKIP() << "the user nobody cannot run the program";
  const std::string folder = "cannot be written: the folder locked is read-only (Permission denied)\n";
  for (const std::string command :
       {"convert cloud.xyz locked/new.ply", "demo -o locked/new.ply",
        "clearance nowhere.las --path nowhere.tum --model nowhere.ply --report locked/new.ply"}) {
    const Outcome outcome = run(as_nobody() + "$GRAZE " + command);
    EXPECT_EQ(outcome.code, 3) << command;
    EXPECT_EQ(outcome.err, "graze: locked/new.ply: " + folder) << command;
  }
  for (const std::string output : {"locked", "locked/v", "locked/v/w"}) {
    EXPECT_EQ(run(as_nobody() + "$GRAZE generate tunnel --points 1e12 -o " + output).err,
              "graze: " + output + ": " + folder);
  }
  EXPECT_EQ(run(as_nobody() + "$GRAZE convert cloud.xyz locked/old.ply").err,
            "graze: locked/old.ply: cannot be written: it is read-only (Permission denied)\n");
  for (const std::string work : {"locked/w", "locked/v/w"}) {
    EXPECT_EQ(run(as_nobody() + "$GRAZE clearance nowhere.las --path track.tum --model cloud.xyz --work " + work).err,
              "graze: " + work + ": " + folder);
  }
  EXPECT_EQ(run("$GRAZE clearance nowhere.las --path track.tum --model cloud.xyz --work cloud.xyz").err,
            "graze: cloud.xyz: is not a folder\n");
}

TEST_F(Outputs, NamesAFolderThatDoesNotExist) {
  write("cloud.xyz", "0 0 0\n1 0 0\n");
  EXPECT_EQ(run("$GRAZE convert cloud.xyz no/new.ply").err,
            "graze: no/new.ply: cannot be written: the folder no does not exist\n");
  EXPECT_EQ(run("$GRAZE convert cloud.xyz cloud.xyz/new.ply").err,
            "graze: cloud.xyz/new.ply: cannot be written: cloud.xyz is not a folder\n");
  EXPECT_EQ(run("mkdir x.ply; $GRAZE convert cloud.xyz x.ply").err,
            "graze: x.ply: cannot be written: it is a folder\n");
}

}  // namespace interrupt_test
}  // namespace graze_test
