// graze's own files of occupancy maps: everything comes back, and no damage passes.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <vector>

#include "graze/geometry/occupancy_map_builder.h"
#include "graze/io/map_file.h"
#include "io/gmap_format.h"
#include "support/generator.h"
#include "support/paths.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze {
namespace gmap_file_test {

using graze_test::Generator;
using graze_test::refusal;
using graze_test::scaled;

std::string bytes_of(const OccupancyMap& map, const std::optional<OccupancyMapperOptions>& sensor = {}) {
  return map_bytes(map, {.format = MapFormat::gmap, .sensor = sensor});
}

/// The same leaves in the same order.
void expect_same(const OccupancyMap& a, const OccupancyMap& b) {
  ASSERT_EQ(a.resolution(), b.resolution());
  ASSERT_EQ(a.leaves(), b.leaves());
  ASSERT_TRUE(a.empty() || (a.bounds().min == b.bounds().min && a.bounds().max == b.bounds().max));
  std::vector<OccupancyCell> of_a, of_b;
  a.visit_leaves([&](const OccupancyCell& leaf) { of_a.push_back(leaf); });
  b.visit_leaves([&](const OccupancyCell& leaf) { of_b.push_back(leaf); });
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    ASSERT_EQ(of_a[i].key, of_b[i].key);
    ASSERT_EQ(of_a[i].level, of_b[i].level);
    ASSERT_EQ(std::bit_cast<std::uint32_t>(of_a[i].log_odds), std::bit_cast<std::uint32_t>(of_b[i].log_odds));
  }
}

OccupancyMap random_map(Generator& random) {
  OccupancyMapBuilder builder(random.integer(0, 1) ? 0.05 : random.magnitude(-6, 6));
  const int values = random.integer(0, 2);
  for (int cluster = random.integer(0, 5); cluster > 0; --cluster) {
    // Far apart, so that leaves never overlap; all of the keys are used.
    const auto corner = [&] { return static_cast<std::int32_t>((random.integer(0, 1) ? 1 : -1) * (1 << 29)); };
    const int level = random.integer(0, 28);
    const CellKey at{corner() + (cluster << 24 >> level << level), corner(), corner()};
    const int fill = random.integer(1, 8), low = std::max(level - 2, 0);
    for (int i = 0; i < (level == 0 ? 1 : 1 << 3 * (level - low)); ++i) {
      if (random.integer(1, 8) > fill) continue;
      const int side = 1 << low, n = 1 << (level - low);
      const float value = values == 0   ? 1.5F
                          : values == 1 ? static_cast<float>(random.integer(-3, 3))
                                        : static_cast<float>(random.uniform(-5, 5));
      builder.add({{at.x + side * (i % n), at.y + side * (i / n % n), at.z + side * (i / n / n)}, low, value});
    }
  }
  return std::move(builder).finish();
}

TEST(GmapFile, EverythingComesBack) {
  std::size_t leaves = 0;
  for (int seed = 0; seed < scaled(200); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Generator random(static_cast<std::uint64_t>(seed));
    OccupancyMap map;
    if (!refusal([&] { map = random_map(random); }).empty()) continue;  // leaves of two clusters overlapped
    leaves += map.leaves();
    const std::string bytes = bytes_of(map);
    const MapFile file = parse_map(bytes, "a.gmap");
    EXPECT_EQ(file.format, MapFormat::gmap);
    EXPECT_EQ(refusal([&] { file.map.validate(); }), "");
    expect_same(file.map, map);
    EXPECT_FALSE(file.sensor);
    EXPECT_FALSE(file.map.newest());
    EXPECT_TRUE(bytes_of(file.map) == bytes) << "and is written as it was read";
  }
  EXPECT_GT(leaves, 1000U);
}

