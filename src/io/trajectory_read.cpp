// Lines of numbers that are poses: TUM, KITTI, matrices, tables with names.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "base/rpy.h"
#include "graze/base/error.h"
#include "io/cloud_source.h"
#include "io/text_table.h"
#include "io/trajectory_rows.h"

namespace graze::io {
namespace {

// How far a matrix may be from a rotation: files have as few as six digits.
constexpr double kNearRotation = 1e-3;
// What is not worth a note.
constexpr double kExactRotation = 1e-12;

enum Column : int { kTime, kPx, kPy, kPz, kQx, kQy, kQz, kQw, kRoll, kPitch, kYaw, kColumns };
constexpr std::array<std::string_view, kColumns> kNames = {"time", "x",  "y",    "z",     "qx", "qy",
                                                           "qz",   "qw", "roll", "pitch", "yaw"};

struct Alias {
  std::string_view name;
  Column column;
};
constexpr Alias kAliases[] = {{"t", kTime},    {"timestamp", kTime}, {"stamp", kTime}, {"gps_time", kTime},
                              {"tx", kPx},     {"px", kPx},          {"easting", kPx}, {"ty", kPy},
                              {"py", kPy},     {"northing", kPy},    {"tz", kPz},      {"pz", kPz},
                              {"height", kPz}, {"elevation", kPz},   {"q_x", kQx},     {"q_y", kQy},
                              {"q_z", kQz},    {"q_w", kQw},         {"cant", kRoll}};
// As EuRoC's ground truth names them; its times are in nanoseconds.
constexpr Alias kEuroc[] = {{"p_rs_r_x", kPx}, {"p_rs_r_y", kPy}, {"p_rs_r_z", kPz}, {"q_rs_x", kQx},
                            {"q_rs_y", kQy},   {"q_rs_z", kQz},   {"q_rs_w", kQw}};

// Seconds in a unit of time; 0 if it is none.
double seconds_in(std::string_view unit) {
  if (unit == "s" || unit == "sec" || unit == "seconds") return 1;
  if (unit == "ms") return 1e-3;
  if (unit == "us" || unit == "µs") return 1e-6;
  return unit == "ns" ? 1e-9 : 0;
}

/// "Roll [deg]" and "roll_deg" are roll in degrees, "Time (s)" is time, "timestamp [ns]" time in nanoseconds.
struct ColumnName {
  int column = kNowhere;
  double factor = 1;
  bool has_unit = false, euroc = false;
};

ColumnName column_named(std::string_view word) {
  std::string name;
  for (const char c : trimmed(word)) name += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c;
  std::string unit;
  if (const std::size_t open = name.find_first_of("[("); open != std::string::npos) {
    unit = name.substr(open + 1, name.find_first_of("])", open) - open - 1);
    name = trimmed(std::string_view(name).substr(0, open));
  }
  if (name.ends_with("_deg")) {
    unit = "deg";
    name.resize(name.size() - 4);
  }
  if (name.ends_with("_rad")) name.resize(name.size() - 4);
  ColumnName found;
  for (int k = 0; k < kColumns; ++k) {
    if (name == kNames[static_cast<std::size_t>(k)]) found.column = k;
  }
  for (const Alias& alias : kAliases) {
    if (name == alias.name) found.column = alias.column;
  }
  for (const Alias& alias : kEuroc) {
    if (name == alias.name) found.column = alias.column, found.euroc = true;
  }
  found.has_unit = !unit.empty();
  if (found.column == kTime && seconds_in(unit) != 0) found.factor = seconds_in(unit);
  const bool angle = found.column == kRoll || found.column == kPitch || found.column == kYaw;
  const bool degrees = unit == "deg" || unit == "degree" || unit == "degrees" || unit == "°";
  if (angle && degrees) found.factor = static_cast<double>(EIGEN_PI) / 180;
  return found;
}

class RowReader {
 public:
  RowReader(std::shared_ptr<const Bytes> bytes, const ReadTrajectoryOptions& options)
      : reader_(std::move(bytes)), options_(options) {
    out_.name = reader_.name();
  }

