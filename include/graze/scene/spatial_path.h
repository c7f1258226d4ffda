// The paths of a ball in space: straight, along a circle, or any other curve.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <utility>

#include "graze/base/aabb.h"

namespace graze::spatial {

/// A curve: where it is after a fraction, 0 … 1, and a length such that no two of its points are farther apart than
/// the difference of their fractions times it. That of a curve that is run through at constant speed will do.
template <class C>
concept Curve = requires(const C& curve, double fraction) {
  { curve.at(fraction) } -> std::convertible_to<Vec3>;
  { curve.length() } -> std::convertible_to<double>;
};

/// Where the center of a ball goes.
///
///     Path::line({0, 0, 0}, {5, 0, 0});
///     Path::arc({0, 0, 1}, {2, 0, 1}, Vec3::UnitZ(), 1.57);   // about a vertical axis, from (2, 0, 1)
///     Path::curve(Helix{.radius = 1, .pitch = 0.2});          // anything with at(fraction) and length()
class Path {
 public:
  /// Straight from one point to another. Throws Error for coordinates that are not finite or beyond 1e50. A path
  /// without length is a check of the ball where it stands.
  static Path line(const Vec3& from, const Vec3& to);
  /// About the line through a point along an axis (of any length) by an angle in radians, counter-clockwise seen from
  /// where the axis points, also by more than a turn. Throws Error for numbers that are not finite or beyond 1e50, and
  /// for an axis without length.
  static Path arc(const Vec3& center, const Vec3& from, const Vec3& axis, double angle);
  /// Any curve. Throws Error unless its length is between 0 and 1e50 and its start finite.
  template <Curve C>
  static Path curve(C curve) {
    return Path(std::make_shared<const ShapeOf<C>>(std::move(curve)));
  }

  /// What paths there are.
  enum class Kind : std::uint8_t { line, arc, curve };
  /// Which of them it is.
  Kind kind() const { return kind_; }
  /// Where it starts.
  const Vec3& from() const { return from_; }
  /// Of a line: where it ends.
  const Vec3& to() const { return to_; }
  /// Of a line: from the start to the end.
  const Vec3& displacement() const { return displacement_; }
  /// Of an arc: a point of its axis.
  const Vec3& center() const { return center_; }
  /// Of an arc: the axis, unit.
  const Vec3& axis() const { return axis_; }
  /// Of an arc: radians, with its sign.
  double angle() const { return angle_; }
  /// Of an arc: metres from the axis.
  double radius() const { return radius_; }
  /// Metres.
  double length() const { return length_; }
  /// The center of the ball after a fraction of the path, 0 … 1.
  Vec3 at(double fraction) const;
  /// Around the part of the path between two fractions.
  Aabb bounds(double begin = 0, double end = 1) const;

 private:
  struct Shape {
    Shape() = default;
    Shape(const Shape&) = delete;
    Shape& operator=(const Shape&) = delete;
    virtual ~Shape() = default;
    virtual Vec3 at(double fraction) const = 0;
    virtual double length() const = 0;
  };
  template <class C>
  struct ShapeOf final : Shape {
    explicit ShapeOf(C held) : curve(std::move(held)) {}
    Vec3 at(double fraction) const override { return curve.at(fraction); }
    double length() const override { return curve.length(); }
    C curve;
  };

  Path() = default;
  explicit Path(std::shared_ptr<const Shape> shape);

  Vec3 from_ = Vec3::Zero(), to_ = Vec3::Zero(), displacement_ = Vec3::Zero(), center_ = Vec3::Zero(),
       axis_ = Vec3::UnitZ();
  Vec3 along_ = Vec3::Zero(), across_ = Vec3::Zero();  // of an arc: to the start, and to a quarter turn later
  double angle_ = 0, radius_ = 0, length_ = 0;
  Kind kind_ = Kind::line;
  std::shared_ptr<const Shape> shape_;
};

}  // namespace graze::spatial
