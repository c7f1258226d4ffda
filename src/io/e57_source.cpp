// E57: scans of laser scanners, each with a pose, as streams of bits in pages with check sums, described by XML.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <pugixml.hpp>
#include <vector>

#include "graze/base/elementary.h"
#include "graze/base/error.h"
#include "graze/base/pose.h"
#include "io/cloud_source.h"
#include "io/e57_pages.h"

namespace graze::io {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// One value of the points of a scan, and the stream of bits that it comes from.
struct E57Field {
  std::string name;
  NumberType type = NumberType::float64;  // as an attribute
  unsigned bits = 64;                     // of a value in the stream; 0: it is always `low`
  bool floating = true;
  std::int64_t low = 0, high = 0;
  double scale = 1, offset = 0;
  int target = kNowhere;

  std::vector<unsigned char> stream{};  // bytes that were not used up
  std::uint64_t bit = 0;                // of the next value in it

  std::uint64_t waiting() const { return bits == 0 ? ~std::uint64_t{0} : (8 * stream.size() - bit) / bits; }

  std::uint64_t take() {
    std::uint64_t raw = 0;
    for (unsigned got = 0; got < bits;) {
      const unsigned from = static_cast<unsigned>(bit % 8), part = std::min(bits - got, 8 - from);
      raw |= (std::uint64_t{stream[static_cast<std::size_t>(bit / 8)]} >> from & ((1U << part) - 1)) << got;
      got += part;
      bit += part;
    }
    return raw;
  }
  /// False for an integer beyond its stated maximum.
  bool next(double& value) {
    const std::uint64_t raw = take();
    if (floating) {
      value = bits == 32 ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(raw)))
                         : std::bit_cast<double>(raw);
      return true;
    }
    value = static_cast<double>(static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + raw)) * scale + offset;
    return raw <= static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  }
  void drop_used() {
    stream.erase(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(bit / 8));
    bit %= 8;
  }
};

struct E57Scan {
  std::string name;
  std::uint64_t points = 0;
  std::uint64_t place = 0;  // of its points, in the file
  Pose pose;
  bool spherical = false;
  std::vector<E57Field> fields;
};

/// What a field is: a coordinate, whether the coordinates count, or an attribute by this name.
constexpr std::array<const char*, 3> kCartesian = {"cartesianX", "cartesianY", "cartesianZ"};
constexpr std::array<const char*, 3> kSpherical = {"sphericalRange", "sphericalAzimuth", "sphericalElevation"};
constexpr int kState = -2;  // target of what says whether the coordinates count

std::string attribute_name(std::string_view name) {
  constexpr std::pair<const char*, const char*> kNames[] = {
      {"colorRed", "red"},        {"colorGreen", "green"},     {"colorBlue", "blue"},
      {"nor:normalX", "nx"},      {"nor:normalY", "ny"},       {"nor:normalZ", "nz"},
      {"rowIndex", "row"},        {"columnIndex", "column"},   {"returnIndex", "return"},
      {"returnCount", "returns"}, {"timeStamp", "time_stamp"}, {"classification", "classification"}};
  for (const auto& [theirs, ours] : kNames) {
    if (name == theirs) return ours;
  }
  return std::string(name.substr(name.find(':') == std::string_view::npos ? 0 : name.find(':') + 1));
}

// The smallest type that holds all integers of a range.
NumberType integer_type(std::int64_t low, std::int64_t high) {
  const auto fits = [&](auto zero) {
    using T = decltype(zero);
    return low >= static_cast<std::int64_t>(std::numeric_limits<T>::min()) &&
           high <= static_cast<std::int64_t>(std::numeric_limits<T>::max());
  };
  if (fits(std::uint8_t{})) return NumberType::uint8;
  if (fits(std::int8_t{})) return NumberType::int8;
  if (fits(std::uint16_t{})) return NumberType::uint16;
  if (fits(std::int16_t{})) return NumberType::int16;
  if (fits(std::uint32_t{})) return NumberType::uint32;
  if (fits(std::int32_t{})) return NumberType::int32;
  return NumberType::float64;
}

class E57Source : public CloudSource {
 public:
  explicit E57Source(std::shared_ptr<const Bytes> bytes) : file_(std::move(bytes)) {
    header_.format = CloudFormat::e57;
    header_.encoding = CloudEncoding::binary;
    header_.file_size = file_->size();
    header_.units = {.kind = CloudUnits::Kind::length,
                     .name = "metre",
                     .vertical_name = "metre",
                     .vertical_stated = true,
                     .source = "format"};
    read_xml();
    add_attributes();
  }

