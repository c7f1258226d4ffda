#include "graze/base/number.h"

namespace graze {

std::string_view name_of(NumberType type) {
  constexpr std::array<std::string_view, 10> kNames = {"int8",   "uint8", "int16",  "uint16",  "int32",
                                                       "uint32", "int64", "uint64", "float32", "float64"};
  return kNames[static_cast<std::size_t>(type)];
}

}  // namespace graze
