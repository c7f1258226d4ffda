// PTX: scans one after the other, each a grid of points in the scanner's frame and a matrix that moves them.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "graze/base/error.h"
#include "io/cloud_source.h"
#include "io/text_table.h"

namespace graze::io {
namespace {

class PtxSource : public CloudSource {
 public:
  explicit PtxSource(std::shared_ptr<const Bytes> bytes) : reader_(std::move(bytes)) {
    header_.format = CloudFormat::text;
    header_.encoding = CloudEncoding::ascii;
    header_.coordinates = NumberType::float64;
    header_.file_size = reader_.bytes().size();
    header_.notes.emplace_back("points are moved by the matrices of their scans");
    if (!read_scan_header()) throw Error(reader_.name(), "holds no scan");
    // The first row determines the columns of all scans, of which the first may be empty.
    while (left_ == 0 && read_scan_header()) {
    }
    if (left_ > 0) {
      need_line("a point");
      first_line_ = line_;
      choose_columns();
    }
  }

  void fill(ChunkBuffer& buffer) override {
    while (buffer.room() > 0) {
      if (left_ == 0) {
        if (!read_scan_header()) return note_no_returns();
        continue;
      }
      if (first_line_.empty()) need_line("a point");
      else split_blanks(first_line_, words_);
      read_row(buffer);
      first_line_.clear();
      --left_;
    }
  }

  std::uint64_t position() const override { return reader_.position(); }

 private:
  [[noreturn]] void refuse_line(const std::string& why) const {
    throw Error(reader_.name(), reader_.line_number(), why);
  }

  // The words of the next line that is not blank.
  bool next_line() {
    while (reader_.line(line_)) {
      if (reader_.line_number() == 1 && line_.starts_with("\xEF\xBB\xBF")) line_.remove_prefix(3);
      if (line_.find('\0') != std::string_view::npos) refuse_line("holds a NUL byte; this is not text");
      split_blanks(line_, words_);
      if (!words_.empty()) return true;
    }
    return false;
  }
  void need_line(std::string_view what) {
    if (next_line()) return;
    throw Error(reader_.name(), fmt::format("ends within scan {}, where {} is expected ({} points are missing); was it "
                                            "cut off?",
                                            scan_, what, left_));
  }

  double number(std::size_t i) const {
    double value = 0;
    if (const char* why = parse_number(words_[i], NumberType::float64, &value)) {
      refuse_line(fmt::format("{} in column {} {}", in_quotes(words_[i]), i + 1, why));
    }
    return value;
  }
  // `count` finite numbers.
  void read_numbers(std::string_view what, std::size_t count, double* to) {
    need_line(what);
    if (words_.size() != count) refuse_line(fmt::format("{} has {} numbers, got {}", what, count, words_.size()));
    for (std::size_t i = 0; i < count; ++i) {
      to[i] = number(i);
      if (!std::isfinite(to[i])) refuse_line(fmt::format("{} in {} is not finite", in_quotes(words_[i]), what));
    }
  }
  std::uint64_t count_of(std::string_view what) const {
    std::uint64_t count = 0;
    if (words_.size() != 1 || !parse_count(words_[0], count)) {
      refuse_line(fmt::format("expected the number of {} of scan {}, got {}", what, scan_, in_quotes(line_)));
    }
    return count;
  }

  // Columns, rows, where the scanner stands and its axes, then the matrix, for rows x y z 1 from the left.
  bool read_scan_header() {
    if (!next_line()) return false;
    ++scan_;
    const std::uint64_t columns = count_of("columns");
    need_line("the number of rows");
    const std::uint64_t rows = count_of("rows");
    double unused[3];
    read_numbers("the position of the scanner", 3, unused);
    for (int axis = 0; axis < 3; ++axis) read_numbers("an axis of the scanner", 3, unused);
    for (auto& row : matrix_) read_numbers("a row of the matrix", 4, row.data());
    if (matrix_[0][3] != 0 || matrix_[1][3] != 0 || matrix_[2][3] != 0 || matrix_[3][3] != 1) {
      refuse_line("the last column of the matrix must be 0 0 0 1");
    }
    // A point takes at least three digits, two blanks and the end of its line.
    const std::uint64_t room = (reader_.remaining() + 1) / 6;
    if (columns != 0 && rows > room / columns) {
      refuse_line(
          fmt::format("scan {} claims {} × {} points, but only {} bytes follow; the header is wrong or the "
                      "file was cut off",
                      scan_, columns, rows, reader_.remaining()));
    }
    left_ = columns * rows;
    return true;
  }

  // x y z, intensity, red green blue; all but the coordinates may be missing.
  void choose_columns() {
    columns_ = words_.size();
    if (columns_ != 3 && columns_ != 4 && columns_ != 7) {
      refuse_line(fmt::format("a point has 3, 4 or 7 numbers (x y z intensity red green blue), got {}", columns_));
    }
    constexpr std::array<const char*, 4> kNames = {"intensity", "red", "green", "blue"};
    for (std::size_t i = 3; i < columns_; ++i) add_attribute(kNames[i - 3], NumberType::float64, reader_.name());
  }

  void read_row(ChunkBuffer& buffer) {
    if (words_.size() != columns_) {
      refuse_line(fmt::format("has {} columns instead of {}", words_.size(), columns_));
    }
    const double p[3] = {number(0), number(1), number(2)};
    if (p[0] == 0 && p[1] == 0 && p[2] == 0) {
      ++no_returns_;
      return;
    }
    const std::size_t row = buffer.size();
    buffer.extend(1);
    for (std::size_t i = 0; i < 3; ++i) {
      buffer.point(row)[i] = p[0] * matrix_[0][i] + p[1] * matrix_[1][i] + p[2] * matrix_[2][i] + matrix_[3][i];
    }
    for (std::size_t i = 3; i < columns_; ++i) {
      const double value = number(i);
      std::memcpy(buffer.value(i - 3, row), &value, sizeof value);
    }
  }

  void note_no_returns() {
    if (no_returns_ == 0) return;
    header_.notes.push_back(fmt::format("{} points at (0, 0, 0) of the scanner are no returns, and are left out",
                                        std::exchange(no_returns_, 0)));
  }

  ByteReader reader_;
  std::string_view line_;
  std::vector<std::string_view> words_;
  std::string first_line_;
  std::size_t columns_ = 0;
  std::uint64_t scan_ = 0, left_ = 0;  // points of this scan that are not read yet
  std::uint64_t no_returns_ = 0;
  std::array<std::array<double, 4>, 4> matrix_{};
};

}  // namespace

bool looks_like_ptx(const std::shared_ptr<const Bytes>& bytes) {
  ByteReader reader(bytes);
  std::string_view line;
  // Two lines with a count each, where a PTS file has one.
  for (int i = 0; i < 2; ++i) {
    std::uint64_t count = 0;
    if (reader.remaining() == 0 || !reader.line(line) || !parse_count(trimmed(line), count)) return false;
  }
  return true;
}

std::unique_ptr<CloudSource> open_ptx(std::shared_ptr<const Bytes> bytes) {
  return std::make_unique<PtxSource>(std::move(bytes));
}

}  // namespace graze::io
