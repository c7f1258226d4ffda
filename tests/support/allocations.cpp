#include "support/allocations.h"

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

namespace {

thread_local bool counting = false;
thread_local long allocations = 0;

}  // namespace

#if GRAZE_OWN_MALLOC
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  allocations += counting ? 1 : 0;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  allocations += counting ? 1 : 0;
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  allocations += counting ? 1 : 0;
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  allocations += counting ? 1 : 0;
  return __libc_memalign(alignment, size);
}
}
#endif

namespace graze_test {

bool counts_allocations() { return GRAZE_OWN_MALLOC != 0; }

void start_counting_allocations() {
  allocations = 0;
  counting = true;
}

long stop_counting_allocations() {
  counting = false;
  return allocations;
}

}  // namespace graze_test
