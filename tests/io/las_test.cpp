// LAS files built by hand.
#include "io/cloud_files.h"

namespace graze {
namespace las_test {

using namespace graze_test;

constexpr std::size_t kSizes[] = {20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67};

TEST(Las, ReadsEveryVersionAndPointFormat) {
  for (int minor = 0; minor <= 4; ++minor) {
    for (int format = 0; format <= 10; ++format) {
      const std::size_t size = kSizes[format];
      const Cloud cloud = parse_cloud(las_file(minor, format, format < 6 || minor == 4 ? 5 : 0, size), "f");
      if (format >= 6 && minor < 4) continue;
      ASSERT_EQ(cloud.size(), 5U) << minor << " " << format;
      for (int i = 0; i < 5; ++i) {
        const Vec3 expected((i - 3) * 0.01 + 1000, (i + 4) * 0.01 + 2000, (i + 11) * 0.01 + 3000);
        EXPECT_EQ(cloud.point(static_cast<std::size_t>(i)), expected) << "integer × scale + offset";
      }
      const auto has = [&](const char* name) { return cloud.attribute(name) != nullptr; };
      EXPECT_TRUE(has("intensity") && has("classification") && has("return_number"));
      EXPECT_EQ(has("gps_time"), format == 1 || format >= 3);
      EXPECT_EQ(has("red"), format == 2 || format == 3 || format == 5 || format == 7 || format == 8 || format == 10);
      EXPECT_EQ(has("nir"), format == 8 || format == 10);
      EXPECT_EQ(has("wave_offset"), format == 4 || format == 5 || format == 9 || format == 10);
    }
  }
}

TEST(Las, ReadsTheFieldsOfNarrowAndWidePoints) {
  std::string narrow = las_file(2, 3, 1, 34);
  const std::size_t n = narrow.size() - 34;
  narrow.replace(n + 12, 2, bytes_of<std::uint16_t>(777));
  narrow[n + 14] = static_cast<char>(2 | 3 << 3 | 1 << 6);
  narrow[n + 15] = static_cast<char>(6 | 5 << 5);
  narrow[n + 16] = -7;
  narrow.replace(n + 18, 2, bytes_of<std::uint16_t>(99));
  narrow.replace(n + 20, 8, bytes_of(1234.5));
  narrow.replace(n + 30, 2, bytes_of<std::uint16_t>(60000));
  std::string wide = las_file(4, 7, 1, 36);
  const std::size_t w = wide.size() - 36;
  wide.replace(w + 12, 2, bytes_of<std::uint16_t>(777));
  wide[w + 14] = static_cast<char>(2 | 3 << 4);
  wide[w + 15] = static_cast<char>(5 | 2 << 4 | 1 << 6);
  wide[w + 16] = 6;
  wide.replace(w + 18, 2, bytes_of<std::int16_t>(-1000));
  wide.replace(w + 20, 2, bytes_of<std::uint16_t>(99));
  wide.replace(w + 22, 8, bytes_of(1234.5));
  wide.replace(w + 32, 2, bytes_of<std::uint16_t>(60000));
  for (const std::string& bytes : {narrow, wide}) {
    const Cloud cloud = parse_cloud(bytes, "f");
    const auto value = [&](const char* name) { return (*cloud.attribute(name))[0]; };
    EXPECT_EQ(value("intensity"), 777);
    EXPECT_EQ(value("return_number"), 2);
    EXPECT_EQ(value("number_of_returns"), 3);
    EXPECT_EQ(value("scan_direction"), 1);
    EXPECT_EQ(value("edge_of_flight_line"), 0);
    EXPECT_EQ(value("classification"), 6);
    EXPECT_EQ(value("classification_flags"), 5);
    EXPECT_EQ(value("scan_angle"), bytes == wide ? double{-6.F} : -7);
    EXPECT_EQ(value("point_source_id"), 99);
    EXPECT_EQ(value("gps_time"), 1234.5);
    EXPECT_EQ(value("green"), 60000);
  }
  EXPECT_EQ((*parse_cloud(wide, "f").attribute("scanner_channel"))[0], 2);
}

TEST_F(CloudFiles, LasToLasChangesNothing) {
  std::mt19937 random(3);
  for (const auto& [minor, format] : {std::pair(2, 0), {2, 1}, {2, 2}, {2, 3}, {4, 6}, {4, 7}, {4, 8}}) {
    std::string bytes = las_file(minor, format, 50, kSizes[format]);
    for (std::size_t i = bytes.size() - 50 * kSizes[format]; i < bytes.size(); ++i) {
      const std::size_t within = (i - (bytes.size() - 50 * kSizes[format])) % kSizes[format];
      const std::size_t time = format == 1 || format == 3 ? 20 : format >= 6 ? 22 : 1000;
      const bool angle = format >= 6 && (within == 18 || within == 19);  // would exceed ±180°
      if (within < 12 || (within >= time && within < time + 8) || angle) continue;
      bytes[i] = static_cast<char>(random());
    }
    const std::string from = write("a.las", bytes);
    const WriteCloudReport report = convert_cloud(from, path("b.las"), {});
    EXPECT_EQ(report.written, 50U);
    EXPECT_EQ(report.rounding, 0);
    EXPECT_TRUE(report.notes.empty()) << report.notes[0];
    const std::string back = contents("b.las");
    const CloudHeader a = read_cloud_header(from), b = read_cloud_header(path("b.las"));
    EXPECT_EQ(a.version, b.version);
    EXPECT_EQ(a.point_format, b.point_format);
    EXPECT_EQ(a.scale, b.scale);
    EXPECT_EQ(a.offset, b.offset);
    const std::size_t points = 50 * kSizes[format];
    EXPECT_TRUE(back.substr(back.size() - points) == bytes.substr(bytes.size() - points)) << format;
  }
}

TEST_F(CloudFiles, LasStoresWhatFitsAndKeepsTheRestInExtraBytes) {
  const std::vector<Vec3> points = {{1, 2, 3}, {4, 5, 6}};
  const std::vector<float> intensity = {0.25F, 1};
  const std::vector<std::uint8_t> red = {0, 255}, classes = {1, 200};
  const std::vector<std::int32_t> returns = {1, 2};
  const auto view = [](const auto& v) { return ColumnView::of(v.data(), v.size()); };
  const Cloud cloud(PointView(points), {},
                    {{"intensity", view(intensity)},
                     {"red", view(red)},
                     {"green", view(red)},
                     {"blue", view(red)},
                     {"classification", view(classes)},
                     {"return_number", view(returns)},
                     {"a name of more than thirty-two bytes", view(red)}});
  const WriteCloudReport report = write_cloud(path("a.las"), cloud);
  EXPECT_EQ(report.notes.size(), 5U);  // three widened colours, the intensity, the long name
  EXPECT_TRUE(std::any_of(report.notes.begin(), report.notes.end(), [](const std::string& note) {
    return note ==
           "attribute 'intensity' does not fit the field that LAS has for it (whole numbers from 0 to 65535): row 0 "
           "has 0.25; it was written as 'intensity_original' in extra bytes, the field is 0";
  }));
  const CloudHeader header = read_cloud_header(path("a.las"));
  EXPECT_EQ(header.version, "1.4") << "class 200 needs it";
  EXPECT_EQ(header.point_format, 7);
  const Cloud back = read_cloud(path("a.las"));
  EXPECT_EQ((*back.attribute("intensity"))[0], 0);
  EXPECT_EQ((*back.attribute("intensity_original"))[0], 0.25);
  EXPECT_EQ((*back.attribute("green"))[1], 65535);
  EXPECT_EQ((*back.attribute("classification"))[1], 200);
  EXPECT_EQ((*back.attribute("return_number"))[1], 2);
  EXPECT_EQ((*back.attribute("a name of more than thirty-two b"))[1], 255);

  EXPECT_TRUE(contains(refusal([&] { write_cloud(path("b.las"), cloud, {.scale = Vec3::Constant(1e-12)}); }),
                       "does not fit in 32 bits with scale 1e-12"));
  EXPECT_TRUE(
      contains(refusal([&] { write_cloud(path("b.las"), cloud, {.scale = Vec3::Zero()}); }), "must be positive"));
  EXPECT_TRUE(contains(refusal([&] { write_cloud(path("b.las"), cloud, {.las_minor = 3}); }), "1.2 and 1.4, not 1.3"));
  write_cloud(path("b.las"), cloud, {.las_minor = 2});
  EXPECT_EQ((*read_cloud(path("b.las")).attribute("classification_original"))[1], 200);
}

TEST_F(CloudFiles, LasAndTextKeepEachOthersNumbers) {
  write("a.las", las_file(2, 3, 20, 34));
  convert_cloud(path("a.las"), path("a.csv"), {});
  EXPECT_TRUE(contains(contents("a.csv"), "\n999.97,2000.04,3000.11,0,")) << contents("a.csv");
  const WriteCloudReport report =
      convert_cloud(path("a.csv"), path("b.las"), {.write = {.scale = Vec3::Constant(0.01)}});
  EXPECT_TRUE(report.notes.empty()) << report.notes[0];
  EXPECT_EQ(read_cloud_header(path("b.las")).point_format, 3);
  const Cloud a = read_cloud(path("a.las")), b = read_cloud(path("b.las"));
  ASSERT_EQ(a.attributes().size(), b.attributes().size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_LE((a.point(i) - b.point(i)).norm(), 1e-12);
}

TEST_F(CloudFiles, LasKeepsItsCoordinateSystem) {
  std::string bytes = las_file(2, 0, 1, 20);
  std::string record(54, '\0');
  record.replace(2, 15, "LASF_Projection");
  record.replace(18, 2, bytes_of<std::uint16_t>(34735));
  std::string keys;
  for (const int v : {1, 1, 0, 2, 1024, 0, 1, 1, 3072, 0, 1, 2994}) keys += bytes_of(static_cast<std::uint16_t>(v));
  record.replace(20, 2, bytes_of(static_cast<std::uint16_t>(keys.size())));
  bytes.insert(227, record + keys);
  bytes.replace(96, 4, bytes_of(static_cast<std::uint32_t>(227 + record.size() + keys.size())));
  bytes.replace(100, 4, bytes_of(1U));
  EXPECT_EQ(read_cloud_header(write("a.las", bytes)).coordinate_system, "EPSG:2994");
  convert_cloud(path("a.las"), path("b.las"), {});
  EXPECT_EQ(read_cloud_header(path("b.las")).coordinate_system, "EPSG:2994");
  EXPECT_EQ(read_cloud_header(path("b.las")).projection_records, record + keys);
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_NE(refused(bytes.substr(0, size)), "") << size;
}

TEST(Las, RejectsWhatItCannotRead) {
  std::string bytes = las_file(2, 0, 2, 20);
  const auto changed = [&](std::size_t at, const std::string& value) {
    std::string other = bytes;
    return refused(other.replace(at, value.size(), value));
  };
  EXPECT_TRUE(contains(changed(104, "\x80"), "is a LAZ file, but does not say how its points are packed"));
  EXPECT_TRUE(contains(changed(104, "\x0B"), "points of format 11; graze reads 0 to 10"));
  EXPECT_TRUE(contains(changed(25, "\x05"), "is LAS 1.5; graze reads 1.0 to 1.4"));
  EXPECT_TRUE(contains(changed(105, bytes_of<std::uint16_t>(19)), "has points of 19 bytes; point format 0 needs 20"));
  EXPECT_TRUE(contains(changed(107, bytes_of(3U)), "claims 3 points of 20 bytes from byte 227 on, but only 40"));
  EXPECT_TRUE(contains(changed(131, bytes_of(0.0)), "has scale 0 and offset 1000 for x"));
  EXPECT_TRUE(contains(changed(139, bytes_of(std::numeric_limits<double>::quiet_NaN())), "has scale nan"));
  EXPECT_TRUE(contains(changed(96, bytes_of(100U)), "within the header"));
  // A wrong count alone, with no room for what it claims, loses nothing.
  EXPECT_EQ(changed(100, bytes_of(1U)), "");
}

}  // namespace las_test
}  // namespace graze
