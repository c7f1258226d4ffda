// `graze clearance` judges only what was scanned: whatever is wrong with the input, the result is never clear with exit
// code 0.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/shell.h"

namespace clearance_coverage_test {

using graze_test::Shell;
using Json = nlohmann::json;
struct Point {
  double x, y, z;
};

/// A box of 4 × 2 × 2 m runs 100 m along x through a tube of 6 × 6 m, on a floor at z = 0: nothing is near.
class ClearanceCoverage : public Shell {
 protected:
  void SetUp() override {
    Shell::SetUp();
    write("path.tum", "0 0 0 0 0 0 0 1\n1 100 0 0 0 0 0 1\n");
    std::string box = "OFF\n8 12 0\n";
    for (const char* z : {"0.5", "2.5"}) {
      for (const char* xy : {"-2 -1 ", "2 -1 ", "2 1 ", "-2 1 "}) box += std::string(xy) + z + "\n";
    }
    write("box.off", box +
                         "3 0 2 1\n3 0 3 2\n3 4 5 6\n3 4 6 7\n3 0 1 5\n3 0 5 4\n3 1 2 6\n3 1 6 5\n3 2 3 7\n3 2 7 6\n"
                         "3 3 0 4\n3 3 4 7\n");
    scan("scan.csv");
  }

  void scan(const std::string& name, const std::function<bool(Point&)>& change = {}, const std::string& more = "") {
    std::string out = "x,y,z\n" + more;
    for (int i = -30; i <= 1030; i += 4) {
      for (int k = 0; k < 24; ++k) {
        const double x = 0.1 * i, t = 0.25 * k;
        for (Point p : {Point{x, 3, t}, Point{x, -3, t}, Point{x, t - 3, 0}, Point{x, t - 3, 6}}) {
          if (change && !change(p)) continue;
          out += std::to_string(p.x) + "," + std::to_string(p.y) + "," + std::to_string(p.z) + "\n";
        }
      }
    }
    write(name, out);
  }

