// Members of glTF's JSON, with their types checked and their places named.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/json_line.h"

namespace graze::io {

/// A value somewhere in a file, such as "part.gltf: accessors[3]". Every function throws Error naming the place of what
/// it refuses. Refers to the JSON, which must outlive it.
class GltfValue {
 public:
  /// `path` is that in the JSON: empty for all of it, "accessors[3]" for a part.
  GltfValue(const Json& value, std::string file, std::string path = "")
      : value_(&value), file_(std::move(file)), path_(std::move(path)) {}

  std::string place() const { return path_.empty() ? file_ : file_ + ": " + path_; }
  [[noreturn]] void refuse(const std::string& why) const;

  /// A member of an object; nothing if it is not there.
  std::optional<GltfValue> find(std::string_view name) const;
  GltfValue required(std::string_view name) const;
  /// An entry of the array that is the member `list`, by an index that stands elsewhere in the file.
  GltfValue entry(std::string_view list, std::uint64_t index) const;
  /// How many entries the array that is the member `list` has; 0 if it is not there.
  std::size_t count(std::string_view list) const;

  std::uint64_t integer(std::string_view name) const;
  std::uint64_t integer_or(std::string_view name, std::uint64_t fallback) const;
  std::string text_or(std::string_view name, std::string_view fallback) const;
  /// A text in the array that is the member `list`.
  std::string text_of(std::string_view list, std::uint64_t index) const;
  bool flag_or(std::string_view name, bool fallback) const;
  /// Fills `values` with the numbers of an array of just so many; false if it is not there.
  template <std::size_t n>
  bool numbers(std::string_view name, double (&values)[n]) const {
    return numbers(name, values, n);
  }
  /// This value as an index.
  std::uint64_t as_integer() const;

 private:
  bool numbers(std::string_view name, double* values, std::size_t count) const;

  const Json* value_;
  std::string file_, path_;
};

}  // namespace graze::io
