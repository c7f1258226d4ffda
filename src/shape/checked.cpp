#include "graze/shape/checked.h"

#include <fmt/format.h>

#include "graze/base/error.h"

namespace graze::checked {
namespace {

// Sizes whose fourth powers would over- or underflow are refused at the door: no query has to think of them.
constexpr double kLargest = kLargestLength, kSmallest = kSmallestLength;

bool acceptable(Sign sign, double value) {
  if (sign == Sign::not_negative && value == 0) return true;
  return value >= kSmallest && value <= kLargest;
}

const char* demand(Sign sign) {
  return sign == Sign::positive ? "must be positive and between 1e-50 and 1e50" : "must be 0 or between 1e-50 and 1e50";
}

}  // namespace

double size(const char* field, Sign sign, double value) {
  if (!acceptable(sign, value)) throw Error(field, fmt::format("{}, got {}", demand(sign), value));
  return value + 0.0;  // no minus zero
}

Vec3 size(const char* field, Sign sign, const Vec3& value) {
  for (const double v : value) {
    if (!acceptable(sign, v)) {
      const bool flat = v == 0;
      throw Error(field, fmt::format("each {}, got ({}, {}, {}){}", demand(sign), value.x(), value.y(), value.z(),
                                     flat ? "; for a flat body take a cylinder of half_length 0 (a disc), a capsule of "
                                            "radius 0 (a segment) or a convex of points"
                                          : ""));
    }
  }
  return value + Vec3::Zero();
}

Vec3 point(const char* field, const Vec3& value) {
  if (!is_finite(value) || value.cwiseAbs().maxCoeff() > kLargest) {
    throw Error(field, fmt::format("coordinates must be finite and at most 1e50, got ({}, {}, {})", value.x(),
                                   value.y(), value.z()));
  }
  return value;
}

}  // namespace graze::checked
