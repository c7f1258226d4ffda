#include "graze/io/cloud_file.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>

#include "io/cloud_files.h"

namespace graze {
namespace cloud_file_test {

using namespace graze_test;

struct Form {
  const char* name;
  CloudEncoding encoding;
  bool text = false, las = false;
};

const Form kForms[] = {{"a.ply", CloudEncoding::ascii},
                       {"b.ply", CloudEncoding::binary},
                       {"c.ply", CloudEncoding::binary_big_endian},
                       {"a.pcd", CloudEncoding::ascii},
                       {"b.pcd", CloudEncoding::binary},
                       {"c.pcd", CloudEncoding::compressed},
                       {"a.xyz", CloudEncoding::ascii, true},
                       {"a.csv", CloudEncoding::ascii, true},
                       {"a.las", CloudEncoding::binary, false, true}};

class CloudFile : public CloudFiles {
 protected:
  void expect_round_trip(const Cloud& cloud, const Form& form, const std::string& name) const {
    const Cloud back = read_cloud(path(name));
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < cloud.size(); ++i) {
      if (!form.las || !cloud.is_skipped(i)) rows.push_back(i);
    }
    ASSERT_EQ(back.size(), rows.size()) << name;
    EXPECT_EQ(back.skipped(), form.las ? 0 : cloud.skipped());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ASSERT_EQ(back.is_skipped(i), cloud.is_skipped(rows[i]));
      if (back.is_skipped(i)) continue;
      const Vec3 p = back.point(i), q = cloud.point(rows[i]);
      if (form.las) {
        EXPECT_LE((p - q).cwiseAbs().maxCoeff(), 0.5001e-4);
      } else {
        ASSERT_EQ(p, q) << name << " " << i;
      }
    }
    for (const CloudAttribute& a : cloud.attributes()) {
      const CloudAttribute* b = back.attribute(a.name());
      ASSERT_NE(b, nullptr) << name << " " << a.name();
      const bool ply_long =
          std::string_view(name).ends_with("ply") && (a.type() == NumberType::int64 || a.type() == NumberType::uint64);
      EXPECT_EQ(b->type(), form.text || ply_long ? NumberType::float64 : a.type()) << name;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        ASSERT_EQ((*b)[i], a[rows[i]]) << name << " " << a.name() << " " << i;
      }
    }
  }
};

TEST_F(CloudFile, RoundTripsEveryFormAndTypeOfAttribute) {
  for (const std::size_t count : {0UL, 1UL, 2UL, 5000UL}) {
    for (const bool doubles : {false, true}) {
      for (const bool skips : {false, true}) {
        const Cloud cloud = sample_cloud(count, {.doubles = doubles, .skips = skips});
        for (const Form& form : kForms) {
          const WriteCloudReport report = write_cloud(path(form.name), cloud, {.encoding = form.encoding});
          EXPECT_EQ(report.written + report.dropped, cloud.size());
          EXPECT_EQ(report.dropped, form.las ? cloud.skipped() : 0);
          EXPECT_LE(report.rounding, form.las ? 1e-4 : 0);
          expect_round_trip(cloud, form, form.name);
        }
      }
    }
  }
}

TEST_F(CloudFile, ConvertsEveryFormIntoEveryOther) {
  const Cloud cloud = sample_cloud(100, {.skips = true});
  for (const Form& from : kForms) {
    if (from.las) continue;  // LAS drops and rounds
    write_cloud(path(from.name), cloud, {.encoding = from.encoding});
    for (const Form& to : kForms) {
      const std::string name = std::string("to_") + to.name;
      convert_cloud(path(from.name), path(name), {.write = {.encoding = to.encoding}});
      if (from.text) continue;  // text has no types to compare
      if (std::string_view(from.name).ends_with("ply")) continue;
      expect_round_trip(cloud, to, name);
    }
  }
}

TEST_F(CloudFile, Keeps64BitIntegersWhereTheFormatHasThem) {
  const Cloud cloud = sample_cloud(10, {.largest_integer = 1e19});
  for (const char* name : {"a.pcd", "a.las"}) {
    write_cloud(path(name), cloud);
    const Cloud back = read_cloud(path(name));
    for (std::size_t i = 0; i < 10; ++i) {
      EXPECT_EQ(back.attribute("a_int64")->values<std::int64_t>()[i],
                cloud.attribute("a_int64")->values<std::int64_t>()[i]);
      EXPECT_EQ(back.attribute("a_uint64")->values<std::uint64_t>()[i],
                cloud.attribute("a_uint64")->values<std::uint64_t>()[i]);
    }
  }
  EXPECT_TRUE(contains(refusal([&] { write_cloud(path("a.ply"), cloud); }), "which PLY has no type for"));
  EXPECT_FALSE(std::filesystem::exists(path("a.ply")));
}

