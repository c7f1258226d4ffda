// PCD of the Point Cloud Library, version 0.7 and before: text, records, or packed columns.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "graze/base/error.h"
#include "io/cloud_source.h"
#include "io/lzf.h"

namespace graze::io {
namespace {

constexpr std::size_t kLargestRecord = std::size_t{1} << 20;  // in bytes

struct PcdField {
  std::string name;
  NumberType type = NumberType::float32;
  std::size_t count = 1;
  std::vector<int> targets;  // one per value; empty: padding, or colours
  bool packed_color = false, alpha = false;

  std::size_t size() const { return count * size_of(type); }
};

std::optional<NumberType> type_of(char kind, std::uint64_t size) {
  for (const NumberType type : kNumberTypes) {
    const char letter = is_float(type) ? 'F' : static_cast<int>(type) % 2 == 0 ? 'I' : 'U';
    if (letter == kind && size_of(type) == size) return type;
  }
  return std::nullopt;
}

class PcdSource : public CloudSource {
 public:
  explicit PcdSource(std::shared_ptr<const Bytes> bytes) : bytes_(bytes), reader_(std::move(bytes)) {
    header_.format = CloudFormat::pcd;
    header_.file_size = bytes_->size();
    header_.version = "0.7";
    read_header();
    choose_targets();
    check_sizes();
    if (header_.encoding == CloudEncoding::compressed) start_unpacking();
  }

  void fill(ChunkBuffer& buffer) override {
    while (left_ > 0 && buffer.room() > 0) {
      switch (header_.encoding) {
        case CloudEncoding::ascii:
          read_row(buffer);
          break;
        case CloudEncoding::compressed:
          read_columns(buffer);
          break;
        default:
          read_records(buffer);
      }
    }
    if (left_ == 0 && !finished_) {
      finished_ = true;
      check_end();
    }
  }

  std::uint64_t position() const override {
    if (header_.encoding != CloudEncoding::compressed || *header_.points == 0) return reader_.position();
    const double done = 1 - static_cast<double>(left_) / static_cast<double>(*header_.points);
    return static_cast<std::uint64_t>(done * static_cast<double>(bytes_->size()));
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw Error(reader_.name(), why); }
  [[noreturn]] void refuse_line(const std::string& why) const {
    throw Error(reader_.name(), reader_.line_number(), why);
  }

  void read_header() {
    std::optional<std::uint64_t> points, width, height;
    std::vector<std::string_view> words;
    std::string_view line;
    while (true) {
      if (!reader_.line(line)) refuse("the PCD header has no DATA line; was it cut off?");
      split_blanks(line, words);
      if (words.empty() || words[0].starts_with('#')) continue;
      const std::string_view key = words[0];
      words.erase(words.begin());
      if (key == "DATA") break;
      if (key == "VERSION") {
        header_.version = words.empty() ? "" : words[0];
        if (header_.version.starts_with('.')) header_.version.insert(0, "0");
      } else if (key == "FIELDS" || key == "COLUMNS") {
        if (!fields_.empty()) refuse_line(fmt::format("{} comes twice", key));
        if (words.size() > kMaxColumns) refuse_line(fmt::format("has more than {} fields", kMaxColumns));
        fields_.resize(words.size());
        for (std::size_t i = 0; i < words.size(); ++i) {
          if (words[i] != "_" && std::find(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(i), words[i]) !=
                                     words.begin() + static_cast<std::ptrdiff_t>(i)) {
            refuse_line(fmt::format("field {} comes twice", in_quotes(words[i])));
          }
          fields_[i].name = words[i];
        }
      } else if (key == "SIZE" || key == "TYPE" || key == "COUNT") {
        keep_per_field(key, words);
      } else if (key == "WIDTH") {
        width = one_count(key, words);
      } else if (key == "HEIGHT") {
        height = one_count(key, words);
      } else if (key == "POINTS") {
        points = one_count(key, words);
      } else if (key == "VIEWPOINT") {
        read_viewpoint(words);
      } else {
        refuse_line(fmt::format("{} is not a keyword of a PCD header", in_quotes(key)));
      }
    }
    read_encoding(words);
    if (fields_.empty()) refuse("the PCD header has no FIELDS");
    if (sizes_.empty() || types_.empty()) refuse("the PCD header needs both SIZE and TYPE");
    if (!width && !points) refuse("the PCD header has neither WIDTH nor POINTS");
    header_.height = height.value_or(1);
    header_.width = width.value_or(header_.height == 0 ? 0 : *points / header_.height);
    if (header_.height != 0 && header_.width > std::numeric_limits<std::uint64_t>::max() / header_.height) {
      refuse(fmt::format("WIDTH {} and HEIGHT {} make too many points", header_.width, header_.height));
    }
    header_.points = left_ = header_.width * header_.height;
    if (points && *points != *header_.points) {
      refuse(fmt::format("POINTS {} is not WIDTH {} × HEIGHT {}", *points, header_.width, header_.height));
    }
  }

