#pragma once

#include "graze/shape/checked.h"

namespace graze {

/// The points x with normal · x = offset: unbounded and infinitely thin. What straddles it penetrates it by the
/// shorter exit.
class Plane {
 public:
  /// `normal` need not be unit (offset is in its terms) but must be finite and not zero; throws Error otherwise.
  Plane(const Vec3& normal, double offset);

  /// Unit.
  const Vec3& normal() const { return normal_; }
  /// In metres along the unit normal.
  double offset() const { return offset_; }

 private:
  Vec3 normal_;
  double offset_;
};

}  // namespace graze
