// What a writer must know about the values of a column before the first of them is written.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace graze::io {

struct ColumnFacts {
  /// The first row that is so, and its value as text. Rows are counted from 0.
  struct Row {
    std::uint64_t row;
    std::string value;
  };
  std::optional<Row> fraction;        ///< no whole number
  std::optional<Row> not_a_number;    ///< NaN
  std::optional<Row> beyond_double;   ///< a 64-bit integer that a double would round
  std::optional<Row> off_angle_grid;  ///< an angle that LAS does not have (asked of what goes to scan_angle only)
  std::uint64_t min_row = 0, max_row = 0;

  bool whole() const { return !fraction && !not_a_number; }
};

/// Whether a double has exactly this value.
template <class Integer>
bool double_holds(Integer value) {
  const auto near = static_cast<double>(value);
  // 2^63 and 2^64 are the doubles next to the largest integers, which cannot be cast back.
  if (near >= std::ldexp(1.0, std::numeric_limits<Integer>::digits)) return false;
  return static_cast<Integer>(near) == value;
}

}  // namespace graze::io
