// PLY with faces: x, y and z of the element vertex, and the lists of corners of face or tristrips.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "graze/base/error.h"
#include "io/cloud_source.h"
#include "io/mesh_source.h"
#include "io/ply_header.h"

namespace graze::io {
namespace {

class MeshPlySource {
 public:
  explicit MeshPlySource(MeshReading& reading) : reading_(reading), reader_(reading.bytes()) {}

  void read() {
    ply_ = read_ply_header(reader_);
    reading_.header.version = ply_.version;
    reading_.header.encoding = ply_.ascii()                                  ? MeshEncoding::ascii
                               : ply_.encoding == PlyEncoding::little_endian ? MeshEncoding::binary
                                                                             : MeshEncoding::binary_big_endian;
    reading_.header.parts = 1;
    find_vertex();
    for (const PlyElement& element : ply_.elements) {
      if (element.name == "vertex") {
        read_vertices(element);
      } else if (element.name == "face" || element.name == "tristrips") {
        read_faces(element);
      } else {
        reading_.note(fmt::format("element {} ({} entries) is not read", in_quotes(element.name), element.count));
        skip_ply_element(reader_, ply_, element);
      }
    }
    check_ply_end(reader_, ply_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    if (ply_.ascii()) throw Error(reader_.name(), reader_.line_number(), why);
    throw Error(fmt::format("{}: byte {}", reader_.name(), reader_.position()), why);
  }

  void find_vertex() {
    const PlyElement* vertex = ply_.element("vertex");
    if (vertex == nullptr) throw Error(reader_.name(), "the PLY header has no element 'vertex'");
    vertices_ = vertex->count;
    for (const char axis : {'x', 'y', 'z'}) {
      const bool there = std::any_of(vertex->properties.begin(), vertex->properties.end(), [&](const PlyProperty& p) {
        return p.name == std::string_view(&axis, 1) && !p.count_type;
      });
      if (!there) throw Error(reader_.name(), fmt::format("element 'vertex' has no property '{}'", axis));
    }
  }

  // Calls one(property, values as doubles) for each property of an entry that it wants; all others are passed over.
  template <class One>
  void read_entry(const PlyElement& element, std::uint64_t missing, One one) {
    if (ply_.ascii()) {
      std::string_view line;
      if (!next_ply_line(reader_, line)) refuse_ply_end(reader_, element, missing);
      split_blanks(line, words_);
    }
    std::size_t at = 0;
    for (const PlyProperty& p : element.properties) {
      std::uint64_t length = 1;
      if (p.count_type) length = length_of(element, p, missing, at);
      values_.clear();
      const bool wanted = one.wants(p);
      if (ply_.ascii()) {
        if (length > words_.size() - std::min(at, words_.size())) {
          refuse(fmt::format("property '{}' needs {} values, {} follow; was the file cut off?", p.name, length,
                             words_.size() - std::min(at, words_.size())));
        }
        for (std::uint64_t k = 0; wanted && k < length; ++k) values_.push_back(value_of(words_[at + k], p));
        at += static_cast<std::size_t>(length);
      } else if (length * size_of(p.type) > reader_.remaining()) {
        refuse_ply_end(reader_, element, missing);
      } else if (wanted) {
        take_values(p, static_cast<std::size_t>(length));
      } else {
        reader_.skip(length * size_of(p.type));
      }
      if (wanted) one(p, values_);
    }
    if (ply_.ascii()) check_surplus(element, missing == element.count, words_.size() - at);
  }

  // MeshLab writes more than its header states: as much on every line, behind a list that is not the last property.
  // Else a list may only have a wrong length.
  void check_surplus(const PlyElement& element, bool first, std::size_t surplus) {
    if (first) surplus_ = element.properties.size() > 1 && element.properties[0].count_type ? surplus : 0;
    if (surplus != surplus_)
      refuse(fmt::format("has {} values, its element has {}", words_.size(), words_.size() - surplus + surplus_));
    if (surplus > 0) reading_.note("lines with lists hold more values than the header states; these are not read");
  }

  std::uint64_t length_of(const PlyElement& element, const PlyProperty& p, std::uint64_t missing, std::size_t& at) {
    std::uint64_t length = 0;
    if (!ply_.ascii()) {
      if (!take_ply_length(reader_, p, ply_.swaps(), length)) refuse_ply_end(reader_, element, missing);
      return length;
    }
    if (at >= words_.size()) refuse(fmt::format("ends before list '{}'; was the file cut off?", p.name));
    if (!parse_count(words_[at], length)) refuse(fmt::format("list length {} is not a count", in_quotes(words_[at])));
    ++at;
    return length;
  }

  double value_of(std::string_view word, const PlyProperty& p) const {
    std::uint64_t raw = 0;
    if (const char* why = parse_number(word, p.type, &raw)) {
      refuse(fmt::format("{} for property '{}' {}", in_quotes(word), p.name, why));
    }
    return load_as_double(&raw, p.type);
  }

  void take_values(const PlyProperty& p, std::size_t count) {
    values_.reserve(count);
    const std::size_t size = size_of(p.type);
    for (std::size_t k = 0; k < count; ++k) {
      char raw[8] = {};
      reader_.take(raw, size);
      if (ply_.swaps()) std::reverse(raw, raw + size);
      values_.push_back(load_as_double(raw, p.type));
    }
  }

  struct VertexValues {
    Vec3& point;
    static bool wants(const PlyProperty& p) {
      return !p.count_type && (p.name == "x" || p.name == "y" || p.name == "z");
    }
    void operator()(const PlyProperty& p, const std::vector<double>& values) const {
      point[p.name[0] - 'x'] = values[0];
    }
  };

  void read_vertices(const PlyElement& element) {
    reading_.mesh.vertices.reserve(static_cast<std::size_t>(element.count));
    for (std::uint64_t i = 0; i < element.count; ++i) {
      Vec3 p = Vec3::Zero();
      read_entry(element, element.count - i, VertexValues{p});
      if (!p.allFinite()) refuse(fmt::format("vertex {} is not finite", i));
      reading_.add_vertex(reading_.mesh, p);
      if (i % kRowsPerReport == 0) reading_.advance(reader_.position());
    }
  }

  struct FaceValues {
    MeshPlySource& source;
    bool strips;
    static bool wants(const PlyProperty& p) {
      return p.count_type && (p.name == "vertex_indices" || p.name == "vertex_index");
    }
    void operator()(const PlyProperty& /*list*/, const std::vector<double>& values) const {
      strips ? source.add_strip(values) : source.add_face(values);
    }
  };

  void read_faces(const PlyElement& element) {
    if (element.count == 0) return;
    if (!std::any_of(element.properties.begin(), element.properties.end(), FaceValues::wants)) {
      throw Error(reader_.name(),
                  fmt::format("element '{}' has no list 'vertex_indices' or 'vertex_index'", element.name));
    }
    if (reading_.mesh.vertices.size() != vertices_) {
      throw Error(reader_.name(), fmt::format("element '{}' comes before element 'vertex'", element.name));
    }
    for (std::uint64_t i = 0; i < element.count; ++i) {
      read_entry(element, element.count - i, FaceValues{*this, element.name == "tristrips"});
      if (i % kRowsPerReport == 0) reading_.advance(reader_.position());
    }
  }

  std::uint32_t corner_of(double index) const {
    if (!(index >= 0 && index < static_cast<double>(vertices_)) || index != std::trunc(index)) {
      refuse(fmt::format("refers to vertex {}, but there are {}", index, vertices_));
    }
    return static_cast<std::uint32_t>(index);
  }

  void add_face(const std::vector<double>& indices) {
    check_corners(indices.size(), [&](const std::string& why) { refuse(why); });
    corners_.clear();
    for (const double index : indices) corners_.push_back(corner_of(index));
    reading_.add_face(reading_.mesh, corners_);
  }

  // Each corner makes a triangle with the two before it, every other one turned; -1 begins a new strip.
  void add_strip(const std::vector<double>& indices) {
    std::size_t since = 0;
    std::uint32_t last[2] = {};
    for (const double index : indices) {
      if (index == -1) {
        since = 0;
        continue;
      }
      const std::uint32_t corner = corner_of(index);
      if (since >= 2) {
        const bool even = since % 2 == 0;
        reading_.add_triangle(reading_.mesh, last[even ? 0 : 1], last[even ? 1 : 0], corner);
      }
      last[0] = last[1];
      last[1] = corner;
      ++since;
    }
  }

  MeshReading& reading_;
  ByteReader reader_;
  PlyHeader ply_;
  std::uint64_t vertices_ = 0;
  std::vector<std::string_view> words_;
  std::size_t surplus_ = 0;  // values of the last line that the header does not state
  std::vector<double> values_;
  std::vector<std::uint32_t> corners_;
};

}  // namespace

void read_mesh_ply(MeshReading& reading) { MeshPlySource(reading).read(); }

}  // namespace graze::io
