#include "io/grey_png.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <vector>

#include "graze/base/error.h"

namespace graze::io {
namespace {

using Byte = std::uint8_t;

std::uint32_t big_endian(const Byte* bytes) {
  return std::uint32_t{bytes[0]} << 24U | std::uint32_t{bytes[1]} << 16U | std::uint32_t{bytes[2]} << 8U | bytes[3];
}

// Of the bytes to the left, above, and above to the left the one that is nearest to left + above − corner.
Byte paeth(int left, int above, int corner) {
  const int estimate = left + above - corner;
  const int by_left = std::abs(estimate - left), by_above = std::abs(estimate - above);
  const int by_corner = std::abs(estimate - corner);
  return static_cast<Byte>(by_left <= by_above && by_left <= by_corner ? left : by_above <= by_corner ? above : corner);
}

// Undoes what was done to a row before it was compressed; `step` bytes to the left is the pixel before.
bool undo_filter(int filter, std::span<Byte> row, std::span<const Byte> above, std::size_t step) {
  const auto left = [&](std::size_t i) { return i < step ? 0 : int{row[i - step]}; };
  const auto corner = [&](std::size_t i) { return i < step ? 0 : int{above[i - step]}; };
  for (std::size_t i = 0; i < row.size(); ++i) {
    int by = 0;
    switch (filter) {
      case 0:
        return true;
      case 1:
        by = left(i);
        break;
      case 2:
        by = above[i];
        break;
      case 3:
        by = (left(i) + int{above[i]}) / 2;
        break;
      case 4:
        by = paeth(left(i), above[i], corner(i));
        break;
      default:
        return false;
    }
    row[i] = static_cast<Byte>(row[i] + by);
  }
  return filter >= 0 && filter <= 4;
}

}  // namespace

struct GreyPng::State {
  explicit State(std::shared_ptr<const Bytes> bytes) : reader(std::move(bytes)) {
    if (inflateInit(&stream) != Z_OK) refuse("cannot be inflated: no memory");
  }
  ~State() { inflateEnd(&stream); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[noreturn]] void refuse(const std::string& why) const { throw Error(reader.name(), why); }
  void take(void* to, std::size_t count) {
    if (!reader.take(to, count)) refuse("ends early");
  }

