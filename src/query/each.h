// What all questions about many things refuse.
#pragma once

#include <fmt/format.h>

#include "graze/base/error.h"

namespace graze {

inline void check_room(const char* name, std::size_t wanted, std::size_t room) {
  if (wanted != room) throw Error(name, fmt::format("needs room for one answer each: {}, got {}", wanted, room));
}

}  // namespace graze
