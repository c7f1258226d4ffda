// Which triangles of a closed mesh are its surface, by the winding number on both sides; whether the solid is convex.
//
// Where nothing crosses a triangle, the winding number is the same all over each of its sides, and beside its
// neighbours over edges with no other triangle, too: one of such a patch is asked. Triangles that others meet are cut
// along the common segments, and each part is asked for itself.
#include "geometry/mesh_surface.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "geometry/disjoint_sets.h"
#include "geometry/mesh_cut.h"
#include "geometry/mesh_edges.h"
#include "geometry/mesh_weld.h"
#include "graze/base/parallel.h"
#include "graze/shape/convex.h"

namespace graze::mesh {
namespace {

using Index = std::uint32_t;

// How far beside a face it is asked what lies there, in lengths of the cuts' tolerance.
constexpr double kBeside = 64;
// Parts narrower than this, in the same lengths, are left out.
constexpr double kNarrow = 256;
// Surfaces with more corners than this are compared with no hull.
constexpr std::size_t kMaxCorners = 4096;
// Of the extent: planes of slivers are off by no more than that.
constexpr double kSliver = 1e-6;

// Does inside meet outside at p of a face with this normal?
bool is_surface(const Data& data, const Vec3& p, const Vec3& normal, double beside) {
  const bool above = winding(data, p + beside * normal) != 0, below = winding(data, p - beside * normal) != 0;
  return above != below;
}

Vec3 normal_of(const Data& data, Index t) {
  const Vec3 n = (data.corner(t, 1) - data.corner(t, 0)).cross(data.corner(t, 2) - data.corner(t, 0));
  const double length = n.norm();
  return length > 0 ? Vec3(n / length) : Vec3(Vec3::Zero());
}

double width_of(const Polygon& p, const Vec3& normal) {
  double narrowest = kInfinity;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Vec3 edge = p[(i + 1) % p.size()] - p[i];
    const double length = edge.norm();
    if (!(length > 0)) continue;
    double width = 0;
    for (const Vec3& v : p) width = std::max(width, normal.cross(edge).dot(v - p[i]) / length);
    narrowest = std::min(narrowest, width);
  }
  return narrowest;
}

// How far the triangles beside an edge reach over each other's planes, at most: no more than rounding if every edge
// bends outwards or not at all. Over an edge, the plane of the triangle that reaches farther from it is the better
// known one. Infinite where edges do not have two triangles or there is no volume.
double reach_over_neighbors(const Data& data, const std::vector<Edge>& edges, double tolerance) {
  double volume = 0;
  const Vec3& origin = data.tree.origin;
  for (std::size_t t = 0; t < data.triangles.size(); ++t)
    volume += (data.corner(t, 0) - origin).dot((data.corner(t, 1) - origin).cross(data.corner(t, 2) - origin));
  const double facing = volume < 0 ? -1 : 1;
  double reach = volume != 0 ? 0 : kInfinity;
  for_each_edge(edges, [&](std::span<const Edge> same) {
    if (same.size() != 2) reach = kInfinity;
    if (reach == kInfinity) return;
    const Edge &a = same[0], &b = same[1];
    const Vec3 &p = data.vertices[a.low], edge = data.vertices[a.high] - p;
    const Vec3 to_a = data.vertices[a.opposite] - p, to_b = data.vertices[b.opposite] - p;
    const bool first = edge.cross(to_a).squaredNorm() >= edge.cross(to_b).squaredNorm();
    const Vec3 normal = facing * normal_of(data, first ? a.triangle : b.triangle);
    const Vec3& other = first ? to_b : to_a;
    // Without area, or folded back onto itself: as far as it reaches from the edge.
    const bool folded = normal == Vec3::Zero() ||
                        (std::abs(normal.dot(other)) <= tolerance && edge.cross(to_a).dot(edge.cross(to_b)) > 0);
    reach =
        std::max(reach, folded ? std::max(2 * tolerance, edge.cross(other).norm() / std::max(edge.norm(), tolerance))
                               : normal.dot(other));
  });
  return reach;
}

// Of a surface in any number of pieces and cuts, all triangles if there are none: every one lies on a face of the hull
// of the whole mesh, which sheets outside of the solid belong to.
bool lies_on_hull(const Data& data, const Mesh* cut, double tolerance) {
  const std::size_t count = cut != nullptr ? cut->size() : data.triangles.size();
  if (3 * std::max(count, data.triangles.size()) > kMaxCorners) return false;
  std::vector<Vec3> corners;
  for (std::size_t t = 0; t < data.triangles.size(); ++t)
    corners.insert(corners.end(), {data.corner(t, 0), data.corner(t, 1), data.corner(t, 2)});
  const Convex hull = Convex::hull_of(corners);
  if (hull.flat()) return false;
  const auto is_on_face = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
    return std::any_of(hull.faces().begin(), hull.faces().end(), [&](const Convex::Face& face) {
      return face.offset - std::min({face.normal.dot(a), face.normal.dot(b), face.normal.dot(c)}) <= tolerance;
    });
  };
  for (std::size_t t = 0; t < count; ++t) {
    const Triangle triangle =
        cut != nullptr ? cut->triangle(t) : Triangle(corners[3 * t], corners[3 * t + 1], corners[3 * t + 2]);
    if (!is_on_face(triangle.a(), triangle.b(), triangle.c())) return false;
  }
  return true;
}

