// The bytes of an E57 file without the check sums of its pages.
#pragma once

#include <cstdint>
#include <memory>

#include "io/bytes.h"

namespace graze::io {

/// Pages of `page_size` bytes, the last four of which are a check sum of the others: reads what is between, and throws
/// Error where a sum is wrong.
class E57Pages final : public Bytes {
 public:
  E57Pages(std::shared_ptr<const Bytes> file, std::uint64_t page_size);

  std::size_t read(std::uint64_t offset, void* to, std::size_t count) const override;
  /// Where a place of the file is in these bytes; Error if it is in a check sum or beyond the end.
  std::uint64_t from_file(std::uint64_t place, const char* what) const;
  /// The reverse.
  std::uint64_t in_file(std::uint64_t offset) const { return offset / data_ * page_ + offset % data_; }

 private:
  std::shared_ptr<const Bytes> file_;
  std::uint64_t page_, data_;
};

/// CRC-32C of Castagnoli, as E57 and others have it.
std::uint32_t crc32c(const void* bytes, std::size_t count);

}  // namespace graze::io
