#include "graze/io/height_field_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "graze/base/error.h"
#include "io/bytes.h"
#include "io/grey_png.h"

namespace graze {
namespace io {
namespace {

bool has_ending(const std::string& name, std::string_view ending) {
  if (name.size() < ending.size()) return false;
  return std::equal(ending.begin(), ending.end(), name.end() - static_cast<std::ptrdiff_t>(ending.size()),
                    [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

/// Heights as they come, with no more memory than the file is worth.
class HeightRows {
 public:
  HeightRows(const std::string& name, std::size_t columns, std::size_t rows, std::uint64_t bytes, std::uint64_t each)
      : HeightRows(name, columns, rows, bytes / each + 1) {}
  HeightRows(const std::string& name, std::size_t columns, std::size_t rows, std::uint64_t most)
      : columns_(columns), rows_(rows) {
    if (columns < 2 || rows < 2)
      throw Error(name, fmt::format("must have 2 × 2 heights or more, got {} × {}", columns, rows));
    // A number takes at least `each` bytes: more than the file can hold are refused before there is memory for them.
    if (rows > most / columns + 1) throw Error(name, fmt::format("{} × {} heights exceed the file", columns, rows));
    heights_.reserve(columns * rows);
  }
  bool full() const { return heights_.size() == columns_ * rows_; }
  std::size_t size() const { return heights_.size(); }
  void add(double z) { heights_.push_back(z); }
  std::string place() const { return fmt::format("row {}, column {}", size() / columns_, size() % columns_); }
  /// The first row is that of the largest y.
  void flip() {
    for (std::size_t j = 0; j < rows_ / 2; ++j) {
      const auto row = [&](std::size_t k) { return heights_.begin() + static_cast<std::ptrdiff_t>(k * columns_); };
      std::swap_ranges(row(j), row(j + 1), row(rows_ - 1 - j));
    }
  }
  HeightField field(const std::string& name, double dx, double dy) const {
    try {
      return HeightField({.columns = columns_, .rows = rows_, .dx = dx, .dy = dy}, std::span(heights_));
    } catch (const Error& error) {
      throw Error(name, std::string(error.what()).substr(error.where().size() + 2));
    }
  }

 private:
  std::size_t columns_, rows_;
  std::vector<double> heights_;
};

/// Words of a text, with the number of their line.
class Words {
 public:
  explicit Words(std::shared_ptr<const Bytes> bytes) : reader_(std::move(bytes)) {}
  /// False at the end.
  bool next(std::string_view& word) {
    while (true) {
      const std::size_t from = line_.find_first_not_of(" \t\r\f\v,");
      if (from != std::string_view::npos) {
        line_.remove_prefix(from);
        const std::size_t length = std::min(line_.find_first_of(" \t\r\f\v,"), line_.size());
        word = line_.substr(0, length);
        line_.remove_prefix(length);
        return true;
      }
      if (!reader_.line(line_)) return false;
    }
  }
  std::size_t line_number() const { return reader_.line_number(); }
  [[noreturn]] void refuse(const std::string& why) const { throw Error(reader_.name(), line_number(), why); }
  double number(std::string_view what) {
    std::string_view word;
    if (!next(word)) refuse(fmt::format("expected {}, got the end of the file", what));
    return number_of(word, what);
  }
  double number_of(std::string_view word, std::string_view what) const {
    double value = 0;
    const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size())
      refuse(fmt::format("expected {}, got '{}'", what, word.substr(0, 40)));
    return value;
  }
  std::size_t count(std::string_view what) {
    const double value = number(what);
    constexpr double kMost = 2147483648.0;
    if (!(value >= 0 && value <= kMost && value == std::floor(value)))
      refuse(fmt::format("expected a whole number of {}, got {}", what, value));
    return static_cast<std::size_t>(value);
  }

 private:
  ByteReader reader_;
  std::string_view line_;
};

void refuse_cell(const std::string& name, const ReadHeightFieldOptions& options) {
  if (options.dx != 0 || options.dy != 0) throw Error(name, "states the size of its cells itself");
}
void refuse_columns(const std::string& name, const ReadHeightFieldOptions& options) {
  if (options.columns != 0) throw Error(name, "states how many columns it has itself");
}
void need_cell(const std::string& name, const ReadHeightFieldOptions& options) {
  if (!(options.dx > 0 && options.dy > 0))
    throw Error(name, fmt::format("does not state the size of its cells; expected dx and dy above 0, got {} and {}",
                                  options.dx, options.dy));
}

void need_finite_scale(const std::string& name, const ReadHeightFieldOptions& options) {
  if (!std::isfinite(options.scale) || !std::isfinite(options.offset))
    throw Error(name, "scale and offset must be finite");
}

HeightFieldFile read_ascii_grid(const std::shared_ptr<const Bytes>& bytes, const ReadHeightFieldOptions& options) {
  const std::string& name = bytes->name();
  refuse_cell(name, options);
  refuse_columns(name, options);
  need_finite_scale(name, options);
  Words words(bytes);
  std::size_t columns = 0, rows = 0;
  double dx = 0, dy = 0, x = 0, y = 0, hole = -9999;  // unless the file says otherwise
  bool corner_x = false, corner_y = false;
  std::string_view word;
  bool more = words.next(word);
  // Names until the first number.
  for (; more && std::isalpha(static_cast<unsigned char>(word[0])) != 0; more = words.next(word)) {
    std::string key(word.substr(0, 40));
    std::transform(key.begin(), key.end(), key.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (key == "nan" || key == "inf" || key == "infinity") break;
    if (key == "ncols") columns = words.count("columns");
    else if (key == "nrows") rows = words.count("rows");
    else if (key == "cellsize") dx = dy = words.number("the size of a cell");
    else if (key == "dx") dx = words.number("dx");
    else if (key == "dy") dy = words.number("dy");
    else if (key == "xllcorner" || key == "xllcenter") x = words.number(key), corner_x = key == "xllcorner";
    else if (key == "yllcorner" || key == "yllcenter") y = words.number(key), corner_y = key == "yllcorner";
    else if (key == "nodata_value") hole = words.number("the value of holes");
    else words.refuse(fmt::format("unknown name '{}' in the header", key));
  }
  if (columns == 0 || rows == 0 || dx == 0 || dy == 0)
    throw Error(name, "must have ncols, nrows and cellsize (or dx and dy)");
  HeightRows heights(name, columns, rows, bytes->size(), 2);
  for (; more; more = words.next(word)) {
    if (heights.full()) words.refuse(fmt::format("has more than {} × {} heights", columns, rows));
    const double z = words.number_of(word, "a height");
    if (!std::isfinite(z) || z == hole)
      words.refuse(
          fmt::format("{} from the top is a hole, which is neither free nor occupied; fill it first", heights.place()));
    heights.add(options.offset + options.scale * z);
  }
  if (!heights.full())
    throw Error(name, fmt::format("expected {} × {} heights, got {}", columns, rows, heights.size()));
  heights.flip();
  return {heights.field(name, dx, dy), {x + (corner_x ? dx / 2 : 0), y + (corner_y ? dy / 2 : 0), 0}};
}

/// The header of a grey image, up to the one white space after the largest value.
struct GreyHeader {
  std::size_t columns, rows, largest;
  bool binary;
};
GreyHeader read_grey_header(ByteReader& reader) {
  const auto refuse = [&](const std::string& why) { throw Error(reader.name(), why); };
  char magic[2] = {0, 0};
  if (!reader.take(magic, 2) || magic[0] != 'P' || (magic[1] != '2' && magic[1] != '5'))
    refuse("must start with P2 or P5");
  const auto number = [&](const char* what) {
    std::size_t value = 0;
    int digits = 0;
    char c = 0;
    while (true) {
      if (!reader.take(&c, 1)) refuse(fmt::format("expected {}, got the end of the file", what));
      if (c == '#' && digits == 0) {
        while (c != '\n' && reader.take(&c, 1)) {
        }
      } else if (c >= '0' && c <= '9') {
        value = 10 * value + static_cast<std::size_t>(c - '0');
        if (++digits > 10) refuse(fmt::format("expected {}, got a number of more than 10 digits", what));
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        if (digits > 0) return value;
      } else {
        refuse(fmt::format("expected {}, got '{}'", what, c));
      }
    }
  };
  GreyHeader h{number("columns"), number("rows"), number("the largest value"), magic[1] == '5'};
  if (h.largest < 1 || h.largest > 65535)
    refuse(fmt::format("the largest value must be between 1 and 65535, got {}", h.largest));
  return h;
}

HeightFieldFile read_grey_image(const std::shared_ptr<const Bytes>& bytes, const ReadHeightFieldOptions& options) {
  const std::string& name = bytes->name();
  need_cell(name, options);
  refuse_columns(name, options);
  need_finite_scale(name, options);
  ByteReader reader(bytes);
  const GreyHeader h = read_grey_header(reader);
  const std::size_t each = h.binary && h.largest > 255 ? 2 : 1;
  HeightRows heights(name, h.columns, h.rows, bytes->size(), h.binary ? each : 2);
  const auto add = [&](std::size_t value) {
    if (value > h.largest)
      throw Error(name, fmt::format("{} from the top is {}, more than {}", heights.place(), value, h.largest));
    heights.add(options.offset + options.scale * static_cast<double>(value));
  };
  const auto short_of = [&] {
    throw Error(name, fmt::format("expected {} × {} heights, got {}", h.columns, h.rows, heights.size()));
  };
  while (!heights.full()) {
    if (h.binary) {
      std::array<unsigned char, 2> raw{};
      if (!reader.take(raw.data(), each)) short_of();
      add(each == 2 ? std::size_t{256} * raw[0] + raw[1] : raw[0]);
      continue;
    }
    std::size_t value = 0;
    int digits = 0;
    char c = 0;
    while (true) {
      if (!reader.take(&c, 1)) {
        if (digits == 0) short_of();
        break;
      }
      const bool digit = c >= '0' && c <= '9';
      if (!digit && digits > 0) break;
      if (!digit && c != ' ' && c != '\t' && c != '\r' && c != '\n')
        throw Error(name, fmt::format("{} from the top: expected a number, got '{}'", heights.place(), c));
      if (digit && ++digits > 9) throw Error(name, "has a number of more than 9 digits");
      if (digit) value = 10 * value + static_cast<std::size_t>(c - '0');
    }
    add(value);
  }
  if (!reader.only_padding_follows())
    throw Error(name, fmt::format("has more than {} × {} heights", h.columns, h.rows));
  heights.flip();
  return {heights.field(name, options.dx, options.dy)};
}

HeightFieldFile read_png(const std::shared_ptr<const Bytes>& bytes, const ReadHeightFieldOptions& options) {
  const std::string& name = bytes->name();
  need_cell(name, options);
  refuse_columns(name, options);
  need_finite_scale(name, options);
  GreyPng image(bytes);
  // A row of one value takes next to nothing. All of the memory stays within what readers may take.
  constexpr std::uint64_t kLeast = std::uint64_t{64} << 20, kPerByte = 64, kPerHeight = 24;
  const std::uint64_t most = (kLeast + kPerByte * bytes->size()) / kPerHeight;
  if (std::uint64_t{image.columns()} * image.rows() > most)
    throw Error(name, fmt::format("{} × {} heights exceed the limit of {} for a file of {} bytes; cut it into several",
                                  image.columns(), image.rows(), most, bytes->size()));
  HeightRows heights(name, image.columns(), image.rows(), most);
  std::vector<std::uint16_t> row(image.columns());
  const auto hole = image.transparent();
  while (!heights.full()) {
    image.next_row(row);
    for (const std::uint16_t value : row) {
      if (value == hole)
        throw Error(name, fmt::format("{} from the top is a hole, which is neither free nor occupied; fill it first",
                                      heights.place()));
      heights.add(options.offset + options.scale * value);
    }
  }
  image.finish();
  heights.flip();
  return {heights.field(name, options.dx, options.dy)};
}

HeightFieldFile read_raw_floats(const std::shared_ptr<const Bytes>& bytes, const ReadHeightFieldOptions& options) {
  const std::string& name = bytes->name();
  need_cell(name, options);
  need_finite_scale(name, options);
  if (options.columns == 0) throw Error(name, "is raw floats: state how many columns a row has (columns)");
  const std::uint64_t count = bytes->size() / sizeof(float);
  if (options.columns < 2 || bytes->size() % sizeof(float) != 0 || count % options.columns != 0)
    throw Error(name, fmt::format("expected rows of 2 or more float32, got {} bytes for {} columns", bytes->size(),
                                  options.columns));
  HeightRows heights(name, options.columns, static_cast<std::size_t>(count / options.columns), bytes->size(),
                     sizeof(float));
  ByteReader reader(bytes);
  while (!heights.full()) {
    std::array<unsigned char, 4> raw{};
    if (!reader.take(raw.data(), raw.size())) throw Error(name, "ends early");
    const std::uint32_t word = std::uint32_t{raw[0]} | std::uint32_t{raw[1]} << 8U | std::uint32_t{raw[2]} << 16U |
                               std::uint32_t{raw[3]} << 24U;
    float z = 0;
    std::memcpy(&z, &word, sizeof z);
    if (!std::isfinite(z))
      throw Error(name,
                  fmt::format("{} is a hole, which is neither free nor occupied; fill it first", heights.place()));
    heights.add(options.offset + options.scale * static_cast<double>(z));
  }
  return {heights.field(name, options.dx, options.dy)};
}

HeightFieldFile read_heights(const std::shared_ptr<const Bytes>& bytes, const ReadHeightFieldOptions& options) {
  const std::string& name = bytes->name();
  if (has_ending(name, ".asc")) return read_ascii_grid(bytes, options);
  if (has_ending(name, ".pgm")) return read_grey_image(bytes, options);
  if (has_ending(name, ".f32")) return read_raw_floats(bytes, options);
  if (has_ending(name, ".png")) return read_png(bytes, options);
  throw Error(name, "expected a height field in an .asc, .pgm, .png or .f32 file");
}

}  // namespace
}  // namespace io

HeightFieldFile read_height_field(const std::string& path, const ReadHeightFieldOptions& options) {
  return io::read_heights(io::Bytes::open(path), options);
}

HeightFieldFile parse_height_field(std::string_view bytes, const std::string& name,
                                   const ReadHeightFieldOptions& options) {
  return io::read_heights(io::Bytes::of(bytes, name), options);
}

bool is_height_field_file(const std::string& path) {
  const auto has = [&](std::string_view ending) { return io::has_ending(path, ending); };
  return has(".asc") || has(".pgm") || has(".png") || has(".f32");
}

}  // namespace graze
