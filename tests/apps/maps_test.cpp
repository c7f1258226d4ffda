// graze map build, graze map show, and what info and convert make of occupancy maps.
#include <nlohmann/json.hpp>

#include "apps/shell.h"

namespace graze_test {
namespace maps_command_test {

class MapCommand : public Shell {
 protected:
  /// Two scans of a wall 2 m ahead, from two poses 1 m apart, and a point 9 m away.
  void write_frames() const {
    for (int frame = 0; frame < 2; ++frame) {
      std::string text = "x,y,z\n";
      for (int y = -10; y <= 10; ++y) {
        for (int z = -5; z <= 5; ++z) {
          text += std::to_string(2.02 - frame) + "," + std::to_string(0.1 * y + 0.05) + "," +
                  std::to_string(0.1 * z + 0.05) + "\n";
        }
      }
      write("frame" + std::to_string(frame) + ".csv", text + "9,0.01,0.01\nnan,0,0\n");
    }
    write("poses.tum", "0.5 0 0 0 0 0 0 1\n1.5 1 0 0 0 0 0 1\n");
  }
  static constexpr const char* kBuild = "$GRAZE map build frame0.csv frame1.csv --poses poses.tum --resolution 0.1 ";
};

TEST_F(MapCommand, BuildsAMapOfFramesAndPoses) {
  write_frames();
  const Outcome built = run(std::string(kBuild) + "--max-range 4 -o world.gmap");
  EXPECT_EQ(built.code, 0) << built.err;
  EXPECT_EQ(built.err, "");
  EXPECT_NE(built.out.find("world.gmap: "), std::string::npos) << built.out;
  EXPECT_NE(built.out.find("leaves from 2 frames; of 466 points 462 hit, 2 were beyond the range, 2 were no return"),
            std::string::npos)
      << built.out;
  const Outcome info = run("$GRAZE info world.gmap --json");
  EXPECT_EQ(info.code, 0) << info.err;
  const nlohmann::json json = nlohmann::json::parse(info.out);
  EXPECT_EQ(json["format"], "graze .gmap");
  EXPECT_EQ(json["resolution"], 0.1);
  EXPECT_EQ(json["sensor_model"], "log_odds");
  EXPECT_EQ(json["newest"], 1.5);
  EXPECT_EQ(json["occupied_cells"], 231);
  EXPECT_GT(json["free_cells"].get<double>(), 1000);
  const Outcome text = run("$GRAZE info world.gmap");
  EXPECT_NE(text.out.find("format       graze .gmap\n"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("sensor       hit 0.7, miss 0.4, between 0.1192 and 0.971"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("newest       frame of time 1.5 s"), std::string::npos) << text.out;

  const Outcome average = run(std::string(kBuild) + "--max-range 4 --average 5 -o average.gmap --quiet");
  EXPECT_EQ(average.code, 0) << average.err;
  EXPECT_EQ(average.out, "");
  EXPECT_EQ(nlohmann::json::parse(run("$GRAZE info average.gmap --json").out)["sensor_model"], "running_average");
}

TEST_F(MapCommand, SaysWhatIsWrongWithFramesAndPoses) {
  write_frames();
  const auto refused = [&](const std::string& command, int code, const std::string& says) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.code, code) << command;
    EXPECT_NE(outcome.err.find(says), std::string::npos) << command << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "");
  };
  refused(std::string(kBuild) + "-o world.xyz", 3, "world.xyz: its name does not indicate a format");
  refused(std::string(kBuild) + "-o /nowhere/world.bt", 3, "/nowhere/world.bt");
  refused("$GRAZE map build frame0.csv --poses poses.tum -o w.bt", 3, "poses.tum: has 2 poses for 1 frames");
  refused("$GRAZE map build frame0.csv frame9.csv --poses poses.tum -o w.bt", 3, "frame9.csv");
  refused("$GRAZE map build frame0.csv -o w.bt", 2, "--poses");
  refused("$GRAZE map build --poses poses.tum -o w.bt", 2, "FRAME");
  refused(std::string(kBuild) + "-o w.bt --resolution 0", 2, "--resolution");
  refused(std::string(kBuild) + "-o w.bt --average 99", 2, "--average");
  refused("$GRAZE map", 2, "");
  refused("$GRAZE map biuld", 2, "build");
  EXPECT_FALSE(std::filesystem::exists(path("w.bt"))) << "nothing is left behind";
  write("far.tum", "0 1e12 0 0 0 0 0 1\n1 0 0 0 0 0 0 1\n");
  refused("$GRAZE map build frame0.csv frame1.csv --poses far.tum -o w.bt", 3, "frame0.csv");
  const Outcome help = run("$GRAZE map build --help");
  EXPECT_EQ(help.code, 0);
  for (const char* option : {"--poses", "--resolution", "--max-range", "--average", "--every-point", "-o,--output"}) {
    EXPECT_NE(help.out.find(option), std::string::npos) << option;
  }
}

TEST_F(MapCommand, MapsBecomeOtherMapsAndPoints) {
  write_frames();
  ASSERT_EQ(run(std::string(kBuild) + "--max-range 4 -o world.gmap -q").code, 0);
  const auto cells = [&](const std::string& file) {
    const nlohmann::json json = nlohmann::json::parse(run("$GRAZE info " + file + " --json").out);
    return std::pair(json["occupied_cells"].get<double>(), json["free_cells"].get<double>());
  };
  const auto expected = cells("world.gmap");
  for (const char* to : {"a.ot", "b.bt", "c.gmap"}) {
    const Outcome outcome = run(std::string("$GRAZE convert world.gmap ") + to);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(cells(to), expected) << to;
  }
  EXPECT_TRUE(read("c.gmap") == read("world.gmap")) << "ages and the sensor model too";
  EXPECT_EQ(run("$GRAZE convert b.bt d.gmap && $GRAZE convert d.gmap e.bt").code, 0);
  EXPECT_TRUE(read("e.bt") == read("b.bt"));
  const Outcome strict = run("$GRAZE convert world.gmap f.bt --threshold 0.9");
  EXPECT_EQ(cells("f.bt").first, 0) << "one hit and one miss or two hits are less than 0.9";

  const Outcome points = run("$GRAZE convert world.gmap wall.csv");
  EXPECT_EQ(points.code, 0) << points.err;
  EXPECT_NE(points.err.find("wall.csv: 231 points, the centres of the occupied cells"), std::string::npos)
      << points.err;
  const std::string csv = read("wall.csv");
  EXPECT_EQ(csv.rfind("x,y,z,probability\n", 0), 0U) << csv.substr(0, 80);
  const nlohmann::json cloud = nlohmann::json::parse(run("$GRAZE info wall.csv --json").out);
  EXPECT_EQ(cloud["points"], 231);
  EXPECT_EQ(run("$GRAZE convert world.gmap free.ply --cells free -q").code, 0);
  EXPECT_EQ(nlohmann::json::parse(run("$GRAZE info free.ply --json").out)["points"], expected.second);

  const auto refused = [&](const std::string& command, const std::string& says) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.code, 3) << command;
    EXPECT_NE(outcome.err.find(says), std::string::npos) << command << "\n" << outcome.err;
  };
  refused("$GRAZE convert world.gmap w.stl", "w.stl");
  refused("$GRAZE convert world.gmap w.bt --cells free", "--cells is for clouds");
  refused("$GRAZE convert world.gmap w.bt --scale 2", "--scale is not for maps");
  refused("$GRAZE convert frame0.csv w.bt", "`graze map build`");
  refused("$GRAZE convert frame0.csv w.ply --cells free", "--cells is for maps");
  write("broken.gmap", read("world.gmap").substr(0, 300));
  refused("$GRAZE convert broken.gmap w.bt", "broken.gmap: byte 16: the header says");
  refused("$GRAZE info broken.gmap", "broken.gmap: byte 16");
}

