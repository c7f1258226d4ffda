// Points of formats 6 to 10 in LAZ files: one stream of bytes per kind of value, models per channel of the scanner.
#include <algorithm>
#include <array>
#include <cstring>

#include "io/laz_items.h"
#include "io/laz_values.h"

namespace graze::io::laz {
namespace {

constexpr unsigned kChannels = 4;

// Positions in the 30 bytes of a point.
constexpr std::size_t kWideIntensity = 12, kWideReturns = 14, kWideFlags = 15, kWideClass = 16, kWideUser = 17,
                      kWideAngle = 18, kWideSource = 20, kWideTimeAt = 22, kWidePointSize = 30;

/// Context of a point by its number of returns (row) and its return.
constexpr std::array<std::array<std::uint8_t, 16>, 16> kWideReturnContext = {
    {{0, 1, 2, 3, 4, 5, 3, 4, 4, 5, 5, 5, 5, 5, 5, 5},
     {1, 0, 1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3},
     {2, 1, 2, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3, 3, 3, 3},
     {3, 3, 4, 5, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4},
     {4, 3, 4, 4, 5, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4},
     {5, 3, 4, 4, 4, 5, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4},
     {3, 3, 4, 4, 4, 4, 5, 4, 4, 4, 4, 4, 4, 4, 4, 4},
     {4, 3, 4, 4, 4, 4, 4, 5, 4, 4, 4, 4, 4, 4, 4, 4},
     {4, 3, 4, 4, 4, 4, 4, 4, 5, 4, 4, 4, 4, 4, 4, 4},
     {5, 3, 4, 4, 4, 4, 4, 4, 4, 5, 4, 4, 4, 4, 4, 4},
     {5, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 4, 4, 4, 4, 4},
     {5, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 4, 4, 4},
     {5, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 4, 4},
     {5, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 4},
     {5, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5},
     {5, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5}}};

/// Models and last values of one channel.
struct PointChannel {
  bool used = false;
  std::array<char, kWidePointSize> last{};
  bool time_changed = false;  // at the last point

  std::vector<SymbolModel> changed = models(8, 128), returns = models(16, 16), numbers = models(16, 16);
  SymbolModel channel{3}, number_at_same_time{13};
  std::vector<SymbolModel> classes = models(64, 256), flags = models(64, 64), users = models(64, 256);
  IntegerDecoder dx{32, 2}, dy{32, 22}, z{32, 20}, intensity{16, 4}, angle{16, 2}, source{16};
  TimeDecoder times{0};
  std::array<std::array<StreamedMedian, 12>, 2> steps;
  std::array<std::int32_t, 8> last_z{};
  std::array<std::uint16_t, 8> last_intensity{};

  void start(const char* point) {
    used = true;
    std::memcpy(last.data(), point, kWidePointSize);
    time_changed = false;
    for (auto* all : {&changed, &returns, &numbers, &classes, &flags, &users}) reset_all(*all);
    channel.reset();
    number_at_same_time.reset();
    for (IntegerDecoder* d : {&dx, &dy, &z, &intensity, &angle, &source}) d->reset();
    times.start(read<std::uint64_t>(point + kWideTimeAt));
    for (auto& medians : steps) medians.fill({});
    last_z.fill(read<std::int32_t>(point + 8));
    last_intensity.fill(read<std::uint16_t>(point + kWideIntensity));
  }
};

class Point14 final : public LayeredItem {
 public:
  /// Version 3 tells the parts that follow which channel a point has only where it is another one than before, and
  /// otherwise 0.
  explicit Point14(bool version_3) : version_3_(version_3) {}
  std::size_t layers() const override { return 9; }

  void start(const char* first, unsigned, Layer* layers) override {
    layers_ = layers;
    for (auto& c : channels_) c.used = false;
    current_ = byte_at(first, kWideFlags) >> 4U & 3U;
    channels_[current_].start(first);
  }

