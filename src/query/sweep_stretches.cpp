#include "query/sweep_stretches.h"

#include <algorithm>
#include <cmath>

#include "graze/geometry/occupancy_map.h"
#include "query/point_depth.h"
#include "query/sweep_ask.h"

namespace graze {
namespace {

bool is_composite(const Geometry& g) {
  return std::visit([]<class G>(const G&) { return Composite<G>; }, g);
}

std::size_t parts_in(const Mesh& mesh) { return mesh.size(); }
std::size_t parts_in(const Cloud& cloud) { return cloud.size(); }
std::size_t parts_in(const HeightField& field) { return field.triangles(); }
std::size_t parts_in(const MapView& view) { return view.map().leaves(); }
template <class G>
requires(!Composite<G>) std::size_t parts_in(const G&) { return 1; }

// How often parts are measured at most, all together: bodies that are huge beside their gap would take minutes.
std::int64_t steps_for(const Moving& a, const Moving& b, int max_steps) {
  constexpr std::int64_t kOfPairs = 100, kOfParts = 64;
  const auto parts = [](const Moving& m) {
    return static_cast<std::int64_t>(std::visit([](const auto& g) { return parts_in(g); }, m.geometry));
  };
  return kOfPairs * max_steps + kOfParts * (parts(a) + parts(b));
}

class Sweeper {
 public:
  Sweeper(const Moving& a, const Moving& b, const Placed& a0, const Placed& b0, const SweepOptions& options, bool any)
      : options_(options),
        any_(any),
        a_(a),
        b_(b),
        pair_(a, b, a0, b0),
        composite_(is_composite(a.geometry) || is_composite(b.geometry)),
        steps_left_(steps_for(a, b, options.max_steps)) {
    meshes_ = std::holds_alternative<Mesh>(a.geometry) && std::holds_alternative<Mesh>(b.geometry);
    if (meshes_) few_ = 8, many_ = 40;
  }

  Sweep run(const Placed& a0, const Placed& b0) {
    if (bounds(a_.geometry).empty() || bounds(b_.geometry).empty()) return free();
    if (solid_of(a_.geometry) != nullptr || solid_of(b_.geometry) != nullptr) {
      if (Sweep s; inside(a0, b0, s)) return s;
    }
    Instant now = pair_.at(0);
    normal_ = unit_vector(minus(now.b * pair_.second().center, now.a * pair_.first().center));
    double last_free = -1;
    for (int step = 0; step < options_.max_steps; ++step) {
      if (now.t > 0) last_free = now.t;
      // What is known to touch at a time makes all later ones irrelevant.
      const double corner = std::min(best_.touch.time, std::max(now.t, pair_.smooth_until(now.t)));
      double until = now.t;
      if (balls_apart(now, corner, until)) {
        last_free = now.t;
        if (until >= 1 && !best_.touch.found()) return free();
        if (until > now.t) {
          now = pair_.at(until);
          continue;
        }
      }
      const Instant end = pair_.at(end_of_stretch(now, corner));
      const Stretch stretch(pair_, now, end, options_, steps_left_);
      SweepQuery query(stretch, {.pairs = budget(), .few = meshes_ ? 1U : 8U}, normal_, any_);
      ask_stretch(pair_.kinds(), stretch, query);
      normal_ = query.normal();
      if (query.earliest().touch.time < best_.touch.time) best_ = query.earliest();
      if (steps_left_ <= 0) return best_.touch.found() ? hit(best_, last_free) : unknown(now, last_free);
      if (best_.touch.found() && (any_ || best_.touch.time <= now.t)) return hit(best_, last_free);
      if (query.over()) {
        constexpr double kWorth = 0.05;
        if (query.reached() > kWorth)
          now = pair_.at(std::min(best_.touch.time, now.t + query.reached() * stretch.length() * (1 - 1e-9)));
        else if (!(best_.touch.time - now.t < stretch.length() / 2)) ahead_ /= 4;
        continue;
      }
      if (best_.touch.time <= end.t) return hit(best_, last_free);
      look_ahead(query.pairs());
      if (end.t >= 1) return free();
      if (!(end.t > now.t)) break;  // in double they stand still
      now = end;
    }
    return unknown(now, last_free);
  }

