#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "graze/base/error.h"
#include "io/cloud_names.h"
#include "io/cloud_sink.h"
#include "io/las_format.h"
#include "io/las_names.h"

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
    double max_value;  // largest value; 0: the format lacks it
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
    {"scan_angle", How::angle, NumberType::float32, {16, 0, 127}, {18, 0, 32767 * las::kAngleUnit}},
    {"user_data", How::number, NumberType::uint8, {17, 0, kByte}, {17, 0, kByte}},
    {"point_source_id", How::number, NumberType::uint16, {18, 0, kShort}, {20, 0, kShort}},
    {"gps_time", How::number, NumberType::float64, {20, 0, kAnyNumber}, {22, 0, kAnyNumber}},
    {"red", How::color, NumberType::uint16, {28, 0, kShort}, {30, 0, kShort}},
    {"green", How::color, NumberType::uint16, {30, 0, kShort}, {32, 0, kShort}},
    {"blue", How::color, NumberType::uint16, {32, 0, kShort}, {34, 0, kShort}},
    {"nir", How::number, NumberType::uint16, {0, 0, 0}, {36, 0, kShort}},
};

/// Which value of an attribute the field of its name cannot hold exactly; nothing if it holds them all.
std::optional<ColumnFacts::Row> misfit(const AttributeRange& a, const ColumnFacts& facts, const Slot& slot, bool wide) {
  const double max_value = (wide ? slot.wide : slot.narrow).max_value;
  if (a.min > a.max && !facts.not_a_number) return std::nullopt;  // no values at all
  if (slot.type == NumberType::float64) return facts.beyond_double;
  if (facts.not_a_number) return facts.not_a_number;
  if (facts.fraction && !(slot.how == How::angle && wide)) return facts.fraction;
  const double min_value = slot.how == How::angle ? -max_value : 0;
  if (a.min < min_value) return ColumnFacts::Row{facts.min_row, fmt::format("{}", a.min)};
  if (a.max > max_value) return ColumnFacts::Row{facts.max_row, fmt::format("{}", a.max)};
  if (slot.how == How::angle && wide) return facts.off_angle_grid;
  return std::nullopt;
}

/// The values that a field takes, in words.
std::string range_text(const Slot& slot, bool wide) {
  const double max_value = (wide ? slot.wide : slot.narrow).max_value;
  if (slot.type == NumberType::float64) return "doubles";
  if (slot.how != How::angle) return fmt::format("whole numbers from 0 to {}", max_value);
  return wide ? fmt::format("multiples of {}° up to ±{}°", las::kAngleUnit, max_value)
              : fmt::format("whole degrees up to ±{}°", max_value);
}

const Slot* slot_named(std::string_view name) {
  for (const Slot& slot : kSlots) {
    if (slot.name == name) return &slot;
  }
  return nullptr;
}

class LasSink : public CloudSink {
 public:
  LasSink(FileWriter& file, const WritePlan& plan) : file_(file), plan_(plan), slots_(plan.attributes.size()) {
    for (const Slot& slot : kSlots) {
      const std::size_t k = column_of(slot.name);
      if (k < slots_.size()) slots_[k] = &slot;
    }
    choose_version();
    choose_scale();
    choose_places();
    write_header();
  }

  void add(const CloudChunk& chunk) override {
    records_.assign(chunk.points.size() * point_size_, '\0');
    for (std::size_t i = 0; i < chunk.points.size(); ++i) put_point(chunk.points[i], records_.data() + i * point_size_);
    for (const Place& place : places_) put_column(place, chunk.attributes[place.attribute]);
    file_.write({records_.data(), records_.size()});
  }

 private:
  /// Where an attribute goes.
  struct Place {
    std::size_t attribute = 0;
    const Slot* slot = nullptr;  // null: extra bytes
    std::size_t offset = 0;
    unsigned shift = 0;
  };

  /// The attribute that a field is for; as many as there are if there is none.
  std::size_t column_of(std::string_view field) const {
    return las::column_of(field, plan_.attributes.size(),
                          [&](std::size_t k) -> std::string_view { return plan_.attributes[k].kind.name; });
  }

  /// Whether there is an attribute for this field that it holds exactly.
  bool fits_named(std::string_view name, bool wide) const {
    const Slot& slot = *slot_named(name);
    const std::size_t k = column_of(name);
    return (wide ? slot.wide : slot.narrow).max_value != 0 && k < plan_.attributes.size() &&
           !misfit(plan_.attributes[k], plan_.facts[k], slot, wide);
  }

