#pragma once

#include "graze/shape/checked.h"

namespace graze {

/// Everything below a plane: the points x with normal · x <= offset. Unbounded.
class HalfSpace {
 public:
  /// `normal` need not be unit (offset is in its terms) but must be finite and not zero; throws Error otherwise.
  HalfSpace(const Vec3& normal, double offset);

  /// Outward and unit.
  const Vec3& normal() const { return normal_; }
  /// In metres along the unit normal.
  double offset() const { return offset_; }

 private:
  Vec3 normal_;
  double offset_;
};

}  // namespace graze
