// Counts what a piece of code takes from the heap, or lets it fail. Executables that use it get their own malloc.
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
  bool failed;   ///< it came to that
  long balance;  ///< blocks that were taken and not given back
};
FailedAllocation stop_failing_allocations();

/// While on, what all threads take from the heap is added up; off returns the largest sum at any moment, in bytes. What
/// was taken before and is given back meanwhile counts against it.
void start_measuring_memory();
long stop_measuring_memory();

/// The most that `make` takes at any moment, its result included, in bytes. Always 0 where allocations are not counted.
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
