// LAZ files that LASzip and lazrs wrote (tools/make_laz_samples.py) beside the same points as LAS.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "io/cloud_files.h"
#include "support/paths.h"

namespace graze {
namespace laz_test {

using namespace graze_test;

std::string sample(const std::string& name) {
  std::ifstream file(project_file("tests/io/laz/" + name), std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

// Where the record that says how points are packed has its contents.
std::size_t packing_of(const std::string& bytes) { return bytes.find("laszip encoded") - 2 + 54; }
std::uint32_t points_at(const std::string& bytes) {
  std::uint32_t at = 0;
  std::memcpy(&at, bytes.data() + 96, sizeof at);
  return at;
}

void expect_same(const Cloud& packed, const Cloud& plain, const std::string& name) {
  ASSERT_EQ(packed.size(), plain.size()) << name;
  for (std::size_t i = 0; i < plain.size(); ++i) ASSERT_EQ(packed.point(i), plain.point(i)) << name << " " << i;
  ASSERT_EQ(packed.attributes().size(), plain.attributes().size()) << name;
  for (const CloudAttribute& a : plain.attributes()) {
    const CloudAttribute* other = packed.attribute(a.name());
    ASSERT_NE(other, nullptr) << name << " " << a.name();
    for (std::size_t i = 0; i < plain.size(); ++i) ASSERT_EQ((*other)[i], a[i]) << name << " " << a.name() << " " << i;
  }
}

TEST(Laz, HasThePointsOfTheSameFileAsLas) {
  for (const char* kind : {"0", "3", "5", "6", "8", "10"}) {
    const std::string name = std::string("format_") + kind;
    const Cloud plain = parse_cloud(sample(name + ".las"), name);
    EXPECT_EQ(plain.size(), 160U);
    expect_same(parse_cloud(sample(name + ".laz"), name), plain, name);
  }
  expect_same(parse_cloud(sample("chunks_6.laz"), "chunks"), parse_cloud(sample("format_6.las"), "plain"), "chunks");
  EXPECT_EQ(read_cloud_header(project_file("tests/io/laz/format_3.laz")).encoding, CloudEncoding::compressed);
}

// Without the table chunks of one size follow each other.
TEST(Laz, DoesWithoutTheTableWhereItCan) {
  std::string bytes = sample("format_3.laz");
  const Cloud plain = parse_cloud(sample("format_3.las"), "plain");
  bytes.replace(points_at(bytes), 8, bytes_of(std::int64_t{0}));
  expect_same(parse_cloud(bytes, "zero"), plain, "zero");
  // Or the end of the file says where it is, as writers to a pipe leave it.
  bytes = sample("format_3.laz");
  const std::string place = bytes.substr(points_at(bytes), 8);
  bytes.replace(points_at(bytes), 8, bytes_of(std::int64_t{-1}));
  expect_same(parse_cloud(bytes + place, "end"), plain, "end");
}

TEST(Laz, SaysWhatIsDamaged) {
  const std::string narrow = sample("format_3.laz"), wide = sample("format_8.laz"), chunks = sample("chunks_6.laz");
  const auto changed = [](std::string bytes, std::size_t at, const std::string& value) {
    return refused(bytes.replace(at, value.size(), value));
  };
  const std::size_t packing = packing_of(narrow), points = points_at(narrow);
  EXPECT_TRUE(contains(changed(narrow, packing - 52, "lasZip"), "does not say how its points are packed"));
  EXPECT_TRUE(contains(changed(narrow, packing, bytes_of<std::uint16_t>(4)), "is packed by method 4 with coder 0"));
  EXPECT_TRUE(contains(changed(narrow, packing + 2, bytes_of<std::uint16_t>(1)), "with coder 1"));
  EXPECT_TRUE(contains(changed(narrow, packing + 12, bytes_of(0U)), "chunks of 0 points"));
  EXPECT_TRUE(contains(changed(narrow, packing + 12, bytes_of(7U)), "has 1 chunks of 7 points for 160 points"));
  EXPECT_TRUE(contains(changed(narrow, packing + 32, bytes_of<std::uint16_t>(3)), "has parts of 34 bytes together"));
  EXPECT_TRUE(contains(changed(narrow, packing + 32, bytes_of<std::uint16_t>(9)), "claims 9 parts of a point"));
  EXPECT_TRUE(contains(changed(narrow, packing + 34, bytes_of<std::uint16_t>(99)), "of type 99 and version 2"));
  EXPECT_TRUE(contains(changed(narrow, packing + 38, bytes_of<std::uint16_t>(9)), "of type 6 and version 9"));
  EXPECT_TRUE(contains(changed(narrow, 107, bytes_of(4000000000U)), "claims 4000000000 points"));
  EXPECT_TRUE(contains(refused(narrow.substr(0, points + 20)), "cut off"));
  EXPECT_TRUE(contains(changed(wide, points_at(wide), bytes_of(std::int64_t{1} << 40)), "the table of its chunks at"));
  EXPECT_TRUE(contains(changed(wide, points_at(wide) + 8 + 41, bytes_of(3U)), "has 3 points in the chunk of point 0"));
  EXPECT_TRUE(contains(changed(wide, points_at(wide) + 8 + 45, bytes_of(900000U)), "has a layer at bytes"));
  EXPECT_TRUE(contains(changed(chunks, points_at(chunks), bytes_of(std::int64_t{-1})), "table of its chunks"));
}

// Damage cannot always be seen, for there are no check sums, but nothing else may happen.
TEST(Laz, EndsWithPointsOrAnErrorWhateverIsDamaged) {
  for (const char* name : {"format_3.laz", "format_5.laz", "format_10.laz", "chunks_6.laz"}) {
    const std::string bytes = sample(name);
    const std::size_t step = bytes.size() / 400 + 1;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      refused(bytes.substr(0, at));
      for (const char value : {'\0', '\x55', '\xFF'}) {
        std::string other = bytes;
        other[at] = value;
        refused(other);
      }
    }
  }
}

}  // namespace laz_test
}  // namespace graze
