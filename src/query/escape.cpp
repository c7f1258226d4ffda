// Two convex parts that meet after one translation and not after another are kept apart by a plane, on the far side of
// which every translation keeps them apart. Along a direction: both have to go until they leave each other for good.
// From a translation that separates everything: the region bounded by the planes of those pairs that obstruct
// shorter ones is free of these pairs; its shortest translation is checked against all others, whose planes make it
// smaller, until it is free of all. Then the planes are drawn anew from there.
#include "query/escape.h"

#include "base/overloads.h"
#include "query/farthest.h"
#include "query/mesh_ask.h"
#include "query/mesh_inside.h"
#include "query/solvers.h"

namespace graze {
namespace {

constexpr int kHits = 4;     // pairs of parts handled in one walk
constexpr int kSteps = 64;   // walks along one direction
constexpr int kCasts = 24;   // toward where two parts leave each other
constexpr int kMoves = 40;   // of one descent, each to a shorter translation
constexpr int kCuts = 16;    // planes drawn from one translation, in walks
constexpr int kMeasure = 4;  // what a distance of two parts counts as, in pairs that are looked at
// Below this, in lengths of the pair, the direction between nearest points is lost in rounding.
constexpr double kBackOff = 1e-6;
// A translation that separates should do so when it is a little longer: in a narrow gap that is not the shortest one
// itself. By how much longer, in the same lengths.
constexpr double kProlong = 1e-7;
// Parts this near, in the same lengths, hold a translation back.
constexpr double kContact = 1e-5;

// A facet as the triangle that it is.
template <class S>
const S& plain(const S& s) {
  return s;
}
Facet plain(const Facet& f) { return {f.triangle}; }
Ball plain(const Ball& b) { return b; }

double size_of_geometry(const PartsBody& g) {
  const auto of_box = [](const Aabb& box) { return box.empty() ? 0 : size_of(box.center()) + size_of(box.half()); };
  return g.visit(Overloads{[](const Unbounded auto& s) { return std::abs(s.offset()); },
                           [&](const Bounded auto& s) { return of_box(bounds(Shape(s))); },
                           [&](const Composite auto&) { return of_box(bounds(g.geometry())); }});
}

// The smaller of the two bodies.
double scale_of(const Geometry& first, const Geometry& second) {
  const double a = size_of(bounds(first).half()), b = size_of(bounds(second).half());
  return a > 0 && b > 0 ? std::min(a, b) : std::max(a, b);
}

Relative shifted(const Relative& r, const Vec3& by) {
  Relative s = r;
  s.translation = plus(r.translation, by);
  return s;
}

// The pairs of parts that meet at a translation; looks at no more once there are enough.
class Meeting {
 public:
  Meeting(const Relative& start, const Vec3& at, double rounding, EscapeWork& work)
      : start_(start), here_(shifted(start, at)), rounding_(rounding), work_(work) {
    work_.left -= EscapeWork::kWalk;
  }
  const Relative& relative() const { return here_; }
  double bound(const Aabb& a, const Aabb& b) const { return gap(a, here_.box_to_a(b)); }
  bool done() const { return hits_ >= kHits; }
  bool hit() const { return hits_ > 0; }

 protected:
  // Calls found(part of a, part of b, whether they meet), unless there were enough that do.
  template <class A, class B, class Found>
  void look_at(const A& a, std::size_t i, const B& b, std::size_t j, const Found& found) {
    if (done()) return;
    --work_.left;
    const auto& part_a = plain(a.primitive(i));
    const auto& part_b = plain(b.primitive(j));
    const bool meet = touch_either(part_a, part_b, here_, 0, nullptr);
    if (meet) ++hits_;
    found(part_a, part_b, meet);
  }

  const Relative& start_;
  Relative here_;
  double rounding_;
  EscapeWork& work_;
  int hits_ = 0;
};

class ExitQuery : public Meeting {
 public:
  ExitQuery(const Relative& start, const Vec3& direction, double at, double rounding, EscapeWork& work)
      : Meeting(start, times(at, direction), rounding, work), direction_(direction) {
    found_.length = at;
  }
  double limit() const { return done() ? -kInfinity : 0; }
  template <class A, class B>
  void leaf(const A& a, std::size_t i, const B& b, std::size_t j) {
    look_at(a, i, b, j, [&](const auto& part_a, const auto& part_b, bool meet) {
      if (meet) leave(part_a, part_b, feature_of(a, i), feature_of(b, j));
    });
  }
  const Escape& found() const { return found_; }

