#include "scene_page_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <variant>

#include "map_cubes.h"
#include "page_template.h"

namespace graze::app {
namespace {

using PageJson = nlohmann::json;
using Corners = std::vector<Vec3>;

// What a page holds at most, all objects together.
constexpr std::size_t kMaxTriangles = 1'500'000, kMaxPoints = 2'000'000, kMaxCubes = 300'000;
constexpr std::size_t kFewest = 2000;  // of one object, however many there are

void append_vertex(std::string& bytes, const Vec3& v) {
  for (int a = 0; a < 3; ++a) append_bytes(bytes, static_cast<float>(v[a]));
}

double size_of(const Corners& points) {
  double size = 0;
  for (const Vec3& p : points) size = std::max(size, p.cwiseAbs().maxCoeff());
  return size > 0 ? size : 1;
}

struct Drawing {
  Corners vertices;
  std::vector<MeshTriangle> triangles;
};

// One vertex for all of a cell of a grid, the first; triangles that lose a corner go.
Drawing clustered(const Drawing& mesh, double size, double cells) {
  Drawing out;
  std::unordered_map<std::uint64_t, std::uint32_t> first;
  std::vector<std::uint32_t> now(mesh.vertices.size());
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    std::uint64_t key = 0;
    for (int a = 0; a < 3; ++a)
      key = key << 21U | static_cast<std::uint64_t>((mesh.vertices[i][a] / size + 1) / 2 * cells);
    const auto [at, fresh] = first.try_emplace(key, static_cast<std::uint32_t>(out.vertices.size()));
    if (fresh) out.vertices.push_back(mesh.vertices[i]);
    now[i] = at->second;
  }
  for (const MeshTriangle& t : mesh.triangles) {
    const MeshTriangle kept = {now[t[0]], now[t[1]], now[t[2]]};
    if (kept[0] != kept[1] && kept[1] != kept[2] && kept[2] != kept[0]) out.triangles.push_back(kept);
  }
  return out;
}

Drawing thinned(Drawing mesh, double size, std::size_t max) {
  Drawing coarse = std::move(mesh);
  for (double cells = 1024; coarse.triangles.size() > max && cells >= 8; cells *= 0.75)
    coarse = clustered(coarse, size, cells);
  return coarse;
}

}  // namespace

ShownShapes::ShownShapes(std::size_t heavy) : heavy_(std::max<std::size_t>(heavy, 1)) {}

bool ShownShapes::is_heavy(const Geometry& geometry) {
  return std::holds_alternative<Mesh>(geometry) || std::holds_alternative<Cloud>(geometry) ||
         std::holds_alternative<HeightField>(geometry) || std::holds_alternative<MapView>(geometry);
}

Aabb ShownShapes::bounds_of(const Geometry& geometry, const Pose& pose) {
  if (const auto* field = std::get_if<HeightField>(&geometry)) return transformed(field->surface_bounds(), pose);
  if (const auto* view = std::get_if<MapView>(&geometry)) return transformed(view->map().bounds(), pose);
  return bounds(geometry, pose);
}

ShownShapes::Drawn ShownShapes::add(const Geometry& geometry, std::string_view name) {
  const std::uint64_t stamp = std::visit(
      [](const auto& g) -> std::uint64_t {
        if constexpr (requires { g.stamp(); }) return g.stamp();
        else return 0;
      },
      geometry);
  if (stamp != 0) {
    const auto known = known_.find(stamp);
    if (known != known_.end()) return known->second;
  }
  const Aabb box = bounds_of(geometry);
  const Drawn drawn{json_.size(), is_heavy(geometry) || std::holds_alternative<Convex>(geometry) ||
                                          std::holds_alternative<Triangle>(geometry)
                                      ? (box.empty() ? Vec3(Vec3::Zero()) : box.center())
                                      : Vec3(Vec3::Zero())};
  json_.push_back(shape_of(geometry, name, drawn.center));
  if (stamp != 0) known_.emplace(stamp, drawn);
  return drawn;
}

