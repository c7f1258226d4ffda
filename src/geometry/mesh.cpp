#include "graze/geometry/mesh.h"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "geometry/mesh_cells.h"
#include "geometry/mesh_data.h"
#include "geometry/mesh_surface.h"
#include "graze/base/error.h"
#include "graze/base/parallel.h"

namespace graze {
namespace {

using mesh::Block;
using mesh::Data;
using mesh::kNone;
using mesh::kWidth;

constexpr std::size_t kMaxTriangles = std::size_t{1} << 28U;
constexpr std::size_t kGrain = 512;  // leaves that are fitted at a time

void check_vertices(std::span<const Vec3> vertices) {
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const Vec3& v = vertices[i];
    const bool right = std::abs(v.x()) <= Mesh::kLargestCoordinate && std::abs(v.y()) <= Mesh::kLargestCoordinate &&
                       std::abs(v.z()) <= Mesh::kLargestCoordinate;
    if (!right)
      throw Error(fmt::format("mesh vertex {}", i),
                  fmt::format("({}, {}, {}) is not finite or out of range", v.x(), v.y(), v.z()));
  }
}

std::uint64_t stamp_of_triangles(const Data& data) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15U;
  std::uint64_t a = 0x6D657368U + (data.solid ? 1 : 0), b = data.triangles.size();
  for (const Vec3& v : data.vertices) {
    a = (a ^ std::bit_cast<std::uint64_t>(v.x())) * kFactor;
    b = (b ^ std::bit_cast<std::uint64_t>(v.y())) * kFactor;
    a ^= std::bit_cast<std::uint64_t>(v.z()) + (b >> 31U);
    b ^= a >> 29U;
  }
  for (const MeshTriangle& t : data.triangles) {
    a = (a ^ (t[0] | std::uint64_t{t[1]} << 32U)) * kFactor;
    b = (b ^ t[2] ^ (a >> 31U)) * kFactor;
  }
  return a ^ std::rotl(b, 32) ^ (b >> 29U);
}

}  // namespace

namespace mesh {

// Four chains side by side: they do not wait for each other.
std::uint64_t stamp_of(const bvh::Tree& tree) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15U;
  std::array<std::uint64_t, 4> chain{0x74726565U, tree.leaves, tree.nodes.size(), tree.size};
  const auto add = [&](const std::uint32_t* at) {
    for (std::size_t k = 0; k < 4; ++k) {
      const std::uint64_t x = at[2 * k] | std::uint64_t{at[2 * k + 1]} << 32U;
      chain[k] = (chain[k] ^ (chain[k] >> 29U) ^ x) * kFactor;
    }
  };
  static_assert(kWidth == 8);
  for (const bvh::Node& node : tree.nodes) add(node.child);
  for (std::size_t leaf = 0; leaf < tree.leaves; ++leaf) add(&tree.order[kWidth * leaf]);
  std::uint64_t all = 0;
  for (const std::uint64_t c : chain) all = (std::rotl(all, 23) ^ c ^ (c >> 31U)) * kFactor;
  return all;
}

void check_vertices(std::size_t count, std::span<const Vec3> vertices) {
  if (vertices.size() != count)
    throw Error("mesh", fmt::format("has {} vertices, cannot take {}", count, vertices.size()));
  graze::check_vertices(vertices);
}

void Data::reserve(Scratch& scratch) const {
  if (triangles.empty()) return;
  scratch.corners.resize(vertices.size());
  scratch.leaves.resize(tree.leaves), scratch.leaf_boxes.resize(tree.leaves);
  scratch.nodes.resize(tree.nodes.size()), scratch.node_boxes.resize(tree.nodes.size());
}

