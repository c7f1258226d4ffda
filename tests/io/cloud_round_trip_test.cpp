// Columns of every name, type and range through every pair of formats: each value is preserved, or a note names it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>

#include "io/cloud_files.h"
#include "support/scale.h"

namespace graze {
namespace cloud_round_trip_test {

using namespace graze_test;

struct Form {
  const char* name;
  CloudEncoding encoding;
};

constexpr Form kForms[] = {
    {"a.ply", CloudEncoding::ascii},  {"b.ply", CloudEncoding::binary}, {"c.ply", CloudEncoding::binary_big_endian},
    {"a.pcd", CloudEncoding::ascii},  {"b.pcd", CloudEncoding::binary}, {"c.pcd", CloudEncoding::compressed},
    {"a.xyz", CloudEncoding::ascii},  {"a.csv", CloudEncoding::ascii},  {"a.las", CloudEncoding::binary},
    {"ab.las", CloudEncoding::binary}};  // of version 1.2

/// The table as the test stores it: wide enough for every value of every type.
struct Table {
  std::vector<Vec3> points;
  std::vector<AttributeType> attributes;
  std::vector<std::vector<long double>> columns;
};

Table table_of(const Cloud& cloud) {
  Table table;
  for (std::size_t i = 0; i < cloud.size(); ++i) table.points.push_back(cloud.point(i));
  for (const CloudAttribute& a : cloud.attributes()) {
    table.attributes.push_back(a.kind());
    std::vector<long double>& column = table.columns.emplace_back();
    visit_number(a.type(), [&](auto zero) {
      using T = decltype(zero);
      for (std::size_t i = 0; i < cloud.size(); ++i) column.push_back(a.values<T>()[i]);
    });
  }
  return table;
}

class RandomCloud {
 public:
  explicit RandomCloud(unsigned seed) : random_(seed) {
    rows_ = below(4) == 0 ? below(3) : 1 + below(30);
    const bool floats = below(2) == 0;
    std::uniform_real_distribution<double> coordinate(-1000, 1000);
    const double far = below(2) == 0 ? 0 : 450000;
    for (std::size_t i = 0; i < rows_; ++i) {
      Vec3& p = points_.emplace_back(coordinate(random_) + far, coordinate(random_) + 10 * far, coordinate(random_));
      if (floats) p = p.cast<float>().cast<double>();
    }
    const std::vector<std::string> names = pool();
    for (std::size_t k = 1 + below(8); k > 0; --k) {
      const std::string& name = names[below(names.size())];
      // Some come in groups.
      if (name == "red" && below(2) == 0) {
        const auto type = below(2) == 0 ? NumberType::uint8 : NumberType::uint16;
        for (const char* color : {"red", "green", "blue", "alpha", "nir"}) add(color, type);
      } else if (name == "f[0]") {
        for (std::size_t i = 0; i < 3; ++i) add(fmt::format("f[{}]", i), NumberType::float32);
      } else {
        add(name, kNumberTypes[below(kNumberTypes.size())]);
      }
    }
  }

