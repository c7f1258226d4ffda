#include "graze/io/line_reader.h"

#include <unistd.h>

#include <algorithm>
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
  while (begin_ < end_ || fill()) {
    if (!any) ++number_;
    any = true;
    const char* start = buffer_.data() + begin_;
    const char* stop = buffer_.data() + end_;
    const char* newline = std::find(start, stop, '\n');
    const auto size = static_cast<std::size_t>(newline - start);
    too_long = too_long || size > longest_ - line.size();
    if (too_long) {
      line.clear();
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
