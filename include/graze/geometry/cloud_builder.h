// Clouds from parts that arrive one after the other.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "graze/geometry/cloud.h"
#include "graze/geometry/cloud_attributes.h"

namespace graze {

/// Makes a cloud from parts that arrive one after the other. Beside the cloud itself it holds one block.
///
///     CloudBuilder builder({{"intensity", NumberType::uint16}});
///     while (…) builder.append(points, {{ColumnView::of(intensity)}});
///     Cloud cloud = std::move(builder).finish(0.01);
class CloudBuilder {
 public:
  /// Throws Error for an attribute without a name or with a name that another has.
  explicit CloudBuilder(const std::vector<AttributeType>& attributes = {});
  CloudBuilder(CloudBuilder&&) noexcept;
  CloudBuilder& operator=(CloudBuilder&&) noexcept;
  ~CloudBuilder();

  /// Makes room for so many points in all, so that nothing moves while they arrive. Costs nothing if they do not.
  void reserve(std::size_t points);
  /// Adds points and their attributes, in the order of the constructor and of exactly those types. Throws Error, and
  /// is of no further use, for a coordinate out of range and for columns that do not fit.
  void append(const PointView& points, std::span<const ColumnView> attributes = {});
  std::size_t size() const;
  /// Throws Error if the radius is negative or not finite. The builder is empty and of no use afterwards.
  Cloud finish(double radius = 0) &&;

 private:
  struct Pending;
  template <class T>
  void append_points(const PointView& points);
  void append_floats(const PointView& points, std::size_t begin, std::size_t end);
  void flush();
  void skip_or_refuse(const Vec3& p, std::size_t index);

  std::shared_ptr<Cloud::Data> data_;
  std::unique_ptr<Pending> pending_;
};

}  // namespace graze
