#include "query/epa.h"

#include <Eigen/Geometry>
#include <cstdint>

namespace graze {
namespace {

using Index = std::uint8_t;

struct Vertex {
  Vec3 p;  // −w: a point of a − b
  Vec3 a, b;
};

struct Face {
  Vec3 normal;  // unit, outward
  double distance;
  std::array<Index, 3> corner;    // counter-clockwise from outside
  std::array<Index, 3> neighbor;  // across the edge from corner[i] to corner[i + 1]
};

constexpr std::size_t kMaxVertices = 120;
constexpr std::size_t kMaxFaces = 2 * kMaxVertices;
constexpr Index kNone = 255;
static_assert(kMaxFaces < kNone);

class Polytope {
 public:
  explicit Polytope(const Difference& difference) : difference_(difference) {}

  Depth expand(const Simplex& start, double tolerance) {
    if (!enclose(start)) return best_;
    for (;;) {
      const std::size_t nearest = nearest_face();
      if (nearest == kNone) break;
      const Face& face = faces_[nearest];
      if (best_.upper < 0) break;  // a direction that separates: the shapes are apart after all
      const double slack = best_.upper < kInfinity ? std::max(difference_.rounding, tolerance * best_.upper) : 0;
      best_.lower = std::min(best_.upper, std::max(0.0, face.distance));
      if (best_.upper - face.distance <= slack) break;
      const Vertex v = probe(face.normal);
      const double height = dot(face.normal, v.p), known = best_.upper;
      if (height < best_.upper) settle(face, v);
      if (best_.upper - face.distance <= slack) break;
      if (difference_.refine != nullptr &&
          (full_ || height - face.distance <= (difference_.smooth ? kSettleSmooth : kSettle) * height) &&
          settled(face, v, height, known)) {
        key_[nearest] = kInfinity;
        continue;
      }
      if (full_) break;
      if (vertex_count_ == kMaxVertices || !grow(nearest, v)) {
        if (difference_.refine == nullptr) break;
        full_ = true;
      }
    }
    if (optimum_count_ > 0) best_.lower = best_.upper;
    return best_;
  }

 private:
  // Every direction looked along bounds the depth from above.
  Vertex probe(const Vec3& n) {
    Vec3 w;
    Vertex v;
    difference_.support(difference_.pair, n, w, v.a, v.b);
    v.p = -w;
    return v;
  }

  void note(const Vec3& n, const Vertex& v) {
    const double height = dot(n, v.p);
    if (height < best_.upper) best_.upper = height, best_.toward = n, best_.on_a = v.a, best_.points_known = false;
  }

  // `face` gives the best bound so far: its normal is the way out, its point nearest to the origin the deepest one.
  void settle(const Face& face, const Vertex& v) {
    note(face.normal, v);
    const Vertex &i = vertices_[face.corner[0]], &j = vertices_[face.corner[1]], &k = vertices_[face.corner[2]];
    Nearest nearest;
    consider_triangle({i.p, j.p, k.p, Vec3::Zero()}, 0, 1, 2, 0, nearest);
    const std::array<const Vertex*, 3> corners = {&i, &j, &k};
    best_.on_a.setZero();
    Vec3 foot = Vec3::Zero();
    for (std::size_t c = 0; c < static_cast<std::size_t>(nearest.size); ++c) {
      best_.on_a += nearest.weight[c] * corners[nearest.corner[c]]->a;
      foot += nearest.weight[c] * corners[nearest.corner[c]]->p;
    }
    // Only a face on the boundary with the foot inside is the last word; of a sliver, rounding may have moved the foot.
    const double height = dot(face.normal, v.p);
    best_.points_known = nearest.size == 3 && height - face.distance <= difference_.rounding &&
                         norm_sq(along(foot, -height, face.normal)) <= 4 * difference_.rounding * difference_.rounding;
  }

  // Of a curved pair: whether the best direction of this small face is known, by Newton from here or from a neighbour.
  // The face then needs no more splitting, which would only close in on that direction step by step. `v` is the support
  // point along the face's normal: where it shows a corner or an edge that the face's own corners do not, more may hide
  // here and Newton is not tried. `known` is the best bound without this face.
  bool settled(const Face& face, const Vertex& v, double height, double known) {
    if (difference_.smooth) {
      for (std::size_t i = 0; i < optimum_count_; ++i) {
        if (dot(optima_[i], face.normal) > kSameOptimum && height >= known &&
            slopes_to(optima_[i], face.normal, height))
          return true;
      }
    }
    const Vertex &i = vertices_[face.corner[0]], &j = vertices_[face.corner[1]], &k = vertices_[face.corner[2]];
    const std::array<Vec3, 4> a = {v.a, i.a, j.a, k.a}, b = {v.b, i.b, j.b, k.b};
    Refined r = difference_.refine(difference_.pair, face.normal, a, b);
    if (full_) {
      // Corners of a large face show more than the feature at its middle.
      for (std::size_t c = 0; c < 6 && !(r.found && -r.value <= height); ++c) r = refine_part(c, face.normal, a, b);
    }
    if (!r.found || -r.value > height) return false;
    if (-r.value <= best_.upper + difference_.rounding) {
      best_.upper = -r.value, best_.toward = r.n, best_.on_a = r.on_a, best_.points_known = true;
    }
    if (optimum_count_ < optima_.size()) optima_[optimum_count_++] = r.n;
    return true;
  }

