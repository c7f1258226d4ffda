// PLY: a header of elements with properties, then their values, as text or in either byte order.
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <limits>
#include <optional>

#include "graze/base/error.h"
#include "io/cloud_source.h"

namespace graze::io {
namespace {

struct Property {
  std::string name;
  NumberType type = NumberType::float32;
  std::optional<NumberType> count_type;  // of a list
  int target = kNowhere;
};

struct Element {
  std::string name;
  std::uint64_t count = 0;
  std::vector<Property> properties;

  bool has_lists() const {
    for (const Property& p : properties) {
      if (p.count_type) return true;
    }
    return false;
  }
  /// In a binary file, of one entry at the least: a list may be empty.
  std::uint64_t least_size() const {
    std::uint64_t size = 0;
    for (const Property& p : properties) size += size_of(p.count_type.value_or(p.type));
    return size;
  }
};

std::optional<NumberType> type_named(std::string_view name) {
  constexpr std::pair<std::string_view, NumberType> kTypes[] = {
      {"char", NumberType::int8},      {"uchar", NumberType::uint8},    {"short", NumberType::int16},
      {"ushort", NumberType::uint16},  {"int", NumberType::int32},      {"uint", NumberType::uint32},
      {"float", NumberType::float32},  {"double", NumberType::float64}, {"int8", NumberType::int8},
      {"uint8", NumberType::uint8},    {"int16", NumberType::int16},    {"uint16", NumberType::uint16},
      {"int32", NumberType::int32},    {"uint32", NumberType::uint32},  {"float32", NumberType::float32},
      {"float64", NumberType::float64}};
  for (const auto& [text, type] : kTypes) {
    if (text == name) return type;
  }
  return std::nullopt;
}

class PlySource : public CloudSource {
 public:
  explicit PlySource(std::shared_ptr<const Bytes> bytes) : reader_(std::move(bytes)) {
    header_.format = CloudFormat::ply;
    header_.file_size = reader_.bytes().size();
    read_header();
    choose_targets();
    check_sizes();
    for (std::size_t i = 0; i < vertex_; ++i) skip_element(elements_[i]);
  }

  void fill(ChunkBuffer& buffer) override {
    const Element& vertex = elements_[vertex_];
    while (left_ > 0 && buffer.room() > 0) {
      if (header_.encoding == CloudEncoding::ascii) {
        read_row(vertex, buffer);
      } else if (vertex.has_lists()) {
        read_record(vertex, buffer);
      } else {
        read_records(buffer);
      }
    }
    if (left_ == 0 && !finished_) {
      finished_ = true;
      for (std::size_t i = vertex_ + 1; i < elements_.size(); ++i) skip_element(elements_[i]);
      check_end();
    }
  }

  std::uint64_t position() const override { return reader_.position(); }

 private:
  [[noreturn]] void refuse_line(const std::string& why) const {
    throw Error(reader_.name(), reader_.line_number(), why);
  }
  [[noreturn]] void refuse_byte(const std::string& why) const {
    throw Error(fmt::format("{}: byte {}", reader_.name(), reader_.position()), why);
  }
  [[noreturn]] void refuse_end(const Element& element, std::uint64_t missing) const {
    throw Error(reader_.name(), fmt::format("ends within element '{}': {} of {} entries are missing; was it cut off?",
                                            element.name, missing, element.count));
  }

  void read_header() {
    std::string_view line;
    if (!reader_.line(line) || line.substr(0, line.find_last_not_of(" \t") + 1) != "ply") {
      throw Error(reader_.name(), "is no PLY file: its first line is not 'ply'");
    }
    bool format = false;
    std::vector<std::string_view> words;
    while (true) {
      if (!reader_.line(line)) throw Error(reader_.name(), "the PLY header has no end_header; was it cut off?");
      split_blanks(line, words);
      if (words.empty() || words[0] == "comment" || words[0] == "obj_info") continue;
      if (words[0] == "end_header") break;
      if (words[0] == "format") {
        read_format(words);
        format = true;
      } else if (words[0] == "element") {
        read_element(words);
      } else if (words[0] == "property") {
        read_property(words);
      } else {
        refuse_line(fmt::format("{} is no word of a PLY header (format, element, property, comment, end_header)",
                                quoted(words[0])));
      }
    }
    if (!format) throw Error(reader_.name(), "the PLY header has no format line");
  }

  void read_format(const std::vector<std::string_view>& words) {
    if (words.size() != 3) refuse_line("the format line must read 'format ENCODING 1.0'");
    header_.version = words[2];
    if (words[1] == "ascii") {
      header_.encoding = CloudEncoding::ascii;
    } else if (words[1] == "binary_little_endian") {
      header_.encoding = CloudEncoding::binary;
    } else if (words[1] == "binary_big_endian") {
      header_.encoding = CloudEncoding::binary_big_endian;
    } else {
      refuse_line(fmt::format("format {} is not ascii, binary_little_endian or binary_big_endian", quoted(words[1])));
    }
    if (words[2] != "1.0") refuse_line(fmt::format("PLY version {} is not 1.0", quoted(words[2])));
  }

