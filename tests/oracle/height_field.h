// A terrain as the convex columns that it is the union of, from the caller's numbers.
#pragma once

#include <vector>

#include "oracle/spec.h"

namespace graze_oracle {

/// Rows of heights over a rectangle, solid below; see docs/height_fields.md.
struct FieldSpec {
  std::size_t columns = 2, rows = 2;
  double dx = 1, dy = 1;
  std::vector<double> heights;
  std::array<double, 4> wxyz{1, 0, 0, 0};
  Triple xyz{0, 0, 0};

  double height(std::size_t i, std::size_t j) const { return heights[j * columns + i]; }
};

/// One hull per triangle, in the order of the triangles, from the surface down to `floor` (of the field's frame, below
/// all heights and all that the field is compared with).
std::vector<Spec> columns_of(const FieldSpec& field, double floor);

/// The triangles alone.
std::vector<Spec> triangles_of(const FieldSpec& field);

}  // namespace graze_oracle
