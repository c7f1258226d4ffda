// OBJ: lines of text, each a vertex or a face of vertices by their numbers.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "graze/base/error.h"
#include "io/cloud_source.h"
#include "io/mesh_source.h"

namespace graze::io {
namespace {

// Materials, smoothing, normals and textures, levels of detail: nothing of the surface's place.
constexpr std::string_view kPassedOver[] = {"vt",     "vn",         "g",         "s",     "mg",       "usemtl",
                                            "mtllib", "usemap",     "maplib",    "bevel", "c_interp", "d_interp",
                                            "lod",    "shadow_obj", "trace_obj", "ctech", "stech"};
// Free-form curves and surfaces.
constexpr std::string_view kFreeForm[] = {"vp",   "cstype", "deg",  "bmat", "step", "curv", "curv2", "surf",
                                          "parm", "trim",   "hole", "scrv", "sp",   "end",  "con"};

template <std::size_t n>
bool among(const std::string_view (&words)[n], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

class ObjSource {
 public:
  explicit ObjSource(MeshReading& reading) : reading_(reading), reader_(reading.bytes()) {}

  void read() {
    std::string_view line;
    while (next_line(line)) {
      split_blanks(line.substr(0, line.find('#')), words_);
      if (words_.empty()) continue;
      if (rows_ > 0 || !read_counts()) read_words(words_[0]);
      if (++rows_ % kRowsPerReport == 0) reading_.advance(reader_.position());
    }
    if (part_has_faces_) ++reading_.header.parts;
    check_counts();
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw Error(reader_.name(), reader_.line_number(), why); }

  // A backslash at the end continues a line.
  bool next_line(std::string_view& line) {
    if (!reader_.line(line)) return false;
    if (!line.ends_with('\\')) return true;
    joined_.clear();
    do {
      joined_.append(line.substr(0, line.size() - 1)).push_back(' ');
      if (!reader_.line(line)) line = {};
    } while (line.ends_with('\\'));
    joined_.append(line);
    line = joined_;
    return true;
  }

  // Some writers begin with a line that holds the numbers of vertices and faces.
  bool read_counts() {
    std::uint64_t vertices = 0, faces = 0;
    if (words_.size() != 2 || !parse_count(words_[0], vertices) || !parse_count(words_[1], faces)) return false;
    stated_ = {vertices, faces};
    return true;
  }

  void check_counts() const {
    const std::uint64_t vertices = reading_.mesh.vertices.size();
    if (!stated_ || (stated_->first == vertices && stated_->second == faces_)) return;
    throw Error(reader_.name(),
                fmt::format("states {} vertices and {} faces in its first line, but {} and {} follow; was it cut off?",
                            stated_->first, stated_->second, vertices, faces_));
  }

  void read_words(std::string_view word) {
    if (word == "v") {
      const std::size_t numbers = words_.size() - 1;
      // x y z, perhaps with a weight, a colour, or both
      if (numbers != 3 && numbers != 4 && numbers != 6 && numbers != 7) {
        refuse(fmt::format("a vertex has 3, 4, 6 or 7 numbers, not {}", numbers));
      }
      reading_.add_vertex(reading_.mesh, point_of(std::span(words_).subspan(1), reader_));
    } else if (word == "f" || word == "fo") {
      read_face();
    } else if (word == "l") {
      ++reading_.header.lines;
    } else if (word == "p") {
      reading_.header.points += words_.size() - 1;
    } else if (word == "o") {
      if (part_has_faces_) ++reading_.header.parts;
      part_has_faces_ = false;
    } else if (among(kFreeForm, word)) {
      reading_.note("free-form curves and surfaces are not read");
    } else if (word == "call" || word == "csh") {
      reading_.note("calls of other files and commands are not followed");
    } else if (!among(kPassedOver, word)) {
      refuse(fmt::format("{} is not an OBJ keyword", in_quotes(word)));
    }
  }

  void read_face() {
    check_corners(words_.size() - 1, [&](const std::string& why) { refuse(why); });
    corners_.clear();
    for (std::size_t i = 1; i < words_.size(); ++i) corners_.push_back(corner_of(words_[i]));
    if (corners_.empty()) refuse("a face without corners");
    ++faces_;
    reading_.add_face(reading_.mesh, corners_);
    part_has_faces_ = part_has_faces_ || corners_.size() > 2;
  }

  // "7", "7/1", "7//3" or "7/1/3"; -1 is the last vertex so far. Only the first number matters.
  std::uint32_t corner_of(std::string_view word) const {
    const std::string_view number = word.substr(0, word.find('/'));
    const auto count = static_cast<std::int64_t>(reading_.mesh.vertices.size());
    std::int64_t index = 0;
    const auto [end, fault] = std::from_chars(number.data(), number.data() + number.size(), index);
    const bool large = fault == std::errc::result_out_of_range;
    if ((fault != std::errc() && !large) || end != number.data() + number.size()) {
      refuse(fmt::format("{} is not a corner of a face, such as 7 or 7/1/3", in_quotes(word)));
    }
    if (large || index == 0 || index > count || index < -count) {
      refuse(fmt::format("refers to vertex {}, but {} come before it, numbered from 1", in_quotes(number), count));
    }
    return static_cast<std::uint32_t>(index > 0 ? index - 1 : count + index);
  }

  MeshReading& reading_;
  ByteReader reader_;
  std::string joined_;
  std::uint64_t rows_ = 0, faces_ = 0;
  std::optional<std::pair<std::uint64_t, std::uint64_t>> stated_;  // vertices and faces
  bool part_has_faces_ = false;
  std::vector<std::string_view> words_;
  std::vector<std::uint32_t> corners_;
};

}  // namespace

void read_obj(MeshReading& reading) { ObjSource(reading).read(); }

}  // namespace graze::io
