#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "graze/base/error.h"
#include "graze/geometry/building_bytes.h"
#include "io/cloud_source.h"
#include "io/mesh_source.h"
#include "io/ply_header.h"
#include "io/utf16.h"

namespace graze::io {
namespace {

constexpr std::size_t kMaxNotes = 20;

// Turns so that z is up; x stays where it is, unless x is up: the right-hand side of the viewer is then −y.
Vec3 turned(const Vec3& p, UpAxis up) {
  switch (up) {
    case UpAxis::x:
      return {-p.y(), -p.z(), p.x()};
    case UpAxis::y:
      return {p.x(), -p.z(), p.y()};
    case UpAxis::z:
      break;
  }
  return p;
}

void check_options(const ReadMeshOptions& options) {
  if (!(options.unit > 0) || !std::isfinite(options.unit)) {
    throw Error("unit", fmt::format("must be a positive number of metres, got {}", options.unit));
  }
}

MeshFile read(const std::shared_ptr<const Bytes>& bytes, const ReadMeshOptions& options, const std::string* folder) {
  check_options(options);
  const std::string& name = bytes->name();
  const std::optional<MeshFormat> format = mesh_format_of(bytes);
  if (!format)
    throw Error(name, "is not a mesh that graze can read: STL, OBJ, PLY with faces, OFF, COLLADA, 3MF or glTF");
  // XML states its encoding itself; the other texts do not.
  const bool plain_text = *format == MeshFormat::obj || *format == MeshFormat::off;
  const std::optional<std::string> text = plain_text ? text_of_utf16(*bytes) : std::nullopt;
  MeshReading reading(text ? Bytes::of(*text, name) : bytes, options.progress, options.mesh.solid);
  MeshHeader& header = reading.header;
  header.file_size = bytes->size();
  header.format = *format;
  options.progress.report(0, "reading " + name);
  switch (*format) {
    case MeshFormat::stl:
      read_stl(reading);
      break;
    case MeshFormat::obj:
      read_obj(reading);
      break;
    case MeshFormat::ply:
      read_mesh_ply(reading);
      break;
    case MeshFormat::off:
      read_off(reading);
      break;
    case MeshFormat::dae:
      read_dae(reading);
      break;
    case MeshFormat::threemf:
      read_threemf(reading);
      break;
    case MeshFormat::gltf:
      read_gltf(reading, folder);
      break;
  }
  reading.refuse_if_too_large();
  if (header.unit_source == MeshHeader::Source::caller || !options.believe_unit) {
    header.unit = options.unit;
    header.unit_source = MeshHeader::Source::caller;
  }
  if (header.up_source == MeshHeader::Source::caller || !options.believe_up) {
    header.up = options.up;
    header.up_source = MeshHeader::Source::caller;
  }
  std::vector<Vec3>& vertices = reading.mesh.vertices;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    Vec3& p = vertices[i];
    p = turned(p, header.up) * header.unit;
    if (!(p.cwiseAbs().maxCoeff() <= Mesh::kLargestCoordinate)) {
      throw Error(name, fmt::format("vertex {} lies at ({:.3g}, {:.3g}, {:.3g}) m, farther out than {:.0e} m", i, p.x(),
                                    p.y(), p.z(), Mesh::kLargestCoordinate));
    }
  }
  options.progress.report(1);
  return {std::move(vertices), std::move(reading.mesh.triangles), std::move(header)};
}

bool has_faces(const std::shared_ptr<const Bytes>& bytes) {
  ByteReader reader(bytes);
  const PlyHeader header = read_ply_header(reader);
  for (const char* name : {"face", "tristrips"}) {
    const PlyElement* element = header.element(name);
    if (element != nullptr && element->count > 0) return true;
  }
  return false;
}

// "OFF", "COFF", "STCNOFF", …, or "OFF8" with the first count behind it
bool looks_like_off(std::string_view start) {
  const std::string_view word = start.substr(0, start.find_first_of(" \t\r\n"));
  const std::size_t mark = word.find("OFF");
  return mark != std::string_view::npos && word.substr(0, mark).find_first_not_of("STCN4n") == std::string_view::npos &&
         word.substr(mark + 3).find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

MeshReading::MeshReading(std::shared_ptr<const Bytes> bytes, const Progress& progress, bool solid)
    : bytes_(std::move(bytes)), progress_(progress), solid_(solid) {
  header.file_size = bytes_->size();
}

void MeshReading::add_vertex(TriangleList& to, const Vec3& p) {
  to.vertices.push_back(p);
  check(to);
  if (to.vertices.size() >= 0xFFFFFFFF) throw Error(name(), "has 2^32 vertices and more");
}

void MeshReading::add_triangle(TriangleList& to, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  to.triangles.push_back({a, b, c});
  check(to);
}

void MeshReading::add_face(TriangleList& to, std::span<const std::uint32_t> corners) {
  if (corners.size() < 3) {
    ++(corners.size() == 2 ? header.lines : header.points);
    return;
  }
  if (corners.size() > 3) ++header.polygons;
  if (!cutter_.cut(to.vertices, corners, to.triangles)) ++header.crossed_polygons;
  check(to);
}

void MeshReading::place(const TriangleList& part, const Eigen::Affine3d& to_world) {
  const std::size_t vertices = mesh.vertices.size() + part.vertices.size();
  const std::size_t triangles = mesh.triangles.size() + part.triangles.size();
  if (needed(vertices, triangles) > budget()) refuse_size(vertices, triangles);
  if (mesh.vertices.size() + part.vertices.size() >= 0xFFFFFFFF) throw Error(name(), "has 2^32 vertices and more");
  const auto base = static_cast<std::uint32_t>(mesh.vertices.size());
  const bool mirrors = to_world.linear().determinant() < 0;
  for (const Vec3& p : part.vertices) mesh.vertices.push_back(to_world * p);
  for (const MeshTriangle& t : part.triangles) {
    mesh.triangles.push_back({t[0] + base, t[mirrors ? 2 : 1] + base, t[mirrors ? 1 : 2] + base});
  }
}

void MeshReading::advance(std::uint64_t position) const {
  if (progress_.silent()) return;
  const double done = static_cast<double>(position) / static_cast<double>(std::max<std::uint64_t>(1, bytes_->size()));
  if (!progress_.report(std::min(done, 0.999))) throw Error("reading " + name(), "was cancelled");
}

void MeshReading::note(std::string text) {
  if (header.notes.size() < kMaxNotes &&
      std::find(header.notes.begin(), header.notes.end(), text) == header.notes.end())
    header.notes.push_back(std::move(text));
}

void MeshReading::refuse_if_empty(std::size_t parts, std::string_view kind) const {
  if (!mesh.triangles.empty() || header.lines > 0 || header.points > 0) return;
  throw Error(name(), parts == 0 ? fmt::format("holds no {}, so no triangles", kind)
                                 : fmt::format("holds {} {}, but its scene places no triangle of them", parts, kind));
}

std::uint64_t MeshReading::needed(std::size_t vertices, std::size_t triangles) const {
  // Vectors that grow take three times what they hold for a moment, and keep twice of it.
  const std::uint64_t lists = vertices * sizeof(Vec3) + triangles * sizeof(MeshTriangle);
  return 2 * lists + std::max<std::uint64_t>(lists, building_bytes_of_mesh(triangles, vertices, solid_));
}

void MeshReading::check_now(const TriangleList& list) {
  if (needed(list.vertices.size(), list.triangles.size()) > budget()) {
    refuse_size(list.vertices.size(), list.triangles.size());
  }
  // Not for every corner: the lists may grow by a part until it is asked again.
  constexpr std::uint64_t kPart = 16, kMin = std::uint64_t{1} << 16;
  checked_ = list.memory() + std::max(kMin, list.memory() / kPart);
}

void MeshReading::refuse_if_too_large() { check_now(mesh); }

void MeshReading::refuse_size(std::size_t vertices, std::size_t triangles) const {
  throw Error(name(),
              fmt::format("claims {} triangles and {} vertices or more, which take {} MiB in memory with their "
                          "search tree; the limit for a file of {} bytes is {} MiB (54 MiB + 54 × its size); "
                          "divide it, or place its parts once each instead of again and again",
                          triangles, vertices, needed(vertices, triangles) >> 20, header.file_size, budget() >> 20));
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

bool is_binary_stl(const Bytes& bytes) {
  unsigned char count[4] = {};
  if (bytes.size() < 84 || bytes.read(80, count, 4) != 4) return false;
  const std::uint64_t triangles = little_endian(count);
  return bytes.size() == 84 + 50 * triangles;
}

std::optional<MeshFormat> mesh_format_of(const std::shared_ptr<const Bytes>& bytes) {
  std::string start(4096, '\0');
  start.resize(bytes->read(0, start.data(), start.size()));
  if (looks_like_ply(start)) return has_faces(bytes) ? std::optional(MeshFormat::ply) : std::nullopt;
  if (start.starts_with("glTF")) return MeshFormat::gltf;
  if (start.starts_with("PK\x03\x04") && extension_of(bytes->name()) == "3mf") return MeshFormat::threemf;
  if (start.starts_with("LASF")) return std::nullopt;
  const std::string_view text =
      std::string_view(start).substr(std::min(start.find_first_not_of(" \t\r\n"), start.size()));
  if (text.find("<COLLADA") != std::string_view::npos) return MeshFormat::dae;
  if (looks_like_off(text)) return MeshFormat::off;
  const std::string words = lower_case(text);
  if (words.starts_with("solid") &&
      (words.find("facet") != std::string::npos || words.find("endsolid") != std::string::npos))
    return MeshFormat::stl;
  const std::string extension = extension_of(bytes->name());
  constexpr std::pair<std::string_view, MeshFormat> kExtensions[] = {
      {"stl", MeshFormat::stl}, {"obj", MeshFormat::obj},   {"off", MeshFormat::off},
      {"dae", MeshFormat::dae}, {"gltf", MeshFormat::gltf}, {"glb", MeshFormat::gltf}};
  for (const auto& [known, format] : kExtensions) {
    if (extension == known) return format;
  }
  if (text.starts_with('{') && text.find("\"asset\"") != std::string_view::npos) return MeshFormat::gltf;
  if (bytes->size() > 84 && is_binary_stl(*bytes)) return MeshFormat::stl;
  return std::nullopt;
}

Vec3 point_of(std::span<const std::string_view> words, const ByteReader& reader) {
  Vec3 p;
  for (std::size_t k = 0; k < 3; ++k) {
    double value = 0;
    const char* why = parse_number(words[k], NumberType::float64, &value);
    if (why == nullptr && !std::isfinite(value)) why = "is not finite";
    if (why != nullptr)
      throw Error(reader.name(), reader.line_number(), fmt::format("{} for {} {}", in_quotes(words[k]), "xyz"[k], why));
    p[static_cast<Eigen::Index>(k)] = value;
  }
  return p;
}

std::uint32_t index_of(std::string_view word, std::size_t count, const ByteReader& reader) {
  std::uint64_t index = 0;
  if (!parse_count(word, index)) {
    throw Error(reader.name(), reader.line_number(), fmt::format("{} is not a vertex index", in_quotes(word)));
  }
  if (index >= count) {
    throw Error(reader.name(), reader.line_number(),
                fmt::format("refers to vertex {}, but there are {}", index, count));
  }
  return static_cast<std::uint32_t>(index);
}

}  // namespace graze::io

namespace graze {

using io::Bytes;

std::string_view name_of(MeshFormat format) {
  constexpr std::string_view kNames[] = {"STL", "OBJ", "PLY", "OFF", "COLLADA", "glTF", "3MF"};
  return kNames[static_cast<std::size_t>(format)];
}

std::string_view name_of(MeshEncoding encoding) {
  constexpr std::string_view kNames[] = {"ascii", "binary", "binary, big endian"};
  return kNames[static_cast<std::size_t>(encoding)];
}

std::string_view name_of(UpAxis axis) {
  constexpr std::string_view kNames[] = {"x", "y", "z"};
  return kNames[static_cast<std::size_t>(axis)];
}

std::string_view name_of(MeshHeader::Source source) {
  constexpr std::string_view kNames[] = {"file", "format", "caller"};
  return kNames[static_cast<std::size_t>(source)];
}

MeshFile read_mesh_file(const std::string& path, const ReadMeshOptions& options) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  const std::string folder = parent.empty() ? "." : parent;
  return io::read(Bytes::open(path), options, &folder);
}

MeshFile parse_mesh(std::string_view bytes, const std::string& name, const ReadMeshOptions& options) {
  return io::read(Bytes::of(bytes, name), options, nullptr);
}

Mesh read_mesh(const std::string& path, const ReadMeshOptions& options) {
  const MeshFile file = read_mesh_file(path, options);
  try {
    return Mesh(file.vertices, file.triangles, options.mesh);
  } catch (const Error& error) {
    throw Error(path, error.what());
  }
}

bool is_mesh_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return false;
  return io::mesh_format_of(Bytes::open(path)).has_value();
}

}  // namespace graze