// What a triangle is: inside of the solid or outside of it altogether, surface, or surface in some parts only.
enum class Is : char { inner, surface, parted };

class SurfaceFinder {
 public:
  SurfaceFinder(const Data& data, int threads)
      : data_(data),
        threads_(threads),
        count_(data.triangles.size()),
        tolerance_(cut_tolerance(data)),
        weld_(data.weld.empty() ? welded(data.vertices, table_) : data.weld),
        budget_(count_),
        patches_(count_) {}

  Surface find() {
    find_crossings();
    if (budget_.spent()) return unknown();
    make_patches();
    if (nothing_meets_ && patch_count_ == 1) {
      // One closed surface that does not meet itself has its inside on one side.
      const double reach = reach_over_neighbors(data_, edges_, tolerance_);
      Surface surface;
      surface.convex =
          reach <= tolerance_ || (reach <= kSliver * data_.extent && lies_on_hull(data_, nullptr, tolerance_));
      return surface;
    }
    ask_all();
    if (budget_.spent()) return unknown();
    return is_whole() ? whole() : parted();
  }

 private:
  void find_crossings() {
    crossings_.resize(count_);
    parallel_for(count_,
                 [&](std::size_t t) { crossings_[t] = crossings_of(data_, weld_, static_cast<Index>(t), budget_); },
                 {.threads = threads_, .grain = 256});
    nothing_meets_ = std::none_of(crossings_.begin(), crossings_.end(), [](const Crossings& c) { return c.alone; });
  }

  // Patches of triangles that nothing meets, each with its largest triangle.
  void make_patches() {
    edges_ = sorted_edges(data_.triangles, weld_);
    for_each_edge(edges_, [&](std::span<const Edge> same) {
      if (same.size() != 2 || crossings_[same[0].triangle].alone || crossings_[same[1].triangle].alone) return;
      patches_.unite(same[0].triangle, same[1].triangle);
    });
    normal_.resize(count_);
    largest_.assign(count_, kNone);
    area_.resize(count_);
    for (Index t = 0; t < count_; ++t) {
      normal_[t] = normal_of(data_, t);
      area_[t] = (data_.corner(t, 1) - data_.corner(t, 0)).cross(data_.corner(t, 2) - data_.corner(t, 0)).squaredNorm();
      Index& largest = largest_[patches_.find(t)];
      if (largest == kNone) ++patch_count_;
      if (largest == kNone || area_[t] > area_[largest]) largest = t;
    }
  }

  // Asks the largest triangle of each patch and each part of the triangles that others meet.
  void ask_all() {
    is_.assign(count_, Is::inner);
    kept_.resize(count_);
    parallel_for(count_,
                 [&](std::size_t i) {
                   const auto t = static_cast<Index>(i);
                   if (!crossings_[t].segments.empty()) ask_parts(t);
                   else if (largest_[patches_.root_of(t)] == t) ask_whole(t);
                 },
                 {.threads = threads_, .grain = 64});
    for (Index t = 0; t < count_; ++t) {
      if (crossings_[t].segments.empty()) is_[t] = is_[largest_[patches_.find(t)]];
    }
  }

