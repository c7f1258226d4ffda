// Which instruction sets the SIMD kernels run on, and how tests choose one.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace graze {

/// The instruction sets that this build has kernels for and this machine can run, best first, "scalar" last:
/// of "AVX-512-DL", "AVX-512", "AVX2", "SSE4", "SSSE3", "NEON", …, "scalar". Answers are the same on all of them.
std::vector<std::string_view> simd_targets();

/// The one that the kernels use now: the best, unless a test has forced another.
std::string_view simd_target();

/// Makes the kernels of the whole process use one instruction set as long as it lives. For tests and benchmarks:
///
///     for (const auto name : simd_targets()) {
///       const ForcedSimdTarget forced(name);
///       …
///     }
///
/// Nested ones undo each other in reverse order; creating them on several threads at once makes no sense.
class ForcedSimdTarget {
 public:
  /// Throws Error if `name` is not one of simd_targets() on this machine.
  explicit ForcedSimdTarget(std::string_view name);
  ForcedSimdTarget(const ForcedSimdTarget&) = delete;
  ForcedSimdTarget& operator=(const ForcedSimdTarget&) = delete;
  ~ForcedSimdTarget();

 private:
  std::int64_t previous_;
};

}  // namespace graze
