#include "support/allocations.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GRAZE_OWN_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define GRAZE_OWN_MALLOC 0
#endif
#endif
#if !defined(GRAZE_OWN_MALLOC) && defined(__GLIBC__)
#define GRAZE_OWN_MALLOC 1
#elif !defined(GRAZE_OWN_MALLOC)
#define GRAZE_OWN_MALLOC 0
#endif

#if GRAZE_OWN_MALLOC
#include <malloc.h>
#endif

namespace {

thread_local bool counting = false;
thread_local long allocations = 0;
thread_local long balance = 0;   // blocks allocated and not freed
thread_local long failing = -1;  // how many allocations succeed before one fails; -1: none will
thread_local bool failed = false;

// Whether this allocation should succeed.
[[maybe_unused]] bool count_one() {
  if (!counting) return true;
  ++allocations;
  if (failing >= 0 && failing-- == 0) {
    failed = true;
    errno = ENOMEM;
    return false;
  }
  return true;
}

#if GRAZE_OWN_MALLOC
std::atomic<bool> measuring{false};
std::atomic<long> live{0}, peak{0};

// malloc knows the size of small blocks. Large ones count with the requested size: blocks aligned to a huge page own up
// to a page behind them that is never touched.
constexpr std::size_t kLarge = 1 << 20;
struct Large {
  void* block;
  std::size_t size;
};
std::array<Large, 512> large{};
std::atomic_flag large_busy = ATOMIC_FLAG_INIT;

// Replaces the entry of `from` by `to`; false if there is none.
bool replace_large(void* from, const Large& to, std::size_t& size) {
  while (large_busy.test_and_set(std::memory_order_acquire)) {
  }
  bool found = false;
  for (Large& entry : large) {
    if (entry.block != from) continue;
    size = entry.size;
    entry = to;
    found = true;
    break;
  }
  large_busy.clear(std::memory_order_release);
  return found;
}

void measure_taken(void* block, std::size_t asked) {
  if (!measuring.load(std::memory_order_relaxed) || block == nullptr) return;
  std::size_t size = 0, unused = 0;
  size = asked >= kLarge && replace_large(nullptr, {block, asked}, unused) ? asked : malloc_usable_size(block);
  const long now = live += static_cast<long>(size);
  long highest = peak;
  while (now > highest && !peak.compare_exchange_weak(highest, now)) {
  }
}

void measure_given(void* block) {
  if (!measuring.load(std::memory_order_relaxed) || block == nullptr) return;
  std::size_t size = malloc_usable_size(block);
  if (size >= kLarge) (void)replace_large(block, {nullptr, 0}, size);
  live -= static_cast<long>(size);
}
#endif

[[maybe_unused]] void* taken(void* block, [[maybe_unused]] std::size_t size) {
  balance += counting && block != nullptr ? 1 : 0;
#if GRAZE_OWN_MALLOC
  measure_taken(block, size);
#endif
  return block;
}

}  // namespace

#if GRAZE_OWN_MALLOC
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t size) { return count_one() ? taken(__libc_malloc(size), size) : nullptr; }
void* calloc(std::size_t count, std::size_t size) {
  return count_one() ? taken(__libc_calloc(count, size), count * size) : nullptr;
}
void* realloc(void* old, std::size_t size) {
  if (!count_one()) return nullptr;
  measure_given(old);
  void* moved = __libc_realloc(old, size);
  if (old == nullptr) return taken(moved, size);
  measure_taken(moved, size);
  return moved;
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return count_one() ? taken(__libc_memalign(alignment, size), size) : nullptr;
}
void* memalign(std::size_t alignment, std::size_t size) {
  return count_one() ? taken(__libc_memalign(alignment, size), size) : nullptr;
}
int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  *block = count_one() ? taken(__libc_memalign(alignment, size), size) : nullptr;
  return *block == nullptr ? ENOMEM : 0;
}
void free(void* block) {
  balance -= counting && block != nullptr ? 1 : 0;
  measure_given(block);
  __libc_free(block);
}
}
#endif

namespace graze_test {

bool counts_allocations() { return GRAZE_OWN_MALLOC != 0; }

void start_counting_allocations() {
  allocations = balance = 0;
  failing = -1, failed = false;
  counting = true;
}

void start_failing_allocations(long after) {
  start_counting_allocations();
  failing = after;
}

FailedAllocation stop_failing_allocations() {
  counting = false;
  failing = -1;
  return {failed, balance};
}

void start_measuring_memory() {
#if GRAZE_OWN_MALLOC
  live = peak = 0;
  large.fill({});
  measuring = true;
#endif
}

long stop_measuring_memory() {
#if GRAZE_OWN_MALLOC
  measuring = false;
  return peak;
#else
  return 0;
#endif
}

long stop_counting_allocations() {
  counting = false;
  return allocations;
}

}  // namespace graze_test
