#include "io/laz_items.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "io/laz_values.h"

namespace graze::io::laz {
namespace {

// Positions in the 20 bytes of a point of formats 0 to 5.
constexpr std::size_t kIntensity = 12, kReturns = 14, kClass = 15, kAngle = 16, kUser = 17, kSource = 18;

/// Context of a point by its number of returns (row) and its return.
constexpr std::array<std::array<std::uint8_t, 8>, 8> kReturnContext = {{{15, 14, 13, 12, 11, 10, 9, 8},
                                                                        {14, 0, 1, 3, 6, 10, 10, 9},
                                                                        {13, 1, 2, 4, 7, 11, 11, 10},
                                                                        {12, 3, 4, 5, 8, 12, 12, 11},
                                                                        {11, 6, 7, 8, 9, 13, 13, 12},
                                                                        {10, 10, 11, 12, 13, 14, 14, 13},
                                                                        {9, 10, 11, 12, 13, 14, 15, 14},
                                                                        {8, 9, 10, 11, 12, 13, 14, 15}}};

/// Points of formats 0 to 5 as LASzip 1.x wrote them.
class Point10Version1 final : public Item {
 public:
  void start(const char*) override {
    for (IntegerDecoder* d : {&dx_, &dy_, &z_, &intensity_, &angle_, &source_}) d->reset();
    changed_.reset();
    for (auto* all : {&returns_, &classes_, &users_}) reset_all(*all);
    steps_ = {};
    oldest_ = 0;
  }
  void next(ArithmeticDecoder& from, char* p) override {
    const std::int32_t dx = dx_.next(from, median(0));
    unsigned width = dx_.width();
    const std::int32_t dy = dy_.next(from, median(1), std::min(width, 19U));
    width = (width + dy_.width()) / 2;
    write(p, sum(read<std::int32_t>(p), dx));
    write(p + 4, sum(read<std::int32_t>(p + 4), dy));
    write(p + 8, z_.next(from, read<std::int32_t>(p + 8), std::min(width, 19U)));
    const unsigned changed = from.symbol(changed_);
    if ((changed & 32U) != 0)
      write(p + kIntensity, static_cast<std::uint16_t>(intensity_.next(from, read<std::uint16_t>(p + kIntensity))));
    if ((changed & 16U) != 0) p[kReturns] = static_cast<char>(from.symbol(returns_[byte_at(p, kReturns)]));
    if ((changed & 8U) != 0) p[kClass] = static_cast<char>(from.symbol(classes_[byte_at(p, kClass)]));
    if ((changed & 4U) != 0) p[kAngle] = static_cast<char>(angle_.next(from, byte_at(p, kAngle), width < 3 ? 1 : 0));
    if ((changed & 2U) != 0) p[kUser] = static_cast<char>(from.symbol(users_[byte_at(p, kUser)]));
    if ((changed & 1U) != 0)
      write(p + kSource, static_cast<std::uint16_t>(source_.next(from, read<std::uint16_t>(p + kSource))));
    steps_[0][oldest_] = dx;
    steps_[1][oldest_] = dy;
    oldest_ = (oldest_ + 1) % 3;
  }

 private:
  std::int32_t median(std::size_t axis) const {
    const auto& [a, b, c] = steps_[axis];
    return std::max(std::min(a, b), std::min(std::max(a, b), c));
  }