  std::uint64_t one_count(std::string_view key, const std::vector<std::string_view>& words) const {
    std::uint64_t count = 0;
    if (words.size() != 1 || !parse_count(words[0], count)) {
      refuse_line(fmt::format("{} needs one count, got {}", key, in_quotes(words.empty() ? "" : words[0])));
    }
    return count;
  }

  void keep_per_field(std::string_view key, const std::vector<std::string_view>& words) {
    if (fields_.empty()) refuse_line(fmt::format("{} comes before FIELDS", key));
    if (words.size() != fields_.size()) {
      refuse_line(fmt::format("{} has {} entries for {} fields", key, words.size(), fields_.size()));
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
      std::uint64_t count = 0;
      if (key == "TYPE") {
        if (words[i].size() != 1) refuse_line(fmt::format("TYPE {} is not I, U or F", in_quotes(words[i])));
        types_ += words[i][0];
      } else if (!parse_count(words[i], count) || count == 0 || count > std::uint64_t{1} << 30U) {
        refuse_line(fmt::format("{} {} is not a valid {}", key, in_quotes(words[i]), key == "SIZE" ? "size" : "count"));
      } else if (key == "SIZE") {
        sizes_.push_back(count);
      } else {
        fields_[i].count = static_cast<std::size_t>(count);
      }
    }
    if (types_.size() > fields_.size() || sizes_.size() > fields_.size())
      refuse_line(fmt::format("{} comes twice", key));
  }

  void read_viewpoint(const std::vector<std::string_view>& words) {
    double v[7] = {};
    if (words.size() != 7)
      refuse_line(fmt::format("VIEWPOINT needs 7 numbers (x y z qw qx qy qz), got {}", words.size()));
    for (std::size_t i = 0; i < 7; ++i) {
      if (const char* why = parse_number(words[i], NumberType::float64, &v[i])) {
        refuse_line(fmt::format("VIEWPOINT {} {}", in_quotes(words[i]), why));
      }
    }
    const bool identity = v[0] == 0 && v[1] == 0 && v[2] == 0 && v[4] == 0 && v[5] == 0 && v[6] == 0;
    if (identity) return;
    try {
      header_.viewpoint = Pose::from_wxyz(Vec3(v[0], v[1], v[2]), v[3], v[4], v[5], v[6]);
    } catch (const Error& error) {
      refuse_line(std::string("VIEWPOINT ") + error.what());
    }
  }

  void read_encoding(const std::vector<std::string_view>& words) {
    const std::string_view data = words.empty() ? "" : words[0];
    if (data == "ascii") {
      header_.encoding = CloudEncoding::ascii;
    } else if (data == "binary") {
      header_.encoding = CloudEncoding::binary;
    } else if (data == "binary_compressed") {
      header_.encoding = CloudEncoding::compressed;
    } else {
      refuse_line(fmt::format("DATA {} is not ascii, binary or binary_compressed", in_quotes(data)));
    }
  }

  // PDAL writes X, Y and Z. A field of the lower-case name comes first.
  int axis_of(const std::string& name) const {
    if (name.size() != 1) return kNowhere;
    const char lower = static_cast<char>(name[0] | 32);
    if (lower < 'x' || lower > 'z') return kNowhere;
    const auto is_lower = [&](const PcdField& field) { return field.name.size() == 1 && field.name[0] == lower; };
    if (name[0] != lower && std::any_of(fields_.begin(), fields_.end(), is_lower)) return kNowhere;
    return kX + (lower - 'x');
  }

