#include "io/lzf.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace graze::io {

LzfDecoder::LzfDecoder(std::shared_ptr<const Bytes> bytes, std::uint64_t offset, std::uint64_t size)
    : bytes_(std::move(bytes)), offset_(offset), packed_left_(size) {}

bool LzfDecoder::next_byte(unsigned char& byte) {
  if (begin_ == end_) {
    begin_ = end_ = 0;
    const std::size_t want = static_cast<std::size_t>(std::min<std::uint64_t>(packed_left_, kInput));
    end_ = want == 0 ? 0 : bytes_->read(offset_, input_.data(), want);
    if (end_ == 0) return false;
    offset_ += end_;
    packed_left_ -= end_;
  }
  byte = input_[begin_++];
  return true;
}

bool LzfDecoder::read(char* to, std::uint64_t count) {
  while (count > 0) {
    if (literals_ == 0 && repeats_ == 0) {
      unsigned char control = 0, more = 0;
      if (!next_byte(control)) return false;
      if (control < 32) {
        literals_ = control + 1U;
        continue;
      }
      repeats_ = control >> 5U;
      if (repeats_ == 7) {
        if (!next_byte(more)) return false;
        repeats_ += more;
      }
      repeats_ += 2;
      if (!next_byte(more)) return false;
      distance_ = ((control & 31U) << 8U | more) + 1U;
      if (distance_ > produced_) return false;
    }
    const std::size_t run = static_cast<std::size_t>(std::min<std::uint64_t>(count, literals_ + repeats_));
    for (std::size_t i = 0; i < run; ++i) {
      unsigned char byte = 0;
      if (literals_ > 0) {
        if (!next_byte(byte)) return false;
        --literals_;
      } else {
        byte = static_cast<unsigned char>(window_[(produced_ - distance_) % kWindow]);
        --repeats_;
      }
      window_[produced_++ % kWindow] = static_cast<char>(byte);
      if (to != nullptr) *to++ = static_cast<char>(byte);
    }
    count -= run;
  }
  return true;
}

std::string lzf_packed(std::string_view bytes) {
  constexpr std::size_t kLongestLiterals = 32, kLongestRepeat = 264, kFarthest = 8192, kShortestRepeat = 3;
  constexpr unsigned kHashBits = 14;
  std::vector<std::size_t> last(std::size_t{1} << kHashBits, bytes.size());  // where a hash was seen; size(): nowhere
  std::string packed;
  packed.reserve(bytes.size() / 2);
  std::size_t literals = 0;  // first byte that was not written
  const auto flush = [&](std::size_t end) {
    while (literals < end) {
      const std::size_t count = std::min(kLongestLiterals, end - literals);
      packed += static_cast<char>(count - 1);
      packed.append(bytes.substr(literals, count));
      literals += count;
    }
  };
  for (std::size_t i = 0; i + kShortestRepeat <= bytes.size();) {
    const auto byte = [&](std::size_t at) { return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at])); };
    const std::uint32_t key = (byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2)) * 2654435761U >> (32U - kHashBits);
    const std::size_t earlier = last[key];
    last[key] = i;
    if (earlier >= i || i - earlier > kFarthest || bytes.substr(earlier, 3) != bytes.substr(i, 3)) {
      ++i;
      continue;
    }
    std::size_t length = kShortestRepeat;
    while (length < kLongestRepeat && i + length < bytes.size() && bytes[earlier + length] == bytes[i + length])
      ++length;
    flush(i);
    const std::size_t distance = i - earlier - 1, code = length - 2;
    packed += static_cast<char>(std::min<std::size_t>(code, 7) << 5U | distance >> 8U);
    if (code >= 7) packed += static_cast<char>(code - 7);
    packed += static_cast<char>(distance & 255U);
    i += length;
    literals = i;
  }
  flush(bytes.size());
  return packed;
}

}  // namespace graze::io
