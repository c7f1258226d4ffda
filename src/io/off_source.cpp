// OFF: the numbers of vertices, faces and edges, then a line for each vertex and each face.
#include <fmt/format.h>

#include <algorithm>

#include "graze/base/error.h"
#include "io/cloud_source.h"
#include "io/mesh_source.h"

namespace graze::io {
namespace {

class OffSource {
 public:
  explicit OffSource(MeshReading& reading) : reading_(reading), reader_(reading.bytes()) {}

  void read() {
    reading_.header.parts = 1;
    read_counts();
    reading_.mesh.vertices.reserve(static_cast<std::size_t>(vertices_));
    reading_.mesh.triangles.reserve(static_cast<std::size_t>(faces_));
    for (std::uint64_t i = 0; i < vertices_; ++i) {
      need_line("vertices", vertices_ - i, vertices_);
      // Behind the place may stand a normal, a colour and a place in a texture.
      if (words_.size() < 3) refuse(fmt::format("a vertex has three numbers, not {}", words_.size()));
      reading_.add_vertex(reading_.mesh, point_of(words_, reader_));
      if (i % kRowsPerReport == 0) reading_.advance(reader_.position());
    }
    for (std::uint64_t i = 0; i < faces_; ++i) {
      need_line("faces", faces_ - i, faces_);
      read_face();
      if (i % kRowsPerReport == 0) reading_.advance(reader_.position());
    }
    if (next_line()) refuse("comes after the last face that the header counts; its counts are too small");
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw Error(reader_.name(), reader_.line_number(), why); }

  // The words of the next line that has some, without its comment.
  bool next_line() {
    std::string_view line;
    while (reader_.line(line)) {
      split_blanks(line.substr(0, line.find('#')), words_);
      if (!words_.empty()) return true;
    }
    return false;
  }

  void need_line(std::string_view what, std::uint64_t missing, std::uint64_t count) {
    if (next_line()) return;
    throw Error(reader_.name(),
                fmt::format("ends within the {}: {} of {} are missing; was it cut off?", what, missing, count));
  }

  void read_counts() {
    if (!next_line()) throw Error(reader_.name(), "is not an OFF file: it holds no line but comments");
    // "OFF8 6 12": nothing between the mark and the first count.
    const std::size_t digits = words_[0].find_first_of("0123456789");
    if (digits != std::string_view::npos && words_[0].substr(0, digits).ends_with("OFF")) {
      const std::string_view joined = words_[0];
      words_[0] = joined.substr(digits);
      words_.insert(words_.begin(), joined.substr(0, digits));
    }
    if (words_[0].ends_with("OFF")) {
      const std::string_view kind = words_[0].substr(0, words_[0].size() - 3);
      if (kind.find_first_of("4n") != std::string_view::npos) {
        refuse(fmt::format("{} has vertices in another number of dimensions than 3", in_quotes(words_[0])));
      }
      if (words_.size() > 1 && words_[1] == "BINARY") refuse("binary OFF is not read; convert it to ascii");
      words_.erase(words_.begin());
      if (words_.empty() && !next_line()) throw Error(reader_.name(), "has no line with its counts; was it cut off?");
    }
    // The number of edges is often left out, or wrong.
    if ((words_.size() != 2 && words_.size() != 3) || !parse_count(words_[0], vertices_) ||
        !parse_count(words_[1], faces_)) {
      refuse("there must be the numbers of vertices, faces and edges");
    }
    // A vertex takes at least three digits, two blanks and an end of line, a face one digit and an end.
    const std::uint64_t room = reader_.remaining() + 1;
    if (vertices_ > room / 6 || faces_ > (room - 6 * vertices_) / 2) {
      refuse(
          fmt::format("claims {} vertices and {} faces, but only {} bytes follow; the header is wrong or the file was "
                      "cut off",
                      vertices_, faces_, reader_.remaining()));
    }
  }

  void read_face() {
    std::uint64_t corners = 0;
    if (!parse_count(words_[0], corners)) refuse(fmt::format("{} is not a number of corners", in_quotes(words_[0])));
    if (corners > words_.size() - 1) {
      refuse(fmt::format("a face claims {} corners, {} follow", corners, words_.size() - 1));
    }
    check_corners(corners, [&](const std::string& why) { refuse(why); });
    corners_.clear();
    for (std::size_t k = 1; k <= corners; ++k) {
      corners_.push_back(index_of(words_[k], reading_.mesh.vertices.size(), reader_));
    }
    reading_.add_face(reading_.mesh, corners_);
  }

  MeshReading& reading_;
  ByteReader reader_;
  std::uint64_t vertices_ = 0, faces_ = 0;
  std::vector<std::string_view> words_;
  std::vector<std::uint32_t> corners_;
};

}  // namespace

void read_off(MeshReading& reading) { OffSource(reading).read(); }

}  // namespace graze::io