  TrajectoryRows read() {
    if (!next_line()) throw Error(out_.name, "holds no poses");
    separator_ = separator_of(line_);
    split();
    out_.format = options_.format ? *options_.format : format_of_first_line();
    switch (out_.format) {
      case TrajectoryFormat::tum:
        out_.times = true;
        each_line({8}, [&](std::span<const double> v) { add(v[0], {v[1], v[2], v[3]}, {v[4], v[5], v[6], v[7]}); });
        break;
      case TrajectoryFormat::kitti:
        each_line({12, 16}, [&](std::span<const double> v) { add_matrix(v, reader_.line_number()); });
        break;
      case TrajectoryFormat::matrix:
        read_matrices();
        break;
      case TrajectoryFormat::csv:
        read_table();
    }
    note_matrices();
    return std::move(out_);
  }

 private:
  [[noreturn]] void refuse_line(const std::string& why) const { throw Error(out_.name, reader_.line_number(), why); }

  // The next line that is neither blank nor a comment.
  bool next_line() {
    while (reader_.line(line_)) {
      if (reader_.line_number() == 1 && line_.starts_with("\xEF\xBB\xBF")) line_.remove_prefix(3);
      if (line_.find('\0') != std::string_view::npos) refuse_line("holds a NUL byte; this is not text");
      if (trimmed(line_).empty()) continue;
      const std::optional<std::string_view> text = comment_in(line_);
      if (!text) return true;
      if (out_.rows.empty()) last_comment_ = *text;
    }
    return false;
  }

  void split() {
    split_line(line_, separator_, words_);
    drop_last_if_empty(words_);
  }

  bool numbers_only() const {
    double value = 0;
    return std::all_of(words_.begin(), words_.end(), [&](std::string_view word) {
      return word.empty() || parse_value(word, separator_, value) == nullptr;
    });
  }

  TrajectoryFormat format_of_first_line() const {
    if (!numbers_only()) return TrajectoryFormat::csv;
    if (words_.size() == 8) return names_another_order() ? TrajectoryFormat::csv : TrajectoryFormat::tum;
    if (words_.size() == 12 || words_.size() == 16) return TrajectoryFormat::kitti;
    if (words_.size() == 4) return TrajectoryFormat::matrix;
    if (names_in_comment()) return TrajectoryFormat::csv;
    refuse_line(
        fmt::format("has {} columns without names; TUM has 8, KITTI 12, and a table needs a line with the "
                    "names of its columns, such as x,y,z",
                    words_.size()));
  }

  // Whether the comment above names a column that is another one in TUM.
  bool names_another_order() const {
    if (!names_in_comment()) return false;
    std::vector<std::string_view> names;
    split_line(last_comment_, separator_of(last_comment_), names);
    constexpr std::array<int, 8> kTum = {kTime, kPx, kPy, kPz, kQx, kQy, kQz, kQw};
    return !std::equal(kTum.begin(), kTum.end(), names.begin(), [](int column, std::string_view name) {
      const int named = column_named(name).column;
      return named == column || named == kNowhere;
    });
  }

  bool names_in_comment() const {
    std::vector<std::string_view> names;
    split_line(last_comment_, separator_of(last_comment_), names);
    drop_last_if_empty(names);
    return names.size() == words_.size() && std::any_of(names.begin(), names.end(), [](std::string_view name) {
             return column_named(name).column == kPx;
           });
  }

  double number(std::size_t i) const {
    double value = 0;
    const char* why = words_[i].empty() ? "is missing" : parse_value(words_[i], separator_, value);
    if (why != nullptr) refuse_line(fmt::format("{} in column {} {}", in_quotes(words_[i]), i + 1, why));
    return value;
  }