TEST_F(CloudFile, ConvertsInPlaceWithScaleAndTranslation) {
  const Cloud cloud = sample_cloud(50, {});
  write_cloud(path("a.ply"), cloud);
  convert_cloud(path("a.ply"), path("a.ply"), {.scale = 0.001, .translation = Vec3(1, 2, 3)});
  const Cloud back = read_cloud(path("a.ply"));
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(back.point(i), cloud.point(i) * 0.001 + Vec3(1, 2, 3));
  EXPECT_EQ(back.attributes().size(), 10U);
  convert_cloud(path("a.ply"), path("b.csv"), {.attributes = false});
  EXPECT_TRUE(contents("b.csv").starts_with("x,y,z\n"));
}

TEST_F(CloudFile, WritesFloat32AndDropsWhenAsked) {
  const Cloud cloud = sample_cloud(50, {.doubles = true, .skips = true});
  const WriteCloudReport report =
      write_cloud(path("a.ply"), cloud, {.coordinates = NumberType::float32, .drop_skipped = true});
  EXPECT_EQ(report.dropped, cloud.skipped());
  EXPECT_GT(report.rounding, 0.01);
  const Cloud back = read_cloud(path("a.ply"));
  EXPECT_EQ(back.size(), 50 - cloud.skipped());
  EXPECT_EQ(back.point(0).cast<float>(), cloud.point(0).cast<float>());
  EXPECT_LE((back.point(0) - cloud.point(0)).norm(), report.rounding);
}

TEST_F(CloudFile, CutAnywhereIsAnErrorOrFewerLines) {
  const Cloud cloud = sample_cloud(3, {});
  for (const Form& form : kForms) {
    write_cloud(path(form.name), cloud, {.encoding = form.encoding});
    const std::string whole = contents(form.name);
    ASSERT_EQ(refused(whole, form.name), "");
    const bool ascii = form.encoding == CloudEncoding::ascii;
    const std::size_t last_line = whole.rfind('\n', whole.size() - 2) + 1;
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const std::string why = refused(std::string_view(whole).substr(0, size), form.name);
      if (!ascii || (!form.text && size <= last_line)) {
        EXPECT_NE(why, "") << form.name << " cut to " << size << " of " << whole.size();
        EXPECT_TRUE(why.empty() || why.starts_with(form.name)) << why;
      }
    }
  }
}

TEST_F(CloudFile, ChangedBytesDoNoHarm) {
  const Cloud cloud = sample_cloud(3, {});
  std::mt19937 random(5);
  for (const Form& form : kForms) {
    write_cloud(path(form.name), cloud, {.encoding = form.encoding});
    const std::string whole = contents(form.name);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string changed = whole;
      changed[at] = static_cast<char>(random());
      refused(changed, form.name);
    }
  }
}

TEST_F(CloudFile, RejectsClaimsThatExceedTheFile) {
  const std::string lie =
      "ply\nformat binary_little_endian 1.0\nelement vertex 3000000000\nproperty float x\nproperty float y\n"
      "property float z\nend_header\n";
  EXPECT_TRUE(
      contains(refused(lie + std::string(14, 'x')), "claims 3000000000 entries of at least 12 bytes, but only 14"));
  // 20 KiB of packed zeros that unpack to 1.7 MB, but claim 100 million points.
  std::string packed(10000, '\0');
  for (std::size_t i = 0; i + 3 < packed.size(); i += 3) packed.replace(i, 3, "\xFF\xFF\x00", 3);
  const std::string header =
      "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 100000000\nHEIGHT 1\nPOINTS 100000000\nDATA binary_compressed\n";
  const std::string bomb =
      header + bytes_of(static_cast<std::uint32_t>(packed.size())) + bytes_of(1200000000U) + packed;
  EXPECT_NE(refused(bomb), "");
  // 1.2 MB that do unpack to 9 million points: the points alone would be accepted, but not with their tree.
  std::string zeros = "\x0B" + std::string(12, '\0');
  for (int i = 0; i < 410000; ++i) zeros.append("\xE0\xFF\x00", 3);
  const std::string true_bomb =
      "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 9020001\nHEIGHT 1\nPOINTS 9020001\nDATA binary_compressed\n" +
      bytes_of(static_cast<std::uint32_t>(zeros.size())) + bytes_of(9020001U * 12) + zeros;
  EXPECT_TRUE(contains(refused(true_bomb), "claims 9020001 points, which take 1573 MiB")) << refused(true_bomb);
  EXPECT_TRUE(
      contains(refused("99999999999999\n1 2 3\n"), "states 99999999999999 points in its first line, but 1 follow"));
  std::string wide = "x,y,z";
  for (int i = 0; i < 2000; ++i) wide += ",a";
  EXPECT_TRUE(contains(refused(wide + "\n"), "more than 1024 columns"));
}