  void read_element(const std::vector<std::string_view>& words) {
    if (words.size() != 3) refuse_line("an element line must read 'element NAME COUNT'");
    if (elements_.size() >= kMostColumns) refuse_line(fmt::format("has more than {} elements", kMostColumns));
    Element& element = elements_.emplace_back();
    element.name = words[1];
    if (!parse_count(words[2], element.count))
      refuse_line(fmt::format("element count {} is no count", quoted(words[2])));
    for (std::size_t i = 0; i + 1 < elements_.size(); ++i) {
      if (elements_[i].name == element.name) refuse_line(fmt::format("element {} comes twice", quoted(element.name)));
    }
  }

  void read_property(const std::vector<std::string_view>& words) {
    if (elements_.empty()) refuse_line("a property comes before any element");
    Element& element = elements_.back();
    if (element.properties.size() >= kMostColumns)
      refuse_line(fmt::format("has more than {} properties", kMostColumns));
    const bool list = words.size() == 5 && words[1] == "list";
    if (!list && words.size() != 3) {
      refuse_line("a property line must read 'property TYPE NAME' or 'property list TYPE TYPE NAME'");
    }
    Property& property = element.properties.emplace_back();
    const auto type = [&](std::string_view word) {
      const std::optional<NumberType> named = type_named(word);
      if (!named) refuse_line(fmt::format("property type {} is unknown", quoted(word)));
      return *named;
    };
    if (list) {
      property.count_type = type(words[2]);
      if (is_float(*property.count_type)) refuse_line("the length of a list cannot be a float");
    }
    property.type = type(words[list ? 3 : 1]);
    property.name = words.back();
  }

  void choose_targets() {
    vertex_ = elements_.size();
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      if (elements_[i].name == "vertex") {
        vertex_ = i;
      } else {
        header_.notes.push_back(
            fmt::format("element {} ({} entries) is not read", quoted(elements_[i].name), elements_[i].count));
      }
    }
    if (vertex_ == elements_.size())
      throw Error(reader_.name(), "the PLY header has no element 'vertex', so no points");
    Element& vertex = elements_[vertex_];
    bool seen[3] = {};
    bool wide = false, first = true;
    std::size_t offset = 0;
    for (Property& p : vertex.properties) {
      const int axis = p.name == "x" ? kX : p.name == "y" ? kY : p.name == "z" ? kZ : kNowhere;
      if (p.count_type) {
        header_.notes.push_back(fmt::format("list property {} of the points is not read", quoted(p.name)));
        continue;
      }
      if (axis != kNowhere && !seen[axis]) {
        seen[axis] = true;
        p.target = axis;
        wide = wide || (!first && p.type != header_.coordinates);
        first = false;
        header_.coordinates = p.type;
      } else {
        p.target = add_attribute(p.name, p.type, reader_.name());
      }
      fields_.push_back({p.target, p.type, offset});
      offset += size_of(p.type);
    }
    for (const int axis : {kX, kY, kZ}) {
      if (!seen[axis]) {
        throw Error(reader_.name(), fmt::format("element 'vertex' has no property '{}'", "xyz"[axis]));
      }
    }
    if (wide) header_.coordinates = NumberType::float64;
    header_.points = left_ = vertex.count;
    header_.width = vertex.count;
  }

  // Before anything is read or allocated: the elements fit in the file.
  void check_sizes() const {
    std::uint64_t room = reader_.remaining();
    for (const Element& element : elements_) {
      // As text a value takes a digit and a separator, the very last one no separator.
      const bool ascii = header_.encoding == CloudEncoding::ascii;
      const std::uint64_t least = ascii ? 2 * element.properties.size() : element.least_size();
      if (least == 0) continue;
      if (element.count > (room + (ascii ? 1 : 0)) / least) {
        throw Error(reader_.name(),
                    fmt::format("element '{}' claims {} entries of at least {} bytes, but only {} bytes follow; the "
                                "header is wrong or the file was cut off",
                                element.name, element.count, least, room));
      }
      room -= std::min(room, element.count * least);
    }
  }

  // A line that is not blank.
  bool next_line(std::string_view& line) {
    while (reader_.line(line)) {
      if (line.find_first_not_of(" \t") != std::string_view::npos) return true;
    }
    return false;
  }

