#include "graze/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>

#include "base/threads.h"

namespace graze::parallel_detail {
namespace {

constexpr std::size_t kDefaultParts = 256;

// All chunks of one loop, on whichever threads. A chunk is left out only above one that has thrown, so the lowest chunk
// that throws always runs and always wins.
class Loop {
 public:
  Loop(void* body, void (*run)(void*, std::size_t)) : body_(body), run_(run) {}

  void take(std::size_t chunk) noexcept {
    if (chunk > lowest_.load(std::memory_order_relaxed)) return;
    try {
      run_(body_, chunk);
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (chunk > lowest_.load(std::memory_order_relaxed)) return;
      exception_ = std::current_exception();
      lowest_.store(chunk, std::memory_order_relaxed);
    }
  }

  void pass_on() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  void* body_;
  void (*run_)(void*, std::size_t);
  std::atomic<std::size_t> lowest_{std::numeric_limits<std::size_t>::max()};
  std::mutex mutex_;
  std::exception_ptr exception_;
};

}  // namespace

Chunks::Chunks(std::size_t indices, const ParallelOptions& options) : size(indices) {
  const bool uneven = indices % kDefaultParts != 0;
  grain = options.grain > 0 ? options.grain : std::max<std::size_t>(1, indices / kDefaultParts + (uneven ? 1 : 0));
  count = indices / grain + (indices % grain != 0 ? 1 : 0);
}

void run_chunks(std::size_t chunks, int threads, void* body, void (*run)(void*, std::size_t)) {
  if (threads == 1 || chunks <= 1) {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) run(body, chunk);
    return;
  }
  Loop loop(body, run);
  run_on_threads(chunks, threads, &loop,
                 [](void* context, std::size_t chunk) noexcept { static_cast<Loop*>(context)->take(chunk); });
  loop.pass_on();
}

}  // namespace graze::parallel_detail