  // This line and all that follow, each with one of these counts of numbers: always the same.
  template <class Use>
  void each_line(std::initializer_list<std::size_t> counts, const Use& use) {
    const std::size_t count = words_.size();
    if (std::find(counts.begin(), counts.end(), count) == counts.end()) {
      refuse_line(fmt::format("has {} numbers; a line of {} has {}", count, name_of(out_.format), *counts.begin()));
    }
    std::array<double, 16> values{};
    do {
      split();
      if (words_.size() != count) {
        refuse_line(fmt::format("has {} columns instead of {}: {}", words_.size(), count, in_quotes(line_)));
      }
      for (std::size_t i = 0; i < count; ++i) values[i] = number(i);
      use(std::span<const double>(values.data(), count));
    } while (next_line());
  }

  void add(double time, const Vec3& position, const std::array<double, 4>& rotation) {
    out_.rows.push_back({reader_.line_number(), time, position, rotation});
  }

  // 12 or 16 numbers, row by row.
  void add_matrix(std::span<const double> v, std::size_t line) {
    const auto refuse = [&](const std::string& why) { throw Error(out_.name, line, why); };
    if (v.size() == 16 && !(v[12] == 0 && v[13] == 0 && v[14] == 0 && v[15] == 1)) {
      refuse("the last row of the matrix must be 0 0 0 1");
    }
    Mat3 given;
    given << v[0], v[1], v[2], v[4], v[5], v[6], v[8], v[9], v[10];
    TrajectoryRow row{line, 0, {v[3], v[7], v[11]}, {}};
    if (given.allFinite()) {
      const double off = (given.transpose() * given - Mat3::Identity()).cwiseAbs().maxCoeff();
      if (!(off <= kNearRotation) || !(given.determinant() > 0)) {
        refuse(fmt::format("the matrix is not a rotation: it is off by {:.3g}, its determinant is {:.6g}", off,
                           given.determinant()));
      }
      const Eigen::Quaterniond q = Eigen::Quaterniond(given).normalized();
      const double change = (q.toRotationMatrix() - given).cwiseAbs().maxCoeff();
      if (change > worst_matrix_) worst_matrix_ = change, worst_line_ = line;
      row.rotation = {q.x(), q.y(), q.z(), q.w()};
    } else {
      row.rotation.fill(std::numeric_limits<double>::quiet_NaN());
    }
    out_.rows.push_back(row);
  }

  void note_matrices() {
    if (worst_matrix_ <= kExactRotation) return;
    out_.notes.push_back(fmt::format("matrices were made exact rotations; the largest change was {:.2g}, at line {}",
                                     worst_matrix_, worst_line_));
  }

  // Three lines of four numbers, or four of which the last is 0 0 0 1.
  void read_matrices() {
    std::array<double, 12> v{};
    std::size_t row = 0, begin = 0;
    each_line({4}, [&](std::span<const double> four) {
      const bool last = four[0] == 0 && four[1] == 0 && four[2] == 0 && four[3] == 1;
      if (row == 3) {
        add_matrix(v, begin);
        row = 0;
        if (last) return;
      }
      if (row == 0) begin = reader_.line_number();
      std::copy(four.begin(), four.end(), v.begin() + static_cast<std::ptrdiff_t>(4 * row++));
    });
    if (row == 3) {
      add_matrix(v, begin);
    } else if (row != 0) {
      throw Error(out_.name, begin, fmt::format("the last matrix has {} rows instead of 3; was it cut off?", row));
    }
  }

