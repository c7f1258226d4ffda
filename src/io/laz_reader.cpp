#include "io/laz_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "graze/base/error.h"
#include "io/laz_values.h"

namespace graze::io {

LazReader::LazReader(std::shared_ptr<const Bytes> bytes, const std::string& description, std::uint64_t point_offset,
                     std::size_t point_size, std::uint64_t points)
    : bytes_(std::move(bytes)), left_(points), points_(points), position_(point_offset), last_(point_size) {
  next_chunk_ = point_offset;
  end_ = bytes_->size();
  read_description(description, point_size);
  if (points == 0) return;
  // The best that adaptive models can do; a promise of more points is a lie that would cost hours.
  constexpr std::uint64_t kMostPerByte = 8192;
  if (points / kMostPerByte > end_ - std::min(end_, point_offset))
    refuse(fmt::format("claims {} points in {} bytes", points, end_ - std::min(end_, point_offset)));
  if (chunked_) open_chunk_table(point_offset, points);
}

void LazReader::refuse(const std::string& why) const { throw Error(bytes_->name(), why); }

void LazReader::read_description(const std::string& description, std::size_t point_size) {
  constexpr std::size_t kHead = 34, kItem = 6;
  if (description.size() < kHead) refuse("is a LAZ file, but does not say how its points are packed");
  const auto at = [&](std::size_t offset) { return laz::read<std::uint16_t>(description.data() + offset); };
  const unsigned compressor = at(0), coder = at(2), count = at(32);
  chunk_size_ = laz::read<std::uint32_t>(description.data() + 12);
  if (compressor < 1 || compressor > 3 || coder != 0)
    refuse(fmt::format("is packed by method {} with coder {}; graze reads methods 1 to 3 of LAZ with coder 0",
                       compressor, coder));
  if (description.size() < kHead + kItem * count)
    refuse(
        fmt::format("claims {} parts of a point, but describes only {}", count, (description.size() - kHead) / kItem));
  chunked_ = compressor > 1;
  layered_ = compressor == 3;
  if (chunked_ && chunk_size_ == 0) refuse("has chunks of 0 points");
  // Each byte of a point may have models of some kilobytes.
  constexpr std::size_t kMostBytes = 2048;
  if (point_size > kMostBytes)
    refuse(fmt::format("has points of {} bytes; graze unpacks up to {}", point_size, kMostBytes));
  std::size_t size = 0, layers = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t item = kHead + kItem * i;
    const laz::ItemKind kind{at(item), at(item + 2), at(item + 4)};
    kinds_.push_back(kind);
    size += kind.size;
    bool known = false;
    if (layered_) {
      layered_items_.push_back(laz::make_layered_item(kind));
      known = layered_items_.back() != nullptr && (i > 0) == (kind.type != laz::kPoint14);
      if (known) layers += layered_items_.back()->layers();
    } else {
      items_.push_back(laz::make_item(kind));
      known = items_.back() != nullptr;
    }
    if (!known)
      refuse(fmt::format("has a part of {} bytes of type {} and version {} in its points, which graze does not know",
                         kind.size, kind.type, kind.version));
  }
  if (count == 0 || size != point_size)
    refuse(fmt::format("has parts of {} bytes together in points of {}", size, point_size));
  layers_.resize(layers);
}

// Eight bytes before the points say where the table is; -1: the last eight bytes of the file do.
void LazReader::open_chunk_table(std::uint64_t point_offset, std::uint64_t points) {
  char place[8];
  if (bytes_->read(point_offset, place, sizeof place) != sizeof place) refuse("ends before its points");
  auto table = laz::read<std::uint64_t>(place);
  next_chunk_ = position_ = point_offset + sizeof place;
  if (table == ~std::uint64_t{0} && bytes_->size() >= sizeof place) {
    bytes_->read(bytes_->size() - sizeof place, place, sizeof place);
    table = laz::read<std::uint64_t>(place);
  }
  char head[8];
  has_table_ = table >= next_chunk_ && table < bytes_->size() && bytes_->read(table, head, sizeof head) == sizeof head;
  if (!has_table_) {
    // Where chunks are of one size they follow each other, and the table can be done without.
    if (chunk_size_ == kVaries || layered_)
      refuse(fmt::format("places the table of its chunks at byte {}, but has bytes {} to {}; was it cut off?", table,
                         next_chunk_, bytes_->size()));
    return;
  }
  end_ = table;
  chunks_ = laz::read<std::uint32_t>(head + 4);
  if (chunk_size_ != kVaries && chunks_ < (points + chunk_size_ - 1) / chunk_size_)
    refuse(fmt::format("has {} chunks of {} points for {} points", chunks_, chunk_size_, points));
  table_ = ArithmeticDecoder(ByteStream(bytes_, table + sizeof head, bytes_->size()));
}

