// First contacts of moving vertices, faces and edges without any rounding, where doubles and pairs of doubles cannot
// tell.
#pragma once

#include <optional>

#include "query/meeting.h"

namespace graze::meeting {

struct ExactFinding {
  Verdict verdict;
  double time;  // of anything but free: rounded down, and all before in the interval is free
};

/// Over the times from `start` to start + 2^-depth, where start is a multiple of that. `resolution` as for the other
/// precisions. Takes from `steps`, one for each interval looked at. Undecided are only contacts that differ from none
/// by less than 2^-160 of the time (2^-100 where coordinates differ much in size). No room: the integers would become
/// too large.
template <class Features>
ExactFinding exact_search(const Motion4& m, const DoubleDouble& start, int depth, double resolution, int& steps);

extern template ExactFinding exact_search<VertexFace>(const Motion4&, const DoubleDouble&, int, double, int&);
extern template ExactFinding exact_search<EdgeEdge>(const Motion4&, const DoubleDouble&, int, double, int&);

/// On which side of the plane of b, c and d the point a is: −1, 0 or 1, without rounding. Nothing where the coordinates
/// differ too much in size.
std::optional<int> orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

}  // namespace graze::meeting
