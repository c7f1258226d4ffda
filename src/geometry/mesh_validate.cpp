// Whether a mesh is what its vertices and triangles make it.
#include <fmt/format.h>

#include <cstring>

#include "geometry/mesh_cells.h"
#include "geometry/mesh_data.h"
#include "geometry/mesh_surface.h"
#include "graze/base/error.h"

namespace graze::mesh {
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

// Every triangle lies where its blocks have it, to the rounding that the tree grants.
std::string validate_blocks(const Data& d) {
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
  return "";
}

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class T>
bool same_bits(const Buffer<T>& a, const Buffer<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// The same triangles under the same tree, derived anew.
std::string validate_derived(const Data& d) {
  Data fresh;
  fresh.divide_as(d);
  fresh.vertices = d.vertices;
  std::vector<bool> used(d.vertices.size(), false);
  for (const MeshTriangle& t : d.triangles) {
    for (const std::uint32_t v : t) {
      if (v >= used.size()) return fmt::format("a triangle refers to vertex {}, but there are {}", v, used.size());
      used[v] = true;
    }
  }
  fresh.all_used = std::find(used.begin(), used.end(), false) == used.end();
  try {
    static_cast<Connection&>(fresh) = connection_of(fresh);
  } catch (const Error& e) {
    return e.what();
  }
  Scratch scratch;
  fresh.move(d.vertices, scratch, 1);
  struct Claim {
    bool holds;
    const char* what;
  };
  for (const Claim& claim : {
           Claim{fresh.all_used == d.all_used, "whether all vertices are used"},
           Claim{fresh.bounds == d.bounds, "the bounds"},
           Claim{fresh.pieces == d.pieces, "the pieces"},
           Claim{fresh.weld == d.weld, "which vertices are at the same position"},
           Claim{fresh.connected == d.connected && fresh.closed == d.closed, "what the indices connect and close"},
           Claim{same_bits(fresh.facing, d.facing), "the orientation"},
           Claim{!d.solid || (d.surface && *d.surface == *fresh.surface), "the surface"},
           Claim{(d.cells == nullptr) == (fresh.cells == nullptr) && (!d.cells || *d.cells == *fresh.cells),
                 "the cells"},
           Claim{same_bits(fresh.extent, d.extent) && same_bits(fresh.radius, d.radius), "the size"},
           Claim{fresh.stamp == d.stamp, "the stamp"},
           Claim{stamp_of(fresh.tree) == d.tree_stamp, "the stamp of the tree"},
           Claim{fresh.tree.origin == d.tree.origin && same_bits(fresh.tree.rounding, d.tree.rounding), "the origin"},
           Claim{same_bits(fresh.tree.nodes, d.tree.nodes) && same_bits(fresh.tree.root, d.tree.root), "the tree"},
           Claim{same_bits(fresh.tree.cost, d.tree.cost), "the cost of the tree"},
           Claim{same_bits(fresh.blocks, d.blocks), "the blocks"},
           Claim{same_bits(fresh.wide, d.wide) && same_bits(fresh.whole, d.whole), "the boxes along their own axes"},
       }) {
    if (!claim.holds) return fmt::format("{}: not what the vertices make it", claim.what);
  }
  return "";
}

}  // namespace

std::string validate(const Data& d) {
  if (std::string wrong = validate_derived(d); !wrong.empty()) return wrong;
  std::vector<Aabb> boxes;
  for (std::size_t i = 0; i < d.triangles.size(); ++i) {
    boxes.emplace_back();
    for (std::size_t k = 0; k < 3; ++k) boxes.back().extend(d.corner(i, k));
  }
  if (std::string wrong = bvh::validate(d.tree, boxes); !wrong.empty()) return wrong;
  if (std::string wrong = validate_blocks(d); !wrong.empty()) return wrong;
  return validate_wide(d);
}

}  // namespace graze::mesh
