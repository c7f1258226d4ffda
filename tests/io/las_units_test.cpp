// Units that LAS files state: feet become metres, degrees are rejected, and copies state the unit of their numbers.
#include <initializer_list>

#include "io/cloud_files.h"

namespace graze {
namespace las_units_test {

using namespace graze_test;

class LasUnits : public CloudFiles {
 protected:
  struct Record {
    std::uint16_t id;
    std::string bytes;
  };

  // Three points at (999.97, 2000.04, 3000.11), …
  std::string las(const std::vector<Record>& records, bool wkt_bit = false) const {
    std::string bytes = las_file(2, 0, 3, 20), all;
    for (const Record& r : records) {
      std::string head(54, '\0');
      head.replace(2, 15, "LASF_Projection");
      head.replace(18, 2, bytes_of(r.id));
      head.replace(20, 2, bytes_of(static_cast<std::uint16_t>(r.bytes.size())));
      all += head + r.bytes;
    }
    bytes.insert(227, all);
    bytes.replace(96, 4, bytes_of(static_cast<std::uint32_t>(227 + all.size())));
    bytes.replace(100, 4, bytes_of(static_cast<std::uint32_t>(records.size())));
    if (wkt_bit) bytes.replace(6, 2, bytes_of<std::uint16_t>(16));
    return bytes;
  }

  static Record keys(std::initializer_list<std::array<int, 2>> entries) {
    std::string bytes;
    for (const int v : {1, 1, 0, static_cast<int>(entries.size())}) bytes += bytes_of(static_cast<std::uint16_t>(v));
    for (const auto& [key, value] : entries) {
      for (const int v : {key, key == 3077 ? 34736 : 0, 1, value}) bytes += bytes_of(static_cast<std::uint16_t>(v));
    }
    return {34735, bytes};
  }
  static Record wkt(const std::string& text) { return {2112, text + '\0'}; }

  CloudUnits units(const std::vector<Record>& records, bool wkt_bit = false) const {
    write("u.las", las(records, wkt_bit));
    return read_cloud_header(path("u.las")).units;
  }
};

constexpr double kUsFoot = 1200.0 / 3937, kFoot = 0.3048;
using Kind = CloudUnits::Kind;

std::string projected(const std::string& unit, const std::string& more = "") {
  return R"(PROJCS["a grid",GEOGCS["NAD83",DATUM["North_American_Datum_1983",SPHEROID["GRS 1980",6378137,298.257222101]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",-90],PARAMETER["scale_factor",1],PARAMETER["false_easting",0],PARAMETER["false_northing",0],)" +
         unit + more + "]";
}
const std::string kVertical =
    R"(VERT_CS["NAVD88 height",VERT_DATUM["North American Vertical Datum 1988",2005],UNIT["US survey foot",0.304800609601219],AXIS["Up",UP]])";

