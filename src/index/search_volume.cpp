#include "graze/index/search_volume.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "graze/base/error.h"

namespace graze {
namespace region {
namespace {

[[noreturn]] void refuse(const char* volume, const char* field, const std::string& why) {
  throw Error(fmt::format("{} {}", volume, field), why);
}

double checked(const char* volume, const char* field, double value) {
  if (!(std::abs(value) <= kLargestLength)) {
    refuse(volume, field, fmt::format("must be finite and at most {:g}, got {}", kLargestLength, value));
  }
  return value;
}

Vec3 checked(const char* volume, const char* field, const Vec3& value) {
  for (const double x : value) checked(volume, field, x);
  return value;
}

double checked_radius(const char* volume, const char* field, double value) {
  if (checked(volume, field, value) < 0) refuse(volume, field, fmt::format("must not be negative, got {}", value));
  return value;
}

// So long that its square does not vanish.
Vec3 checked_direction(const char* volume, const char* field, const Vec3& value) {
  if (checked(volume, field, value).cwiseAbs().maxCoeff() < kSmallestLength) {
    refuse(volume, field, value.isZero(0) ? "must not be zero" : "is too short");
  }
  return value;
}

}  // namespace

Ball::Ball(const Vec3& center, double radius)
    : center_(checked("ball", "center", center)), radius_(checked_radius("ball", "radius", radius)) {}

AroundAxis::AroundAxis(const char* name, const Vec3& from, const Vec3& direction, double radius, double first,
                       double last)
    : from_(from), direction_(direction), radius_(checked_radius(name, "radius", radius)), first_(first), last_(last) {}

Line::Line(const Vec3& point, const Vec3& direction, double radius)
    : AroundAxis("line", checked("line", "point", point), checked_direction("line", "direction", direction), radius,
                 -kInfinity, kInfinity) {}

Ray::Ray(const Vec3& point, const Vec3& direction, double radius)
    : AroundAxis("ray", checked("ray", "point", point), checked_direction("ray", "direction", direction), radius, 0,
                 kInfinity) {}

Segment::Segment(const Vec3& from, const Vec3& to, double radius)
    : AroundAxis("segment", checked("segment", "from", from), checked("segment", "to", to) - from, radius, 0, 1) {}

Box::Box(const Vec3& min, const Vec3& max) : min_(checked("box", "min", min)), max_(checked("box", "max", max)) {
  if (!(min_.array() <= max_.array()).all()) refuse("box", "max", "must not be below min");
}

OrientedBox::OrientedBox(const Vec3& half, const Pose& pose) : half_(half), pose_(pose) {
  for (const double x : half) checked_radius("oriented box", "half", x);
  checked("oriented box", "pose", pose.translation());
}

Cylinder::Cylinder(const Vec3& from, const Vec3& to, double radius)
    : from_(checked("cylinder", "from", from)),
      direction_(checked("cylinder", "to", to) - from),
      radius_(checked_radius("cylinder", "radius", radius)) {
  // Below this, squares of the direction underflow and no point has a place along it.
  if (!(direction_.cwiseAbs().maxCoeff() >= kSmallestLength)) {
    refuse("cylinder", "to", fmt::format("must differ from the other end by {:g} at least", kSmallestLength));
  }
}

Polytope::Polytope(std::span<const Side> sides, const Vec3& center)
    : sides_(sides), center_(checked("polytope", "center", center)) {
  for (const Side& side : sides) {
    checked_direction("polytope", "normal", side.normal);
    // An offset is a product of lengths.
    if (!(std::abs(side.offset) <= kLargestLength * kLargestLength)) {
      refuse("polytope", "offset",
             fmt::format("must be finite and at most {:g}, got {}", kLargestLength * kLargestLength, side.offset));
    }
  }
}

}  // namespace region

bool has_axis(const SearchVolume& volume) {
  return std::holds_alternative<region::Line>(volume) || std::holds_alternative<region::Ray>(volume) ||
         std::holds_alternative<region::Segment>(volume) || std::holds_alternative<region::Cylinder>(volume);
}

Vec3 center_of(const SearchVolume& volume) {
  return std::visit(
      [](const auto& region) -> Vec3 {
        if constexpr (requires { region.from(); }) {
          return region.from();
        } else if constexpr (requires { region.pose(); }) {
          return region.pose().translation();
        } else {
          return region.center();
        }
      },
      volume);
}

}  // namespace graze
