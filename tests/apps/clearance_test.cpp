// `graze clearance` as a user runs it: small scenes with known answers, and independence of how it is run.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "apps/shell.h"
#include "support/scale.h"

namespace clearance_test {

using graze_test::Shell;
using Json = nlohmann::json;

/// A cube of 2 m with its middle at the origin moves 10 m along x; points are at y = 1.05, 1.15 and 3 beside it.
class ClearanceCommand : public Shell {
 protected:
  void SetUp() override {
    Shell::SetUp();
    write("path.tum", "0 0 0 0 0 0 0 1\n1 10 0 0 0 0 0 1\n");
    write("scan.csv", "x,y,z,intensity\n2,1.05,0,7\n5,-1.15,0,8\n7,0,1.5,9\n4,3,0,10\nnan,0,0,11\n");
    write("cube.off", cube("1"));
  }

  static std::string cube(const std::string& half_width) {
    std::string out = "OFF\n8 12 0\n";
    for (const char* z : {"-1", "1"}) {
      for (const char* xy : {"-1 -", "1 -", "1 ", "-1 "}) out += xy + half_width + " " + z + "\n";
    }
    return out +
           "3 0 2 1\n3 0 3 2\n3 4 5 6\n3 4 6 7\n3 0 1 5\n3 0 5 4\n3 1 2 6\n3 1 6 5\n3 2 3 7\n3 2 7 6\n3 3 0 4\n"
           "3 3 4 7\n";
  }

