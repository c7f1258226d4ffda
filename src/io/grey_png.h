// Grey PNG images, row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "io/bytes.h"

namespace graze::io {

/// Reads a grey image of 1 to 16 bits that is not interlaced (ISO/IEC 15948). zlib inflates it into rows; nothing but
/// two of them is kept. Every function throws Error naming the file and the reason: bytes that are damaged, by their
/// checksums or otherwise, are refused, never guessed.
class GreyPng {
 public:
  /// Reads up to the first row.
  explicit GreyPng(std::shared_ptr<const Bytes> bytes);
  ~GreyPng();
  GreyPng(const GreyPng&) = delete;
  GreyPng& operator=(const GreyPng&) = delete;

  std::size_t columns() const;
  std::size_t rows() const;
  /// What white is: 2^bits − 1.
  std::uint32_t largest() const;
  /// The value that is transparent, where the image says that there is one.
  std::optional<std::uint16_t> transparent() const;
  /// The next row, from the top; `values` has room for all columns. Not more often than there are rows.
  void next_row(std::span<std::uint16_t> values);
  /// After the last row: checks that the image ends there, and as it should.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace graze::io