 private:
  // From where their shadows along the direction are apart, back until they almost touch.
  template <class A, class B>
  void leave(const A& a, const B& b, Feature fa, Feature fb) {
    const Vec3 back = turned_back(start_.rotation, times(-1, direction_));
    double length = dot(direction_, minus(farthest(a, direction_), start_.to_a(farthest(b, back)))) + 2 * rounding_;
    if (!(length > found_.length)) length = found_.length;
    Escape exit;
    Relative moved = start_;
    for (int step = 0; step < kCasts; ++step) {
      moved.translation = along(start_.translation, length, direction_);
      work_.left -= kMeasure;
      const PairDistance d = measure_either(a, b, moved, {.depth = false});
      if (!(d.value > 0)) break;
      exit.on_a = d.on_a, exit.normal = d.normal, exit.length = length;
      const double slope = dot(d.normal, direction_), spare = d.value - 2 * rounding_;
      constexpr double kMinSlope = 1e-6;
      if (!(spare > rounding_) || !(slope > kMinSlope)) break;
      length -= spare / slope;
      if (!(length > found_.length)) return;  // others keep them together for longer
    }
    if (!exit.free()) exit.length = length, exit.on_a = Vec3::Zero();
    if (exit.length > found_.length) exit.a = fa, exit.b = fb, found_ = exit;
  }

  const Vec3& direction_;
  Escape found_;
};

// At `at`: pairs that meet there have planes drawn from `free`; where none meet, pairs that almost do have planes drawn
// from `at` itself.
class PlaneQuery : public Meeting {
 public:
  PlaneQuery(const Relative& start, const Vec3& at, const Vec3& free, double rounding, double scale, EscapeWork& work,
             FreeRegion& cuts, FreeRegion& contacts)
      : Meeting(start, at, rounding, work),
        at_(at),
        free_(free),
        contact_(kContact * scale + 8 * rounding),
        back_off_(kBackOff * scale + 8 * rounding),
        prolong_(kProlong * scale),
        cuts_(cuts),
        contacts_(contacts) {}
  double limit() const { return done() ? -kInfinity : hit() ? 0 : contact_; }
  template <class A, class B>
  void leaf(const A& a, std::size_t i, const B& b, std::size_t j) {
    look_at(a, i, b, j, [&](const auto& part_a, const auto& part_b, bool meet) {
      if (meet) {
        FreePlane plane;
        if (plane_from(part_a, part_b, free_, minus(free_, at_), plane) && cuts_.add(plane, at_)) progress_ = true;
      } else if (!hit() && !contacts_.any([&](const FreePlane& p) { return keeps_apart(p, part_a, part_b); })) {
        FreePlane plane;
        if (!plane_from(part_a, part_b, at_, Vec3::Zero(), plane)) return;
        const double room = dot(plane.normal, at_) - plane.level;
        if (plane.level < 0 && room < -rounding_) {
          // Free, but not after a little more of the same translation.
          ++hits_;
          if (cuts_.add(plane, at_)) progress_ = true;
        } else if (room <= contact_) {
          contacts_.add(plane, at_);
        }
      }
    });
  }
  /// A plane was found that was not there before.
  bool progress() const { return progress_; }

 private:
  template <class A, class B>
  bool keeps_apart(const FreePlane& p, const A& a, const B& b) const {
    const Vec3 back = turned_back(start_.rotation, times(-1, p.normal));
    return dot(p.normal, minus(farthest(a, p.normal), start_.to_a(farthest(b, back)))) + rounding_ <= p.level;
  }
  template <class A, class B>
  bool plane_from(const A& a, const B& b, const Vec3& from, const Vec3& away, FreePlane& plane) {
    work_.left -= kMeasure;
    Vec3 t = from;
    PairDistance d = measure_either(a, b, shifted(start_, t), {.limit = kInfinity, .depth = false});
    if (!(d.value > back_off_)) {
      const Vec3 direction = d.value > 0 ? d.normal : norm_sq(away) > 0 ? unit_vector(away) : Vec3(Vec3::Zero());
      if (norm_sq(direction) == 0) return false;
      t = along(from, back_off_, direction);
      d = measure_either(a, b, shifted(start_, t), {.limit = kInfinity, .depth = false});
      if (!(d.value > 0)) return false;
    }
    plane.normal = d.normal;
    plane.level = dot(d.normal, t) - d.value + 2 * rounding_;
    if (plane.level < 0) plane.level += prolong_;
    return true;
  }

