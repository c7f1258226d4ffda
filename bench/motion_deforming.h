// Meshes that bend: first contacts of their features, and steps of whole meshes beside sampled ones.
#pragma once

#include "bench/claims.h"

namespace motion_bench {

/// With GRAZE_SAMPLE_QUERIES=FOLDER in the environment also the queries in the files there (see motion_queries.h); with
/// `all` every frame, and 1.6 M triangles.
void deforming(graze::bench::Claims& claims, bool all);

}  // namespace motion_bench
