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

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#if !GRAZE_PLAIN_THREADS
#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

namespace graze {
namespace {

// The work of one loop, taken from the front by whoever is free.
class Turns {
 public:
  Turns(std::size_t count, void* context, void (*work)(void*, std::size_t) noexcept)
      : count_(count), context_(context), work_(work) {}
  void take() {
    for (std::size_t i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1)) work_(context_, i);
  }

 private:
  std::atomic<std::size_t> next_{0};
  const std::size_t count_;
  void* const context_;
  void (*const work_)(void*, std::size_t) noexcept;
};

void take_on_plain_threads(Turns& turns, int threads) {
  const unsigned wanted = threads > 0 ? static_cast<unsigned>(threads) : std::thread::hardware_concurrency();
  std::vector<std::jthread> others(std::max(1U, wanted) - 1);
  for (std::jthread& other : others) other = std::jthread([&] { turns.take(); });
  turns.take();
}

}  // namespace

#if GRAZE_PLAIN_THREADS

void run_on_threads(std::size_t count, int threads, void* context, void (*work)(void*, std::size_t) noexcept) {
  Turns turns(count, context, work);
  take_on_plain_threads(turns, threads);
}

#else

void run_on_threads(std::size_t count, int threads, void* context, void (*work)(void*, std::size_t) noexcept) {
  Turns turns(count, context, work);
  const int available = tbb::info::default_concurrency();
  // oneTBB starts no more threads than the machine has; tests ask for 32 of them.
  if (threads > available) return take_on_plain_threads(turns, threads);
  // As many tasks as threads, in the arena that is there: of an arena made for each loop oneTBB's threads learn too
  // late, from the second one on, and the caller does all of the work.
  // Isolated: while this thread waits for the rest it takes on no outer work, which might wait for what it holds.
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, threads > 0 ? threads : available), [&](const auto&) { turns.take(); },
        tbb::simple_partitioner());
  });
}

#endif

}  // namespace graze
