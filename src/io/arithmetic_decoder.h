// The arithmetic coding of LAZ files: adaptive models, and integers as corrections of a prediction.
//
// An interval [0, length) holds a value; each symbol takes a part of it that is as large as the symbol was frequent so
// far. Whenever the interval falls below 2^24 both are shifted by a byte, and the value takes in the next one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "io/bytes.h"

namespace graze::io {

/// The bytes of a part of a file, one after the other.
class ByteStream {
 public:
  ByteStream() = default;
  ByteStream(std::shared_ptr<const Bytes> bytes, std::uint64_t begin, std::uint64_t end);

  /// The next byte; 0 behind the end, and exhausted() from then on.
  std::uint32_t next() { return at_ < filled_ || refill() ? buffer_[at_++] : 0; }
  /// Exactly `count` bytes; false if there are fewer.
  bool take(void* to, std::size_t count);
  bool exhausted() const { return exhausted_; }
  /// Of the next byte in the file.
  std::uint64_t position() const { return offset_ - (filled_ - at_); }

 private:
  bool refill();

  std::shared_ptr<const Bytes> bytes_;
  std::uint64_t offset_ = 0, end_ = 0;  // of what was not yet read into the buffer
  std::size_t at_ = 0, filled_ = 0;
  bool exhausted_ = false;
  std::array<unsigned char, 2048> buffer_{};
};

/// How often a bit was 0.
struct BitModel {
  std::uint32_t zeros = 1, all = 2, zero_share = 1U << 12U, until_update = 4, cycle = 4;
  void update();
};

/// How often each of some symbols came, all alike at first. Made when it is first used.
class SymbolModel {
 public:
  explicit SymbolModel(std::uint32_t symbols) : symbols_(symbols) {}
  /// All symbols are alike again.
  void reset() { counts_.clear(); }

 private:
  friend class ArithmeticDecoder;
  void start();
  void update();

  std::uint32_t symbols_;
  std::uint32_t total_ = 0, cycle_ = 0, until_update_ = 0;
  unsigned table_shift_ = 0;
  std::vector<std::uint32_t> counts_, below_;  // below_: the share of all lower symbols, in 2^-15
  std::vector<std::uint32_t> table_;           // the symbol of every 2^table_shift_-th share, and one more
};

/// Takes symbols from bytes. What damaged bytes give is some symbol; fault() tells where that is certain.
class ArithmeticDecoder {
 public:
  ArithmeticDecoder() = default;
  /// Begins with the first bytes of `in`.
  explicit ArithmeticDecoder(ByteStream in);

  std::uint32_t bit(BitModel& model);
  std::uint32_t symbol(SymbolModel& model);
  /// The next `count` bits, up to 32, without a model.
  std::uint32_t bits(unsigned count);
  std::uint64_t bits64();

  /// Whether the bytes ended too soon, or cannot have been made by an encoder.
  bool fault() const { return fault_ || in_.exhausted(); }
  std::uint64_t position() const { return in_.position(); }

 private:
  void widen();

  ByteStream in_;
  std::uint32_t value_ = 0, length_ = 0xFFFFFFFFU;
  bool fault_ = false;
};

/// Integers of 8, 16 or 32 bits as corrections of predictions; modulo 2^bits.
class IntegerDecoder {
 public:
  explicit IntegerDecoder(unsigned bits, unsigned contexts = 1);
  void reset();

  /// Reads the correction in a context, and adds it.
  std::int32_t next(ArithmeticDecoder& from, std::int32_t prediction, unsigned context = 0);
  /// How many bits the last correction had.
  unsigned width() const { return width_; }

 private:
  unsigned bits_, width_ = 0;
  std::vector<SymbolModel> widths_;  // per context
  BitModel one_bit_;
  std::vector<SymbolModel> corrections_;  // of 1, 2, … bits, the upper eight of them
};

}  // namespace graze::io
