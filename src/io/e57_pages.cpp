#include "io/e57_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "graze/base/error.h"

namespace graze::io {
namespace {

constexpr std::uint64_t kSum = 4;  // bytes

// What eight bytes behind each other contribute, each by its distance from the end.
using CrcTables = std::array<std::array<std::uint32_t, 256>, 8>;
CrcTables make_tables() {
  CrcTables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1U ^ ((crc & 1U) != 0 ? 0x82F63B78U : 0U);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < tables.size(); ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte)
      tables[k][byte] = tables[k - 1][byte] >> 8U ^ tables[0][tables[k - 1][byte] & 255U];
  }
  return tables;
}

}  // namespace

std::uint32_t crc32c(const void* bytes, std::size_t count) {
  static const CrcTables kTables = make_tables();
  const auto* at = static_cast<const unsigned char*>(bytes);
  std::uint32_t crc = ~0U;
  for (; count >= 8; count -= 8, at += 8) {
    std::uint32_t low = 0;
    std::memcpy(&low, at, 4);
    low ^= crc;
    crc = kTables[7][low & 255U] ^ kTables[6][low >> 8U & 255U] ^ kTables[5][low >> 16U & 255U] ^
          kTables[4][low >> 24U] ^ kTables[3][at[4]] ^ kTables[2][at[5]] ^ kTables[1][at[6]] ^ kTables[0][at[7]];
  }
  for (; count > 0; --count, ++at) crc = crc >> 8U ^ kTables[0][(crc ^ *at) & 255U];
  return ~crc;
}

E57Pages::E57Pages(std::shared_ptr<const Bytes> file, std::uint64_t page_size)
    : Bytes(file->name(), file->size() / page_size * (page_size - kSum)),
      file_(std::move(file)),
      page_(page_size),
      data_(page_size - kSum) {}

std::size_t E57Pages::read(std::uint64_t offset, void* to, std::size_t count) const {
  std::vector<char> page(static_cast<std::size_t>(page_));
  auto* bytes = static_cast<char*>(to);
  std::size_t done = 0;
  while (done < count && offset < size()) {
    const std::uint64_t number = offset / data_, within = offset % data_;
    if (file_->read(number * page_, page.data(), page.size()) != page.size()) break;
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < kSum; ++i)
      sum = sum << 8U | static_cast<unsigned char>(page[static_cast<std::size_t>(data_) + i]);
    if (crc32c(page.data(), static_cast<std::size_t>(data_)) != sum)
      throw Error(fmt::format("{}: byte {}", name(), number * page_),
                  fmt::format("the check sum of this page of {} bytes is wrong: the file is damaged", page_));
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(count - done, data_ - within));
    std::memcpy(bytes + done, page.data() + within, part);
    done += part;
    offset += part;
  }
  return done;
}

std::uint64_t E57Pages::from_file(std::uint64_t place, const char* what) const {
  const std::uint64_t offset = place / page_ * data_ + place % page_;
  if (place % page_ >= data_ || offset >= size())
    throw Error(name(), fmt::format("places {} at byte {}, which is {}", what, place,
                                    offset >= size() ? "beyond its end; was it cut off?" : "within a check sum"));
  return offset;
}

}  // namespace graze::io