TEST_F(MapCommand, ShowsAMapInOnePage) {
  write_frames();
  ASSERT_EQ(run(std::string(kBuild) + "--max-range 4 -o world.gmap -q").code, 0);
  const Outcome shown = run("$GRAZE map show world.gmap");
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_EQ(shown.out, "world.html: 231 cubes of world.gmap\n");
  const std::string page = read("world.html");
  EXPECT_EQ(page.find("http://"), page.find("http://www.w3.org")) << "needs nothing else";
  EXPECT_EQ(page.find("{{"), std::string::npos);
  if (const nlohmann::json data = page_data(page); !data.is_null()) {
    EXPECT_EQ(data["kind"], "map");
    EXPECT_EQ(data["cubes"], 231);
    EXPECT_EQ(data["resolution"], 0.1);
  } else {
    EXPECT_NE(page.find("data:image/png;base64"), std::string::npos);
  }
  const Outcome all = run("$GRAZE map show world.gmap --free --unknown -o all.html");
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_GT(std::stoi(all.out.substr(std::string("all.html: ").size())), 231) << all.out;
  const Outcome coarse = run("$GRAZE map show world.gmap --free --unknown --max-cubes 1000 -o coarse.html");
  EXPECT_EQ(coarse.code, 0) << coarse.err;
  EXPECT_NE(coarse.err.find("world.gmap has more than 1000 cells to show; the page merges them into cubes of"),
            std::string::npos)
      << coarse.err;
  EXPECT_NE(read("coarse.html").find("cells are merged into cubes of"), std::string::npos);
  const Outcome none = run("$GRAZE map show world.gmap --threshold 1 -o none.html");
  EXPECT_EQ(none.code, 0);
  EXPECT_NE(none.err.find("has no cell of at least this probability"), std::string::npos) << none.err;
  EXPECT_EQ(run("$GRAZE map show world.gmap --threshold 1 -o q.html --quiet").out, "q.html\n");

  EXPECT_EQ(run("$GRAZE map show nowhere.gmap").code, 3);
  EXPECT_EQ(run("$GRAZE map show frame0.csv -o no.html").code, 3);
  EXPECT_FALSE(std::filesystem::exists(path("no.html")));
  EXPECT_EQ(run("$GRAZE map show world.gmap -o /nowhere/x.html").code, 3);
  EXPECT_EQ(run("$GRAZE map show world.gmap --threshold 2").code, 2);
  EXPECT_EQ(run("$GRAZE map show").code, 2);
  EXPECT_NE(run("$GRAZE map show --help").out.find("--max-cubes"), std::string::npos);
  EXPECT_NE(run("$GRAZE manual").out.find("map show"), std::string::npos);
  EXPECT_NE(run("$GRAZE completion bash").out.find("--max-cubes"), std::string::npos);
}

}  // namespace maps_command_test
}  // namespace graze_test
