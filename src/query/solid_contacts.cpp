#include "query/solid_contacts.h"

#include "base/overloads.h"
#include "query/escape.h"
#include "query/farthest.h"
#include "query/mesh_tree.h"
#include "query/point_depth.h"

namespace graze {
namespace {

using Found = ContactQuery::Found;

const Mesh* mesh_of(const PartsBody& g) {
  const auto* mesh = g.get_if<Mesh>();
  return mesh != nullptr && !mesh->empty() ? mesh : nullptr;
}

// The point of a part that reaches farthest along n.
Vec3 farthest(const PartsBody& g, Feature part, const Vec3& n) {
  return g.visit(Overloads{[&](const Mesh& mesh) { return farthest(MeshTree(mesh).facet(part), n); },
                           [&](const Cloud& cloud) {
                             return farthest(Ball{cloud.point(part), {.radius = cloud.radius()}}, n);
                           },
                           [&](const Bounded auto& shape) { return farthest(shape, n); },
                           [&](const Unbounded auto& shape) { return Vec3(times(shape.offset(), shape.normal())); }});
}

bool winds_around(const PartsBody& g, const Vec3& p) {
  const Mesh* solid = solid_of(g);
  return solid != nullptr && solid->winding(p) != 0;
}

// The middle of what two triangles have in common, seen along n; false if that is no area.
bool common_middle(const Triangle& a, const Triangle& b, const Relative& relative, const Vec3& n, double slack,
                   Vec3& middle) {
  PatchContacts common;
  common_patch(a, b, relative, n, common);
  if (common.size < 3) return false;
  Vec3 area = Vec3::Zero(), sum = common.items[0].on_a;
  double length = 0;
  for (std::size_t i = 1; i < common.size; ++i) {
    const Vec3 side = minus(common.items[i].on_a, common.items[0].on_a);
    if (i > 1) area = plus(area, cross(minus(common.items[i - 1].on_a, common.items[0].on_a), side));
    length = std::max(length, std::sqrt(norm_sq(side)));
    sum = plus(sum, common.items[i].on_a);
  }
  middle = times(1 / static_cast<double>(common.size), sum);
  constexpr double kWide = 256;
  return std::sqrt(norm_sq(area)) > kWide * slack * length;
}

}  // namespace

double contact_slack(const PartsPair& pair, const Relative& relative) {
  // Points of curved shapes come out of iterations.
  constexpr double kIterated = 1e-9;
  const double rounding = 4 * escape_rounding(pair.first, pair.second, relative);
  return pair.visit([&]<class A, class B>(const A& a, const B&) {
    if constexpr (Bounded<A>) return rounding + kIterated * size_of(bounds(Shape(a)).half());
    else return rounding;
  });
}

SolidContacts::SolidContacts(const PartsPair& pair, const Relative& relative, const PartsDistance& exit)
    : pair_(pair),
      relative_(relative),
      exit_(exit.distance),
      unbounded_(pair.first.get_if<HalfSpace>() != nullptr || pair.first.get_if<Plane>() != nullptr),
      slack_(contact_slack(pair, relative)) {}

bool SolidContacts::on_surface(const PartsBody& g, Feature part, const Vec3& p) const {
  // Other balls of a cloud may lie around that of the contact.
  const auto* cloud = g.get_if<Cloud>();
  const double depth =
      cloud != nullptr ? cloud->radius() - std::sqrt(norm_sq(minus(p, cloud->point(part)))) : point_depth(g, p).depth;
  return std::abs(depth) <= slack_;
}

bool SolidContacts::share_face(const Found& c, const ContactSide& a, const ContactSide& b) const {
  const Mesh *const mesh_a = mesh_of(pair_.first), *const mesh_b = mesh_of(pair_.second);
  if (mesh_a == nullptr || mesh_b == nullptr) return false;
  Relative moved = relative_;
  moved.translation = along(relative_.translation, c.depth, c.normal);
  Vec3 middle;
  return common_middle(MeshTree(*mesh_a).facet(c.a).triangle, MeshTree(*mesh_b).facet(c.b).triangle, moved, c.normal,
                       slack_, middle) &&
         a.is_face_at(middle) && b.is_face_at(moved.to_b(middle));
}

bool SolidContacts::holds(const Found& c) const {
  if (c.depth > -exit_.value + slack_) return false;
  const Vec3 in_b = relative_.to_b(along(c.on_a, -c.depth, c.normal));
  if (!on_surface(pair_.first, c.a, c.on_a) || !on_surface(pair_.second, c.b, in_b)) return false;
  constexpr double kBeside = 1e-3;
  const double beside = std::max(kBeside * std::abs(c.depth), 64 * slack_);
  const Vec3 toward_a = times(-1, turned_back(relative_.rotation, c.normal));
  // The normal of what has no end is the same everywhere.
  if (unbounded_) return !winds_around(pair_.second, along(in_b, beside, toward_a));
  const ContactSide a(pair_.first, c.a, c.on_a, c.normal, slack_, beside);
  const ContactSide b(pair_.second, c.b, in_b, toward_a, slack_, beside);
  const bool below_a = a.below_plane(), below_b = b.below_plane();
  if (below_a && below_b) return true;
  // Each at the position that the contact asks b to move to.
  const Vec3 move = times(c.depth, c.normal);
  if (below_a && b.is_face_below(relative_.to_b(minus(a.middle(), move)))) return true;
  if (below_b && a.is_face_below(plus(relative_.to_a(b.middle()), move))) return true;
  if (c.depth > slack_ && ((a.is_face() && b.is_turned_to_other()) || (b.is_face() && a.is_turned_to_other())))
    return true;
  return share_face(c, a, b);
}

bool SolidContacts::correct(Found& c) const {
  if (holds(c)) return true;
  if (unbounded_) return false;
  const bool touching = std::abs(c.depth) <= slack_;
  const auto take = [&](const Vec3& on_a, const Vec3& normal, double depth) {
    const Found other{on_a, normal, depth, c.a, c.b};
    // A triangle without area has no normal to offer.
    if (norm_sq(normal) == 0 || !(depth >= -slack_) || !holds(other)) return false;
    c = other;
    return true;
  };
  if (const Mesh* a = solid_of(pair_.first); a != nullptr) {
    const Facet facet = MeshTree(*a).facet(c.a);
    const Vec3 n = facet.outward();
    if (touching) {
      if (take(c.on_a, n, c.depth)) return true;
    } else {
      const Vec3 low = relative_.to_a(farthest(pair_.second, c.b, times(-1, turned_back(relative_.rotation, n))));
      const double depth = dot(n, minus(facet.triangle.a(), low));
      if (take(along(low, depth, n), n, depth)) return true;
    }
  }
  if (const Mesh* b = solid_of(pair_.second); b != nullptr) {
    const Facet facet = MeshTree(*b).facet(c.b);
    const Vec3 n = times(-1, turned(relative_.rotation, facet.outward()));
    if (touching) {
      if (take(c.on_a, n, c.depth)) return true;
    } else {
      const Vec3 high = farthest(pair_.first, c.a, n);
      if (take(high, n, dot(n, minus(high, relative_.to_a(facet.triangle.a()))))) return true;
    }
  }
  return touching && take(c.on_a, exit_.normal, c.depth);
}

}  // namespace graze
