// Timing two implementations beside each other, so that a busy machine disturbs both alike.
#pragma once

#include <time.h>

#include <algorithm>
#include <cstddef>

namespace graze::bench {

/// Nanoseconds of CPU time of this thread; other processes on the machine do not count.
inline double thread_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

/// Keeps the compiler from dropping the computation of `value`.
template <class T>
inline void keep(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

/// Nanoseconds of CPU time of one call of `work`.
template <class Work>
double time_of(Work&& work) {
  const double start = thread_nanoseconds();
  work();
  return thread_nanoseconds() - start;
}

struct Times {
  double ours, peer;  ///< ns per query: the fastest round of each
};

/// Runs both in turn, `rounds` times after one round that only warms up, and divides by the number of queries per call.
/// The fastest round is the least disturbed one.
///
///     auto [ours, peer] = compare(poses.size(), [&] { for (…) keep(collide(…)); }, [&] { for (…) keep(fcl::…); });
template <class Ours, class Peer>
Times compare(std::size_t queries, Ours&& ours, Peer&& peer, int rounds = 7) {
  ours();
  peer();
  Times best{time_of(ours), time_of(peer)};
  for (int i = 1; i < rounds; ++i) {
    best.ours = std::min(best.ours, time_of(ours));
    best.peer = std::min(best.peer, time_of(peer));
  }
  return {best.ours / static_cast<double>(queries), best.peer / static_cast<double>(queries)};
}

}  // namespace graze::bench
