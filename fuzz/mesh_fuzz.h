// Shared by the fuzz targets of the mesh readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/fuzz.h"
#include "graze/base/error.h"
#include "graze/io/mesh_file.h"

namespace graze_fuzz {

/// Any bytes as a file of that name: triangles that keep the contract, or an Error that names the file. What was
/// read can be written again in every format and makes a mesh.
inline void read_mesh_from(const std::uint8_t* data, std::size_t size, const std::string& name) {
  using namespace graze;
  MeshFile file;
  try {
    file = parse_mesh({reinterpret_cast<const char*>(data), size}, name);
  } catch (const Error& error) {
    expect(std::string_view(error.what()).substr(0, name.size()) == name, "errors start with the name of the file");
    return;
  }
  const std::size_t memory = file.vertices.capacity() * sizeof(Vec3) + file.triangles.capacity() * sizeof(MeshTriangle);
  expect(memory <= (std::size_t{64} << 20) + 64 * size, "memory is proportional to the file");
  for (const Vec3& p : file.vertices) expect(is_finite(p), "vertices are finite");
  for (const MeshTriangle& t : file.triangles) {
    for (const std::uint32_t index : t) expect(index < file.vertices.size(), "corners are vertices");
  }
  constexpr std::size_t kFew = 2000;
  if (file.triangles.size() > kFew || file.vertices.size() > kFew) return;
  for (const MeshFormat format : {MeshFormat::stl, MeshFormat::obj, MeshFormat::ply, MeshFormat::off}) {
    const WriteMeshReport report = write_mesh("/dev/null", file.vertices, file.triangles, {.format = format});
    expect(report.triangles == file.triangles.size(), "all triangles are written");
  }
  const Mesh mesh(file.vertices, file.triangles, {.threads = 1});
  expect(mesh.size() == file.triangles.size(), "the mesh has all triangles");
  const MeshReport report = mesh.report();
  expect(report.triangles == file.triangles.size() && report.area >= 0, "the report counts all triangles");
}

}  // namespace graze_fuzz
