#include "graze/geometry/mesh.h"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "geometry/mesh_data.h"
#include "graze/base/error.h"
#include "graze/base/parallel.h"

namespace graze {
namespace {

using mesh::Block;
using mesh::Data;
using mesh::kNone;
using mesh::kWidth;

constexpr std::size_t kMostTriangles = std::size_t{1} << 28U;
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

std::uint64_t stamp_of(const Data& data) {
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

}  // namespace

namespace mesh {

void check_vertices(std::size_t count, std::span<const Vec3> vertices) {
  if (vertices.size() != count)
    throw Error("mesh", fmt::format("has {} vertices, cannot take {}", count, vertices.size()));
  graze::check_vertices(vertices);
}

Buffer<Data::Corner> Data::place() {
  bounds = {};
  if (all_used) {
    for (const Vec3& v : vertices) bounds.extend(v);
  } else {
    for (const MeshTriangle& t : triangles) {
      for (const std::uint32_t i : t) bounds.extend(vertices[i]);
    }
  }
  stamp = stamp_of(*this);
  Buffer<Corner> corners;
  if (triangles.empty()) return corners;
  tree.origin = bounds.center();
  extent = std::max((bounds.max - tree.origin).maxCoeff(), (tree.origin - bounds.min).maxCoeff());
  tree.rounding = bvh::rounding_for(extent);
  corners.resize(vertices.size());
  double farthest = 0;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const double x = vertices[i].x() - tree.origin.x(), y = vertices[i].y() - tree.origin.y();
    const double z = vertices[i].z() - tree.origin.z();
    corners[i] = {{static_cast<float>(x), static_cast<float>(y), static_cast<float>(z), 0}};
    farthest = std::max(farthest, x * x + y * y + z * z);
  }
  radius = std::sqrt(farthest) * (1 + 8 * kEpsilon) + 8 * kEpsilon * tree.origin.cwiseAbs().maxCoeff();
  return corners;
}

Buffer<bvh::Box> Data::fill_blocks(const Buffer<Corner>& corners, Buffer<Oriented>& oriented, int threads) {
  Buffer<bvh::Box> boxes;
  blocks.resize(tree.leaves), oriented.resize(tree.leaves), boxes.resize(tree.leaves);
  const auto fill = [&](std::size_t leaf) {
    Block& block = blocks[leaf];
    const std::uint32_t* slots = &tree.order[kWidth * leaf];
    std::uint32_t last = kNone;
    for (std::size_t lane = 0; lane < kWidth; ++lane) {
      block.triangle[lane] = slots[lane];
      if (slots[lane] != kNone) last = slots[lane];
      const MeshTriangle& t = triangles[last];
      for (std::size_t k = 0; k < 3; ++k) {
        const float* at = corners[t[k]].at;
        block.at[k][0][lane] = at[0], block.at[k][1][lane] = at[1], block.at[k][2][lane] = at[2];
      }
    }
  };
  parallel_chunks(
      tree.leaves,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t leaf = begin; leaf < end; ++leaf) fill(leaf);
        fit_blocks({blocks.data() + begin, end - begin}, tree.rounding, boxes.data() + begin, oriented.data() + begin);
      },
      {.threads = threads, .grain = kGrain});
  return boxes;
}

