// What making a cloud or a mesh takes of the memory: readers ask before they believe a file.
#pragma once

#include <cstddef>

#include "graze/base/number.h"

namespace graze {

/// Bytes that making a Cloud of so many points takes at any moment, the cloud with its tree and its grid included and
/// its attributes left out: never less than it does. Of doubles no more than half as much again; of float32, for which
/// there is a grid, what the worst of clouds takes. `coordinates`: float32, or float64 for numbers that a float32 does
/// not hold.
///
///     if (building_bytes_of_cloud(9'000'000, NumberType::float32) > budget) …      // 1.5 GB
std::size_t building_bytes_of_cloud(std::size_t points, NumberType coordinates = NumberType::float64);

/// Bytes that making a Mesh of so many triangles and vertices takes at any moment, the mesh with its tree included and
/// the caller's lists left out: never less than it does, and (but for 4 KiB) no more than half as much again. A solid
/// whose pieces cross each other takes more where they do.
std::size_t building_bytes_of_mesh(std::size_t triangles, std::size_t vertices, bool solid);

}  // namespace graze
