// The one exception with which graze rejects input.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace graze {

/// Bad input at the door: a file, a line, an argument of a constructor. Queries never throw.
/// `what()` reads "where: why" or "where:line: why".
///
///     throw Error("scan.ply", 12, "vertex count 9e18 exceeds the file");
class Error : public std::runtime_error {
 public:
  Error(const std::string& where, const std::string& why) : std::runtime_error(where + ": " + why), where_(where) {}
  Error(const std::string& where, std::size_t line, const std::string& why)
      : Error(where + ":" + std::to_string(line), why) {}

  /// The file, argument or field that was refused.
  const std::string& where() const { return where_; }

 private:
  std::string where_;
};

}  // namespace graze
