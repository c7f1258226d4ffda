#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "graze/base/error.h"
#include "io/cloud_names.h"
#include "io/cloud_sink.h"
#include "io/lzf.h"

namespace graze::io {
namespace {

/// A field of the file: some consecutive attributes, of which colours share one value.
struct Field {
  std::string name;
  NumberType type = NumberType::float32;
  std::size_t first = 0, count = 1;  // attributes
  bool color = false;

  std::size_t size() const { return color ? 4 : count * size_of(type); }
};

// "fpfh[3]" is value 3 of "fpfh".
std::optional<std::pair<std::string_view, std::size_t>> indexed(std::string_view name) {
  const std::size_t open = name.rfind('[');
  if (open == std::string_view::npos || !name.ends_with(']')) return std::nullopt;
  std::size_t index = 0;
  const char* end = name.data() + name.size() - 1;
  const auto [stop, fault] = std::from_chars(name.data() + open + 1, end, index);
  if (fault != std::errc() || stop != end) return std::nullopt;
  return std::pair(name.substr(0, open), index);
}

// PCD has its own meaning for padding and packed colours.
bool means_something(std::string_view name) { return is_axis(name) || name == "_" || name == "rgb" || name == "rgba"; }

std::vector<Field> fields_of(const std::vector<AttributeRange>& attributes, const std::vector<std::string>& names) {
  std::vector<Field> fields;
  const auto has = [](const std::vector<std::string>& all, std::string_view name) {
    return std::find(all.begin(), all.end(), name) != all.end();
  };
  const auto is_color = [&](std::size_t k, std::string_view name) {
    return k < attributes.size() && attributes[k].kind == AttributeType{std::string(name), NumberType::uint8};
  };
  for (std::size_t k = 0; k < attributes.size();) {
    const AttributeType& kind = attributes[k].kind;
    Field field{names[k], kind.type, k, 1, false};
    if (is_color(k, "red") && is_color(k + 1, "green") && is_color(k + 2, "blue")) {
      field.color = true;
      field.count = is_color(k + 3, "alpha") ? 4 : 3;
      field.name = field.count == 4 ? "rgba" : "rgb";
    } else if (const auto start = indexed(names[k]); start && start->second == 0 && !start->first.empty() &&
                                                     !means_something(start->first) && !has(names, start->first)) {
      while (k + field.count < attributes.size()) {
        const auto name = indexed(names[k + field.count]);
        if (attributes[k + field.count].kind.type != kind.type || name != std::pair(start->first, field.count)) break;
        ++field.count;
      }
      if (field.count > 1) field.name = start->first;
    }
    k += field.count;
    fields.push_back(std::move(field));
  }
  return fields;
}

char letter_of(NumberType type) { return is_float(type) ? 'F' : static_cast<int>(type) % 2 == 0 ? 'I' : 'U'; }

class PcdSink : public CloudSink {
 public:
  PcdSink(FileWriter& file, const WritePlan& plan)
      : file_(file),
        encoding_(plan.encoding),
        coordinates_(plan.coordinates),
        fields_(fields_of(plan.attributes, names_for(plan.attributes, {one_word, means_something}, notes_))),
        round_(plan.coordinates) {
    std::string names = "FIELDS x y z", sizes = "SIZE", types = "TYPE", counts = "COUNT";
    for (int k = 0; k < 3; ++k) {
      sizes += fmt::format(" {}", size_of(coordinates_));
      types += " F";
      counts += " 1";
    }
    std::uint64_t record = 3 * size_of(coordinates_);
    for (const Field& f : fields_) {
      names += " " + f.name;
      sizes += fmt::format(" {}", f.color ? 4 : size_of(f.type));
      // As the Point Cloud Library does: the bits of rgb go as a float, but as text that would lose some.
      const bool as_float = f.color && f.count == 3 && encoding_ != CloudEncoding::ascii;
      types += fmt::format(" {}", f.color ? (as_float ? 'F' : 'U') : letter_of(f.type));
      counts += fmt::format(" {}", f.color ? 1 : f.count);
      record += f.size();
    }
    const WriteCloudOptions& o = plan.options;
    const bool rows = o.height > 1 && plan.rows % o.height == 0 && plan.rows / o.height == o.width;
    const std::uint64_t width = rows ? o.width : plan.rows, height = rows ? o.height : 1;
    file_.write(
        fmt::format("# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\n{}\n{}\n{}\n{}\nWIDTH {}\nHEIGHT {}\n"
                    "VIEWPOINT {}\nPOINTS {}\nDATA {}\n",
                    names, sizes, types, counts, width, height, viewpoint(o.viewpoint), plan.rows,
                    encoding_ == CloudEncoding::ascii    ? "ascii"
                    : encoding_ == CloudEncoding::binary ? "binary"
                                                         : "binary_compressed"));
    if (encoding_ == CloudEncoding::compressed) {
      if (plan.rows > std::numeric_limits<std::uint32_t>::max() / record) {
        throw Error(plan.path, fmt::format("{} points of {} bytes are more than the 4 GiB that a compressed PCD holds; "
                                           "write it as binary",
                                           plan.rows, record));
      }
      columns_.resize(3 + fields_.size());
    }
  }