  // The lower version that loses nothing, unless one was asked for.
  void choose_version() {
    constexpr std::uint64_t kMaxNarrow = std::numeric_limits<std::uint32_t>::max();
    bool needs_wide = plan_.rows > kMaxNarrow;
    for (const Slot& slot : kSlots) {
      needs_wide = needs_wide || (fits_named(slot.name, true) && !fits_named(slot.name, false));
    }
    const int minor = plan_.options.las_minor.value_or(needs_wide ? 4 : 2);
    if (minor != 2 && minor != 4) throw Error(plan_.path, fmt::format("graze writes LAS 1.2 and 1.4, not 1.{}", minor));
    wide_ = minor == 4;
    if (!wide_ && plan_.rows > kMaxNarrow) {
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
    constexpr double kFinest = 1e-4, kMax = 2147483647;
    for (int k = 0; k < 3; ++k) {
      offset_[k] = plan_.options.offset ? (*plan_.options.offset)[k] : std::floor(low[k]);
      const double reach = std::max(std::abs(low[k] - offset_[k]), std::abs(high[k] - offset_[k]));
      if (plan_.options.scale) {
        scale_[k] = (*plan_.options.scale)[k];
        if (!(scale_[k] > 0) || !std::isfinite(scale_[k])) {
          throw Error(plan_.path,
                      fmt::format("the scale of LAS coordinates must be positive and finite, got {}", scale_[k]));
        }
        if (reach / scale_[k] > kMax) {
          throw Error(
              plan_.path,
              fmt::format("{} reaches from {} to {}, which does not fit in 32 bits with scale {} and offset {}; "
                          "choose a larger scale",
                          "xyz"[k], low[k], high[k], scale_[k], offset_[k]));
        }
      } else {
        scale_[k] = kFinest;
        while (reach / scale_[k] > kMax) scale_[k] *= 10;
      }
    }
  }

  /// Whether points of the chosen format have the field.
  bool has_field(const Slot& slot) const {
    if ((wide_ ? slot.wide : slot.narrow).max_value == 0) return false;
    if (slot.how == How::color) return color_;
    if (slot.name == "nir") return infrared_;
    return slot.name != "gps_time" || time_;
  }

  // Extra bytes with the name of a field, as graze or others call it, are what other readers refuse.
  bool names_field(std::string_view name) const {
    const std::string plain = las::plain_name(name);
    for (const std::string_view other : {"x",
                                         "y",
                                         "z",
                                         "intensity",
                                         "returnnumber",
                                         "numberofreturns",
                                         "scandirection",
                                         "scandirectionflag",
                                         "edgeofflightline",
                                         "classification",
                                         "rawclassification",
                                         "classificationflags",
                                         "classflags",
                                         "synthetic",
                                         "keypoint",
                                         "withheld",
                                         "scanangle",
                                         "scananglerank",
                                         "userdata",
                                         "pointsourceid",
                                         "bitfields",
                                         "flagbyte"}) {
      if (plain == other) return true;
    }
    if (plain == "scannerchannel" || plain == "scanchannel" || plain == "overlap") return wide_;
    if (plain == "gpstime") return time_;
    if (plain == "red" || plain == "green" || plain == "blue") return color_;
    return (plain == "nir" || plain == "infrared") && infrared_;
  }

  void choose_places() {
    point_size_ = las::kPointSizes[static_cast<std::size_t>(format_)];
    constexpr std::size_t kLongestName = 32;
    NameBook book({[](std::string_view name) { return extra_name(name); },
                   [this](std::string_view name) { return names_field(name); }, kLongestName});
    std::vector<std::size_t> extra;
    for (std::size_t k = 0; k < plan_.attributes.size(); ++k) {
      const AttributeType& kind = plan_.attributes[k].kind;
      const Slot* slot = slots_[k];
      const bool has = slot != nullptr && has_field(*slot);
      if (has && !misfit(plan_.attributes[k], plan_.facts[k], *slot, wide_)) {
        put_in_field(k, *slot);
        if (slot->name != kind.name) notes_.push_back(renamed_note(kind.name, slot->name) + ", a field of LAS");
        if (slot->how == How::color && kind.type == NumberType::uint8) {
          notes_.push_back(
              fmt::format("attribute '{}' of 8 bits was widened to the 16 that LAS has: times 257", kind.name));
        }
        continue;
      }
      extra.push_back(k);
      if (book.free(kind.name)) book.claim(kind.name);
    }
    for (const std::size_t k : extra) put_in_extra_bytes(k, book);
    if (point_size_ > std::numeric_limits<std::uint16_t>::max() || extra_.size() > 65535) {
      throw Error(plan_.path,
                  fmt::format("has {} attributes, more than a LAS point can hold; leave them out (--no-attributes)",
                              plan_.attributes.size()));
    }
  }

  void put_in_field(std::size_t attribute, const Slot& slot) {
    Place place{attribute, &slot, (wide_ ? slot.wide : slot.narrow).offset, (wide_ ? slot.wide : slot.narrow).shift};
    if (slot.how == How::color && format_ == 2) place.offset -= 8;  // there is no time before it
    places_.push_back(place);
    if (slot.name == "return_number") returns_ = plan_.returns;
  }

  void put_in_extra_bytes(std::size_t attribute, NameBook& book) {
    const AttributeType& kind = plan_.attributes[attribute].kind;
    const Slot* slot = slots_[attribute];
    const bool has = slot != nullptr && has_field(*slot);
    const bool kept = !names_field(kind.name) && extra_name(kind.name) == kind.name && kind.name.size() <= 32;
    const std::string name = kept ? kind.name : book.claim_like(has ? kind.name + "_original" : kind.name);
    if (has) {
      const ColumnFacts::Row worst = *misfit(plan_.attributes[attribute], plan_.facts[attribute], *slot, wide_);
      std::string note = fmt::format(
          "attribute '{}' does not fit the field that LAS has for it ({}): row {} has {}; it was written as '{}' in "
          "extra bytes",
          kind.name, range_text(*slot, wide_), worst.row, worst.value, name);
      // An angle that is off the grid is near to what the field can hold; other values would mislead.
      const bool near = slot->how == How::angle && plan_.facts[attribute].not_a_number == std::nullopt &&
                        std::max(-plan_.attributes[attribute].min, plan_.attributes[attribute].max) <=
                            (wide_ ? slot->wide : slot->narrow).max_value;
      if (near) put_in_field(attribute, *slot);
      notes_.push_back(note + (near ? ", the field has the nearest it can hold" : ", the field is 0"));
    } else if (name != kind.name) {
      notes_.push_back(renamed_note(kind.name, name) +
                       (names_field(kind.name) ? ", as LAS has a field of that name" : ""));
    }
    places_.push_back({attribute, nullptr, point_size_, 0});
    point_size_ += size_of(kind.type);
    describe_extra(kind.type, name);
  }

  // Names end at a NUL, and readers leave out blanks at the end.
  static std::string extra_name(std::string_view name) {
    std::string text(name);
    for (char& c : text) {
      if (static_cast<unsigned char>(c) < 32 || c == 127) c = '_';
    }
    while (text.ends_with(' ')) text.pop_back();
    return text;
  }

  void describe_extra(NumberType type, std::string_view name) {
    std::string description(las::kExtraBytes, '\0');
    const auto code = std::find(las::kExtraTypes.begin(), las::kExtraTypes.end(), type) - las::kExtraTypes.begin();
    description[2] = static_cast<char>(code + 1);
    std::memcpy(description.data() + 4, name.data(), name.size());
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
    bool wkt = false, keys = false;
    for (std::size_t i = 0; i + las::kRecordHead <= records.size(); ++count) {
      wkt = wkt || load_unaligned<std::uint16_t>(records.data() + i + 18) == las::kWktId;
      keys = keys || load_unaligned<std::uint16_t>(records.data() + i + 18) == las::kGeoKeysId;
      i += las::kRecordHead + load_unaligned<std::uint16_t>(records.data() + i + 20);
    }
    const std::uint32_t projections = count;
    // Of two systems the one that held goes on holding.
    if (keys && (plan_.options.global_encoding & las::kWktBit) == 0) wkt = false;
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
      for (std::size_t r = 1; r < 16; ++r) put<std::uint64_t>(las::kByReturn + 8 * (r - 1), returns_[r]);
    } else {
      put<std::uint32_t>(las::kLegacyPoints, plan_.rows);
      for (std::size_t r = 1; r < 6; ++r) put<std::uint32_t>(las::kLegacyByReturn + 4 * (r - 1), returns_[r]);
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
    constexpr double kMax = 2147483647;
    return static_cast<std::int32_t>(std::clamp(std::round((x - offset_[k]) / scale_[k]), -kMax, kMax));
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
            put_as<std::int16_t>(to, las::angle_raw(value));
          } else {
            put_as<std::int8_t>(to, std::round(value));
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
  std::vector<const Slot*> slots_;  // the field that each attribute is for, or null
  bool wide_ = false, color_ = false, time_ = false, infrared_ = false;
  int format_ = 0;
  Vec3 scale_ = Vec3::Zero(), offset_ = Vec3::Zero();
  std::size_t point_size_ = 0;
  std::vector<Place> places_;  // one per attribute, or two
  std::array<std::uint64_t, 16> returns_{};
  std::string extra_, header_;
  std::vector<char> records_;
};

}  // namespace

std::unique_ptr<CloudSink> las_sink(FileWriter& file, const WritePlan& plan) {
  return std::make_unique<LasSink>(file, plan);
}

}  // namespace graze::io
