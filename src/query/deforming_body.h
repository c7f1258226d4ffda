// A mesh that bends against any body that moves rigidly: triangle by triangle.
#pragma once

#include "graze/query/sweep_deforming.h"

namespace graze::moving {

/// The body at a time.
Placed placed(const Moving& body, double t);
/// The mesh at time 0.
Placed start_of(const Deforming& body);
/// Bodies that touch from the start.
Sweep touching_at_start(const Placed& a, const Placed& b, const SweepOptions& options);

/// Each triangle is advanced by its distance from the whole body.
Sweep sweep_triangles(const Deforming& a, const Moving& b, const SweepOptions& options);

}  // namespace graze::moving
