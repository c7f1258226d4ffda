// Numbers of any type in other people's memory, read where they lie.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace graze {

/// The types of numbers in files and in the memory of callers.
enum class NumberType : std::uint8_t { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };

/// All of them, in order.
inline constexpr std::array kNumberTypes = {
    NumberType::int8,   NumberType::uint8, NumberType::int16,  NumberType::uint16,  NumberType::int32,
    NumberType::uint32, NumberType::int64, NumberType::uint64, NumberType::float32, NumberType::float64};

/// In bytes.
constexpr std::size_t size_of(NumberType type) {
  constexpr std::array<std::size_t, 10> kSizes = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return kSizes[static_cast<std::size_t>(type)];
}
/// Whether it is float32 or float64.
constexpr bool is_float(NumberType type) { return type >= NumberType::float32; }
/// "int8" … "float64"
std::string_view name_of(NumberType type);

/// Calls f with a zero of the C++ type:   visit_number(type, [](auto zero) { using T = decltype(zero); … });
template <class F>
decltype(auto) visit_number(NumberType type, F&& f) {
  switch (type) {
    case NumberType::int8:
      return f(std::int8_t{});
    case NumberType::uint8:
      return f(std::uint8_t{});
    case NumberType::int16:
      return f(std::int16_t{});
    case NumberType::uint16:
      return f(std::uint16_t{});
    case NumberType::int32:
      return f(std::int32_t{});
    case NumberType::uint32:
      return f(std::uint32_t{});
    case NumberType::int64:
      return f(std::int64_t{});
    case NumberType::uint64:
      return f(std::uint64_t{});
    case NumberType::float32:
      return f(float{});
    case NumberType::float64:
      break;
  }
  return f(double{});
}

/// The NumberType of a C++ type.
template <class T>
constexpr NumberType number_type() {
  static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8);
  if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? NumberType::float32 : NumberType::float64;
  } else {
    constexpr int kLog = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<NumberType>(2 * kLog + (std::is_signed_v<T> ? 0 : 1));
  }
}

/// The T whose bytes begin at `at`, aligned or not.
template <class T>
T load_unaligned(const void* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// The number at `at` as a double: 64-bit integers beyond 2^53 are rounded, all others are exact.
inline double load_as_double(const void* at, NumberType type) {
  return visit_number(type, [at](auto zero) { return static_cast<double>(load_unaligned<decltype(zero)>(at)); });
}

/// Numbers of one type, `stride` bytes apart, in memory that somebody else owns. Need not be aligned.
struct ColumnView {
  NumberType type = NumberType::float64;
  const void* first = nullptr;  ///< the first number
  std::size_t count = 0;        ///< how many there are
  std::ptrdiff_t stride = 0;

  template <class T>
  static ColumnView of(std::span<const T> values) {
    return {number_type<T>(), values.data(), values.size(), sizeof(T)};
  }
  template <class T>
  static ColumnView of(const T* first, std::size_t count, std::ptrdiff_t stride = sizeof(T)) {
    return {number_type<T>(), first, count, stride};
  }

  /// Where number i is.
  const void* at(std::size_t i) const {
    return static_cast<const char*>(first) + static_cast<std::ptrdiff_t>(i) * stride;
  }
  double operator[](std::size_t i) const { return load_as_double(at(i), type); }
  /// The `size` numbers from `begin` on.
  ColumnView part(std::size_t begin, std::size_t size) const {
    return {type, count == 0 ? first : at(begin), size, stride};
  }
};

}  // namespace graze