  void choose_columns(const std::vector<std::string_view>& names) {
    at_.fill(-1);
    bool euroc = false, time_has_unit = false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const ColumnName found = column_named(names[i]);
      euroc = euroc || found.euroc;
      time_has_unit = time_has_unit || (found.column == kTime && found.has_unit);
      if (found.column == kNowhere) {
        constexpr std::size_t kMaxNotes = 8;
        if (out_.notes.size() < kMaxNotes)
          out_.notes.push_back(fmt::format("column {} is not used", in_quotes(names[i])));
        continue;
      }
      const auto k = static_cast<std::size_t>(found.column);
      if (at_[k] >= 0) refuse_line(fmt::format("two columns are named {}", kNames[k]));
      at_[k] = static_cast<int>(i);
      factor_[k] = found.factor;
    }
    const auto has = [&](Column c) { return at_[static_cast<std::size_t>(c)] >= 0; };
    for (const Column c : {kPx, kPy, kPz}) {
      if (!has(c))
        refuse_line(
            fmt::format("there is no column named {}; got {}", kNames[static_cast<std::size_t>(c)], in_quotes(line_)));
    }
    const int quaternion = has(kQx) + has(kQy) + has(kQz) + has(kQw);
    if (quaternion % 4 != 0) refuse_line("a quaternion needs all of qx, qy, qz and qw");
    const bool angles = has(kPitch) || has(kYaw);
    if (quaternion == 4 && (angles || has(kRoll))) refuse_line("has a quaternion and angles; give one of them");
    if (angles && !(has(kRoll) && has(kPitch) && has(kYaw))) {
      refuse_line("angles need all of roll, pitch and yaw, or roll alone; without them, rotations follow the path");
    }
    if (euroc && has(kTime) && !time_has_unit) {
      factor_[kTime] = 1e-9;
      out_.notes.emplace_back("times are taken for nanoseconds, as EuRoC writes them");
    }
    out_.times = has(kTime);
    out_.rotations = quaternion == 4 || angles;
    angles_ = angles;
  }

  void read_table() {
    std::vector<std::string_view> names;
    std::string kept;
    if (numbers_only()) {
      if (!names_in_comment()) refuse_line("the first line of a table must name its columns, such as x,y,z");
      kept = last_comment_;
      split_line(kept, separator_of(kept), names);
    } else {
      kept = line_;
      split_line(kept, separator_, names);
    }
    drop_last_if_empty(names);
    const bool go_on = numbers_only();
    choose_columns(names);
    if (!go_on && !next_line()) throw Error(out_.name, "holds no poses");
    do {
      split_line(line_, separator_, words_);
      if (words_.size() > names.size()) drop_last_if_empty(words_);
      if (words_.size() != names.size()) {
        refuse_line(fmt::format("has {} columns instead of {}: {}", words_.size(), names.size(), in_quotes(line_)));
      }
      add_named();
    } while (next_line());
  }

  void add_named() {
    std::array<double, kColumns> v{};
    for (std::size_t k = 0; k < kColumns; ++k) {
      if (at_[k] >= 0) v[k] = factor_[k] * number(static_cast<std::size_t>(at_[k]));
    }
    std::array<double, 4> rotation = {v[kQx], v[kQy], v[kQz], v[kQw]};
    if (!out_.rotations) rotation = {v[kRoll], 0, 0, 0};
    if (angles_) {
      const Wxyz q = quaternion_of_rpy(v[kRoll], v[kPitch], v[kYaw]);
      rotation = {q.x, q.y, q.z, q.w};
    }
    add(v[kTime], {v[kPx], v[kPy], v[kPz]}, rotation);
  }

  ByteReader reader_;
  const ReadTrajectoryOptions& options_;
  TrajectoryRows out_;
  std::string_view line_;
  char separator_ = '\0';
  std::vector<std::string_view> words_;
  std::string last_comment_;
  std::array<int, kColumns> at_{};
  std::array<double, kColumns> factor_{};
  bool angles_ = false;
  double worst_matrix_ = 0;
  std::size_t worst_line_ = 0;
};

}  // namespace

TrajectoryRows read_rows(std::shared_ptr<const Bytes> bytes, const ReadTrajectoryOptions& options) {
  return RowReader(std::move(bytes), options).read();
}

}  // namespace graze::io
