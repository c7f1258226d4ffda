// Names of columns as a file can hold them: each once, none that means something else there.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "graze/io/cloud_file.h"

namespace graze::io {

/// What a format requires of the names of its columns.
struct NameRule {
  /// The name without characters that the format cannot hold.
  std::function<std::string(std::string_view)> clean;
  /// Whether a column of this name would be read as something else, such as a coordinate.
  std::function<bool(std::string_view)> reserved;
  std::size_t longest = std::numeric_limits<std::size_t>::max();  ///< in bytes
};

/// Hands out names that differ. Names that need no change are to be claimed first, so that they stay as they are.
class NameBook {
 public:
  explicit NameBook(NameRule rule) : rule_(std::move(rule)) {}

  /// Whether the name can be had as it is.
  bool free(std::string_view name) const;
  /// Marks a name as taken.
  void claim(std::string name) { taken_.push_back(std::move(name)); }
  /// The name, or one like it that is free: cleaned, shortened, with _2, _3, … behind it. Claims it.
  std::string claim_like(std::string_view name);

 private:
  bool taken(std::string_view name) const;

  NameRule rule_;
  std::vector<std::string> taken_;
};

/// The names of attributes as they are written, and a note for each that had to change.
std::vector<std::string> names_for(const std::vector<AttributeRange>& attributes, const NameRule& rule,
                                   std::vector<std::string>& notes);

/// "attribute 'X' was written as 'X_2'"
std::string renamed_note(std::string_view from, std::string_view to);

/// Whether it is x, y or z.
bool is_axis(std::string_view name);

/// At most `max_bytes` of a text, without half a character of UTF-8 at its end.
std::string_view cut_utf8(std::string_view text, std::size_t max_bytes);

}  // namespace graze::io