 private:
  static constexpr double kFarAhead = 1e9;

  Sweep free() const {
    Sweep s;
    s.last_free = 1;
    s.pose_a = a_.motion.at(1), s.pose_b = b_.motion.at(1);
    return s;
  }

  // What starts inside of a solid does not meet its surface.
  bool inside(const Placed& a0, const Placed& b0, Sweep& s) const {
    const double limit = options_.margin + options_.tolerance;
    s.contact = distance(a0, b0, {.limit = limit, .depth = false, .cache = options_.cache});
    if (s.contact.beyond) return false;
    const double beyond = s.contact.value - options_.margin, off = s.contact.tolerance;
    if (beyond - off > options_.tolerance / 2) return false;
    s.hit = true, s.time = 0, s.last_free = beyond > off ? 0 : -1;
    s.certain = beyond <= 0 || beyond + off <= options_.tolerance;
    s.pose_a = a_.motion.at(0), s.pose_b = b_.motion.at(0);
    return true;
  }

  // Balls around the bodies are apart, up to `until`, which is not later than `corner`; false if they are not so far
  // apart that it is worth to know.
  bool balls_apart(const Instant& now, double corner, double& until) const {
    constexpr double kWorth = 0.05;
    const MovingBody &a = pair_.first(), &b = pair_.second();
    const auto between = [&](const Instant& i) { return minus(i.b * b.center, i.a * a.center); };
    const Vec3 from = between(now);
    const double balls = a.ball + b.ball + options_.margin, gap = std::sqrt(norm_sq(from)) - balls;
    if (!(gap > kWorth * balls + options_.tolerance)) return false;
    if (now.t >= 1) {
      until = 1;
      return gap > pair_.rounding(now, now);
    }
    const double bend =
        pair_.bending_a(now.t, corner).size(a.arm(a.center)) + pair_.bending_b(now.t, corner).size(b.arm(b.center));
    double span = corner - now.t;
    if (bend > 0) span = std::min(span, std::sqrt(2 * gap / bend));
    const Instant end = pair_.at(now.t + span);
    const double reach = balls + bend * span * span / 8 * (1 + 1e-9) + pair_.rounding(now, end);
    const double part = first_within(from, minus(between(end), from), reach);
    if (!(part > 0)) return false;
    until = part > 1 ? end.t : std::min(end.t, now.t + part * span);
    return true;
  }

  // The first s in [0, 1] with |from + s by| ≤ reach, rounded down; infinite if there is none.
  static double first_within(const Vec3& from, const Vec3& by, double reach) {
    const double c = norm_sq(from) - reach * reach * (1 + 1e-12), b = dot(from, by), a = norm_sq(by);
    if (!(c > 0)) return 0;
    if (!(b < 0)) return kInfinity;
    const double square = b * b - a * c;
    if (square < -1e-12 * b * b) return kInfinity;
    const double s = c / (-b + std::sqrt(std::max(0.0, square))) * (1 - 1e-9);
    return s > 1 ? kInfinity : s;
  }

  // Shapes look at all of it at once. Of trees few nodes matter as long as paths bend by less than these are large.
  double end_of_stretch(const Instant& now, double corner) {
    if (!composite_) return corner;
    const MovingBody &a = pair_.first(), &b = pair_.second();
    const double bend = pair_.bending_a(now.t, corner).size(a.radius) + pair_.bending_b(now.t, corner).size(b.radius);
    if (!(bend > 0)) {
      smallest_ = true;
      return corner;
    }
    const double span = std::sqrt(8 * std::min(sag_of(a), sag_of(b)) / bend) * ahead_;
    smallest_ = ahead_ < 1e-3 || !(span > 1e-12);
    return span < corner - now.t ? std::max(now.t + span, std::nextafter(now.t, 1.0)) : corner;
  }
  // Metres that paths may bend by: as much as the body is large, and, of meshes, as its triangles are.
  double sag_of(const MovingBody& body) const {
    constexpr double kOfMeshes = 0.002, kOfTriangles = 0.065, kOfOthers = 0.008;
    // A point has no size; without any, time would stand still.
    const double size = std::max(body.ball + options_.margin, options_.tolerance);
    if (!meshes_) return kOfOthers * size;
    const auto triangles = static_cast<double>(std::get<Mesh>(body.body.geometry).size());
    return std::min(kOfMeshes, kOfTriangles / std::sqrt(triangles)) * size;
  }
  // Farther, as long as few parts matter. Where a short stretch has as many as a long one, there is no point in it.
  void look_ahead(std::size_t pairs) {
    if (smallest_ && pairs > many_) many_ = 2 * pairs, few_ = pairs + pairs / 4, ahead_ = 1;
    else if (pairs < few_) ahead_ = std::min(ahead_ * (meshes_ ? 1.25 : 2), kFarAhead);
  }
  // Two meshes are asked again about a shorter stretch after the first triangles: where these touch, or that there are
  // any, says how long it should be, and shorter ones are cheaper than triangles are.
  std::size_t budget() const {
    if (smallest_ || !composite_) return static_cast<std::size_t>(-1);
    return meshes_ && ahead_ >= 1 ? 0 : many_;
  }

