#include "base/threads.h"

// oneTBB is not built for thread sanitizers: they do not see how it synchronises and report its own headers as races.
// Where this file is compiled for one, plain threads take its place, so that what runs on them can still be judged.
#if defined(__SANITIZE_THREAD__)
#define GRAZE_PLAIN_THREADS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define GRAZE_PLAIN_THREADS 1
#endif
#endif

#if GRAZE_PLAIN_THREADS

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace graze {

void run_on_threads(std::size_t count, int threads, void* context, void (*work)(void*, std::size_t) noexcept) {
  std::atomic<std::size_t> next{0};
  const auto take_turns = [&] {
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) work(context, i);
  };
  const unsigned wanted = threads > 0 ? static_cast<unsigned>(threads) : std::thread::hardware_concurrency();
  std::vector<std::jthread> others(std::max(1U, wanted) - 1);
  for (std::jthread& other : others) other = std::jthread(take_turns);
  take_turns();
}

}  // namespace graze

#else

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <optional>

namespace graze {

void run_on_threads(std::size_t count, int threads, void* context, void (*work)(void*, std::size_t) noexcept) {
  const auto all = [&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, count),
        [&](const tbb::blocked_range<std::size_t>& part) {
          for (std::size_t i = part.begin(); i != part.end(); ++i) work(context, i);
        },
        tbb::simple_partitioner());
  };
  if (threads <= 0) {
    // Isolated: while this thread waits for the rest it takes on no outer work, which might wait for what it holds.
    tbb::this_task_arena::isolate(all);
    return;
  }
  // Without this oneTBB never starts more threads than the machine has, and tests could not ask for 32 of them.
  std::optional<tbb::global_control> more;
  if (threads > tbb::info::default_concurrency()) {
    more.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  }
  tbb::task_arena(threads).execute(all);
}

}  // namespace graze

#endif
