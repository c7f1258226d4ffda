#include "io/dae_geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "graze/base/error.h"
#include "io/cloud_source.h"

namespace graze::io {
namespace {

/// Calls one(word) for each word of the text of an element, which comments may have cut in parts.
template <class One>
void for_each_word(const pugi::xml_node& element, One one) {
  for (const pugi::xml_node& child : element.children()) {
    if (child.type() != pugi::node_pcdata && child.type() != pugi::node_cdata) continue;
    const std::string_view text = child.value();
    constexpr std::string_view kBlanks = " \t\r\n";
    for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos;) {
      const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
      one(text.substr(at, end - at));
      at = text.find_first_not_of(kBlanks, end);
    }
  }
}

std::uint64_t count_of(const std::string& file, const pugi::xml_node& element, const char* name,
                       std::uint64_t fallback) {
  const pugi::xml_attribute attribute = element.attribute(name);
  std::uint64_t count = fallback;
  if (attribute && !parse_count(attribute.value(), count)) {
    throw Error(dae_place(file, element), fmt::format("{}={} is not a count", name, in_quotes(attribute.value())));
  }
  return count;
}

class MeshElement {
 public:
  MeshElement(MeshReading& reading, const pugi::xml_node& mesh, TriangleList& to)
      : reading_(reading), mesh_(mesh), to_(to) {}

  void read() {
    for (const pugi::xml_node& element : mesh_.children()) {
      const std::string_view name = element.name();
      if (name == "triangles" || name == "tristrips" || name == "trifans" || name == "polylist" || name == "polygons") {
        read_surface(element, name);
      } else if (name == "lines") {
        std::size_t indices = 0;
        for_each_word(element.child("p"), [&](std::string_view) { ++indices; });
        reading_.header.lines += indices / 2 / std::max<std::size_t>(1, stride_of(element));
      } else if (name == "linestrips") {
        const auto strips = element.children("p");
        reading_.header.lines += static_cast<std::size_t>(std::distance(strips.begin(), strips.end()));
      }
    }
  }

 private:
  [[noreturn]] void refuse(const pugi::xml_node& element, const std::string& why) const {
    throw Error(dae_place(reading_.name(), element), why);
  }

  // What "#id" names, among the children of the mesh.
  pugi::xml_node child_named(const pugi::xml_node& user, const char* attribute, const char* kind) const {
    const std::string_view url = user.attribute(attribute).value();
    if (url.starts_with('#')) {
      for (const pugi::xml_node& child : mesh_.children(kind)) {
        if (child.attribute("id").value() == url.substr(1)) return child;
      }
    }
    refuse(user, fmt::format("refers to {}, and its mesh has no <{}> of that id", in_quotes(url), kind));
  }

  void read_positions(const pugi::xml_node& vertices) {
    if (positions_read_) return;
    positions_read_ = true;
    pugi::xml_node source;
    for (const pugi::xml_node& input : vertices.children("input")) {
      if (std::string_view(input.attribute("semantic").value()) == "POSITION") {
        source = child_named(input, "source", "source");
      }
    }
    if (!source) refuse(vertices, "has no input of POSITION");
    const pugi::xml_node accessor = source.child("technique_common").child("accessor");
    if (!accessor) refuse(source, "has no accessor");
    const std::vector<double> numbers = dae_numbers(reading_.name(), source.child("float_array"));
    const std::uint64_t count = count_of(reading_.name(), accessor, "count", 0);
    const std::uint64_t stride = count_of(reading_.name(), accessor, "stride", 1);
    const std::uint64_t offset = count_of(reading_.name(), accessor, "offset", 0);
    if (count == 0) return;
    if (stride < 3 || stride > numbers.size() || offset > numbers.size() - stride ||
        count - 1 > (numbers.size() - offset - stride) / stride) {
      refuse(accessor, fmt::format("claims {} entries of {} numbers from the {}th on, but there are {} numbers", count,
                                   stride, offset, numbers.size()));
    }
    std::size_t axes[3] = {0, 1, 2}, place = 0;
    for (const pugi::xml_node& param : accessor.children("param")) {
      const std::string_view name = param.attribute("name").value();
      if (name.size() == 1 && name[0] >= 'X' && name[0] <= 'Z' && place < stride) axes[name[0] - 'X'] = place;
      ++place;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      const double* entry = numbers.data() + offset + i * stride;
      reading_.add_vertex(to_, {entry[axes[0]], entry[axes[1]], entry[axes[2]]});
    }
  }

  // How many indices a corner has: one per offset of the inputs.
  std::size_t stride_of(const pugi::xml_node& element) const {
    std::size_t stride = 0;
    for (const pugi::xml_node& input : element.children("input")) {
      const std::uint64_t offset = count_of(reading_.name(), input, "offset", 0);
      constexpr std::uint64_t kMaxInputs = 1024;
      if (offset >= kMaxInputs) refuse(input, fmt::format("offset {} is too large", offset));
      stride = std::max(stride, static_cast<std::size_t>(offset) + 1);
    }
    return stride;
  }

  void read_surface(const pugi::xml_node& element, std::string_view kind) {
    ++reading_.header.parts;
    stride_ = stride_of(element);
    bool any = false;
    for (const pugi::xml_node& input : element.children("input")) {
      if (std::string_view(input.attribute("semantic").value()) != "VERTEX") continue;
      read_positions(child_named(input, "source", "vertices"));
      vertex_offset_ = static_cast<std::size_t>(count_of(reading_.name(), input, "offset", 0));
      any = true;
    }
    if (!element.child("p") && !element.child("ph")) return;
    if (!any) refuse(element, "has no input of VERTEX");
    if (element.child("ph")) reading_.note("polygons with holes are not read");
    if (kind == "polylist") {
      read_polylist(element);
      return;
    }
    for (const pugi::xml_node& p : element.children("p")) {
      read_corners(p);
      if (kind == "triangles") add_triangles(p);
      if (kind == "polygons") add_face(p, corners_);
      if (kind == "tristrips") add_strip();
      if (kind == "trifans") add_fan();
    }
  }

