// Trajectories in files: round trips of every format, and what is rejected or repaired.
#include "graze/io/trajectory_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "graze/base/error.h"
#include "graze/motion/motion.h"
#include "support/generator.h"
#include "support/refusal.h"

namespace graze {
namespace trajectory_file_test {

using namespace graze_test;

clearance::Trajectory random_trajectory(int poses, const Vec3& far, bool timed) {
  Generator random(static_cast<std::uint64_t>(poses));
  clearance::Trajectory t;
  for (int i = 0; i < poses; ++i) {
    t.poses.push_back(random.pose(100).moved_to(far + random.in_cube(100)));
    if (timed) t.times.push_back(1.6e9 + 0.1 * i + random.uniform(0, 0.05));
  }
  return t;
}

clearance::Trajectory parsed(const std::string& text, const ReadTrajectoryOptions& options = {}) {
  return parse_trajectory(text, "f", options).trajectory;
}
std::string refused(const std::string& text, const ReadTrajectoryOptions& options = {}) {
  return refusal([&] { parse_trajectory(text, "f", options); });
}

TEST(TrajectoryFile, RoundTripsEveryFormat) {
  const std::string folder = testing::TempDir();
  for (const TrajectoryFormat format :
       {TrajectoryFormat::tum, TrajectoryFormat::kitti, TrajectoryFormat::matrix, TrajectoryFormat::csv}) {
    for (const bool timed : {false, true}) {
      for (const Vec3& far : {Vec3(0, 0, 0), Vec3(450'000, 4'500'000, 400)}) {
        const clearance::Trajectory t = random_trajectory(50, far, timed);
        const std::string path = folder + "graze_trajectory.txt";
        write_trajectory(path, t, {.format = format});
        const TrajectoryFile file = read_trajectory_file(path);
        EXPECT_EQ(file.format, format);
        EXPECT_EQ(file.notes, std::vector<std::string>{});
        EXPECT_EQ(file.lines, 50U);
        ASSERT_EQ(file.trajectory.size(), t.size());
        const bool keeps_times = format == TrajectoryFormat::tum || format == TrajectoryFormat::csv;
        if (timed) {
          EXPECT_EQ(file.trajectory.times, keeps_times ? t.times : std::vector<double>{});
        } else {
          EXPECT_EQ(file.trajectory.times.empty(), format != TrajectoryFormat::tum);
        }
        for (std::size_t i = 0; i < t.size(); ++i) {
          EXPECT_EQ(file.trajectory.poses[i].translation(), t.poses[i].translation());
          EXPECT_LE((file.trajectory.poses[i].rotation() - t.poses[i].rotation()).cwiseAbs().maxCoeff(), 2e-15);
        }
        std::filesystem::remove(path);
      }
    }
  }
}

TEST(TrajectoryFile, NamesDetermineTheFormat) {
  const std::string folder = testing::TempDir();
  const clearance::Trajectory timed = random_trajectory(2, {0, 0, 0}, true),
                              bare = random_trajectory(2, {0, 0, 0}, false);
  const auto written_as = [&](const std::string& name, const clearance::Trajectory& t) {
    write_trajectory(folder + name, t);
    const TrajectoryFormat format = read_trajectory_file(folder + name).format;
    std::filesystem::remove(folder + name);
    return name_of(format);
  };
  EXPECT_EQ(written_as("a.tum", timed), "TUM");
  EXPECT_EQ(written_as("a.kitti", timed), "KITTI");
  EXPECT_EQ(written_as("a.CSV", timed), "CSV");
  EXPECT_EQ(written_as("a.txt", timed), "TUM");
  EXPECT_EQ(written_as("a.txt", bare), "KITTI");
  EXPECT_NE(refusal([&] { write_trajectory(folder + "a.xyz", timed); }), "");
  clearance::Trajectory wrong = timed;
  wrong.times[1] = wrong.times[0];
  EXPECT_NE(refusal([&] { write_trajectory(folder + "a.tum", wrong); }), "");
  EXPECT_FALSE(std::filesystem::exists(folder + "a.tum"));
}

TEST(TrajectoryFile, ReadsCommonVariants) {
  const Pose want = Pose::from_xyzw({1, 2, 3}, 0, 0, 1, 1);
  const auto expect = [&](const std::string& text, bool timed) {
    const clearance::Trajectory t = parsed(text);
    ASSERT_EQ(t.size(), 1U) << text;
    EXPECT_EQ(t.times.size(), timed ? 1U : 0U) << text;
    EXPECT_EQ(t.poses[0].translation(), want.translation()) << text;
    EXPECT_LE(Motion(t.poses[0], want).turn(), 1e-7) << text;
  };
  expect("5 1 2 3 0 0 0.70710678 0.70710678\n", true);
  expect("# timestamp tx ty tz qx qy qz qw\r\n\r\n5\t1\t2\t3\t0\t0\t0.70710678\t0.70710678\r\n", true);
  expect("5,1,2,3,0,0,0.70710678,0.70710678", true);
  expect("0 -1 0 1 1 0 0 2 0 0 1 3\n", false);
  expect("0 -1 0 1 1 0 0 2 0 0 1 3 0 0 0 1\n", false);
  expect("0 -1 0 1\n1 0 0 2\n0 0 1 3\n", false);
  expect("0 -1 0 1\n1 0 0 2\n0 0 1 3\n0 0 0 1\n", false);
  expect("t,x,y,z,qx,qy,qz,qw\n5,1,2,3,0,0,0.70710678,0.70710678\n", true);
  expect("\xEF\xBB\xBFX [m];Y [m];Z [m];Roll [deg];Pitch [deg];Yaw [deg]\n1;2;3;0;0;90\n", false);
  expect("yaw_deg x y z pitch roll\n90 1 2 3 0 0\n", false);
  expect("yaw x y z pitch roll\n1.5707963267948966 1 2 3 0 0\n", false);
  expect("# x y z roll pitch yaw_deg\n1 2 3 0 0 90\n", false);
  expect("Easting;Northing;Height;Roll;Pitch;Yaw_deg;Timestamp\n1;2;3;0;0;90;7\n", true);
}

TEST(TrajectoryFile, ReadsGroundTruthOfEurocInNanoseconds) {
  const std::string positions = "p_RS_R_x [m], p_RS_R_y [m], p_RS_R_z [m], ",
                    turns = "q_RS_w [], q_RS_x [], q_RS_y [], q_RS_z []";
  const std::string row = ",1,2,3,0.70710678,0,0,0.70710678\n";
  for (const char* time : {"#timestamp, ", "#timestamp [ns], "}) {
    const clearance::Trajectory t =
        parsed(time + positions + turns + "\n1403715524000000000" + row + "1403715526500000000" + row);
    ASSERT_EQ(t.size(), 2U);
    EXPECT_NEAR(t.times[1] - t.times[0], 2.5, 1e-6);
    EXPECT_EQ(t.poses[0].translation(), Vec3(1, 2, 3));
    EXPECT_LE(Motion(t.poses[0], Pose::from_xyzw({1, 2, 3}, 0, 0, 1, 1)).turn(), 1e-7);
  }
  EXPECT_EQ(parsed("# t x y z qw qx qy qz\n5 1 2 3 1 0 0 0\n").poses[0].rotation(), Mat3::Identity());
  EXPECT_EQ(parsed("t [ms],x,y,z\n1500,1,2,3\n2500,2,2,3\n").times[1], 2.5);
}

TEST(TrajectoryFile, RotationsFollowThePathWhereNoneAreGiven) {
  const TrajectoryFile file = parse_trajectory("x,y,z,cant,speed\n0,0,0,0,9\n0,0,0,0,9\n0,2,2,0.1,9\n0,4,4,0,9\n", "f");
  EXPECT_EQ(file.notes, (std::vector<std::string>{"column 'speed' is not used",
                                                  "rotations follow the path from pose to pose, with z up"}));
  ASSERT_EQ(file.trajectory.size(), 4U);
  const double pitch = -std::atan(1), yaw = std::acos(0.0);
  EXPECT_LE(Motion(file.trajectory.poses[0], Pose::from_rpy({0, 0, 0}, 0, pitch, yaw)).turn(), 1e-12);
  EXPECT_LE(Motion(file.trajectory.poses[2], Pose::from_rpy({0, 0, 0}, 0.1, pitch, yaw)).turn(), 1e-12);
  EXPECT_EQ(refused("x,y,z\n0,0,0\n0,0,1\n"),
            "f:2: the path goes straight up, so that no rotation follows from it; give one");
  EXPECT_EQ(parsed("x,y,z\n1,2,3\n").poses[0], Pose::at({1, 2, 3}));
}

TEST(TrajectoryFile, ConvertsOtherFramesAndUnits) {
  // A camera looks along its z, with x to the right and y down.
  const clearance::Trajectory camera = parsed("0 0 1 5000 -1 0 0 0 0 -1 0 2000\n", {.unit = 0.001, .axes = "rdf"});
  EXPECT_EQ(camera.poses[0].translation(), Vec3(5, 0, 2));
  EXPECT_LE((camera.poses[0].rotation() - Mat3::Identity()).cwiseAbs().maxCoeff(), 1e-15);
  const auto axes = [](const char* letters) { return refused("0 1 2 3 0 0 0 1\n", {.axes = letters}); };
  EXPECT_EQ(axes("frd"), "");
  EXPECT_EQ(axes("fru"), "axes: 'fru' is a left-handed frame");
  EXPECT_EQ(axes("ffu"), "axes: must be three of the letters f b l r u d, one for each direction, got 'ffu'");
  EXPECT_EQ(axes("xyz"), "axes: must be three of the letters f b l r u d, one for each direction, got 'xyz'");
  EXPECT_EQ(refused("0 1 2 3 0 0 0 1\n", {.unit = 0}), "unit: must be positive and finite, got 0");
}

TEST(TrajectoryFile, NamesLineAndReason) {
  const std::string good = "1 0 0 0 0 0 0 1\n";
  EXPECT_EQ(refused(""), "f: holds no poses");
  EXPECT_EQ(refused("# nothing\n\n"), "f: holds no poses");
  EXPECT_EQ(refused("x,y,z\n"), "f: holds no poses");
  EXPECT_EQ(refused(good + "2 0 0 0 0 0 0\n"), "f:2: has 7 columns instead of 8: '2 0 0 0 0 0 0'");
  EXPECT_EQ(refused(good + "2 0 0 zero 0 0 0 1\n"), "f:2: 'zero' in column 4 is not a number");
  EXPECT_EQ(refused(good + "2 nan 0 0 0 0 0 1\n"), "f:2: the position is not finite");
  EXPECT_EQ(refused(good + "inf 0 0 0 0 0 0 1\n"), "f:2: the time is not finite");
  EXPECT_EQ(refused(good + "2 1e51 0 0 0 0 0 1\n"), "f:2: the position is beyond 1e50 m");
  EXPECT_EQ(refused(good + "\n2 0 0 0 0 0 0 0\n"), "f:3: the quaternion is zero");
  EXPECT_EQ(refused(good + "2 0 0 0 0 nan 0 1\n"), "f:2: the rotation is not finite");
  EXPECT_EQ(refused(good + good), "f:2: the time 1 is not later than 1 at line 1; to sort them, ask for repair");
  EXPECT_EQ(refused(good + "0.5 0 0 0 0 0 0 1\n"),
            "f:2: the time 0.5 is not later than 1 at line 1; to sort them, ask for repair");
  EXPECT_EQ(refused("1 2 3\n"),
            "f:1: has 3 columns without names; TUM has 8, KITTI 12, and a table needs a line with the names of its "
            "columns, such as x,y,z");
  EXPECT_EQ(refused("2 0 0 0 0 1 0 0 0 0 1 0\n"),
            "f:1: the matrix is not a rotation: it is off by 3, its determinant is 2");
  EXPECT_EQ(refused("1 0 0 0 0 1 0 0 0 0 -1 0\n"),
            "f:1: the matrix is not a rotation: it is off by 0, its determinant is -1");
  EXPECT_EQ(refused("1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 2\n"), "f:1: the last row of the matrix must be 0 0 0 1");
  EXPECT_EQ(refused("1 0 0 0\n0 1 0 0\n"), "f:1: the last matrix has 2 rows instead of 3; was it cut off?");
  EXPECT_EQ(refused("x,y\n1,2\n"), "f:1: there is no column named z; got 'x,y'");
  EXPECT_EQ(refused("x,y,z,x\n1,2,3,4\n"), "f:1: two columns are named x");
  EXPECT_EQ(refused("x,y,z,qx\n1,2,3,4\n"), "f:1: a quaternion needs all of qx, qy, qz and qw");
  EXPECT_EQ(refused("x,y,z,yaw\n1,2,3,4\n"),
            "f:1: angles need all of roll, pitch and yaw, or roll alone; without them, rotations follow the path");
  EXPECT_EQ(refused("x,y,z\n1,,3\n"), "f:2: '' in column 2 is missing");
  EXPECT_EQ(refused(std::string("1 2\0 3", 6)), "f:1: holds a NUL byte; this is not text");
  EXPECT_EQ(refused("1 2 3 4\n", {.format = TrajectoryFormat::tum}), "f:1: has 4 numbers; a line of TUM has 8");
  EXPECT_EQ(refused("1 2 3 4\n", {.format = TrajectoryFormat::csv}),
            "f:1: the first line of a table must name its columns, such as x,y,z");
  EXPECT_NE(refusal([] { read_trajectory("/nowhere/f.tum"); }), "");
}

TEST(TrajectoryFile, RepairsOnlyOnRequestAndSaysSo) {
  const std::string text =
      "3 3 0 0 0 0 0 2\n"
      "1 1 0 0 0 0 0 1\n"
      "2 nan 0 0 0 0 0 1\n"
      "2.5 0 0 0 0 0 0 0\n"
      "1 9 0 0 0 0 0 1\n"
      "2 2 0 0 0 0 0 1\n";
  EXPECT_NE(refused(text), "");
  const TrajectoryFile file = parse_trajectory(text, "f", {.repair = true});
  EXPECT_EQ(file.lines, 6U);
  EXPECT_EQ(file.trajectory.times, (std::vector<double>{1, 2, 3}));
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(file.trajectory.poses[i], Pose::at({1.0 + static_cast<double>(i), 0, 0}));
  EXPECT_EQ(file.notes,
            (std::vector<std::string>{"2 poses were left out: the first at line 3, where the position is not finite",
                                      "sorted by time: it went back 1 times",
                                      "1 poses were left out: an earlier line has the same time",
                                      "quaternions of length 1 to 2 were normalised"}));
  EXPECT_EQ(refused("1 nan 0 0 0 0 0 1\n", {.repair = true}), "f: holds no poses that could be kept");
  const TrajectoryFile rounded = parse_trajectory("1 0 0 0 0 0.999999 -0.001 0 0 0.001 0.999999 0\n", "f");
  ASSERT_EQ(rounded.notes.size(), 1U);
  EXPECT_TRUE(rounded.notes[0].starts_with("matrices were made exact rotations; the largest change was "));
}

}  // namespace trajectory_file_test
}  // namespace graze