void Data::place(Buffer<Corner>& corners) {
  bounds = {};
  if (all_used) {
    for (const Vec3& v : vertices) bounds.extend(v);
  } else {
    for (const MeshTriangle& t : triangles) {
      for (const std::uint32_t i : t) bounds.extend(vertices[i]);
    }
  }
  stamp = stamp_of_triangles(*this);
  if (triangles.empty()) return;
  tree.origin = bounds.center();
  facing = solid && volume_of(*this, tree.origin) < 0 ? -1 : 1;
  extent = std::max((bounds.max - tree.origin).maxCoeff(), (tree.origin - bounds.min).maxCoeff());
  tree.rounding = bvh::rounding_for(extent);
  double farthest = 0;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const double x = vertices[i].x() - tree.origin.x(), y = vertices[i].y() - tree.origin.y();
    const double z = vertices[i].z() - tree.origin.z();
    corners[i] = {{static_cast<float>(x), static_cast<float>(y), static_cast<float>(z), 0}};
    farthest = std::max(farthest, x * x + y * y + z * z);
  }
  radius = std::sqrt(farthest) * (1 + 8 * kEpsilon) + 8 * kEpsilon * tree.origin.cwiseAbs().maxCoeff();
}

void Data::fill_blocks(Scratch& scratch, int threads) {
  const auto fill = [&](std::size_t leaf) {
    Block& block = blocks[leaf];
    const std::uint32_t* slots = &tree.order[kWidth * leaf];
    std::uint32_t last = kNone;
    for (std::size_t lane = 0; lane < kWidth; ++lane) {
      block.triangle[lane] = slots[lane];
      if (slots[lane] != kNone) last = slots[lane];
      const MeshTriangle& t = triangles[last];
      for (std::size_t k = 0; k < 3; ++k) {
        const float* at = scratch.corners[t[k]].at;
        block.at[k][0][lane] = at[0], block.at[k][1][lane] = at[1], block.at[k][2][lane] = at[2];
      }
    }
  };
  parallel_chunks(tree.leaves,
                  [&](std::size_t begin, std::size_t end) {
                    for (std::size_t leaf = begin; leaf < end; ++leaf) fill(leaf);
                    fit_blocks({blocks.data() + begin, end - begin}, tree.rounding, scratch.leaf_boxes.data() + begin,
                               scratch.leaves.data() + begin);
                  },
                  {.threads = threads, .grain = kGrain});
}

void Data::build(int threads) {
  // Neither needs the other. The caller takes the first, and whoever is done with the second helps it.
  Connection connection;
  parallel_for(2,
               [&](std::size_t task) {
                 if (task == 0) build_connected(threads);
                 else connection = connection_of(*this);
               },
               {.threads = threads, .grain = 1});
  static_cast<Connection&>(*this) = std::move(connection);
}

void Data::build_connected(int threads) {
  Scratch scratch;
  scratch.corners.resize(vertices.size());
  place(scratch.corners);
  Buffer<bvh::Box> boxes;
  boxes.resize(triangles.size());
  parallel_for(triangles.size(),
               [&](std::size_t i) {
                 const float *a = scratch.corners[triangles[i][0]].at, *b = scratch.corners[triangles[i][1]].at,
                             *c = scratch.corners[triangles[i][2]].at;
                 bvh::Box& box = boxes[i];
                 for (int k = 0; k < 4; ++k) {
                   box.min[k] = std::min(a[k], std::min(b[k], c[k]));
                   box.max[k] = std::max(a[k], std::max(b[k], c[k]));
                 }
               },
               {.threads = threads, .grain = kWidth * kGrain});
  bvh::build(tree, {boxes.data(), boxes.size()}, threads);
  tree_stamp = stamp_of(tree);
  if (triangles.empty()) return;
  reserve(scratch);
  blocks.resize(tree.leaves), wide.resize(tree.nodes.size());
  fill_blocks(scratch, threads);
  fit_nodes(tree, {scratch.leaves.data(), scratch.leaves.size()}, scratch.nodes, wide, whole);
  if (solid) {
    cells = cells_of(*this);
    surface = surface_of(*this, threads);
  }
}

void Data::divide_as(const Data& other) {
  static_cast<Connection&>(*this) = static_cast<const Connection&>(other);
  vertices.resize(other.vertices.size()), triangles = other.triangles;
  solid = other.solid, all_used = other.all_used, tree_stamp = other.tree_stamp;
  tree = other.tree.copy();
  blocks.resize(other.blocks.size()), wide.resize(other.wide.size());
}

