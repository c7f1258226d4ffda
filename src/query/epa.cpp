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
    if (expand_from(start, tolerance) == Expansion::folded && !curved()) return expand_again(start, tolerance);
    return best_;
  }

 private:
  enum class Expansion { ended, folded };
  // What became of a new vertex. Folded: rounding left no proper horizon around it, or the polytope inside out.
  enum class Growth { grown, nothing_new, no_room, folded };
  // What is done about a face that is not on the boundary yet. Polytopes of curved pairs that cannot grow any more
  // still have Newton to try, however large their faces are.
  enum class Phase { growing, newton_only };

  bool curved() const { return difference_.refine != nullptr; }

  // The origin is inside of a proper polytope, or outside by no more than what GJK left undecided.
  bool is_folded(const Face& face) const {
    constexpr double kUndecided = 1e4, kShare = 1e-3;
    return best_.upper < kInfinity &&
           face.distance < -std::max(kUndecided * difference_.rounding, kShare * best_.upper);
  }

  // Where many vertices lie in one plane, as in the faces of finely divided bodies, rounding alone says which faces see
  // a new one, and the polytope may fold. It is then expanded again with another rule for what is seen.
  [[gnu::noinline]] Depth expand_again(const Simplex& start, double tolerance) {
    Depth best = best_;
    double lower = best_.lower;
    for (const double slack : {-16.0, 16.0, -256.0}) {
      best_ = {}, vertex_count_ = 0, face_count_ = 0, free_ = kNone;
      sight_slack_ = slack * difference_.rounding;
      const Expansion expansion = expand_from(start, tolerance);
      if (best_.upper < best.upper) best = best_;
      lower = std::max(lower, best_.lower);
      if (expansion != Expansion::folded) break;
    }
    best.lower = std::min(best.upper, lower);
    return best;
  }

  // Moves the nearest face out to the boundary, again and again, until the bounds meet. Flat pairs end there, or when
  // the polytope cannot grow. Faces of curved pairs are left to Newton as soon as they are small.
  Expansion expand_from(const Simplex& start, double tolerance) {
    if (!enclose(start)) return Expansion::ended;
    Expansion expansion = Expansion::ended;
    for (;;) {
      const std::size_t nearest = nearest_face();
      if (nearest == kNone) break;
      const Face& face = faces_[nearest];
      if (best_.upper < 0) break;  // a direction that separates: the shapes are apart after all
      if (!curved() && is_folded(face)) {
        expansion = Expansion::folded;
        break;
      }
      const double slack = best_.upper < kInfinity ? std::max(difference_.rounding, tolerance * best_.upper) : 0;
      const auto bounds_meet = [&] { return best_.upper - face.distance <= slack; };
      best_.lower = std::min(best_.upper, std::max(0.0, face.distance));
      if (bounds_meet()) break;
      const Vertex v = probe(face.normal);
      const double height = dot(face.normal, v.p), known = best_.upper;
      if (height < best_.upper) note_face(face, v);
      if (bounds_meet()) break;
      if (curved() && ready_for_newton(face, height) && settled_by_newton(face, v, height, known)) {
        key_[nearest] = kInfinity;
        continue;
      }
      if (phase_ == Phase::newton_only) break;
      const Growth growth = vertex_count_ == kMaxVertices ? Growth::no_room : grow(nearest, v);
      if (growth == Growth::grown) continue;
      if (!curved()) {
        if (growth == Growth::folded) expansion = Expansion::folded;
        break;
      }
      phase_ = Phase::newton_only;
    }
    if (optimum_count_ > 0) best_.lower = best_.upper;
    return expansion;
  }

  // The vertex farthest along n. Its height bounds the depth from above.
  Vertex probe(const Vec3& n) {
    Vec3 w;
    Vertex v;
    difference_.support(difference_.pair, n, w, v.a, v.b);
    v.p = -w;
    return v;
  }

  // Keeps the bound of v, the vertex along n, if it is the best so far.
  void note(const Vec3& n, const Vertex& v) {
    const double height = dot(n, v.p);
    if (height < best_.upper) best_.upper = height, best_.toward = n, best_.on_a = v.a, best_.points_known = false;
  }

  // `face` gives the best bound so far: its normal is the direction to separate along, its point nearest to the origin
  // the deepest one.
  void note_face(const Face& face, const Vertex& v) {
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
    // The points are final only if the face is on the boundary and the foot inside of it; rounding may have moved the
    // foot of a sliver.
    const double height = dot(face.normal, v.p);
    best_.points_known = nearest.size == 3 && height - face.distance <= difference_.rounding &&
                         norm_sq(along(foot, -height, face.normal)) <= 4 * difference_.rounding * difference_.rounding;
  }

  // Whether a face, at this height below its support point, is small enough for Newton to start from it.
  bool ready_for_newton(const Face& face, double height) const {
    const double small = difference_.smooth ? kSmallSmooth : kSmall;
    return phase_ == Phase::newton_only || height - face.distance <= small * height;
  }

  // Of a curved pair: whether the best direction of this small face is known, by Newton from here or from a neighbour.
  // The face then needs no more splitting, which would only close in on that direction step by step. `v` is the support
  // point along the face's normal: where it shows a corner or an edge that the face's own corners do not, more may hide
  // here and Newton is not tried. `known` is the best bound without this face.
  bool settled_by_newton(const Face& face, const Vertex& v, double height, double known) {
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
    const auto is_optimum = [&] { return r.found && -r.value <= height; };
    if (phase_ == Phase::newton_only) {
      // Corners of a large face show more than the feature at its middle.
      for (std::size_t part = 0; part < kParts && !is_optimum(); ++part) r = refine_part(part, face.normal, a, b);
    }
    if (!is_optimum()) return false;
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

  // Newton from some of the points, always with the first: 0 to 2, from that one alone of a, of b, of both; 3 to 5,
  // from it and one of the three others.
  static constexpr std::size_t kParts = 6;
  Refined refine_part(std::size_t part, const Vec3& n, const std::array<Vec3, 4>& a,
                      const std::array<Vec3, 4>& b) const {
    const auto refine = [&](std::span<const Vec3> of_a, std::span<const Vec3> of_b) {
      return difference_.refine(difference_.pair, n, of_a, of_b);
    };
    if (part == 0) return refine({a.data(), 1}, b);
    if (part == 1) return refine(a, {b.data(), 1});
    if (part == 2) return refine({a.data(), 1}, {b.data(), 1});
    const std::size_t other = part - 2;
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

  // Adds the vertex farthest off the point, line or plane of those so far.
  bool add_dimension() {
    std::array<Vec3, 6> directions;
    std::size_t count = 0;
    const Vec3& p0 = vertices_[0].p;
    if (vertex_count_ == 1) {
      directions = {Vec3::UnitX(), -Vec3::UnitX(), Vec3::UnitY(), -Vec3::UnitY(), Vec3::UnitZ(), -Vec3::UnitZ()};
      count = 6;
    } else if (vertex_count_ == 2) {
      const Vec3 along = unit_vector(vertices_[1].p - p0), across = any_orthogonal(along), third = along.cross(across);
      directions = {across, -across, third, -third};
      count = 4;
    } else {
      const Vec3 normal = unit_vector((vertices_[1].p - p0).cross(vertices_[2].p - p0));
      directions = {normal, -normal};
      count = 2;
    }
    Vertex farthest{Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
    double max_off = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Vertex v = probe(directions[i]);
      note(directions[i], v);
      const double off = distance_off_hull(v.p);
      if (off > max_off) max_off = off, farthest = v;
    }
    if (best_.upper <= difference_.rounding || max_off <= difference_.rounding) return false;
    vertices_[vertex_count_++] = farthest;
    return true;
  }

  // How far p lies from the point, line or plane of the vertices so far.
  double distance_off_hull(const Vec3& p) const {
    const Vec3 from = p - vertices_[0].p;
    if (vertex_count_ == 1) return from.norm();
    const Vec3 along = vertices_[1].p - vertices_[0].p;
    if (vertex_count_ == 2) return from.cross(unit_vector(along)).norm();
    return std::abs(from.dot(unit_vector(along.cross(vertices_[2].p - vertices_[0].p))));
  }

  std::size_t nearest_face() const {
    std::size_t nearest = kNone;
    double min_key = kInfinity;
    for (std::size_t f = 0; f < face_count_; ++f) {
      if (key_[f] < min_key) min_key = key_[f], nearest = f;
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
      // A face without area has no side to see it from: it stays, and its neighbours are expanded instead.
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

  // Edge between a face that sees the new vertex and one that does not.
  struct HorizonEdge {
    Index from, to;  // corners
    Index beyond;    // the face that does not see the vertex
  };

  // What a new vertex replaces: the faces that see it, and the edges around them.
  struct Hole {
    std::array<Index, kMaxFaces> visible;
    std::array<bool, kMaxFaces> sees{};  // by face
    std::array<HorizonEdge, kMaxFaces> horizon;
    std::array<Index, kMaxVertices> edge_from;  // the edge of the horizon that starts at a corner
    std::size_t visible_count = 0, horizon_count = 0;
  };

  // Replaces the faces that see `v` by a fan around it. `seed` is one of them.
  Growth grow(std::size_t seed, const Vertex& v) {
    for (const Index c : faces_[seed].corner) {
      if (vertices_[c].p == v.p) return Growth::nothing_new;
    }
    if (!(dot(faces_[seed].normal, v.p) > faces_[seed].distance)) return Growth::nothing_new;
    Hole hole;
    find_visible(seed, v, hole);
    find_horizon(hole);
    if (!link_horizon(hole)) return Growth::folded;
    if (face_count_ + hole.horizon_count > kMaxFaces) return Growth::no_room;
    for (std::size_t i = 0; i < hole.visible_count; ++i) remove_face(hole.visible[i]);
    add_fan(hole, v);
    return Growth::grown;
  }

  // The faces that see `v`, from one of them on to its neighbours.
  void find_visible(std::size_t seed, const Vertex& v, Hole& hole) const {
    std::size_t count = 0;  // not the hole's: indices are bytes, and a byte that is written could be any of its members
    hole.visible[count++] = static_cast<Index>(seed);
    hole.sees[seed] = true;
    for (std::size_t i = 0; i < count; ++i) {
      const Face& face = faces_[hole.visible[i]];
      for (std::size_t e = 0; e < 3; ++e) {
        const Index other = face.neighbor[e];
        if (hole.sees[other]) continue;
        if (dot(faces_[other].normal, v.p) > faces_[other].distance - sight_slack_) {
          hole.sees[other] = true;
          hole.visible[count++] = other;
        }
      }
    }
    hole.visible_count = count;
  }

  void find_horizon(Hole& hole) const {
    const std::size_t visible = hole.visible_count;
    std::size_t count = 0;
    for (std::size_t i = 0; i < visible; ++i) {
      const Face& face = faces_[hole.visible[i]];
      for (std::size_t e = 0; e < 3; ++e) {
        if (!hole.sees[face.neighbor[e]]) {
          hole.horizon[count++] = {face.corner[e], face.corner[(e + 1) % 3], face.neighbor[e]};
        }
      }
    }
    hole.horizon_count = count;
  }

  // A proper horizon is one loop: exactly one edge starts at every corner, and following them from the first one
  // reaches all. False if it is not.
  static bool link_horizon(Hole& hole) {
    const std::size_t count = hole.horizon_count;
    hole.edge_from.fill(kNone);
    for (std::size_t i = 0; i < count; ++i) {
      Index& edge = hole.edge_from[hole.horizon[i].from];
      if (edge != kNone) return false;
      edge = static_cast<Index>(i);
    }
    std::size_t length = 0;
    for (Index at = 0; length <= count;) {
      ++length;
      at = hole.edge_from[hole.horizon[at].to];
      if (at == kNone) return false;
      if (at == 0) break;
    }
    return count >= 3 && length == count;
  }

  // A face from every edge of the horizon to `v`, linked to the face beyond the edge and to those before and after it.
  void add_fan(const Hole& hole, const Vertex& v) {
    const auto apex = static_cast<Index>(vertex_count_);
    vertices_[vertex_count_++] = v;
    Index first = kNone, previous = kNone, at = 0;
    do {
      const HorizonEdge& edge = hole.horizon[at];
      const Index f = add_face({edge.from, edge.to, apex}, {edge.beyond, kNone, previous});
      for (std::size_t e = 0; e < 3; ++e) {
        Face& beyond = faces_[edge.beyond];
        if (beyond.corner[e] == edge.to && beyond.corner[(e + 1) % 3] == edge.from) beyond.neighbor[e] = f;
      }
      if (previous != kNone) faces_[previous].neighbor[1] = f;
      if (first == kNone) first = f;
      previous = f;
      at = hole.edge_from[edge.to];
    } while (at != 0);
    faces_[first].neighbor[2] = previous;
    faces_[previous].neighbor[1] = first;
  }

  // Faces this close to the boundary, relative to its distance, are small enough for Newton: of smooth pairs and of
  // others. An optimum this near to the face's normal (cosine) may be that of the face, too.
  static constexpr double kSmallSmooth = 0.1, kSmall = 0.02, kSameOptimum = 0.95;

  const Difference& difference_;
  Depth best_;
  std::array<Vec3, 8> optima_;  // directions that Newton found
  std::size_t optimum_count_ = 0;
  double sight_slack_ = 0;  // faces this far above a point see it, too
  Phase phase_ = Phase::growing;
  std::size_t vertex_count_ = 0, face_count_ = 0;
  Index free_ = kNone;  // first slot of a removed face; neighbor[0] is the next
  std::array<Vertex, kMaxVertices> vertices_;
  std::array<Face, kMaxFaces> faces_;
  std::array<double, kMaxFaces> key_;  // the distance of a face to be expanded; +inf: removed, flat or settled
};

}  // namespace

Depth epa(const Difference& difference, const Simplex& start, double tolerance) {
  return Polytope(difference).expand(start, tolerance);
}

}  // namespace graze