  IntegerDecoder dx_{32}, dy_{32, 20}, z_{32, 20}, intensity_{16}, angle_{8, 2}, source_{16};
  SymbolModel changed_{64};
  std::vector<SymbolModel> returns_ = models(256, 256), classes_ = models(256, 256), users_ = models(256, 256);
  std::array<std::array<std::int32_t, 3>, 2> steps_{};
  std::size_t oldest_ = 0;
};

class Point10 final : public Item {
 public:
  void start(const char*) override {
    for (IntegerDecoder* d : {&dx_, &dy_, &z_, &intensity_, &source_}) d->reset();
    changed_.reset();
    for (auto* all : {&angles_, &returns_, &classes_, &users_}) reset_all(*all);
    for (auto& medians : steps_) medians.fill({});
    last_intensity_.fill(0);
    last_z_.fill(0);
  }
  void next(ArithmeticDecoder& from, char* p) override {
    const unsigned changed = from.symbol(changed_);
    if ((changed & 32U) != 0) p[kReturns] = static_cast<char>(from.symbol(returns_[byte_at(p, kReturns)]));
    const unsigned number = byte_at(p, kReturns) & 7U, all = byte_at(p, kReturns) >> 3U & 7U;
    const unsigned context = kReturnContext[all][number];
    const unsigned level = all > number ? all - number : number - all;
    if (changed != 0) {
      if ((changed & 16U) != 0) {
        last_intensity_[context] =
            static_cast<std::uint16_t>(intensity_.next(from, last_intensity_[context], std::min(context, 3U)));
      }
      if ((changed & 8U) != 0) p[kClass] = static_cast<char>(from.symbol(classes_[byte_at(p, kClass)]));
      if ((changed & 4U) != 0)
        p[kAngle] = static_cast<char>(byte_at(p, kAngle) + from.symbol(angles_[byte_at(p, kReturns) >> 6U & 1U]));
      if ((changed & 2U) != 0) p[kUser] = static_cast<char>(from.symbol(users_[byte_at(p, kUser)]));
      if ((changed & 1U) != 0)
        write(p + kSource, static_cast<std::uint16_t>(source_.next(from, read<std::uint16_t>(p + kSource))));
    }
    write(p + kIntensity, last_intensity_[context]);
    const unsigned single = all == 1 ? 1 : 0;
    const std::int32_t dx = dx_.next(from, steps_[0][context].get(), single);
    steps_[0][context].add(dx);
    write(p, sum(read<std::int32_t>(p), dx));
    const std::int32_t dy = dy_.next(from, steps_[1][context].get(), single + even_up_to(20, dx_.width()));
    steps_[1][context].add(dy);
    write(p + 4, sum(read<std::int32_t>(p + 4), dy));
    last_z_[level] = z_.next(from, last_z_[level], single + even_up_to(18, (dx_.width() + dy_.width()) / 2));
    write(p + 8, last_z_[level]);
  }

 private:
  IntegerDecoder dx_{32, 2}, dy_{32, 22}, z_{32, 20}, intensity_{16, 4}, source_{16};
  SymbolModel changed_{64};
  std::vector<SymbolModel> angles_ = models(2, 256), returns_ = models(256, 256), classes_ = models(256, 256),
                           users_ = models(256, 256);
  std::array<std::array<StreamedMedian, 16>, 2> steps_;
  std::array<std::uint16_t, 16> last_intensity_{};
  std::array<std::int32_t, 8> last_z_{};
};

class TimeVersion1 final : public Item {
 public:
  void start(const char*) override {
    multiples_.reset();
    without_step_.reset();
    integers_.reset();
    step_ = 0;
    extremes_ = 0;
  }
  void next(ArithmeticDecoder& from, char* item) override {
    auto time = read<std::uint64_t>(item);
    if (step_ == 0) {
      const std::uint32_t kind = from.symbol(without_step_);
      if (kind == 1) time += static_cast<std::uint64_t>(std::int64_t{step_ = integers_.next(from, 0, 0)});
      else if (kind == 2) time = from.bits64();
    } else {
      const std::uint32_t multiple = from.symbol(multiples_);
      if (multiple < kMost - 2) time += static_cast<std::uint64_t>(std::int64_t{by_multiple(from, multiple)});
      else if (multiple == kMost - 2) time = from.bits64();
    }
    write(item, time);
  }