TEST_F(CloudFile, MemoryIsProportionalToTheFile) {
  rusage before{}, after{};
  ::getrusage(RUSAGE_SELF, &before);
  // As many columns as possible, in as few bytes as possible.
  std::string wide = "x,y,z";
  for (int i = 0; i < 1000; ++i) wide += ",a" + std::to_string(i);
  wide += "\n";
  for (int i = 0; i < 50; ++i) wide += "1,2,3" + std::string(1000, ',') + "\n";
  parse_cloud(wide, "wide.csv");
  const std::string tiny =
      "ply\nformat binary_little_endian 1.0\nelement vertex 100000\nproperty uchar x\nproperty uchar y\nproperty uchar "
      "z\nend_header\n" +
      std::string(300000, 'x');
  EXPECT_EQ(parse_cloud(tiny, "tiny.ply").size(), 100000U);
  ::getrusage(RUSAGE_SELF, &after);
  EXPECT_LE(after.ru_maxrss - before.ru_maxrss, (64 << 10) + 64 * static_cast<long>(tiny.size() >> 10));
}

TEST_F(CloudFile, NamesFileAndReason) {
  EXPECT_EQ(refusal([&] { read_cloud(path("nothing.ply")); }),
            path("nothing.ply") + ": cannot be read: No such file or directory");
  EXPECT_EQ(refusal([&] { read_cloud(path("")); }), path("") + ": is a folder; name a file in it");
  EXPECT_EQ(refusal([&] { read_cloud(write("empty.xyz", "")); }),
            path("empty.xyz") + ": is empty; a cloud of no points has at least a header");
  if (::geteuid() != 0) {
    ::chmod(write("secret.ply", "ply\n").c_str(), 0);
    EXPECT_EQ(refusal([&] { read_cloud(path("secret.ply")); }),
              path("secret.ply") + ": cannot be read: Permission denied");
  }
  EXPECT_TRUE(contains(refused("\x1f\x8b\x08"), "gzip"));
  EXPECT_TRUE(contains(refused(std::string("\0\1\2\3", 4)), "is not a point cloud that graze can read"));
  EXPECT_TRUE(contains(refused("hello", "a.ply"), "is not a PLY file: its first line is not 'ply'"));
  EXPECT_TRUE(contains(refused("hello", "a.las"), "is not a LAS file"));
  EXPECT_TRUE(contains(refused("v 1 2 3\n", "a.obj"), "is a mesh"));
  EXPECT_TRUE(contains(refusal([&] { write_cloud(path("cloud"), Cloud()); }), "its name does not indicate a format"));
  EXPECT_TRUE(contains(refusal([&] { write_cloud(path("a.laz"), Cloud()); }), "does not write LAZ"));
  EXPECT_TRUE(contains(refusal([&] { write_cloud(path("a.ply"), Cloud(), {.encoding = CloudEncoding::compressed}); }),
                       "there is no compressed form of PLY"));
  EXPECT_TRUE(contains(refusal([&] { write_cloud(path("no/a.ply"), Cloud()); }), "does not exist"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), ::geteuid() != 0 ? 2 : 1);
}

TEST_F(CloudFile, DetectsTheFormatFromTheBytes) {
  const Cloud cloud = sample_cloud(4, {});
  for (const Form& form : kForms) {
    write_cloud(path(form.name), cloud, {.encoding = form.encoding});
    const std::string wrong = write("wrong.dat", contents(form.name));
    const CloudHeader header = read_cloud_header(wrong);
    EXPECT_EQ(header.encoding, form.encoding);
    EXPECT_EQ(header.format == CloudFormat::text, form.text);
    EXPECT_EQ(header.format == CloudFormat::las, form.las);
  }
}

