// Sets of bits, word by word.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace graze {

/// Calls see(number) for each bit of a word whose first one has the number `begin`; false ends it, and is returned.
template <class See>
bool see_bits(std::uint64_t word, std::size_t begin, const See& see) {
  for (; word != 0; word &= word - 1) {
    if (!see(begin + static_cast<std::size_t>(std::countr_zero(word)))) return false;
  }
  return true;
}

/// Calls see(i, word) for each of up to kMax words that is not 0; false ends it, and is returned. Which ones are cannot
/// be guessed: only their number decides about a branch.
template <std::size_t kMax, class See>
bool see_filled(const std::uint64_t* words, std::size_t count, const See& see) {
  std::uint16_t filled[kMax];
  std::size_t some = 0;
  for (std::size_t i = 0; i < count; ++i) {
    filled[some] = static_cast<std::uint16_t>(i);
    some += words[i] != 0 ? 1 : 0;
  }
  for (std::size_t i = 0; i < some; ++i) {
    if (!see(std::size_t{filled[i]}, words[filled[i]])) return false;
  }
  return true;
}

}  // namespace graze
