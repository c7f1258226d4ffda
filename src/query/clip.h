// The common part of two facing patches.
#pragma once

#include "query/patch.h"

namespace graze {

// A face meets a face where both are orthogonal to the normal to within this tilt; the other shape may then show any
// feature that is turned to it by less than kIncident.
inline constexpr double kLevel = 1e-4, kIncident = 0.7;

/// A spot where the patches face each other: the point of a's surface, and how far a reaches past b along n.
struct PatchContact {
  Vec3 on_a;
  double depth;
};

struct PatchContacts {
  std::size_t size = 0;
  std::array<PatchContact, 2 * Patch::kMaxPoints> items;
};

/// Fills `r` with the corners of the part that `a`, facing n, and `b`, facing −n, have in common seen along the unit n.
/// Both in one frame. Left empty where they have no part in common or are no more than single points.
void clip(const Patch& a, const Patch& b, const Vec3& n, PatchContacts& r);

}  // namespace graze