  bool is_surface_at(Index t, const Vec3& p) const { return is_surface(data_, p, normal_[t], kBeside * tolerance_); }

  void ask_whole(Index t) {
    const Vec3 middle = (data_.corner(t, 0) + data_.corner(t, 1) + data_.corner(t, 2)) / 3;
    if (is_surface_at(t, middle)) is_[t] = Is::surface;
  }

  void ask_parts(Index t) {
    std::vector<Polygon> parts;
    cut({data_.corner(t, 0), data_.corner(t, 1), data_.corner(t, 2)}, crossings_[t].segments, tolerance_, budget_,
        parts);
    if (budget_.spent()) return;
    std::size_t dropped = 0;
    for (const Polygon& part : parts) {
      Vec3 middle = Vec3::Zero();
      for (const Vec3& v : part) middle += v;
      middle /= static_cast<double>(part.size());
      if (width_of(part, normal_[t]) < kNarrow * tolerance_) continue;
      if (is_surface_at(t, middle)) kept_[t].push_back(part);
      else ++dropped;
    }
    if (!kept_[t].empty()) is_[t] = dropped == 0 ? Is::surface : Is::parted;
  }

  bool is_whole() const {
    for (Index t = 0; t < count_; ++t) {
      if (is_[t] != Is::surface && area_[t] != 0) return false;
    }
    return true;
  }

  static Surface unknown() {
    Surface surface;
    surface.certain = false;
    return surface;
  }

  // Triangles that meet others though all is surface: slivers in faces that are flat but for rounding.
  Surface whole() const {
    Surface surface;
    surface.convex = reach_over_neighbors(data_, edges_, tolerance_) <= kSliver * data_.extent &&
                     lies_on_hull(data_, nullptr, tolerance_);
    return surface;
  }

  Surface parted() const {
    Surface surface;
    surface.whole = false;
    surface.blur = kNarrow * tolerance_;
    std::vector<Vec3> vertices;
    std::vector<MeshTriangle> triangles;
    const auto add = [&](const Vec3& a, const Vec3& b, const Vec3& c, Index t) {
      const auto first = static_cast<Index>(vertices.size());
      vertices.insert(vertices.end(), {a, b, c});
      triangles.push_back({first, first + 1, first + 2});
      surface.parent.push_back(t);
    };
    for (Index t = 0; t < count_; ++t) {
      if (is_[t] == Is::surface) add(data_.corner(t, 0), data_.corner(t, 1), data_.corner(t, 2), t);
      if (is_[t] != Is::parted) continue;
      for (const Polygon& part : kept_[t]) {
        for (std::size_t k = 1; k + 1 < part.size(); ++k) add(part[0], part[k], part[k + 1], t);
      }
    }
    surface.cut = Mesh(vertices, triangles, {.threads = threads_});
    surface.convex = !surface.cut.empty() && lies_on_hull(data_, &surface.cut, surface.blur);
    return surface;
  }

  const Data& data_;
  int threads_;
  std::size_t count_;
  double tolerance_;
  Buffer<Index> table_;
  std::vector<Index> weld_;
  CutBudget budget_;
  std::vector<Crossings> crossings_;
  bool nothing_meets_ = false;
  std::vector<Edge> edges_;
  DisjointSets patches_;
  std::size_t patch_count_ = 0;
  std::vector<Index> largest_;  // triangle of each patch, by its root
  std::vector<Vec3> normal_;
  std::vector<double> area_;  // squared, of the parallelogram
  std::vector<Is> is_;
  std::vector<std::vector<Polygon>> kept_;  // the parts of a triangle that are surface
};

}  // namespace

bool Surface::operator==(const Surface& other) const {
  return whole == other.whole && cut.stamp() == other.cut.stamp() && parent == other.parent && blur == other.blur &&
         certain == other.certain && convex == other.convex;
}

std::size_t Surface::memory_bytes() const {
  return sizeof(Surface) + cut.memory_bytes() + parent.capacity() * sizeof(Index);
}

std::shared_ptr<const Surface> surface_of(const Data& data, int threads) {
  if (data.triangles.empty()) return std::make_shared<Surface>();
  return std::make_shared<Surface>(SurfaceFinder(data, threads).find());
}

}  // namespace graze::mesh
