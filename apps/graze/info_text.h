// How `graze info` writes numbers.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "graze/base/aabb.h"

namespace graze::app {

using Json = nlohmann::ordered_json;

/// Raised when a field changes its meaning.
inline constexpr int kSchema = 1;

/// "12 bytes", "3.4 MiB"
std::string size_text(std::uint64_t bytes);
/// Twelve digits: they tell a tenth of a millimetre on the globe and hide what doubles do to decimal fractions.
std::string number(double x);
/// "0 … 2  (extent 2)" along an axis.
std::string extent_text(const Aabb& bounds, int axis);
Json vector_json(const Vec3& v);
/// null if they are empty.
Json bounds_json(const Aabb& bounds);
/// One line of text. Names may hold any bytes; what is not UTF-8 becomes a question mark.
std::string line_of(const Json& json);

}  // namespace graze::app
