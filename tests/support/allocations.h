// Counts the allocations of a piece of code, or makes one fail. Executables that use it get their own malloc.
#pragma once

namespace graze_test {

/// Whether allocations can be counted here; sanitizers own malloc themselves.
bool counts_allocations();

/// While on, this thread's allocations are counted from zero; off returns their number.
void start_counting_allocations();
long stop_counting_allocations();

/// While on, this thread's allocations are counted as above, and the one after `after` others fails, once.
void start_failing_allocations(long after);
struct FailedAllocation {
  bool failed;   ///< whether an allocation failed
  long balance;  ///< blocks that were allocated and not freed
};
FailedAllocation stop_failing_allocations();

/// While on, allocations of all threads are added up; off returns the peak sum, in bytes. Freeing memory that was
/// allocated before is subtracted.
void start_measuring_memory();
long stop_measuring_memory();

/// The peak memory of `make`, including its result, in bytes. Always 0 where allocations are not counted.
template <class Make>
long memory_of(const Make& make) {
  start_measuring_memory();
  [[maybe_unused]] const auto made = make();
  return stop_measuring_memory();
}

/// How often `ask` allocates on this thread. Always 0 where allocations are not counted.
template <class Ask>
long allocations_of(const Ask& ask) {
  start_counting_allocations();
  ask();
  return stop_counting_allocations();
}

}  // namespace graze_test
