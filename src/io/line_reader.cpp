#include "graze/io/line_reader.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "graze/base/error.h"

namespace graze {

LineReader::LineReader(int descriptor, std::string name, std::size_t longest)
    : descriptor_(descriptor), name_(std::move(name)), longest_(longest), buffer_(std::size_t{64} << 10) {}

bool LineReader::fill() {
  ssize_t count = 0;
  do {
    count = ::read(descriptor_, buffer_.data(), buffer_.size());
  } while (count < 0 && errno == EINTR);
  if (count < 0) throw Error(name_, std::string("cannot be read: ") + std::strerror(errno));
  begin_ = 0;
  end_ = static_cast<std::size_t>(count);
  return count > 0;
}

LineReader::Got LineReader::next(std::string& line) {
  line.clear();
  bool any = false, too_long = false;
  std::size_t passed = 0;
  while (begin_ < end_ || fill()) {
    if (!any) ++number_;
    any = true;
    const char* start = buffer_.data() + begin_;
    const char* stop = buffer_.data() + end_;
    const void* const found = std::memchr(start, '\n', end_ - begin_);
    const char* newline = found != nullptr ? static_cast<const char*>(found) : stop;
    const auto size = static_cast<std::size_t>(newline - start);
    too_long = too_long || size > longest_ - line.size();
    passed += size;
    if (too_long) {
      if (passed / kHopeless > longest_) {
        throw Error(name_, number_, fmt::format("has no end within {} bytes; these are not lines of text", passed));
      }
      line = std::string();  // which gives its memory back
    } else {
      line.append(start, size);
    }
    begin_ += size;
    if (newline != stop) {
      ++begin_;
      return too_long ? Got::too_long : Got::line;
    }
  }
  if (!any) return Got::end;
  return too_long ? Got::too_long : Got::line;
}

}  // namespace graze
