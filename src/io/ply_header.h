// The header of a PLY file: elements, each with properties.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graze/base/number.h"
#include "io/bytes.h"

namespace graze::io {

struct PlyProperty {
  std::string name;
  NumberType type = NumberType::float32;
  std::optional<NumberType> count_type;  ///< of a list
  int target = -1;                       ///< for the readers' use
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;

  bool has_lists() const;
  /// The minimum of one entry in a binary file: a list may be empty.
  std::uint64_t min_size() const;
};

enum class PlyEncoding : std::uint8_t { ascii, little_endian, big_endian };

struct PlyHeader {
  PlyEncoding encoding = PlyEncoding::ascii;
  std::string version;
  std::vector<PlyElement> elements;

  bool ascii() const { return encoding == PlyEncoding::ascii; }
  /// Whether the bytes of numbers are in the other order than the machine's.
  bool swaps() const;
  /// The element of this name, or null.
  const PlyElement* element(std::string_view name) const;
};

/// Whether bytes begin as a PLY file does.
bool looks_like_ply(std::string_view start);

/// Reads up to end_header and checks, before anything is allocated for them, that the elements fit in the file. Throws
/// Error naming the line.
PlyHeader read_ply_header(ByteReader& reader);

/// Throws the Error for a file that ends within an element of which so many entries are missing.
[[noreturn]] void refuse_ply_end(const ByteReader& reader, const PlyElement& element, std::uint64_t missing);

/// The next line that is not blank; false at the end.
bool next_ply_line(ByteReader& reader, std::string_view& line);

/// The length of a list in a binary file; false if the file ends. Throws Error if it is negative.
bool take_ply_length(ByteReader& reader, const PlyProperty& list, bool swap, std::uint64_t& length);

/// Passes over an element. Throws Error if the file ends.
void skip_ply_element(ByteReader& reader, const PlyHeader& header, const PlyElement& element);

/// Throws Error if anything follows that the header does not count: it would go unnoticed.
void check_ply_end(ByteReader& reader, const PlyHeader& header);

}  // namespace graze::io
