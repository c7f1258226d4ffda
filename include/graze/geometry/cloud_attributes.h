// What the points of a cloud carry beside their coordinates: intensity, colour, time, …
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "graze/base/number.h"

namespace graze {

/// The name and type of one number that every point carries: intensity, red, classification, gps_time, …
struct AttributeType {
  std::string name;
  NumberType type = NumberType::float64;
  bool operator==(const AttributeType&) const = default;
};

/// An attribute in the caller's memory: one value per point.
struct AttributeView {
  /// Unique among the attributes of a cloud.
  std::string name;
  /// One per point.
  ColumnView values;
};

/// A named column of values by point index, as Cloud::attributes() gives it: a view, valid as long as the cloud or a
/// copy of it is.
class CloudAttribute {
 public:
  /// `count` values that begin at `bytes`, one behind the other.
  CloudAttribute(AttributeType kind, const std::byte* bytes, std::size_t count)
      : kind_(std::move(kind)), bytes_(bytes), count_(count) {}

  /// The name, unique within the cloud.
  const std::string& name() const { return kind_.name; }
  /// The type of the values.
  NumberType type() const { return kind_.type; }
  /// Name and type.
  const AttributeType& kind() const { return kind_; }
  std::size_t size() const { return count_; }
  /// 64-bit integers beyond 2^53 are rounded, all other values are exact.
  double operator[](std::size_t i) const { return load_as_double(bytes_ + i * size_of(kind_.type), kind_.type); }
  /// The values as they are; throws Error where T is not the attribute's type.
  template <class T>
  std::span<const T> values() const {
    if (number_type<T>() != kind_.type) refuse_type(number_type<T>());
    return {reinterpret_cast<const T*>(bytes_), size()};
  }
  /// The values as they are, of any type.
  ColumnView view() const { return {kind_.type, bytes_, count_, static_cast<std::ptrdiff_t>(size_of(kind_.type))}; }

 private:
  [[noreturn]] void refuse_type(NumberType asked) const;

  AttributeType kind_;
  const std::byte* bytes_;
  std::size_t count_;
};

}  // namespace graze