  const Vec3 &at_, &free_;
  double contact_, back_off_, prolong_;
  FreeRegion &cuts_, &contacts_;
  bool progress_ = false;
};

template <class Q>
void ask_pair(const BoundedPair& pair, const Relative& relative, Q& query) {
  pair.visit([&](const auto& a, const auto& b) { ask_parts(a, b, relative, query); });
}

}  // namespace

double escape_rounding(const PartsBody& first, const PartsBody& second, const Relative& relative) {
  return 48 * kEpsilon * (size_of_geometry(first) + size_of_geometry(second) + size_of(relative.translation));
}

Escape escape(const BoundedPair& pair, const Relative& relative, const Vec3& direction, double longest,
              EscapeWork& work) {
  const double rounding = escape_rounding(pair.first, pair.second, relative);
  double at = 0, push = rounding;
  Escape last;
  last.length = 0;
  for (int step = 0; step < kSteps && !work.spent(); ++step) {
    ExitQuery query(relative, direction, at, rounding, work);
    ask_pair(pair, query.relative(), query);
    if (!query.hit()) {
      double inside = 0;
      if (!any_inside(pair.first, pair.second, query.relative(), &inside)) {
        last.length = at;
        return last;
      }
      at += std::max(inside, push);
    } else if (query.found().length > at) {
      last = query.found();
      at = last.length;
    } else {
      // Apart to within rounding, which is what keeps them from being proven so.
      at += push;
      push *= 2;
    }
    if (!(at < longest)) break;
  }
  return {};
}

Vec3 descend(const BoundedPair& pair, const Relative& relative, const Vec3& free, EscapeWork& work) {
  const double rounding = escape_rounding(pair.first, pair.second, relative), scale = scale_of(pair.first, pair.second);
  Vec3 t = free;
  FreeRegion region, contacts;
  {
    PlaneQuery query(relative, t, t, rounding, scale, work, region, contacts);
    ask_pair(pair, query.relative(), query);
    region = contacts;
  }
  for (int move = 0; move < kMoves && !work.spent(); ++move) {
    const double length = std::sqrt(norm_sq(t)), enough = length - 4 * rounding - 1e-12 * length;
    bool moved = false;
    double push = rounding;
    for (int cut = 0; cut < kCuts && !moved && !work.spent(); ++cut) {
      Vec3 x;
      if (!region.nearest(x) || !(norm_sq(x) < enough * enough)) return t;
      contacts.clear();
      PlaneQuery query(relative, x, t, rounding, scale, work, region, contacts);
      ask_pair(pair, query.relative(), query);
      if (query.hit()) {
        if (!query.progress()) region.push(x, push), push *= 4;
        continue;
      }
      if (any_inside(pair.first, pair.second, query.relative())) {
        // Inside of a solid without meeting its surface: back toward where it is free.
        const Vec3 back = minus(t, x);
        const double whole = std::sqrt(norm_sq(back));
        const Escape e = escape(pair, query.relative(), times(1 / whole, back), whole, work);
        if (!e.free()) return t;
        x = along(x, e.length / whole, back);
        if (!(norm_sq(x) < enough * enough)) return t;
        contacts.clear();
        PlaneQuery again(relative, x, t, rounding, scale, work, region, contacts);
        ask_pair(pair, again.relative(), again);
        if (again.hit()) continue;
      }
      t = x, moved = true;
    }
    if (!moved) return t;
    region = contacts;
  }
  return t;
}

Touch come_to_touch(const BoundedPair& pair, const Relative& relative, const Vec3& free) {
  const double rounding = escape_rounding(pair.first, pair.second, relative);
  const double prolong = kProlong * scale_of(pair.first, pair.second);
  constexpr int kNearer = 16;
  constexpr double kPushed = 16;
  double push = rounding;
  bool apart = false;
  Touch r;
  Vec3 t = free;
  for (int i = 0; i < kNearer; ++i) {
    const Relative moved = shifted(relative, t);
    DistanceQuery query(moved, {.depth = false});
    ask_pair(pair, moved, query);
    const PairDistance d = query.best();
    if (d.beyond || (d.value <= 0 && apart)) return r;
    r = {true, t, d.on_a, query.a(), query.b()};
    const double length = std::sqrt(norm_sq(t));
    if (d.value <= 0) {
      // Of parts that are apart by no more than rounding, the points are anywhere on them.
      if (!(length > 0) || push > kPushed * rounding) return r;
      t = times(1 + push / length, t), push *= 2;
      continue;
    }
    apart = true;
    // No part comes nearer by more than b goes back.
    const double spare = d.value - 2 * rounding;
    if (!(spare > 2 * rounding)) return r;
    if (i < kNearer - 2 && length > spare) {
      t = times(1 - spare / length, t);
      continue;
    }
    // At last straight toward the nearest point, which makes the translation longer where that lies ahead; then it is
    // not touched, so that a little more of the same translation still separates.
    const double left = dot(d.normal, t) < 0 ? spare - prolong : spare;
    if (!(left > 2 * rounding)) return r;
    t = along(t, -left, d.normal);
  }
  return r;
}

}  // namespace graze