  Cloud cloud() const {
    std::vector<AttributeView> views;
    for (std::size_t k = 0; k < types_.size(); ++k) {
      const NumberType type = types_[k].type;
      views.push_back({types_[k].name, {type, columns_[k].data(), rows_, static_cast<std::ptrdiff_t>(size_of(type))}});
    }
    return Cloud(PointView(points_), {}, views);
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  static std::vector<std::string> pool() {
    return {"intensity",
            "return_number",
            "number_of_returns",
            "scan_direction",
            "edge_of_flight_line",
            "classification",
            "classification_flags",
            "scanner_channel",
            "scan_angle",
            "user_data",
            "point_source_id",
            "gps_time",
            "red",
            "green",
            "blue",
            "nir",
            "alpha",
            "X",
            "Y",
            "Z",
            "x",
            "y",
            "z",
            "x[0]",
            "x[1]",
            "X [m]",
            "z (m)",
            "rgb",
            "rgba",
            "_",
            "__",
            "a b",
            "a_b",
            "a;b",
            "a,b",
            " a",
            "a ",
            "f[0]",
            "f[1]",
            "f",
            "f[2]",
            "Intensity",
            "GpsTime",
            "ReturnNumber",
            "scan_angle_rank",
            "#c",
            "//d",
            "%e",
            "\"q\"",
            "q\"r",
            "1",
            "nan",
            "a\tb",
            "tab\nline",
            "größe",
            "a name of more than thirty-two bytes, one",
            "a name of more than thirty-two bytes, two",
            "größengrößengrößengrößengrößengrößen",
            "intensity_original",
            "intensity_2",
            "x_2",
            "X_2",
            "time",
            "label",
            "id",
            "normal_x",
            "comment",
            "element",
            "end_header",
            "DATA",
            "POINTS",
            "vertex_indices",
            "unnamed",
            "column_4",
            "synthetic",
            "overlap",
            "wave_dx",
            "  "};
  }

  void add(const std::string& name, NumberType type) {
    for (const AttributeType& t : types_) {
      if (t.name == name) return;
    }
    types_.push_back({name, type});
    std::vector<char>& column = columns_.emplace_back(rows_ * size_of(type));
    const std::size_t style = below(6);
    visit_number(type, [&](auto zero) {
      using T = decltype(zero);
      for (std::size_t i = 0; i < rows_; ++i) {
        const T value = this->value<T>(style);
        std::memcpy(column.data() + i * sizeof(T), &value, sizeof value);
      }
    });
  }

  template <class T>
  T value(std::size_t style) {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_floating_point_v<T>) {
      switch (style) {
        case 0:
          return static_cast<T>(below(8));  // fits every field of LAS
        case 1:
          return static_cast<T>(below(70000));
        case 2:
          return static_cast<T>(std::uniform_real_distribution<double>(-200, 200)(random_));
        case 3: {
          const T special[] = {Limits::max(),       Limits::lowest(),    Limits::denorm_min(), Limits::infinity(),
                               -Limits::infinity(), Limits::quiet_NaN(), T(450000.03125),      T(-0.0)};
          return special[below(8)];
        }
        case 4:
          return static_cast<T>(0.006 * (static_cast<double>(below(60000)) - 30000));
        default:
          return static_cast<T>(std::ldexp(static_cast<double>(random_()), static_cast<int>(below(80)) - 60));
      }
    } else {
      switch (style) {
        case 0:
          return static_cast<T>(below(8));
        case 1:
          return static_cast<T>(below(70000));
        case 2:
          return below(2) == 0 ? Limits::max() : Limits::min();
        case 3:
          return static_cast<T>((std::uint64_t{1} << 53U) + below(3));
        default:
          return static_cast<T>(random_());
      }
    }
  }

