// Text tables as found in practice.
#include <clocale>

#include "io/cloud_files.h"

namespace graze {
namespace text_cloud_test {

using namespace graze_test;

void expect_points(const std::string& text) {
  const Cloud cloud = parse_cloud(text, "f");
  ASSERT_EQ(cloud.size(), 2U) << text;
  EXPECT_EQ(cloud.point(0), Vec3(1.5, -2, 3)) << text;
  EXPECT_EQ(cloud.point(1), Vec3(4, 5, 6e-3)) << text;
}

TEST(TextCloud, FindsSeparatorsNamesAndComments) {
  expect_points("1.5 -2 3\n4 5 6e-3\n");
  expect_points("1.5 -2 3\n4 5 6e-3");
  expect_points("  1.5   -2\t3\r\n\r\n4 5 6e-3\r\n");
  expect_points("1.5,-2,3\n4,5,6e-3\n");
  expect_points("1.5, -2, 3,\n4, 5, 6e-3,\n");
  expect_points("1.5;-2;3\n4;5;6e-3\n");
  expect_points("1,5;-2;3\n4;5;6e-3\n");
  expect_points("1.5\t-2\t3\n4\t5\t6e-3\n");
  expect_points("# a comment\n\n// another\n1.5 -2 3\n% and one within\n4 5 6e-3\n");
  expect_points("\xEF\xBB\xBFx,y,z\n1.5,-2,3\n4,5,6e-3\n");
  expect_points("\"X\",\"Y\",\"Z\"\n1.5,-2,3\n4,5,6e-3\n");
  expect_points("X [m];Y [m];Z [m]\n1.5;-2;3\n4;5;6e-3\n");
  expect_points("2\n1.5 -2 3\n4 5 6e-3\n");
  expect_points("z,name,y,x\n3,tree,-2,1.5\n6e-3,house,5,4\n");
  expect_points("//Z Y X\n3 -2 1.5\n6e-3 5 4\n");
}

TEST(TextCloud, KeepsOtherColumns) {
  const Cloud named = parse_cloud("x,y,intensity,z,class\n1,2,7,3,\n4,5,8.5,6,2\n", "f");
  ASSERT_EQ(named.attributes().size(), 2U);
  EXPECT_EQ((*named.attribute("intensity"))[1], 8.5);
  EXPECT_TRUE(std::isnan((*named.attribute("class"))[0])) << "an empty cell";
  EXPECT_EQ((*named.attribute("class"))[1], 2);
  const Cloud numbered = parse_cloud("1 2 3 4 5\n", "f");
  EXPECT_EQ((*numbered.attribute("column_5"))[0], 5);
  const Cloud commented = parse_cloud("# x y z red\n1 2 3 4\n", "f");
  EXPECT_EQ((*commented.attribute("red"))[0], 4);
}

TEST(TextCloud, NamesMayBeApartInAnotherWayThanTheNumbers) {
  expect_points("\"X\",\"Y\",\"Z\"\n1.5 -2 3\n4 5 6e-3\n");
  EXPECT_EQ(refused("x,y,z\n1 2\n"), "f:2: has 1 columns instead of 3");
}

TEST(TextCloud, ColumnsBehindACountAreThoseOfPts) {
  const Cloud cloud = parse_cloud("1\n1 2 3 -40 5 6 7\n", "f");
  EXPECT_EQ((*cloud.attribute("intensity"))[0], -40);
  EXPECT_EQ((*cloud.attribute("red"))[0], 5);
  EXPECT_EQ((*cloud.attribute("blue"))[0], 7);
  EXPECT_NE(parse_cloud("1\n1 2 3 4 5 6\n", "f").attribute("red"), nullptr);
}

TEST(TextCloud, SkipsWhatIsNoNumberOnPurpose) {
  const Cloud cloud = parse_cloud("x,y,z\nnan,0,0\n1,inf,0\n1,,3\n1,2,-1.#IND\nNaN,NaN,NaN\n1,2,3\n1,2,1e-999\n", "f");
  EXPECT_EQ(cloud.size(), 7U);
  EXPECT_EQ(cloud.skipped(), 5U);
  EXPECT_EQ(cloud.point(6), Vec3(1, 2, 0));
}

TEST(TextCloud, NamesLineColumnAndValue) {
  EXPECT_EQ(refused("1 2 3\n4 fünf 6\n"), "f:2: 'fünf' in column 'y' is not a number");
  EXPECT_EQ(refused("1 2 3\n4 5\n"), "f:2: has 2 columns instead of 3");
  EXPECT_EQ(refused("x,y,z\n1,2,3\n1,2,3,4\n"), "f:3: has 4 columns instead of 3");
  EXPECT_EQ(refused("1 2 3\n4 5 1e999\n"), "f:2: '1e999' in column 'z' is too large");
  EXPECT_EQ(refused("1 2\n"), "f:1: has 2 columns; x, y and z need three");
  EXPECT_EQ(refused("lat,lon,h\n1,2,3\n"),
            "f:1: the columns must be numbers or named, with x, y and z among the names; got 'lat', 'lon', 'h'");
  EXPECT_EQ(refused("# nothing\n"), "f: holds no points and no line with the names x, y and z");
  EXPECT_EQ(refused("5\n1 2 3\n"), "f: states 5 points in its first line, but 1 follow; was it cut off?");
  EXPECT_TRUE(contains(refused(std::string(17 << 20, '1')), "f:1: is longer than 16 MiB"));
  EXPECT_EQ(parse_cloud("# x y z\n", "f").size(), 0U);
  EXPECT_EQ(parse_cloud("x,y,z\n", "f").size(), 0U);
}

TEST(TextCloud, DoesNotDependOnTheLocale) {
  const char* before = std::setlocale(LC_ALL, nullptr);
  const std::string old = before;
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8"}) std::setlocale(LC_ALL, name);
  expect_points("1.5 -2 3\n4 5 6e-3\n");
  std::setlocale(LC_ALL, old.c_str());
}

TEST_F(CloudFiles, TextIsWrittenAsTheOptionsSay) {
  const std::string from = write("a.csv", "x,y,z,my value\n1,2,3,4\n");
  convert_cloud(from, path("b.xyz"), {});
  EXPECT_EQ(contents("b.xyz"), "# x y z my_value\n1 2 3 4\n");
  convert_cloud(from, path("b.csv"), {});
  EXPECT_EQ(contents("b.csv"), "x,y,z,my value\n1,2,3,4\n");
  convert_cloud(from, path("c.txt"), {.write = {.separator = ';', .header = false}});
  EXPECT_EQ(contents("c.txt"), "1;2;3;4\n");
}

}  // namespace text_cloud_test
}  // namespace graze
