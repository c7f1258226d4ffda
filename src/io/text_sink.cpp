#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <iterator>

#include "io/cloud_sink.h"
#include "io/cloud_source.h"

namespace graze::io {
namespace {

class TextSink : public CloudSink {
 public:
  TextSink(FileWriter& file, const WritePlan& plan)
      : file_(file), coordinates_(plan.coordinates), round_(plan.coordinates) {
    const bool csv = extension_of(plan.path) == "csv";
    separator_ = plan.options.separator.value_or(csv ? ',' : ' ');
    for (std::size_t k = 0; k < 3 && plan.options.scale; ++k) {
      decimals_[k] = decimals_of((*plan.options.scale)[static_cast<Eigen::Index>(k)]);
    }
    if (!plan.options.header) return;
    // Blanks between words are how comments look, not tables: most readers of XYZ pass over such a line.
    std::string names = separator_ == ' ' ? "# " : "";
    names += std::string("x") + separator_ + "y" + separator_ + "z";
    for (const AttributeRange& a : plan.attributes) {
      names += separator_;
      names += one_word(a.kind.name, separator_);
    }
    file_.write(names + "\n");
  }

  void add(const CloudChunk& chunk) override {
    text_.clear();
    for (std::size_t i = 0; i < chunk.points.size(); ++i) {
      const Vec3 p = round_(chunk.points[i], rounding_);
      for (int k = 0; k < 3; ++k) {
        add_coordinate(p[k], decimals_[static_cast<std::size_t>(k)]);
        text_ += separator_;
      }
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
    constexpr int kMost = 9;
    for (int k = 0; k <= kMost; ++k) {
      if (std::abs(step * std::pow(10.0, k) - 1) < 1e-9) return k;
    }
    return -1;
  }

  void add_coordinate(double x, int decimals) {
    if (coordinates_ == NumberType::float32) {
      const auto single = static_cast<float>(x);
      return append_number(text_, &single, NumberType::float32);
    }
    if (decimals >= 0) {
      // 84939395 × 0.01 is 849393.9500000001 in doubles, and no one wants to see that.
      const std::size_t before = text_.size();
      fmt::format_to(std::back_inserter(text_), "{:.{}f}", x, decimals);
      double back = 0;
      std::from_chars(text_.data() + before, text_.data() + text_.size(), back);
      if (std::abs(back - x) <= 4 * kEpsilon * std::abs(x)) return;
      text_.resize(before);
    }
    append_number(text_, &x, NumberType::float64);
  }

  FileWriter& file_;
  char separator_ = ' ';
  std::array<int, 3> decimals_ = {-1, -1, -1};
  NumberType coordinates_;
  CoordinateRounding round_;
  std::string text_;
};

}  // namespace

std::unique_ptr<CloudSink> text_sink(FileWriter& file, const WritePlan& plan) {
  return std::make_unique<TextSink>(file, plan);
}

}  // namespace graze::io