TEST(GmapFile, ManyValuesOneByteTwoBytesAndFour) {
  for (const int count : {1, 255, 256, 257, 65536, 65537}) {
    OccupancyMapBuilder builder(0.1);
    for (int i = 0; i < count; ++i) builder.add({{i % 64, i / 64 % 64, i / 4096}, 0, static_cast<float>(i) * 1e-3F});
    const OccupancyMap map = std::move(builder).finish();
    const std::string bytes = bytes_of(map);
    expect_same(parse_map(bytes, "v.gmap").map, map);
    EXPECT_LT(bytes.size(), 200 + static_cast<std::size_t>(count) * 7);
  }
}

TEST(GmapFile, WholeOctantsAreKept) {
  OccupancyMapBuilder builder(1);
  const auto half = [](int bit) { return bit != 0 ? 1 << 30 : 0; };
  for (int i = 0; i < 8; ++i) builder.add({{half(i & 1), half(i & 2), half(i & 4)}, 30, 1.0F});
  const OccupancyMap map = std::move(builder).finish();
  EXPECT_EQ(refusal([&] { map.validate(); }), "");
  EXPECT_EQ(map.state(Vec3(1, 2, 3)), Occupancy::occupied);
  EXPECT_EQ(map.state(Vec3(-1, 2, 3)), Occupancy::unknown);
  expect_same(parse_map(bytes_of(map), "o.gmap").map, map);
}

TEST(GmapFile, FramesOfBothModelsWithTheirAges) {
  for (const SensorModel model : {SensorModel::log_odds, SensorModel::running_average}) {
    Generator random(9);
    const OccupancyMapperOptions options{
        .resolution = 0.1, .model = model, .hit = 0.8, .miss = 0.3, .clamp_min = 0.05, .clamp_max = 0.99, .window = 12};
    OccupancyMapper mapper(options);
    for (int frame = 0; frame < 12; ++frame) {
      std::vector<Vec3> points;
      for (int i = 0; i < 60; ++i) points.push_back(random.in_cube(8));
      mapper.insert({.points = points, .origin = random.in_cube(2), .time = 100.25 + frame, .max_range = 6});
    }
    mapper.decay(1, 3);
    const OccupancyMap map = mapper.map();
    const MapFile file = parse_map(bytes_of(map, mapper.options()), "frames.gmap");
    expect_same(file.map, map);
    EXPECT_TRUE(bytes_of(file.map, file.sensor) == bytes_of(map, mapper.options())) << "however the map was made";
    ASSERT_TRUE(file.sensor);
    EXPECT_EQ(file.sensor->model, model);
    EXPECT_EQ(file.sensor->hit, 0.8);
    EXPECT_EQ(file.sensor->clamp_max, 0.99);
    EXPECT_EQ(file.sensor->window, 12);
    EXPECT_EQ(file.map.newest(), map.newest());
    for (int i = 0; i < 200; ++i) {
      const Aabb region = Aabb::around(random.in_cube(8), Vec3::Constant(random.uniform(0, 2)));
      ASSERT_EQ(file.map.newest(region), map.newest(region));
    }
    if (model != SensorModel::log_odds) continue;
    // Whoever goes on from the file does what the first would have done, ages included.
    OccupancyMapper next(file.map, *file.sensor);
    for (OccupancyMapper* m : {&mapper, &next}) {
      m->forget_before(106);
      const std::vector<Vec3> more{{1, 2, 3}};
      m->insert({.points = more, .time = 120});
    }
    expect_same(next.map(), mapper.map());
  }
}

TEST(GmapFile, IsSmallerThanOctoMaps) {
  const std::filesystem::path path = graze_test::project_file("../shared/data/geb079.bt");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const OccupancyMap map = read_map(path.string());
  const std::string bytes = bytes_of(map);
  EXPECT_LT(bytes.size(), map_bytes(map, MapFormat::ot).size() / 4);
  expect_same(parse_map(bytes, "b.gmap").map, map);
}

/// With the checksum that its bytes have.
std::string signed_again(std::string bytes) {
  const std::uint32_t sum = io::crc32(std::string_view(bytes).substr(0, bytes.size() - 4));
  std::memcpy(bytes.data() + bytes.size() - 4, &sum, 4);
  return bytes;
}