  void choose_targets() {
    bool seen[3] = {};
    bool mixed = false;
    std::optional<NumberType> coordinates;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      PcdField& field = fields_[i];
      const bool padding = field.name == "_";
      const std::optional<NumberType> type = type_of(types_[i], sizes_[i]);
      // Padding may be of any size: it is bytes.
      if (!type && !padding) {
        refuse(fmt::format("field {} has TYPE {} of SIZE {}, which does not exist", in_quotes(field.name), types_[i],
                           sizes_[i]));
      }
      field.type = type.value_or(NumberType::uint8);
      if (!type) field.count *= static_cast<std::size_t>(sizes_[i]);
      record_size_ += field.size();
      if (record_size_ > kLargestRecord) refuse(fmt::format("a point takes more than {} bytes", kLargestRecord));
      values_per_row_ += padding && !type ? field.count / static_cast<std::size_t>(sizes_[i]) : field.count;
      if (padding) continue;
      const int axis = axis_of(field.name);
      if (axis != kNowhere && !seen[axis] && field.count == 1) {
        seen[axis] = true;
        field.targets = {axis};
        mixed = mixed || (coordinates && *coordinates != field.type);
        coordinates = field.type;
      } else if ((field.name == "rgb" || field.name == "rgba") && field.size() == 4 && field.count == 1) {
        // Four bytes, stated to be a float or an integer: blue, green, red, alpha.
        field.packed_color = true;
        field.alpha = field.name == "rgba";
        for (const char* name : {"red", "green", "blue"}) {
          field.targets.push_back(add_attribute(name, NumberType::uint8, reader_.name()));
        }
        if (field.alpha) field.targets.push_back(add_attribute("alpha", NumberType::uint8, reader_.name()));
      } else {
        for (std::size_t k = 0; k < field.count; ++k) {
          const std::string name = field.count == 1 ? field.name : fmt::format("{}[{}]", field.name, k);
          field.targets.push_back(add_attribute(name, field.type, reader_.name()));
        }
      }
    }
    for (const int axis : {kX, kY, kZ}) {
      if (!seen[axis]) refuse(fmt::format("the PCD header has no field '{}'", "xyz"[axis]));
    }
    header_.coordinates = mixed ? NumberType::float64 : *coordinates;
    std::size_t offset = 0;
    for (const PcdField& field : fields_) {
      add_record_fields(field, offset, record_fields_);
      offset += field.size();
    }
  }

  // Little-endian bytes of a packed colour: blue, green, red, alpha.
  static void add_record_fields(const PcdField& field, std::size_t offset, std::vector<RecordField>& to) {
    for (std::size_t k = 0; k < field.targets.size(); ++k) {
      if (field.packed_color) {
        to.push_back({field.targets[k], NumberType::uint8, offset + (k < 3 ? 2 - k : k)});
      } else {
        to.push_back({field.targets[k], field.type, offset + k * size_of(field.type)});
      }
    }
  }

  void check_sizes() {
    const std::uint64_t room = reader_.remaining();
    const std::uint64_t points = *header_.points;
    if (header_.encoding == CloudEncoding::compressed) return;
    const bool ascii = header_.encoding == CloudEncoding::ascii;
    const std::uint64_t min_size = ascii ? 2 * values_per_row_ : record_size_;
    if (points > (room + (ascii ? 1 : 0)) / min_size) {
      refuse(
          fmt::format("claims {} points of at least {} bytes, but only {} bytes follow; the header is wrong or the "
                      "file was cut off",
                      points, min_size, room));
    }
  }

  void read_row(ChunkBuffer& buffer) {
    std::string_view line;
    do {
      if (!reader_.line(line))
        refuse(fmt::format("ends with {} of {} points missing; was it cut off?", left_, *header_.points));
    } while (line.find_first_not_of(" \t") == std::string_view::npos);
    split_blanks(line, words_);
    if (words_.size() != values_per_row_) {
      refuse_line(fmt::format("has {} values, the fields make {}", words_.size(), values_per_row_));
    }
    const std::size_t row = buffer.size();
    buffer.extend(1);
    std::size_t at = 0;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const PcdField& field = fields_[i];
      if (field.packed_color) {
        parse_color(field, words_[at++], buffer, row);
        continue;
      }
      if (field.targets.empty()) {
        at += type_of(types_[i], sizes_[i]) ? field.count : field.count / static_cast<std::size_t>(sizes_[i]);
        continue;
      }
      for (const int target : field.targets) {
        if (const char* why = parse_into(words_[at], field.type, target, buffer, row)) {
          refuse_line(fmt::format("{} for field '{}' {}", in_quotes(words_[at]), field.name, why));
        }
        ++at;
      }
    }
    --left_;
  }