  // Whether no ridge lies between an optimum and a direction near it: midway the height is not more, nor less than the
  // best.
  bool slopes_to(const Vec3& optimum, const Vec3& n, double height) {
    const Vec3 sum = plus(optimum, n), midway = times(1 / std::sqrt(norm_sq(sum)), sum);
    const double there = dot(midway, probe(midway).p);
    return there <= (best_.upper + height) / 2 + difference_.rounding && there >= best_.upper - difference_.rounding;
  }

  // The same from some of the points, the first among them, of one shape or both: in six ways.
  Refined refine_part(std::size_t way, const Vec3& n, const std::array<Vec3, 4>& a,
                      const std::array<Vec3, 4>& b) const {
    const auto refine = [&](std::span<const Vec3> of_a, std::span<const Vec3> of_b) {
      return difference_.refine(difference_.pair, n, of_a, of_b);
    };
    if (way == 0) return refine({a.data(), 1}, b);
    if (way == 1) return refine(a, {b.data(), 1});
    if (way == 2) return refine({a.data(), 1}, {b.data(), 1});
    const std::size_t other = way - 2;
    const std::array<Vec3, 2> two_a = {a[0], a[other]}, two_b = {b[0], b[other]};
    return refine(two_a, two_b);
  }

  // Finds a tetrahedron around the origin from a smaller simplex that touches it. False if the difference turns out
  // to be flat or the origin to lie on its boundary: best_ then holds the direction that shows it.
  bool enclose(const Simplex& start) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(start.size); ++i) {
      vertices_[vertex_count_++] = {-start.w[i], start.a[i], start.b[i]};
    }
    while (vertex_count_ < 4) {
      if (!add_dimension()) return false;
    }
    const Vec3 &p0 = vertices_[0].p, &p1 = vertices_[1].p, &p2 = vertices_[2].p, &p3 = vertices_[3].p;
    if ((p1 - p0).cross(p2 - p0).dot(p3 - p0) > 0) std::swap(vertices_[1], vertices_[2]);
    constexpr std::array<std::array<Index, 3>, 4> kCorners = {{{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}}};
    constexpr std::array<std::array<Index, 3>, 4> kNeighbors = {{{1, 3, 2}, {2, 3, 0}, {0, 3, 1}, {1, 2, 0}}};
    for (std::size_t f = 0; f < 4; ++f) add_face(kCorners[f], kNeighbors[f]);
    return true;
  }

  bool add_dimension() {
    std::array<Vec3, 6> directions;
    std::size_t count = 0;
    const Vec3& p0 = vertices_[0].p;
    if (vertex_count_ == 1) {
      directions = {Vec3::UnitX(), -Vec3::UnitX(), Vec3::UnitY(), -Vec3::UnitY(), Vec3::UnitZ(), -Vec3::UnitZ()};
      count = 6;
    } else if (vertex_count_ == 2) {
      const Vec3 along = unit(vertices_[1].p - p0), across = any_orthogonal(along), third = along.cross(across);
      directions = {across, -across, third, -third};
      count = 4;
    } else {
      const Vec3 normal = unit((vertices_[1].p - p0).cross(vertices_[2].p - p0));
      directions = {normal, -normal};
      count = 2;
    }
    Vertex farthest{Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
    double most = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Vertex v = probe(directions[i]);
      note(directions[i], v);
      const double off = distance_off_hull(v.p);
      if (off > most) most = off, farthest = v;
    }
    if (best_.upper <= difference_.rounding || most <= difference_.rounding) return false;
    vertices_[vertex_count_++] = farthest;
    return true;
  }

  // How far p lies from the point, line or plane of the vertices so far.
  double distance_off_hull(const Vec3& p) const {
    const Vec3 from = p - vertices_[0].p;
    if (vertex_count_ == 1) return from.norm();
    const Vec3 along = vertices_[1].p - vertices_[0].p;
    if (vertex_count_ == 2) return from.cross(unit(along)).norm();
    return std::abs(from.dot(unit(along.cross(vertices_[2].p - vertices_[0].p))));
  }

  std::size_t nearest_face() const {
    std::size_t nearest = kNone;
    double least = kInfinity;
    for (std::size_t f = 0; f < face_count_; ++f) {
      if (key_[f] < least) least = key_[f], nearest = f;
    }
    return nearest;
  }

