#include "graze/query/self_collide.h"

#include <algorithm>
#include <array>

#include "query/mesh_tree.h"
#include "query/mesh_walk.h"

namespace graze {
namespace {

// Exactly the same place, whatever the index.
bool same(const Vec3& a, const Vec3& b) { return a.x() == b.x() && a.y() == b.y() && a.z() == b.z(); }

Relative here() { return Relative(Vec3(Vec3::Zero())); }

bool meet(const Triangle& a, const Triangle& b) { return touch(Facet{a}, Facet{b}, here(), 0, nullptr); }

// Triangles (p, q, c) and (p, q, d): flat on each other, d on c's side of the edge.
bool folded(const Vec3& p, const Vec3& q, const Vec3& c, const Vec3& d) {
  const Vec3 edge = minus(q, p), to_c = minus(c, p), to_d = minus(d, p);
  const Vec3 normal = cross(edge, to_c);
  const double height = dot(normal, to_d);
  const double rounding = 32 * kEpsilon * size_of(edge) * size_of(to_c) * size_of(to_d);
  if (std::abs(height) > rounding) return false;
  return dot(normal, cross(edge, to_d)) >= 0;
}

bool beyond_shared(const mesh::Data& data, std::uint32_t i, std::uint32_t j) {
  std::array<Vec3, 3> a, b;
  for (std::size_t k = 0; k < 3; ++k) a[k] = data.corner(i, k), b[k] = data.corner(j, k);
  for (const auto* t : {&a, &b}) {
    if (same((*t)[0], (*t)[1]) || same((*t)[1], (*t)[2]) || same((*t)[2], (*t)[0])) return false;
  }
  // Shared corners to the front of both.
  std::size_t shared = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t l = shared; l < 3; ++l) {
      if (!same(a[k], b[l])) continue;
      std::swap(a[shared], a[k]), std::swap(b[shared], b[l]);
      ++shared;
      break;
    }
  }
  switch (shared) {
    case 0:
      return meet(Triangle(a[0], a[1], a[2]), Triangle(b[0], b[1], b[2]));
    case 1:
      // What they have in common beyond the corner ends at the side opposite to it of one or the other.
      return meet(Triangle(a[0], a[1], a[2]), Triangle(b[1], b[2], b[2])) ||
             meet(Triangle(a[1], a[2], a[2]), Triangle(b[0], b[1], b[2]));
    case 2:
      return folded(a[0], a[1], a[2], b[2]);
    default:
      return true;
  }
}

struct Search {
  const mesh::Data& data;
  std::span<FoldedPair> buffer;
  bool first_only;
  std::size_t count = 0;

  static double visit(void* self, std::uint32_t i, std::uint32_t j) {
    Search& s = *static_cast<Search*>(self);
    // Each pair is met both ways round, and each triangle meets itself.
    if (i < j && beyond_shared(s.data, i, j)) {
      if (s.count < s.buffer.size()) s.buffer[s.count] = {i, j};
      ++s.count;
      if (s.first_only) return -1;
    }
    return 0;
  }
};

std::size_t search(const Mesh& mesh, std::span<FoldedPair> buffer, bool first_only) {
  if (mesh.empty()) return 0;
  Search s{mesh.data(), buffer, first_only};
  const walk::MeshPair pair(mesh.data(), mesh.data(), here());
  walk::visit(pair, 0, false, {&s, &Search::visit});
  return s.count;
}

}  // namespace

bool self_collide(const Mesh& mesh) { return search(mesh, {}, true) > 0; }

std::size_t self_collisions(const Mesh& mesh, std::span<FoldedPair> buffer) {
  const std::size_t count = search(mesh, buffer, false);
  std::sort(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(std::min(count, buffer.size())));
  return count;
}

}  // namespace graze
