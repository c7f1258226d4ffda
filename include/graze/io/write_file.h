// Files that are either old or new, never half.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace graze {

/// Writes `bytes` to a new file beside `path` and renames it over `path` when all of it is on the disk: readers, full
/// disks and interruptions see the old file or the new one. A symbolic link is followed; anything but a regular file (a
/// device, a pipe) is written to directly. Throws Error naming `path` and the reason.
void write_file(const std::string& path, std::string_view bytes);

/// Throws the Error that writing to `path` would end with, as far as that can be known: a folder that is read-only or
/// not there, a file that is read-only. To be called before long work; makes a file beside `path` and removes it.
void check_writable(const std::string& path);

/// The same for a folder of output files, which is created with its parents if it does not exist.
void check_folder_writable(const std::string& path);

/// `write_file` for files that are made part by part. Without `commit` nothing has happened to the old file.
///
///     FileWriter file("scan.ply");
///     while (…) file.write(part);
///     file.commit();
class FileWriter {
 public:
  /// Starts a new file beside `path`. Throws Error if that fails.
  explicit FileWriter(const std::string& path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void write(std::string_view bytes);
  /// Replaces the old file by the new one; nothing may be written afterwards.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace graze
