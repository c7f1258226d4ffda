#include "streams.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "graze/base/error.h"

namespace graze::app {
namespace {

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

void complain(std::string_view text) {
  const char* prefix = use_color(stderr) ? "\033[1;31mgraze:\033[0m " : "graze: ";
  const std::string line = prefix + std::string(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void remark(bool quiet, std::string_view text) {
  if (quiet) return;
  const std::string line = std::string(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

bool use_color(std::FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return ::isatty(::fileno(stream)) != 0 && (no_color == nullptr || *no_color == '\0') &&
         (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
}

}  // namespace graze::app
