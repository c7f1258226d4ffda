// STL: triangles with three corners each, as text or in little-endian records of 50 bytes.
#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "graze/base/error.h"
#include "io/cloud_source.h"
#include "io/mesh_source.h"

namespace graze::io {
namespace {

/// Makes one vertex of corners at the same place: a table of vertex indices with as many places again free.
class Welder {
 public:
  explicit Welder(MeshReading& reading) : reading_(reading), table_(1024, kFree) {}

  std::uint32_t add(const Vec3& p) {
    std::vector<Vec3>& vertices = reading_.mesh.vertices;
    if (2 * vertices.size() >= table_.size()) grow();
    // + 0.0 makes 0 of -0.
    const Vec3 place = p + Vec3::Zero();
    std::size_t at = slot(place);
    for (; table_[at] != kFree; at = (at + 1) & (table_.size() - 1)) {
      if (vertices[table_[at]] == place) return table_[at];
    }
    reading_.add_vertex(reading_.mesh, place);
    return table_[at] = static_cast<std::uint32_t>(vertices.size() - 1);
  }

 private:
  static constexpr std::uint32_t kFree = 0xFFFFFFFF;

  std::size_t slot(const Vec3& p) const {
    std::uint64_t hash = 0;
    for (const double x : p) {
      hash = (hash ^ std::bit_cast<std::uint64_t>(x)) * 0x9E3779B97F4A7C15;
      hash ^= hash >> 29;
    }
    return static_cast<std::size_t>(hash * 0xBF58476D1CE4E5B9 >> 20) & (table_.size() - 1);
  }

  void grow() {
    table_.assign(2 * table_.size(), kFree);
    const std::vector<Vec3>& vertices = reading_.mesh.vertices;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      std::size_t at = slot(vertices[i]);
      while (table_[at] != kFree) at = (at + 1) & (table_.size() - 1);
      table_[at] = static_cast<std::uint32_t>(i);
    }
  }

  MeshReading& reading_;
  std::vector<std::uint32_t> table_;  // a power of two
};

void read_binary(MeshReading& reading) {
  ByteReader reader(reading.bytes());
  reading.header.encoding = MeshEncoding::binary;
  reading.header.parts = 1;
  if (reading.bytes()->size() < 84) {
    throw Error(reading.name(),
                fmt::format("is not an STL file: {} bytes are too few for a binary one, and it does not start "
                            "with 'solid'",
                            reading.bytes()->size()));
  }
  unsigned char raw[50];
  reader.skip(80);
  reader.take(raw, 4);
  const std::uint64_t count = little_endian(raw);
  if (count > reader.remaining() / 50) {
    throw Error(
        reading.name() + ": byte 80",
        fmt::format("claims {} triangles of 50 bytes, but only {} bytes follow; the header is wrong or the file "
                    "was cut off",
                    count, reader.remaining()));
  }
  reading.mesh.triangles.reserve(static_cast<std::size_t>(count));
  Welder welder(reading);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = reader.position();
    if (!reader.take(raw, sizeof raw)) throw Error(reading.name(), "became shorter while it was read");
    MeshTriangle corners{};
    for (std::size_t k = 0; k < 3; ++k) {
      Vec3 p;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        p[static_cast<Eigen::Index>(axis)] = double{std::bit_cast<float>(little_endian(raw + 12 + 12 * k + 4 * axis))};
      }
      if (!p.allFinite()) {
        throw Error(fmt::format("{}: byte {}", reading.name(), at + 12 + 12 * k),
                    fmt::format("corner {} of triangle {} is not finite", k, i));
      }
      corners[k] = welder.add(p);
    }
    reading.mesh.triangles.push_back(corners);
    if (i % kRowsPerReport == 0) reading.advance(at);
  }
  const std::uint64_t more = reader.remaining();
  if (!reader.only_padding_follows()) {
    throw Error(reading.name(), fmt::format("{} bytes follow the last triangle that the header counts", more));
  }
}

class AsciiStl {
 public:
  explicit AsciiStl(MeshReading& reading) : reading_(reading), reader_(reading.bytes()), welder_(reading) {}

  void read() {
    std::string_view line;
    while (reader_.line(line)) {
      split_blanks(line, words_);
      if (words_.empty()) continue;
      const std::string word = lower_case(words_[0]);
      if (word == "vertex") {
        add_corner();
      } else if (word == "facet") {
        expect(kSolid, "facet");
        state_ = kFacet;
      } else if (word == "outer") {
        expect(kFacet, "outer loop");
        state_ = kLoop;
        corners_.clear();
      } else if (word == "endloop") {
        expect(kLoop, "endloop");
        add_loop();
        state_ = kLoopDone;
      } else if (word == "endfacet") {
        expect(kLoopDone, "endfacet");
        state_ = kSolid;
        if (++facets_ % kRowsPerReport == 0) reading_.advance(reader_.position());
      } else if (word == "solid") {
        expect(kOutside, "solid");
        state_ = kSolid;
        ++reading_.header.parts;
      } else if (word == "endsolid") {
        expect(kSolid, "endsolid");
        state_ = kOutside;
      } else {
        refuse(fmt::format("{} is not an STL keyword (solid, facet, outer, vertex, endloop, endfacet, endsolid)",
                           in_quotes(words_[0])));
      }
    }
    if (state_ != kOutside) throw Error(reading_.name(), "ends before endsolid; was it cut off?");
  }

 private:
  enum State { kOutside, kSolid, kFacet, kLoop, kLoopDone };

  [[noreturn]] void refuse(const std::string& why) const { throw Error(reader_.name(), reader_.line_number(), why); }

  void expect(State state, std::string_view word) const {
    constexpr std::string_view kPlaces[] = {"outside of any solid", "between facets", "after facet", "within a loop",
                                            "after endloop"};
    if (state_ != state) refuse(fmt::format("'{}' stands {}, not {}", word, kPlaces[state_], kPlaces[state]));
  }

  void add_corner() {
    expect(kLoop, "vertex");
    if (words_.size() != 4) refuse(fmt::format("a vertex has three numbers, not {}", words_.size() - 1));
    corners_.push_back(welder_.add(point_of(std::span(words_).subspan(1), reader_)));
  }

  void add_loop() {
    if (corners_.size() < 3) refuse(fmt::format("a loop has three corners, not {}", corners_.size()));
    reading_.add_face(reading_.mesh, corners_);
  }

  MeshReading& reading_;
  ByteReader reader_;
  Welder welder_;
  State state_ = kOutside;
  std::uint64_t facets_ = 0;
  std::vector<std::string_view> words_;
  std::vector<std::uint32_t> corners_;
};

}  // namespace

void read_stl(MeshReading& reading) {
  // Many binary files start with "solid", too: a size that matches exactly, or a NUL byte, gives them away.
  std::string start(512, '\0');
  start.resize(reading.bytes()->read(0, start.data(), start.size()));
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  const bool solid = first != std::string::npos && lower_case(std::string_view(start).substr(first, 5)) == "solid";
  if (!solid || is_binary_stl(*reading.bytes()) || start.find('\0') != std::string::npos) {
    read_binary(reading);
  } else {
    AsciiStl(reading).read();
  }
}

}  // namespace graze::io
