// What the answers of `graze ask` have in common: how numbers and vectors are spelled, verdicts, threads.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "graze/base/vec.h"
#include "graze/io/ask.h"

namespace graze::io {

/// The shortest digits that read back to the same double. JSON has no infinity: 1e999 overflows to it.
inline std::string text_of(double value) {
  if (std::isnan(value)) throw std::logic_error("the answer is not a number");
  if (std::isinf(value)) return value > 0 ? "1e999" : "-1e999";
  return fmt::format("{}", value + 0.0);  // no minus zero
}

inline std::string text_of(const Vec3& v) {
  if (is_finite(v)) return fmt::format("[{},{},{}]", v.x() + 0.0, v.y() + 0.0, v.z() + 0.0);
  return fmt::format("[{},{},{}]", text_of(v.x()), text_of(v.y()), text_of(v.z()));
}

inline AskVerdict verdict(bool touching) { return touching ? AskVerdict::touching : AskVerdict::clear; }

/// For so many parts of a question; a few are answered before other threads have started.
inline int threads_for(std::size_t parts) {
  constexpr std::size_t kFew = 1024;
  return parts < kFew ? 1 : 0;
}

}  // namespace graze::io
