// SHA-256, as sha256sum prints it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "graze/base/progress.h"

namespace graze::app {

class Sha256 {
 public:
  void add(std::string_view bytes);
  /// 64 hexadecimal digits of all that was added; nothing may be added afterwards.
  std::string finish();

 private:
  void take(const unsigned char* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> rest_{};
  std::uint64_t size_ = 0;
};

std::string sha256(std::string_view bytes);
/// Of a file; throws Error if it cannot be read.
std::string sha256_of_file(const std::string& path, const Progress& progress = {});

}  // namespace graze::app
