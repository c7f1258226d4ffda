#include <fmt/format.h>

#include <cmath>

#include "graze/base/error.h"
#include "io/cloud_names.h"
#include "io/cloud_sink.h"

namespace graze::io {
namespace {

std::string_view ply_name(NumberType type) {
  constexpr std::string_view kNames[] = {"char", "uchar",  "short",  "ushort", "int",
                                         "uint", "double", "double", "float",  "double"};
  return kNames[static_cast<std::size_t>(type)];
}

bool is_long(NumberType type) { return type == NumberType::int64 || type == NumberType::uint64; }

class PlySink : public CloudSink {
 public:
  PlySink(FileWriter& file, const WritePlan& plan)
      : file_(file),
        ascii_(plan.encoding == CloudEncoding::ascii),
        big_endian_(plan.encoding == CloudEncoding::binary_big_endian),
        coordinates_(plan.coordinates),
        round_(plan.coordinates) {
    std::string header = "ply\n";
    header += fmt::format("format {} 1.0\n", ascii_        ? "ascii"
                                             : big_endian_ ? "binary_big_endian"
                                                           : "binary_little_endian");
    header += fmt::format("comment made by graze\nelement vertex {}\n", plan.rows);
    for (const char* axis : {"x", "y", "z"}) header += fmt::format("property {} {}\n", ply_name(coordinates_), axis);
    const std::vector<std::string> names = names_for(plan.attributes, {one_word, is_axis}, notes_);
    for (std::size_t k = 0; k < plan.attributes.size(); ++k) {
      const AttributeType& kind = plan.attributes[k].kind;
      // PLY has no 64-bit integers, and a double does not hold all of them.
      if (const auto& beyond = plan.facts[k].beyond_double) {
        throw Error(plan.path,
                    fmt::format("attribute '{}' is {} in row {}, which PLY has no type for; write PCD or LAS, or "
                                "leave the attributes out (--no-attributes)",
                                kind.name, beyond->value, beyond->row));
      }
      header += fmt::format("property {} {}\n", ply_name(kind.type), names[k]);
    }
    file_.write(header + "end_header\n");
  }

  void add(const CloudChunk& chunk) override {
    text_.clear();
    for (std::size_t i = 0; i < chunk.points.size(); ++i) {
      const Vec3 p = round_(chunk.points[i], rounding_);
      for (const double x : p) add_coordinate(x);
      for (const ColumnView& column : chunk.attributes) {
        if (is_long(column.type)) {
          const double value = column[i];
          add_value(&value, NumberType::float64);
        } else {
          add_value(column.at(i), column.type);
        }
      }
      if (ascii_) text_.back() = '\n';
    }
    file_.write(text_);
  }

 private:
  void add_coordinate(double x) {
    if (coordinates_ == NumberType::float32) {
      const auto single = static_cast<float>(x);
      add_value(&single, NumberType::float32);
    } else {
      add_value(&x, NumberType::float64);
    }
  }
  void add_value(const void* at, NumberType type) {
    if (ascii_) {
      append_number(text_, at, type);
      text_ += ' ';
    } else {
      append_bytes(text_, at, size_of(type), big_endian_);
    }
  }

  FileWriter& file_;
  bool ascii_, big_endian_;
  NumberType coordinates_;
  CoordinateRounding round_;
  std::string text_;
};

}  // namespace

std::unique_ptr<CloudSink> ply_sink(FileWriter& file, const WritePlan& plan) {
  return std::make_unique<PlySink>(file, plan);
}

}  // namespace graze::io