  void next(char* item, unsigned& channel) override {
    ArithmeticDecoder& from = layers_[0].from;
    const unsigned changed = changes(from);
    if ((changed & 64U) != 0) change_channel(from);
    PointChannel& c = channels_[current_];
    char* const p = c.last.data();
    const bool source_changed = (changed & 32U) != 0, time_changed = (changed & 16U) != 0,
               angle_changed = (changed & 8U) != 0;
    const auto [number, all] = read_returns(from, c, changed);
    const unsigned at_time = time_changed ? 1 : 0, single = all == 1 ? 1 : 0;
    const std::size_t step = 2U * kWideReturnContext[all][number] + at_time;

    const std::int32_t dx = c.dx.next(from, c.steps[0][step].get(), single);
    c.steps[0][step].add(dx);
    write(p, sum(read<std::int32_t>(p), dx));
    const std::int32_t dy = c.dy.next(from, c.steps[1][step].get(), single + even_up_to(20, c.dx.width()));
    c.steps[1][step].add(dy);
    write(p + 4, sum(read<std::int32_t>(p + 4), dy));
    if (layers_[1].present) {
      std::int32_t& z = c.last_z[std::min(all > number ? all - number : number - all, 7U)];
      z = c.z.next(layers_[1].from, z, single + even_up_to(18, (c.dx.width() + c.dy.width()) / 2));
      write(p + 8, z);
    }
    const unsigned place = (number == 1 ? 2U : 0U) + (number >= all ? 1U : 0U);  // first, last or between
    read_rest(c, p, place, at_time, angle_changed, source_changed);
    if (layers_[8].present && time_changed) write(p + kWideTimeAt, c.times.next(layers_[8].from));
    c.time_changed = time_changed;
    std::memcpy(item, p, kWidePointSize);
    channel = version_3_ && (changed & 64U) == 0 ? 0 : current_;
  }

 private:
  // Which values change.
  unsigned changes(ArithmeticDecoder& from) {
    PointChannel& c = channels_[current_];
    const unsigned number = byte_at(c.last.data(), kWideReturns) & 15U,
                   all = byte_at(c.last.data(), kWideReturns) >> 4U;
    const unsigned context = (number == 1 ? 1U : 0U) + (number >= all ? 2U : 0U) + (c.time_changed ? 4U : 0U);
    return from.symbol(c.changed[context]);
  }

  void change_channel(ArithmeticDecoder& from) {
    PointChannel& old = channels_[current_];
    current_ = (current_ + from.symbol(old.channel) + 1) % kChannels;
    PointChannel& c = channels_[current_];
    if (!c.used) c.start(old.last.data());
    c.last[kWideFlags] = static_cast<char>((byte_at(c.last.data(), kWideFlags) & ~0x30U) | current_ << 4U);
  }

  // The return's number and how many there are.
  static std::pair<unsigned, unsigned> read_returns(ArithmeticDecoder& from, PointChannel& c, unsigned changed) {
    const unsigned last_number = byte_at(c.last.data(), kWideReturns) & 15U;
    unsigned all = byte_at(c.last.data(), kWideReturns) >> 4U, number = last_number;
    if ((changed & 4U) != 0) all = from.symbol(c.returns[all]);
    switch (changed & 3U) {
      case 1:
        number = (last_number + 1) % 16;
        break;
      case 2:
        number = (last_number + 15) % 16;
        break;
      case 3:
        number = (changed & 16U) != 0 ? from.symbol(c.numbers[last_number])
                                      : (last_number + from.symbol(c.number_at_same_time) + 2) % 16;
        break;
      default:
        break;
    }
    c.last[kWideReturns] = static_cast<char>(number | all << 4U);
    return {number, all};
  }

  void read_rest(PointChannel& c, char* p, unsigned place, unsigned at_time, bool angle_changed, bool source_changed) {
    if (layers_[2].present) {
      const unsigned context = (byte_at(p, kWideClass) & 31U) << 1U | (place == 3 ? 1U : 0U);
      p[kWideClass] = static_cast<char>(layers_[2].from.symbol(c.classes[context]));
    }
    if (layers_[3].present) {
      const unsigned flags = byte_at(p, kWideFlags);  // edge and direction stand above the channel
      const unsigned now = layers_[3].from.symbol(c.flags[(flags & 15U) | (flags >> 6U) << 4U]);
      p[kWideFlags] = static_cast<char>((flags & 0x30U) | (now & 15U) | (now >> 4U) << 6U);
    }
    if (layers_[4].present) {
      std::uint16_t& intensity = c.last_intensity[2U * place + at_time];
      intensity = static_cast<std::uint16_t>(c.intensity.next(layers_[4].from, intensity, place));
      write(p + kWideIntensity, intensity);
    }
    if (layers_[5].present && angle_changed) {
      const std::int32_t angle = c.angle.next(layers_[5].from, read<std::int16_t>(p + kWideAngle), at_time);
      write(p + kWideAngle, static_cast<std::int16_t>(angle));
    }
    if (layers_[6].present)
      p[kWideUser] = static_cast<char>(layers_[6].from.symbol(c.users[byte_at(p, kWideUser) / 4U]));
    if (layers_[7].present && source_changed) {
      const std::int32_t source = c.source.next(layers_[7].from, read<std::uint16_t>(p + kWideSource));
      write(p + kWideSource, static_cast<std::uint16_t>(source));
    }
  }