TEST_F(CloudFile, DeliversChunksAndStops) {
  const Cloud cloud = sample_cloud(20000, {});
  write_cloud(path("a.ply"), cloud);
  std::uint64_t rows = 0, chunks = 0;
  const CloudHeader header = for_each_chunk(path("a.ply"), [&](const CloudChunk& chunk) {
    EXPECT_EQ(chunk.first, rows);
    EXPECT_EQ(chunk.points[0], cloud.point(rows));
    EXPECT_EQ(chunk.attributes[3][0], cloud.attributes()[3][rows]);
    rows += chunk.points.size();
    ++chunks;
    return true;
  });
  EXPECT_EQ(rows, 20000U);
  EXPECT_GT(chunks, 2U);
  EXPECT_EQ(header.points, 20000U);
  chunks = 0;
  for_each_chunk(path("a.ply"), [&](const CloudChunk&) { return ++chunks < 2; });
  EXPECT_EQ(chunks, 2U);
}

TEST_F(CloudFile, ReportsProgressAndCanBeCancelled) {
  write_cloud(path("a.ply"), sample_cloud(20000, {}));
  double last = -1;
  std::string message;
  const auto listen = [&](const ProgressUpdate& u) {
    EXPECT_GE(u.fraction, last);
    last = u.fraction;
    message = u.message;
    return true;
  };
  read_cloud(path("a.ply"), {.progress = Progress(listen, {.interval = std::chrono::nanoseconds(0)})});
  EXPECT_EQ(last, 1);
  EXPECT_EQ(message, "reading " + path("a.ply"));
  const Progress stop([](const ProgressUpdate& u) { return u.fraction < 0.3; },
                      {.interval = std::chrono::nanoseconds(0)});
  EXPECT_TRUE(contains(refusal([&] { read_cloud(path("a.ply"), {.progress = stop}); }), "was cancelled"));
  const std::string old = contents("a.ply");
  const Progress halt([](const ProgressUpdate& u) { return u.fraction < 0.7; },
                      {.interval = std::chrono::nanoseconds(0)});
  EXPECT_TRUE(
      contains(refusal([&] { convert_cloud(path("a.ply"), path("a.ply"), {.write = {.progress = halt}, .scale = 2}); }),
               "cancelled"));
  EXPECT_EQ(contents("a.ply"), old);
}

TEST_F(CloudFile, ReadsPipes) {
  write_cloud(path("a.ply"), sample_cloud(100, {}));
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  ASSERT_EQ(std::system(("cat '" + path("a.ply") + "' > '" + path("pipe") + "' &").c_str()), 0);
  EXPECT_EQ(read_cloud(path("pipe")).size(), 100U);
}

// Against nearest neighbours by brute force.
TEST_F(CloudFile, ScansBoundsRangesAndSpacing) {
  for (const std::size_t count : {0UL, 1UL, 2UL, 700UL, 30000UL}) {
    const Cloud cloud = sample_cloud(count, {.doubles = true, .skips = true});
    write_cloud(path("a.ply"), cloud);
    const CloudInfo info = scan_cloud(path("a.ply"));
    EXPECT_EQ(info.points, count);
    EXPECT_EQ(info.skipped, cloud.skipped());
    EXPECT_EQ(info.bounds, cloud.bounds());
    ASSERT_EQ(info.attributes.size(), 10U);
    if (count >= 2) {
      EXPECT_EQ(info.attributes[0].min, -128);
      EXPECT_EQ(info.attributes[0].max, 127);
    }
    EXPECT_EQ(info.spacing > 0, count > 1);
    if (count != 700) continue;
    std::vector<double> nearest;
    for (std::size_t i = 0; i < count; ++i) {
      double best = kInfinity;
      for (std::size_t j = 0; j < count; ++j) {
        if (j != i && !cloud.is_skipped(j)) best = std::min(best, (cloud.point(i) - cloud.point(j)).norm());
      }
      if (!cloud.is_skipped(i)) nearest.push_back(best);
    }
    std::sort(nearest.begin(), nearest.end());
    EXPECT_EQ(info.spacing_samples, nearest.size());
    EXPECT_NEAR(info.spacing, nearest[nearest.size() / 2], 1e-9);
  }
}

