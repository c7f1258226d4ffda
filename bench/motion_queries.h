// First contacts of vertices, faces and edges: generated queries, and those of files.
#pragma once

#include "bench/claims.h"

namespace motion_bench {

/// Generated queries. With GRAZE_SAMPLE_QUERIES=FOLDER in the environment also those of the CSV files below it, in
/// the form of Wang et al., "A large-scale benchmark and an inclusion-based algorithm for continuous collision
/// detection" (2021): eight rows to a query, the four points at the start and at the end; each coordinate as two
/// integers, numerator and denominator; at last whether they meet.
void first_contacts(graze::bench::Claims& claims);

}  // namespace motion_bench
