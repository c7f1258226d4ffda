// The earliest touch of two moving bodies within a stretch of time.
#pragma once

#include "query/sweep_query.h"

namespace graze {

/// Asks the query about all parts that may touch within the stretch.
void ask_stretch(const CanonicalPair& kinds, const Stretch& stretch, SweepQuery& query);

/// The same for two meshes, whose triangles are found in SIMD lanes of float32.
void ask_meshes(const Mesh& a, const Mesh& b, const Stretch& stretch, SweepQuery& query);

}  // namespace graze