  // The head of the next chunk: its name, and how many bytes it has.
  void next_chunk() {
    std::array<Byte, 8> head{};
    take(head.data(), head.size());
    left = big_endian(head.data());
    std::memcpy(name.data(), &head[4], name.size());
    if (left > 0x7FFFFFFFU) refuse(fmt::format("has a chunk of {} bytes, more than PNG allows", left));
    check = ::crc32(::crc32(0, nullptr, 0), &head[4], 4);
  }
  bool is(std::string_view wanted) const { return wanted == std::string_view(name.data(), name.size()); }
  // Some bytes of the chunk, as many as come at once.
  std::string_view some() {
    const std::string_view bytes = reader.take_some(left);
    if (bytes.empty()) refuse("ends early");
    left -= static_cast<std::uint32_t>(bytes.size());
    check = ::crc32(check, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
    return bytes;
  }
  void end_chunk() {
    std::array<Byte, 4> stated{};
    take(stated.data(), stated.size());
    if (big_endian(stated.data()) != check)
      refuse(fmt::format("is damaged: the checksum of {} is wrong", std::string_view(name.data(), name.size())));
  }
  void skip_chunk() {
    while (left > 0) some();
    end_chunk();
  }
  // Bytes of a short chunk, of at most `into`; how many.
  std::size_t short_chunk(std::span<Byte> into) {
    const std::size_t count = left;
    if (count > into.size()) refuse(fmt::format("has a chunk of {} bytes where {} belong", count, into.size()));
    for (std::size_t at = 0; left > 0;) {
      const std::string_view bytes = some();
      std::memcpy(&into[at], bytes.data(), bytes.size());
      at += bytes.size();
    }
    end_chunk();
    return count;
  }

  void read_header() {
    constexpr std::array<Byte, 8> kMagic{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    std::array<Byte, 8> magic{};
    if (!reader.take(magic.data(), magic.size()) || magic != kMagic) refuse("does not start as a PNG image does");
    next_chunk();
    std::array<Byte, 13> header{};
    if (!is("IHDR") || short_chunk(header) != header.size()) refuse("must start with an IHDR of 13 bytes");
    columns = big_endian(&header[0]), rows = big_endian(&header[4]);
    bits = header[8];
    if (columns < 1 || rows < 1 || columns > 0x7FFFFFFFU || rows > 0x7FFFFFFFU)
      refuse(fmt::format("has {} × {} pixels", columns, rows));
    if (header[9] != 0) refuse("has colours or transparency; expected a grey image, whose numbers are heights");
    if (bits != 1 && bits != 2 && bits != 4 && bits != 8 && bits != 16)
      refuse(fmt::format("has {} bits per pixel", bits));
    if (header[10] != 0 || header[11] != 0) refuse("has an unknown compression method");
    if (header[12] != 0) refuse("is interlaced; save it without interlacing");
    for (next_chunk(); !is("IDAT"); next_chunk()) {
      if (is("IEND")) refuse("has no pixels");
      if (is("tRNS")) {
        std::array<Byte, 2> value{};
        if (short_chunk(value) != value.size()) refuse("has a tRNS that does not fit a grey image");
        transparent = static_cast<std::uint16_t>(value[0] << 8U | value[1]);
        continue;
      }
      // A capital letter: whoever does not know the chunk does not know the image.
      if (name[0] < 'a') refuse("has a chunk that must be understood and is not known");
      skip_chunk();
    }
  }

  // The next bytes of all IDAT chunks, to zlib.
  void feed() {
    while (left == 0) {
      end_chunk();
      next_chunk();
      if (!is("IDAT")) refuse(fmt::format("ends in row {} of {}", row, rows));
    }
    const std::string_view bytes = some();
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // NOLINT: zlib does not write there
    stream.avail_in = static_cast<uInt>(bytes.size());
  }
  // Inflates as many bytes as there is room for.
  void inflate_into(std::span<Byte> into) {
    while (!into.empty()) {
      if (stream.avail_in == 0) feed();
      const auto room = static_cast<uInt>(std::min<std::size_t>(into.size(), 1U << 30U));
      stream.next_out = into.data();
      stream.avail_out = room;
      const int result = inflate(&stream, Z_NO_FLUSH);
      into = into.subspan(room - stream.avail_out);
      if (result == Z_STREAM_END && !into.empty()) refuse(fmt::format("ends in row {} of {}", row, rows));
      if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        refuse(fmt::format("is damaged: row {} cannot be inflated", row));
      ended = result == Z_STREAM_END;
    }
  }

  void next_row(std::span<std::uint16_t> values) {
    const std::size_t size = (std::size_t{columns} * bits + 7) / 8;
    if (now.empty()) now.resize(size), above.resize(size);
    std::swap(now, above);
    Byte filter = 0;
    inflate_into({&filter, 1});
    inflate_into(now);
    if (!undo_filter(filter, now, above, std::max<std::size_t>(1, bits / 8)))
      refuse(fmt::format("is damaged: row {} has an unknown filter {}", row, filter));
    ++row;
    for (std::size_t i = 0; i < columns; ++i) {
      if (bits == 16) {
        values[i] = static_cast<std::uint16_t>(now[2 * i] << 8U | now[2 * i + 1]);
      } else {
        const std::size_t bit = i * bits;
        values[i] = static_cast<std::uint16_t>((now[bit / 8] >> (8 - bits - bit % 8)) & ((1U << bits) - 1));
      }
    }
  }

  void finish() {
    while (!ended) {
      Byte more = 0;
      if (stream.avail_in == 0) feed();
      stream.next_out = &more;
      stream.avail_out = 1;
      const int result = inflate(&stream, Z_NO_FLUSH);
      if (stream.avail_out == 0) refuse(fmt::format("has more than {} × {} pixels", columns, rows));
      if (result == Z_STREAM_END) break;
      if (result != Z_OK && result != Z_BUF_ERROR) refuse("is damaged: the checksum of its pixels is wrong");
    }
    for (skip_chunk(), next_chunk(); !is("IEND"); next_chunk()) skip_chunk();
    skip_chunk();
  }

  ByteReader reader;
  std::array<char, 4> name{};  // of the chunk
  std::uint32_t left = 0;      // bytes of the chunk that were not read
  uLong check = 0;             // of its bytes so far
  std::uint32_t columns = 0, rows = 0, row = 0;
  std::size_t bits = 0;
  std::optional<std::uint16_t> transparent;
  z_stream stream{};
  bool ended = false;
  std::vector<Byte> now, above;
};

GreyPng::GreyPng(std::shared_ptr<const Bytes> bytes) : state_(std::make_unique<State>(std::move(bytes))) {
  state_->read_header();
}
GreyPng::~GreyPng() = default;

std::size_t GreyPng::columns() const { return state_->columns; }
std::size_t GreyPng::rows() const { return state_->rows; }
std::uint32_t GreyPng::largest() const { return (1U << state_->bits) - 1; }
std::optional<std::uint16_t> GreyPng::transparent() const { return state_->transparent; }
void GreyPng::next_row(std::span<std::uint16_t> values) { state_->next_row(values); }
void GreyPng::finish() { state_->finish(); }

}  // namespace graze::io
