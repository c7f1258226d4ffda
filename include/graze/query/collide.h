// Do two things touch?
#pragma once

#include "graze/geometry/geometry.h"
#include "graze/query/pair_cache.h"

namespace graze {

/// Options of collide().
struct CollideOptions {
  /// Metres. Pairs this close or closer count as colliding; negative margins demand that much depth.
  double margin = 0;
  /// Optional memory for coherent motion.
  PairCache* cache = nullptr;
};

/// True unless the exact distance is proven to be greater than the margin: touching is a collision, and so is whatever
/// rounding leaves undecided (gaps of a few units in the last place of the larger coordinates). Never throws or
/// allocates (a cloud makes its tree when it is first asked, see Cloud::prepare); both orders give the same answer. A
/// NaN margin answers true.
bool collide(const Placed& a, const Placed& b, const CollideOptions& options = {});

}  // namespace graze
