#include "progress_bar.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "streams.h"

namespace graze::app {
namespace {

std::size_t terminal_width() {
  constexpr std::size_t kUsual = 80;
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

// "1:05 left"
std::string text_of(std::optional<double> seconds) {
  constexpr double kMax = 359'999;
  if (!seconds) return "";
  const auto left = static_cast<long>(std::min(*seconds + 0.5, kMax));
  if (left >= 3600) return fmt::format("{}:{:02}:{:02} left  ", left / 3600, left / 60 % 60, left % 60);
  return fmt::format("{}:{:02} left  ", left / 60, left % 60);
}

void put(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

ProgressBar::ProgressBar(bool quiet) : wanted_(!quiet && ::isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() { clear(); }

Progress ProgressBar::progress() {
  begin_ = Clock::now();
  return Progress(
      [this](const ProgressUpdate& update) {
        // What takes less time than reading the bar needs none.
        if (wanted_ && seconds() > 0.3) show(update);
        return !interrupted();
      },
      {.interval = std::chrono::milliseconds(100)});
}

double ProgressBar::seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

void ProgressBar::start_phase(double begin, double end, std::optional<double> later) {
  const std::lock_guard lock(mutex_);
  left_.start_phase({.now = seconds(), .begin = begin, .end = end, .later = later});
}

void ProgressBar::show(const ProgressUpdate& update) {
  constexpr std::size_t kBar = 24;
  const auto filled = static_cast<std::size_t>(update.fraction * kBar);
  std::string line = fmt::format("[{}{}] {:3.0f} %  ", std::string(filled, '#'), std::string(kBar - filled, '.'),
                                 100 * update.fraction);
  {
    const std::lock_guard lock(mutex_);
    line += text_of(left_.seconds(seconds(), update.fraction));
  }
  const std::size_t room = terminal_width() > line.size() + 1 ? terminal_width() - line.size() - 1 : 0;
  // A path is cut at a byte that begins a character.
  const std::string message = printable(update.message);
  std::size_t size = std::min(room, message.size());
  while (size > 0 && size < message.size() && (static_cast<unsigned char>(message[size]) & 0xC0U) == 0x80U) --size;
  line += message.substr(0, size);
  const std::size_t columns = line.size();
  if (columns < shown_) line.append(shown_ - columns, ' ');
  put("\r" + line);
  shown_ = columns;
}

void ProgressBar::clear() {
  if (shown_ == 0) return;
  put("\r" + std::string(shown_, ' ') + "\r");
  shown_ = 0;
}

}  // namespace graze::app
