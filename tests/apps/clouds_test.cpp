// graze info and graze convert, as a newcomer runs them.
#include <nlohmann/json.hpp>

#include "apps/shell.h"

namespace graze_test {
namespace clouds_test {

class Clouds : public Shell {
 protected:
  void SetUp() override {
    Shell::SetUp();
    write("scän 1.csv", "x,y,z,intensity\n0,0,0,1\n1,0,0,2\nnan,0,0,3\n0,2,0,9.5\n");
  }
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(Clouds, InfoDescribesTheFile) {
  const Outcome info = run("$GRAZE info 'scän 1.csv'");
  EXPECT_EQ(info.code, 0) << info.err;
  EXPECT_EQ(info.err, "");
  for (const char* part :
       {"scän 1.csv\n", "format       text\n", "points       4, of which 1 are NaN or infinite and skipped\n",
        "x            0 … 1  (extent 1)\n", "spacing      1  (median", "intensity  float64  1 … 9.5\n"}) {
    EXPECT_TRUE(contains(info.out, part)) << part << "\n" << info.out;
  }
}

TEST_F(Clouds, InfoWritesJson) {
  const Outcome info = run("$GRAZE info --json 'scän 1.csv' 'scän 1.csv'");
  EXPECT_EQ(info.code, 0) << info.err;
  const std::string line = info.out.substr(0, info.out.find('\n'));
  EXPECT_EQ(info.out, line + "\n" + line + "\n") << "an object per line and file";
  const nlohmann::json json = nlohmann::json::parse(line);
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["file"], "scän 1.csv");
  EXPECT_EQ(json["points"], 4);
  EXPECT_EQ(json["skipped"], 1);
  EXPECT_EQ(json["bounds"]["max"], (std::vector<double>{1, 2, 0}));
  EXPECT_EQ(json["spacing"], 1);
  EXPECT_EQ(json["attributes"][0]["name"], "intensity");
  EXPECT_EQ(json["attributes"][0]["max"], 9.5);
  const nlohmann::json none = nlohmann::json::parse(run("printf 'x,y,z\\n' | $GRAZE info --json -").out);
  EXPECT_TRUE(none["bounds"].is_null() && none["spacing"].is_null() && none["density"].is_null());
}

TEST_F(Clouds, InfoContinuesAfterABadFile) {
  write("bad.ply", "ply\nformat ascii 1.0\nelement vertex 9\n");
  const Outcome info = run("$GRAZE info bad.ply nothing.las . 'scän 1.csv'");
  EXPECT_EQ(info.code, 3);
  EXPECT_TRUE(contains(info.out, "points       4"));
  EXPECT_EQ(info.err,
            "graze: bad.ply: the PLY header has no end_header; was it cut off?\n"
            "graze: nothing.las: cannot be read: No such file or directory\n"
            "graze: .: is a folder; name a file in it\n");
  EXPECT_EQ(run("$GRAZE info 'scän 1.csv' >/dev/full").err,
            "graze: standard output: cannot be written: No space left on device\n");
}

TEST_F(Clouds, ConvertsByExtension) {
  for (const char* name : {"a.ply", "a.pcd", "a.xyz", "a.las"}) {
    const Outcome done = run(std::string("$GRAZE convert 'scän 1.csv' ") + name);
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(done.out, "");
    EXPECT_TRUE(done.err.starts_with(std::string(name) + ": ")) << done.err;
    EXPECT_EQ(run(std::string("$GRAZE -q convert 'scän 1.csv' ") + name).err, "");
    const nlohmann::json json = nlohmann::json::parse(run(std::string("$GRAZE info --json ") + name).out);
    EXPECT_EQ(json["points"], std::string(name) == "a.las" ? 3 : 4);
  }
  EXPECT_TRUE(
      contains(run("$GRAZE convert 'scän 1.csv' b.las").err, "b.las: 3 points, 1 without coordinates left out\n"));
}

TEST_F(Clouds, ConvertsAsTheOptionsSay) {
  EXPECT_EQ(run("$GRAZE convert 'scän 1.csv' a.ply --ascii --float --scale 2 --translate -1 2 3 --drop-skipped").code,
            0);
  EXPECT_TRUE(read("a.ply").ends_with("end_header\n-1 2 3 1\n1 2 3 2\n-1 6 3 9.5\n")) << read("a.ply");
  EXPECT_TRUE(contains(read("a.ply"), "property float x\n"));
  EXPECT_EQ(run("$GRAZE convert 'scän 1.csv' a.pcd --compressed --no-attributes").code, 0);
  EXPECT_TRUE(contains(read("a.pcd"), "FIELDS x y z\n"));
  EXPECT_TRUE(contains(read("a.pcd"), "DATA binary_compressed\n"));
  EXPECT_EQ(run("$GRAZE convert 'scän 1.csv' data --format csv --separator ';' --no-header").code, 0);
  EXPECT_EQ(read("data"), "0;0;0;1\n1;0;0;2\nnan;0;0;3\n0;2;0;9.5\n");
  EXPECT_EQ(run("$GRAZE convert 'scän 1.csv' a.las --las 1.4 --las-scale 0.5 --las-offset 1 1 1").code, 0);
  const nlohmann::json las = nlohmann::json::parse(run("$GRAZE info --json a.las").out);
  EXPECT_EQ(las["version"], "1.4");
  EXPECT_EQ(las["scale"], (std::vector<double>{0.5, 0.5, 0.5}));
  EXPECT_EQ(las["offset"], (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(run("cat 'scän 1.csv' | $GRAZE convert - b.ply").code, 0);
}

TEST_F(Clouds, RejectsWithAMessageAndLeavesTheOldFile) {
  write("old.ply", "old");
  const Outcome bad = run("printf '1 2 3\\n4 x 6\\n' > in.xyz; $GRAZE convert in.xyz old.ply");
  EXPECT_EQ(bad.code, 3);
  EXPECT_EQ(bad.err, "graze: in.xyz:2: 'x' in column 'y' is not a number\n");
  EXPECT_EQ(read("old.ply"), "old");
  EXPECT_EQ(
      run("$GRAZE convert 'scän 1.csv' cloud").err,
      "graze: cloud: its name does not indicate a format; a cloud is written as .ply, .pcd, .las, .xyz, .csv, .txt, "
      ".asc, .pts. Rename it, or give --format\n");
  EXPECT_EQ(run("$GRAZE convert 'scän 1.csv' a.ply --compressed").err,
            "graze: a.ply: there is no compressed form of PLY\n");
  EXPECT_EQ(run("$GRAZE convert nothing a.ply").code, 3);
  EXPECT_EQ(run("ls | grep -c tmp").out, "0\n");
  for (const char* usage :
       {"convert", "convert a", "convert a b.ply --ascii --binary", "convert a b.ply --format doc",
        "convert a b.ply --translate 1 2", "convert a b.las --las 1.3", "convert a b.ply --float --double",
        "convert a b.las --las-scale 1 2", "convert a b.ply --scale nan", "convert a b.ply --scale 0",
        "convert a b.ply --translate 1 2 inf", "convert a b.las --las-scale -1", "info"}) {
    const Outcome outcome = run(std::string("$GRAZE ") + usage);
    EXPECT_EQ(outcome.code, 2) << usage << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "--help")) << usage;
  }
}

// A conversion that is killed leaves the old file or the new one.
TEST_F(Clouds, KilledAtAnyInstantLeavesOldOrNew) {
  std::string text = "x,y,z\n";
  for (int i = 0; i < 20000; ++i) text += std::to_string(i) + ",0,0\n";
  write("in.csv", text);
  ASSERT_EQ(run("$GRAZE -q convert in.csv new.ply").code, 0);
  const std::string whole = read("new.ply");
  for (int i = 0; i < 10; ++i) {
    write("out.ply", "old");
    run("timeout -s KILL 0.00" + std::to_string(i) + " $GRAZE -q convert in.csv out.ply; true");
    const std::string left = read("out.ply");
    EXPECT_TRUE(left == "old" || left == whole) << left.size();
  }
}

TEST_F(Clouds, GridsACloudIntoAHeightField) {
  std::string points = "x,y,z\n";
  for (int i = 0; i <= 20; ++i) {
    for (int j = 0; j <= 10; ++j)
      points +=
          std::to_string(100 + 0.5 * i) + "," + std::to_string(0.5 * j) + "," + std::to_string((i + j) % 7) + "\n";
  }
  write("scan.csv", points + "nan,nan,nan\n");
  const Outcome outcome = run("$GRAZE convert scan.csv hill.asc --grid 1 --scale 2");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "hill.asc: 21 × 11 heights from 231 points, 1 points without coordinates left out"))
      << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "the first height is at x 200, y 0")) << outcome.err;
  const std::string info = run("$GRAZE info hill.asc").out;
  EXPECT_TRUE(contains(info, "heights     21 columns × 11 rows\n")) << info;
  EXPECT_TRUE(contains(info, "z           4 … 12")) << info;
  EXPECT_TRUE(contains(info, "origin      200 0, not applied\n")) << info;
  EXPECT_EQ(run("$GRAZE convert scan.csv hill.f32 --grid 0.25 --heights mean").code, 3) << "there are holes";
  EXPECT_EQ(run("$GRAZE convert scan.csv hill.f32 --grid 0.5 --heights mean").code, 0);
  EXPECT_EQ(std::filesystem::file_size(path("hill.f32")), 4U * 21 * 11);
  const auto why = [&](const std::string& more) { return run("$GRAZE convert scan.csv " + more).err; };
  write("hill.pgm", "P2\n2 2\n255\n0 10\n20 30\n");
  const std::string image = run("$GRAZE info hill.pgm").out;
  EXPECT_TRUE(contains(image, "grey image, a height field")) << image;
  EXPECT_TRUE(contains(image, "2 columns × 2 rows")) << image;
  EXPECT_TRUE(contains(image, "0 … 30")) << image;
  write("hill.f32", std::string(16, '\0'));
  EXPECT_TRUE(contains(run("$GRAZE info hill.f32").err, "state how many columns a row has"));
  EXPECT_TRUE(contains(why("hill.asc --grid 0.1"), "scan.csv: points: leave")) << why("hill.asc --grid 0.1");
  EXPECT_TRUE(contains(why("hill.ply --grid 1"), "hill.ply: its name does not indicate a format"))
      << why("hill.ply --grid 1");
  EXPECT_TRUE(contains(why("hill.asc --fill 1"), "--fill: needs --grid")) << why("hill.asc --fill 1");
  EXPECT_TRUE(contains(why("hill.asc --grid 1 --ascii"), "--ascii is for clouds"));
}

}  // namespace clouds_test
}  // namespace graze_test