TEST_F(LasUnits, AreFoundInTextAndKeys) {
  EXPECT_EQ(units({}).kind, Kind::not_stated);
  const auto expect = [&](const std::vector<Record>& records, double across, double up, bool stated) {
    const CloudUnits u = units(records);
    EXPECT_EQ(u.kind, Kind::length) << describe(u);
    EXPECT_NEAR(u.metres.x(), across, 1e-12);
    EXPECT_EQ(u.metres.x(), u.metres.y());
    EXPECT_NEAR(u.metres.z(), up, 1e-12);
    EXPECT_EQ(u.vertical_stated, stated);
  };
  expect({wkt(projected(R"(UNIT["metre",1])"))}, 1, 1, false);
  expect({wkt(projected(R"(UNIT["foot",0.3048])"))}, kFoot, kFoot, false);
  expect({wkt(projected(R"(UNIT["US survey foot",0.304800609601219241])"))}, kUsFoot, kUsFoot, false);
  expect({wkt(R"(COMPD_CS["both",)" + projected(R"(UNIT["metre",1])") + "," + kVertical + "]")}, 1, kUsFoot, true);
  expect({keys({{1024, 1}, {3072, 26910}})}, 1, 1, false);             // UTM zone 10N
  expect({keys({{1024, 1}, {3072, 2994}})}, kFoot, kFoot, false);      // Oregon, in feet according to the EPSG register
  expect({keys({{1024, 1}, {3072, 2263}})}, kUsFoot, kUsFoot, false);  // New York, in US survey feet
  expect({keys({{1024, 1}, {3072, 32767}, {3076, 9003}})}, kUsFoot, kUsFoot, false);
  expect({keys({{1024, 1}, {3072, 26910}, {4099, 9003}})}, 1, kUsFoot, true);
  expect({keys({{1024, 1}, {3072, 26910}, {4096, 6360}})}, 1, kUsFoot, true);  // NAVD88 height (ftUS)
  expect({keys({{1024, 1}, {3076, 32767}, {3077, 0}}), {34736, bytes_of(0.5)}}, 0.5, 0.5, false);
  // A bit of the header says which one applies.
  const std::vector<Record> both = {keys({{1024, 1}, {3072, 26910}}), wkt(projected(R"(UNIT["foot",0.3048])"))};
  EXPECT_EQ(units(both).metres.x(), 1);
  EXPECT_EQ(units(both, true).metres.x(), kFoot);
}

TEST_F(LasUnits, AreUnknownRatherThanGuessed) {
  for (const std::vector<Record>& records :
       std::vector<std::vector<Record>>{{wkt("nonsense")},
                                        {wkt("")},
                                        {wkt(projected(R"(UNIT["lunar pace",1e30])"))},
                                        {keys({{1024, 1}})},
                                        {keys({{1024, 1}, {3072, 65000}})},
                                        {keys({{1024, 1}, {3072, 2994}, {3076, 9001}})},
                                        {keys({{1024, 1}, {3072, 26910}, {4099, 8}})},
                                        {keys({{1024, 1}, {3076, 32767}, {3077, 7}})},
                                        {keys({{1024, 32767}})}}) {
    const CloudUnits u = units(records);
    EXPECT_NE(u.kind, Kind::length) << describe(u);
    EXPECT_EQ(u.metres, Vec3(1, 1, 1));
    if (u.kind == Kind::not_stated) continue;
    EXPECT_EQ(u.kind, Kind::unknown) << describe(u);
    const CloudHeader header = for_each_chunk(path("u.las"), [](const CloudChunk&) { return true; });
    ASSERT_EQ(header.notes.size(), 1U);
    EXPECT_TRUE(contains(header.notes[0], "taken for metres")) << header.notes[0];
  }
}

TEST_F(LasUnits, FeetBecomeMetres) {
  write("a.las", las({keys({{1024, 1}, {3072, 26910}, {3076, 9001}, {4099, 9003}})}));
  const Cloud raw = read_cloud(path("a.las"), {.unit = 1}), cloud = read_cloud(path("a.las"));
  EXPECT_EQ(raw.point(0), Vec3(999.97, 2000.04, 3000.11));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(cloud.point(i).head<2>(), raw.point(i).head<2>());
    EXPECT_NEAR(cloud.point(i).z(), raw.point(i).z() * kUsFoot, 1e-9);
  }
  write("b.las", las({wkt(projected(R"(UNIT["foot",0.3048])"))}));
  EXPECT_EQ(read_cloud(path("b.las")).point(0), Vec3(raw.point(0) * kFoot));
  const CloudHeader header = for_each_chunk(path("b.las"), [](const CloudChunk&) { return true; });
  ASSERT_EQ(header.notes.size(), 1U);
  EXPECT_EQ(header.notes[0],
            "converted to metres; the file is in foot (0.3048 m), by its WKT; the unit of z is not stated and assumed "
            "to be the same");
}

