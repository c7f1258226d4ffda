// LAS and LAZ: laser scans with integer coordinates, scale and offset.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "graze/base/error.h"
#include "io/cloud_source.h"
#include "io/coordinate_units.h"
#include "io/las_format.h"
#include "io/laz_reader.h"

namespace graze::io {
namespace {

static_assert(std::endian::native == std::endian::little, "LAS is read and written as the machine has it");

/// Some bits of a byte of a point.
struct BitField {
  int target;
  std::size_t offset;
  unsigned shift, mask;
};

/// Extra bytes that state a scale and an offset of their own: double = raw × scale + offset.
struct ScaledField {
  int target;
  NumberType type;
  std::size_t offset;
  double scale, add;
};

std::string text_of(const char* bytes, std::size_t size) {
  std::string text(bytes, std::find(bytes, bytes + size, '\0'));
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

class LasSource : public CloudSource {
 public:
  explicit LasSource(std::shared_ptr<const Bytes> bytes) : bytes_(bytes), reader_(std::move(bytes)) {
    header_.format = CloudFormat::las;
    header_.encoding = CloudEncoding::binary;
    header_.coordinates = NumberType::int32;
    header_.file_size = bytes_->size();
    read_header();
    add_fields();
    read_records();
    find_units();
    reader_ = ByteReader(bytes_, point_offset_);
    if (packed_) {
      packed_points_ = std::make_unique<LazReader>(bytes_, packing_, point_offset_, point_size_, *header_.points);
    }
  }

  void fill(ChunkBuffer& buffer) override {
    while (left_ > 0 && buffer.room() > 0) {
      constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 20;  // a point has up to 64 KiB
      const auto count =
          static_cast<std::size_t>(std::min<std::uint64_t>({left_, buffer.room(), kMaxBytes / point_size_}));
      points_.resize(count * point_size_);
      if (packed_) {
        packed_points_->read(points_.data(), count);
      } else if (!reader_.take(points_.data(), points_.size())) {
        refuse(fmt::format("ends with {} of {} points missing; was it cut off?", left_, *header_.points));
      }
      const std::size_t row = buffer.size();
      buffer.extend(count);
      decode(count, buffer, row);
      left_ -= count;
    }
  }

  std::uint64_t position() const override { return packed_ ? packed_points_->position() : reader_.position(); }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw Error(bytes_->name(), why); }
  template <class T>
  T at(std::size_t offset) const {
    return load_unaligned<T>(head_ + offset);
  }

  void read_header() {
    const std::size_t got = bytes_->read(0, head_, sizeof head_);
    if (got < 4 || std::memcmp(head_, "LASF", 4) != 0) refuse("is not a LAS file: it does not start with LASF");
    if (got < las::kSize12) refuse(fmt::format("ends within the LAS header, after {} of {} bytes", got, las::kSize12));
    const int major = at<std::uint8_t>(las::kVersionMajor), minor = at<std::uint8_t>(las::kVersionMinor);
    if (major != 1 || minor > 4) refuse(fmt::format("is LAS {}.{}; graze reads 1.0 to 1.4", major, minor));
    header_.version = fmt::format("{}.{}", major, minor);
    header_.global_encoding = at<std::uint16_t>(las::kGlobalEncoding);
    // LAZ, compressed LAS, sets the uppermost bit.
    const int stated = at<std::uint8_t>(las::kPointFormat), format = stated & 0x3F;
    packed_ = (stated & 0x80) != 0;
    if (packed_) header_.encoding = CloudEncoding::compressed;
    if (format >= las::kFormats) refuse(fmt::format("has points of format {}; graze reads 0 to 10", format));
    header_.point_format = format;
    const std::size_t min_size = minor == 4 ? las::kSize14 : minor == 3 ? las::kSize13 : las::kSize12;
    header_size_ = at<std::uint16_t>(las::kHeaderSize);
    if (header_size_ < min_size || got < min_size) {
      refuse(fmt::format("has a header of {} bytes; LAS {} needs {}", std::min(header_size_, got), header_.version,
                         min_size));
    }
    point_offset_ = at<std::uint32_t>(las::kPointOffset);
    point_size_ = at<std::uint16_t>(las::kPointSize);
    if (point_size_ < las::kPointSizes[static_cast<std::size_t>(format)]) {
      refuse(fmt::format("has points of {} bytes; point format {} needs {}", point_size_, format,
                         las::kPointSizes[static_cast<std::size_t>(format)]));
    }
    std::uint64_t points = at<std::uint32_t>(las::kLegacyPoints);
    if (minor == 4 && at<std::uint64_t>(las::kPoints) != 0) points = at<std::uint64_t>(las::kPoints);
    header_.points = header_.width = left_ = points;
    if (point_offset_ < header_size_) {
      refuse(fmt::format("places its points at byte {}, within the header of {} bytes", point_offset_, header_size_));
    }
    if (point_offset_ > bytes_->size()) {
      refuse(fmt::format("places its points at byte {}, but has {} bytes; was it cut off?", point_offset_,
                         bytes_->size()));
    }
    const std::uint64_t room = bytes_->size() - point_offset_;
    if (!packed_ && points > room / point_size_) {
      refuse(fmt::format("claims {} points of {} bytes from byte {} on, but only {} bytes follow; was it cut off?",
                         points, point_size_, point_offset_, room));
    }
    read_scale();
  }

  void read_scale() {
    Vec3 scale, offset;
    for (int k = 0; k < 3; ++k) {
      scale[k] = at<double>(las::kScale + 8 * static_cast<std::size_t>(k));
      offset[k] = at<double>(las::kOffset + 8 * static_cast<std::size_t>(k));
      constexpr double kMaxScale = 1e20;
      const bool sane =
          std::abs(scale[k]) <= kMaxScale && scale[k] != 0 && std::abs(offset[k]) <= Cloud::kLargestCoordinate;
      if (!sane)
        refuse(fmt::format("has scale {} and offset {} for {}, which make no sense", scale[k], offset[k], "xyz"[k]));
    }
    header_.scale = scale;
    header_.offset = offset;
  }

  int attribute(const char* name, NumberType type) { return add_attribute(name, type, bytes_->name()); }
  void plain(const char* name, NumberType type, std::size_t offset) {
    fields_.push_back({attribute(name, type), type, offset});
  }
  void bits(const char* name, std::size_t offset, unsigned shift, unsigned mask) {
    bits_.push_back({attribute(name, NumberType::uint8), offset, shift, mask});
  }

  void add_fields() {
    const auto format = static_cast<std::size_t>(header_.point_format);
    plain("intensity", NumberType::uint16, 12);
    if (header_.point_format < las::kWide) {
      bits("return_number", 14, 0, 7);
      bits("number_of_returns", 14, 3, 7);
      bits("scan_direction", 14, 6, 1);
      bits("edge_of_flight_line", 14, 7, 1);
      bits("classification", 15, 0, 31);
      bits("classification_flags", 15, 5, 7);
      angle_ = {attribute("scan_angle", NumberType::float32), NumberType::int8, 16};
      plain("user_data", NumberType::uint8, 17);
      plain("point_source_id", NumberType::uint16, 18);
    } else {
      bits("return_number", 14, 0, 15);
      bits("number_of_returns", 14, 4, 15);
      bits("scan_direction", 15, 6, 1);
      bits("edge_of_flight_line", 15, 7, 1);
      plain("classification", NumberType::uint8, 16);
      bits("classification_flags", 15, 0, 15);
      bits("scanner_channel", 15, 4, 3);
      angle_ = {attribute("scan_angle", NumberType::float32), NumberType::int16, 18};
      plain("user_data", NumberType::uint8, 17);
      plain("point_source_id", NumberType::uint16, 20);
    }
    if (las::kTime[format] != 0) plain("gps_time", NumberType::float64, las::kTime[format]);
    if (const std::size_t color = las::kColor[format]; color != 0) {
      plain("red", NumberType::uint16, color);
      plain("green", NumberType::uint16, color + 2);
      plain("blue", NumberType::uint16, color + 4);
    }
    if (las::kInfrared[format] != 0) plain("nir", NumberType::uint16, las::kInfrared[format]);
    if (const std::size_t wave = las::kWave[format]; wave != 0) {
      plain("wave_descriptor", NumberType::uint8, wave);
      plain("wave_offset", NumberType::uint64, wave + 1);
      plain("wave_size", NumberType::uint32, wave + 9);
      plain("wave_location", NumberType::float32, wave + 13);
      plain("wave_dx", NumberType::float32, wave + 17);
      plain("wave_dy", NumberType::float32, wave + 21);
      plain("wave_dz", NumberType::float32, wave + 25);
      header_.notes.emplace_back("waveforms are not read, only where each point's lies");
    }
  }

  // The records between header and points: extra bytes and the coordinate system.
  void read_records() {
    constexpr std::uint64_t kMaxProjection = std::uint64_t{1} << 20;
    std::uint64_t at_byte = header_size_;
    const std::uint32_t count = at<std::uint32_t>(las::kRecordCount);
    std::uint32_t other_records = 0;
    std::size_t extra = las::kPointSizes[static_cast<std::size_t>(header_.point_format)];
    for (std::uint32_t i = 0; i < count; ++i) {
      char head[las::kRecordHead];
      // No record fits there: none can be lost.
      if (at_byte + sizeof head > point_offset_) {
        header_.notes.push_back(fmt::format("claims {} records before its points, and there are {}", count, i));
        break;
      }
      if (bytes_->read(at_byte, head, sizeof head) != sizeof head) refuse("ends before its points");
      const std::string user = text_of(head + 2, 16);
      const auto id = load_unaligned<std::uint16_t>(head + 18);
      const std::uint64_t size = load_unaligned<std::uint16_t>(head + 20);
      if (at_byte + sizeof head + size > point_offset_) {
        refuse(fmt::format("record {} at byte {} claims {} bytes, which reach into the points", i, at_byte, size));
      }
      if (user == "laszip encoded" && id == las::kPackingId) {
        packing_.resize(static_cast<std::size_t>(size));
        bytes_->read(at_byte + sizeof head, packing_.data(), packing_.size());
      } else if (user == "LASF_Spec" && id == las::kExtraBytesId) {
        for (std::uint64_t d = 0; d + las::kExtraBytes <= size; d += las::kExtraBytes) {
          char description[las::kExtraBytes];
          bytes_->read(at_byte + sizeof head + d, description, sizeof description);
          extra = add_extra(description, extra);
        }
      } else if (user == "LASF_Projection" && header_.projection_records.size() + size < kMaxProjection) {
        std::string record(sizeof head + static_cast<std::size_t>(size), '\0');
        bytes_->read(at_byte, record.data(), record.size());
        read_projection(id, record.substr(sizeof head));
        header_.projection_records += record;
      } else {
        ++other_records;
      }
      at_byte += sizeof head + size;
    }
    if (other_records > 0) {
      header_.notes.push_back(fmt::format("{} records of other kinds before the points are not read", other_records));
    }
    if (extra < point_size_) {
      header_.notes.push_back(
          fmt::format("{} bytes per point have no description and are not read", point_size_ - extra));
    }
  }

  // Returns where the next extra bytes begin.
  std::size_t add_extra(const char* description, std::size_t offset) {
    const unsigned code = load_unaligned<std::uint8_t>(description + 2),
                   options = load_unaligned<std::uint8_t>(description + 3);
    if (code == 0 || code > 30) return offset + (code == 0 ? options : point_size_);
    const NumberType type = las::kExtraTypes[(code - 1) % 10];
    const std::size_t values = (code - 1) / 10 + 1;  // arrays of two and three, out of use since 2013
    const std::string name = text_of(description + 4, 32);
    for (std::size_t k = 0; k < values; ++k, offset += size_of(type)) {
      if (offset + size_of(type) > point_size_) {
        refuse(fmt::format("describes extra bytes {} up to byte {} of a point, which has {}", in_quotes(name),
                           offset + size_of(type), point_size_));
      }
      const std::string unique = values == 1 ? name : fmt::format("{}[{}]", name, k);
      const double scale = (options & 8U) != 0 ? load_unaligned<double>(description + 112 + 8 * k) : 1;
      const double add = (options & 16U) != 0 ? load_unaligned<double>(description + 136 + 8 * k) : 0;
      if (scale == 1 && add == 0) {
        fields_.push_back({add_attribute(unique, type, bytes_->name()), type, offset});
      } else {
        scaled_.push_back({add_attribute(unique, NumberType::float64, bytes_->name()), type, offset, scale, add});
      }
    }
    return offset;
  }

  void read_projection(std::uint16_t id, const std::string& record) {
    if (id == las::kGeoDoublesId) geo_doubles_ = record;
    if (id == las::kWktId) {
      wkt_ = record.substr(0, record.find('\0'));
      // PROJCS["NAD83 / Oregon …",…
      const std::size_t open = record.find('"');
      const std::size_t close = open == std::string::npos ? open : record.find('"', open + 1);
      if (close != std::string::npos) header_.coordinate_system = record.substr(open + 1, close - open - 1);
    } else if (id == las::kGeoKeysId) {
      geo_keys_ = record;
      // Entries of four shorts: key, where, count, value. 3072 is the projected, 2048 the geographic system.
      std::uint16_t projected = 0, geographic = 0;
      for (std::size_t i = 8; i + 8 <= record.size(); i += 8) {
        const auto key = load_unaligned<std::uint16_t>(record.data() + i),
                   value = load_unaligned<std::uint16_t>(record.data() + i + 6);
        if (load_unaligned<std::uint16_t>(record.data() + i + 2) != 0 || value == 0 || value == 32767) continue;
        if (key == 3072) projected = value;
        if (key == 2048) geographic = value;
      }
      const std::uint16_t epsg = projected != 0 ? projected : geographic;
      if (epsg != 0 && header_.coordinate_system.empty()) header_.coordinate_system = fmt::format("EPSG:{}", epsg);
    }
  }

  // The global encoding says which of the two holds where a file has both.
  void find_units() {
    const CloudUnits by_text = wkt_.empty() ? CloudUnits{} : units_of_wkt(wkt_);
    const CloudUnits by_keys = geo_keys_.empty() ? CloudUnits{} : units_of_geo_keys(geo_keys_, geo_doubles_);
    const bool text_first = (header_.global_encoding & las::kWktBit) != 0;
    const auto stated = [](const CloudUnits& u) {
      return u.kind == CloudUnits::Kind::length || u.kind == CloudUnits::Kind::angle;
    };
    const CloudUnits &first = text_first ? by_text : by_keys, &second = text_first ? by_keys : by_text;
    header_.units = stated(first) || !stated(second) ? first : second;
    if (!stated(header_.units) &&
        (by_text.kind == CloudUnits::Kind::unknown || by_keys.kind == CloudUnits::Kind::unknown)) {
      header_.units = by_text.kind == CloudUnits::Kind::unknown ? by_text : by_keys;
    }
  }

  void decode(std::size_t count, ChunkBuffer& buffer, std::size_t row) {
    decode_records(points_.data(), count, point_size_, fields_, false, buffer, row);
    for (std::size_t k = 0; k < 3; ++k) {
      const double scale = (*header_.scale)[static_cast<Eigen::Index>(k)];
      const double offset = (*header_.offset)[static_cast<Eigen::Index>(k)];
      double* to = buffer.point(row) + k;
      for (std::size_t i = 0; i < count; ++i) {
        to[3 * i] = load_unaligned<std::int32_t>(points_.data() + i * point_size_ + 4 * k) * scale + offset;
      }
    }
    for (const BitField& field : bits_) {
      std::byte* to = value(field.target, buffer, row);
      for (std::size_t i = 0; i < count; ++i) {
        const unsigned byte = load_unaligned<std::uint8_t>(points_.data() + i * point_size_ + field.offset);
        to[i] = static_cast<std::byte>(byte >> field.shift & field.mask);
      }
    }
    std::byte* angles = value(angle_.target, buffer, row);
    for (std::size_t i = 0; i < count; ++i) {
      const double raw = load_as_double(points_.data() + i * point_size_ + angle_.offset, angle_.type);
      const float degrees = angle_.type == NumberType::int8 ? static_cast<float>(raw) : las::angle_degrees(raw);
      std::memcpy(angles + 4 * i, &degrees, 4);
    }
    for (const ScaledField& field : scaled_) {
      std::byte* to = value(field.target, buffer, row);
      for (std::size_t i = 0; i < count; ++i) {
        const double raw = load_as_double(points_.data() + i * point_size_ + field.offset, field.type);
        const double scaled = raw * field.scale + field.add;
        std::memcpy(to + 8 * i, &scaled, 8);
      }
    }
  }

  static std::byte* value(int target, ChunkBuffer& buffer, std::size_t row) {
    return buffer.value(static_cast<std::size_t>(target - kAttribute), row);
  }

  std::shared_ptr<const Bytes> bytes_;
  ByteReader reader_;
  char head_[las::kSize14] = {};
  std::size_t header_size_ = 0, point_size_ = 0;
  std::uint64_t point_offset_ = 0, left_ = 0;
  std::vector<RecordField> fields_;
  std::vector<BitField> bits_;
  RecordField angle_;
  std::vector<ScaledField> scaled_;
  std::vector<char> points_;
  bool packed_ = false;  // LAZ
  std::string packing_;  // how: a record of the file
  std::unique_ptr<LazReader> packed_points_;
  std::string wkt_, geo_keys_, geo_doubles_;
};

}  // namespace

std::unique_ptr<CloudSource> open_las(std::shared_ptr<const Bytes> bytes) {
  return std::make_unique<LasSource>(std::move(bytes));
}

}  // namespace graze::io