 private:
  static constexpr std::uint32_t kMost = 512;
  std::int32_t by_multiple(ArithmeticDecoder& from, std::uint32_t multiple) {
    if (multiple == 1) {
      extremes_ = 0;
      return step_ = integers_.next(from, step_, 1);
    }
    const auto times = static_cast<std::int32_t>(multiple * static_cast<std::uint32_t>(step_));
    const std::int32_t step = multiple == 0   ? integers_.next(from, step_ / 4, 2)
                              : multiple < 10 ? integers_.next(from, times, 3)
                              : multiple < 50 ? integers_.next(from, times, 4)
                                              : integers_.next(from, times, 5);
    if ((multiple == 0 || multiple == kMost - 3) && ++extremes_ > 3) {
      step_ = step;
      extremes_ = 0;
    }
    return step;
  }

  SymbolModel multiples_{kMost}, without_step_{3};
  IntegerDecoder integers_{32, 6};
  std::int32_t step_ = 0;
  int extremes_ = 0;
};

class Time final : public Item {
 public:
  void start(const char* first) override { times_.start(read<std::uint64_t>(first)); }
  void next(ArithmeticDecoder& from, char* item) override { write(item, times_.next(from)); }

 private:
  TimeDecoder times_{1};
};

class ColorVersion1 final : public Item {
 public:
  void start(const char*) override {
    used_.reset();
    bytes_.reset();
  }
  void next(ArithmeticDecoder& from, char* item) override {
    const std::uint32_t used = from.symbol(used_);
    for (unsigned i = 0; i < 6; ++i) {
      if ((used >> i & 1U) != 0) item[i] = static_cast<char>(bytes_.next(from, byte_at(item, i), i));
    }
  }

 private:
  SymbolModel used_{64};
  IntegerDecoder bytes_{8, 6};
};

class Color final : public Item {
 public:
  void start(const char*) override { decoder_.reset(); }
  void next(ArithmeticDecoder& from, char* item) override {
    std::uint16_t last[3], color[3];
    std::memcpy(last, item, sizeof last);
    decoder_.next(from, last, color);
    std::memcpy(item, color, sizeof color);
  }

 private:
  ColorDecoder decoder_;
};

class Wave final : public Item {
 public:
  void start(const char*) override { decoder_.reset(); }
  void next(ArithmeticDecoder& from, char* item) override { decoder_.next(from, item); }

 private:
  WaveDecoder decoder_;
};

class PlainBytesVersion1 final : public Item {
 public:
  explicit PlainBytesVersion1(unsigned count) : count_(count), bytes_(8, count) {}
  void start(const char*) override { bytes_.reset(); }
  void next(ArithmeticDecoder& from, char* item) override {
    for (unsigned i = 0; i < count_; ++i) item[i] = static_cast<char>(bytes_.next(from, byte_at(item, i), i));
  }

 private:
  unsigned count_;
  IntegerDecoder bytes_;
};

class PlainBytes final : public Item {
 public:
  explicit PlainBytes(std::size_t count) : bytes_(models(count, 256)) {}
  void start(const char*) override { reset_all(bytes_); }
  void next(ArithmeticDecoder& from, char* item) override {
    for (std::size_t i = 0; i < bytes_.size(); ++i)
      item[i] = static_cast<char>(byte_at(item, i) + from.symbol(bytes_[i]));
  }

