#include <algorithm>

#include "clearance/sweep.h"
#include "motion/halves.h"
#include "query/mesh_inside.h"

namespace graze::clearance {
namespace {

// The signed distance from the surface of a solid, with the triangle it was found at, and that of the surface.
struct Depth {
  Vec3 place;
  double value;
  std::uint32_t triangle, part;
};

class DepthSearch {
 public:
  DepthSearch(const PoseTree& tree, const ModelData& model, const Vec3& p, Closest& best, double slack)
      : tree_(tree),
        model_(model),
        p_(p),
        best_(best),
        surface_(model.surface()),
        tolerance_(tolerance_at(p, model)),
        slack_(slack) {}

  void run() {
    struct Part {
      std::uint32_t node;
      Depth a, b;
    };
    const PoseNode& root = tree_.node(PoseTree::kRoot);
    const Part whole{PoseTree::kRoot, at_knot(root.first), at_knot(root.last)};
    note(whole.a, root.first, 0);
    note(whole.b, root.last - 1, 1);
    motion::halve<PoseTree::kMaxDepth>(whole, [&](const Part& part, Part& first, Part& second) {
      const PoseNode& node = tree_.node(part.node);
      const double deviation = node.place + node.turn * (p_ - node.center).norm();
      if (hopeless(bound(part.a, part.b, deviation))) return false;
      if (node.leaf()) {
        step(node.first, part.a, part.b);
        return false;
      }
      const std::uint32_t knot = tree_.node(node.left).last;
      const Depth middle = at_knot(knot);
      note(middle, knot, 0);
      const bool left_first = part.a.value < part.b.value;
      (left_first ? first : second) = {node.left, part.a, middle};
      (left_first ? second : first) = {node.right, middle, part.b};
      return true;
    });
  }

 private:
  // A path that slides along the surface, outside by so little that it may be touching, may be as deep inside
  // for all that a triangle can prove. Nine tolerances are still less than kTolerance.
  bool hopeless(double lower_bound) const {
    return lower_bound > best_.value - (best_.value > 0 ? 9 : 1) * tolerance_ - slack_;
  }

  Depth at(const Vec3& place) const {
    // Far from the box, its distance is enough to be of no interest. Near to it, a triangle is needed: a place that
    // slides along a side of the box, a hair outside, would have to be looked at hair by hair.
    constexpr double kFar = 0.01;  // metres
    const double off = gap(model_.bounds, place);
    if (off > kFar) return {place, off, PoseNode::kNone, PoseNode::kNone};
    const ModelDistance d = model_.signed_distance(place);
    if (&surface_ == &model_.mesh) return {place, d.value, d.element, d.element};
    Feature part = 0;
    surface_distance(place, surface_, part);
    return {place, d.value, d.element, static_cast<std::uint32_t>(part)};
  }
  Depth at_knot(std::uint32_t knot) const { return at(tree_.knot(knot).to_model(p_)); }

  void note(const Depth& d, std::uint32_t step, double time) {
    if (!(d.value < best_.value)) return;
    best_ = {d.value, step, d.triangle, time, true};
  }

  double triangle_distance(std::uint32_t triangle, const Vec3& place) const {
    const mesh::Data& d = data_of(surface_);
    return triangle_reach(d.corner(triangle, 0), d.corner(triangle, 1), d.corner(triangle, 2), place).value;
  }

  // The signed value changes no faster than the place; and a place inside is no deeper than the distance from any one
  // triangle of the surface, which is convex along the chord and therefore greatest at its ends.
  double bound(const Depth& a, const Depth& b, double deviation) const {
    const double length = (b.place - a.place).norm();
    double lower_bound = (a.value + b.value - length) / 2 - deviation;
    for (const std::uint32_t triangle : {a.part, b.part}) {
      if (triangle == PoseNode::kNone) continue;
      const double max_distance = std::max(triangle_distance(triangle, a.place), triangle_distance(triangle, b.place));
      lower_bound = std::max(lower_bound, -max_distance - deviation);
    }
    return lower_bound;
  }

