#include "graze/io/map_file.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <vector>

#include "graze/geometry/occupancy_map_builder.h"
#include "oracle/octomap_peer.h"
#include "support/generator.h"
#include "support/paths.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze {
namespace map_file_test {

using graze_oracle::OctoLeaf;
using graze_oracle::OctoTree;
using graze_test::Generator;
using graze_test::refusal;
using graze_test::scaled;

/// Cells in clusters, some of which make whole cubes.
OctoTree random_tree(Generator& random) {
  OctoTree tree(random.integer(0, 1) ? 0.05 : random.magnitude(-3, 1));
  for (int cluster = random.integer(1, 4); cluster > 0; --cluster) {
    const int reach = random.integer(0, 3) == 0 ? 32700 : 40;
    const std::array<int, 3> at{random.integer(-reach, reach), random.integer(-reach, reach),
                                random.integer(-reach, reach)};
    const int side = random.integer(1, 9), fill = random.integer(1, 4);
    const auto value = static_cast<float>(random.uniform(-2, 3.5));
    for (int i = 0; i < side * side * side; ++i) {
      if (random.integer(0, 4) > fill) continue;
      tree.set_cell({at[0] + i % side, at[1] + i / side % side, at[2] + i / side / side},
                    fill == 4 ? value : static_cast<float>(random.uniform(-2, 3.5)));
    }
  }
  if (random.integer(0, 3) > 0) tree.prune();
  return tree;
}

/// That the map has exactly the leaves of the tree; how it is pruned does not matter.
void expect_same(const OccupancyMap& map, const std::vector<OctoLeaf>& leaves) {
  double expected = 0, got = 0;
  for (const OctoLeaf& leaf : leaves) {
    const int last = (1 << leaf.level) - 1;
    for (int corner = 0; corner < 8; ++corner) {
      const CellKey key{leaf.key[0] + (corner & 1) * last, leaf.key[1] + (corner >> 1 & 1) * last,
                        leaf.key[2] + (corner >> 2) * last};
      const std::optional<float> value = map.log_odds(key);
      ASSERT_TRUE(value.has_value());
      ASSERT_EQ(*value, leaf.log_odds);
    }
    expected += std::pow(8.0, leaf.level);
  }
  map.visit_leaves([&](const OccupancyCell& leaf) { got += std::pow(8.0, leaf.level); });
  ASSERT_EQ(got, expected) << "as many cells";
}

TEST(MapFile, ReadsWhatOctoMapWrites) {
  for (int seed = 0; seed < scaled(150); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Generator random(static_cast<std::uint64_t>(seed));
    OctoTree tree = random_tree(random);
    const std::vector<OctoLeaf> leaves = tree.leaves();
    if (leaves.empty()) continue;
    for (const bool binary : {false, true}) {
      const std::string bytes = tree.written(binary);
      const MapFile file = parse_map(bytes, "a.bt");
      EXPECT_EQ(file.format, binary ? MapFormat::bt : MapFormat::ot);
      EXPECT_EQ(refusal([&] { file.map.validate(); }), "");
      EXPECT_NEAR(file.map.resolution(), tree.resolution(), 1e-5 * tree.resolution()) << "as OctoMap prints it";
      const OctoTree again = OctoTree::read(bytes, binary);
      expect_same(file.map, again.leaves());
    }
  }
}

TEST(MapFile, OctoMapReadsWhatIsWritten) {
  for (int seed = 0; seed < scaled(150); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Generator random(static_cast<std::uint64_t>(seed) + 5000);
    OctoTree tree = random_tree(random);
    const OccupancyMap map = parse_map(tree.written(false), "a.ot").map;
    const std::string ot = map_bytes(map, MapFormat::ot);
    EXPECT_EQ(parse_map(ot, "b.ot").map.stamp(), map.stamp()) << "a round trip";
    if (map.empty()) continue;
    const OctoTree exact = OctoTree::read(ot, false);
    EXPECT_EQ(exact.resolution(), map.resolution());
    expect_same(map, exact.leaves());
    const double threshold = random.integer(0, 1) ? 0.5 : random.uniform(0.1, 0.9);
    const std::string bt = map_bytes(map, MapFormat::bt, threshold);
    const MapFile likely = parse_map(bt, "b.bt");
    expect_same(likely.map, OctoTree::read(bt, true).leaves());
    map.visit_leaves(
        [&](const OccupancyCell& leaf) { ASSERT_EQ(likely.map.state(leaf.key), map.state(leaf.key, threshold)); });
    EXPECT_EQ(map_bytes(likely.map, MapFormat::bt), bt) << "pruned as it was read";
  }
}

TEST(MapFile, CellsBeyondOctoMapsKeysAreRefused) {
  const auto written = [](const CellKey& key, int level) {
    OccupancyMapBuilder builder(0.1);
    builder.add({key, level, 1.0F});
    const OccupancyMap map = std::move(builder).finish();
    return refusal([&] { map_bytes(map, MapFormat::bt); }) + refusal([&] { map_bytes(map, MapFormat::ot); });
  };
  EXPECT_EQ(written({32767, -32768, 0}, 0), "");
  EXPECT_EQ(written({0, -32768, 0}, 15), "");
  EXPECT_NE(written({32768, 0, 0}, 0), "");
  EXPECT_NE(written({0, -32769, 0}, 0), "");
  EXPECT_NE(written({0, 0, 0}, 16), "");
  EXPECT_NE(written({0, 0, 2147483647}, 0), "");
  EXPECT_EQ(parse_map(map_bytes(OccupancyMap(), MapFormat::bt), "e").map.leaves(), 0U);
  EXPECT_EQ(parse_map(map_bytes(OccupancyMap(), MapFormat::ot), "e").map.leaves(), 0U);
}

TEST(MapFile, ReadsABuilding) {
  const std::filesystem::path path = graze_test::project_file("../shared/data/geb079.bt");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const MapFile file = read_map_file(path.string());
  EXPECT_EQ(file.nodes, 532566U);
  EXPECT_EQ(file.map.resolution(), 0.08);
  EXPECT_EQ(refusal([&] { file.map.validate(); }), "");
  std::ifstream stream(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  expect_same(file.map, OctoTree::read(bytes, true).leaves());
  EXPECT_LE(file.map.memory_bytes(), (std::size_t{64} << 20) + 64 * bytes.size());
  EXPECT_TRUE(is_map_file(path.string()));
  EXPECT_EQ(parse_map(map_bytes(file.map, MapFormat::bt), "again.bt").map.stamp(), file.map.stamp());
}

std::string bt(const std::string& data, const std::string& size = "2", const std::string& res = "0.1") {
  return "# Octomap OcTree binary file\n# a comment\nid OcTree\nsize " + size + "\nres " + res + "\ndata\n" + data;
}
std::string ot(const std::string& data, const std::string& size = "1", const std::string& id = "OcTree") {
  return "# Octomap OcTree file\nid " + id + "\nsize " + size + "\nres 0.1\ndata\n" + data;
}

TEST(MapFile, EverySingleMissingByteIsAnError) {
  Generator random(3);
  for (int i = 0; i < scaled(10); ++i) {
    OctoTree tree = random_tree(random);
    for (const bool binary : {false, true}) {
      const std::string bytes = tree.written(binary);
      for (std::size_t size = 0; size<bytes.size(); size += bytes.size() - size> 200 ? 37 : 1) {
        const std::string message = refusal([&] { parse_map(std::string_view(bytes).substr(0, size), "cut.bt"); });
        ASSERT_EQ(message.rfind("cut.bt: byte ", 0), 0U) << size << " of " << bytes.size() << ": " << message;
      }
    }
  }
}

TEST(MapFile, RefusesWhatIsBroken) {
  const std::string leaf(1, '\x01'), none(1, '\0');
  const auto why = [](const std::string& bytes) { return refusal([&] { parse_map(bytes, "m.bt"); }); };
  EXPECT_EQ(why(bt(leaf + none)), "");
  EXPECT_EQ(why(bt("", "0")), "");
  EXPECT_NE(why(bt(none + none, "1")).find("no children"), std::string::npos);
  EXPECT_NE(why(bt(leaf + none, "3")).find("the data has 2 nodes, but the header says 3"), std::string::npos);
  EXPECT_NE(why(bt(leaf + none + "x")).find("1 bytes follow"), std::string::npos);
  EXPECT_NE(why(bt(leaf)).find("ends in the middle"), std::string::npos);
  std::string deep;
  for (int i = 0; i < 17; ++i) deep += std::string("\x03") + none;
  EXPECT_NE(why(bt(deep, "18")).find("depth 16 has children"), std::string::npos);
  for (const char* res : {"0", "-1", "nan", "inf", "x", "", "1e-9", "0.1 m"})
    EXPECT_NE(why(bt(leaf + none, "2", res)), "");
  for (const char* size : {"-1", "x", "", "1e9", "99999999999999999999999"}) EXPECT_NE(why(bt(leaf + none, size)), "");
  EXPECT_NE(why("solid x"), "");
  EXPECT_NE(why(""), "");
  EXPECT_NE(why("# Octomap OcTree binary file\nid OcTree\nsize 2\ndata\n\x01"), "") << "no res";
  EXPECT_NE(why("# Octomap OcTree binary file\nid OcTree\nres 2\ndata\n\x01"), "") << "no size";
  EXPECT_NE(why("# Octomap OcTree binary file\nid OcTree\nres 2\nsize 2\nfrob 3\ndata\n\x01"), "");

  const std::string one = std::string("\0\0\x80\x3f", 4), nan = std::string("\0\0\xc0\x7f", 4);
  EXPECT_EQ(why(ot(one + none)), "");
  EXPECT_EQ(parse_map(ot(one + none), "m").map.state(Vec3(-1, 2, 3000)), Occupancy::occupied)
      << "all of OctoMap's space";
  EXPECT_EQ(parse_map(ot(one + none), "m").map.state(Vec3(-1, 2, 3300)), Occupancy::unknown);
  EXPECT_NE(why(ot(nan + none)).find("not finite"), std::string::npos);
  EXPECT_NE(why(ot(one + leaf)).find("ends in the middle"), std::string::npos);
  EXPECT_EQ(why(ot(nan + leaf + one + none, "2")), "") << "inner values are derived";
  EXPECT_NE(why(ot(one + none, "1", "OcTreeStamped")).find("OcTreeStamped"), std::string::npos);
  EXPECT_EQ(why(ot(one + "rgb" + none, "1", "ColorOcTree")), "");
}

}  // namespace map_file_test
}  // namespace graze
