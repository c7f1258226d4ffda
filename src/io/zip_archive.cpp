#include "io/zip_archive.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "graze/base/error.h"
#include "io/cloud_source.h"

namespace graze::io {
namespace {

template <class T>
T number_at(const std::string& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

struct Inflater {
  z_stream stream{};
  bool ready = false;
  Inflater() { ready = inflateInit2(&stream, -MAX_WBITS) == Z_OK; }
  ~Inflater() {
    if (ready) inflateEnd(&stream);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

}  // namespace

void ZipArchive::refuse(const std::string& why) const { throw Error(bytes_->name(), why); }

ZipArchive::ZipArchive(std::shared_ptr<const Bytes> bytes) : bytes_(std::move(bytes)) {
  // The end of the directory is the last record, before a comment of up to 64 KiB.
  constexpr std::size_t kEnd = 22, kHead = 46;
  constexpr std::uint64_t kLongestComment = 65535;
  const std::uint64_t size = bytes_->size(), from = size - std::min<std::uint64_t>(size, kEnd + kLongestComment);
  std::string tail(static_cast<std::size_t>(size - from), '\0');
  tail.resize(bytes_->read(from, tail.data(), tail.size()));
  const std::size_t end = tail.rfind("PK\x05\x06");
  if (end == std::string::npos || end + kEnd > tail.size())
    refuse("is a zip archive without a directory at its end; was it cut off?");
  const std::size_t count = number_at<std::uint16_t>(tail, end + 10);
  const std::uint64_t length = number_at<std::uint32_t>(tail, end + 12), at = number_at<std::uint32_t>(tail, end + 16);
  if (count > kMostFiles) refuse(fmt::format("is a zip archive of {} files; graze reads {}", count, kMostFiles));
  if (at > size || length > size - at)
    refuse(fmt::format("is a zip archive with a directory of {} bytes at byte {}, but has {} bytes", length, at, size));
  std::string directory(static_cast<std::size_t>(length), '\0');
  bytes_->read(at, directory.data(), directory.size());
  for (std::size_t i = 0, next = 0; i < count; ++i) {
    if (next + kHead > directory.size() || directory.compare(next, 4, "PK\x01\x02") != 0)
      refuse(fmt::format("is a zip archive with a damaged directory, at file {} of {}", i, count));
    const auto half = [&](std::size_t offset) { return number_at<std::uint16_t>(directory, next + offset); };
    const auto word = [&](std::size_t offset) { return number_at<std::uint32_t>(directory, next + offset); };
    const std::size_t name = half(28), whole = kHead + name + half(30) + half(32);
    if (next + whole > directory.size())
      refuse(fmt::format("is a zip archive with a damaged directory, at file {}", i));
    entries_[directory.substr(next + kHead, name)] = {word(42), word(20), word(24), word(16), half(10)};
    next += whole;
  }
}

std::string ZipArchive::unpacked(const std::string& name, std::uint64_t most) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) refuse(fmt::format("holds no file {}", in_quotes(name)));
  const Entry& entry = found->second;
  const auto refuse_entry = [&](const std::string& why) { refuse(fmt::format("{} in it {}", in_quotes(name), why)); };
  if (entry.size > most) refuse_entry(fmt::format("unpacks to {} bytes; graze reads up to {}", entry.size, most));
  std::string head(30, '\0');
  if (bytes_->read(entry.offset, head.data(), head.size()) != head.size() || !head.starts_with("PK\x03\x04"))
    refuse_entry("is not where the directory says");
  const std::uint64_t at =
      entry.offset + head.size() + number_at<std::uint16_t>(head, 26) + number_at<std::uint16_t>(head, 28);
  if (at > bytes_->size() || entry.packed > bytes_->size() - at) refuse_entry("reaches beyond the end of the archive");
  std::string packed(static_cast<std::size_t>(entry.packed), '\0'), text;
  bytes_->read(at, packed.data(), packed.size());
  if (entry.method == 0) {
    text = std::move(packed);
  } else if (entry.method == Z_DEFLATED) {
    Inflater inflater;
    if (!inflater.ready) throw std::bad_alloc();
    text.resize(static_cast<std::size_t>(entry.size));
    inflater.stream.next_in = reinterpret_cast<Bytef*>(packed.data());
    inflater.stream.avail_in = static_cast<uInt>(packed.size());
    inflater.stream.next_out = reinterpret_cast<Bytef*>(text.data());
    inflater.stream.avail_out = static_cast<uInt>(text.size());
    if (inflate(&inflater.stream, Z_FINISH) != Z_STREAM_END || inflater.stream.avail_out != 0)
      refuse_entry("is damaged: it cannot be inflated");
  } else {
    refuse_entry(fmt::format("is packed by method {}; graze reads stored and deflated files", entry.method));
  }
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size()));
  if (text.size() != entry.size || sum != entry.sum) refuse_entry("is damaged: its check sum is wrong");
  return text;
}

}  // namespace graze::io
