// Pages from a template of the viewer, and the data that its script reads.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "graze/io/write_file.h"

namespace graze::app {

/// Writes the template with what stands in double braces replaced; {{data}} is written by `write_data`.
void write_from_template(FileWriter& file, std::string_view page, const std::map<std::string_view, std::string>& places,
                         const std::function<void()>& write_data);

/// The JSON text as the script element "graze-data".
void write_page_data(FileWriter& file, const std::string& json);
/// Bytes as the script element "graze-NAME", in base64.
void write_page_block(FileWriter& file, const std::string& name, std::string_view bytes);

/// The four bytes of a number as blocks have them, the lowest first.
template <class T>
requires(sizeof(T) == 4) void append_bytes(std::string& to, T value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  for (unsigned i = 0; i < 4; ++i) to += static_cast<char>(bits >> 8 * i & 0xFFU);
}

}  // namespace graze::app
