#include "io/placed.h"

#include <fmt/format.h>

#include <array>

#include "graze/base/error.h"
#include "graze/io/ask.h"
#include "graze/io/cloud_file.h"
#include "graze/io/mesh_file.h"
#include "io/fields.h"

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
  return Fields::naming(fields.path_of("half"), [&] { return Box{.half = half}; });
}

/// Capsules, cylinders and cones.
template <typename Round>
Geometry round_from(const Fields& fields, std::string_view owner) {
  fields.allow_only(owner, {"shape", "radius", "half_length", "pose", "local"});
  return Round{.radius = fields.checked<decltype(Round::radius)>("radius"),
               .half_length = fields.checked<decltype(Round::half_length)>("half_length")};
}

Geometry ellipsoid_from(const Fields& fields) {
  fields.allow_only("an ellipsoid", {"shape", "radii", "pose", "local"});
  const Vec3 radii = fields.vector("radii");
  return Fields::naming(fields.path_of("radii"), [&] { return Ellipsoid{.radii = radii}; });
}

Geometry convex_from(const Fields& fields) {
  fields.allow_only("a convex", {"shape", "points", "pose", "local"});
  const std::vector<Vec3> points = fields.points("points");
  return Fields::naming(fields.path_of("points"), [&] { return Convex::hull_of(points); });
}

Geometry triangle_from(const Fields& fields) {
  fields.allow_only("a triangle", {"shape", "points", "pose", "local"});
  const std::vector<Vec3> points = fields.points("points");
  if (points.size() != 3) {
    throw Error(fields.path_of("points"), fmt::format("must be an array of 3 points, got {}", points.size()));
  }
  return Fields::naming(fields.path_of("points"), [&] { return Triangle(points[0], points[1], points[2]); });
}

/// Half-spaces and planes.
template <typename Flat>
Geometry flat_from(const Fields& fields, std::string_view owner) {
  fields.allow_only(owner, {"shape", "normal", "offset", "pose", "local"});
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
  Fields::naming(fields.path_of("radius"), [&] { return checked_size("radius", Sign::not_negative, radius); });
  if (fields.has("file") == fields.has("points")) throw Error(fields.path(), "needs either file or points");
  if (fields.has("file")) {
    try {
      return read_cloud(fields.text("file"), {.radius = radius, .attributes = false});
    } catch (const Error& error) {
      throw Error(fields.path_of("file"), error.what());  // which names the file and the place in it
    }
  }
  const std::vector<Vec3> points = fields.points("points");
  return Fields::naming(fields.path_of("points"), [&] { return Cloud(std::span(points), {.radius = radius}); });
}

Geometry mesh_from(const Fields& fields) {
  fields.allow_only("a mesh", {"shape", "file", "vertices", "triangles", "solid", "pose", "local"});
  const bool solid = fields.has("solid") && fields.required("solid") == Json(true);
  if (fields.has("solid") && !fields.required("solid").is_boolean())
    throw Error(fields.path_of("solid"), "must be true or false");
  if (fields.has("file") == (fields.has("vertices") || fields.has("triangles"))) {
    throw Error(fields.path(), "needs either file, or vertices and triangles");
  }
  if (fields.has("file")) {
    try {
      return read_mesh(fields.text("file"), {.mesh = {.solid = solid}});
    } catch (const Error& error) {
      throw Error(fields.path_of("file"), error.what());  // which names the file and the place in it
    }
  }
  const std::vector<Vec3> vertices = fields.points("vertices");
  const Json& list = fields.required("triangles");
  const std::string path = fields.path_of("triangles");
  if (!list.is_array()) throw Error(path, "must be a list of three vertex numbers each");
  std::vector<MeshTriangle> triangles;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string at = fmt::format("{}[{}]", path, i);
    if (!list[i].is_array() || list[i].size() != 3) throw Error(at, "must be three vertex numbers");
    MeshTriangle& triangle = triangles.emplace_back();
    for (std::size_t k = 0; k < 3; ++k) {
      const Json& index = list[i][k];
      if (!index.is_number_unsigned() || index.get<std::uint64_t>() >= vertices.size())
        throw Error(fmt::format("{}[{}]", at, k),
                    fmt::format("must be a whole number below the {} vertices", vertices.size()));
      triangle[k] = index.get<std::uint32_t>();
    }
  }
  return Fields::naming(fields.path(), [&] { return Mesh(vertices, triangles, {.solid = solid}); });
}