ShownShapes::Drawn ShownShapes::add(const Mesh& from, const std::vector<Vec3>& to, std::string_view name) {
  Aabb box = from.bounds();
  for (const Vec3& v : to) box.extend(v);
  const Drawn drawn{json_.size(), box.empty() ? Vec3(Vec3::Zero()) : box.center()};
  const double half = box.empty() ? 1 : box.half().maxCoeff(), size = half > 0 ? half : 1;
  const std::size_t step = 1 + from.size() / std::max(kFewest, kMaxTriangles / heavy_);
  if (step > 1)
    cautions_.push_back(
        fmt::format("{} is drawn with every {}th of its triangles; the answers are of all.", name, step));
  for (const Vec3& v : from.vertices()) append_vertex(bytes_, (v - drawn.center) / size);
  for (const Vec3& v : to) append_vertex(bytes_, (v - drawn.center) / size);
  std::size_t triangles = 0;
  for (std::size_t i = 0; i < from.size(); i += step, ++triangles) {
    for (const std::uint32_t corner : from.triangles()[i]) append_bytes(bytes_, corner);
  }
  json_.push_back({{"kind", "bend"}, {"scale", size}, {"vertices", to.size()}, {"triangles", triangles}});
  return drawn;
}

nlohmann::json ShownShapes::shape_of(const Geometry& geometry, std::string_view name, const Vec3& center) {
  const auto vector = [](const auto& v) { return PageJson{v.x(), v.y(), v.z()}; };
  struct Visitor {
    ShownShapes& shapes;
    std::string_view name;
    const Vec3& center;
    decltype(vector)& vec;

    PageJson along(const char* kind, double radius, double half_length) const {
      return {{"kind", kind}, {"radius", radius}, {"half_length", half_length}};
    }
    PageJson operator()(const Sphere& s) const {
      return {{"kind", "ellipsoid"}, {"radii", {s.radius + 0, s.radius + 0, s.radius + 0}}};
    }
    PageJson operator()(const Ellipsoid& e) const { return {{"kind", "ellipsoid"}, {"radii", vec(e.radii)}}; }
    PageJson operator()(const Box& b) const { return {{"kind", "box"}, {"half", vec(b.half)}}; }
    PageJson operator()(const Capsule& c) const { return along("capsule", c.radius, c.half_length); }
    PageJson operator()(const Cylinder& c) const { return along("cylinder", c.radius, c.half_length); }
    PageJson operator()(const Cone& c) const { return along("cone", c.radius, c.half_length); }
    PageJson operator()(const HalfSpace&) const { return {{"kind", "plane"}}; }
    PageJson operator()(const Plane&) const { return {{"kind", "plane"}}; }
    PageJson operator()(const Triangle& t) const {
      return shapes.mesh_json({t.a(), t.b(), t.c()}, {{0, 1, 2}}, name, center);
    }
    PageJson operator()(const Convex& hull) const {
      const Corners vertices(hull.vertices().begin(), hull.vertices().end());
      std::vector<MeshTriangle> triangles;
      for (const auto& t : hull.triangles())
        triangles.push_back(
            {static_cast<std::uint32_t>(t[0]), static_cast<std::uint32_t>(t[1]), static_cast<std::uint32_t>(t[2])});
      // A flat hull has no faces: all triangles of its corners, or the corners themselves.
      for (std::uint32_t i = 2; hull.flat() && i < std::min<std::size_t>(vertices.size(), 24); ++i) {
        for (std::uint32_t k = 1; k < i; ++k) {
          for (std::uint32_t j = 0; j < k; ++j) triangles.push_back({j, k, i});
        }
      }
      return shapes.mesh_json(vertices, std::move(triangles), name, center);
    }
    PageJson operator()(const Mesh& m) const {
      return shapes.mesh_json({m.vertices().begin(), m.vertices().end()}, {m.triangles().begin(), m.triangles().end()},
                              name, center);
    }
    PageJson operator()(const Cloud& c) const { return shapes.cloud_json(c, name, center); }
    PageJson operator()(const HeightField& f) const { return shapes.terrain_json(f, name, center); }
    PageJson operator()(const MapView& m) const { return shapes.cubes_json(m, name, center); }
  };
  return std::visit(Visitor{*this, name, center, vector}, geometry);
}

