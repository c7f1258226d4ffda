// Units of scans and models: what files state, what the command line overrides, and that all outputs agree.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "apps/shell.h"

namespace clearance_units_test {

using graze_test::Shell;
using Json = nlohmann::json;

// A floor at z = 0 and walls at y = ±3, in units of `unit` metres, as text.
class ClearanceUnits : public Shell {
 protected:
  static constexpr double kFoot = 0.3048;

  void SetUp() override {
    Shell::SetUp();
    write("path.tum", "0 0 0 0 0 0 0 1\n1 20 0 0 0 0 0 1\n");
    scan("scan.csv", 1);
    scan("feet.csv", kFoot);
    box("box.csv", 1);
    box("box_feet.csv", kFoot);
  }

  void scan(const std::string& name, double unit) const {
    std::string out = "x,y,z\n";
    const auto add = [&](double x, double y, double z) {
      out += std::to_string(x / unit) + "," + std::to_string(y / unit) + "," + std::to_string(z / unit) + "\n";
    };
    for (int i = -30; i <= 230; ++i) {
      for (int k = 0; k < 12; ++k) add(0.1 * i, 3, 0.5 * k), add(0.1 * i, -3, 0.5 * k), add(0.1 * i, 0.5 * k - 3, 0);
    }
    write(name, out);
  }
  // 4 × 4 × 2 m from z = 1 on: a metre from everything.
  void box(const std::string& name, double unit) const {
    std::string out = "x,y,z\n";
    for (int i = -20; i <= 20; ++i) {
      for (const double y : {-2.0, 2.0}) {
        for (const double z : {1.0, 2.0, 3.0}) {
          out +=
              std::to_string(0.1 * i / unit) + "," + std::to_string(y / unit) + "," + std::to_string(z / unit) + "\n";
        }
      }
    }
    write(name, out);
  }

  // As LAS with GeoTIFF keys that state a unit.
  void las(const std::string& from, const std::string& to, std::initializer_list<std::array<int, 2>> keys) const {
    ASSERT_EQ(run("\"$GRAZE\" convert " + from + " " + to).code, 0);
    std::string bytes = read(to), list;
    const auto number = [](auto value) {
      std::string out(sizeof value, '\0');
      std::memcpy(out.data(), &value, sizeof value);
      return out;
    };
    for (const int v : {1, 1, 0, static_cast<int>(keys.size())}) list += number(static_cast<std::uint16_t>(v));
    for (const auto& [key, value] : keys) {
      for (const int v : {key, 0, 1, value}) list += number(static_cast<std::uint16_t>(v));
    }
    std::string head(54, '\0');
    head.replace(2, 15, "LASF_Projection");
    head.replace(18, 2, number(std::uint16_t{34735}));
    head.replace(20, 2, number(static_cast<std::uint16_t>(list.size())));
    bytes.insert(227, head + list);
    bytes.replace(96, 4, number(static_cast<std::uint32_t>(227 + head.size() + list.size())));
    bytes.replace(100, 4, number(std::uint32_t{1}));
    write(to, bytes);
  }

