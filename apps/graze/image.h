// Pictures in memory and as PNG.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace graze::app {

/// 8-bit RGB, rows from the top.
struct Image {
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

/// The picture as the bytes of a PNG file, uncompressed: simple, and small pictures do not mind.
std::string png(const Image& image);

std::string base64(std::string_view bytes);

}  // namespace graze::app
