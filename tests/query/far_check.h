// Every verb about two bodies, compared with their exact positions.
#pragma once

#include <cmath>
#include <sstream>
#include <string>

#include "graze/query/collide.h"
#include "graze/query/contacts.h"
#include "graze/query/distance.h"
#include "graze/query/penetration.h"
#include "query/far_bodies.h"

namespace graze_test {

/// What is wrong with the answers; empty if nothing is. `size`: the largest of the caller's numbers.
inline std::string far_complaints(const graze::Placed& a, const graze::Placed& b, const FarTruth& truth, double size) {
  std::ostringstream out;
  out.precision(17);
  const auto never_free = [&](double margin) {
    if (!truth.within(margin)) return;
    if (!collide(a, b, {.margin = margin})) out << "collide: MISSED at margin " << margin << "\n";
    if (!collide(b, a, {.margin = margin})) out << "collide: MISSED at margin " << margin << ", other order\n";
    if (distance(a, b, {.limit = margin}).beyond) out << "distance: beyond the limit " << margin << "\n";
    if (contacts(a, b, {.margin = margin}).empty()) out << "contacts: none at margin " << margin << "\n";
  };
  never_free(0);
  const double gap = truth.gap();
  never_free(gap);
  never_free(std::nextafter(gap, graze::kInfinity));
  if (truth.within(0) && !penetration(a, b).overlapping) out << "penetration: MISSED\n";

  const graze::Distance d = distance(a, b);
  const double low = std::nextafter(d.value - d.tolerance, -graze::kInfinity);
  // Tiny overlaps may be reported slightly deeper than the tolerance allows, which is safe.
  constexpr double kLoose = 1024 * graze::kEpsilon;
  const double high = d.value + d.tolerance + kLoose * size;
  // Depths of bodies of many parts are less exact by design; planes that rounding makes cross have no depth.
  const bool known = std::isfinite(d.value) && (truth.convex() || d.value > 0);
  if (known && truth.below(low)) out << "distance: over-stated, " << d.value << " ± " << d.tolerance << "\n";
  if (known && truth.exact() && !truth.within(high))
    out << "distance: under-stated, " << d.value << " ± " << d.tolerance << "\n";
  if (truth.exact() && known && !(d.tolerance <= kLoose * size + 1e-150))
    out << "tolerance: " << d.tolerance << " of numbers up to " << size << "\n";
  const graze::Distance e = distance(b, a);
  if (d.value != e.value || d.tolerance != e.tolerance) out << "order matters\n";
  return out.str();
}

}  // namespace graze_test
