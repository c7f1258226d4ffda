// Solids made of blocks (height fields, maps) with everything: what the verbs ask. Pairs are in canonical order, so
// that b is such a solid; answers are in a's frame.
#pragma once

#include <optional>

#include "query/parts.h"

namespace graze {

/// A point of both in a's frame, and the cell that it is in.
struct InsideSolid {
  Vec3 point;
  Feature cell = 0;
};
/// A cell of a map that lies inside of a solid mesh, given that the cells meet no triangle of it, or only touch.
std::optional<InsideSolid> block_inside(const Geometry& a, const Geometry& b, const Relative& relative);

bool blocks_collide(const Geometry& a, const Geometry& b, const Relative& relative, double margin);

/// An overlap is minus a translation of b that separates the two, checked; its tolerance reaches to the proven minimum.
/// Where no translation separates (what has no end against what has no end), −∞.
PartsDistance blocks_distance(const Geometry& a, const Geometry& b, const Relative& relative,
                              const PairQuestion& question);

/// Pairs of parts that are apart show where they are nearest; those that overlap, along the translation that separates
/// the two bodies, how far they have to go.
void blocks_contacts(const Geometry& a, const Geometry& b, const Relative& relative, ContactQuery& query);

/// Of an overlap: see blocks_distance. `common` is a point of both, in a's frame.
PartsDistance blocks_depth(const Geometry& a, const Geometry& b, const Relative& relative, const Vec3& common);

/// How far b has to go along the unit `direction`, in a's frame, until none of its parts meets a's, nor does any
/// farther along; infinite if that is more than `longest`, or if it is none. The pair of parts that is the last to
/// part.
PartsDistance last_exit(const Geometry& a, const Geometry& b, const Relative& relative, const Vec3& direction,
                        double longest);

/// Whether a and b both reach so far that no translation can be known to separate them: their answer is −∞.
bool inseparable(const Geometry& a, const Geometry& b, const Relative& relative);

}  // namespace graze
