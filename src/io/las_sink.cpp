#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "graze/base/error.h"
#include "io/cloud_sink.h"
#include "io/las_format.h"

namespace graze::io {
namespace {

enum class How { bits, number, color, angle };

/// A field that LAS has, in the narrow formats (0 to 3) and the wide ones (6 to 8).
struct Slot {
  std::string_view name;
  How how;
  NumberType type;  // in the file
  struct Place {
    std::size_t offset;
    unsigned shift;
    double most;  // largest value; 0: the format lacks it
  } narrow, wide;
};

constexpr double kByte = 255, kShort = 65535, kAnyNumber = kInfinity;
constexpr Slot kSlots[] = {
    {"intensity", How::number, NumberType::uint16, {12, 0, kShort}, {12, 0, kShort}},
    {"return_number", How::bits, NumberType::uint8, {14, 0, 7}, {14, 0, 15}},
    {"number_of_returns", How::bits, NumberType::uint8, {14, 3, 7}, {14, 4, 15}},
    {"scan_direction", How::bits, NumberType::uint8, {14, 6, 1}, {15, 6, 1}},
    {"edge_of_flight_line", How::bits, NumberType::uint8, {14, 7, 1}, {15, 7, 1}},
    {"classification", How::bits, NumberType::uint8, {15, 0, 31}, {16, 0, kByte}},
    {"classification_flags", How::bits, NumberType::uint8, {15, 5, 7}, {15, 0, 15}},
    {"scanner_channel", How::bits, NumberType::uint8, {0, 0, 0}, {15, 4, 3}},
    {"scan_angle", How::angle, NumberType::float32, {16, 0, 127}, {18, 0, 180}},
    {"user_data", How::number, NumberType::uint8, {17, 0, kByte}, {17, 0, kByte}},
    {"point_source_id", How::number, NumberType::uint16, {18, 0, kShort}, {20, 0, kShort}},
    {"gps_time", How::number, NumberType::float64, {20, 0, kAnyNumber}, {22, 0, kAnyNumber}},
    {"red", How::color, NumberType::uint16, {28, 0, kShort}, {30, 0, kShort}},
    {"green", How::color, NumberType::uint16, {30, 0, kShort}, {32, 0, kShort}},
    {"blue", How::color, NumberType::uint16, {32, 0, kShort}, {34, 0, kShort}},
    {"nir", How::number, NumberType::uint16, {0, 0, 0}, {36, 0, kShort}},
};

/// Whether the values of an attribute can go to the place that LAS has for its name.
bool fits(const AttributeRange& a, bool whole, const Slot& slot, bool wide) {
  const double most = (wide ? slot.wide : slot.narrow).most;
  if (most == 0 || a.not_a_number > 0) return false;
  if (a.min > a.max) return true;  // no values at all
  if (slot.how == How::angle) {
    return a.min >= -most && a.max <= most && (wide || whole);
  }
  if (slot.type == NumberType::float64) return a.kind.type == NumberType::float64;
  return whole && a.min >= 0 && a.max <= most;
}

const Slot* slot_named(std::string_view name) {
  for (const Slot& slot : kSlots) {
    if (slot.name == name) return &slot;
  }
  return nullptr;
}

class LasSink : public CloudSink {
 public:
  LasSink(FileWriter& file, const WritePlan& plan) : file_(file), plan_(plan) {
    choose_version();
    choose_scale();
    choose_places();
    write_header();
  }

  void add(const CloudChunk& chunk) override {
    records_.assign(chunk.points.size() * point_size_, '\0');
    for (std::size_t i = 0; i < chunk.points.size(); ++i) put_point(chunk.points[i], records_.data() + i * point_size_);
    for (std::size_t k = 0; k < places_.size(); ++k) put_column(places_[k], chunk.attributes[k]);
    file_.write({records_.data(), records_.size()});
  }

 private:
  /// Where an attribute goes.
  struct Place {
    const Slot* slot = nullptr;  // null: extra bytes
    std::size_t offset = 0;
    unsigned shift = 0;
  };

  bool fits_named(std::string_view name, bool wide) const {
    for (std::size_t k = 0; k < plan_.attributes.size(); ++k) {
      if (plan_.attributes[k].kind.name == name)
        return fits(plan_.attributes[k], plan_.whole[k], *slot_named(name), wide);
    }
    return false;
  }

  // The lower version that loses nothing, unless one was asked for.
  void choose_version() {
    constexpr std::uint64_t kMostNarrow = std::numeric_limits<std::uint32_t>::max();
    bool needs_wide = plan_.rows > kMostNarrow;
    for (const Slot& slot : kSlots) {
      needs_wide = needs_wide || (fits_named(slot.name, true) && !fits_named(slot.name, false));
    }
    const int minor = plan_.options.las_minor.value_or(needs_wide ? 4 : 2);
    if (minor != 2 && minor != 4) throw Error(plan_.path, fmt::format("graze writes LAS 1.2 and 1.4, not 1.{}", minor));
    wide_ = minor == 4;
    if (!wide_ && plan_.rows > kMostNarrow) {
      throw Error(plan_.path, fmt::format("{} points are more than LAS 1.2 can count; write 1.4", plan_.rows));
    }
    color_ = fits_named("red", wide_) && fits_named("green", wide_) && fits_named("blue", wide_);
    time_ = wide_ || fits_named("gps_time", wide_);
    infrared_ = wide_ && color_ && fits_named("nir", wide_);
    format_ = wide_ ? (infrared_ ? 8 : color_ ? 7 : 6) : (time_ ? 1 : 0) + (color_ ? 2 : 0);
  }