  void fill(ChunkBuffer& buffer) override {
    while (buffer.room() > 0 && scan_ < scans_.size()) {
      E57Scan& scan = scans_[scan_];
      if (left_ == 0 && !started_) start(scan);
      if (left_ == 0) {
        scan.fields.clear();
        ++scan_;
        started_ = false;
        continue;
      }
      std::uint64_t count = std::min<std::uint64_t>(left_, buffer.room());
      for (const E57Field& field : scan.fields) count = std::min(count, field.waiting());
      if (count == 0) {
        read_packet(scan);
        continue;
      }
      read_rows(scan, static_cast<std::size_t>(count), buffer);
      left_ -= count;
    }
  }

  std::uint64_t position() const override { return pages_ ? std::min(pages_->in_file(at_), file_->size()) : 0; }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw Error(file_->name(), why); }
  [[noreturn]] void refuse(const pugi::xml_node& node, const std::string& why) const {
    throw Error(fmt::format("{}: <{}>", file_->name(), node.name()), why);
  }

  void read_xml() {
    constexpr std::size_t kHead = 48;
    constexpr std::uint64_t kSmallestPage = 64, kLargestPage = 1U << 20U;
    char head[kHead];
    if (file_->read(0, head, kHead) != kHead) refuse("ends within the E57 header");
    const auto number = [&](std::size_t at) {
      std::uint64_t value = 0;
      std::memcpy(&value, head + at, sizeof value);
      return value;
    };
    const std::uint64_t version = number(8), length = number(16), place = number(24), size = number(32),
                        page = number(40);
    header_.version = fmt::format("{}.{}", version & 0xFFFFFFFFU, version >> 32U);
    if ((version & 0xFFFFFFFFU) != 1) refuse(fmt::format("is E57 {}; graze reads 1.x", header_.version));
    if (page < kSmallestPage || page > kLargestPage) refuse(fmt::format("has pages of {} bytes", page));
    if (length > file_->size())
      refuse(fmt::format("claims {} bytes, but has {}; was it cut off?", length, file_->size()));
    pages_ = std::make_shared<E57Pages>(file_, page);
    const std::uint64_t at = pages_->from_file(place, "its description");
    if (size > pages_->size() - at)
      refuse(fmt::format("claims a description of {} bytes, but only {} follow", size, pages_->size() - at));
    std::string text(static_cast<std::size_t>(size), '\0');
    pages_->read(at, text.data(), text.size());
    pugi::xml_document document;
    const pugi::xml_parse_result result = document.load_buffer_inplace(text.data(), text.size());
    if (!result) {
      throw Error(
          fmt::format("{}: byte {}", file_->name(), pages_->in_file(at + static_cast<std::uint64_t>(result.offset))),
          fmt::format("its description is not well-formed XML: {}", result.description()));
    }
    const pugi::xml_node root = document.child("e57Root");
    if (!root) refuse("has a description without <e57Root>");
    if (const pugi::xml_node system = root.child("coordinateMetadata"); system.text())
      header_.coordinate_system = system.text().get();
    std::uint64_t points = 0;
    for (const pugi::xml_node& scan : root.child("data3D").children("vectorChild")) {
      read_scan(scan);
      points += scans_.back().points;
    }
    header_.points = header_.width = points;
    if (const auto images = root.child("images2D").children("vectorChild"); images.begin() != images.end())
      header_.notes.emplace_back("images are not read");
  }

  double real(const pugi::xml_node& node, double otherwise) const {
    const std::string_view text = node.text().get();
    if (text.empty()) return otherwise;
    double value = 0;
    if (parse_number(text, NumberType::float64, &value) != nullptr || !std::isfinite(value))
      refuse(node, fmt::format("{} is not a finite number", in_quotes(text)));
    return value;
  }
  double real(const pugi::xml_node& node, const char* attribute, double otherwise) const {
    const std::string_view text = node.attribute(attribute).value();
    if (text.empty()) return otherwise;
    double value = 0;
    if (parse_number(text, NumberType::float64, &value) != nullptr || !std::isfinite(value))
      refuse(node, fmt::format("{} {} is not a finite number", attribute, in_quotes(text)));
    return value;
  }
  template <class T>
  T integer(const pugi::xml_node& node, const char* attribute, T otherwise) const {
    const std::string_view text = node.attribute(attribute).value();
    if (text.empty()) return otherwise;
    T value = 0;
    constexpr NumberType kType = std::is_signed_v<T> ? NumberType::int64 : NumberType::uint64;
    if (parse_number(text, kType, &value) != nullptr)
      refuse(node, fmt::format("{} {} is not a whole number in range", attribute, in_quotes(text)));
    return value;
  }

  void read_scan(const pugi::xml_node& node) {
    E57Scan& scan = scans_.emplace_back();
    scan.name = node.child("name").text().get();
    if (const pugi::xml_node pose = node.child("pose")) {
      const pugi::xml_node turn = pose.child("rotation"), place = pose.child("translation");
      const Vec3 translation(real(place.child("x"), 0), real(place.child("y"), 0), real(place.child("z"), 0));
      try {
        scan.pose = Pose::from_wxyz(translation, real(turn.child("w"), turn ? 0 : 1), real(turn.child("x"), 0),
                                    real(turn.child("y"), 0), real(turn.child("z"), 0));
      } catch (const Error& error) {
        refuse(pose, error.what());
      }
    }
    const pugi::xml_node points = node.child("points");
    if (!points) return;
    scan.points = integer<std::uint64_t>(points, "recordCount", 0);
    scan.place = integer<std::uint64_t>(points, "fileOffset", 0);
    std::uint64_t bits = 0;
    for (const pugi::xml_node& field : points.child("prototype").children()) {
      if (field.type() != pugi::node_element) continue;
      if (scan.fields.size() == kMaxColumns) refuse(points, fmt::format("has more than {} fields", kMaxColumns));
      scan.fields.push_back(field_of(field));
      bits += scan.fields.back().bits;
    }
    for (const pugi::xml_node& codec : points.child("codecs").children("vectorChild"))
      refuse(codec, "its points are packed by a codec of their own, which graze does not know");
    if (scan.points > 0 && scan.fields.empty()) refuse(points, "has points without fields");
    if (scan.points > 8 * file_->size() / std::max<std::uint64_t>(bits, 1)) {
      refuse(points, fmt::format("claims {} points of {} bits, but the file has {} bytes; was it cut off?", scan.points,
                                 bits, file_->size()));
    }
    choose_coordinates(scan, points);
  }

  E57Field field_of(const pugi::xml_node& node) const {
    E57Field field{.name = node.name()};
    const std::string_view type = node.attribute("type").value();
    if (type == "Float") {
      const bool single = std::string_view(node.attribute("precision").value()) == "single";
      field.bits = single ? 32 : 64;
      field.type = single ? NumberType::float32 : NumberType::float64;
      return field;
    }
    if (type != "Integer" && type != "ScaledInteger")
      refuse(node, fmt::format("is of type {}; graze reads Float, Integer and ScaledInteger", in_quotes(type)));
    field.floating = false;
    field.low = integer<std::int64_t>(node, "minimum", std::numeric_limits<std::int64_t>::min());
    field.high = integer<std::int64_t>(node, "maximum", std::numeric_limits<std::int64_t>::max());
    if (field.high < field.low)
      refuse(node, fmt::format("its minimum {} exceeds its maximum {}", field.low, field.high));
    const std::uint64_t range = static_cast<std::uint64_t>(field.high) - static_cast<std::uint64_t>(field.low);
    field.bits = static_cast<unsigned>(std::bit_width(range));
    field.type = integer_type(field.low, field.high);
    if (type == "ScaledInteger") {
      field.scale = real(node, "scale", 1);
      field.offset = real(node, "offset", 0);
      field.type = NumberType::float64;
    }
    return field;
  }

  void choose_coordinates(E57Scan& scan, const pugi::xml_node& node) const {
    const auto choose = [&](const std::array<const char*, 3>& names, const char* state) {
      int found = 0;
      for (int k = 0; k < 3; ++k) {
        for (E57Field& field : scan.fields) {
          if (field.name == names[static_cast<std::size_t>(k)]) field.target = k, ++found;
        }
      }
      if (found != 3) return false;
      for (E57Field& field : scan.fields) {
        if (field.name == state) field.target = kState;
      }
      return true;
    };
    if (scan.points == 0 || choose(kCartesian, "cartesianInvalidState")) return;
    for (E57Field& field : scan.fields) field.target = kNowhere;
    if (!choose(kSpherical, "sphericalInvalidState"))
      refuse(node, fmt::format("its points have neither {} nor {}", fmt::join(kCartesian, ", "),
                               fmt::join(kSpherical, ", ")));
    scan.spherical = true;
  }

  // The attributes of all scans; what not all have is NaN in the others.
  void add_attributes() {
    std::vector<std::string> names;
    bool plain = true;
    for (const E57Scan& scan : scans_) {
      plain = plain && !scan.spherical && scan.pose == Pose();
      for (const E57Field& field : scan.fields) {
        if (field.target == kState) continue;
        if (field.target != kNowhere) plain = plain && field.type == NumberType::float32;
        else if (std::find(names.begin(), names.end(), field.name) == names.end()) names.push_back(field.name);
      }
    }
    if (plain) header_.coordinates = NumberType::float32;
    if (names.size() > kMaxColumns) refuse(fmt::format("has more than {} kinds of values", kMaxColumns));
    for (const std::string& name : names) {
      std::optional<NumberType> type;
      bool all_alike = true;
      for (const E57Scan& scan : scans_) {
        const auto own = std::find_if(scan.fields.begin(), scan.fields.end(),
                                      [&](const E57Field& f) { return f.name == name && f.target == kNowhere; });
        if (scan.points == 0) continue;
        all_alike = all_alike && own != scan.fields.end() && (!type || *type == own->type);
        if (own != scan.fields.end()) type = own->type;
      }
      const int target =
          add_attribute(attribute_name(name), all_alike && type ? *type : NumberType::float64, file_->name());
      for (E57Scan& scan : scans_) {
        for (E57Field& field : scan.fields) {
          if (field.name == name && field.target == kNowhere) field.target = target;
        }
      }
    }
    constexpr std::int64_t kExact = std::int64_t{1} << 53;  // up to which doubles have all integers
    for (const std::string& name : names) {
      const bool wide = std::any_of(scans_.begin(), scans_.end(), [&](const E57Scan& scan) {
        return std::any_of(scan.fields.begin(), scan.fields.end(), [&](const E57Field& f) {
          return f.name == name && !f.floating && (f.low < -kExact || f.high > kExact);
        });
      });
      if (wide) header_.notes.push_back(fmt::format("integers of {} beyond 2^53 are rounded to doubles", name));
    }
    const auto moved = std::count_if(scans_.begin(), scans_.end(), [](const E57Scan& s) { return s.pose != Pose(); });
    if (moved > 0)
      header_.notes.push_back(fmt::format("{} of {} scans are moved by their poses", moved, scans_.size()));
  }

  void start(E57Scan& scan) {
    started_ = true;
    left_ = scan.points;
    if (left_ == 0) return;
    const std::uint64_t section = pages_->from_file(scan.place, "the points of a scan");
    char head[32];
    if (pages_->read(section, head, sizeof head) != sizeof head || head[0] != 1)
      refuse(fmt::format("has no points at byte {}, where scan {} should have them", scan.place, in_quotes(scan.name)));
    std::uint64_t length = 0, place = 0;
    std::memcpy(&length, head + 8, sizeof length);
    std::memcpy(&place, head + 16, sizeof place);
    at_ = pages_->from_file(place, "the points of a scan");
    end_ = std::min(pages_->size(), section + std::min(length, pages_->size()));
  }

  // A packet has some bytes of the stream of every field; packets of other kinds are passed over.
  void read_packet(E57Scan& scan) {
    const auto missing = [&] {
      refuse(fmt::format("ends with {} of {} points of scan {} missing; was it cut off?", left_, scan.points,
                         in_quotes(scan.name)));
    };
    unsigned char head[6];
    if (at_ + sizeof head > end_ || pages_->read(at_, head, sizeof head) != sizeof head) missing();
    const std::uint64_t size = (head[2] | static_cast<unsigned>(head[3]) << 8U) + 1;
    if (at_ + size > end_) missing();
    if (head[0] == 1) {
      packet_.resize(static_cast<std::size_t>(size));
      pages_->read(at_, packet_.data(), packet_.size());
      take_packet(scan, head[4] | static_cast<unsigned>(head[5]) << 8U);
    } else if (head[0] != 0 && head[0] != 2) {
      refuse(fmt::format("has a packet of unknown kind {} at byte {}", head[0], pages_->in_file(at_)));
    }
    at_ += size;
  }

  void take_packet(E57Scan& scan, std::size_t streams) {
    constexpr std::size_t kHead = 6, kMostWaiting = std::size_t{4} << 20;
    if (streams != scan.fields.size() || kHead + 2 * streams > packet_.size())
      refuse(fmt::format("has a packet of {} streams at byte {}, where points have {} fields", streams,
                         pages_->in_file(at_), scan.fields.size()));
    std::size_t from = kHead + 2 * streams;
    for (std::size_t i = 0; i < streams; ++i) {
      const std::size_t count = packet_[kHead + 2 * i] | static_cast<std::size_t>(packet_[kHead + 2 * i + 1]) << 8U;
      if (from + count > packet_.size())
        refuse(fmt::format("has a packet at byte {} with a stream beyond its end", pages_->in_file(at_)));
      E57Field& field = scan.fields[i];
      if (field.bits > 0) {
        field.drop_used();
        field.stream.insert(field.stream.end(), packet_.begin() + static_cast<std::ptrdiff_t>(from),
                            packet_.begin() + static_cast<std::ptrdiff_t>(from + count));
        if (field.stream.size() > kMostWaiting)
          refuse(fmt::format("has more than {} bytes of {} before other values of the same points", kMostWaiting,
                             in_quotes(field.name)));
      }
      from += count;
    }
  }

  void read_rows(E57Scan& scan, std::size_t count, ChunkBuffer& buffer) {
    const std::size_t row = buffer.size();
    buffer.extend(count);
    std::vector<char> counts(count, 1);
    std::vector<bool> given(header_.attributes.size(), false);
    for (E57Field& field : scan.fields) {
      for (std::size_t i = 0; i < count; ++i) {
        double value = 0;
        if (!field.next(value)) {
          refuse(fmt::format("has {} {} at point {} of scan {}, beyond the maximum of {} that it states", field.name,
                             value, scan.points - left_ + i, in_quotes(scan.name),
                             static_cast<double>(field.high) * field.scale + field.offset));
        }
        if (field.target == kState) counts[i] = value == 0 ? 1 : 0;
        else if (field.target < kAttribute) buffer.point(row + i)[field.target] = value;
        else store(static_cast<std::size_t>(field.target - kAttribute), value, buffer, row + i);
      }
      if (field.target >= kAttribute) given[static_cast<std::size_t>(field.target - kAttribute)] = true;
    }
    for (std::size_t k = 0; k < given.size(); ++k) {
      for (std::size_t i = 0; i < count && !given[k]; ++i) store(k, kNaN, buffer, row + i);
    }
    const bool moved = scan.pose != Pose();
    for (std::size_t i = 0; i < count; ++i) {
      double* p = buffer.point(row + i);
      if (scan.spherical) {
        const auto [sine_up, cosine_up] = elementary::sin_cos(p[2]);
        const auto [sine, cosine] = elementary::sin_cos(p[1]);
        const Vec3 at(p[0] * cosine_up * cosine, p[0] * cosine_up * sine, p[0] * sine_up);
        std::copy_n(at.data(), 3, p);
      }
      if (moved) {
        const Vec3 at = scan.pose * Vec3(p[0], p[1], p[2]);
        std::copy_n(at.data(), 3, p);
      }
      if (counts[i] == 0) std::fill_n(p, 3, kNaN);
    }
  }

  void store(std::size_t attribute, double value, ChunkBuffer& buffer, std::size_t row) const {
    visit_number(header_.attributes[attribute].type, [&](auto zero) {
      using T = decltype(zero);
      const T stored = static_cast<T>(value);
      std::memcpy(buffer.value(attribute, row), &stored, sizeof stored);
    });
  }

  std::shared_ptr<const Bytes> file_;
  std::shared_ptr<const E57Pages> pages_;
  std::vector<E57Scan> scans_;
  std::size_t scan_ = 0;
  bool started_ = false;
  std::uint64_t left_ = 0;          // points of this scan
  std::uint64_t at_ = 0, end_ = 0;  // in the pages: the next packet, and the end of the scan
  std::vector<unsigned char> packet_;
};

}  // namespace

std::unique_ptr<CloudSource> open_e57(std::shared_ptr<const Bytes> bytes) {
  return std::make_unique<E57Source>(std::move(bytes));
}

}  // namespace graze::io