  // The bits of a float as a float, or the same bits as an integer whatever the declared type.
  void parse_color(const PcdField& field, std::string_view word, ChunkBuffer& buffer, std::size_t row) {
    std::uint32_t bits = 0;
    const bool whole = word.find_first_of(".eEnN") == std::string_view::npos && word != "0";
    const char* why = nullptr;
    if (whole || !is_float(field.type)) {
      why = parse_number(word, field.type == NumberType::int32 ? NumberType::int32 : NumberType::uint32, &bits);
    } else {
      why = parse_number(word, NumberType::float32, &bits);
    }
    if (why != nullptr) refuse_line(fmt::format("{} for field '{}' {}", in_quotes(word), field.name, why));
    for (std::size_t k = 0; k < field.targets.size(); ++k) {
      const std::size_t byte = k < 3 ? 2 - k : k;
      *buffer.value(static_cast<std::size_t>(field.targets[k] - kAttribute), row) =
          static_cast<std::byte>(bits >> (8 * byte));
    }
  }

  void read_records(ChunkBuffer& buffer) {
    const std::uint64_t fit = kLargestRecord / record_size_;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>({left_, buffer.room(), fit}));
    records_.resize(count * record_size_);
    if (!reader_.take(records_.data(), records_.size())) {
      refuse(fmt::format("ends with {} of {} points missing; was it cut off?", left_, *header_.points));
    }
    decode(record_fields_, record_size_, count, buffer, buffer.size());
    buffer.extend(count);
    left_ -= count;
  }

  // PCD is written as the machine has it, which is little-endian everywhere today.
  void decode(const std::vector<RecordField>& fields, std::size_t stride, std::size_t count, ChunkBuffer& buffer,
              std::size_t row) {
    decode_records(records_.data(), count, stride, fields, std::endian::native == std::endian::big, buffer, row);
  }

  // The columns are packed as one: a decoder for each field is left where its column begins, and all go on side by
  // side, so that the cloud is never unpacked as a whole.
  void start_unpacking() {
    std::uint32_t packed = 0, unpacked = 0;
    if (!reader_.take(&packed, 4) || !reader_.take(&unpacked, 4))
      refuse("ends before its packed points; was it cut off?");
    if (packed > reader_.remaining()) {
      refuse(fmt::format("claims {} packed bytes, but only {} follow; was it cut off?", packed, reader_.remaining()));
    }
    const std::uint64_t points = *header_.points;
    if (points > unpacked || points * record_size_ != unpacked) {
      refuse(fmt::format("unpacks to {} bytes, but {} points of {} bytes are claimed", unpacked, points, record_size_));
    }
    const std::uint64_t start = reader_.position();
    trailing_ = start + packed;
    LzfDecoder decoder(bytes_, start, packed);
    for (const PcdField& field : fields_) {
      Column& column = columns_.emplace_back(Column{decoder, {}, field.size()});
      add_record_fields(field, 0, column.fields);
      if (column.fields.empty()) columns_.pop_back();
      if (!decoder.read(nullptr, points * field.size())) refuse_packed();
    }
    if (!decoder.at_end()) refuse_packed();
  }

  [[noreturn]] void refuse_packed() const { refuse("its packed points are damaged and cannot be unpacked"); }

  void read_columns(ChunkBuffer& buffer) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, buffer.room()));
    const std::size_t row = buffer.size();
    buffer.extend(count);
    for (Column& column : columns_) {
      records_.resize(count * column.size);
      if (!column.decoder.read(records_.data(), records_.size())) refuse_packed();
      decode(column.fields, column.size, count, buffer, row);
    }
    left_ -= count;
  }

  void check_end() {
    if (header_.encoding == CloudEncoding::compressed) reader_ = ByteReader(bytes_, trailing_);
    const std::uint64_t more = reader_.remaining();
    if (!reader_.only_padding_follows()) {
      refuse(fmt::format("{} bytes follow the last point that the header counts; its counts are too small", more));
    }
  }

  struct Column {
    LzfDecoder decoder;
    std::vector<RecordField> fields;
    std::size_t size;  // of its part of a record
  };

  std::shared_ptr<const Bytes> bytes_;
  ByteReader reader_;
  std::vector<PcdField> fields_;
  std::vector<std::uint64_t> sizes_;
  std::string types_;
  std::size_t record_size_ = 0, values_per_row_ = 0;
  std::vector<RecordField> record_fields_;
  std::vector<Column> columns_;
  std::uint64_t left_ = 0, trailing_ = 0;
  bool finished_ = false;
  std::vector<std::string_view> words_;
  std::vector<char> records_;
};

}  // namespace

std::unique_ptr<CloudSource> open_pcd(std::shared_ptr<const Bytes> bytes) {
  return std::make_unique<PcdSource>(std::move(bytes));
}

}  // namespace graze::io