  // Every so many of the indices is that of a vertex.
  void read_corners(const pugi::xml_node& p) {
    corners_.clear();
    std::size_t at = 0;
    for_each_word(p, [&](std::string_view word) {
      if (at++ % stride_ != vertex_offset_) return;
      std::uint64_t index = 0;
      if (!parse_count(word, index)) refuse(p, fmt::format("{} is not a vertex index", in_quotes(word)));
      if (index >= to_.vertices.size()) {
        refuse(p, fmt::format("index {} refers to vertex {}, but there are {}", at - 1, index, to_.vertices.size()));
      }
      corners_.push_back(static_cast<std::uint32_t>(index));
    });
    if (at % stride_ != 0) {
      refuse(p, fmt::format("has {} indices, which make no whole corners of {} each", at, stride_));
    }
  }

  void add_face(const pugi::xml_node& p, std::span<const std::uint32_t> corners) {
    check_corners(corners.size(), [&](const std::string& why) { refuse(p, why); });
    reading_.add_face(to_, corners);
  }

  void add_triangles(const pugi::xml_node& p) {
    if (corners_.size() % 3 != 0) {
      refuse(p, fmt::format("has {} corners, which make no whole triangles", corners_.size()));
    }
    for (std::size_t i = 0; i + 2 < corners_.size(); i += 3) {
      reading_.add_triangle(to_, corners_[i], corners_[i + 1], corners_[i + 2]);
    }
  }

  void add_strip() {
    for (std::size_t i = 0; i + 2 < corners_.size(); ++i) {
      const std::size_t odd = i % 2;
      reading_.add_triangle(to_, corners_[i], corners_[i + 1 + odd], corners_[i + 2 - odd]);
    }
  }

  void add_fan() {
    for (std::size_t i = 1; i + 1 < corners_.size(); ++i) {
      reading_.add_triangle(to_, corners_[0], corners_[i], corners_[i + 1]);
    }
  }

  void read_polylist(const pugi::xml_node& element) {
    const pugi::xml_node p = element.child("p"), lengths = element.child("vcount");
    read_corners(p);
    std::size_t at = 0;
    for_each_word(lengths, [&](std::string_view word) {
      std::uint64_t length = 0;
      if (!parse_count(word, length)) refuse(lengths, fmt::format("{} is not a number of corners", in_quotes(word)));
      if (length > corners_.size() - at) {
        refuse(lengths, fmt::format("claims {} corners, but {} are left", length, corners_.size() - at));
      }
      add_face(p, std::span(corners_).subspan(at, static_cast<std::size_t>(length)));
      at += static_cast<std::size_t>(length);
    });
    if (at != corners_.size()) {
      refuse(lengths, fmt::format("counts {} corners, but there are {}", at, corners_.size()));
    }
  }

  MeshReading& reading_;
  pugi::xml_node mesh_;
  TriangleList& to_;
  bool positions_read_ = false;
  std::size_t stride_ = 0, vertex_offset_ = 0;
  std::vector<std::uint32_t> corners_;
};

}  // namespace

std::string dae_place(const std::string& file, const pugi::xml_node& element) {
  std::string place = fmt::format("{}: <{}", file, element.name());
  // The element itself, or the nearest one around it, that has a name.
  for (pugi::xml_node node = element; node; node = node.parent()) {
    if (!node.attribute("id")) continue;
    return fmt::format("{}{} id={}>", place, node == element ? "" : fmt::format("> in <{}", node.name()),
                       in_quotes(std::string_view(node.attribute("id").value())));
  }
  return place + ">";
}

bool dae_has_commas(std::string_view unit) {
  const std::size_t comma = unit.find(',');
  return comma != std::string_view::npos && unit.find_first_of(".,", comma + 1) == std::string_view::npos &&
         unit.find('.') == std::string_view::npos && unit.size() - comma - 1 != 3;
}

const char* parse_dae_number(std::string_view word, bool commas, double& value) {
  const std::size_t comma = commas ? word.find(',') : std::string_view::npos;
  if (comma == std::string_view::npos) return parse_number(word, NumberType::float64, &value);
  std::string point(word);
  point[comma] = '.';
  return parse_number(point, NumberType::float64, &value);
}

std::vector<double> dae_numbers(const std::string& file, const pugi::xml_node& element) {
  const pugi::xml_node unit = element.root().child("COLLADA").child("asset").child("unit");
  const bool commas = dae_has_commas(unit.attribute("meter").value());
  std::vector<double> numbers;
  for_each_word(element, [&](std::string_view word) {
    double value = 0;
    const char* why = parse_dae_number(word, commas, value);
    if (why == nullptr && !std::isfinite(value)) why = "is not finite";
    if (why != nullptr) {
      throw Error(dae_place(file, element), fmt::format("number {}, {}, {}", numbers.size(), in_quotes(word), why));
    }
    numbers.push_back(value);
  });
  return numbers;
}

std::vector<double> dae_numbers(const std::string& file, const pugi::xml_node& element, std::size_t count) {
  std::vector<double> numbers = dae_numbers(file, element);
  if (numbers.size() != count) {
    throw Error(dae_place(file, element), fmt::format("must have {} numbers, has {}", count, numbers.size()));
  }
  return numbers;
}

void read_dae_mesh(MeshReading& reading, const pugi::xml_node& mesh, TriangleList& to) {
  MeshElement(reading, mesh, to).read();
}

}  // namespace graze::io
