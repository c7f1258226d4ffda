#include "graze/io/write_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "graze/base/error.h"

namespace graze {
namespace {

[[noreturn]] void fail(const std::string& path, int reason) {
  throw Error(path, std::string("cannot be written: ") + std::strerror(reason));
}

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  int value() const { return value_; }
  bool close() { return ::close(std::exchange(value_, -1)) == 0; }

 private:
  int value_;
};

/// Removes the file unless it was renamed.
class Temporary {
 public:
  explicit Temporary(std::string path) : path_(std::move(path)) {}
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  bool rename_to(const std::string& target) {
    if (std::rename(path_.c_str(), target.c_str()) != 0) return false;
    path_.clear();
    return true;
  }

 private:
  std::string path_;
};

void write_all(int descriptor, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      fail(path, errno);
    }
  }
}

void write_directly(const std::string& path, std::string_view bytes) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.value() < 0) fail(path, errno);
  write_all(file.value(), bytes, path);
  if (!file.close()) fail(path, errno);
}

// A new file beside `path`, with the permissions that the process gives to new files; its name goes to `name`.
int create_beside(const std::string& path, std::string& name) {
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    name = path + "." + std::to_string(::getpid()) + "-" + std::to_string(attempt) + ".tmp";
    const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

void write_beside(const std::string& path, std::string_view bytes, const struct stat* replaced) {
  std::string name;
  Descriptor file(create_beside(path, name));
  if (file.value() < 0) fail(path, errno);
  Temporary temporary(name);
  write_all(file.value(), bytes, path);
  if (replaced != nullptr && ::fchmod(file.value(), replaced->st_mode & 0777) != 0) fail(path, errno);
  // Without the sync a crash of the machine could leave the new name with the contents of neither file.
  if (::fsync(file.value()) != 0 || !file.close() || !temporary.rename_to(path)) fail(path, errno);
}

}  // namespace

void write_file(const std::string& path, std::string_view bytes) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno != ENOENT) fail(path, errno);
    return write_beside(path, bytes, nullptr);
  }
  // Renaming over a device or a pipe would replace it by a file.
  if (!S_ISREG(status.st_mode)) return write_directly(path, bytes);
  const std::unique_ptr<char, decltype(&std::free)> target(::realpath(path.c_str(), nullptr), &std::free);
  if (!target) fail(path, errno);
  write_beside(target.get(), bytes, &status);
}

}  // namespace graze
