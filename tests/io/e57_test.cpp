// E57 files built by hand: pages with check sums, a description in XML, packets of streams of bits.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>

#include "io/cloud_files.h"
#include "io/e57_pages.h"

namespace graze {
namespace e57_test {

using namespace graze_test;

constexpr std::size_t kPage = 256, kData = kPage - 4;

/// Values of `bits` bits, the lowest first.
std::string packed(unsigned bits, const std::vector<std::uint64_t>& values) {
  std::string out;
  unsigned at = 0;
  for (const std::uint64_t value : values) {
    for (unsigned i = 0; i < bits; ++i, ++at) {
      if (at % 8 == 0) out += '\0';
      if ((value >> i & 1U) != 0) out.back() = static_cast<char>(static_cast<unsigned char>(out.back()) | 1U << at % 8);
    }
  }
  return out;
}
template <class T>
std::string numbers(const std::vector<T>& values) {
  std::string out;
  for (const T v : values) out += bytes_of(v);
  return out;
}

std::string packet(const std::vector<std::string>& streams) {
  std::string out = bytes_of(static_cast<std::uint16_t>(streams.size()));
  for (const std::string& s : streams) out += bytes_of(static_cast<std::uint16_t>(s.size()));
  for (const std::string& s : streams) out += s;
  out.resize((out.size() + 4 + 3) / 4 * 4 - 4);
  return std::string("\x01\0", 2) + bytes_of(static_cast<std::uint16_t>(out.size() + 3)) + out;
}

struct TestScan {
  std::string prototype, pose;
  std::size_t points = 0;
  std::vector<std::string> packets = {};
};

std::string in_pages(std::string content) {
  content.resize((content.size() + kData - 1) / kData * kData);
  std::string out;
  for (std::size_t at = 0; at < content.size(); at += kData) {
    const std::string page = content.substr(at, kData);
    out += page + bytes_of(io::crc32c(page.data(), page.size()), true);
  }
  return out;
}
std::uint64_t in_file(std::uint64_t at) { return at / kData * kPage + at % kData; }

/// The content without pages, so that tests can change it.
std::string content_of(const std::vector<TestScan>& scans, const std::string& more = "") {
  std::string content(48, '\0'), xml = R"(<?xml version="1.0"?><e57Root type="Structure"><data3D type="Vector">)";
  for (const TestScan& scan : scans) {
    const std::size_t section = content.size();
    std::string body;
    for (const std::string& p : scan.packets) body += p;
    content += std::string("\x01\0\0\0\0\0\0\0", 8) + bytes_of(std::uint64_t{32 + body.size()}) +
               bytes_of(in_file(section + 32)) + bytes_of(std::uint64_t{0}) + body;
    xml += "<vectorChild type=\"Structure\"><name type=\"String\"><![CDATA[one]]></name>" + scan.pose +
           "<points type=\"CompressedVector\" fileOffset=\"" + std::to_string(in_file(section)) + "\" recordCount=\"" +
           std::to_string(scan.points) + "\"><prototype type=\"Structure\">" + scan.prototype +
           "</prototype><codecs type=\"Vector\"/></points></vectorChild>";
  }
  xml += "</data3D>" + more + "</e57Root>";
  const std::size_t at = content.size();
  content += xml;
  const std::string head = std::string("ASTM-E57") + bytes_of(1U) + bytes_of(0U) +
                           bytes_of(std::uint64_t{in_pages(content).size()}) + bytes_of(in_file(at)) +
                           bytes_of(std::uint64_t{xml.size()}) + bytes_of(std::uint64_t{kPage});
  return content.replace(0, 48, head);
}
std::string e57(const std::vector<TestScan>& scans) { return in_pages(content_of(scans)); }

constexpr const char* kFloats =
    R"(<cartesianX type="Float" precision="single"/><cartesianY type="Float" precision="single"/>)"
    R"(<cartesianZ type="Float" precision="single"/>)";
TestScan floats_scan(const std::string& pose = "") {
  return {kFloats, pose, 2, {packet({numbers<float>({1, 2}), numbers<float>({3, 4}), numbers<float>({5, 6.5F})})}};
}

TEST(E57, SumsAreThoseOfCastagnoli) {
  EXPECT_EQ(io::crc32c("123456789", 9), 0xE3069283U);
  EXPECT_EQ(io::crc32c(std::string(32, '\0').data(), 32), 0x8A9136AAU);
}

TEST(E57, ReadsFloatsInMetres) {
  const Cloud cloud = parse_cloud(e57({floats_scan()}), "f");
  ASSERT_EQ(cloud.size(), 2U);
  EXPECT_EQ(cloud.point(1), Vec3(2, 4, 6.5));
  EXPECT_EQ(cloud.rounding(), 0);
  EXPECT_EQ(parse_cloud(e57({}), "f").size(), 0U);
}

// Integers of odd widths, constants, whole and scaled, whose streams end within values at the ends of packets.
TEST(E57, ReadsIntegersOfAnyWidth) {
  TestScan scan{
      R"(<cartesianX type="ScaledInteger" minimum="-100" maximum="900" scale="0.01" offset="7"/>)"
      R"(<cartesianY type="Float"/><cartesianZ type="ScaledInteger" minimum="3" maximum="3" scale="0.5"/>)"
      R"(<rowIndex type="Integer" minimum="0" maximum="70000"/><colorRed type="Integer" minimum="0" maximum="255"/>)"
      R"(<ext:odd type="Integer" minimum="-4" maximum="3"/>)",
      "",
      300,
      {}};
  std::vector<std::uint64_t> x, row, red, odd;
  std::vector<double> y;
  for (std::uint64_t i = 0; i < scan.points; ++i) {
    x.push_back(i * 3 % 1001);
    y.push_back(0.1 * static_cast<double>(i));
    row.push_back(i * 233);
    red.push_back(i % 256);
    odd.push_back(i % 8);
  }
  const std::vector<std::string> streams = {packed(10, x),   numbers(y),     "",
                                            packed(17, row), packed(8, red), packed(3, odd)};
  std::vector<std::size_t> at(streams.size(), 0);
  for (std::size_t round = 0; round < 40; ++round) {
    std::vector<std::string> parts;
    for (std::size_t k = 0; k < streams.size(); ++k) {
      const std::size_t count = std::min(streams[k].size() - at[k], round == 39 ? streams[k].size() : 7 + 31 * (k % 3));
      parts.push_back(streams[k].substr(at[k], count));
      at[k] += count;
    }
    scan.packets.push_back(packet(parts));
    if (round % 7 == 3)
      scan.packets.emplace_back(std::string("\x00\x00\x0F\x00", 4) + std::string(12, 'i'));  // an index
    if (round % 9 == 3) scan.packets.emplace_back(std::string("\x02\x00\x07\x00", 4) + std::string(4, 'e'));
  }
  const Cloud cloud = parse_cloud(e57({scan}), "f");
  ASSERT_EQ(cloud.size(), scan.points);
  for (std::size_t i = 0; i < scan.points; ++i) {
    const Vec3 expected((static_cast<double>(x[i]) - 100) * 0.01 + 7, y[i], 1.5);
    EXPECT_EQ(cloud.point(i), expected) << i;
    EXPECT_EQ((*cloud.attribute("row"))[i], static_cast<double>(row[i]));
    EXPECT_EQ((*cloud.attribute("red"))[i], static_cast<double>(red[i]));
    EXPECT_EQ((*cloud.attribute("odd"))[i], static_cast<double>(odd[i]) - 4);
  }
  EXPECT_EQ(cloud.attribute("red")->type(), NumberType::uint8);
  EXPECT_EQ(cloud.attribute("odd")->type(), NumberType::int8);
  EXPECT_EQ(cloud.attribute("row")->type(), NumberType::uint32);
}

TEST(E57, SaysWhichIntegersItRounds) {
  const TestScan scan{std::string(kFloats) + R"(<timeStamp type="Integer"/>)",
                      "",
                      1,
                      {packet({numbers<float>({1}), numbers<float>({1}), numbers<float>({1}),
                               bytes_of((std::uint64_t{1} << 63U) + 5)})}};
  const std::string path = testing::TempDir() + "graze wide.e57";
  std::ofstream(path, std::ios::binary) << e57({scan});
  const CloudHeader header = read_cloud_header(path);
  ASSERT_EQ(header.notes.size(), 1U);
  EXPECT_EQ(header.notes[0], "integers of timeStamp beyond 2^53 are rounded to doubles");
  EXPECT_EQ((*parse_cloud(e57({scan}), "f").attribute("time_stamp"))[0], 5);
}

TEST(E57, PlacesScansByTheirPosesAndKeepsWhatNotAllHave) {
  const std::string turned =
      "<pose type=\"Structure\"><rotation type=\"Structure\"><w type=\"Float\">0</w><z type=\"Float\">1</z></rotation>"
      "<translation type=\"Structure\"><x type=\"Float\">10</x></translation></pose>";
  TestScan colored{std::string(kFloats) + R"(<colorRed type="Integer" minimum="0" maximum="255"/>)",
                   "",
                   1,
                   {packet({numbers<float>({0}), numbers<float>({0}), numbers<float>({1}), "\x09"})}};
  TestScan nothing{"", "", 0, {}};
  const Cloud cloud = parse_cloud(e57({floats_scan(turned), nothing, colored}), "f");
  ASSERT_EQ(cloud.size(), 3U);
  EXPECT_LT((cloud.point(0) - Vec3(9, -3, 5)).norm(), 1e-14);
  EXPECT_EQ(cloud.point(2), Vec3(0, 0, 1));
  ASSERT_NE(cloud.attribute("red"), nullptr);
  EXPECT_TRUE(std::isnan((*cloud.attribute("red"))[0]));
  EXPECT_EQ((*cloud.attribute("red"))[2], 9);
}

TEST(E57, ReadsRangesAndAnglesAndSkipsWhatDoesNotCount) {
  const double half_turn = std::acos(-1.0);
  TestScan scan{R"(<sphericalRange type="Float"/><sphericalAzimuth type="Float"/><sphericalElevation type="Float"/>)"
                R"(<sphericalInvalidState type="Integer" minimum="0" maximum="2"/>)",
                "",
                3,
                {packet({numbers<double>({2, 3, 4}), numbers<double>({0, half_turn / 2, 0}),
                         numbers<double>({0, 0, half_turn / 2}), packed(2, {0, 2, 0})})}};
  const Cloud cloud = parse_cloud(e57({scan}), "f");
  ASSERT_EQ(cloud.size(), 3U);
  EXPECT_EQ(cloud.skipped(), 1U);
  EXPECT_TRUE(cloud.is_skipped(1));
  EXPECT_EQ(cloud.point(0), Vec3(2, 0, 0));
  EXPECT_LT((cloud.point(2) - Vec3(0, 0, 4)).norm(), 1e-14);
}

TEST(E57, SaysWhatItCannotRead) {
  const auto why = [](const TestScan& scan) { return refused(e57({scan})); };
  TestScan scan = floats_scan();
  std::string bytes = e57({scan});
  bytes[kPage + 5] = static_cast<char>(bytes[kPage + 5] ^ 1);
  EXPECT_TRUE(contains(refused(bytes), "f: byte 256: the check sum of this page of 256 bytes is wrong"))
      << refused(bytes);
  EXPECT_TRUE(contains(refused(e57({scan}).substr(0, kPage)), "was it cut off?"));
  scan.points = 3;
  EXPECT_TRUE(contains(why(scan), "ends with 1 of 3 points of scan 'one' missing"));
  scan.points = 1'000'000'000;
  EXPECT_TRUE(contains(why(scan), "claims 1000000000 points of 96 bits"));
  scan = floats_scan();
  scan.prototype = "<cartesianX type=\"Float\"/><cartesianY type=\"Float\"/>";
  EXPECT_TRUE(contains(why(scan), "have neither cartesianX, cartesianY, cartesianZ nor sphericalRange"));
  scan.prototype = std::string(kFloats) + "<note type=\"String\"/>";
  EXPECT_TRUE(contains(why(scan), "<note>: is of type 'String'; graze reads Float, Integer and ScaledInteger"));
  scan.prototype = std::string(kFloats) + R"(<colorRed type="Integer" minimum="9" maximum="2"/>)";
  EXPECT_TRUE(contains(why(scan), "its minimum 9 exceeds its maximum 2"));
  scan.prototype = std::string(kFloats) + R"(<colorRed type="Integer" minimum="one"/>)";
  EXPECT_TRUE(contains(why(scan), "minimum 'one' is not a whole number"));
  scan = floats_scan();
  scan.packets = {packet({"", ""})};
  EXPECT_TRUE(contains(why(scan), "has a packet of 2 streams"));
  scan = {std::string(kFloats) + R"(<colorRed type="Integer" minimum="0" maximum="4"/>)",
          "",
          1,
          {packet({numbers<float>({1}), numbers<float>({1}), numbers<float>({1}), packed(3, {6})})}};
  EXPECT_TRUE(contains(why(scan), "has colorRed 6 at point 0 of scan 'one', beyond the maximum of 4")) << why(scan);
  scan = floats_scan("<pose><rotation><w>0</w></rotation></pose>");
  EXPECT_TRUE(contains(why(scan), "<pose>"));
  EXPECT_TRUE(contains(refusal([] { write_cloud("a.e57", Cloud()); }), "does not write E57"));
}

TEST(E57, EndsWithPointsOrAnErrorWhateverIsDamaged) {
  const std::string content = content_of({floats_scan(), floats_scan()});
  for (std::size_t at = 0; at < content.size(); ++at) {
    for (const char value : {'\0', '9', '<', '\xFF'}) {
      std::string other = content;
      other[at] = value;
      refused(in_pages(other));
    }
    refused(in_pages(content.substr(0, at)));
  }
}

}  // namespace e57_test
}  // namespace graze
