// Meshes and clouds with everything: what the verbs ask. Answers are in the first one's frame.
#pragma once

#include "query/parts_pair.h"

namespace graze {

class ContactQuery;

/// What is nearest of two geometries, or how deep they overlap.
struct PartsDistance {
  PairDistance distance;
  Feature a = 0, b = 0;
  double below = kInfinity;  ///< the true value is not below value − min(below, tolerance)

  /// The true value is not below this.
  double lower() const { return distance.beyond ? kInfinity : distance.value - std::min(below, distance.tolerance); }
};

bool parts_collide(const PartsPair& pair, const Relative& relative, double margin, PairMemory* cache);

/// A cloud is the union of its balls: an overlap is as deep as the shortest translation after which none of them
/// overlaps.
PartsDistance parts_distance(const PartsPair& pair, const Relative& relative, const PairQuestion& question);

void parts_contacts(const PartsPair& pair, const Relative& relative, int threads, ContactQuery& query);

}  // namespace graze
