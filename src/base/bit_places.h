// Where the bits of a byte are: orders that bring lanes together.
#pragma once

#include <array>
#include <cstdint>

namespace graze {

/// For each byte the places of the bits that are set, then zeros.
struct BitPlaces {
  std::array<std::array<std::uint32_t, 8>, 256> of{};

  constexpr BitPlaces() {
    for (unsigned bits = 0; bits < 256; ++bits) {
      std::size_t count = 0;
      for (unsigned place = 0; place < 8; ++place) {
        if ((bits >> place & 1U) != 0) of[bits][count++] = place;
      }
    }
  }
};
inline constexpr BitPlaces kBitPlaces;

}  // namespace graze