  void choose_scale() {
    const bool any = !plan_.bounds.empty();
    const Vec3 low = any ? plan_.bounds.min : Vec3::Zero(), high = any ? plan_.bounds.max : Vec3::Zero();
    constexpr double kFinest = 1e-4, kMost = 2147483647;
    for (int k = 0; k < 3; ++k) {
      offset_[k] = plan_.options.offset ? (*plan_.options.offset)[k] : std::floor(low[k]);
      const double reach = std::max(std::abs(low[k] - offset_[k]), std::abs(high[k] - offset_[k]));
      if (plan_.options.scale) {
        scale_[k] = (*plan_.options.scale)[k];
        if (!(scale_[k] > 0) || !std::isfinite(scale_[k])) {
          throw Error(plan_.path,
                      fmt::format("the scale of LAS coordinates must be positive and finite, got {}", scale_[k]));
        }
        if (reach / scale_[k] > kMost) {
          throw Error(
              plan_.path,
              fmt::format("{} reaches from {} to {}, which does not fit in 32 bits with scale {} and offset {}; "
                          "choose a larger scale",
                          "xyz"[k], low[k], high[k], scale_[k], offset_[k]));
        }
      } else {
        scale_[k] = kFinest;
        while (reach / scale_[k] > kMost) scale_[k] *= 10;
      }
    }
  }

  void choose_places() {
    point_size_ = las::kPointSizes[static_cast<std::size_t>(format_)];
    for (std::size_t k = 0; k < plan_.attributes.size(); ++k) {
      const AttributeType& kind = plan_.attributes[k].kind;
      const Slot* slot = slot_named(kind.name);
      const bool absent =
          slot != nullptr && ((slot->how == How::color && !color_) || (kind.name == "nir" && !infrared_) ||
                              (kind.name == "gps_time" && !time_));
      Place place;
      if (slot != nullptr && !absent && fits(plan_.attributes[k], plan_.whole[k], *slot, wide_)) {
        place = {slot, (wide_ ? slot->wide : slot->narrow).offset, (wide_ ? slot->wide : slot->narrow).shift};
        if (slot->how == How::color && format_ == 2) place.offset -= 8;  // there is no time before it
        if (slot->how == How::color && kind.type == NumberType::uint8 && slot->name == "red") {
          notes_.emplace_back("colours of 8 bits were widened to the 16 that LAS has");
        }
      } else {
        place.offset = point_size_;
        point_size_ += size_of(kind.type);
        describe_extra(kind);
        if (slot != nullptr) {
          notes_.push_back(
              fmt::format("attribute '{}' ({}) does not fit the field that LAS has for it and went to extra "
                          "bytes",
                          kind.name, name_of(kind.type)));
        }
      }
      places_.push_back(place);
    }
    if (point_size_ > std::numeric_limits<std::uint16_t>::max() || extra_.size() > 65535) {
      throw Error(plan_.path, fmt::format("has {} attributes, more than a LAS point can hold; leave some out",
                                          plan_.attributes.size()));
    }
  }

  void describe_extra(const AttributeType& kind) {
    std::string description(las::kExtraBytes, '\0');
    const auto code = std::find(las::kExtraTypes.begin(), las::kExtraTypes.end(), kind.type) - las::kExtraTypes.begin();
    description[2] = static_cast<char>(code + 1);
    std::memcpy(description.data() + 4, kind.name.data(), std::min<std::size_t>(kind.name.size(), 32));
    if (kind.name.size() > 32) notes_.push_back(fmt::format("the name '{}' was cut to 32 bytes", kind.name));
    extra_ += description;
  }

  static std::string record_head(std::string_view user, std::uint16_t id, std::size_t size, std::string_view text) {
    std::string head(las::kRecordHead, '\0');
    std::memcpy(head.data() + 2, user.data(), user.size());
    std::memcpy(head.data() + 18, &id, 2);
    const auto length = static_cast<std::uint16_t>(size);
    std::memcpy(head.data() + 20, &length, 2);
    std::memcpy(head.data() + 22, text.data(), text.size());
    return head;
  }

