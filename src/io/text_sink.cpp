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
      for (const double x : p) {
        const auto single = static_cast<float>(x);
        const bool is_single = coordinates_ == NumberType::float32;
        append_number(text_, is_single ? static_cast<const void*>(&single) : &x, coordinates_);
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
  FileWriter& file_;
  char separator_ = ' ';
  NumberType coordinates_;
  CoordinateRounding round_;
  std::string text_;
};

}  // namespace

std::unique_ptr<CloudSink> text_sink(FileWriter& file, const WritePlan& plan) {
  return std::make_unique<TextSink>(file, plan);
}

}  // namespace graze::io
