// The only place that knows oneTBB.
#pragma once

#include <cstddef>

namespace graze {

/// Calls work(context, i) for all i of [0, count) on up to `threads` threads (0 or less: as the machine or the
/// surrounding arena has), the caller's included, and returns when all are done.
void run_on_threads(std::size_t count, int threads, void* context, void (*work)(void*, std::size_t) noexcept);

}  // namespace graze
