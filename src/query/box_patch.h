// The common part of two facing boxes, without the general cutting of patches.
#pragma once

#include "graze/shape/box.h"
#include "query/clip.h"
#include "query/relative.h"

namespace graze {

/// What `patch` and `clip` give for two boxes that face each other along the unit n (from a to b, in a's frame): the
/// corners of the part of a face of one and the face or edge of the other that overlap seen along n. Where no face is
/// level, the common part of two parallel edges or the point where two edges cross; else nothing.
void common_patch(const Box& a, const Box& b, const Relative& relative, const Vec3& n, PatchContacts& common);

}  // namespace graze
