#include "query/core.h"

namespace graze {
namespace {

template <class S>
std::uint64_t stamp_shape(const S& s) {
  return stamp_of(core(s).stamp(), {rounding_radius(s)});
}
std::uint64_t stamp_boundary(std::uint64_t kind, const Vec3& normal, double offset) {
  return stamp_of(kind, {normal.x(), normal.y(), normal.z(), offset});
}
// By the corners themselves: about its middle, a triangle has lost what is smaller than rounding.
std::uint64_t stamp_shape(const Triangle& t) {
  return stamp_of(4,
                  {t.a().x(), t.a().y(), t.a().z(), t.b().x(), t.b().y(), t.b().z(), t.c().x(), t.c().y(), t.c().z()});
}
std::uint64_t stamp_shape(const HalfSpace& s) { return stamp_boundary(8, s.normal(), s.offset()); }
std::uint64_t stamp_shape(const Cloud& c) { return stamp_of(c.stamp(), {c.radius()}); }
std::uint64_t stamp_shape(const Mesh& m) { return m.stamp(); }
std::uint64_t stamp_shape(const HeightField& f) { return f.stamp(); }
std::uint64_t stamp_shape(const MapView& v) { return v.stamp(); }
std::uint64_t stamp_shape(const Plane& s) { return stamp_boundary(9, s.normal(), s.offset()); }

}  // namespace

std::uint64_t stamp(const Geometry& geometry) {
  return std::visit([](const auto& g) { return stamp_shape(g); }, geometry);
}

}  // namespace graze
