// graze generate, as a user runs it.
#include "shell.h"

#include "graze/io/cloud_file.h"
#include "graze/io/mesh_file.h"
#include "graze/io/trajectory_file.h"
#include "graze/io/vehicle_file.h"

namespace graze_test {
namespace generate_test {

using Generate = Shell;

TEST_F(Generate, MakesATunnel) {
  const Outcome made = run("\"$GRAZE\" generate tunnel --points 20k -o 'a folder/t'");
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.out, "");
  EXPECT_EQ(made.err,
            "a folder/t/track.tum: 11441 poses over 1144.0 m\n"
            "a folder/t/wagon.ply: 84 triangles\n"
            "a folder/t/vehicle.json: open freight wagon, bogies 20 m apart\n"
            "a folder/t/scan.las: 20000 points\n");
  const std::string folder = path("a folder/t/").string();
  const graze::CloudInfo scan = graze::scan_cloud(folder + "scan.las");
  EXPECT_EQ(scan.points, 20000U);
  EXPECT_EQ(scan.header.scale, graze::Vec3::Constant(1e-4));
  EXPECT_EQ(graze::read_trajectory(folder + "track.tum").size(), 11441U);
  const graze::clearance::Vehicle vehicle = graze::read_vehicle(folder + "vehicle.json");
  EXPECT_EQ(vehicle.bogie_distance, 20);
  EXPECT_EQ(vehicle.length, 24.6);
  EXPECT_TRUE(std::get<graze::Mesh>(vehicle.body.at(0).geometry).solid());
}

TEST_F(Generate, GivesTheSameBytesForAnyNumberOfThreads) {
  for (const std::string scene :
       {"tunnel --wagon points --wagon-points 5k --track-step 1", "assembly-line --stations 3"}) {
    for (const char* threads : {"1", "2", "5"}) {
      const Outcome made =
          run("\"$GRAZE\" -q generate " + scene + " --points 70k --threads " + threads + " -o t" + threads);
      ASSERT_EQ(made.code, 0) << made.err;
      EXPECT_EQ(made.err, "");
    }
    const Outcome same = run("diff -r t1 t2 && diff -r t1 t5 && rm -r t1 t2 t5");
    EXPECT_EQ(same.code, 0) << same.out;
  }
}

TEST_F(Generate, MakesAnAssemblyLineFarAway) {
  const Outcome made =
      run("\"$GRAZE\" generate assembly-line --points 1e4 --stations 4 --origin 450000 4500000 400 -o l");
  ASSERT_EQ(made.code, 0) << made.err;
  const graze::CloudInfo scan = graze::scan_cloud(path("l/scan.las").string());
  EXPECT_EQ(scan.points, 10000U);
  EXPECT_NEAR(scan.bounds.min.y(), 4500000 - 6, 0.1);
  EXPECT_EQ(graze::read_trajectory(path("l/path.tum").string()).poses[0].translation().x(), 450000);
  EXPECT_TRUE(graze::is_mesh_file(path("l/body.ply").string()));
}

TEST_F(Generate, ExplainsWhatIsWrong) {
  const auto code = [&](const std::string& arguments) { return run("\"$GRAZE\" generate " + arguments).code; };
  EXPECT_EQ(code(""), 2);
  EXPECT_EQ(code("castle -o x"), 2);
  EXPECT_EQ(code("tunnel"), 2);
  EXPECT_EQ(code("tunnel --points many -o x"), 2);
  EXPECT_EQ(code("tunnel --points -5 -o x"), 2);
  EXPECT_EQ(code("tunnel --points 5x -o x"), 2);
  EXPECT_EQ(code("tunnel --points 1e13 -o x"), 2);
  EXPECT_EQ(code("tunnel --half-width 0.5 -o x"), 2);
  EXPECT_EQ(code("tunnel --origin nan 0 0 -o x"), 2);
  EXPECT_EQ(code("assembly-line --stations 0 -o x"), 2);
  EXPECT_FALSE(std::filesystem::exists(path("x")));
  write("file", "");
  const Outcome blocked = run("\"$GRAZE\" generate tunnel --points 10 -o file");
  EXPECT_EQ(blocked.code, 3);
  EXPECT_EQ(blocked.err, "graze: file: is not a folder\n");
}

}  // namespace generate_test
}  // namespace graze_test
