// Triangle meshes in files: STL, OBJ, PLY, OFF, COLLADA and glTF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graze/base/number.h"
#include "graze/base/progress.h"
#include "graze/base/vec.h"
#include "graze/geometry/mesh.h"

namespace graze {

/// The formats of mesh files.
enum class MeshFormat : std::uint8_t { stl, obj, ply, off, dae, gltf, threemf };
/// How a format stores its numbers.
enum class MeshEncoding : std::uint8_t { ascii, binary, binary_big_endian };
/// The axis that points up.
enum class UpAxis : std::uint8_t { x, y, z };
std::string_view name_of(MeshFormat format);      ///< "STL", "OBJ", "PLY", "OFF", "COLLADA", "glTF", "3MF"
std::string_view name_of(MeshEncoding encoding);  ///< "ascii", "binary", "binary, big endian"
std::string_view name_of(UpAxis axis);            ///< "x", "y", "z"

/// What a file is and how it was understood.
struct MeshHeader {
  /// Where a unit or an axis is known from.
  enum class Source : std::uint8_t {
    file,    ///< the file states it
    format,  ///< it does not, but its format says what that means: COLLADA, glTF, 3MF
    caller,  ///< nothing states it: the caller's options, metres and z unless given
  };

  MeshFormat format = MeshFormat::stl;          ///< of the file
  MeshEncoding encoding = MeshEncoding::ascii;  ///< of its numbers
  std::string version;                          ///< of the format, "1.4.1"; empty if it has none
  std::uint64_t file_size = 0;                  ///< in bytes, with buffers in other files
  double unit = 1;                              ///< metres per unit of the file; applied
  Source unit_source = Source::caller;          ///< where `unit` is known from
  UpAxis up = UpAxis::z;                        ///< of the file; the mesh is turned so that z is up
  Source up_source = Source::caller;            ///< where `up` is known from
  std::size_t parts = 0;              ///< pieces that the file distinguishes: solids, objects, placed primitives
  std::size_t polygons = 0;           ///< faces of more than three corners; cut into triangles
  std::size_t crossed_polygons = 0;   ///< of these, such as cross themselves or have no normal, where it is noticed
  std::size_t lines = 0, points = 0;  ///< primitives that are not surfaces: left out
  std::vector<std::string> notes;     ///< what else the file holds and graze leaves out, a sentence each
};

std::string_view name_of(MeshHeader::Source source);  ///< "file", "format", "caller"

/// Options of readers of meshes.
struct ReadMeshOptions {
  double unit = 1;           ///< metres per unit of a file that does not state it: 0.001 for millimetres
  UpAxis up = UpAxis::z;     ///< of a file that does not state it
  bool believe_unit = true;  ///< false: `unit` holds, whatever the file states
  bool believe_up = true;    ///< false: `up` holds, whatever the file states
  MeshOptions mesh = {};     ///< for read_mesh: solid or shell
  Progress progress = {};    ///< cancelling throws Error
};

/// Triangles as a file has them, in metres and with z up.
struct MeshFile {
  std::vector<Vec3> vertices;           ///< each once, where the format shares them
  std::vector<MeshTriangle> triangles;  ///< indices of vertices
  MeshHeader header;                    ///< what the file is
};

/// Reads a mesh of any of these formats; the bytes determine which one, the name only where they do not. STL:
/// ascii and binary, corners at the same position become one vertex. OBJ: polygons, indices of either sign. PLY: all
/// three encodings, polygons and strips. OFF: ascii, with whatever colours and normals. COLLADA, 3MF and glTF (text
/// and GLB): every placed instance with its transform. Polygons are cut into triangles; lines and points are left out
/// and counted. How units and axes are understood: docs/mesh-files.md.
///
///     Mesh wall = read_mesh("wall.stl", {.unit = 0.001});          // a file in millimetres
///     MeshFile part = read_mesh_file("part.dae");                  // part.header.unit, part.header.notes …
///
/// Throws Error naming the file, the location (line, byte or element) and the reason: for whatever is cut off, is no
/// finite number, names a vertex that is not there, or claims more than the file holds. A file without triangles is a
/// mesh without triangles. Never takes more memory than 64 MiB + 64 × the size of the file, whatever it claims, a Mesh
/// that is made of it included (building_bytes_of_mesh; a solid one if the options say so). Only glTF may name buffers
/// in other files; they are read if they lie in the folder of the file or below it. No other reference is followed.
MeshFile read_mesh_file(const std::string& path, const ReadMeshOptions& options = {});
/// The same from bytes in memory; `name` stands for them in errors, its extension counts where the bytes do not.
/// No other file is read.
MeshFile parse_mesh(std::string_view bytes, const std::string& name, const ReadMeshOptions& options = {});
/// Reads a file and makes the mesh.
Mesh read_mesh(const std::string& path, const ReadMeshOptions& options = {});

/// Whether a file holds a mesh by its first bytes or its name: a PLY with faces does, one without is a cloud. What is
/// no regular file (a pipe) is not looked into. Throws Error if it cannot be read.
bool is_mesh_file(const std::string& path);

/// Options of write_mesh().
struct WriteMeshOptions {
  std::optional<MeshFormat> format = {};       ///< STL, OBJ, PLY or OFF; by the extension of the path if absent
  std::optional<MeshEncoding> encoding = {};   ///< binary for STL and PLY if absent; OBJ and OFF are ascii always
  std::optional<NumberType> coordinates = {};  ///< float32 or float64; float64 if absent, but STL has float32 always
  Progress progress = {};                      ///< cancelling throws Error and leaves the old file
};

/// How writing went.
struct WriteMeshReport {
  std::size_t vertices = 0, triangles = 0;  ///< written
  double rounding = 0;                      ///< largest distance between a vertex and what was written, in metres
};

/// Writes triangles to a temporary file, renamed when complete. Throws Error for a format that is not written, an
/// encoding that it does not have and an index without a vertex.
///
///     write_mesh("wall.ply", wall.vertices(), wall.triangles());
WriteMeshReport write_mesh(const std::string& path, std::span<const Vec3> vertices,
                           std::span<const MeshTriangle> triangles, const WriteMeshOptions& options = {});

}  // namespace graze
