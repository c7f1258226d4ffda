#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>

#include "graze/base/elementary.h"
#include "io/cloud_names.h"
#include "io/cloud_sink.h"
#include "io/cloud_source.h"
#include "io/text_table.h"

namespace graze::io {
namespace {

bool is_bracket(char c) { return c == '[' || c == ']' || c == '(' || c == ')'; }

// A name that is read back as it is, whatever separates the columns: without separators, quotes and blanks around it.
std::string column_name(std::string_view name, bool blanks_separate) {
  std::string word(name);
  for (char& c : word) {
    const bool separates = c == ',' || c == ';' || (blanks_separate && c == ' ');
    if (static_cast<unsigned char>(c) < 32 || c == 127 || c == '"' || separates) c = '_';
  }
  word = trimmed(word);
  // "X [m]" would be taken for x.
  if (is_axis(plain_name(word)) && word.size() > 1) std::replace_if(word.begin(), word.end(), is_bracket, '_');
  return word;
}

class TextSink : public CloudSink {
 public:
  TextSink(FileWriter& file, const WritePlan& plan) : file_(file), round_(plan.coordinates) {
    const bool csv = extension_of(plan.path) == "csv";
    separator_ = plan.options.separator.value_or(csv ? ',' : ' ');
    const bool doubles = plan.coordinates == NumberType::float64;
    for (std::size_t k = 0; k < 3 && plan.options.scale && doubles; ++k) {
      decimals_[k] = decimals_of((*plan.options.scale)[static_cast<Eigen::Index>(k)]);
    }
    for (std::size_t k = 0; k < plan.attributes.size(); ++k) {
      if (const auto& beyond = plan.facts[k].beyond_double) {
        notes_.push_back(
            fmt::format("attribute '{}' has whole numbers beyond 2^53, such as {} in row {}: they are written in full, "
                        "but most readers of text, graze among them, round them to a double",
                        plan.attributes[k].kind.name, beyond->value, beyond->row));
      }
    }
    if (!plan.options.header) return;
    // Blanks between words are how comments look, not tables: most readers of XYZ pass over such a line.
    std::string names = separator_ == ' ' ? "# " : "";
    names += std::string("x") + separator_ + "y" + separator_ + "z";
    const bool blanks = separator_ == ' ' || separator_ == '\t';
    const NameRule rule{[blanks](std::string_view name) { return column_name(name, blanks); },
                        [](std::string_view name) { return is_axis(plain_name(name)); }};
    for (const std::string& name : names_for(plan.attributes, rule, notes_)) names += separator_ + name;
    file_.write(names + "\n");
  }

  void add(const CloudChunk& chunk) override {
    text_.clear();
    for (std::size_t i = 0; i < chunk.points.size(); ++i) {
      const Vec3 p = round_(chunk.points[i], rounding_);
      Vec3 off = Vec3::Zero();
      for (int k = 0; k < 3; ++k) {
        off[k] = add_coordinate(p[k], decimals_[static_cast<std::size_t>(k)]);
        text_ += separator_;
      }
      rounding_ = std::max(rounding_, off.norm());
      for (const ColumnView& column : chunk.attributes) {
        append_number(text_, column.at(i), column.type);
        text_ += separator_;
      }
      text_.back() = '\n';
    }
    file_.write(text_);
  }

 private:
  // The digits behind the point that a grid of this step needs; -1 if it is no decimal grid.
  static int decimals_of(double step) {
    constexpr int kMax = 9;
    for (int k = 0; k <= kMax; ++k) {
      if (std::abs(step * elementary::pow(10.0, k) - 1) < 1e-9) return k;
    }
    return -1;
  }

  // Returns how far what was written is from x.
  double add_coordinate(double x, int decimals) {
    if (decimals >= 0) {
      // 84939395 × 0.01 is 849393.9500000001 in doubles, and no one wants to see that.
      const std::size_t before = text_.size();
      fmt::format_to(std::back_inserter(text_), "{:.{}f}", x, decimals);
      double back = 0;
      std::from_chars(text_.data() + before, text_.data() + text_.size(), back);
      const double off = std::abs(back - x);
      if (off <= 4 * kEpsilon * std::abs(x)) return off;
      text_.resize(before);
    }
    append_number(text_, &x, NumberType::float64);
    return 0;
  }

  FileWriter& file_;
  char separator_ = ' ';
  std::array<int, 3> decimals_ = {-1, -1, -1};
  CoordinateRounding round_;
  std::string text_;
};

}  // namespace

std::unique_ptr<CloudSink> text_sink(FileWriter& file, const WritePlan& plan) {
  return std::make_unique<TextSink>(file, plan);
}

}  // namespace graze::io