  void add(const CloudChunk& chunk) override {
    text_.clear();
    for (std::size_t i = 0; i < chunk.points.size(); ++i) {
      const Vec3 p = round_(chunk.points[i], rounding_);
      for (int k = 0; k < 3; ++k) add_coordinate(static_cast<std::size_t>(k), p[k]);
      for (std::size_t f = 0; f < fields_.size(); ++f) add_field(fields_[f], 3 + f, chunk, i);
      if (encoding_ == CloudEncoding::ascii) text_.back() = '\n';
    }
    file_.write(text_);
  }

  void finish() override {
    if (encoding_ != CloudEncoding::compressed) return;
    std::string whole;
    for (std::string& column : columns_) {
      whole += column;
      column = std::string();
    }
    const std::string packed = lzf_packed(whole);
    const auto packed_size = static_cast<std::uint32_t>(packed.size()), size = static_cast<std::uint32_t>(whole.size());
    if (packed.size() != packed_size) throw Error("compressed PCD", "holds at most 4 GiB; write it as binary");
    std::string sizes;
    append_bytes(sizes, &packed_size, 4);
    append_bytes(sizes, &size, 4);
    file_.write(sizes);
    file_.write(packed);
  }

 private:
  static std::string viewpoint(const std::optional<Pose>& pose) {
    if (!pose) return "0 0 0 1 0 0 0";
    const Eigen::Quaterniond q(pose->rotation());
    const Vec3& t = pose->translation();
    return fmt::format("{} {} {} {} {} {} {}", t.x(), t.y(), t.z(), q.w(), q.x(), q.y(), q.z());
  }

  void put(std::size_t column, const void* at, NumberType type) {
    if (encoding_ == CloudEncoding::ascii) {
      append_number(text_, at, type);
      text_ += ' ';
    } else {
      append_bytes(encoding_ == CloudEncoding::compressed ? columns_[column] : text_, at, size_of(type));
    }
  }

  void add_coordinate(std::size_t axis, double x) {
    if (coordinates_ == NumberType::float32) {
      const auto single = static_cast<float>(x);
      put(axis, &single, NumberType::float32);
    } else {
      put(axis, &x, NumberType::float64);
    }
  }

  void add_field(const Field& field, std::size_t column, const CloudChunk& chunk, std::size_t row) {
    if (field.color) {
      std::uint32_t bits = 0;
      for (std::size_t k = 0; k < field.count; ++k) {
        const std::size_t byte = k < 3 ? 2 - k : k;
        bits |= std::uint32_t{load_unaligned<std::uint8_t>(chunk.attributes[field.first + k].at(row))} << (8 * byte);
      }
      return put(column, &bits, NumberType::uint32);
    }
    for (std::size_t k = 0; k < field.count; ++k) {
      const ColumnView& values = chunk.attributes[field.first + k];
      put(column, values.at(row), values.type);
    }
  }

  FileWriter& file_;
  CloudEncoding encoding_;
  NumberType coordinates_;
  std::vector<Field> fields_;
  CoordinateRounding round_;
  std::string text_;
  std::vector<std::string> columns_;
};

}  // namespace

std::unique_ptr<CloudSink> pcd_sink(FileWriter& file, const WritePlan& plan) {
  return std::make_unique<PcdSink>(file, plan);
}

}  // namespace graze::io
