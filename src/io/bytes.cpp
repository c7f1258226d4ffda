#include "io/bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "graze/base/error.h"

namespace graze::io {
namespace {

constexpr std::size_t kBuffer = std::size_t{64} << 10;

[[noreturn]] void fail(const std::string& name, int reason) {
  throw Error(name, std::string("cannot be read: ") + std::strerror(reason));
}

std::size_t copied(std::string_view text, std::uint64_t offset, void* to, std::size_t count) {
  if (offset >= text.size()) return 0;
  const std::size_t there = std::min<std::size_t>(count, text.size() - static_cast<std::size_t>(offset));
  if (there > 0) std::memcpy(to, text.data() + offset, there);
  return there;
}

class TextBytes : public Bytes {
 public:
  TextBytes(std::string_view text, std::string name) : Bytes(std::move(name), text.size()), text_(text) {}
  std::size_t read(std::uint64_t offset, void* to, std::size_t count) const override {
    return copied(text_, offset, to, count);
  }

 private:
  std::string_view text_;
};

/// Blocks rather than one text, which would be copied, and be there twice, whenever it grows.
class OwnedBytes : public Bytes {
 public:
  static constexpr std::size_t kBlock = std::size_t{1} << 20;

  /// All blocks but the last are full.
  OwnedBytes(std::vector<std::string> blocks, std::uint64_t size, std::string name)
      : Bytes(std::move(name), size), blocks_(std::move(blocks)) {}
  std::size_t read(std::uint64_t offset, void* to, std::size_t count) const override {
    std::size_t done = 0;
    while (done < count && offset + done < size()) {
      const std::uint64_t at = offset + done;
      done += copied(blocks_[static_cast<std::size_t>(at / kBlock)], at % kBlock, static_cast<char*>(to) + done,
                     count - done);
    }
    return done;
  }

 private:
  std::vector<std::string> blocks_;
};

class FileBytes : public Bytes {
 public:
  FileBytes(int file, std::string name, std::uint64_t size) : Bytes(std::move(name), size), file_(file) {}
  ~FileBytes() override { ::close(file_); }
  std::size_t read(std::uint64_t offset, void* to, std::size_t count) const override {
    std::size_t done = 0;
    while (done < count) {
      const ssize_t got =
          ::pread(file_, static_cast<char*>(to) + done, count - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(name(), errno);
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  int file_;
};

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  int value() const { return value_; }
  int release() { return std::exchange(value_, -1); }

 private:
  int value_;
};

std::shared_ptr<const Bytes> everything(int file, const std::string& name, std::size_t longest) {
  std::vector<std::string> blocks;
  std::size_t size = 0, filled = OwnedBytes::kBlock;
  for (;;) {
    if (filled == OwnedBytes::kBlock) {
      blocks.emplace_back(OwnedBytes::kBlock, '\0');
      filled = 0;
    }
    const ssize_t got = ::read(file, blocks.back().data() + filled, OwnedBytes::kBlock - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(name, errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    size += static_cast<std::size_t>(got);
    if (size > longest) {
      throw Error(name, fmt::format("is not a regular file and delivers more than {} MiB; save it to a file first",
                                    longest >> 20));
    }
  }
  blocks.back().resize(filled);
  return std::make_shared<OwnedBytes>(std::move(blocks), size, name);
}

}  // namespace

std::shared_ptr<const Bytes> Bytes::open(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.value() < 0) fail(path, errno);
  struct stat status {};
  if (::fstat(file.value(), &status) != 0) fail(path, errno);
  if (S_ISDIR(status.st_mode)) throw Error(path, "is a folder; name a file in it");
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) return everything(file.value(), path, kLongestDevice);
  if (!S_ISREG(status.st_mode)) return everything(file.value(), path, kLongestPipe);
  return std::make_shared<FileBytes>(file.release(), path, static_cast<std::uint64_t>(status.st_size));
}

std::shared_ptr<const Bytes> Bytes::of(std::string_view text, std::string name) {
  return std::make_shared<TextBytes>(text, std::move(name));
}

ByteReader::ByteReader(std::shared_ptr<const Bytes> bytes, std::uint64_t offset)
    : bytes_(std::move(bytes)), buffer_(kBuffer), buffer_offset_(offset) {}

bool ByteReader::fill() {
  buffer_offset_ += end_;
  begin_ = end_ = 0;
  end_ = bytes_->read(buffer_offset_, buffer_.data(), buffer_.size());
  return end_ > 0;
}

std::string_view ByteReader::take_some(std::size_t max_bytes) {
  if (begin_ == end_ && !fill()) return {};
  const std::size_t count = std::min(max_bytes, end_ - begin_);
  const std::string_view taken(buffer_.data() + begin_, count);
  begin_ += count;
  return taken;
}

bool ByteReader::take(void* to, std::size_t count) {
  auto* out = static_cast<char*>(to);
  while (count > 0) {
    const std::string_view some = take_some(count);
    if (some.empty()) return false;
    std::memcpy(out, some.data(), some.size());
    out += some.size();
    count -= some.size();
  }
  return true;
}

bool ByteReader::skip(std::uint64_t count) {
  if (count > remaining()) return false;
  if (count <= end_ - begin_) {
    begin_ += static_cast<std::size_t>(count);
  } else {
    buffer_offset_ = position() + count;
    begin_ = end_ = 0;
  }
  return true;
}

bool ByteReader::line(std::string_view& text) {
  long_line_.clear();
  bool any = false;
  for (;;) {
    const std::string_view some = take_some(kBuffer);
    if (some.empty()) {
      text = long_line_;
      break;
    }
    any = true;
    const std::size_t size = std::min(some.find('\n'), some.size());
    const bool ends = size < some.size();
    if (long_line_.size() + size > kLongestLine) {
      throw Error(
          name(), line_number_ + 1,
          fmt::format("is longer than {} MiB, which no line of a file that graze reads may be", kLongestLine >> 20));
    }
    begin_ -= some.size() - size - (ends ? 1 : 0);
    if (ends && long_line_.empty()) {
      text = some.substr(0, size);
      break;
    }
    long_line_.append(some.substr(0, size));
    text = long_line_;
    if (ends) break;
  }
  if (!any) return false;
  ++line_number_;
  if (text.ends_with('\r')) text.remove_suffix(1);
  return true;
}

bool ByteReader::only_padding_follows() {
  for (;;) {
    const std::string_view some = take_some(kBuffer);
    if (some.empty()) return true;
    if (some.find_first_not_of(std::string_view(" \t\r\n\0", 5)) != std::string_view::npos) return false;
  }
}

}  // namespace graze::io
