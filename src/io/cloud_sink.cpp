#include "io/cloud_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

namespace graze::io {

void append_number(std::string& text, const void* at, NumberType type) {
  visit_number(type, [&](auto zero) {
    using T = decltype(zero);
    const T value = load_unaligned<T>(at);
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value)) {
        text += "nan";  // without the sign that it may have
        return;
      }
      fmt::format_to(std::back_inserter(text), "{}", static_cast<double>(value));
    } else {
      // Widened, since fmt takes int8_t for a character.
      fmt::format_to(std::back_inserter(text), "{}", +value);
    }
  });
}

void append_bytes(std::string& text, const void* at, std::size_t size, bool big_endian) {
  text.append(static_cast<const char*>(at), size);
  if (big_endian != (std::endian::native == std::endian::big)) {
    std::reverse(text.end() - static_cast<std::ptrdiff_t>(size), text.end());
  }
}

std::string one_word(std::string_view name) {
  std::string word(name);
  for (char& c : word) {
    if (static_cast<unsigned char>(c) <= 32 || c == 127 || c == '"') c = '_';
  }
  return word;
}

namespace {

// Through memory: where it makes a vector of two coordinates, g++ 12 leaves out the way to float and back.
double rounded_to_single(double x) {
  const volatile float single = static_cast<float>(x);
  return double{single};
}

}  // namespace

Vec3 CoordinateRounding::operator()(const Vec3& p, double& largest) const {
  if (!single_) return p;
  const Vec3 rounded(rounded_to_single(p.x()), rounded_to_single(p.y()), rounded_to_single(p.z()));
  const double off = (rounded - p).norm();
  if (off > largest) largest = off;  // not for NaN
  return rounded;
}

}  // namespace graze::io
