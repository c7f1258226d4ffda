// The message with which the library rejects something.
#pragma once

#include <string>

#include "graze/base/error.h"

namespace graze_test {

/// The message of the graze::Error that `call` throws; empty if it throws none.
template <class Call>
std::string refusal(Call&& call) {
  try {
    call();
  } catch (const graze::Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace graze_test
