#include "oracle/height_field.h"

namespace graze_oracle {
namespace {

template <class Corners>
std::vector<Spec> parts_of(const FieldSpec& field, Kind kind, const Corners& corners) {
  std::vector<Spec> parts;
  for (std::size_t j = 0; j + 1 < field.rows; ++j) {
    for (std::size_t i = 0; i + 1 < field.columns; ++i) {
      const auto corner = [&](std::size_t di, std::size_t dj) -> Triple {
        return {static_cast<double>(i + di) * field.dx, static_cast<double>(j + dj) * field.dy,
                field.height(i + di, j + dj)};
      };
      // Cut from (i, j) to (i + 1, j + 1).
      for (const bool upper : {false, true}) {
        Spec part;
        part.kind = kind;
        part.points = corners(std::array<Triple, 3>{corner(0, 0), upper ? corner(0, 1) : corner(1, 0), corner(1, 1)});
        part.wxyz = field.wxyz, part.xyz = field.xyz;
        parts.push_back(part);
      }
    }
  }
  return parts;
}

}  // namespace

std::vector<Spec> columns_of(const FieldSpec& field, double floor) {
  return parts_of(field, Kind::convex, [&](const std::array<Triple, 3>& top) {
    std::vector<Triple> points(top.begin(), top.end());
    for (const Triple& p : top) points.push_back({p[0], p[1], floor});
    return points;
  });
}

std::vector<Spec> triangles_of(const FieldSpec& field) {
  return parts_of(field, Kind::triangle,
                  [](const std::array<Triple, 3>& top) { return std::vector<Triple>(top.begin(), top.end()); });
}

}  // namespace graze_oracle