  Outcome clearance(const std::string& options = "", const std::string& scan = "scan.csv") const {
    return run("\"$GRAZE\" clearance " + scan + " --path path.tum --model box.off " + options);
  }
  // What must not look like a pass.
  void expect_no_pass(const std::string& what, const std::string& options, const std::string& scan,
                      int code = 0) const {
    const Outcome o = clearance(options, scan);
    EXPECT_TRUE(code == 0 ? o.code == 1 || o.code == 3 || o.code == 5 : o.code == code)
        << what << ": " << o.code << o.out << o.err;
    EXPECT_FALSE(o.out.starts_with("CLEAR") || o.out.starts_with("FITS")) << what << ": " << o.out;
    const Json json = Json::parse(clearance("--json " + options, scan).out);
    EXPECT_EQ(json["passed"], false) << what;
    EXPECT_TRUE(o.code == 1 || json["verdict"] == "unchecked" || json["verdict"] == "partial")
        << what << json["verdict"];
    EXPECT_EQ(json["exit_code"], o.code) << what;
  }
};

TEST_F(ClearanceCoverage, AWholeScanIsClear) {
  const Outcome o = clearance("--csv out.csv --report out.html");
  EXPECT_EQ(o.code, 0) << o.out << o.err;
  EXPECT_TRUE(o.out.starts_with("CLEAR: ")) << o.out;
  EXPECT_NE(o.out.find("\nscanned: 104 of 104 m "), std::string::npos) << o.out;
  EXPECT_EQ(read("out.csv").find("not scanned"), std::string::npos);
  const Json json = Json::parse(clearance("--json").out);
  EXPECT_EQ(json["verdict"], "clear");
  EXPECT_EQ(json["passed"], true);
  EXPECT_NEAR(json["coverage"]["share"].get<double>(), 1, 1e-9);
  EXPECT_EQ(json["coverage"]["demanded"], (Json{"left", "right", "below"}));
  EXPECT_NE(read("out.html").find("104 of 104 m"), std::string::npos);
  EXPECT_EQ(clearance("--sides all").code, 0);
}

TEST_F(ClearanceCoverage, APartialScanHasItsOwnExitCode) {
  scan("part.csv", [](Point& p) { return p.x < 30; });
  const Outcome o = clearance("--csv out.csv --report out.html", "part.csv");
  EXPECT_EQ(o.code, 5) << o.out << o.err;
  EXPECT_NE(o.out.find("clear where scanned: 32 of 104 m"), std::string::npos) << o.out;
  EXPECT_NE(o.out.find("not scanned from 30.0 to 102.0 m: left, right, below"), std::string::npos) << o.out;
  EXPECT_NE(read("out.csv").find("\n50.0000,51.0000,,,,,,not scanned,0,0,0,0,left+right+above+below,no\n"),
            std::string::npos);
  EXPECT_NE(read("out.html").find("Partly checked"), std::string::npos);
  EXPECT_NE(read("out.html").find("class=\"unscanned\""), std::string::npos);
  const Json json = Json::parse(clearance("--json", "part.csv").out);
  EXPECT_EQ(json["verdict"], "partial");
  EXPECT_NEAR(json["coverage"]["scanned"].get<double>(), 32, 1e-9);
  EXPECT_EQ(json["coverage"]["gaps"].size(), 1U);
  EXPECT_EQ(clearance("--allow-gaps", "part.csv").code, 0);
  EXPECT_EQ(clearance("--min-scanned 0.5", "part.csv").code, 3);
  EXPECT_EQ(clearance("--min-scanned 0.5 --allow-gaps", "part.csv").code, 3);
}

TEST_F(ClearanceCoverage, NoFaultyInputIsClear) {
  const auto changed = [&](const std::string& what, const std::function<bool(Point&)>& change,
                           const std::string& options = "", int code = 0) {
    scan("other.csv", change);
    expect_no_pass(what, options, "other.csv", code);
  };
  const auto map = [](const std::function<Point(Point)>& f) {
    return [f](Point& p) {
      p = f(p);
      return true;
    };
  };
  changed(
      "the first ten metres", [](Point& p) { return p.x < 10; }, "", 5);
  changed(
      "one side", [](Point& p) { return p.y < 0; }, "", 3);
  changed(
      "the other side", [](Point& p) { return p.y > 0; }, "", 3);
  changed(
      "no floor", [](Point& p) { return p.z > 0.4; }, "", 3);
  changed(
      "no roof, where one is required", [](Point& p) { return p.z < 3.1; }, "--sides all", 3);
  changed("40 m beside", map([](Point p) { return Point{p.x, p.y + 40, p.z}; }), "", 3);
  changed("50 m along", map([](Point p) { return Point{p.x + 50, p.y, p.z}; }), "", 5);
  changed("15 m up", map([](Point p) { return Point{p.x, p.y, p.z + 15}; }), "", 3);
  changed("15 m down", map([](Point p) { return Point{p.x, p.y, p.z - 15}; }), "", 3);
  changed("in millimetres", map([](Point p) { return Point{1000 * p.x, 1000 * p.y, 1000 * p.z}; }), "", 3);
  changed("in centimetres", map([](Point p) { return Point{100 * p.x, 100 * p.y, 100 * p.z}; }), "", 3);
  changed("in feet", map([](Point p) { return Point{p.x / 0.3048, p.y / 0.3048, p.z / 0.3048}; }), "", 3);
  changed("in kilometres", map([](Point p) { return Point{p.x / 1000, p.y / 1000, p.z / 1000 + 0.2}; }), "", 3);
  changed("easting and northing swapped", map([](Point p) { return Point{p.y, p.x, p.z}; }));
  changed("far away", map([](Point p) { return Point{p.x + 5e5, p.y + 5e6, p.z}; }), "", 3);
  changed(
      "thin", [n = 0](Point&) mutable { return ++n % 200 == 0; }, "");
  changed(
      "nothing", [](Point&) { return false; }, "", 3);
  // Options that misinterpret a good scan.
  expect_no_pass("units of the scan", "--units mm", "scan.csv", 3);
  expect_no_pass("units of the scan", "--units ft", "scan.csv");
  expect_no_pass("units of the path", "--path-units mm", "scan.csv");
  expect_no_pass("units of the path", "--path-units km", "scan.csv");
  expect_no_pass("units of the model", "--model-units mm", "scan.csv");
  expect_no_pass("a shell a kilometre wide", "--model-units km --shell --accept offset", "scan.csv", 3);
  expect_no_pass("region of interest", "--roi 0 -9 -9 20 9 9", "scan.csv", 5);
  for (const char* method : {"gauge"}) {
    scan("other.csv", [](Point& p) { return p.y < 0; });
    expect_no_pass(method, std::string("--method ") + method, "other.csv", 3);
  }
}

TEST_F(ClearanceCoverage, HitsAreHitsWhateverWasScanned) {
  write("hit.csv", "x,y,z\n50,0.5,1\n");
  EXPECT_EQ(clearance("", "hit.csv").code, 1);
  EXPECT_EQ(clearance("--allow-gaps", "hit.csv").code, 1);
  scan(
      "part.csv", [](Point& p) { return p.x < 30; }, "10,1.05,1\n");
  const Outcome o = clearance("", "part.csv");
  EXPECT_EQ(o.code, 1);
  EXPECT_NE(o.out.find("scanned: 32 of 104 m"), std::string::npos) << o.out;
}

TEST_F(ClearanceCoverage, DoubtsAreAcceptedByName) {
  scan("feet.csv", [](Point& p) {
    p = {p.x / 0.3048, p.y / 0.3048, p.z / 0.3048};
    return true;
  });
  const Outcome doubt = clearance("", "feet.csv");
  EXPECT_EQ(doubt.code, 3);
  EXPECT_NE(doubt.err.find("Is the scan in feet? Then use --units ft."), std::string::npos) << doubt.err;
  EXPECT_NE(doubt.out.find("NOT CHECKED: the units are in doubt"), std::string::npos) << doubt.out;
  EXPECT_EQ(clearance("--accept size", "feet.csv").code, 3);
  EXPECT_EQ(clearance("--accept units", "feet.csv").code, 0);
  EXPECT_EQ(clearance("--units ft", "feet.csv").code, 0);
  EXPECT_EQ(clearance("--accept nonsense", "feet.csv").code, 2);
  EXPECT_EQ(clearance("--sides up").code, 2);
  EXPECT_EQ(clearance("--sides all,left").code, 2);
  EXPECT_EQ(clearance("--gap -1").code, 2);
  // A vehicle that never came near the scan cannot be accepted as checked.
  scan("far.csv", [](Point& p) { return p.y += 500, true; });
  EXPECT_EQ(clearance("--accept offset --allow-gaps --min-scanned 0", "far.csv").code, 3);
}

TEST_F(ClearanceCoverage, PointsWithoutAnEchoAreFoundAndDropped) {
  std::string zeros;
  for (int i = 0; i < 3000; ++i) zeros += "0,0,0.0\n";
  scan("echo.csv", {}, zeros);
  const Outcome o = clearance("--fail 0 --warn 0.2", "echo.csv");
  EXPECT_NE(o.err.find("points of the scan are all at (0, 0, 0)"), std::string::npos) << o.err;
  const Json json = Json::parse(clearance("--json --drop-no-echo", "echo.csv").out);
  EXPECT_EQ(json["points"]["no_echo_dropped"], 3000);
  EXPECT_EQ(json["verdict"], "clear");
  EXPECT_TRUE(clearance("--drop-no-echo", "scan.csv").err.find("echo") == std::string::npos);
  // On the path they are hits; without them it is clear. Geo-referenced, they make the scan 5000 km wide.
  write("path.tum", "0 0 0 -1.5 0 0 0 1\n1 100 0 -1.5 0 0 0 1\n");
  scan(
      "low.csv", [](Point& p) { return p.z -= 1.6, true; }, zeros);
  EXPECT_EQ(clearance("", "low.csv").code, 1);
  EXPECT_EQ(clearance("--drop-no-echo", "low.csv").code, 0);
  EXPECT_EQ(clearance("--drop-no-echo --points out.ply --csv out.csv -q", "low.csv").code, 0);
}

TEST_F(ClearanceCoverage, ResumesToTheSameBytes) {
  std::string zeros;
  for (int i = 0; i < 3000; ++i) zeros += "0,0,50\n";
  scan(
      "part.csv", [](Point& p) { return p.x < 40; }, zeros);
  const std::string job = "--drop-no-echo --block 9000 ";
  const auto outputs = [](const std::string& n) { return "--report " + n + ".html --csv " + n + ".csv "; };
  ASSERT_EQ(clearance(job + outputs("a"), "part.csv").code, 5);
  ASSERT_EQ(clearance(job + outputs("b") + "--keep-work", "part.csv").code, 5);
  ASSERT_EQ(run("rm b.html b.csv b.html.work/block-000001").code, 0);
  ASSERT_EQ(clearance(job + outputs("b") + "--resume --threads 1", "part.csv").code, 5);
  EXPECT_EQ(read("a.csv"), read("b.csv"));
  EXPECT_EQ(read("a.html"), read("b.html"));
}

TEST_F(ClearanceCoverage, OfTheGeneratedTunnel) {
  ASSERT_EQ(run("\"$GRAZE\" generate tunnel --points 200k -o t -q").code, 0);
  const std::string job = "\"$GRAZE\" clearance --path t/track.tum --vehicle t/vehicle.json --json t/";
  const Json whole = Json::parse(run(job + "scan.las").out);
  EXPECT_EQ(whole["exit_code"], 1);
  EXPECT_GT(whole["coverage"]["share"].get<double>(), 0.99) << whole["coverage"];
}

}  // namespace clearance_coverage_test