 private:
  std::vector<SymbolModel> bytes_;
};

std::uint32_t clamped(int x) { return static_cast<std::uint32_t>(std::clamp(x, 0, 255)); }

}  // namespace

std::unique_ptr<Item> make_item(const ItemKind& kind) {
  const bool first = kind.version == 1;
  if (kind.version < 1 || kind.version > 2) return nullptr;
  if (kind.type == kPoint10 && kind.size == 20)
    return first ? std::unique_ptr<Item>(new Point10Version1) : std::unique_ptr<Item>(new Point10);
  if (kind.type == kTime && kind.size == 8)
    return first ? std::unique_ptr<Item>(new TimeVersion1) : std::unique_ptr<Item>(new Time);
  if (kind.type == kColor && kind.size == 6)
    return first ? std::unique_ptr<Item>(new ColorVersion1) : std::unique_ptr<Item>(new Color);
  if (kind.type == kWave && kind.size == 29 && first) return std::make_unique<Wave>();
  if (kind.type == kBytes && kind.size > 0)
    return first ? std::unique_ptr<Item>(new PlainBytesVersion1(kind.size))
                 : std::unique_ptr<Item>(new PlainBytes(kind.size));
  return nullptr;
}

void StreamedMedian::add(std::int32_t value) {
  // The new value takes its place among the five, and the one at the end that is due goes.
  std::int32_t* const begin = values_;
  const bool upper = high_ ? value >= values_[2] : value > values_[2];
  if (high_) {
    values_[4] = value;
    for (std::int32_t* at = begin + 4; at > begin && at[-1] > at[0]; --at) std::swap(at[-1], at[0]);
    if (upper) high_ = false;
  } else {
    values_[0] = value;
    for (std::int32_t* at = begin; at < begin + 4 && at[1] < at[0]; ++at) std::swap(at[0], at[1]);
    if (!upper) high_ = true;
  }
}

TimeDecoder::TimeDecoder(unsigned spare) : spare_(spare), multiples_(515 + spare), without_step_(5 + spare) {}

void TimeDecoder::start(std::uint64_t first) {
  multiples_.reset();
  without_step_.reset();
  integers_.reset();
  std::fill(std::begin(times_), std::end(times_), 0);
  std::fill(std::begin(steps_), std::end(steps_), 0);
  std::fill(std::begin(extremes_), std::end(extremes_), 0);
  sequence_ = newest_ = 0;
  times_[0] = first;
}

// A time too far from the last one: a sequence of its own.
void TimeDecoder::whole(ArithmeticDecoder& from) {
  newest_ = (newest_ + 1) & 3U;
  const auto upper =
      static_cast<std::uint32_t>(integers_.next(from, static_cast<std::int32_t>(times_[sequence_] >> 32U), 8));
  times_[newest_] = std::uint64_t{upper} << 32U | from.bits(32);
  sequence_ = newest_;
  steps_[sequence_] = 0;
  extremes_[sequence_] = 0;
}

std::uint32_t TimeDecoder::by_multiple(ArithmeticDecoder& from, int multiple) {
  constexpr int kMost = 500, kLeast = -10;
  if (multiple > kMost) multiple = kMost - multiple;  // codes above mean 0 and negative multiples
  else if (multiple == 0) multiple = kMost + 1;       // and 0 means: none of them
  const auto times = [&](int factor) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(factor) *
                                     static_cast<std::uint32_t>(steps_[sequence_]));
  };
  const bool extreme = multiple >= kMost || multiple <= kLeast;
  const unsigned context = multiple > kMost    ? 7
                           : multiple == kMost ? 4
                           : multiple >= 10    ? 3
                           : multiple > 0      ? 2
                           : multiple > kLeast ? 5
                                               : 6;
  const std::int32_t step = integers_.next(from, multiple > kMost ? 0 : times(std::max(multiple, kLeast)), context);
  if (extreme && ++extremes_[sequence_] > 3) {
    steps_[sequence_] = step;
    extremes_[sequence_] = 0;
  }
  return static_cast<std::uint32_t>(step);
}

std::uint64_t TimeDecoder::next(ArithmeticDecoder& from) {
  constexpr int kWhole = 511;  // and beyond: another sequence
  const auto advance = [&](std::uint32_t step) {
    times_[sequence_] += static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(step)});
  };
  // Encoders change the sequence once at most.
  for (int changes = 0; changes < 4; ++changes) {
    if (steps_[sequence_] == 0) {
      const unsigned kind = from.symbol(without_step_);
      if (kind < spare_) break;
      if (kind == spare_) {
        steps_[sequence_] = integers_.next(from, 0, 0);
        extremes_[sequence_] = 0;
        advance(static_cast<std::uint32_t>(steps_[sequence_]));
        break;
      }
      if (kind == spare_ + 1) {
        whole(from);
        break;
      }
      sequence_ = (sequence_ + kind - spare_ - 1) & 3U;
    } else {
      const int multiple = static_cast<int>(from.symbol(multiples_)), spare = static_cast<int>(spare_);
      if (multiple == 1) {
        extremes_[sequence_] = 0;
        advance(static_cast<std::uint32_t>(integers_.next(from, steps_[sequence_], 1)));
        break;
      }
      if (multiple < kWhole) {
        advance(by_multiple(from, multiple));
        break;
      }
      if (multiple < kWhole + spare) break;
      if (multiple == kWhole + spare) {
        whole(from);
        break;
      }
      sequence_ = (sequence_ + static_cast<unsigned>(multiple - kWhole - spare)) & 3U;
    }
  }
  return times_[sequence_];
}

