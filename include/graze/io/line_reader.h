// Lines of a file or a pipe, in bounded memory.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace graze {

/// Reads lines from a file descriptor as they arrive: a line is handed out as soon as its newline has been read, so
/// that a conversation over a pipe works. Does not close the descriptor.
///
///     LineReader reader(0, "standard input");
///     for (std::string line; (got = reader.next(line)) != LineReader::Got::end;) …
class LineReader {
 public:
  static constexpr std::size_t kLongest = std::size_t{64} << 20, kHopeless = 16;  ///< bytes; times `longest`

  enum class Got {
    line,      ///< a line, without its newline
    too_long,  ///< a line of more than `longest` bytes; it was passed over and `line` is empty
    end,       ///< there are no more lines
  };

  /// `name` stands for the descriptor in errors; `longest` is in bytes.
  LineReader(int descriptor, std::string name, std::size_t longest = kLongest);

  /// The next line; the last one may lack its newline. Throws Error if reading fails, and if a line has no end within
  /// kHopeless times `longest`: /dev/zero would never have one.
  Got next(std::string& line);

  /// The number of the last line that `next` gave; 1 for the first.
  std::size_t number() const { return number_; }

 private:
  bool fill();

  int descriptor_;
  std::string name_;
  std::size_t longest_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // the unread part of the buffer
  std::size_t number_ = 0;
};

}  // namespace graze
