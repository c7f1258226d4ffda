// LZF, the byte-oriented compression of binary_compressed PCD files.
//
// A control byte below 32 is followed by that many plus one literal bytes. Any other one repeats earlier bytes: its
// upper three bits are the length less 2 (7: a further byte is added to it), its lower five and the next byte the
// distance less 1, at most 8192.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "io/bytes.h"

namespace graze::io {

/// Unpacks from the front, as much at a time as is asked for. A copy goes on from where the original stood.
class LzfDecoder {
 public:
  /// Of `size` packed bytes at `offset`.
  LzfDecoder(std::shared_ptr<const Bytes> bytes, std::uint64_t offset, std::uint64_t size);

  /// The next `count` unpacked bytes, to `to` or (null) to nowhere. False if the packed bytes end before or make no
  /// sense: no later call means anything then.
  bool read(char* to, std::uint64_t count);
  bool at_end() const { return packed_left_ == 0 && begin_ == end_ && literals_ == 0 && repeats_ == 0; }

 private:
  static constexpr std::size_t kWindow = 8192, kInput = 4096;
  bool next_byte(unsigned char& byte);

  std::shared_ptr<const Bytes> bytes_;
  std::uint64_t offset_, packed_left_;
  std::uint64_t produced_ = 0;
  std::size_t begin_ = 0, end_ = 0;
  std::size_t literals_ = 0, repeats_ = 0, distance_ = 0;
  std::array<char, kWindow> window_{};
  std::array<unsigned char, kInput> input_{};
};

/// Packs `bytes`; the result may be longer by one part in 32.
std::string lzf_packed(std::string_view bytes);

}  // namespace graze::io
