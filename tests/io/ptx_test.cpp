// PTX as scanners export it.
#include "io/cloud_files.h"

namespace graze {
namespace ptx_test {

using namespace graze_test;

// A quarter turn about z, then a metre along x.
const std::string kHeader = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 1 0 0\n-1 0 0 0\n0 0 1 0\n1 0 0 1\n";

TEST(Ptx, MovesEveryScanByItsMatrix) {
  const std::string still = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n";
  const std::string text =
      "1\n2\n" + kHeader + "2 0 0 0.5\n0 0 0 0.5\n" + "0\n7\n" + still + "1\n1\n" + still + "7 8 9 1\n";
  const Cloud cloud = parse_cloud(text, "f");
  ASSERT_EQ(cloud.size(), 2U);
  EXPECT_EQ(cloud.point(0), Vec3(1, 2, 0));
  EXPECT_EQ(cloud.point(1), Vec3(7, 8, 9));
  EXPECT_EQ((*cloud.attribute("intensity"))[1], 1);
}

TEST(Ptx, HasColoursOrNothingBesideThePoints) {
  const Cloud colored = parse_cloud("1\r\n1\r\n" + replaced(kHeader, "\n", "\r\n") + "1 1 1 0.25 1 2 3\r\n", "f.ptx");
  EXPECT_EQ((*colored.attribute("green"))[0], 2);
  EXPECT_TRUE(parse_cloud("1\n1\n" + kHeader + "1 1 1\n", "f").attributes().empty());
  EXPECT_EQ(parse_cloud("0\n0\n" + kHeader, "f").size(), 0U);
}

TEST(Ptx, NamesLineAndReason) {
  EXPECT_EQ(refused("1\n2\n" + kHeader + "1 2 3.0000000 4\n"),
            "f: ends within scan 1, where a point is expected (1 points are missing); was it cut off?");
  EXPECT_EQ(refused("1\n1\n" + kHeader + "1 2 3 4 5\n"),
            "f:11: a point has 3, 4 or 7 numbers (x y z intensity red green blue), got 5");
  EXPECT_EQ(refused("2\n1\n" + kHeader + "1 2 3 4\n1 2 3\n"), "f:12: has 3 columns instead of 4");
  EXPECT_EQ(refused("1\n1\n" + kHeader + "1 2 z 4\n"), "f:11: 'z' in column 3 is not a number");
  EXPECT_EQ(refused("1\n1\n" + replaced(kHeader, "1 0 0 1\n", "1 0 0 2\n") + "1 2 3 4\n"),
            "f:10: the last column of the matrix must be 0 0 0 1");
  EXPECT_EQ(refused("1\n1\n" + replaced(kHeader, "-1 0 0 0\n", "-1 0 nan 0\n") + "1 2 3 4\n"),
            "f:8: 'nan' in a row of the matrix is not finite");
  EXPECT_EQ(refused("1\n1\n0 0\n"), "f:3: the position of the scanner has 3 numbers, got 2");
  EXPECT_TRUE(contains(refused("4000000000\n4000000000\n" + kHeader + "1 2 3 4\n"),
                       "scan 1 claims 4000000000 × 4000000000 points, but only"));
  EXPECT_EQ(refused("1\n1\n" + kHeader + "1 2 3 4\n5 5 5 5\n"),
            "f:12: expected the number of columns of scan 2, got '5 5 5 5'");
}

}  // namespace ptx_test
}  // namespace graze
