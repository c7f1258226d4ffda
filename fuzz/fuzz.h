// Shared by all fuzz targets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace graze_fuzz {

/// Ends the run unless the claim holds; the fuzzer then keeps the input.
inline void expect(bool holds, const char* claim, const char* about = "") {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s %s\n", claim, about);
  std::abort();
}

/// The input as a source of choices; zeros once it is used up.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : at_(data), left_(size) {}

  std::size_t left() const { return left_; }
  std::uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *at_++;
  }
  std::int8_t small() { return static_cast<std::int8_t>(byte()); }
  /// Eight bytes as a double: specials included.
  double any_double() {
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits = bits << 8U | byte();
    double x = 0;
    std::memcpy(&x, &bits, sizeof x);
    return x;
  }

 private:
  const std::uint8_t* at_;
  std::size_t left_;
};

}  // namespace graze_fuzz