Geometry geometry_from(const Fields& fields) {
  const std::string& kind = fields.text("shape");
  for (const std::string_view later : {"map", "heightfield"}) {
    if (kind == later) throw Error(fields.path_of("shape"), kind + " is not supported yet");
  }
  for (const std::string_view later : {"motion", "vertices_to"}) {
    if (fields.has(later)) throw Error(fields.path(), std::string(later) + " is not supported yet");
  }
  if (kind == "sphere") return sphere_from(fields);
  if (kind == "box") return box_from(fields);
  if (kind == "capsule") return round_from<Capsule>(fields, "a capsule");
  if (kind == "cylinder") return round_from<Cylinder>(fields, "a cylinder");
  if (kind == "cone") return round_from<Cone>(fields, "a cone");
  if (kind == "ellipsoid") return ellipsoid_from(fields);
  if (kind == "convex") return convex_from(fields);
  if (kind == "halfspace") return flat_from<HalfSpace>(fields, "a halfspace");
  if (kind == "plane") return flat_from<Plane>(fields, "a plane");
  if (kind == "triangle") return triangle_from(fields);
  if (kind == "mesh") return mesh_from(fields);
  if (kind == "cloud") return cloud_from(fields);
  throw Error(fields.path_of("shape"),
              fmt::format("unknown shape \"{}\"; known are sphere, box, capsule, cylinder, cone, ellipsoid, convex, "
                          "halfspace, plane, triangle, mesh and cloud",
                          shortened(kind)));
}

}  // namespace

Pose pose_from(const Json& value, const std::string& path) {
  const Fields fields(value, path);
  fields.allow_only("a pose", {"xyz", "wxyz", "xyzw", "rpy"});
  const int rotations = fields.has("wxyz") + fields.has("xyzw") + fields.has("rpy");
  if (rotations > 1) throw Error(path, "has more than one rotation; give one of wxyz, xyzw and rpy");

  const Vec3 xyz = fields.has("xyz") ? fields.vector("xyz") : Vec3::Zero();
  Fields::naming(fields.path_of("xyz"), [&] { return checked_point("xyz", xyz); });
  for (const bool real_first : {true, false}) {
    const std::string_view name = real_first ? "wxyz" : "xyzw";
    if (!fields.has(name)) continue;
    std::array<double, 4> q;
    fields.numbers(name, q);
    return Fields::naming(fields.path_of(name), [&] {
      return real_first ? Pose::from_wxyz(xyz, q[0], q[1], q[2], q[3]) : Pose::from_xyzw(xyz, q[0], q[1], q[2], q[3]);
    });
  }
  if (!fields.has("rpy")) return Pose::at(xyz);
  const Vec3 rpy = fields.vector("rpy");
  return Fields::naming(fields.path_of("rpy"), [&] { return Pose::from_rpy(xyz, rpy.x(), rpy.y(), rpy.z()); });
}

Pose pose_of(const Fields& geometry) {
  Pose pose;
  for (const std::string_view name : {"pose", "local"}) {
    if (geometry.has(name)) pose = pose * pose_from(geometry.required(name), geometry.path_of(name));
  }
  return pose;
}

Placed placed_from(const Json& value, const std::string& path) {
  const Fields fields(value, path);
  Geometry geometry = geometry_from(fields);
  return at(std::move(geometry), pose_of(fields));
}

}  // namespace io

Placed placed_from_json(std::string_view text, const std::string& where) {
  const io::JsonLine line = io::read_json_line(text);
  if (!line.error.empty()) throw Error(where, line.error);
  return io::placed_from(line.value, where);
}

}  // namespace graze
