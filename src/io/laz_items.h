// The parts of a point in a LAZ file. Each predicts its values from those of points before and reads corrections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "io/arithmetic_decoder.h"

namespace graze::io::laz {

/// What a LAZ file says about a part of its points.
struct ItemKind {
  std::uint16_t type = 0, size = 0, version = 0;
};
inline constexpr std::uint16_t kBytes = 0, kPoint10 = 6, kTime = 7, kColor = 8, kWave = 9, kPoint14 = 10, kColor14 = 11,
                               kInfrared14 = 12, kWave14 = 13, kBytes14 = 14;

/// A part of points whose parts follow each other in one stream.
class Item {
 public:
  virtual ~Item() = default;
  /// The first point of a chunk, which is not compressed.
  virtual void start(const char* first) = 0;
  /// Turns the bytes of the last point into those of the next.
  virtual void next(ArithmeticDecoder& from, char* item) = 0;
};
/// Null for a kind that is not known.
std::unique_ptr<Item> make_item(const ItemKind& kind);

/// The bytes of one layer of a chunk, with a decoder of their own. An absent layer leaves its values as they are.
struct Layer {
  bool present = false;
  ArithmeticDecoder from;
};

/// A part of points of formats 6 to 10: their values lie in layers, and have models for each of the four channels.
class LayeredItem {
 public:
  virtual ~LayeredItem() = default;
  virtual std::size_t layers() const = 0;
  /// The first point of a chunk, of a channel, and this part's layers.
  virtual void start(const char* first, unsigned channel, Layer* layers) = 0;
  /// Turns the bytes of the last point into those of the next; the part with the coordinates, which comes first, also
  /// its channel.
  virtual void next(char* item, unsigned& channel) = 0;
};
/// Null for a kind that is not known.
std::unique_ptr<LayeredItem> make_layered_item(const ItemKind& kind);

/// The middle one of the last five numbers, nearly: new ones push out the largest and the smallest in turn.
class StreamedMedian {
 public:
  std::int32_t get() const { return values_[2]; }
  void add(std::int32_t value);

 private:
  std::int32_t values_[5] = {};
  bool high_ = true;  // whether the largest goes next
};

/// Times of points: mostly a multiple of the last step, in up to four sequences that take turns.
class TimeDecoder {
 public:
  /// `spare` codes of a model without a step mean that nothing changed.
  explicit TimeDecoder(unsigned spare);
  void start(std::uint64_t first);
  std::uint64_t next(ArithmeticDecoder& from);

 private:
  void whole(ArithmeticDecoder& from);
  std::uint32_t by_multiple(ArithmeticDecoder& from, int multiple);

  unsigned spare_;
  SymbolModel multiples_, without_step_;
  IntegerDecoder integers_{32, 9};
  std::uint64_t times_[4] = {};
  std::int32_t steps_[4] = {};
  int extremes_[4] = {};
  unsigned sequence_ = 0, newest_ = 0;
};

/// Red, green and blue, 16 bits each.
class ColorDecoder {
 public:
  ColorDecoder();
  void reset();
  void next(ArithmeticDecoder& from, const std::uint16_t* last, std::uint16_t* color);

 private:
  SymbolModel used_{128};
  std::vector<SymbolModel> bytes_;
};

/// Where the waveform of a point lies.
class WaveDecoder {
 public:
  WaveDecoder();
  void reset();
  /// In the 29 bytes of the last one.
  void next(ArithmeticDecoder& from, char* wave);

 private:
  SymbolModel index_{256};
  std::vector<SymbolModel> offset_kinds_;
  IntegerDecoder offsets_{32}, sizes_{32}, returns_{32}, directions_{32, 3};
  unsigned offset_kind_ = 0;
  std::int32_t offset_step_ = 0;
};

}  // namespace graze::io::laz
