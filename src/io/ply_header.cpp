#include "io/ply_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "graze/base/error.h"
#include "io/cloud_source.h"

namespace graze::io {
namespace {

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

class HeaderReader {
 public:
  explicit HeaderReader(ByteReader& reader) : reader_(reader) {}

  PlyHeader read() {
    read_lines();
    check_sizes();
    return std::move(header_);
  }

 private:
  [[noreturn]] void refuse_line(const std::string& why) const {
    throw Error(reader_.name(), reader_.line_number(), why);
  }

  void read_lines() {
    std::string_view line;
    if (!reader_.line(line) || line.substr(0, line.find_last_not_of(" \t") + 1) != "ply") {
      throw Error(reader_.name(), "is not a PLY file: its first line is not 'ply'");
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
        refuse_line(fmt::format("{} is not a keyword of a PLY header (format, element, property, comment, end_header)",
                                in_quotes(words[0])));
      }
    }
    if (!format) throw Error(reader_.name(), "the PLY header has no format line");
  }

  void read_format(const std::vector<std::string_view>& words) {
    if (words.size() != 3) refuse_line("the format line must read 'format ENCODING 1.0'");
    header_.version = words[2];
    if (words[1] == "ascii") {
      header_.encoding = PlyEncoding::ascii;
    } else if (words[1] == "binary_little_endian") {
      header_.encoding = PlyEncoding::little_endian;
    } else if (words[1] == "binary_big_endian") {
      header_.encoding = PlyEncoding::big_endian;
    } else {
      refuse_line(
          fmt::format("format {} is not ascii, binary_little_endian or binary_big_endian", in_quotes(words[1])));
    }
    if (words[2] != "1.0") refuse_line(fmt::format("PLY version {} is not 1.0", in_quotes(words[2])));
  }

  void read_element(const std::vector<std::string_view>& words) {
    if (words.size() != 3) refuse_line("an element line must read 'element NAME COUNT'");
    if (header_.elements.size() >= kMaxColumns) refuse_line(fmt::format("has more than {} elements", kMaxColumns));
    PlyElement& element = header_.elements.emplace_back();
    element.name = words[1];
    if (!parse_count(words[2], element.count))
      refuse_line(fmt::format("element count {} is not a count", in_quotes(words[2])));
    for (std::size_t i = 0; i + 1 < header_.elements.size(); ++i) {
      if (header_.elements[i].name == element.name)
        refuse_line(fmt::format("element {} comes twice", in_quotes(element.name)));
    }
  }

  void read_property(const std::vector<std::string_view>& words) {
    if (header_.elements.empty()) refuse_line("a property comes before any element");
    PlyElement& element = header_.elements.back();
    if (element.properties.size() >= kMaxColumns) refuse_line(fmt::format("has more than {} properties", kMaxColumns));
    const bool list = words.size() == 5 && words[1] == "list";
    if (!list && words.size() != 3) {
      refuse_line("a property line must read 'property TYPE NAME' or 'property list TYPE TYPE NAME'");
    }
    PlyProperty& property = element.properties.emplace_back();
    const auto type = [&](std::string_view word) {
      const std::optional<NumberType> named = type_named(word);
      if (!named) refuse_line(fmt::format("property type {} is unknown", in_quotes(word)));
      return *named;
    };
    if (list) {
      property.count_type = type(words[2]);
      if (is_float(*property.count_type)) refuse_line("the length of a list cannot be a float");
    }
    property.type = type(words[list ? 3 : 1]);
    property.name = words.back();
    for (std::size_t i = 0; i + 1 < element.properties.size(); ++i) {
      if (element.properties[i].name == property.name) {
        refuse_line(
            fmt::format("property {} of element {} comes twice", in_quotes(property.name), in_quotes(element.name)));
      }
    }
  }