  void read_row(const Element& vertex, ChunkBuffer& buffer) {
    std::string_view line;
    if (!next_line(line)) refuse_end(vertex, left_);
    split_blanks(line, words_);
    const std::size_t row = buffer.size();
    buffer.extend(1);
    std::size_t at = 0;
    for (const Property& p : vertex.properties) {
      if (at >= words_.size()) {
        refuse_line(
            fmt::format("ends before property '{}': has {} values; was the file cut off?", p.name, words_.size()));
      }
      if (p.count_type) {
        std::uint64_t length = 0;
        if (!parse_count(words_[at], length))
          refuse_line(fmt::format("list length {} is no count", quoted(words_[at])));
        if (length > words_.size() - at - 1) {
          refuse_line(fmt::format("list '{}' claims {} values, {} follow", p.name, length, words_.size() - at - 1));
        }
        at += 1 + static_cast<std::size_t>(length);
        continue;
      }
      if (const char* why = parse_into(words_[at], p.type, p.target, buffer, row)) {
        refuse_line(fmt::format("{} for property '{}' {}", quoted(words_[at]), p.name, why));
      }
      ++at;
    }
    if (at != words_.size()) refuse_line(fmt::format("has {} values, its element has {}", words_.size(), at));
    --left_;
  }

  void read_records(ChunkBuffer& buffer) {
    const std::size_t size = elements_[vertex_].least_size();
    const std::size_t count = std::min<std::uint64_t>(left_, buffer.room());
    records_.resize(count * size);
    if (!reader_.take(records_.data(), records_.size())) refuse_end(elements_[vertex_], left_);
    const std::size_t row = buffer.size();
    buffer.extend(count);
    decode_records(records_.data(), count, size, fields_, swap(), buffer, row);
    left_ -= count;
  }

  bool swap() const {
    return (header_.encoding == CloudEncoding::binary_big_endian) != (std::endian::native == std::endian::big);
  }

  // One entry with lists in it.
  void read_record(const Element& vertex, ChunkBuffer& buffer) {
    records_.clear();
    for (const Property& p : vertex.properties) {
      if (p.count_type) {
        if (!skip_list(p)) refuse_end(vertex, left_);
        continue;
      }
      const std::size_t at = records_.size();
      records_.resize(at + size_of(p.type));
      if (!reader_.take(records_.data() + at, size_of(p.type))) refuse_end(vertex, left_);
    }
    const std::size_t row = buffer.size();
    buffer.extend(1);
    decode_records(records_.data(), 1, records_.size(), fields_, swap(), buffer, row);
    --left_;
  }

  bool skip_list(const Property& p) {
    char raw[8] = {};
    const std::size_t size = size_of(*p.count_type);
    if (!reader_.take(raw, size)) return false;
    if (swap()) std::reverse(raw, raw + size);
    const double length = load_as_double(raw, *p.count_type);
    if (length < 0) refuse_byte(fmt::format("list '{}' has the length {}", p.name, length));
    return reader_.skip(static_cast<std::uint64_t>(length) * size_of(p.type));
  }

  void skip_element(const Element& element) {
    if (element.properties.empty()) return;
    if (header_.encoding == CloudEncoding::ascii) {
      std::string_view line;
      for (std::uint64_t i = 0; i < element.count; ++i) {
        if (!next_line(line)) refuse_end(element, element.count - i);
      }
    } else if (!element.has_lists()) {
      if (!reader_.skip(element.count * element.least_size())) refuse_end(element, element.count);  // see check_sizes
    } else {
      for (std::uint64_t i = 0; i < element.count; ++i) {
        for (const Property& p : element.properties) {
          if (!(p.count_type ? skip_list(p) : reader_.skip(size_of(p.type)))) refuse_end(element, element.count - i);
        }
      }
    }
  }

  // Points beyond the count that the header states would go unnoticed: rather refuse the file.
  void check_end() {
    if (header_.encoding == CloudEncoding::ascii) {
      std::string_view line;
      if (next_line(line)) refuse_line("comes after the last entry that the header counts; its counts are too small");
    } else {
      const std::uint64_t more = reader_.remaining();
      if (!reader_.only_padding_follows()) {
        throw Error(reader_.name(), fmt::format("{} bytes follow the last entry that the header counts; its counts are "
                                                "too small",
                                                more));
      }
    }
  }

  ByteReader reader_;
  std::vector<Element> elements_;
  std::size_t vertex_ = 0;
  std::vector<RecordField> fields_;  // of the points, without lists
  std::uint64_t left_ = 0;
  bool finished_ = false;
  std::vector<std::string_view> words_;
  std::vector<char> records_;
};

}  // namespace

std::unique_ptr<CloudSource> open_ply(std::shared_ptr<const Bytes> bytes) {
  return std::make_unique<PlySource>(std::move(bytes));
}

}  // namespace graze::io