TEST_F(CloudFile, TablesWithTheNamesOfPdalFillTheFieldsOfLas) {
  const std::string table =
      "X,Y,Z,Intensity,ReturnNumber,NumberOfReturns,ScanDirectionFlag,EdgeOfFlightLine,Classification,ScanAngleRank,"
      "UserData,PointSourceId,GpsTime,Red,Green,Blue\n"
      "637012.24,849028.31,431.66,143,1,1,1,0,1,-9,132,7326,245380.78254962614,68,77,88\n"
      "636896.33,849087.70,446.39,18,2,2,1,0,2,-11,128,7326,245381.45279923646,54,66,65535\n";
  const WriteCloudReport report = write_cloud(path("a.las"), parse_cloud(table, "a.csv"));
  const Cloud cloud = read_cloud(path("a.las"));
  const auto second = [&](const char* name) { return (*cloud.attribute(name))[1]; };
  EXPECT_EQ(second("intensity"), 18);
  EXPECT_EQ(second("return_number"), 2);
  EXPECT_EQ(second("number_of_returns"), 2);
  EXPECT_EQ(second("scan_direction"), 1);
  EXPECT_EQ(second("classification"), 2);
  EXPECT_EQ(second("scan_angle"), -11);
  EXPECT_EQ(second("user_data"), 128);
  EXPECT_EQ(second("point_source_id"), 7326);
  EXPECT_EQ(second("gps_time"), 245381.45279923646);
  EXPECT_EQ(second("blue"), 65535);
  EXPECT_EQ(cloud.attribute("Intensity"), nullptr);
  EXPECT_EQ(cloud.attributes().size(), 14U) << "no extra bytes: the fields, and classification_flags";
  EXPECT_EQ(report.notes.size(), 13U);
  EXPECT_EQ(report.notes.front(), "attribute 'Intensity' was written as 'intensity', a field of LAS");
  // Of two columns for one field, the one with graze's name wins; values that do not fit go to extra bytes as always.
  write_cloud(path("b.las"),
              parse_cloud("x,y,z,Intensity,intensity,GPS Time,ReturnNumber\n1,2,3,7,8,5.5,16\n", "b.csv"));
  const Cloud both = read_cloud(path("b.las"));
  EXPECT_EQ((*both.attribute("intensity"))[0], 8);
  EXPECT_EQ((*both.attribute("Intensity_2"))[0], 7);
  EXPECT_EQ((*both.attribute("gps_time"))[0], 5.5);
  EXPECT_EQ((*both.attribute("ReturnNumber_original"))[0], 16);
  EXPECT_EQ((*both.attribute("return_number"))[0], 0);
}

// Equal points, and clusters in a single cell of a grid over everything: the same answer, by a tree instead of
// thousands of comparisons per point.
TEST_F(CloudFile, SpacingOfCrowdedPointsIsExact) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (const double size : {0.0, 1e-9, 1e-3, 1.0}) {
    for (const int clusters : {1, 2, 7}) {
      std::vector<Vec3> points{{0, 0, 0}};
      for (int i = 0; i < 900; ++i) {
        const Vec3 middle(450000 + 10 * (i % clusters), 5.4e6, 100);
        points.push_back(middle + size * Vec3(unit(random), unit(random), unit(random)));
      }
      write_cloud(path("a.ply"), Cloud(PointView(points)));
      const CloudInfo info = scan_cloud(path("a.ply"));
      std::vector<double> nearest;
      for (const Vec3& p : points) {
        double best = kInfinity;
        for (const Vec3& q : points) best = &p == &q ? best : std::min(best, (p - q).norm());
        nearest.push_back(best);
      }
      std::sort(nearest.begin(), nearest.end());
      EXPECT_EQ(info.spacing_samples, nearest.size());
      EXPECT_EQ(info.spacing, nearest[nearest.size() / 2]) << size << " " << clusters;
    }
  }
}

TEST_F(CloudFile, SpacingOfAGridIsItsStep) {
  std::vector<Vec3> points;
  for (int x = 0; x < 300; ++x) {
    for (int y = 0; y < 300; ++y) points.emplace_back(0.25 * x, 0.25 * y, 0);
  }
  points.emplace_back(1e6, 1e6, 1e6);  // an outlier must not spoil it
  std::shuffle(points.begin(), points.end(), std::mt19937(1));
  write_cloud(path("a.pcd"), Cloud(PointView(points)));
  const CloudInfo info = scan_cloud(path("a.pcd"));
  EXPECT_EQ(info.spacing, 0.25);
  EXPECT_GE(info.spacing_samples, 900U);
}

}  // namespace cloud_file_test
}  // namespace graze
