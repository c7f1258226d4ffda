// How deep two things overlap, and the shortest translation that separates them.
#pragma once

#include "graze/geometry/geometry.h"
#include "graze/query/pair_cache.h"

namespace graze {

/// Options of penetration().
struct PenetrationOptions {
  PairCache* cache = nullptr;  ///< optional memory for coherent motion
};

/// How deep two things overlap.
struct Penetration {
  /// Touching counts. If false, the rest is zero.
  bool overlapping = false;
  /// Metres, >= 0; +∞ where no finite translation separates (two half-spaces that meet).
  double depth = 0;
  /// The depth is never less than the truth by more than this; of solid meshes and clouds, see Distance, nor more.
  double tolerance = 0;
  /// Unit, world: moving b by depth · direction leaves a and b touching; so does moving a by minus that.
  Vec3 direction = Vec3::UnitX();
  /// The deepest points: on_a = on_b + depth · direction.
  Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();
};

/// The shortest translation that separates a and b. Never throws or allocates (but see Cloud::prepare).
Penetration penetration(const Placed& a, const Placed& b, const PenetrationOptions& options = {});

}  // namespace graze