  // Before anything is read or allocated: the elements fit in the file.
  void check_sizes() const {
    std::uint64_t room = reader_.remaining();
    for (const PlyElement& element : header_.elements) {
      // As text a value takes a digit and a separator, the very last one no separator.
      const bool ascii = header_.ascii();
      const std::uint64_t min_size = ascii ? 2 * element.properties.size() : element.min_size();
      if (min_size == 0) continue;
      if (element.count > (room + (ascii ? 1 : 0)) / min_size) {
        throw Error(reader_.name(),
                    fmt::format("element '{}' claims {} entries of at least {} bytes, but only {} bytes follow; the "
                                "header is wrong or the file was cut off",
                                element.name, element.count, min_size, room));
      }
      room -= std::min(room, element.count * min_size);
    }
  }

  ByteReader& reader_;
  PlyHeader header_;
};

}  // namespace

bool PlyElement::has_lists() const {
  return std::any_of(properties.begin(), properties.end(), [](const PlyProperty& p) { return p.count_type; });
}

std::uint64_t PlyElement::min_size() const {
  std::uint64_t size = 0;
  for (const PlyProperty& p : properties) size += size_of(p.count_type.value_or(p.type));
  return size;
}

bool PlyHeader::swaps() const {
  return !ascii() && (encoding == PlyEncoding::big_endian) != (std::endian::native == std::endian::big);
}

const PlyElement* PlyHeader::element(std::string_view name) const {
  for (const PlyElement& e : elements) {
    if (e.name == name) return &e;
  }
  return nullptr;
}

bool looks_like_ply(std::string_view start) {
  return start.starts_with("ply\n") || start.starts_with("ply\r") || start.starts_with("ply ");
}

PlyHeader read_ply_header(ByteReader& reader) { return HeaderReader(reader).read(); }

void refuse_ply_end(const ByteReader& reader, const PlyElement& element, std::uint64_t missing) {
  throw Error(reader.name(), fmt::format("ends within element '{}': {} of {} entries are missing; was it cut off?",
                                         element.name, missing, element.count));
}

bool next_ply_line(ByteReader& reader, std::string_view& line) {
  while (reader.line(line)) {
    if (line.find_first_not_of(" \t") != std::string_view::npos) return true;
  }
  return false;
}

bool take_ply_length(ByteReader& reader, const PlyProperty& list, bool swap, std::uint64_t& length) {
  char raw[8] = {};
  const std::size_t size = size_of(*list.count_type);
  if (!reader.take(raw, size)) return false;
  if (swap) std::reverse(raw, raw + size);
  const double number = load_as_double(raw, *list.count_type);
  if (number < 0) {
    throw Error(fmt::format("{}: byte {}", reader.name(), reader.position()),
                fmt::format("list '{}' has the length {}", list.name, number));
  }
  length = static_cast<std::uint64_t>(number);
  return true;
}

void skip_ply_element(ByteReader& reader, const PlyHeader& header, const PlyElement& element) {
  if (element.properties.empty()) return;
  if (header.ascii()) {
    std::string_view line;
    for (std::uint64_t i = 0; i < element.count; ++i) {
      if (!next_ply_line(reader, line)) refuse_ply_end(reader, element, element.count - i);
    }
    return;
  }
  if (!element.has_lists()) {
    // No overflow: read_ply_header has compared it with the file.
    if (!reader.skip(element.count * element.min_size())) refuse_ply_end(reader, element, element.count);
    return;
  }
  for (std::uint64_t i = 0; i < element.count; ++i) {
    for (const PlyProperty& p : element.properties) {
      std::uint64_t length = 1;
      if (p.count_type && !take_ply_length(reader, p, header.swaps(), length)) {
        refuse_ply_end(reader, element, element.count - i);
      }
      if (!reader.skip(length * size_of(p.type))) refuse_ply_end(reader, element, element.count - i);
    }
  }
}

void check_ply_end(ByteReader& reader, const PlyHeader& header) {
  if (header.ascii()) {
    std::string_view line;
    if (next_ply_line(reader, line)) {
      throw Error(reader.name(), reader.line_number(),
                  "comes after the last entry that the header counts; its counts are too small");
    }
    return;
  }
  const std::uint64_t more = reader.remaining();
  if (!reader.only_padding_follows()) {
    throw Error(reader.name(), fmt::format("{} bytes follow the last entry that the header counts; its counts are too "
                                           "small",
                                           more));
  }
}

}  // namespace graze::io
