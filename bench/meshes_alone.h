// What no peer does: graze compared with itself.
#pragma once

#include <string>

#include "claims.h"
#include "meshes_scene.h"

namespace meshes_bench {

/// A slow motion with and without a cache that keeps a front.
void again(graze::bench::Claims& claims, const std::string& name, const Soup& soup);
/// Building, all contacts and self-collisions on two threads compared with one, by wall time.
void threads(graze::bench::Claims& claims);
/// How the work on a deforming mesh grows with its size: figures without a peer.
void growth();

}  // namespace meshes_bench
