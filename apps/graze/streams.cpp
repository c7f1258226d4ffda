#include "streams.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "graze/base/error.h"

namespace graze::app {
namespace {

// Bytes of the character that `text` begins with; 0 if there is none. Neither overlong forms nor surrogates are.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F)) return 0;
  if ((first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) return 0;
  return size;
}

[[noreturn]] void fail_output() {
  throw Error("standard output", std::string("cannot be written: ") + std::strerror(errno));
}

}  // namespace

void occupy_standard_streams() {
  for (const int descriptor : {0, 1, 2}) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // The wrong way round on purpose: using the closed stream must remain an error. The lowest free number is taken.
    const int taken = ::open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
    if (taken != descriptor && taken >= 0) ::close(taken);
  }
}

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail_output();
}

void flush_output() {
  if (std::fflush(stdout) != 0) fail_output();
}

bool output_is_watched() {
  struct stat status {};
  return ::fstat(STDOUT_FILENO, &status) != 0 || !S_ISREG(status.st_mode);
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = character(text);
    const char c = text[0];
    const bool control = size == 1 && ((c >= 0 && c < ' ' && c != '\n' && c != '\t') || c == 0x7F);
    if (size == 0 || control) {
      constexpr const char* kDigits = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(c);
      out += {'\\', 'x', kDigits[byte >> 4U], kDigits[byte & 15U]};
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return out;
}

void complain(std::string_view text) {
  const char* prefix = use_color(stderr) ? "\033[1;31mgraze:\033[0m " : "graze: ";
  const std::string line = prefix + printable(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void remark(bool quiet, std::string_view text) {
  if (quiet) return;
  const std::string line = printable(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

bool use_color(std::FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return ::isatty(::fileno(stream)) != 0 && (no_color == nullptr || *no_color == '\0') &&
         (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
}

}  // namespace graze::app
