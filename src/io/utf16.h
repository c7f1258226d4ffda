// Text in UTF-16, as some programs on Windows write it.
#pragma once

#include <optional>
#include <string>

#include "io/bytes.h"

namespace graze::io {

/// The text in UTF-8 if the bytes start with a byte order mark of UTF-16; nothing otherwise. Half a pair of surrogates
/// becomes U+FFFD. Throws Error where the last character is cut off.
std::optional<std::string> text_of_utf16(const Bytes& bytes);

}  // namespace graze::io