  // A few points are not a whole scan: another test is about coverage.
  Outcome clearance(const std::string& options, const std::string& scan = "scan.csv") const {
    return run("\"$GRAZE\" clearance " + scan + " --path path.tum --model cube.off --sides none " + options);
  }
  Json json(const std::string& options, const std::string& scan = "scan.csv") const {
    return Json::parse(clearance("--json " + options, scan).out);
  }
};

TEST_F(ClearanceCommand, MeasuresWhatCanBeMeasuredByHand) {
  const Outcome outcome = clearance("--json");
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  const Json result = Json::parse(outcome.out);
  EXPECT_EQ(result["schema"], "graze-clearance/2");
  EXPECT_EQ(result["passed"], false);
  EXPECT_EQ(result["verdict"], "fail");
  EXPECT_EQ(result["points"]["total"], 5);
  EXPECT_EQ(result["points"]["skipped"], 1);
  EXPECT_EQ(result["points"]["levels"], (Json{{"hit", 0}, {"fail", 1}, {"warn", 1}, {"clear", 2}}));
  EXPECT_NEAR(result["worst"]["clearance"].get<double>(), 0.05, 1e-9);
  EXPECT_EQ(result["worst"]["side"], "left");
  EXPECT_NEAR(result["worst"]["chainage"].get<double>(), 2, 1e-9);
  ASSERT_EQ(result["clusters"].size(), 2U);
  EXPECT_NEAR(result["clusters"][1]["worst"]["clearance"].get<double>(), 0.15, 1e-9);
  EXPECT_EQ(result["clusters"][1]["worst"]["side"], "right");
  EXPECT_EQ(result["inputs"][0]["sha256"].get<std::string>().size(), 64U);
  ASSERT_TRUE(result["settings"].contains("way")) << "scripts read the path by this key";
  EXPECT_NE(result["settings"]["way"].get<std::string>().find(" poses, chainage "), std::string::npos);
}

TEST_F(ClearanceCommand, ExitsByTheThreshold) {
  EXPECT_EQ(clearance("--fail 0.04 --warn 0.2").code, 0);
  EXPECT_EQ(clearance("--fail 0.06").code, 1);
  EXPECT_EQ(clearance("--fail 0.3 --warn 0.2").code, 2);
  EXPECT_EQ(clearance("--limit 0.1").code, 2);
  EXPECT_EQ(clearance("--vehicle v.json").code, 2);
  EXPECT_EQ(run("\"$GRAZE\" clearance scan.csv --path path.tum").code, 2);
  EXPECT_EQ(clearance("", "absent.las").code, 3);
  EXPECT_EQ(clearance("--report nowhere/out.html").code, 3);
  write("scan.las", "LASFnot really");
  EXPECT_EQ(clearance("", "scan.las").code, 3);
}

TEST_F(ClearanceCommand, HashesLikeSha256sum) {
  const std::string sum = run("sha256sum scan.csv").out.substr(0, 64);
  EXPECT_EQ(json("")["inputs"][0]["sha256"], sum);
}

TEST_F(ClearanceCommand, WritesTablesAndAColouredScan) {
  const Outcome outcome = clearance("--csv out.csv --clusters clusters.csv --points out.ply --quiet");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(read("out.csv").find("\n2.0000,3.0000,0.0500,,,,0.0500,fail,1,0,0,0,left+right+above+below,yes\n"),
            std::string::npos)
      << read("out.csv");
  EXPECT_NE(read("clusters.csv").find("\n1,fail,0.0500,2.0000,"), std::string::npos) << read("clusters.csv");
  const Outcome text = run("\"$GRAZE\" convert out.ply out.txt -q && cat out.txt");
  EXPECT_NE(text.out.find("x y z intensity red green blue clearance clearance_level"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("\n2 1.05 0 7 "), std::string::npos);
  EXPECT_NE(text.out.find(" 0.04999999701976776 1\n"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path("out.csv.work")));
  EXPECT_EQ(clearance("--points out.las --quiet").code, 1);
  EXPECT_NE(run("\"$GRAZE\" info out.las").out.find("clearance_level"), std::string::npos);
}

TEST_F(ClearanceCommand, TheColouredScanNeverOverstatesAClearance) {
  std::string points = "x,y,z\n";
  std::vector<double> truth;
  for (int i = 0; i < 200; ++i) {
    const double y = 1 + 0.0013 * (i + 1) + 1e-7 / (i + 1);
    char line[100];
    std::snprintf(line, sizeof line, "%.17g,%.17g,0\n", 0.05 * i, y);
    points += line;
    truth.push_back(y - 1);
  }
  write("fine.csv", points);
  ASSERT_EQ(clearance("--points fine.ply --warn 0.2 -q", "fine.csv").code, 1);
  const std::string text = run("\"$GRAZE\" convert fine.ply fine.txt -q && tail -n 200 fine.txt").out;
  std::istringstream lines(text);
  std::string line;
  for (const double c : truth) {
    ASSERT_TRUE(std::getline(lines, line));
    std::istringstream words(line);
    std::string word;
    for (int k = 0; k < 7; ++k) words >> word;  // x y z red green blue clearance
    const float value = std::strtof(word.c_str(), nullptr);
    EXPECT_LE(double{value}, c + 1e-9) << line;
    EXPECT_GE(double{value}, c - 1e-9 - 2e-7 * c) << line;
  }
}

TEST_F(ClearanceCommand, ThePageIsOneFileWithEverything) {
  ASSERT_EQ(clearance("--report out.html --title 'A <cube>'").code, 1);
  const std::string page = read("out.html");
  for (const char* text :
       {"<!doctype html>", "Does not fit", "A &lt;cube&gt;", "data-cluster=\"1\"", "<svg", "SHA-256"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(page.find(" src=\"http"), std::string::npos);
  EXPECT_EQ(page.find("<link"), std::string::npos);
  const bool live = page.find("id=\"graze-data\"") != std::string::npos;
  EXPECT_EQ(page.find("has no 3-D view") == std::string::npos, live);
}

TEST_F(ClearanceCommand, BytesDoNotDependOnThreadsBlocksOrResuming) {
  ASSERT_EQ(run("\"$GRAZE\" generate tunnel --points 8000 -o t -q").code, 0);
  const std::string job =
      "\"$GRAZE\" clearance t/scan.las --path t/track.tum --vehicle t/vehicle.json -q --limit 0.6 --max-clusters 20 ";
  const auto outputs = [](const std::string& n) {
    return "--report " + n + ".html --csv " + n + ".csv --clusters " + n + "-p.csv --points " + n + ".ply ";
  };
  ASSERT_LE(run(job + outputs("a") + "--threads 1 --block 3000").code, 1);
  ASSERT_LE(run(job + outputs("b") + "--threads 3 --block 3000").code, 1);
  // A run that leaves its work behind, as if killed after its last block but one.
  ASSERT_LE(run(job + outputs("c") + "--block 3000 --keep-work").code, 1);
  ASSERT_EQ(run("rm c.* c-p.csv c.html.work/block-000002; ls c.html.work").out, "block-000000\nblock-000001\nrun\n");
  const Outcome resumed =
      run(job.substr(0, job.find("-q")) + "--limit 0.6 --max-clusters 20 " + outputs("c") + "--block 3000 --resume");
  ASSERT_LE(resumed.code, 1) << resumed.err;
  EXPECT_NE(resumed.err.find("Resuming after 2 blocks"), std::string::npos) << resumed.err;
  for (const char* name : {".html", ".csv", "-p.csv", ".ply"}) {
    EXPECT_EQ(read("a" + std::string(name)), read("b" + std::string(name))) << name;
    EXPECT_EQ(read("a" + std::string(name)), read("c" + std::string(name))) << name;
    EXPECT_GT(read("a" + std::string(name)).size(), 100U);
  }
  EXPECT_FALSE(std::filesystem::exists(path("c.html.work")));
}

TEST_F(ClearanceCommand, ResumesAfterBeingKilledAtAnyInstant) {
  ASSERT_EQ(run("\"$GRAZE\" generate tunnel --points 8000 -o t -q").code, 0);
  const std::string job =
      "\"$GRAZE\" clearance t/scan.las --path t/track.tum --vehicle t/vehicle.json -q --block 1000 --max-clusters 5 ";
  const auto outputs = [](const std::string& n) {
    return "--report " + n + ".html --csv " + n + ".csv --points " + n + ".ply ";
  };
  ASSERT_EQ(run(job + outputs("whole")).code, 1);
  const auto sound = [&] {
    for (const char* name : {".html", ".csv", ".ply"}) {
      const std::string out = "killed" + std::string(name);
      if (std::filesystem::exists(path(out)) && read(out) != read("whole" + std::string(name))) return false;
    }
    return true;
  };
  for (int kill = 1; kill <= graze_test::scaled(12); ++kill) {
    ASSERT_EQ(run("rm -rf killed.*").code, 0);
    // Killed twice in a row, the second time while it resumes.
    const std::string seconds = std::to_string(0.02 * kill);
    run("timeout -s KILL " + seconds + " " + job + outputs("killed"));
    EXPECT_TRUE(sound()) << "a file is half written after " << seconds << " s";
    run("timeout -s KILL " + seconds + " " + job + outputs("killed") + "--resume");
    EXPECT_TRUE(sound()) << "a file is half written after " << seconds << " s more";
    ASSERT_EQ(run(job + outputs("killed") + "--resume").code, 1);
    EXPECT_TRUE(sound() && std::filesystem::exists(path("killed.ply"))) << seconds;
  }
}

TEST_F(ClearanceCommand, ResumesNothingOfAnotherRun) {
  ASSERT_EQ(clearance("--csv o.csv --keep-work -q").code, 1);
  const Outcome other = clearance("--csv o.csv --resume --fail 0.04");
  EXPECT_EQ(other.code, 0);
  EXPECT_NE(other.err.find("from the start"), std::string::npos) << other.err;
  ASSERT_EQ(clearance("--csv o.csv --keep-work -q").code, 1);
  ASSERT_EQ(run("printf x >>o.csv.work/block-000000").code, 0);  // which is then corrupt
  EXPECT_EQ(clearance("--csv o.csv --resume -q").code, 1);
  ASSERT_EQ(run("mkdir mine; touch mine/notes.txt").code, 0);
  EXPECT_EQ(clearance("--csv o.csv --work mine").code, 3);
  EXPECT_TRUE(std::filesystem::exists(path("mine/notes.txt")));
}

TEST_F(ClearanceCommand, WarnsOfWrongUnits) {
  write("mm.csv", "x,y,z\n2000,1050,0\n5000,-1150,0\n9000,2500,100\n");
  const Outcome wrong = clearance("", "mm.csv");
  EXPECT_NE(wrong.err.find("--units mm"), std::string::npos) << wrong.err;
  EXPECT_NE(clearance("-q", "mm.csv").err.find("--units mm"), std::string::npos) << "quiet, not silent";
  const Json right = json("--units mm", "mm.csv");
  EXPECT_TRUE(right["cautions"].empty()) << right["cautions"];
  EXPECT_NEAR(right["worst"]["clearance"].get<double>(), 0.05, 1e-9);
  const Outcome model = clearance("--model-units km");
  EXPECT_NE(model.err.find("which is large for a vehicle"), std::string::npos) << model.err;
}

TEST_F(ClearanceCommand, AcceptsUnusualInput) {
  write("empty.csv", "x,y,z\n");
  const Outcome empty = clearance("--report e.html --csv e.csv --points e.ply", "empty.csv");
  EXPECT_EQ(empty.code, 3) << empty.err;  // nothing was checked, so it is not clear
  EXPECT_NE(empty.out.find("NOT CHECKED"), std::string::npos) << empty.out;
  EXPECT_NE(empty.err.find("nothing was checked"), std::string::npos) << empty.err;
  write("path.tum", "0 5 0 0 0 0 0 1\n");  // one pose
  EXPECT_NEAR(json("")["worst"]["clearance"].get<double>(), 0.15, 1e-9);
  write("path.tum", "0 0 0 0 0 0 0 1\n1 5 0 0 0 0 0 1\n2 5 0 0 0 0 0 1\n3 10 0 0 0 0 0 1\n");  // a stop along the path
  EXPECT_NEAR(json("")["worst"]["clearance"].get<double>(), 0.05, 1e-9);
  write("path.tum", "1 10 0 0 0 0 0 1\n0 0 0 0 0 0 0 1\n");
  EXPECT_EQ(clearance("").code, 3);
  EXPECT_EQ(clearance("--repair").code, 1);
}

TEST_F(ClearanceCommand, MeasuresTheRegionOfInterestOnly) {
  const Json result = json("--roi 4 -10 -10 20 10 10");
  EXPECT_EQ(result["points"]["outside_roi"], 1);
  EXPECT_NEAR(result["worst"]["clearance"].get<double>(), 0.15, 1e-9);
}

TEST_F(ClearanceCommand, SeveralScansAreOne) {
  write("more.csv", "x,y,z\n6,1.01,0\n");
  const Json result = json("", "scan.csv more.csv");
  EXPECT_EQ(result["points"]["total"], 6);
  EXPECT_EQ(result["worst"]["point_index"], 5);
  EXPECT_EQ(clearance("--points all.ply -q", "scan.csv more.csv").code, 1);
  EXPECT_NE(run("\"$GRAZE\" info all.ply").out.find("6, of which 1"), std::string::npos);
}

TEST_F(ClearanceCommand, ReportsTheExitDepth) {
  const Json clusters = json("")["clusters"];
  const Json& depth = clusters[0]["depth"];
  EXPECT_NEAR(depth["exit_depth"].get<double>(), 0.05, 1e-3);
  EXPECT_NEAR(depth["left"].get<double>(), 0.05, 1e-3);
  EXPECT_NEAR(depth["up"].get<double>(), 0, 1e-9);
  EXPECT_NEAR(depth["horizontal"].get<double>(), -0.05, 1e-6);
  EXPECT_EQ(clusters[1]["depth"]["exit_depth"], 0);  // only a warning
  ASSERT_EQ(clearance("--report w.html --clusters w.csv -q").code, 1);
  EXPECT_NE(read("w.html").find("0.050 m left"), std::string::npos);
  EXPECT_NE(read("w.csv").find(",0.0500,0.0500,0.0000,-0.0500,"), std::string::npos) << read("w.csv");
  EXPECT_TRUE(json("--method gauge")["clusters"][0]["depth"].is_null());
}

TEST_F(ClearanceCommand, AcceptsAModelThatChangesItsShape) {
  write("path.tum", "0 0 0 0 0 0 0 1\n1 5 0 0 0 0 0 1\n2 10 0 0 0 0 0 1\n");
  ASSERT_EQ(run("mkdir shapes").code, 0);
  write("shapes/s_1.off", cube("1"));
  write("shapes/s_2.off", cube("1"));
  write("shapes/s_10.off", cube("1.5"));  // comes after s_2
  const std::string job = "\"$GRAZE\" clearance scan.csv --path path.tum --model shapes ";
  const Json result = Json::parse(run(job + "--json").out);
  EXPECT_EQ(result["points"]["levels"]["hit"], 1);  // y = -1.15 at x = 5, and not y = 1.05 at x = 2
  EXPECT_NEAR(result["worst"]["clearance"].get<double>(), -0.35, 1e-9);
  EXPECT_EQ(result["worst"]["point_index"], 1);
  // Hit by the third shape between the second and the third pose: the exit depth is that of both shapes.
  EXPECT_NEAR(result["clusters"][0]["depth"]["horizontal"].get<double>(), -0.45, 1e-6);
  ASSERT_EQ(run(job + "--report r.html -q").code, 1);
  EXPECT_EQ(run(job + "--step 1").code, 3);
  const Outcome gauge = run(job + "--method gauge --json");
  EXPECT_EQ(Json::parse(gauge.out)["points"]["levels"]["hit"], 2) << "the widest of all shapes";
  write("shapes/s_11.off", cube("1"));
  const Outcome four = run(job);
  EXPECT_EQ(four.code, 3);
  EXPECT_NE(four.err.find("4 shapes, but the path has 3 poses"), std::string::npos) << four.err;
  ASSERT_EQ(run("rm shapes/*1*").code, 0);  // leaves s_2
  write("shapes/s_3.off", "OFF\n0 0 0\n");
  write("shapes/s_4.off", cube("1"));
  const Outcome nothing = run(job);
  EXPECT_EQ(nothing.code, 3) << nothing.out;
  EXPECT_NE(nothing.err.find("s_3.off"), std::string::npos) << nothing.err;
  ASSERT_EQ(run("rm shapes/*").code, 0);
  EXPECT_EQ(run(job).code, 3);
}

TEST_F(ClearanceCommand, KeepsATenthOfAMillimetreInNationalGrids) {
  write("path.tum", "0 4500000 550000 300 0 0 0 1\n1 4500010 550000 300 0 0 0 1\n");
  write("scan.csv", "x,y,z\n4500002,550001.05,300\n");
  EXPECT_NEAR(json("")["worst"]["clearance"].get<double>(), 0.05, 1e-4);
}

TEST_F(ClearanceCommand, KnowsTheMethodsOfThePaperAndTheGauge) {
  std::string points = "x,y,z\n";
  for (int i = -10; i <= 10; ++i) {
    for (int j = -10; j <= 10; ++j) {
      points += std::to_string(0.1 * i) + ",1," + std::to_string(0.1 * j) + "\n";
    }
  }
  write("wall.csv", points);
  const std::string job = "\"$GRAZE\" clearance scan.csv --path path.tum --model wall.csv --json --method ";
  for (const char* method : {"kd-cd-simple", "kd-cd", "kd-pd-fast", "kd-pd"}) {
    const Outcome outcome = run(job + method);
    ASSERT_EQ(outcome.code, 1) << method << outcome.err;
    EXPECT_EQ(Json::parse(outcome.out)["points"]["levels"]["hit"], 1) << method;
  }
  EXPECT_EQ(clearance("--method kd-cd").code, 3);  // a mesh has no points
  EXPECT_NEAR(json("--method gauge")["worst"]["clearance"].get<double>(), 0.05, 1e-6);
}

}  // namespace clearance_test
