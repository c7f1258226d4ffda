#include "io/utf16.h"

#include <array>
#include <cstdint>

#include "graze/base/error.h"

namespace graze::io {
namespace {

void append(std::string& text, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  const auto rest = [&](unsigned shift) { put(0x80U | (code >> shift & 0x3FU)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) return put(0xC0U | code >> 6U), rest(0);
  if (code < 0x10000) return put(0xE0U | code >> 12U), rest(6), rest(0);
  put(0xF0U | code >> 18U), rest(12), rest(6), rest(0);
}

}  // namespace

std::optional<std::string> text_of_utf16(const Bytes& bytes) {
  std::array<unsigned char, 2> mark{};
  if (bytes.read(0, mark.data(), mark.size()) < mark.size()) return std::nullopt;
  const bool big_endian = mark[0] == 0xFE && mark[1] == 0xFF;
  if (!big_endian && !(mark[0] == 0xFF && mark[1] == 0xFE)) return std::nullopt;
  if (bytes.size() % 2 != 0)
    throw Error(bytes.name(), "is text in UTF-16 that ends within a character; was it cut off?");
  constexpr std::uint32_t kReplacement = 0xFFFD;
  std::string text;
  std::uint32_t high = 0;  // the first half of a pair of surrogates, or 0
  std::array<unsigned char, 4096> part{};
  for (std::uint64_t at = mark.size(); at < bytes.size();) {
    const std::size_t count = bytes.read(at, part.data(), part.size());
    if (count < 2) throw Error(bytes.name(), "became shorter while it was read");
    at += count - count % 2;
    for (std::size_t i = 0; i + 1 < count; i += 2) {
      const std::uint32_t unit =
          big_endian ? std::uint32_t{part[i]} << 8U | part[i + 1] : std::uint32_t{part[i + 1]} << 8U | part[i];
      const bool is_low = unit >= 0xDC00 && unit < 0xE000;
      if (high != 0) append(text, is_low ? 0x10000 + ((high - 0xD800) << 10U) + (unit - 0xDC00) : kReplacement);
      if (high != 0 && is_low) {
        high = 0;
        continue;
      }
      high = unit >= 0xD800 && unit < 0xDC00 ? unit : 0;
      if (high == 0) append(text, is_low ? kReplacement : unit);
    }
  }
  if (high != 0) append(text, kReplacement);
  return text;
}

}  // namespace graze::io