ColorDecoder::ColorDecoder() : bytes_(models(6, 256)) {}

void ColorDecoder::reset() {
  used_.reset();
  reset_all(bytes_);
}

void ColorDecoder::next(ArithmeticDecoder& from, const std::uint16_t* last, std::uint16_t* color) {
  const std::uint32_t used = from.symbol(used_);
  // Green and blue follow the change of those before them, lower and upper bytes apart.
  const auto part = [&](int channel, unsigned shift) { return static_cast<int>(last[channel] >> shift & 255U); };
  const auto read_byte = [&](unsigned index, int prediction) {
    return (used >> index & 1U) != 0 ? (clamped(prediction) + from.symbol(bytes_[index])) & 255U : ~0U;
  };
  std::uint32_t bytes[3][2];
  for (unsigned half = 0; half < 2; ++half) {
    const std::uint32_t read = read_byte(half, part(0, 8 * half));
    bytes[0][half] = read != ~0U ? read : static_cast<std::uint32_t>(part(0, 8 * half));
  }
  const bool grey = (used >> 6U & 1U) == 0;
  for (unsigned half = 0; half < 2; ++half) {
    if (grey) {
      bytes[1][half] = bytes[2][half] = bytes[0][half];
      continue;
    }
    int change = static_cast<int>(bytes[0][half]) - part(0, 8 * half);
    for (unsigned channel = 1; channel < 3; ++channel) {
      const int before = part(static_cast<int>(channel), 8 * half);
      const std::uint32_t read = read_byte(2 * channel + half, change + before);
      bytes[channel][half] = read != ~0U ? read : static_cast<std::uint32_t>(before);
      change = (change + static_cast<int>(bytes[channel][half]) - before) / 2;
    }
  }
  for (int channel = 0; channel < 3; ++channel)
    color[channel] = static_cast<std::uint16_t>(bytes[channel][0] | bytes[channel][1] << 8U);
}

WaveDecoder::WaveDecoder() : offset_kinds_(models(4, 4)) {}

void WaveDecoder::reset() {
  index_.reset();
  reset_all(offset_kinds_);
  for (IntegerDecoder* d : {&offsets_, &sizes_, &returns_, &directions_}) d->reset();
  offset_kind_ = 0;
  offset_step_ = 0;
}

void WaveDecoder::next(ArithmeticDecoder& from, char* wave) {
  wave[0] = static_cast<char>(from.symbol(index_));
  offset_kind_ = from.symbol(offset_kinds_[offset_kind_]);
  auto offset = read<std::uint64_t>(wave + 1);
  const auto size = read<std::uint32_t>(wave + 9);
  if (offset_kind_ == 1) offset += size;
  if (offset_kind_ == 2) {
    offset_step_ = offsets_.next(from, offset_step_);
    offset += static_cast<std::uint64_t>(std::int64_t{offset_step_});
  }
  if (offset_kind_ == 3) offset = from.bits64();
  write(wave + 1, offset);
  write(wave + 9, sizes_.next(from, static_cast<std::int32_t>(size)));
  write(wave + 13, returns_.next(from, read<std::int32_t>(wave + 13)));
  for (unsigned k = 0; k < 3; ++k)
    write(wave + 17 + 4 * k, directions_.next(from, read<std::int32_t>(wave + 17 + 4 * k), k));
}

}  // namespace graze::io::laz