void LazReader::start_chunk(char* first) {
  const std::uint64_t begin = next_chunk_;
  left_in_chunk_ = std::min(chunked_ && chunk_size_ != kVaries ? chunk_size_ : left_, left_);
  chunk_end_ = end_;
  if (has_table_) {
    do {
      if (chunk_++ == chunks_) refuse(fmt::format("has chunks for {} of {} points", points_ - left_, points_));
      if (chunk_size_ == kVaries) {
        last_count_ = table_entries_.next(table_, last_count_, 0);
        left_in_chunk_ = std::min<std::uint64_t>(static_cast<std::uint32_t>(last_count_), left_);
      }
      last_size_ = table_entries_.next(table_, last_size_, 1);
      if (table_.fault()) refuse(fmt::format("has a damaged table of chunks, at chunk {}", chunk_ - 1));
    } while (left_in_chunk_ == 0);
    next_chunk_ = chunk_end_ = begin + static_cast<std::uint32_t>(last_size_);
    if (chunk_end_ > end_)
      refuse(fmt::format("has chunk {} at bytes {} to {}, beyond the points, which end at {}", chunk_ - 1, begin,
                         chunk_end_, end_));
  }
  ByteStream in(bytes_, begin, chunk_end_);
  if (!in.take(first, last_.size()))
    refuse(fmt::format("ends at point {} of {}; was it cut off?", points_ - left_, points_));
  if (layered_) {
    start_layers(in, first);
    return;
  }
  const char* part = first;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    items_[i]->start(part);
    part += kinds_[i].size;
  }
  from_ = ArithmeticDecoder(std::move(in));
}

void LazReader::start_layers(ByteStream& in, const char* first) {
  std::vector<std::uint32_t> sizes(layers_.size() + 1);
  if (!in.take(sizes.data(), sizes.size() * sizeof sizes[0]))
    refuse(fmt::format("ends in the chunk of point {}; was it cut off?", points_ - left_));
  if (sizes[0] < left_in_chunk_)
    refuse(fmt::format("has {} points in the chunk of point {}, which should have {}", sizes[0], points_ - left_,
                       left_in_chunk_));
  std::uint64_t at = in.position();
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const std::uint64_t end = at + sizes[i + 1];
    if (end > chunk_end_)
      refuse(fmt::format("has a layer at bytes {} to {} in a chunk that ends at {}", at, end, chunk_end_));
    // The first layer is always there: it says what changes.
    layers_[i].present = i == 0 || end > at;
    layers_[i].from = layers_[i].present && left_in_chunk_ > 1 ? ArithmeticDecoder(ByteStream(bytes_, at, end))
                                                               : ArithmeticDecoder(ByteStream());
    at = end;
  }
  laz::Layer* layers = layers_.data();
  const char* part = first;
  channel_ = laz::byte_at(first, 15) >> 4U & 3U;
  for (std::size_t i = 0; i < layered_items_.size(); ++i) {
    layered_items_[i]->start(part, channel_, layers);
    layers += layered_items_[i]->layers();
    part += kinds_[i].size;
  }
}

void LazReader::next_point(char* point) {
  char* part = point;
  if (layered_) {
    for (std::size_t i = 0; i < layered_items_.size(); part += kinds_[i++].size)
      layered_items_[i]->next(part, channel_);
    // A layer that says it is there may have values at some points only.
    for (const laz::Layer& layer : layers_) {
      if (layer.present && layer.from.fault())
        refuse(fmt::format("has damaged layers at point {} of {}", points_ - left_, points_));
    }
    return;
  }
  for (std::size_t i = 0; i < items_.size(); part += kinds_[i++].size) items_[i]->next(from_, part);
  if (from_.fault())
    refuse(fmt::format("is damaged or cut off at byte {}, point {} of {}", from_.position(), points_ - left_, points_));
  position_ = from_.position();
}

void LazReader::expect_end_of_chunk() {
  if (layered_) {
    position_ = chunk_end_;
    return;
  }
  if (!has_table_) next_chunk_ = from_.position();
}

void LazReader::read(char* to, std::size_t count) {
  for (; count > 0; --count, to += last_.size()) {
    if (left_in_chunk_ == 0) start_chunk(last_.data());
    else next_point(last_.data());
    std::memcpy(to, last_.data(), last_.size());
    --left_;
    if (--left_in_chunk_ == 0) expect_end_of_chunk();
  }
}

}  // namespace graze::io