TEST_F(LasUnits, DegreesAreRejectedWithAdvice) {
  const std::string geographic =
      R"(GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]])";
  for (const Record& record : {keys({{1024, 2}, {2048, 4326}}), wkt(geographic), keys({{2048, 4326}})}) {
    write("a.las", las({record}));
    EXPECT_EQ(read_cloud_header(path("a.las")).units.kind, Kind::angle);
    const std::string why = refusal([&] { read_cloud(path("a.las")); });
    EXPECT_TRUE(contains(why, "x and y are in degrees")) << why;
    EXPECT_TRUE(contains(why, "--unit 1")) << why;
    EXPECT_TRUE(contains(refusal([&] { convert_cloud(path("a.las"), path("b.ply"), {}); }), "x and y are in degrees"));
    EXPECT_EQ(read_cloud(path("a.las"), {.unit = 1}).size(), 3U);
    convert_cloud(path("a.las"), path("b.las"), {});
    EXPECT_EQ(read_cloud_header(path("b.las")).units.kind, Kind::angle) << "LAS says that it is in degrees";
    convert_cloud(path("a.las"), path("c.las"), {.unit = 1});
    EXPECT_EQ(read_cloud_header(path("c.las")).units.kind, Kind::not_stated) << "overridden by the caller";
    EXPECT_EQ(read_cloud(path("c.las")).size(), 3U);
  }
}

TEST_F(LasUnits, CopiesKeepWhichSystemApplies) {
  const std::vector<Record> both = {keys({{1024, 1}, {3072, 26910}}), wkt(projected(R"(UNIT["foot",0.3048])"))};
  for (const bool text : {false, true}) {
    write("a.las", las(both, text));
    convert_cloud(path("a.las"), path("b.las"), {});
    EXPECT_EQ(read_cloud_header(path("b.las")).units.metres.x(), text ? kFoot : 1);
    EXPECT_EQ(read_cloud(path("b.las")).point(1), read_cloud(path("a.las")).point(1));
  }
}

// Whatever is done to a file in feet, a reader of the copy gets the same metres.
TEST_F(LasUnits, CopiesAreConsistent) {
  write("a.las", las({keys({{1024, 1}, {3072, 2263}, {4099, 9003}})}));
  const Cloud cloud = read_cloud(path("a.las"));
  for (const char* name : {"b.las", "b.ply", "b.pcd", "b.csv", "b.xyz"}) {
    const WriteCloudReport report = convert_cloud(path("a.las"), path(name), {});
    const Cloud back = read_cloud(path(name));
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_LE((back.point(i) - cloud.point(i)).norm(), report.rounding + 1e-12) << name;
    }
    const bool las = std::string_view(name).ends_with("las");
    EXPECT_EQ(report.notes.size(), las ? 0U : 2U) << name;
    EXPECT_EQ(read_cloud_header(path(name)).units.kind, las ? Kind::length : Kind::not_stated);
  }
  EXPECT_EQ(contents("b.las").substr(contents("b.las").size() - 60),
            contents("a.las").substr(contents("a.las").size() - 60));
  convert_cloud(path("a.las"), path("c.las"), {.translation = Vec3(1, 0, 0)});
  EXPECT_EQ(read_cloud_header(path("c.las")).units.kind, Kind::not_stated);
  EXPECT_LE((read_cloud(path("c.las")).point(1) - cloud.point(1) - Vec3(1, 0, 0)).norm(), 1e-9);
  const AddedColumns added{{{"k", NumberType::uint8}},
                           [](std::uint64_t, const PointView& points, std::span<std::byte* const> columns) {
                             for (std::size_t i = 0; i < points.size(); ++i) columns[0][i] = std::byte{1};
                           }};
  const std::string from[] = {path("a.las")};
  const WriteCloudReport report = annotate_clouds(from, path("d.las"), added);
  EXPECT_EQ(read_cloud_header(path("d.las")).units.kind, Kind::not_stated);
  EXPECT_LE((read_cloud(path("d.las")).point(2) - cloud.point(2)).norm(), 1e-9);
  EXPECT_EQ(report.notes.size(), 2U);
}

}  // namespace las_units_test
}  // namespace graze