  // Over a triangle of the surface whose prism the place does not leave, the distance is that from its plane, and only
  // how far the motion leaves its chord along the normal counts. A place that turns under a flat roof keeps its depth,
  // and its arc would have to be looked at hair by hair otherwise. `across` is how far the motion leaves the chord in
  // any direction.
  double plane_bound(const Depth& a, const Depth& b, double across, const Vec3& acceleration, double jerk,
                     double width) const {
    const mesh::Data& d = data_of(surface_);
    double lower_bound = -kInfinity;
    for (const std::uint32_t triangle : {a.part, b.part}) {
      if (triangle == PoseNode::kNone) continue;
      const Vec3 corners[3] = {d.corner(triangle, 0), d.corner(triangle, 1), d.corner(triangle, 2)};
      const Vec3 raw = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
      const double twice = raw.norm();
      if (!(twice > 0)) continue;
      const Vec3 normal = raw / twice;
      bool within = true;
      for (int k = 0; k < 3 && within; ++k) {
        const Vec3 edge = corners[(k + 1) % 3] - corners[k], inwards = normal.cross(edge);
        const double off = std::min(inwards.dot(a.place - corners[k]), inwards.dot(b.place - corners[k]));
        within = off >= 1.001 * across * edge.norm();
      }
      if (!within) continue;
      const double along = (std::abs(normal.dot(acceleration)) + jerk * width / 2) * width * width / 8;
      const double max_distance =
          std::max(std::abs(normal.dot(a.place - corners[0])), std::abs(normal.dot(b.place - corners[0])));
      lower_bound = std::max(lower_bound, -max_distance - std::min(across, along) - tolerance_ / 64);
    }
    return lower_bound;
  }

  void step(std::uint32_t index, const Depth& from, const Depth& to) {
    struct Part {
      double begin, end;
      Depth a, b;
    };
    const double bend = tree_.bend(index, p_) / 8, jerk = tree_.jerk(index, p_);
    motion::halve<motion::kMaxDivisions>(Part{0, 1, from, to}, [&](const Part& part, Part& first, Part& second) {
      const double width = part.end - part.begin, deviation = bend * width * width;
      if (hopeless(bound(part.a, part.b, deviation))) return false;
      if ((part.b.place - part.a.place).norm() + deviation < tolerance_ / 8 || width < kEpsilon) return false;
      const double time = (part.begin + part.end) / 2;
      const Passage passage = tree_.passage(index, p_, time);
      if (hopeless(plane_bound(part.a, part.b, deviation, passage.acceleration, jerk, width))) return false;
      const Depth middle = at(passage.place);
      note(middle, index, time);
      const bool left_first = part.a.value < part.b.value;
      (left_first ? first : second) = {part.begin, time, part.a, middle};
      (left_first ? second : first) = {time, part.end, middle, part.b};
      return true;
    });
  }

  const PoseTree& tree_;
  const ModelData& model_;
  const Vec3& p_;
  Closest& best_;
  const Mesh& surface_;
  double tolerance_, slack_;
};

}  // namespace

void search_depth(const PoseTree& tree, const ModelData& model, const Vec3& p, Closest& best, double slack) {
  DepthSearch(tree, model, p, best, slack).run();
}

void add_depth(const PoseTree& tree, const ModelData& model, const Vec3& p, Closest& best, bool any, double slack) {
  if (any && best.found) return;
  const bool touches = best.found && best.value <= 4 * tolerance_at(p, model) + slack;
  if (!touches) {
    // A path that never meets the surface is on one side of it for all of its time.
    const Vec3 first = tree.knot(0).to_model(p);
    if (!model.bounds.contains(first) || model.mesh.winding(first) == 0) return;
  }
  search_depth(tree, model, p, best, slack);
}

}  // namespace graze::clearance
