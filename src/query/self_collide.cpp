#include "graze/query/self_collide.h"

#include <algorithm>
#include <array>

#include "graze/base/parallel.h"
#include "query/mesh_tree.h"
#include "query/mesh_walk.h"

namespace graze {
namespace {

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

// Whether d and e are surely on one side of the plane of a triangle with a corner p: then one with the corners p, d and
// e has nothing but p in common with it.
bool on_one_side(const Vec3& p, const Vec3& q, const Vec3& r, const Vec3& d, const Vec3& e) {
  const Vec3 to_q = minus(q, p), to_r = minus(r, p), to_d = minus(d, p), to_e = minus(e, p);
  const Vec3 normal = cross(to_q, to_r);
  const double above_d = dot(normal, to_d), above_e = dot(normal, to_e);
  const double rounding = 32 * kEpsilon * size_of(to_q) * size_of(to_r);
  const double room_d = rounding * size_of(to_d), room_e = rounding * size_of(to_e);
  return (above_d > room_d && above_e > room_e) || (above_d < -room_d && above_e < -room_e);
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
      if (on_one_side(a[0], a[1], a[2], b[1], b[2]) || on_one_side(b[0], b[1], b[2], a[1], a[2])) return false;
      // What they have in common beyond the corner ends at the side opposite to it of one or the other.
      return meet(Triangle(a[0], a[1], a[2]), Triangle(b[1], b[2], b[2])) ||
             meet(Triangle(a[1], a[2], a[2]), Triangle(b[0], b[1], b[2]));
    case 2:
      return folded(a[0], a[1], a[2], b[2]);
    default:
      return true;
  }
}

// Calls found(i, j) for each pair, until it answers false.
template <class Found>
struct Search {
  const mesh::Data& data;
  const Found& found;

  static double visit(void* self, std::uint32_t i, std::uint32_t j) {
    const Search& s = *static_cast<const Search*>(self);
    // Each pair is met in both orders, and each triangle meets itself.
    return i < j && beyond_shared(s.data, i, j) && !s.found(FoldedPair{i, j}) ? -1 : 0;
  }
  walk::PairVisitor visitor() { return {this, &Search::visit}; }
};

template <class Found>
void search(const Mesh& mesh, const Found& found) {
  if (mesh.empty()) return;
  Search<Found> s{data_of(mesh), found};
  walk::visit(walk::MeshPair(data_of(mesh), data_of(mesh), here()), 0, false, s.visitor());
}

// In parts on several threads, each with a list of its own: one after the other they are what one search finds.
template <class Found>
void search_in_parts(const Mesh& mesh, int threads, const Found& found) {
  constexpr std::size_t kParts = 512;
  if (mesh.empty()) return;
  const walk::MeshPair pair(data_of(mesh), data_of(mesh), here());
  const std::vector<walk::Part> parts = walk::divide(pair, 0, kParts);
  const std::size_t grain = std::max<std::size_t>(1, parts.size() / 256);
  std::vector<std::vector<FoldedPair>> lists((parts.size() + grain - 1) / grain);
  parallel_chunks(parts.size(),
                  [&](std::size_t begin, std::size_t end) {
                    std::vector<FoldedPair>& list = lists[begin / grain];
                    const auto add = [&](FoldedPair p) {
                      list.push_back(p);
                      return true;
                    };
                    Search<decltype(add)> s{data_of(mesh), add};
                    walk::visit(pair, 0, std::span(parts).subspan(begin, end - begin), s.visitor());
                  },
                  {.threads = threads, .grain = grain});
  for (const auto& list : lists) {
    for (const FoldedPair& p : list) found(p);
  }
}

}  // namespace

bool self_collide(const Mesh& mesh) {
  bool found = false;
  search(mesh, [&](FoldedPair) {
    found = true;
    return false;
  });
  return found;
}

std::size_t self_collisions(const Mesh& mesh, std::span<FoldedPair> buffer, const SelfCollideOptions& options) {
  std::size_t count = 0;
  const auto add = [&](FoldedPair p) {
    if (count < buffer.size()) buffer[count] = p;
    ++count;
    return true;
  };
  if (options.threads == 1) search(mesh, add);
  else search_in_parts(mesh, options.threads, add);
  std::sort(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(std::min(count, buffer.size())));
  return count;
}

}  // namespace graze