  void write_header() {
    std::string records = plan_.options.projection_records;
    std::uint32_t count = 0;
    bool wkt = false;
    for (std::size_t i = 0; i + las::kRecordHead <= records.size(); ++count) {
      wkt = wkt || load<std::uint16_t>(records.data() + i + 18) == las::kWktId;
      i += las::kRecordHead + load<std::uint16_t>(records.data() + i + 20);
    }
    const std::uint32_t projections = count;
    if (!extra_.empty()) {
      records += record_head("LASF_Spec", las::kExtraBytesId, extra_.size(), "extra bytes") + extra_;
      ++count;
    }
    header_.assign(wide_ ? las::kSize14 : las::kSize12, '\0');
    std::memcpy(header_.data(), "LASF", 4);
    const unsigned time_kind = plan_.options.global_encoding & 1U;
    put<std::uint16_t>(las::kGlobalEncoding, time_kind | (wkt || (wide_ && projections == 0) ? las::kWktBit : 0U));
    put<std::uint8_t>(las::kVersionMajor, 1U);
    put<std::uint8_t>(las::kVersionMinor, wide_ ? 4U : 2U);
    std::memcpy(header_.data() + las::kSystem, "OTHER", 5);
    std::memcpy(header_.data() + las::kSoftware, "graze", 5);
    put<std::uint16_t>(las::kHeaderSize, header_.size());
    put<std::uint32_t>(las::kPointOffset, header_.size() + records.size());
    put<std::uint32_t>(las::kRecordCount, count);
    put<std::uint8_t>(las::kPointFormat, static_cast<unsigned>(format_));
    put<std::uint16_t>(las::kPointSize, point_size_);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto axis = static_cast<Eigen::Index>(k);
      std::memcpy(header_.data() + las::kScale + 8 * k, &scale_[axis], 8);
      std::memcpy(header_.data() + las::kOffset + 8 * k, &offset_[axis], 8);
      const bool any = !plan_.bounds.empty();
      const double high = any ? written(plan_.bounds.max[axis], axis) : 0;
      const double low = any ? written(plan_.bounds.min[axis], axis) : 0;
      std::memcpy(header_.data() + las::kBounds + 16 * k, &high, 8);
      std::memcpy(header_.data() + las::kBounds + 16 * k + 8, &low, 8);
    }
    if (wide_) {
      put<std::uint64_t>(las::kPoints, plan_.rows);
      for (std::size_t r = 1; r < 16; ++r) put<std::uint64_t>(las::kByReturn + 8 * (r - 1), plan_.returns[r]);
    } else {
      put<std::uint32_t>(las::kLegacyPoints, plan_.rows);
      for (std::size_t r = 1; r < 6; ++r) put<std::uint32_t>(las::kLegacyByReturn + 4 * (r - 1), plan_.returns[r]);
    }
    file_.write(header_);
    file_.write(records);
  }

  template <class T, class V>
  void put(std::size_t offset, V value) {
    const T narrow = static_cast<T>(value);
    std::memcpy(header_.data() + offset, &narrow, sizeof narrow);
  }

  std::int32_t integer(double x, Eigen::Index k) const {
    constexpr double kMost = 2147483647;
    return static_cast<std::int32_t>(std::clamp(std::round((x - offset_[k]) / scale_[k]), -kMost, kMost));
  }
  double written(double x, Eigen::Index k) const { return integer(x, k) * scale_[k] + offset_[k]; }

  void put_point(const Vec3& p, char* to) {
    Vec3 back;
    for (Eigen::Index k = 0; k < 3; ++k) {
      const std::int32_t value = integer(p[k], k);
      std::memcpy(to + 4 * k, &value, 4);
      back[k] = value * scale_[k] + offset_[k];
    }
    rounding_ = std::max(rounding_, (back - p).norm());
  }

  void put_column(const Place& place, const ColumnView& column) {
    char* to = records_.data() + place.offset;
    const std::size_t count = column.count;
    if (place.slot == nullptr) {
      for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * point_size_, column.at(i), size_of(column.type));
      return;
    }
    for (std::size_t i = 0; i < count; ++i, to += point_size_) {
      const double value = column[i];
      switch (place.slot->how) {
        case How::bits:
          *to = static_cast<char>(*to | static_cast<int>(value) << place.shift);
          break;
        case How::color:
          put_as<std::uint16_t>(to, value * (column.type == NumberType::uint8 ? 257 : 1));
          break;
        case How::angle:
          if (wide_) {
            put_as<std::int16_t>(to, std::round(value / las::kAngleUnit));
          } else {
            put_as<std::int8_t>(to, value);
          }
          break;
        case How::number:
          if (place.slot->type == NumberType::float64) {
            put_as<double>(to, value);
          } else if (place.slot->type == NumberType::uint8) {
            put_as<std::uint8_t>(to, value);
          } else {
            put_as<std::uint16_t>(to, value);
          }
      }
    }
  }

  template <class T>
  static void put_as(char* to, double value) {
    const T narrow = static_cast<T>(value);
    std::memcpy(to, &narrow, sizeof narrow);
  }

  FileWriter& file_;
  const WritePlan& plan_;
  bool wide_ = false, color_ = false, time_ = false, infrared_ = false;
  int format_ = 0;
  Vec3 scale_ = Vec3::Zero(), offset_ = Vec3::Zero();
  std::size_t point_size_ = 0;
  std::vector<Place> places_;  // one per attribute
  std::string extra_, header_;
  std::vector<char> records_;
};

}  // namespace

std::unique_ptr<CloudSink> las_sink(FileWriter& file, const WritePlan& plan) {
  return std::make_unique<LasSink>(file, plan);
}

}  // namespace graze::io