  Index add_face(const std::array<Index, 3>& corner, const std::array<Index, 3>& neighbor) {
    std::size_t slot = free_ == kNone ? face_count_++ : free_;
    if (free_ != kNone) free_ = faces_[slot].neighbor[0];
    Face& face = faces_[slot];
    const Vec3& p = vertices_[corner[0]].p;
    const Vec3 normal = cross(minus(vertices_[corner[1]].p, p), minus(vertices_[corner[2]].p, p));
    const double area = std::sqrt(norm_sq(normal));
    face.corner = corner, face.neighbor = neighbor;
    if (area > 0) {
      face.normal = times(1 / area, normal);
      face.distance = dot(face.normal, p);
      key_[slot] = face.distance;
    } else {
      // A face without area has no side to see it from: it stays, and its neighbours speak for it.
      face.normal.setZero(), face.distance = 0;
      key_[slot] = kInfinity;
    }
    return static_cast<Index>(slot);
  }

  void remove_face(Index f) {
    key_[f] = kInfinity;
    faces_[f].neighbor[0] = free_;
    free_ = f;
  }

  // Replaces the faces that see `v` by a fan around it. False if rounding left no proper horizon.
  bool grow(std::size_t seed, const Vertex& v) {
    for (const Index c : faces_[seed].corner) {
      if (vertices_[c].p == v.p) return false;
    }
    if (!(dot(faces_[seed].normal, v.p) > faces_[seed].distance)) return false;
    struct Edge {
      Index from, to, beyond;
    };
    std::array<Index, kMaxFaces> visible;
    std::array<Edge, kMaxFaces> horizon;
    std::array<bool, kMaxFaces> seen{};
    std::size_t visible_count = 0, horizon_count = 0;
    visible[visible_count++] = static_cast<Index>(seed);
    seen[seed] = true;
    for (std::size_t i = 0; i < visible_count; ++i) {
      const Face& face = faces_[visible[i]];
      for (std::size_t e = 0; e < 3; ++e) {
        const Index other = face.neighbor[e];
        if (seen[other]) continue;
        if (dot(faces_[other].normal, v.p) > faces_[other].distance) {
          seen[other] = true;
          visible[visible_count++] = other;
        }
      }
    }
    for (std::size_t i = 0; i < visible_count; ++i) {
      const Face& face = faces_[visible[i]];
      for (std::size_t e = 0; e < 3; ++e) {
        if (!seen[face.neighbor[e]]) {
          horizon[horizon_count++] = {face.corner[e], face.corner[(e + 1) % 3], face.neighbor[e]};
        }
      }
    }
    // A proper horizon is one loop: every corner on it begins exactly one edge, and all edges are reached.
    std::array<Index, kMaxVertices> begins;
    begins.fill(kNone);
    for (std::size_t i = 0; i < horizon_count; ++i) {
      if (begins[horizon[i].from] != kNone) return false;
      begins[horizon[i].from] = static_cast<Index>(i);
    }
    std::size_t length = 0;
    for (Index at = 0; length <= horizon_count;) {
      ++length;
      at = begins[horizon[at].to];
      if (at == kNone) return false;
      if (at == 0) break;
    }
    if (horizon_count < 3 || length != horizon_count) return false;
    if (face_count_ + horizon_count > kMaxFaces) return false;

    for (std::size_t i = 0; i < visible_count; ++i) remove_face(visible[i]);
    const auto apex = static_cast<Index>(vertex_count_);
    vertices_[vertex_count_++] = v;
    Index first = kNone, previous = kNone, at = 0;
    do {
      const Edge& edge = horizon[at];
      const Index f = add_face({edge.from, edge.to, apex}, {edge.beyond, kNone, previous});
      for (std::size_t e = 0; e < 3; ++e) {
        Face& beyond = faces_[edge.beyond];
        if (beyond.corner[e] == edge.to && beyond.corner[(e + 1) % 3] == edge.from) beyond.neighbor[e] = f;
      }
      if (previous != kNone) faces_[previous].neighbor[1] = f;
      if (first == kNone) first = f;
      previous = f;
      at = begins[edge.to];
    } while (at != 0);
    faces_[first].neighbor[2] = previous;
    faces_[previous].neighbor[1] = first;
    return true;
  }

  // Faces this close to the boundary, relative to its distance, are small enough for Newton; and optima this near
  // to the face's normal (cosine) are taken for the same.
  static constexpr double kSettleSmooth = 0.1, kSettle = 0.02, kSameOptimum = 0.95;

  const Difference& difference_;
  Depth best_;
  std::array<Vec3, 8> optima_;
  std::size_t optimum_count_ = 0;
  bool full_ = false;  // no more growing: the faces that are left are tried by Newton, however large they are
  std::size_t vertex_count_ = 0, face_count_ = 0;
  Index free_ = kNone;
  std::array<Vertex, kMaxVertices> vertices_;
  std::array<Face, kMaxFaces> faces_;
  std::array<double, kMaxFaces> key_;  // distance of live faces, +inf of dead ones
};

}  // namespace

Depth epa(const Difference& difference, const Simplex& start, double tolerance) {
  return Polytope(difference).expand(start, tolerance);
}

}  // namespace graze
