// Numbers that refuse nonsense when a shape is made, so that no query ever meets a bad one.
#pragma once

#include <algorithm>
#include <cstddef>

#include "graze/base/vec.h"

namespace graze::checked {

/// A string literal as a template argument: the field's name in the error message.
template <std::size_t N>
struct FieldName {
  /// With its terminating zero.
  char text[N]{};
  // Implicit, so that `Size<"sphere radius">` reads as it does.
  /// Of a literal.
  consteval FieldName(const char (&literal)[N]) { std::copy_n(literal, N, text); }
};

/// Which values a size may have.
enum class Sign { positive, not_negative };

/// Returns `value` if it is finite and of that sign; otherwise throws Error naming the field and the value.
double size(const char* field, Sign sign, double value);
Vec3 size(const char* field, Sign sign, const Vec3& value);
/// Returns `value` if it is finite; otherwise throws Error naming the field and the value.
Vec3 point(const char* field, const Vec3& value);

/// A length in metres that is checked on construction and reads as a double.
///
///     struct Sphere { checked::Size<"sphere radius", checked::Sign::not_negative> radius; };
///     Sphere{.radius = -1};   // throws: "sphere radius: must be finite and not negative, got -1"
template <FieldName kName, Sign kSign = Sign::positive>
class Size {
 public:
  /// Throws Error for a value that is refused.
  Size(double value) : value_(size(kName.text, kSign, value)) {}
  /// The value.
  operator double() const { return value_; }

 private:
  double value_;
};

/// Three lengths, one per axis, checked like Size.
template <FieldName kName, Sign kSign = Sign::positive>
class Sizes {
 public:
  /// Checked as Size is.
  Sizes(double x, double y, double z) : Sizes(Vec3(x, y, z)) {}
  Sizes(const Vec3& value) : value_(size(kName.text, kSign, value)) {}
  /// The three values.
  operator const Vec3&() const { return value_; }
  const Vec3* operator->() const { return &value_; }
  /// The three values.
  const Vec3& value() const { return value_; }
  /// Along x.
  double x() const { return value_.x(); }
  /// Along y.
  double y() const { return value_.y(); }
  /// Along z.
  double z() const { return value_.z(); }

 private:
  Vec3 value_;
};

}  // namespace graze::checked
