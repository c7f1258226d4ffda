// One line of JSON, read strictly.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace graze::io {

using Json = nlohmann::json;

/// Arrays and objects may be nested this deep: far more than any question needs, little enough for functions that walk
/// values recursively on a small stack.
inline constexpr std::size_t kMaxDepth = 64;

/// Empties a value from its innermost parts on. The destructor of an array or an object that holds something takes
/// memory, and ends the program where there is none; that of an empty one takes none. Recursive: see kMaxDepth.
void dismantle(Json& value) noexcept;

struct JsonLine {
  JsonLine() = default;
  JsonLine(JsonLine&&) = default;
  JsonLine& operator=(JsonLine&&) = delete;
  ~JsonLine() {
    dismantle(value);
    if (id) dismantle(*id);
  }

  Json value;
  /// The member "id" of the outermost object, if it was read to its end without fault; null is left where it was.
  std::optional<Json> id;
  /// Where and why the line was refused; empty if it was not. `value` means nothing then.
  std::string error;
};

/// Reads a JSON text. Stricter than common readers: a repeated key, a number beyond double, a NUL byte, ill-formed
/// UTF-8 and nesting beyond kMaxDepth are faults. Throws nothing but bad_alloc.
JsonLine read_json_line(std::string_view text);

/// `text` cut to about `max_bytes` bytes at the border of a UTF-8 character, with … where something was cut.
std::string shortened(std::string_view text, std::size_t max_bytes = 60);

/// Appends a member to a JSON path: "a" and "half" make "a.half", "" and "a" make "a".
std::string path_to(const std::string& path, std::string_view member);

}  // namespace graze::io
