// Counts what a piece of code takes from the heap. Executables that use it get their own malloc.
#pragma once

namespace graze_test {

/// Whether allocations can be counted here; sanitizers own malloc themselves.
bool counts_allocations();

/// While on, this thread's allocations are counted from zero; off returns their number.
void start_counting_allocations();
long stop_counting_allocations();

/// How often `ask` allocates on this thread. Always 0 where allocations are not counted.
template <class Ask>
long allocations_of(const Ask& ask) {
  start_counting_allocations();
  ask();
  return stop_counting_allocations();
}

}  // namespace graze_test