void Data::build(int threads) {
  const Buffer<Corner> corners = place();
  Buffer<bvh::Box> boxes;
  boxes.resize(triangles.size());
  parallel_for(triangles.size(),
               [&](std::size_t i) {
                 const float *a = corners[triangles[i][0]].at, *b = corners[triangles[i][1]].at,
                             *c = corners[triangles[i][2]].at;
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
  Buffer<Oriented> oriented;
  fill_blocks(corners, oriented, threads);
  fit_nodes(tree, {oriented.data(), oriented.size()}, wide, whole);
}

void Data::refit(int threads) {
  const Buffer<Corner> corners = place();
  if (triangles.empty()) return;
  Buffer<bvh::Box> scratch;
  Buffer<Oriented> oriented;
  const Buffer<bvh::Box> leaf_boxes = fill_blocks(corners, oriented, threads);
  bvh::refit(tree, {leaf_boxes.data(), leaf_boxes.size()}, scratch);
  fit_nodes(tree, {oriented.data(), oriented.size()}, wide, whole);
}

}  // namespace mesh

namespace mesh {
namespace {

// Every triangle below a child lies in that child's box along its own axes, at every level.
std::string validate_wide(const Data& d) {
  if (d.wide.size() != d.tree.nodes.size()) return "not one wide node per node";
  std::vector<std::pair<std::uint32_t, std::size_t>> above(d.tree.nodes.size());  // parent and lane
  for (std::uint32_t i = 0; i < d.tree.nodes.size(); ++i) {
    for (std::size_t lane = 0; lane < kWidth; ++lane) {
      const std::uint32_t child = d.tree.nodes[i].child[lane];
      if (d.wide[i].child[lane] != child) return fmt::format("wide node {} has other children than its node", i);
      if (child == kNone) continue;
      if ((child & bvh::kLeafBit) == 0) {
        above[child] = {i, lane};
        continue;
      }
      for (const std::uint32_t t : d.blocks[child & ~bvh::kLeafBit].triangle) {
        if (t == kNone) break;
        for (std::uint32_t node = i, k = static_cast<std::uint32_t>(lane);;) {
          const Wide& wide = d.wide[node];
          for (std::size_t axis = 0; axis < 3; ++axis) {
            for (std::size_t c = 0; c < 3; ++c) {
              double at = 0;
              for (std::size_t j = 0; j < 3; ++j) {
                const auto e = static_cast<Eigen::Index>(j);
                at +=
                    double{wide.axis[axis][j][k]} * (d.corner(t, c)[e] - d.tree.origin[e] - double{wide.center[j][k]});
              }
              if (!(std::abs(at) <= double{wide.half[axis][k]}))
                return fmt::format("triangle {} leaves the box of child {} of node {}", t, k, node);
            }
          }
          if (node == 0) break;
          const auto [parent, parent_lane] = above[node];
          node = parent, k = static_cast<std::uint32_t>(parent_lane);
        }
      }
    }
  }
  return "";
}

}  // namespace
}  // namespace mesh

Mesh::Mesh() : data_(std::make_shared<const Data>()) {}

Mesh::Mesh(std::span<const Vec3> vertices, std::span<const MeshTriangle> triangles, const MeshOptions& options) {
  check_vertices(vertices);
  if (triangles.size() >= kMostTriangles)
    throw Error("mesh", fmt::format("{} triangles are too many", triangles.size()));
  auto data = std::make_shared<Data>();
  std::vector<char> used(vertices.size(), 0);
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    for (const std::uint32_t v : triangles[i]) {
      if (v >= vertices.size())
        throw Error(fmt::format("mesh triangle {}", i),
                    fmt::format("names vertex {}, but there are {}", v, vertices.size()));
      used[v] = 1;
    }
  }
  data->all_used = std::find(used.begin(), used.end(), 0) == used.end();
  data->vertices.assign(vertices.begin(), vertices.end());
  data->triangles.assign(triangles.begin(), triangles.end());
  data->solid = options.solid;
  if (options.solid) {
    const MeshReport r = mesh::report(*data);
    data->facing = r.volume < 0 ? -1 : 1;
    if (!triangles.empty() && !r.watertight) {
      const auto& edge = *r.first_open_edge;
      throw Error("mesh",
                  fmt::format("cannot be solid: it is open at the edge of vertices {} and {}, and {} edges in all",
                              edge[0], edge[1], r.open_edges));
    }
  }
  // Neither needs the other.
  parallel_for(2,
               [&](std::size_t task) {
                 if (task == 0) data->build(options.threads);
                 else data->pieces = mesh::pieces_of(*data);
               },
               {.threads = options.threads, .grain = 1});
  data_ = std::move(data);
}

void Mesh::replace_vertices(std::span<const Vec3> vertices, int threads) {
  mesh::check_vertices(data_->vertices.size(), vertices);
  own();
  // The only owner, and its data was made as a non-const Data.
  Data& data = const_cast<Data&>(*data_);
  std::copy(vertices.begin(), vertices.end(), data.vertices.begin());
  data.refit(threads);
}

void Mesh::rebuild(int threads) {
  own();
  const_cast<Data&>(*data_).build(threads);
}

double Mesh::decay() const { return data_->tree.cost_at_build > 0 ? data_->tree.cost / data_->tree.cost_at_build : 1; }

void Mesh::own() {
  if (data_.use_count() == 1) return;
  auto copy = std::make_shared<Data>();
  copy->vertices = data_->vertices, copy->triangles = data_->triangles, copy->pieces = data_->pieces;
  copy->solid = data_->solid, copy->all_used = data_->all_used;
  copy->facing = data_->facing, copy->bounds = data_->bounds, copy->extent = data_->extent,
  copy->radius = data_->radius, copy->stamp = data_->stamp, copy->tree_stamp = data_->tree_stamp;
  copy->tree = data_->tree.copy();
  copy->blocks.resize(data_->blocks.size());
  std::copy(data_->blocks.begin(), data_->blocks.end(), copy->blocks.begin());
  copy->whole = data_->whole;
  copy->wide.resize(data_->wide.size());
  std::copy(data_->wide.begin(), data_->wide.end(), copy->wide.begin());
  data_ = std::move(copy);
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
         data_->pieces.capacity() * sizeof(std::uint32_t) + data_->tree.memory_bytes() + data_->blocks.bytes() +
         data_->wide.bytes();
}

std::string Mesh::validate() const {
  const Data& d = *data_;
  std::vector<Aabb> boxes;
  for (std::size_t i = 0; i < size(); ++i) {
    boxes.emplace_back();
    for (std::size_t k = 0; k < 3; ++k) boxes.back().extend(d.corner(i, k));
  }
  if (std::string wrong = bvh::validate(d.tree, boxes); !wrong.empty()) return wrong;
  if (d.blocks.size() != d.tree.leaves) return "not one block per leaf";
  for (std::size_t leaf = 0; leaf < d.tree.leaves; ++leaf) {
    for (std::size_t lane = 0; lane < kWidth; ++lane) {
      const std::uint32_t i = d.blocks[leaf].triangle[lane];
      if (i != d.tree.order[kWidth * leaf + lane]) return fmt::format("block {} has another order than its leaf", leaf);
      for (std::size_t k = 0; k < 3 && i != kNone; ++k) {
        for (int axis = 0; axis < 3; ++axis) {
          const double off = d.corner(i, k)[axis] - d.tree.origin[axis] - double{d.blocks[leaf].at[k][axis][lane]};
          if (!(std::abs(off) <= double{d.tree.rounding}))
            return fmt::format("triangle {} is rounded by {} m, more than {}", i, off, d.tree.rounding);
        }
      }
    }
  }
  return mesh::validate_wide(d);
}

}  // namespace graze
