// What the readers of meshes share: each turns bytes into triangles.
#pragma once

#include <Eigen/Geometry>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graze/io/mesh_file.h"
#include "io/bytes.h"
#include "io/polygon.h"

namespace graze::io {

struct TriangleList {
  std::vector<Vec3> vertices;
  std::vector<MeshTriangle> triangles;

  std::uint64_t memory() const { return vertices.size() * sizeof(Vec3) + triangles.size() * sizeof(MeshTriangle); }
};

/// A file on its way to be a mesh.
class MeshReading {
 public:
  MeshReading(std::shared_ptr<const Bytes> bytes, const Progress& progress);

  MeshHeader header;
  TriangleList mesh;

  const std::shared_ptr<const Bytes>& bytes() const { return bytes_; }
  const std::string& name() const { return bytes_->name(); }

  /// Appends a polygon whose corners are vertices of `to`; counts it if it is none. Throws Error where the budget ends.
  void add_face(TriangleList& to, std::span<const std::uint32_t> corners);
  void add_triangle(TriangleList& to, std::uint32_t a, std::uint32_t b, std::uint32_t c);
  /// Throws Error where the budget ends.
  void add_vertex(TriangleList& to, const Vec3& p);
  /// Appends `part`, moved; where `to_world` mirrors, the triangles are turned so that they face the same side.
  void place(const TriangleList& part, const Eigen::Affine3d& to_world);
  /// More bytes that may be taken into account: those of a file that this one names.
  void widen(std::uint64_t bytes) { header.file_size += bytes; }
  /// Tells how far reading has come; throws Error if it was cancelled.
  void advance(std::uint64_t position) const;
  void note(std::string text);

 private:
  [[noreturn]] void refuse_size() const;
  // What a byte of any format makes at most is 12 bytes of memory: more comes from instances only. Vectors that grow
  // take three times what they hold for a moment.
  std::uint64_t budget() const { return (std::uint64_t{18} << 20) + 18 * header.file_size; }
  void check(const TriangleList& list) const {
    if (list.memory() > budget()) refuse_size();
  }

  std::shared_ptr<const Bytes> bytes_;
  Progress progress_;
  PolygonCutter cutter_;
};

// Each reads all of the file into reading.mesh, in the units and axes of the file, and says in the header what those
// are if the file or its format tells.
void read_stl(MeshReading& reading);
void read_obj(MeshReading& reading);
void read_mesh_ply(MeshReading& reading);
void read_off(MeshReading& reading);
void read_dae(MeshReading& reading);
/// `folder`: where buffers may lie; null if nowhere.
void read_gltf(MeshReading& reading, const std::string* folder);

/// Which format it is, by the bytes or else by the name; nothing if it is no mesh.
std::optional<MeshFormat> mesh_format_of(const std::shared_ptr<const Bytes>& bytes);
/// Whether a binary STL of just this size begins so.
bool is_binary_stl(const Bytes& bytes);

/// Three words as a point. Throws Error naming the line that `reader` read last, unless they are finite numbers.
Vec3 point_of(std::span<const std::string_view> words, const ByteReader& reader);
/// A word as the index of one of `count` vertices. Throws Error naming the line.
std::uint32_t index_of(std::string_view word, std::size_t count, const ByteReader& reader);

/// Polygons of more corners are refused: cutting them would take much memory.
inline constexpr std::size_t kMostCorners = std::size_t{1} << 18;
template <class Refuse>
void check_corners(std::size_t count, Refuse refuse) {
  if (count > kMostCorners) {
    refuse("a polygon of " + std::to_string(count) + " corners; graze reads such of at most " +
           std::to_string(kMostCorners));
  }
}

/// Four bytes as a number, the least significant first.
inline std::uint32_t little_endian(const unsigned char* bytes) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | bytes[i];
  return value;
}

/// ASCII letters in lower case; all else as it is.
std::string lower_case(std::string_view text);

/// How often a reader tells how far it is: every so many rows.
inline constexpr std::uint64_t kRowsPerReport = 8192;

}  // namespace graze::io
