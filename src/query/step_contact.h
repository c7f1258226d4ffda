// Two triangles whose corners move straight over a step: when they first meet.
#pragma once

#include <array>
#include <optional>

#include "graze/base/vec.h"
#include "graze/shape/triangle.h"

namespace graze::moving {

/// The corners of a triangle at both ends of a step.
struct Corners {
  std::array<Vec3, 3> from, to;

  std::array<Vec3, 3> at(double t) const;
  Triangle triangle(double t) const;
};

/// The first contact of two triangles.
struct FirstMeeting {
  double time = 1;  // never later than the truth
  bool certain = true;
  Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();
};

struct MeetingOptions {
  double tolerance;     // metres, positive
  int max_steps;        // positive
  double limit = 1;     // later contacts are of no interest
  double margin = 0;    // metres
  double rounding = 0;  // metres that corners may be wrong by at any time
};

/// For corners as real numbers: nothing only where the triangles are apart up to the limit. Ignores margin and
/// rounding.
std::optional<FirstMeeting> exact_meeting(const Corners& a, const Corners& b, const MeetingOptions& options);

/// When the distance falls to the margin, by conservative advancement. Those that come within half of the tolerance may
/// be called a hit.
std::optional<FirstMeeting> advanced_meeting(const Corners& a, const Corners& b, const MeetingOptions& options);

}  // namespace graze::moving
