#include "io/arithmetic_decoder.h"

#include <algorithm>
#include <cstring>

namespace graze::io {
namespace {

constexpr std::uint32_t kShortest = 1U << 24U;  // length of an interval
constexpr unsigned kBitShift = 13, kSymbolShift = 15;
constexpr unsigned kUpperBits = 8;  // of a correction that have a model; the others are as they are

}  // namespace

ByteStream::ByteStream(std::shared_ptr<const Bytes> bytes, std::uint64_t begin, std::uint64_t end)
    : bytes_(std::move(bytes)), offset_(begin), end_(end) {}

bool ByteStream::refill() {
  const std::size_t want = static_cast<std::size_t>(std::min<std::uint64_t>(buffer_.size(), end_ - offset_));
  filled_ = want > 0 ? bytes_->read(offset_, buffer_.data(), want) : 0;
  offset_ += filled_;
  at_ = 0;
  exhausted_ = exhausted_ || filled_ == 0;
  return filled_ > 0;
}

bool ByteStream::take(void* to, std::size_t count) {
  auto* bytes = static_cast<unsigned char*>(to);
  while (count > 0) {
    if (at_ == filled_ && !refill()) return false;
    const std::size_t part = std::min(count, filled_ - at_);
    std::memcpy(bytes, buffer_.data() + at_, part);
    at_ += part, bytes += part, count -= part;
  }
  return true;
}

void BitModel::update() {
  constexpr std::uint32_t kMostBits = 1U << kBitShift;
  if ((all += cycle) > kMostBits) {
    all = (all + 1) >> 1U;
    zeros = (zeros + 1) >> 1U;
    if (zeros == all) ++all;
  }
  zero_share = (zeros * (0x80000000U / all)) >> (31 - kBitShift);
  cycle = std::min(5 * cycle >> 2U, 64U);
  until_update = cycle;
}

void SymbolModel::start() {
  counts_.assign(symbols_, 1);
  below_.assign(symbols_, 0);
  table_.clear();
  table_shift_ = 0;
  if (symbols_ > 16) {
    unsigned bits = 3;
    while (symbols_ > 1U << (bits + 2)) ++bits;
    table_shift_ = kSymbolShift - bits;
    table_.assign((std::size_t{1} << bits) + 2, 0);
  }
  total_ = 0;
  cycle_ = symbols_;
  update();
  until_update_ = cycle_ = (symbols_ + 6) >> 1U;
}

void SymbolModel::update() {
  if ((total_ += cycle_) > 1U << kSymbolShift) {
    total_ = 0;
    for (std::uint32_t& count : counts_) total_ += count = (count + 1) >> 1U;
  }
  const std::uint32_t scale = 0x80000000U / total_;
  std::uint32_t sum = 0;
  std::size_t filled = 0;
  for (std::uint32_t k = 0; k < symbols_; ++k) {
    below_[k] = (scale * sum) >> (31 - kSymbolShift);
    sum += counts_[k];
    if (table_.empty()) continue;
    for (const std::uint32_t entry = below_[k] >> table_shift_; filled < entry;) table_[++filled] = k - 1;
  }
  if (!table_.empty()) {
    table_[0] = 0;
    while (filled + 1 < table_.size()) table_[++filled] = symbols_ - 1;
  }
  cycle_ = std::min(5 * cycle_ >> 2U, (symbols_ + 6) << 3U);
  until_update_ = cycle_;
}

ArithmeticDecoder::ArithmeticDecoder(ByteStream in) : in_(std::move(in)) {
  for (int i = 0; i < 4; ++i) value_ = value_ << 8U | in_.next();
}

void ArithmeticDecoder::widen() {
  while (length_ < kShortest) {
    value_ = value_ << 8U | in_.next();
    length_ <<= 8U;
  }
}

std::uint32_t ArithmeticDecoder::bit(BitModel& model) {
  const std::uint32_t zero = model.zero_share * (length_ >> kBitShift);
  const bool one = value_ >= zero;
  if (one) {
    value_ -= zero;
    length_ -= zero;
  } else {
    length_ = zero;
    ++model.zeros;
  }
  widen();
  if (--model.until_update == 0) model.update();
  return one ? 1 : 0;
}

std::uint32_t ArithmeticDecoder::symbol(SymbolModel& model) {
  if (model.counts_.empty()) model.start();
  const std::uint32_t whole = length_, unit = length_ >> kSymbolShift, share = value_ / unit;
  std::uint32_t low = 0, high = model.symbols_;
  if (!model.table_.empty()) {
    const std::size_t entry = std::min<std::size_t>(share >> model.table_shift_, model.table_.size() - 2);
    low = model.table_[entry];
    high = model.table_[entry + 1] + 1;
  }
  while (high > low + 1) {
    const std::uint32_t middle = (low + high) >> 1U;
    if (model.below_[middle] > share) high = middle;
    else low = middle;
  }
  const std::uint32_t from = model.below_[low] * unit;
  const std::uint32_t to = low + 1 < model.symbols_ ? model.below_[low + 1] * unit : whole;
  value_ -= from;
  length_ = to - from;
  // Past the interval, or in a part without a length: no encoder wrote this.
  if (value_ >= length_) {
    fault_ = true;
    value_ = 0;
    length_ = 0xFFFFFFFFU;
  }
  widen();
  ++model.counts_[low];
  if (--model.until_update_ == 0) model.update();
  return low;
}

std::uint32_t ArithmeticDecoder::bits(unsigned count) {
  if (count > 19) {
    const std::uint32_t lower = bits(16);
    return bits(count - 16) << 16U | lower;
  }
  length_ >>= count;
  const std::uint32_t read = value_ / length_;
  value_ -= length_ * read;
  widen();
  if (read >> count != 0) {
    fault_ = true;
    return 0;
  }
  return read;
}

std::uint64_t ArithmeticDecoder::bits64() {
  const std::uint64_t lower = bits(32);
  return std::uint64_t{bits(32)} << 32U | lower;
}

IntegerDecoder::IntegerDecoder(unsigned bits, unsigned contexts) : bits_(bits) {
  widths_.assign(contexts, SymbolModel(bits + 1));
  for (unsigned i = 1; i <= bits; ++i) corrections_.emplace_back(1U << std::min(i, kUpperBits));
}

void IntegerDecoder::reset() {
  width_ = 0;
  one_bit_ = {};
  for (SymbolModel& model : widths_) model.reset();
  for (SymbolModel& model : corrections_) model.reset();
}

std::int32_t IntegerDecoder::next(ArithmeticDecoder& from, std::int32_t prediction, unsigned context) {
  width_ = from.symbol(widths_[context]);
  std::uint32_t correction = 0;
  if (width_ == 0) {
    correction = from.bit(one_bit_);
  } else if (width_ == 32) {
    correction = 0x80000000U;
  } else {
    correction = from.symbol(corrections_[width_ - 1]);
    if (width_ > kUpperBits) {
      const unsigned rest = width_ - kUpperBits;
      correction = correction << rest | from.bits(rest);
    }
    // From -(2^width - 1) to -2^(width - 1), and from 2^(width - 1) + 1 to 2^width.
    if (correction >= 1U << (width_ - 1)) correction += 1;
    else correction -= (1U << width_) - 1;
  }
  const std::uint32_t sum = static_cast<std::uint32_t>(prediction) + correction;
  return static_cast<std::int32_t>(bits_ == 32 ? sum : sum & ((1U << bits_) - 1));
}

}  // namespace graze::io
