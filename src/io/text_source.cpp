// Tables of text: XYZ, CSV, TXT, PTS, with whatever separates the columns and with or without their names.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "graze/base/error.h"
#include "io/cloud_names.h"
#include "io/cloud_source.h"
#include "io/json_line.h"
#include "io/text_table.h"

namespace graze::io {
namespace {

// From here on there are whole numbers that no double is.
constexpr double kBeyond = 9007199254740992;
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

bool names_axes(const std::vector<std::string_view>& words) {
  bool seen[3] = {};
  for (const std::string_view word : words) {
    const std::string name = plain_name(word);
    if (name == "x" || name == "y" || name == "z") seen[name[0] - 'x'] = true;
  }
  return seen[0] && seen[1] && seen[2];
}

class TextSource : public CloudSource {
 public:
  explicit TextSource(std::shared_ptr<const Bytes> bytes) : reader_(std::move(bytes)) {
    header_.format = CloudFormat::text;
    header_.encoding = CloudEncoding::ascii;
    header_.coordinates = NumberType::float64;
    header_.file_size = reader_.bytes().size();
    read_start();
  }

  void fill(ChunkBuffer& buffer) override {
    if (!first_line_.empty() && buffer.room() > 0) {
      const std::string line = std::move(first_line_);
      first_line_.clear();
      read_row(line, buffer);
    }
    std::string_view line;
    while (buffer.room() > 0 && !ended_) {
      if (!next_line(line)) {
        ended_ = true;
        check_count();
      } else {
        read_row(line, buffer);
      }
    }
  }

  std::uint64_t position() const override { return reader_.position(); }

 private:
  [[noreturn]] void refuse_line(const std::string& why) const {
    throw Error(reader_.name(), reader_.line_number(), why);
  }

  // The next line that is neither blank nor a comment; the last comment is kept while the names may stand in it.
  bool next_line(std::string_view& line) {
    while (reader_.line(line)) {
      if (reader_.line_number() == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
      if (trimmed(line).empty()) continue;
      const std::optional<std::string_view> text = comment_in(line);
      if (!text) return true;
      if (!started_) last_comment_ = *text;
    }
    return false;
  }

  void read_start() {
    std::string_view line;
    std::vector<std::string_view> words;
    std::vector<std::string> names;
    bool any = next_line(line);
    // A first line with nothing but a count, as PTS files have it.
    if (any && trimmed(line).find_first_not_of("0123456789") == std::string_view::npos) {
      std::uint64_t count = 0;
      if (parse_count(trimmed(line), count)) header_.points = header_.width = count;
      any = next_line(line);
    }
    if (any && line.find('\0') != std::string_view::npos) refuse_line("holds a NUL byte; this is not text");
    if (any) {
      separator_ = separator_of(line);
      split_line(line, separator_, words);
      drop_last_if_empty(words);
      if (!all_numbers(words)) {
        if (!names_axes(words)) refuse_names(words);
        for (const std::string_view word : words) names.emplace_back(trimmed(word));
        any = next_line(line);
        if (any) choose_separator_below(line, names.size());
      } else {
        names = names_in_comment(words.size());
      }
    } else {
      names = names_in_comment(0);
      if (names.empty() && !header_.points) {
        throw Error(reader_.name(), "holds no points and no line with the names x, y and z");
      }
      if (names.empty()) names = {"x", "y", "z"};
    }
    if (any) {
      split_line(line, separator_, words);
      if (names.empty() || words.size() == names.size() + 1) drop_last_if_empty(words);
      if (names.empty()) names = numbered(words.size());
      first_line_ = line;
    } else {
      words.clear();
    }
    choose_targets(names, words);
    started_ = true;
  }

  // Names may be apart by commas where the rows below them are apart by blanks.
  void choose_separator_below(std::string_view line, std::size_t columns) {
    const char below = separator_of(line);
    std::vector<std::string_view> words;
    split_line(line, separator_, words);
    if (words.size() != 1 || below == separator_) return;
    split_line(line, below, words);
    if (words.size() == columns) separator_ = below;
  }

  bool all_numbers(const std::vector<std::string_view>& words) const {
    double value = 0;
    // A line of data may have words in it; a line of names has no number in its first three columns.
    bool any = false;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, words.size()); ++i) {
      any = any || words[i].empty() || parse_value(words[i], separator_, value) == nullptr;
    }
    return any;
  }

  [[noreturn]] void refuse_names(const std::vector<std::string_view>& words) const {
    std::string list;
    // Enough to see which line it is, and not the line itself: it may be any file.
    for (std::size_t i = 0; i < std::min<std::size_t>(words.size(), 4); ++i) {
      list += (i == 0 ? "" : ", ") + in_quotes(shortened(words[i], 12));
    }
    refuse_line(fmt::format("the columns must be numbers or named, with x, y and z among the names; got {}{}", list,
                            words.size() > 4 ? ", …" : ""));
  }