void Data::move(std::span<const Vec3> to, Scratch& scratch, int threads) {
  check_vertices(vertices.size(), to);
  reserve(scratch);
  std::optional<Connection> changed = changed_connection(*this, to, scratch.table);
  std::vector<Vec3> old_vertices;
  if (solid) old_vertices = vertices;
  // Refitting throws nothing.
  std::optional<Connection> old_connection;
  if (changed) {
    old_connection = std::move(static_cast<Connection&>(*this));
    static_cast<Connection&>(*this) = std::move(*changed);
  }
  std::copy(to.begin(), to.end(), vertices.begin());
  refit(scratch, threads);
  if (!solid) return;
  // The surface is found with the cells.
  std::shared_ptr<const Cells> old_cells = std::move(cells);
  cells = nullptr;
  try {
    cells = cells_of(*this);
    surface = surface_of(*this, threads);
  } catch (...) {  // back to where it was
    cells = std::move(old_cells);
    vertices = std::move(old_vertices);
    if (old_connection) static_cast<Connection&>(*this) = std::move(*old_connection);
    refit(scratch, 1);
    throw;
  }
}

void Data::refit(Scratch& scratch, int threads) {
  place(scratch.corners);
  if (triangles.empty()) return;
  try {
    fill_blocks(scratch, threads);
  } catch (...) {  // threads take memory that there may not be
    fill_blocks(scratch, 1);
  }
  bvh::refit(tree, {scratch.leaf_boxes.data(), scratch.leaf_boxes.size()}, scratch.node_boxes);
  fit_nodes(tree, {scratch.leaves.data(), scratch.leaves.size()}, scratch.nodes, wide, whole);
}

}  // namespace mesh

namespace {
// Nobody owns it, and it takes no memory.
const Data& no_triangles() {
  static const Data data = [] {
    Data none;
    none.build(1);
    return none;
  }();
  return data;
}
}  // namespace

Mesh::Mesh() : data_(std::shared_ptr<const Data>(), &no_triangles()) {}

Mesh::Mesh(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

Mesh::Mesh(std::span<const Vec3> vertices, std::span<const MeshTriangle> triangles, const MeshOptions& options) {
  check_vertices(vertices);
  if (triangles.size() >= kMaxTriangles)
    throw Error("mesh", fmt::format("{} triangles are too many", triangles.size()));
  auto data = std::make_shared<Data>();
  std::vector<bool> used(vertices.size(), false);
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    for (const std::uint32_t v : triangles[i]) {
      if (v >= vertices.size())
        throw Error(fmt::format("mesh triangle {}", i),
                    fmt::format("names vertex {}, but there are {}", v, vertices.size()));
      used[v] = true;
    }
  }
  data->all_used = std::find(used.begin(), used.end(), false) == used.end();
  data->vertices.assign(vertices.begin(), vertices.end());
  data->triangles.assign(triangles.begin(), triangles.end());
  data->solid = options.solid;
  data->build(options.threads);
  data_ = std::move(data);
}

double Mesh::cost_ratio() const {
  return data_->tree.cost_at_build > 0 ? data_->tree.cost / data_->tree.cost_at_build : 1;
}

std::size_t Mesh::size() const { return data_->triangles.size(); }
bool Mesh::solid() const { return data_->solid; }
std::span<const Vec3> Mesh::vertices() const { return data_->vertices; }
std::span<const MeshTriangle> Mesh::triangles() const { return data_->triangles; }
Triangle Mesh::triangle(std::size_t i) const { return {data_->corner(i, 0), data_->corner(i, 1), data_->corner(i, 2)}; }
const Aabb& Mesh::bounds() const { return data_->bounds; }
std::uint64_t Mesh::stamp() const { return data_->stamp; }
MeshReport Mesh::report() const { return mesh::report(*data_); }
int Mesh::winding(const Vec3& p) const { return data_->solid ? mesh::winding(*data_, p) : 0; }

std::size_t Mesh::memory_bytes() const {
  return sizeof(Data) + data_->vertices.capacity() * sizeof(Vec3) + data_->triangles.capacity() * sizeof(MeshTriangle) +
         (data_->pieces.capacity() + data_->weld.capacity()) * sizeof(std::uint32_t) + data_->tree.memory_bytes() +
         data_->blocks.bytes() + data_->wide.bytes() + (data_->surface ? data_->surface->memory_bytes() : 0) +
         (data_->cells ? data_->cells->memory_bytes() : 0);
}

std::string Mesh::validate() const { return mesh::validate(*data_); }

}  // namespace graze
