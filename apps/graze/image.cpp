#include "image.h"

#include <algorithm>
#include <array>

namespace graze::app {
namespace {

void append_big_endian(std::string& out, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) out.push_back(static_cast<char>((value >> shift) & 0xFF));
}

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t n = 0; n < 256; ++n) {
    std::uint32_t c = n;
    for (int k = 0; k < 8; ++k) c = (c & 1) != 0 ? 0xEDB88320U ^ (c >> 1) : c >> 1;
    table[n] = c;
  }
  return table;
}

std::uint32_t crc32(std::string_view bytes) {
  static constexpr auto kTable = crc_table();
  std::uint32_t c = 0xFFFFFFFFU;
  for (const char byte : bytes) c = kTable[(c ^ static_cast<std::uint8_t>(byte)) & 0xFF] ^ (c >> 8);
  return ~c;
}

std::uint32_t adler32(std::string_view bytes) {
  std::uint32_t a = 1, b = 0;
  for (const char byte : bytes) {
    a = (a + static_cast<std::uint8_t>(byte)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

void append_chunk(std::string& out, std::string_view type, std::string_view data) {
  append_big_endian(out, static_cast<std::uint32_t>(data.size()));
  const std::string body = std::string(type).append(data);
  out += body;
  append_big_endian(out, crc32(body));
}

// A zlib stream of stored blocks.
std::string stored(std::string_view data) {
  constexpr std::size_t kMaxPerBlock = 65535;
  std::string out = "\x78\x01";
  for (std::size_t begin = 0; begin < data.size(); begin += kMaxPerBlock) {
    const std::size_t size = std::min(kMaxPerBlock, data.size() - begin);
    out.push_back(begin + size == data.size() ? '\1' : '\0');
    for (const std::size_t field : {size, ~size}) {
      out.push_back(static_cast<char>(field & 0xFF));
      out.push_back(static_cast<char>((field >> 8) & 0xFF));
    }
    out += data.substr(begin, size);
  }
  append_big_endian(out, adler32(data));
  return out;
}

}  // namespace

std::string png(const Image& image) {
  std::string header;
  append_big_endian(header, static_cast<std::uint32_t>(image.width));
  append_big_endian(header, static_cast<std::uint32_t>(image.height));
  header += std::string("\x08\x02\x00\x00\x00", 5);  // 8 bits, RGB, the only methods there are, not interlaced
  std::string rows;
  const std::size_t row_size = 3 * image.width;
  for (std::size_t y = 0; y < image.height; ++y) {
    rows.push_back('\0');  // no filter
    rows.append(reinterpret_cast<const char*>(image.rgb.data()) + y * row_size, row_size);
  }
  std::string out = "\x89PNG\r\n\x1A\n";
  append_chunk(out, "IHDR", header);
  append_chunk(out, "IDAT", stored(rows));
  append_chunk(out, "IEND", "");
  return out;
}

std::string base64(std::string_view bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes.size() ? static_cast<std::uint8_t>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out.push_back(i + k <= bytes.size() ? kDigits[(group >> (18 - 6 * k)) & 63] : '=');
    }
  }
  return out;
}

}  // namespace graze::app
