// The bytes of a file, wherever one wants to read in it, in memory that does not grow with the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace graze::io {

/// Bytes with a name for errors: an open file, or a text in memory. Reading is const and may be done by many at once.
class Bytes {
 public:
  /// Anything but a regular file is read to its end at once, up to this many bytes; more is an Error. A device, such as
  /// /dev/zero, may have no end.
  static constexpr std::size_t kLongestPipe = std::size_t{1} << 30, kLongestDevice = std::size_t{16} << 20;

  /// Throws Error if the file cannot be read or is a folder.
  static std::shared_ptr<const Bytes> open(const std::string& path);
  /// `text` must live as long as the result.
  static std::shared_ptr<const Bytes> of(std::string_view text, std::string name);

  virtual ~Bytes() = default;
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  const std::string& name() const { return name_; }
  std::uint64_t size() const { return size_; }
  /// Copies up to `count` bytes from `offset` on and returns how many there were: fewer only at the end. Throws Error.
  virtual std::size_t read(std::uint64_t offset, void* to, std::size_t count) const = 0;

 protected:
  Bytes(std::string name, std::uint64_t size) : name_(std::move(name)), size_(size) {}

 private:
  std::string name_;
  std::uint64_t size_;
};

/// Walks through bytes from the front, with a buffer of its own.
class ByteReader {
 public:
  /// Room for a polygon of as many corners as graze reads, each with three indices of seven digits.
  static constexpr std::size_t kLongestLine = std::size_t{16} << 20;

  explicit ByteReader(std::shared_ptr<const Bytes> bytes, std::uint64_t offset = 0);

  const Bytes& bytes() const { return *bytes_; }
  const std::string& name() const { return bytes_->name(); }
  std::uint64_t position() const { return buffer_offset_ + begin_; }
  std::uint64_t remaining() const { return bytes_->size() > position() ? bytes_->size() - position() : 0; }

  /// Up to `max_bytes` of the bytes that follow (at least one unless there are no more); they stay valid until the next
  /// call.
  std::string_view take_some(std::size_t max_bytes);
  /// Exactly `count` bytes, or false and nothing taken of use.
  bool take(void* to, std::size_t count);
  bool skip(std::uint64_t count);
  /// The next line without its newline or carriage return, valid until the next call; false at the end. Throws Error
  /// for a line of more than kLongestLine bytes.
  bool line(std::string_view& text);
  /// The number of the last line that `line` gave; 1 for the first.
  std::size_t line_number() const { return line_number_; }
  /// Whether only white space and NUL bytes follow, as some writers leave behind.
  bool only_padding_follows();

 private:
  bool fill();

  std::shared_ptr<const Bytes> bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // the unread part of the buffer
  std::uint64_t buffer_offset_;      // of the buffer's first byte
  std::size_t line_number_ = 0;
  std::string long_line_;
};

}  // namespace graze::io