OccupancyMap frames() {
  OccupancyMapper mapper({.resolution = 0.1});
  const std::vector<Vec3> points{{1, 0.2, 0.3}, {-2, 1, 0}, {0, 0, 5}};
  mapper.insert({.points = points, .time = 3});
  return mapper.map();
}

TEST(GmapFile, EveryChangedOrMissingByteIsAnError) {
  const std::string bytes = bytes_of(frames(), OccupancyMapperOptions{.resolution = 0.1});
  const auto why = [](const std::string& b) { return refusal([&] { parse_map(b, "m.gmap"); }); };
  ASSERT_EQ(why(bytes), "");
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    ASSERT_EQ(why(bytes.substr(0, i)).rfind("m.gmap: byte ", 0), 0U) << "cut off at " << i;
    for (const int bit : {0, 3, 7}) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ 1 << bit);
      ASSERT_EQ(why(changed).rfind("m.gmap: byte ", 0), 0U) << "byte " << i;
    }
  }
  EXPECT_NE(why(bytes + "x"), "");
  std::string damaged = bytes;
  damaged[bytes.size() - 9] ^= 1;
  EXPECT_NE(why(damaged).find("checksum does not match: the file is damaged"), std::string::npos);
  // Whoever signs the damage again is still not believed blindly.
  std::size_t refused = 0;
  for (std::size_t i = 0; i < bytes.size() - 4; ++i) {
    for (const int bit : {0, 1, 2, 5, 7}) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ 1 << bit);
      const std::string signed_bytes = signed_again(changed);
      try {
        parse_map(signed_bytes, "m.gmap").map.validate();
      } catch (const Error& error) {
        ++refused;
        ASSERT_EQ(std::string(error.what()).rfind("m.gmap: byte ", 0), 0U) << error.what();
      }
    }
  }
  EXPECT_GT(refused, bytes.size());
}

TEST(GmapFile, SaysWhatIsWrong) {
  const std::string bytes = bytes_of(frames(), OccupancyMapperOptions{.resolution = 0.1});
  const auto why = [&](std::size_t at, auto value) {
    std::string changed = bytes;
    std::memcpy(changed.data() + at, &value, sizeof value);
    return refusal([&] { parse_map(signed_again(changed), "m.gmap"); });
  };
  EXPECT_EQ(why(8, std::uint32_t{2}), "m.gmap: byte 8: is of version 2, but this graze reads version 1");
  EXPECT_NE(why(16, std::uint64_t{5}).find("the header says 5 bytes, but the file has"), std::string::npos);
  EXPECT_NE(why(24, 0.0).find("expected a resolution"), std::string::npos);
  EXPECT_NE(why(24, std::nan("")).find("expected a resolution"), std::string::npos);
  EXPECT_NE(why(32, std::uint64_t{1} << 60).find("more than the file has room for"), std::string::npos);
  EXPECT_NE(why(40, std::uint64_t{1}).find("leaves"), std::string::npos);
  EXPECT_NE(why(48, ~std::uint32_t{0}).find("values"), std::string::npos);
  EXPECT_NE(why(52, std::uint32_t{3}).find("sensor model"), std::string::npos);
  EXPECT_NE(why(56, 0.3).find("probability from 0.5 to 1"), std::string::npos);
  EXPECT_NE(why(88, std::uint32_t{63}).find("1 to 62"), std::string::npos);
  EXPECT_NE(why(92, ~std::uint32_t{0}).find("times"), std::string::npos);
  EXPECT_NE(why(96, 1.0).find("later than that of the newest frame"), std::string::npos);
  EXPECT_NE(why(96, kInfinity).find("infinite"), std::string::npos);
  EXPECT_NE(why(104, std::uint64_t{1}).find("reserved"), std::string::npos);
  EXPECT_NE(refusal([&] { map_bytes(frames(), WriteMapOptions{}); }), "");
  EXPECT_EQ(map_format_of("a/b.gmap"), MapFormat::gmap);
  EXPECT_EQ(map_format_of("gmap"), std::nullopt);
}

}  // namespace gmap_file_test
}  // namespace graze
