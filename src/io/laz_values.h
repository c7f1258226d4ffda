// What the parts of points in LAZ files have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "io/arithmetic_decoder.h"

namespace graze::io::laz {

template <class T>
T read(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
void write(char* to, T value) {
  std::memcpy(to, &value, sizeof value);
}
inline std::uint8_t byte_at(const char* item, std::size_t at) { return static_cast<std::uint8_t>(item[at]); }
/// Modulo 2^32.
inline std::int32_t sum(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}
inline std::vector<SymbolModel> models(std::size_t count, std::uint32_t symbols) {
  return std::vector<SymbolModel>(count, SymbolModel(symbols));
}
inline void reset_all(std::vector<SymbolModel>& all) {
  for (SymbolModel& model : all) model.reset();
}
/// Where the width of corrections chooses a context: even numbers up to `max`.
inline unsigned even_up_to(unsigned max, unsigned width) { return width < max ? width & ~1U : max; }

}  // namespace graze::io::laz