  bool version_3_;
  std::array<PointChannel, kChannels> channels_;
  unsigned current_ = 0;
  Layer* layers_ = nullptr;
};

/// The parts that follow a point: `Models` has reset(), layers(), and next(layers, bytes), which turns the last bytes
/// into the next.
template <class Models>
class Following final : public LayeredItem {
 public:
  /// Of version 3, which predicts at a change of channel from the channel before unless the new one was not used yet.
  Following(std::size_t size, bool version_3) : size_(size), version_3_(version_3) {
    for (auto& c : channels_) c.models = std::make_unique<Models>(size);
  }
  std::size_t layers() const override { return channels_[0].models->layers(); }

  void start(const char* first, unsigned channel, Layer* layers) override {
    layers_ = layers;
    for (Channel& c : channels_) c.used = false;
    begin(channels_[channel], first);
    current_ = channel;
  }

  void next(char* item, unsigned& channel) override {
    Channel* last = &channels_[current_];
    if (channel != current_) {
      Channel& now = channels_[channel];
      const bool fresh = !now.used;
      if (fresh) begin(now, last->last.data());
      if (fresh || !version_3_) last = &now;
      current_ = channel;
    }
    channels_[current_].models->next(layers_, last->last.data());
    std::memcpy(item, last->last.data(), size_);
  }

 private:
  struct Channel {
    bool used = false;
    std::vector<char> last;
    std::unique_ptr<Models> models;
  };
  void begin(Channel& c, const char* item) {
    c.used = true;
    c.last.assign(item, item + size_);
    c.models->reset();
  }

  std::size_t size_;
  bool version_3_;
  std::array<Channel, kChannels> channels_;
  unsigned current_ = 0;
  Layer* layers_ = nullptr;
};

class ColorModels {
 public:
  explicit ColorModels(std::size_t size) : infrared_(size == 8) {}
  std::size_t layers() const { return infrared_ ? 2 : 1; }
  void reset() {
    color_.reset();
    used_.reset();
    reset_all(bytes_);
  }
  void next(Layer* layers, char* item) {
    if (layers[0].present) {
      std::uint16_t last[3], color[3];
      std::memcpy(last, item, sizeof last);
      color_.next(layers[0].from, last, color);
      std::memcpy(item, color, sizeof color);
    }
    if (!infrared_ || !layers[1].present) return;
    const std::uint32_t used = layers[1].from.symbol(used_);
    for (unsigned i = 0; i < 2; ++i) {
      if ((used >> i & 1U) != 0)
        item[6 + i] = static_cast<char>(byte_at(item, 6 + i) + layers[1].from.symbol(bytes_[i]));
    }
  }

 private:
  bool infrared_;
  ColorDecoder color_;
  SymbolModel used_{4};
  std::vector<SymbolModel> bytes_ = models(2, 256);
};

class WaveModels {
 public:
  explicit WaveModels(std::size_t) {}
  static std::size_t layers() { return 1; }
  void reset() { decoder_.reset(); }
  void next(Layer* layers, char* item) {
    if (layers[0].present) decoder_.next(layers[0].from, item);
  }

 private:
  WaveDecoder decoder_;
};

class ByteModels {
 public:
  explicit ByteModels(std::size_t size) : bytes_(models(size, 256)) {}
  std::size_t layers() const { return bytes_.size(); }
  void reset() { reset_all(bytes_); }
  void next(Layer* layers, char* item) {
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      if (layers[i].present) item[i] = static_cast<char>(byte_at(item, i) + layers[i].from.symbol(bytes_[i]));
    }
  }

 private:
  std::vector<SymbolModel> bytes_;
};

}  // namespace

std::unique_ptr<LayeredItem> make_layered_item(const ItemKind& kind) {
  if (kind.version < 3 || kind.version > 4) return nullptr;
  const bool third = kind.version == 3;
  if (kind.type == kPoint14 && kind.size == kWidePointSize) return std::make_unique<Point14>(third);
  if ((kind.type == kColor14 && kind.size == 6) || (kind.type == kInfrared14 && kind.size == 8))
    return std::make_unique<Following<ColorModels>>(kind.size, third);
  if (kind.type == kWave14 && kind.size == 29) return std::make_unique<Following<WaveModels>>(kind.size, third);
  if (kind.type == kBytes14 && kind.size > 0) return std::make_unique<Following<ByteModels>>(kind.size, third);
  return nullptr;
}

}  // namespace graze::io::laz
