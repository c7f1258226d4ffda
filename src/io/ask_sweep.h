// Questions about what moves.
#pragma once

#include "graze/io/ask.h"
#include "graze/io/swept_json.h"
#include "io/fields.h"

namespace graze::io {

AskAnswer ask_sweep(const Fields& question);
/// The same for corners of deforming meshes: a vertex and a face, or two edges.
AskAnswer ask_first_contact(const Fields& question);

/// How what stands at `from` moves, by the member "motion"; without one it stays. `stands`: a path must start there.
AnyMotion motion_from(const Fields& fields, const Pose& from, bool stands = false);
/// A geometry that stands at `path`, and how it moves.
Moving moving_from(Value value, const std::string& path);
/// The same, or a mesh that bends.
SweptBody swept_from(Value value, const std::string& path);
/// The answer for a hit.
AskAnswer hit_at(double time, const Vec3& on_a, const Vec3& on_b, bool certain);

}  // namespace graze::io