  // "# x y z intensity" or "//X,Y,Z" before the first line of numbers
  std::vector<std::string> names_in_comment(std::size_t columns) const {
    std::vector<std::string_view> words;
    split_line(last_comment_, separator_of(last_comment_), words);
    drop_last_if_empty(words);
    if (!names_axes(words) || (columns != 0 && words.size() != columns)) return {};
    std::vector<std::string> names;
    for (const std::string_view word : words) names.emplace_back(trimmed(word));
    return names;
  }

  std::vector<std::string> numbered(std::size_t columns) const {
    if (columns < 3) refuse_line(fmt::format("has {} columns; x, y and z need three", columns));
    std::vector<std::string> names = {"x", "y", "z"};
    // What follows a count is a PTS file.
    if (header_.points && (columns == 4 || columns == 7)) names.emplace_back("intensity");
    if (header_.points && (columns == 6 || columns == 7)) names.insert(names.end(), {"red", "green", "blue"});
    for (std::size_t i = names.size(); i < columns; ++i) names.push_back(fmt::format("column_{}", i + 1));
    return names;
  }

  void choose_targets(const std::vector<std::string>& names, const std::vector<std::string_view>& first_row) {
    // The column called x, or else the first one that means it: X, "X [m]".
    std::size_t axes[3] = {names.size(), names.size(), names.size()};
    for (const bool exact : {true, false}) {
      for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string name = exact ? names[i] : plain_name(names[i]);
        if (is_axis(name) && axes[name[0] - 'x'] == names.size()) axes[name[0] - 'x'] = i;
      }
    }
    std::size_t words_left_out = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto axis = static_cast<int>(std::find(axes, axes + 3, i) - axes);
      double value = 0;
      if (axis < 3) {
        targets_.push_back(axis);
      } else if (i < first_row.size() && !first_row[i].empty() &&
                 parse_value(first_row[i], separator_, value) != nullptr) {
        targets_.push_back(kNowhere);
        if (++words_left_out <= 8) {
          header_.notes.push_back(fmt::format("column {} holds words, such as {}, and is not read", in_quotes(names[i]),
                                              in_quotes(first_row[i])));
        }
      } else {
        targets_.push_back(add_attribute(names[i], NumberType::float64, reader_.name()));
      }
    }
    names_ = names;
    rounded_.assign(names.size(), false);
  }

  void read_row(std::string_view line, ChunkBuffer& buffer) {
    split_line(line, separator_, words_);
    if (words_.size() == targets_.size() + 1) drop_last_if_empty(words_);
    if (words_.size() != targets_.size()) {
      refuse_line(fmt::format("has {} columns instead of {}", words_.size(), targets_.size()));
    }
    const std::size_t row = buffer.size();
    buffer.extend(1);
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (targets_[i] == kNowhere) continue;
      double value = kNothing;
      const char* why = words_[i].empty() ? nullptr : parse_value(words_[i], separator_, value);
      if (why != nullptr) refuse_line(fmt::format("{} in column '{}' {}", in_quotes(words_[i]), names_[i], why));
      if (std::abs(value) >= kBeyond && !rounded_[i]) note_rounding(i, value);
      if (targets_[i] < kAttribute) {
        buffer.point(row)[targets_[i]] = value;
      } else {
        std::memcpy(buffer.value(static_cast<std::size_t>(targets_[i] - kAttribute), row), &value, sizeof value);
      }
    }
    ++rows_;
  }

  // A whole number that is no double is rounded; other digits beyond a double's are not worth a word.
  void note_rounding(std::size_t column, double value) {
    const std::string_view word = words_[column];
    constexpr std::size_t kMaxNotes = 8;
    if (word.find_first_not_of("+-0123456789") != std::string_view::npos || fmt::format("{:.0f}", value) == word)
      return;
    rounded_[column] = true;
    if (static_cast<std::size_t>(std::count(rounded_.begin(), rounded_.end(), true)) > kMaxNotes) return;
    header_.notes.push_back(fmt::format("column {} has whole numbers that a double rounds, such as {} in line {}",
                                        in_quotes(names_[column]), in_quotes(word), reader_.line_number()));
  }

  void check_count() const {
    if (header_.points && *header_.points != rows_) {
      throw Error(reader_.name(), fmt::format("states {} points in its first line, but {} follow; was it cut off?",
                                              *header_.points, rows_));
    }
  }

  ByteReader reader_;
  char separator_ = '\0';
  std::vector<std::string> names_;
  std::vector<int> targets_;   // one per column
  std::vector<bool> rounded_;  // and whether rounding was noted
  std::string last_comment_, first_line_;
  bool started_ = false, ended_ = false;
  std::uint64_t rows_ = 0;
  std::vector<std::string_view> words_;
};

}  // namespace

std::unique_ptr<CloudSource> open_text(std::shared_ptr<const Bytes> bytes) {
  return std::make_unique<TextSource>(std::move(bytes));
}

}  // namespace graze::io