nlohmann::json ShownShapes::mesh_json(Corners vertices, std::vector<MeshTriangle> triangles, std::string_view name,
                                      const Vec3& center) {
  for (Vec3& v : vertices) v -= center;
  const double size = size_of(vertices);
  const std::size_t all = triangles.size(), max = std::max(kFewest, kMaxTriangles / heavy_);
  const Drawing mesh = thinned({std::move(vertices), std::move(triangles)}, size, max);
  if (mesh.triangles.size() < all) {
    cautions_.push_back(fmt::format("{} is drawn with {} of its {} triangles; the answers are of all.", name,
                                    mesh.triangles.size(), all));
  }
  for (const Vec3& v : mesh.vertices) append_vertex(bytes_, v / size);
  for (const MeshTriangle& t : mesh.triangles) {
    for (const std::uint32_t corner : t) append_bytes(bytes_, corner);
  }
  return {{"kind", "mesh"}, {"scale", size}, {"vertices", mesh.vertices.size()}, {"triangles", mesh.triangles.size()}};
}

nlohmann::json ShownShapes::terrain_json(const HeightField& field, std::string_view name, const Vec3& center) {
  const HeightGrid& grid = field.grid();
  const std::size_t max = std::max(kFewest, kMaxTriangles / heavy_);
  std::size_t step = 1;
  const auto steps = [&](std::size_t n) { return (n - 2) / step + 1; };
  while (2 * steps(grid.columns) * steps(grid.rows) > max) ++step;
  if (step > 1) {
    cautions_.push_back(
        fmt::format("{} is drawn with every {}th of its columns and rows; the answers are of all.", name, step));
  }
  const std::size_t columns = steps(grid.columns) + 1, rows = steps(grid.rows) + 1;
  Corners vertices;
  std::vector<MeshTriangle> triangles;
  for (std::size_t j = 0; j < rows; ++j) {
    for (std::size_t i = 0; i < columns; ++i) {
      const std::size_t x = std::min(i * step, grid.columns - 1), y = std::min(j * step, grid.rows - 1);
      vertices.emplace_back(static_cast<double>(x) * grid.dx, static_cast<double>(y) * grid.dy, field.height(x, y));
    }
  }
  for (std::size_t j = 0; j + 1 < rows; ++j) {
    for (std::size_t i = 0; i + 1 < columns; ++i) {
      const auto at = [&](std::size_t x, std::size_t y) { return static_cast<std::uint32_t>(y * columns + x); };
      triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return mesh_json(std::move(vertices), std::move(triangles), name, center);
}

nlohmann::json ShownShapes::cloud_json(const Cloud& cloud, std::string_view name, const Vec3& center) {
  const std::size_t points = cloud.size() - cloud.skipped(), max = std::max(kFewest, kMaxPoints / heavy_);
  const std::size_t step = std::max<std::size_t>(1, (points + max - 1) / max);
  Corners shown;
  std::size_t next = 0;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    if (!cloud.is_skipped(i) && next++ % step == 0) shown.push_back(cloud.point(i) - center);
  }
  if (step > 1) {
    cautions_.push_back(
        fmt::format("{} is drawn with {} of its {} points; the answers are of all.", name, shown.size(), points));
  }
  const double size = size_of(shown);
  for (const Vec3& p : shown) append_vertex(bytes_, p / size);
  return {{"kind", "cloud"}, {"scale", size}, {"points", shown.size()}, {"radius", cloud.radius()}};
}

nlohmann::json ShownShapes::cubes_json(const MapView& view, std::string_view name, const Vec3& center) {
  int level = 0;
  const std::vector<ShownCube> cubes =
      cubes_of(view.map(), {.threshold = view.threshold(), .max = std::max(kFewest, kMaxCubes / heavy_)}, level);
  const double resolution = view.map().resolution();
  if (level > 0) {
    cautions_.push_back(fmt::format("{} is drawn in cubes of {:g} m, larger than its cells; the answers are of all.",
                                    name, std::ldexp(resolution, level)));
  }
  if (view.unknown() == UnknownSpace::occupied)
    cautions_.push_back(fmt::format("Unknown space counts as occupied in {}. It has no end and is not drawn.", name));
  bytes_ += cube_bytes(view.map(), cubes, center);
  bytes_.resize((bytes_.size() + 3) / 4 * 4);  // floats may follow
  return {{"kind", "cubes"}, {"cubes", cubes.size()}, {"resolution", resolution}};
}

}  // namespace graze::app