  Sweep hit(const EarliestTouch& found, double last_free) const {
    Sweep s;
    s.hit = true, s.time = found.touch.time, s.certain = found.touch.certain;
    s.last_free = std::max(last_free, found.touch.last_free);
    s.pose_a = a_.motion.at(s.time), s.pose_b = b_.motion.at(s.time);
    const PairDistance& d = found.touch.contact;
    const Pose pose = pair_.first().at(s.time);
    const bool swapped = pair_.swapped();
    s.contact.value = d.value;
    // Other parts may be nearer, but none overlaps: they are later.
    s.contact.tolerance = std::max(d.tolerance, d.value) + pair_.first().uncertainty + pair_.second().uncertainty;
    const Vec3 normal = turned(pose.rotation(), d.normal);
    const Vec3 on_first = pose * d.on_a, on_second = along(on_first, d.value, normal);
    s.contact.on_a = swapped ? on_second : on_first, s.contact.on_b = swapped ? on_first : on_second;
    s.contact.normal = times(swapped ? -1 : 1, normal);
    s.contact.a = swapped ? found.b : found.a, s.contact.b = swapped ? found.a : found.b;
    // Unless they do from the start: then others may be deeper.
    if (composite_ && !(d.value > d.tolerance)) s.contact = whole_contact(s);
    return s;
  }

  // They are apart until then, and nothing is known of what follows.
  Sweep unknown(const Instant& now, double last_free) const {
    Sweep s;
    s.hit = true, s.certain = false, s.time = now.t, s.last_free = last_free;
    s.pose_a = a_.motion.at(now.t), s.pose_b = b_.motion.at(now.t);
    s.contact = whole_contact(s);
    return s;
  }

  // Of the bodies at the poses of the answer.
  Distance whole_contact(const Sweep& s) const {
    Placed a = at(a_.geometry, s.pose_a, a_.local), b = at(b_.geometry, s.pose_b, b_.local);
    a.uncertainty += a_.uncertainty, b.uncertainty += b_.uncertainty;
    return distance(a, b, {.depth = false});
  }

  const SweepOptions& options_;
  bool any_;
  const Moving &a_, &b_;
  MovingPair pair_;
  bool composite_, meshes_ = false, smallest_ = false;
  std::size_t few_ = 60, many_ = 500;  // pairs of parts
  double ahead_ = 1;
  std::int64_t steps_left_;
  EarliestTouch best_;
  Vec3 normal_ = Vec3::UnitX();
};

Placed at_start(const Moving& m) {
  Placed placed = at(m.geometry, m.motion.at(0), m.local);
  placed.uncertainty += m.uncertainty;
  return placed;
}

}  // namespace

bool has_stretches(const Moving& a, const Moving& b) {
  for (const Moving* m : {&a, &b}) {
    if (std::visit([]<class G>(const G&) { return BlockKind<G>; }, m->geometry)) return false;
    const MovingBody body(*m);
    if (!body.bounded || !std::isfinite(m->motion.bend(body.radius, 0, m->motion.smooth_until(0)))) return false;
  }
  return true;
}

Sweep sweep_stretches(const Moving& a, const Moving& b, const SweepOptions& options, bool any) {
  const Placed a0 = at_start(a), b0 = at_start(b);
  return Sweeper(a, b, a0, b0, options, any).run(a0, b0);
}

}  // namespace graze
