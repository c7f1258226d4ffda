// Translations that separate two geometries: the first one along a direction, and shorter ones near it.
#pragma once

#include "query/free_region.h"
#include "query/parts_pair.h"

namespace graze {

/// b after a translation along a direction, and the pair of parts that it left last.
struct Escape {
  double length = kInfinity;   ///< metres; infinite if none was found
  Vec3 on_a = Vec3::Zero();    ///< a point of the first one's surface, in its frame
  Vec3 normal = Vec3::Zero();  ///< unit, from a to b, there; zero if unknown
  Feature a = 0, b = 0;
  bool free() const { return length < kInfinity; }
};

/// What is left to spend on one pair, counted in pairs of parts: a walk through the trees costs kWalk and one for each
/// pair of parts it looks at.
struct EscapeWork {
  static constexpr int kWalk = 16;
  int left;
  bool spent() const { return left <= 0; }
};

/// The first length at which the two are proven apart, going along the unit `direction` of the first one's frame from
/// where they overlap; the search ends at `longest`.
Escape escape(const BoundedPair& pair, const Relative& relative, const Vec3& direction, double longest,
              EscapeWork& work);

/// A translation at which the two are proven apart, no longer than `free`, which is one: a local minimum of the length
/// unless the work is spent before.
Vec3 descend(const BoundedPair& pair, const Relative& relative, const Vec3& free, EscapeWork& work);

/// Where the two touch after a translation that separates them.
struct Touch {
  bool found = false;
  Vec3 translation = Vec3::Zero();
  Vec3 on_a = Vec3::Zero();  ///< in the first one's frame; on b after the translation, too
  Feature a = 0, b = 0;
};
/// Starts from the separating translation `free` and takes back what is left between the two.
Touch come_to_touch(const BoundedPair& pair, const Relative& relative, const Vec3& free);

/// Max error of computed gaps of the pair, in metres.
double escape_rounding(const PartsBody& first, const PartsBody& second, const Relative& relative);

}  // namespace graze