  Json clearance(const std::string& scan, const std::string& model, const std::string& options = "") const {
    const Outcome o = run("\"$GRAZE\" clearance " + scan + " --path path.tum --model " + model +
                          " --limit 1.5 --json --sides left,right,below " + options);
    return o.out.empty() ? Json{{"error", o.err}, {"exit_code", o.code}} : Json::parse(o.out);
  }
  double min_clearance(const std::string& scan, const std::string& model, const std::string& options = "") const {
    const Json json = clearance(scan, model, options);
    return json.contains("worst") && json["worst"].is_object() ? json["worst"]["clearance"].get<double>() : NAN;
  }
};

TEST_F(ClearanceUnits, OfAModelOfPointsAreAppliedOnce) {
  las("box_feet.csv", "box_feet.las", {{1024, 1}, {3072, 32767}, {3076, 9002}});
  EXPECT_NEAR(min_clearance("scan.csv", "box.csv"), 1, 1e-5);
  EXPECT_NEAR(min_clearance("scan.csv", "box_feet.csv", "--model-units ft"), 1, 1e-5);
  EXPECT_NEAR(min_clearance("scan.csv", "box_feet.las"), 1, 1e-3) << "as the file says";
  EXPECT_NEAR(min_clearance("scan.csv", "box_feet.las", "--model-units ft"), 1, 1e-3) << "and not twice";
  // --model-units m applies to the numbers, whatever the file states.
  las("box.csv", "box_wrong.las", {{1024, 1}, {3072, 32767}, {3076, 9002}});
  EXPECT_NEAR(min_clearance("scan.csv", "box_wrong.las", "--model-units m"), 1, 1e-3);
  const Json json = clearance("scan.csv", "box_feet.las");
  EXPECT_NE(json["notes"].dump().find("converted to metres"), std::string::npos) << json["notes"];
}

TEST_F(ClearanceUnits, OfTheColouredScanAreThoseThatWereMeasured) {
  las("feet.csv", "feet.las", {{1024, 1}, {3072, 32767}, {3076, 9002}});
  las("scan.csv", "wrong.las", {{1024, 1}, {3072, 32767}, {3076, 9002}});
  las("scan.csv", "degrees.las", {{1024, 2}, {2048, 4326}});
  struct Case {
    const char *scan, *options;
  };
  for (const auto& [scan, options] :
       {Case{"scan.csv", ""}, Case{"feet.csv", "--units ft"}, Case{"feet.las", ""}, Case{"feet.las", "--units ft"},
        Case{"wrong.las", "--units m"}, Case{"degrees.las", "--units m"}}) {
    for (const char* out : {"out.csv", "out.las"}) {
      const Json json = clearance(scan, "box.csv", std::string(options) + " --points " + out);
      ASSERT_TRUE(json.contains("worst")) << scan << " " << options << json;
      EXPECT_NEAR(json["worst"]["clearance"].get<double>(), 1, 1e-3) << scan;
      const Json info = Json::parse(run(std::string("\"$GRAZE\" info --json ") + out).out);
      EXPECT_NEAR(info["bounds"]["max"][1].get<double>(), 3, 1e-3) << scan << " " << options << " " << out << info;
    }
  }
}

TEST_F(ClearanceUnits, UnwritableOutputsAreRejectedBeforeMeasuring) {
  las("scan.csv", "degrees.las", {{1024, 2}, {2048, 4326}});
  for (const std::string options :
       {"degrees.las --points out.las", "scan.csv --points out.laz", "scan.csv --points out"}) {
    const Outcome o = run("\"$GRAZE\" clearance --path path.tum --model box.csv " + options);
    EXPECT_EQ(o.code, 3) << options;
    EXPECT_EQ(o.out, "") << options;
    // Nothing was measured: there is no folder of results.
    EXPECT_EQ(run("ls -d *.work").out, "") << options << o.err;
  }
}

TEST_F(ClearanceUnits, AThresholdThatMayNotBeKeptFails) {
  // A point 1.5 m below a plate: --fail at exactly that clearance cannot be distinguished from a smaller one.
  write("one.csv", "x,y,z\n10,0,-0.5\n");
  write("plate.off", "OFF\n3 1 0\n-5 -5 1\n5 -5 1\n0 5 1\n3 0 1 2\n");
  for (const auto& [fail, code] : {std::pair("1.5", 1), std::pair("1.4999999", 0)}) {
    const Outcome o =
        run(std::string("\"$GRAZE\" clearance one.csv --path path.tum --model plate.off --sides none --fail ") + fail +
            " --warn 1.5 --limit 2 --accept size --accept units --csv out.csv");
    EXPECT_EQ(o.code, code) << o.out << o.err;
    EXPECT_NE(read("out.csv").find(",1.5000,"), std::string::npos) << read("out.csv");
  }
  // Tables round down.
  write("one.csv", "x,y,z\n10,0,-0.49996\n");
  run("\"$GRAZE\" clearance one.csv --path path.tum --model plate.off --sides none --limit 2 --accept size --accept "
      "units --csv "
      "out.csv");
  EXPECT_NE(read("out.csv").find(",1.4999,"), std::string::npos) << read("out.csv");
}

// The terminal, the verdict of the page and its viewer, which prints three digits, say the same about the same point.
TEST_F(ClearanceUnits, ShowsAClearanceRoundedTheSameEverywhere) {
  write("plate.off", "OFF\n3 1 0\n-5 -5 1\n5 -5 1\n0 5 1\n3 0 1 2\n");
  for (const auto& [z, shown] : {std::pair("-0.4996", "1.499"), std::pair("-0.4994", "1.499"),
                                 std::pair("-0.5625", "1.562"), std::pair("0.0625", "0.937")}) {
    write("one.csv", std::string("x,y,z\n10,0,") + z + "\n");
    const Outcome o = run(
        "\"$GRAZE\" clearance one.csv --path path.tum --model plate.off --sides none --limit 2 --accept size --accept "
        "units --report out.html");
    const std::string text = std::string("inimum clearance ") + shown + " m";
    EXPECT_NE(o.out.find(text), std::string::npos) << o.out << o.err;
    const std::string page = read("out.html");
    EXPECT_NE(page.find(text), std::string::npos) << page.substr(0, page.find("<script"));
    const Json data = page_data(page);
    if (data.is_null()) continue;
    int locations = 0;
    for (const Json& worst : data["profile"]["worst"]) {
      if (worst.is_null()) continue;
      ++locations;
      EXPECT_EQ(worst["clearance"].get<double>(), std::stod(shown));
    }
    EXPECT_EQ(locations, 1);
  }
}

// A model that was cut out of a scan and kept its coordinates.
TEST_F(ClearanceUnits, ReportsAModelFarFromItsOwnOrigin) {
  ASSERT_EQ(run("$GRAZE convert box.csv far.csv --translate 450000 5400000 300").code, 0);
  const Outcome outcome = run("$GRAZE clearance scan.csv --path path.tum --model far.csv");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(
      outcome.err.starts_with("graze: far.csv: the model lies far from the origin of its own frame, at "
                              "(450000.0, 5400000.0, 302.0)."))
      << outcome.err;
  const std::size_t start = outcome.err.find("graze convert "), end = outcome.err.find(';');
  ASSERT_TRUE(start != std::string::npos && end > start) << outcome.err;
  EXPECT_EQ(run("$GRAZE" + outcome.err.substr(start + 5, end - start - 5)).code, 0) << "the suggested command runs";
  EXPECT_EQ(run("$GRAZE clearance scan.csv --path path.tum --model moved.ply").code, 1) << "centred: it hits the floor";
  write("far.json", R"({"bogie_distance":2,"body":{"file":"far.csv"}})");
  const Outcome vehicle = run("$GRAZE clearance scan.csv --path path.tum --vehicle far.json");
  EXPECT_TRUE(vehicle.err.starts_with("graze: far.json: the model lies far from")) << vehicle.err;
}

TEST_F(ClearanceUnits, WritesPagesAndJsonForNamesThatAreNotUtf8) {
  const std::string scan = "s\xff.csv", model = "m\xff.csv";
  ASSERT_EQ(run("cp scan.csv '" + scan + "' && cp box.csv '" + model + "'").code, 0);
  const Outcome outcome = run("$GRAZE clearance '" + scan + "' --path path.tum --model '" + model +
                              "' --title 'T\xff' --json --report 'r\xff.html'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["inputs"][0]["file"], "s\\xff.csv");
  const std::string page = read("r\xff.html");
  EXPECT_EQ(page.find('\xff'), std::string::npos);
  EXPECT_NE(page.find("T\\xff"), std::string::npos);
}

}  // namespace clearance_units_test
