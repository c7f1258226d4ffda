// Searches in many volumes of one cloud at once.
#pragma once

#include <span>
#include <utility>

#include "graze/base/parallel.h"
#include "graze/geometry/cloud.h"
#include "graze/index/kd_tree.h"
#include "graze/index/search_volume.h"

namespace graze {

namespace detail {

// The indices behind a cloud, built by the first call. There is no grid without points or if they are not float32.
struct CloudIndex {
  static const KdTree& tree(const Cloud& cloud);
  static const PointGrid* grid(const Cloud& cloud);
};

}  // namespace detail

/// Calls body(i, search) once for the search in each of the volumes, on several threads and in an order in which
/// searches find in the cache what those before them have read: up to twice as fast as a loop over cloud.search(). What
/// is found for volume i depends neither on the threads nor on the other volumes. KdTree::search_each() states the
/// rest.
///
///     search_each(cloud, std::span<const region::Ball>(balls),
///                 [&](std::size_t i, const PointSearch& s) { counts[i] = s.count(); });
template <class Volume, class Body>
void search_each(const Cloud& cloud, std::span<const Volume> volumes, Body&& body,
                 const PointSearchOptions& options = {}, const ParallelOptions& parallel = {}) {
  detail::CloudIndex::tree(cloud).search_each(volumes, std::forward<Body>(body), options, parallel);
}

}  // namespace graze
