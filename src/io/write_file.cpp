#include "graze/io/write_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "graze/base/error.h"

namespace graze {
namespace {

[[noreturn]] void fail(const std::string& path, int reason) {
  throw Error(path, std::string("cannot be written: ") + std::strerror(reason));
}

// That a new file cannot be made beside `path`: mostly it is the folder.
[[noreturn]] void fail_beside(const std::string& path, int reason) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const std::string name = folder.empty() ? "the current folder" : "the folder " + folder;
  struct stat status {};
  const bool exists = ::stat(folder.empty() ? "." : folder.c_str(), &status) == 0;
  if (reason == ENOENT && !exists) throw Error(path, "cannot be written: " + name + " does not exist");
  if (reason == ENOTDIR || (exists && !S_ISDIR(status.st_mode)))
    throw Error(path, "cannot be written: " + folder + " is not a folder");
  if (reason == EROFS) throw Error(path, "cannot be written: " + name + " is on a read-only file system");
  if (reason == EACCES && exists)
    throw Error(path, "cannot be written: " + name + " is read-only (" + std::strerror(reason) + ")");
  fail(path, reason);
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
  void reset(int value) { value_ = value; }
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

}  // namespace

struct FileWriter::State {
  std::string path;         // as the caller knows it
  std::string target;       // what is replaced; empty: the file is written to directly
  struct stat replaced {};  // meaningful if `replaces`
  bool replaces = false;
  Descriptor file{-1};
  std::optional<Temporary> temporary;
  std::string buffer;
};

FileWriter::FileWriter(const std::string& path) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.path = path;
  if (::stat(path.c_str(), &s.replaced) == 0) {
    // Renaming over a device or a pipe would replace it by a file.
    if (!S_ISREG(s.replaced.st_mode)) {
      s.file.reset(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
      if (s.file.value() < 0) fail(path, errno);
      return;
    }
    s.replaces = true;
    const std::unique_ptr<char, decltype(&std::free)> target(::realpath(path.c_str(), nullptr), &std::free);
    if (!target) fail(path, errno);
    s.target = target.get();
  } else {
    if (errno != ENOENT) fail_beside(path, errno);
    s.target = path;
  }
  std::string name;
  s.file.reset(create_beside(s.target, name));
  if (s.file.value() < 0) fail_beside(path, errno);
  s.temporary.emplace(name);
}

FileWriter::~FileWriter() = default;

void FileWriter::write(std::string_view bytes) {
  constexpr std::size_t kBuffer = std::size_t{256} << 10;
  State& s = *state_;
  if (s.buffer.size() + bytes.size() > kBuffer) {
    write_all(s.file.value(), s.buffer, s.path);
    s.buffer.clear();
  }
  if (bytes.size() >= kBuffer) {
    write_all(s.file.value(), bytes, s.path);
  } else {
    s.buffer += bytes;
  }
}

void FileWriter::commit() {
  State& s = *state_;
  write_all(s.file.value(), std::exchange(s.buffer, {}), s.path);
  if (!s.temporary) {
    if (!s.file.close()) fail(s.path, errno);
    return;
  }
  if (s.replaces && ::fchmod(s.file.value(), s.replaced.st_mode & 0777) != 0) fail(s.path, errno);
  // Without the sync a crash of the machine could leave the new name with the contents of neither file.
  if (::fsync(s.file.value()) != 0 || !s.file.close() || !s.temporary->rename_to(s.target)) fail(s.path, errno);
}

void check_writable(const std::string& path) {
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) throw Error(path, "cannot be written: it is a folder");
  if (exists && ::access(path.c_str(), W_OK) != 0) {
    if (errno == EROFS) throw Error(path, "cannot be written: it is on a read-only file system");
    throw Error(path, std::string("cannot be written: it is read-only (") + std::strerror(errno) + ")");
  }
  // Opening a pipe would wait for its reader.
  if (!exists || S_ISREG(status.st_mode)) FileWriter{path};
}

void check_folder_writable(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::path entry = path;
  if (fs::exists(entry, ignored) && !fs::is_directory(entry, ignored)) throw Error(path, "is not a folder");
  // What is made first: a file in the folder, or the topmost folder that is missing.
  if (fs::is_directory(entry, ignored)) entry /= ".graze";
  while (!entry.parent_path().empty() && !fs::exists(entry.parent_path(), ignored)) entry = entry.parent_path();
  try {
    check_writable(entry.string());
  } catch (const Error& error) {
    throw Error(path, std::string(error.what()).substr(error.where().size() + 2));
  }
}

void write_file(const std::string& path, std::string_view bytes) {
  FileWriter file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace graze
