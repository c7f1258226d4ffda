#include "io/placed.h"

#include <fmt/format.h>

#include <array>
#include <concepts>
#include <optional>
#include <type_traits>
#include <vector>

#include "graze/base/error.h"
#include "graze/base/nearest_word.h"
#include "graze/io/ask.h"
#include "graze/io/cloud_file.h"
#include "graze/io/mesh_file.h"
#include "io/fields.h"
#include "io/placed_fields.h"

namespace graze {
namespace io {
namespace {

Geometry sphere_from(const Fields& fields) {
  fields.allow_only("a sphere", {"shape", "radius", "pose", "local"});
  return Sphere{.radius = fields.checked<decltype(Sphere::radius)>("radius")};
}

Geometry box_from(const Fields& fields) {
  fields.allow_only("a box", {"shape", "half", "pose", "local"});
  const Vec3 half = fields.vector("half");
  return fields.at("half", [&] { return Box{.half = half}; });
}

/// Capsules, cylinders and cones.
template <typename Round>
Geometry round_from(const Fields& fields) {
  fields.allow_only("a " + std::string(name_of(Shape(Round{.radius = 1, .half_length = 1}))),
                    {"shape", "radius", "half_length", "pose", "local"});
  return Round{.radius = fields.checked<decltype(Round::radius)>("radius"),
               .half_length = fields.checked<decltype(Round::half_length)>("half_length")};
}

Geometry ellipsoid_from(const Fields& fields) {
  fields.allow_only("an ellipsoid", {"shape", "radii", "pose", "local"});
  const Vec3 radii = fields.vector("radii");
  return fields.at("radii", [&] { return Ellipsoid{.radii = radii}; });
}

Geometry convex_from(const Fields& fields) {
  fields.allow_only("a convex", {"shape", "points", "pose", "local"});
  const std::vector<Vec3> points = fields.points("points");
  return fields.at("points", [&] { return Convex::hull_of(points); });
}

Geometry triangle_from(const Fields& fields) {
  fields.allow_only("a triangle", {"shape", "points", "pose", "local"});
  const std::vector<Vec3> points = fields.points("points");
  if (points.size() != 3) {
    throw Error(fields.path_of("points"), fmt::format("must be an array of 3 points, got {}", points.size()));
  }
  return fields.at("points", [&] { return Triangle(points[0], points[1], points[2]); });
}

/// Half-spaces and planes.
template <typename Flat>
Geometry flat_from(const Fields& fields) {
  fields.allow_only(std::same_as<Flat, Plane> ? "a plane" : "a halfspace",
                    {"shape", "normal", "offset", "pose", "local"});
  const Vec3 normal = fields.vector("normal");
  const double offset = fields.number("offset");
  try {
    return Flat(normal, offset);
  } catch (const Error& error) {
    throw Error(fields.path(), error.what());  // which says whether it is about the normal or the offset
  }
}

Geometry cloud_from(const Fields& fields) {
  fields.allow_only("a cloud", {"shape", "file", "points", "radius", "pose", "local"});
  const double radius = fields.has("radius") ? fields.number("radius") : 0;
  fields.at("radius", [&] { return checked::size("radius", checked::Sign::not_negative, radius); });
  if (fields.has("file") == fields.has("points")) throw Error(fields.path(), "needs either file or points");
  if (fields.has("file")) {
    const std::string file = fields.file("file");
    try {
      return fields.read_once(fmt::format("cloud {} {}", radius, file),
                              [&] { return read_cloud(file, {.radius = radius, .attributes = false}); });
    } catch (const Error& error) {
      refuse_file(fields.path_of("file"), error);
    }
  }
  const std::vector<Vec3> points = fields.points("points");
  return fields.at("points", [&] { return Cloud(std::span(points), {.radius = radius}); });
}

Geometry mesh_from(const Fields& fields) {
  fields.allow_only("a mesh", {"shape", "file", "vertices", "triangles", "solid", "pose", "local"});
  const bool solid = fields.flag("solid");
  if (fields.has("file") == (fields.has("vertices") || fields.has("triangles"))) {
    throw Error(fields.path(), "needs either file, or vertices and triangles");
  }
  if (fields.has("file")) {
    const std::string file = fields.file("file");
    try {
      return fields.read_once(fmt::format("mesh {} {}", solid, file),
                              [&] { return read_mesh(file, {.mesh = {.solid = solid}}); });
    } catch (const Error& error) {
      refuse_file(fields.path_of("file"), error);
    }
  }
  const std::vector<Vec3> vertices = fields.points("vertices");
  const Value list = fields.required("triangles");
  const std::string path = fields.path_of("triangles");
  if (!list.is_array()) throw Error(path, "must be a list of three vertex numbers each");
  std::vector<MeshTriangle> triangles;
  for (const Value corners : list) {
    const auto at = [&] { return fmt::format("{}[{}]", path, triangles.size()); };
    if (!corners.is_array() || corners.size() != 3) throw Error(at(), "must be three vertex numbers");
    MeshTriangle triangle;
    std::size_t k = 0;
    for (const Value index : corners) {
      if (!index.is_whole() || index.whole() >= vertices.size())
        throw Error(fmt::format("{}[{}]", at(), k),
                    fmt::format("must be a whole number below the {} vertices", vertices.size()));
      triangle[k++] = static_cast<std::uint32_t>(index.whole());
    }
    triangles.push_back(triangle);
  }
  return Fields::naming(fields.path(), [&] { return Mesh(vertices, triangles, {.solid = solid}); });
}

struct Reader {
  std::string_view name;
  Geometry (*read)(const Fields&);
};
// One for each kind: a geometry that cannot be asked about does not compile.
constexpr Reader reader_of(std::type_identity<Sphere>) { return {"sphere", sphere_from}; }
constexpr Reader reader_of(std::type_identity<Box>) { return {"box", box_from}; }
constexpr Reader reader_of(std::type_identity<Capsule>) { return {"capsule", round_from<Capsule>}; }
constexpr Reader reader_of(std::type_identity<Cylinder>) { return {"cylinder", round_from<Cylinder>}; }
constexpr Reader reader_of(std::type_identity<Cone>) { return {"cone", round_from<Cone>}; }
constexpr Reader reader_of(std::type_identity<Ellipsoid>) { return {"ellipsoid", ellipsoid_from}; }
constexpr Reader reader_of(std::type_identity<Convex>) { return {"convex", convex_from}; }
constexpr Reader reader_of(std::type_identity<HalfSpace>) { return {"halfspace", flat_from<HalfSpace>}; }
constexpr Reader reader_of(std::type_identity<Plane>) { return {"plane", flat_from<Plane>}; }
constexpr Reader reader_of(std::type_identity<Triangle>) { return {"triangle", triangle_from}; }
constexpr Reader reader_of(std::type_identity<Mesh>) { return {"mesh", mesh_from}; }
constexpr Reader reader_of(std::type_identity<Cloud>) { return {"cloud", cloud_from}; }
constexpr Reader reader_of(std::type_identity<HeightField>) { return {"heightfield", height_field_from}; }
constexpr Reader reader_of(std::type_identity<MapView>) { return {"map", map_view_from}; }

constexpr auto kReaders = []<class... Kinds>(std::type_identity<std::variant<Kinds...>>) {
  return std::array{reader_of(std::type_identity<Kinds>())...};
}(std::type_identity<Geometry>());

}  // namespace

void refuse_file(const std::string& path, const Error& error) {
  const std::string text = error.what();
  const std::size_t from = text.find('\'', std::min(error.where().size(), text.size()));
  const std::size_t to = text.rfind('\'');
  const bool quotes = from != std::string::npos && to > from;
  throw Error(path, quotes ? text.substr(0, from) + "'…'" + text.substr(to + 1) : text);
}

Geometry geometry_from(const Fields& fields) {
  const std::string& kind = fields.text("shape");
  for (const Reader& reader : kReaders) {
    if (kind == reader.name) return reader.read(fields);
  }
  std::string known;
  std::vector<std::string> names;
  for (const Reader& reader : kReaders) {
    known += fmt::format("{}{}", known.empty() ? "" : &reader == &kReaders.back() ? " and " : ", ", reader.name);
    names.emplace_back(reader.name);
  }
  const std::optional<std::string> meant = nearest_word(kind, names);
  throw Error(fields.path_of("shape"),
              fmt::format("unknown shape \"{}\"; {} are {}", shortened(kind),
                          meant ? fmt::format("did you mean \"{}\"? Known", *meant) : "known", known));
}

// Row by row: 16 numbers, or four rows of four.
std::array<double, 16> matrix_of(const Fields& fields) {
  std::array<double, 16> m;
  const Value rows = fields.required("matrix");
  if (!rows.is_array() || rows.size() != 4) {
    fields.numbers("matrix", m);
    return m;
  }
  std::size_t i = 0;
  for (const Value row : rows) {
    read_numbers(row, fmt::format("{}[{}]", fields.path_of("matrix"), i), std::span(m).subspan(4 * i, 4));
    ++i;
  }
  return m;
}

Pose pose_from(Value value, const std::string& path) {
  const Fields fields(value, path);
  fields.allow_only("a pose", {"xyz", "wxyz", "xyzw", "rpy", "matrix"});
  const int rotations = fields.has("wxyz") + fields.has("xyzw") + fields.has("rpy");
  if (rotations > 1) throw Error(path, "has more than one rotation; give one of wxyz, xyzw and rpy");
  if (fields.has("matrix")) {
    if (rotations > 0 || fields.has("xyz")) throw Error(path, "has a matrix, which is all of a pose, and more");
    const std::array<double, 16> m = matrix_of(fields);
    return fields.at("matrix", [&] {
      return Pose::from_matrix(Mat4(Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(m.data())));
    });
  }

  const Vec3 xyz = fields.has("xyz") ? fields.vector("xyz") : Vec3::Zero();
  fields.at("xyz", [&] { return checked::point("xyz", xyz); });
  for (const bool real_first : {true, false}) {
    const std::string_view name = real_first ? "wxyz" : "xyzw";
    if (!fields.has(name)) continue;
    std::array<double, 4> q;
    fields.numbers(name, q);
    return fields.at(name, [&] {
      return real_first ? Pose::from_wxyz(xyz, q[0], q[1], q[2], q[3]) : Pose::from_xyzw(xyz, q[0], q[1], q[2], q[3]);
    });
  }
  if (!fields.has("rpy")) return Pose::at(xyz);
  const Vec3 rpy = fields.vector("rpy");
  return fields.at("rpy", [&] { return Pose::from_rpy(xyz, rpy.x(), rpy.y(), rpy.z()); });
}

Poses poses_of(const Fields& geometry) {
  const auto pose = [&](std::string_view name) {
    return geometry.has(name) ? pose_from(geometry.required(name), geometry.path_of(name)) : Pose();
  };
  const Pose outer = pose("pose");
  return {outer, pose("local")};
}

Placed placed_from(Value value, const std::string& path) {
  const Fields fields(value, path);
  Geometry geometry = geometry_from(fields);
  const Poses poses = poses_of(fields);
  return at(std::move(geometry), poses.pose, poses.local);
}

}  // namespace io

Placed placed_from_json(std::string_view text, const std::string& where) {
  const io::Document document(text);
  if (!document.error().empty()) throw Error(where, document.error());
  return io::placed_from(document.root(), where);
}

}  // namespace graze
