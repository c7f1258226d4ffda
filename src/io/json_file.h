// Files that are one JSON text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "graze/base/error.h"
#include "io/json_value.h"

namespace graze::io {

/// The bytes of a file that is not larger than `largest`; `what` stands in the error ("a vehicle"). Throws Error.
std::string read_json_text(const std::string& path, std::uint64_t largest, std::string_view what);

/// Throws the error of a text that is not JSON, with the file and the line instead of the column of the whole text.
[[noreturn]] void refuse_json(std::string_view text, const std::string& name, const std::string& error);

/// make(root) of the text; an Error is thrown anew behind the name of the file. Throws Error if the text is not JSON.
template <class Make>
auto from_json(std::string_view text, const std::string& name, const Make& make) {
  const Document json(text);
  if (!json.error().empty()) refuse_json(text, name, json.error());
  try {
    return make(json.root());
  } catch (const Error& error) {
    throw Error(name, error.what());
  }
}

}  // namespace graze::io
