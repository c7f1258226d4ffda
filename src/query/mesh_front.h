// Whose front a cache holds, and how far things have moved since.
#pragma once

#include "geometry/mesh_data.h"
#include "query/pair_memory.h"
#include "query/relative.h"

namespace graze {

/// Queries without a front after one was given up: whatever moves so fast, or is so entangled, is likely to go on.
inline constexpr std::uint32_t kIdle = 8;

struct FrontUse {
  bool worth_it;      ///< begin from the front, empty as it may be
  bool turned_round;  ///< its a is the query's b
};

/// Makes the front ready for a walk: one of other meshes, or of the same ones over other trees, is emptied; else
/// `moved` grows by at least as much as any distance of points of a and b can have changed since.
FrontUse use_front(MeshFront& front, const mesh::Data& a, const mesh::Data& b, const Relative& relative);

}  // namespace graze