  std::mt19937_64 random_;
  std::size_t rows_ = 0;
  std::vector<Vec3> points_;
  std::vector<AttributeType> types_;
  std::vector<std::vector<char>> columns_;
};

bool same(long double a, long double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// The names in the bytes themselves, as another reader would find them.
std::vector<std::string> raw_names(const std::string& bytes, const std::string& name) {
  std::vector<std::string> names;
  const auto words = [](const std::string& line, char separator) {
    std::vector<std::string> parts(1);
    for (const char c : line) {
      if (c == separator) {
        parts.emplace_back();
      } else {
        parts.back() += c;
      }
    }
    return parts;
  };
  if (name.ends_with(".las")) {
    const auto offset = load_unaligned<std::uint16_t>(bytes.data() + 94);
    names = {"x",
             "y",
             "z",
             "intensity",
             "return_number",
             "number_of_returns",
             "scan_direction_flag",
             "edge_of_flight_line",
             "classification",
             "synthetic",
             "key_point",
             "withheld",
             "scan_angle_rank",
             "scan_angle",
             "user_data",
             "point_source_id"};
    const int format = load_unaligned<std::uint8_t>(bytes.data() + 104);
    if (format >= 6) names.insert(names.end(), {"overlap", "scanner_channel"});
    if (format == 1 || format == 3 || format >= 6) names.emplace_back("gps_time");
    if (format == 2 || format == 3 || format >= 7) names.insert(names.end(), {"red", "green", "blue"});
    if (format == 8) names.emplace_back("nir");
    if (load_unaligned<std::uint32_t>(bytes.data() + 100) == 0) return names;
    const auto size = load_unaligned<std::uint16_t>(bytes.data() + offset + 20);
    for (std::size_t at = offset + 54U; at < offset + 54U + size; at += 192) {
      names.emplace_back(bytes.data() + at + 4, ::strnlen(bytes.data() + at + 4, 32));
    }
    return names;
  }
  std::string header = bytes.substr(0, bytes.find(name.ends_with(".ply") ? "\nend_header\n" : "\nDATA "));
  if (name.ends_with(".ply")) {
    for (const std::string& line : words(header, '\n')) {
      if (!line.starts_with("property ")) continue;
      EXPECT_EQ(words(line, ' ').size(), 3U) << line;
      names.push_back(words(line, ' ').at(2));
    }
  } else if (name.ends_with(".pcd")) {
    for (const std::string& line : words(header, '\n')) {
      if (line.starts_with("FIELDS ")) names = words(line.substr(7), ' ');
    }
  } else {
    const std::string line = bytes.substr(0, bytes.find('\n'));
    names = name.ends_with(".csv") ? words(line, ',') : words(line.substr(2), ' ');
    for (std::string& n : names) {
      if (n.size() == 1) n[0] = static_cast<char>(std::tolower(n[0]));
    }
  }
  return names;
}

class CloudRoundTrip : public CloudFiles {
 protected:
  /// Writes by `write`, and compares what is read with the table.
  template <class Write>
  void check(const Table& from, const std::string& name, const std::string& what, Write write) {
    WriteCloudReport report;
    try {
      report = write();
    } catch (const Error& error) {
      // A refusal names a column.
      bool named = false;
      for (const AttributeType& a : from.attributes) named = named || contains(error.what(), "'" + a.name + "'");
      EXPECT_TRUE(named) << what << error.what();
      return;
    }
    ++written_;
    const std::vector<std::string> raw = raw_names(contents(name), name);
    EXPECT_EQ(std::set<std::string>(raw.begin(), raw.end()).size(), raw.size())
        << what << "the same name twice: " << fmt::format("{}", fmt::join(raw, "|"));
    const Table to = table_of(read_cloud(path(name)));
    ASSERT_EQ(to.points.size(), from.points.size()) << what;
    for (std::size_t i = 0; i < to.points.size(); ++i) {
      const double off = (to.points[i] - from.points[i]).norm();
      EXPECT_LE(off, report.rounding * (1 + 1e-9)) << what << "point " << i;
    }
    std::string notes;
    for (const std::string& note : report.notes) notes += "\n  " + note;
    std::set<std::string> found;
    for (std::size_t k = 0; k < from.attributes.size(); ++k) {
      const std::string& old = from.attributes[k].name;
      const std::string mark = "attribute '" + old + "' ", as = "written as '";
      std::string now = old;
      bool noted = false;
      for (const std::string& note : report.notes) {
        if (!note.starts_with(mark)) continue;
        noted = noted || contains(note, "widened") || contains(note, "beyond 2^53");
        if (const std::size_t at = note.find(as); at != std::string::npos) {
          now = note.substr(at + as.size(), note.rfind('\'') - at - as.size());
        }
      }
      found.insert(now);
      const auto there = std::find_if(to.attributes.begin(), to.attributes.end(),
                                      [&](const AttributeType& a) { return a.name == now; });
      ASSERT_NE(there, to.attributes.end()) << what << "lost '" << old << "' sought as '" << now << "'" << notes;
      const std::size_t j = static_cast<std::size_t>(there - to.attributes.begin());
      for (std::size_t i = 0; i < from.points.size() && !noted; ++i) {
        ASSERT_TRUE(same(from.columns[k][i], to.columns[j][i]))
            << what << "'" << old << "' (" << name_of(from.attributes[k].type) << ") in row " << i << " was "
            << static_cast<double>(from.columns[k][i]) << ", is " << static_cast<double>(to.columns[j][i]) << notes;
      }
    }
    // Additional columns are fields of LAS, which are zero or explained by a note.
    for (std::size_t j = 0; j < to.attributes.size(); ++j) {
      if (found.contains(to.attributes[j].name)) continue;
      EXPECT_TRUE(name.ends_with(".las")) << what << "unknown column '" << to.attributes[j].name << "'";
      if (contains(notes, "'" + to.attributes[j].name + "'")) continue;
      for (const long double value : to.columns[j]) EXPECT_EQ(value, 0) << what << to.attributes[j].name;
    }
  }

  WriteCloudOptions options(const Form& form) const {
    WriteCloudOptions write{.encoding = form.encoding};
    if (std::string_view(form.name) == "ab.las") write.las_minor = 2;
    return write;
  }

  std::size_t written_ = 0;
};

TEST_F(CloudRoundTrip, NoValueIsLostWithoutANote) {
  const auto seeds = static_cast<unsigned>(scaled(40));
  std::size_t tried = 0;
  for (unsigned seed = 0; seed < seeds && !HasFailure(); ++seed) {
    const Cloud cloud = RandomCloud(seed).cloud();
    const Table table = table_of(cloud);
    for (const Form& from : kForms) {
      const std::string first = fmt::format("seed {}, cloud → {}: ", seed, from.name);
      const std::size_t before = written_;
      check(table, from.name, first, [&] { return write_cloud(path(from.name), cloud, options(from)); });
      ++tried;
      if (written_ == before) continue;
      const Table middle = table_of(read_cloud(path(from.name)));
      for (const Form& to : kForms) {
        const std::string name = std::string("to_") + to.name;
        check(middle, name, fmt::format("seed {}, {} → {}: ", seed, from.name, to.name),
              [&] { return convert_cloud(path(from.name), path(name), {.write = options(to)}); });
        ++tried;
      }
    }
  }
  EXPECT_GT(written_, tried / 2) << "most are written";
}

// 450000.03125 as a float32 was written as 450000.03, and read back as that double.
TEST_F(CloudRoundTrip, Float32AsTextIsTheSameDouble) {
  const std::vector<std::array<float, 3>> points = {{450000.03125F, 0.1F, -1e-30F}};
  const Cloud cloud(PointView(points[0].data(), 1));
  for (const char* name : {"a.xyz", "a.csv", "a.ply", "a.pcd"}) {
    write_cloud(path(name), cloud, {.encoding = CloudEncoding::ascii});
    EXPECT_TRUE(contains(contents(name), "450000.03125") && contains(contents(name), "0.10000000149011612"))
        << contents(name);
    EXPECT_EQ(read_cloud(path(name)).point(0), cloud.point(0)) << name;
  }
}

TEST_F(CloudRoundTrip, AColumnCalledXDoesNotReplaceX) {
  for (const char* header : {"x,y,z,X\n", "X,y,z,x\n", "x,y,z,x\n", "x,y,z,X [m]\n"}) {
    write("in.csv", header + std::string("1,2,3,4\n"));
    const bool swapped = *header == 'X';
    for (const char* name : {"a.ply", "a.pcd", "a.las", "a.xyz", "a.csv"}) {
      convert_cloud(path("in.csv"), path(name), {});
      const Cloud back = read_cloud(path(name));
      EXPECT_EQ(back.point(0), Vec3(swapped ? 4 : 1, 2, 3)) << header << name;
      EXPECT_EQ(back.attributes().back()[0], swapped ? 1 : 4) << header << name;
    }
  }
}

TEST_F(CloudRoundTrip, TextSaysWhichNumbersItRounds) {
  write("in.csv", "x,y,z,id\n0,0,0,1\n0,0,0,9007199254740993\n");
  const WriteCloudReport report = convert_cloud(path("in.csv"), path("a.ply"), {});
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_EQ(report.notes[0],
            "column 'id' has whole numbers that a double rounds, such as '9007199254740993' in line 3");
}

TEST_F(CloudRoundTrip, ConversionsSayWhatTheReaderLeftOut) {
  write("in.csv", "x,y,z,label\n0,0,0,tree\n");
  const WriteCloudReport report = convert_cloud(path("in.csv"), path("a.ply"), {});
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_EQ(report.notes[0], "column 'label' holds words, such as 'tree', and is not read");
  write("in.pcd",
        "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 2\nHEIGHT 2\nVIEWPOINT 1 2 3 1 0 0 0\n"
        "POINTS 4\nDATA ascii\n1 2 3\n1 2 3\n1 2 3\n1 2 3\n");
  EXPECT_EQ(convert_cloud(path("in.pcd"), path("b.pcd"), {}).notes.size(), 0U);
  const WriteCloudReport ply = convert_cloud(path("in.pcd"), path("b.ply"), {});
  ASSERT_EQ(ply.notes.size(), 2U);
  EXPECT_EQ(ply.notes[0], "the viewpoint was neither applied nor kept (--apply-viewpoint)");
  EXPECT_EQ(ply.notes[1], "the order in 2 rows of 2 points was not kept");
}

}  // namespace cloud_round_trip_test
}  // namespace graze
