// The files in a zip archive.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "io/bytes.h"

namespace graze::io {

/// Finds files by their names and unpacks them, each as a whole.
class ZipArchive {
 public:
  /// Throws Error unless the bytes end with a directory of at most kMostFiles files.
  explicit ZipArchive(std::shared_ptr<const Bytes> bytes);
  static constexpr std::size_t kMostFiles = 10'000;

  /// The names, as they are, with where each file is.
  struct Entry {
    std::uint64_t offset = 0, packed = 0, size = 0;
    std::uint32_t sum = 0;
    unsigned method = 0;
  };
  const std::map<std::string, Entry>& entries() const { return entries_; }
  bool contains(const std::string& name) const { return entries_.contains(name); }
  /// Throws Error for a name that is not there, a file of more than `most` bytes, and one that is damaged.
  std::string unpacked(const std::string& name, std::uint64_t most) const;

 private:
  [[noreturn]] void refuse(const std::string& why) const;

  std::shared_ptr<const Bytes> bytes_;
  std::map<std::string, Entry> entries_;
};

}  // namespace graze::io
