// Loops over index ranges on several threads, with answers that do not depend on how many.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace graze {

/// Options of parallel loops.
struct ParallelOptions {
  /// How many threads work at most, the caller's included; 0: as many as the machine (or the surrounding oneTBB arena)
  /// has. 1: everything runs on the caller's thread.
  int threads = 0;
  /// Indices that are handed out at a time; 0: the range in 256 parts. Never depends on the threads.
  std::size_t grain = 0;
};

namespace parallel_detail {

struct Chunks {
  std::size_t count, grain, size;
  Chunks(std::size_t indices, const ParallelOptions& options);
};

/// Calls run(body, chunk) for every chunk.
void run_chunks(std::size_t chunks, int threads, void* body, void (*run)(void*, std::size_t));

}  // namespace parallel_detail

/// Calls body(begin, end) for consecutive parts of [0, count): always the same parts, in any order, on any thread.
/// Returns when all are done. If bodies throw, the exception of the lowest part is passed on (the same one for any
/// number of threads); parts above it may be left out.
template <class Body>
void parallel_chunks(std::size_t count, Body&& body, const ParallelOptions& options = {}) {
  const parallel_detail::Chunks chunks(count, options);
  struct Call {
    std::remove_reference_t<Body>& body;
    const parallel_detail::Chunks& chunks;
  } call{body, chunks};
  parallel_detail::run_chunks(chunks.count, options.threads, &call, [](void* erased, std::size_t chunk) {
    const Call& c = *static_cast<const Call*>(erased);
    const std::size_t begin = chunk * c.chunks.grain;
    const std::size_t end = c.chunks.size - begin < c.chunks.grain ? c.chunks.size : begin + c.chunks.grain;
    c.body(begin, end);
  });
}

/// Calls body(i) for every i of [0, count). The result is the same for any number of threads if each call writes only
/// to what belongs to its index.
///
///     parallel_for(boxes.size(), [&](std::size_t i) { boxes[i] = bounds(shapes[i]); });
template <class Body>
void parallel_for(std::size_t count, Body&& body, const ParallelOptions& options = {}) {
  parallel_chunks(
      count,
      [&body](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) body(i);
      },
      options);
}

/// join(… join(join(initial, map(part 0)), map(part 1)) …) over the parts of [0, count) from the left: the same bits
/// for any number of threads, also where joining rounds. `map(begin, end)` returns a T.
///
///     double length = parallel_reduce(n, 0.0, [&](auto begin, auto end) { return sum(begin, end); }, std::plus<>());
template <class T, class Map, class Join>
T parallel_reduce(std::size_t count, T initial, Map&& map, Join&& join, const ParallelOptions& options = {}) {
  const parallel_detail::Chunks chunks(count, options);
  std::vector<std::optional<T>> parts(chunks.count);
  parallel_chunks(
      count, [&](std::size_t begin, std::size_t end) { parts[begin / chunks.grain].emplace(map(begin, end)); },
      options);
  for (std::optional<T>& part : parts) initial = join(std::move(initial), std::move(*part));
  return initial;
}

}  // namespace graze
