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

/// A file that is being read into a mesh.
class MeshReading {
 public:
  /// `solid`: what is made of it will be.
  MeshReading(std::shared_ptr<const Bytes> bytes, const Progress& progress, bool solid = false);

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
  /// More bytes that may be taken into account: those of a file that this one refers to.
  void widen(std::uint64_t bytes) { header.file_size += bytes; }
  /// Tells how far reading has come; throws Error if it was cancelled.
  void advance(std::uint64_t position) const;
  void note(std::string text);
  /// Throws Error if making a mesh of it would take more memory than a file of this size may.
  void refuse_if_too_large();
  /// Throws Error if nothing was read: a scene of `parts` meshes or geometries that places none of them.
  void refuse_if_empty(std::size_t parts, std::string_view kind) const;

 private:
  [[noreturn]] void refuse_size(std::size_t vertices, std::size_t triangles) const;
  // The rest, up to 64 MiB + 64 × the size of the file, is what the readers themselves take.
  std::uint64_t budget() const { return (std::uint64_t{54} << 20) + 54 * header.file_size; }
  /// What lists of so many vertices and triangles, and the mesh that is made of them, take.
  std::uint64_t needed(std::size_t vertices, std::size_t triangles) const;
  void check(const TriangleList& list) {
    if (list.memory() > checked_) check_now(list);
  }
  void check_now(const TriangleList& list);

  std::shared_ptr<const Bytes> bytes_;
  Progress progress_;
  PolygonCutter cutter_;
  bool solid_ = false;
  std::uint64_t checked_ = 0;  // lists up to so many bytes were found to be within the budget
};

// Each reads all of the file into reading.mesh, in the units and axes of the file, and says in the header what those
// are if the file or its format states them.
void read_stl(MeshReading& reading);
void read_obj(MeshReading& reading);
void read_mesh_ply(MeshReading& reading);
void read_off(MeshReading& reading);
void read_dae(MeshReading& reading);
void read_threemf(MeshReading& reading);
/// `folder`: where buffers may lie; null if nowhere.
void read_gltf(MeshReading& reading, const std::string* folder);

/// Which format it is, by the bytes or else by the name; nothing if it is not a mesh.
std::optional<MeshFormat> mesh_format_of(const std::shared_ptr<const Bytes>& bytes);
/// Whether a binary STL of exactly this size starts like this.
bool is_binary_stl(const Bytes& bytes);

/// Three words as a point. Throws Error naming the line that `reader` read last, unless they are finite numbers.
Vec3 point_of(std::span<const std::string_view> words, const ByteReader& reader);
/// A word as the index of one of `count` vertices. Throws Error naming the line.
std::uint32_t index_of(std::string_view word, std::size_t count, const ByteReader& reader);

/// Polygons of more corners are refused: cutting them would take much memory.
inline constexpr std::size_t kMaxCorners = std::size_t{1} << 18;
template <class Refuse>
void check_corners(std::size_t count, Refuse refuse) {
  if (count > kMaxCorners) {
    refuse("a polygon of " + std::to_string(count) + " corners; graze reads such of at most " +
           std::to_string(kMaxCorners));
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

/// Rows between two reports of progress.
inline constexpr std::uint64_t kRowsPerReport = 8192;

}  // namespace graze::io
