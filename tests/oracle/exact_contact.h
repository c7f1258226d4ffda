// The first contact of a vertex with a face, or of two edges, whose corners move along lines: without any rounding.
#pragma once

#include <gmpxx.h>

#include <array>
#include <optional>

namespace graze_oracle {

enum class Meeting { vertex_face, edge_edge };

/// Coordinates of four points; the vertex first, or two edges one after the other.
using FourPoints = std::array<std::array<double, 3>, 4>;

/// The first time of contact is above `low`, unless that is the time itself, and at most `high`; they differ by less
/// than 2^-120.
struct ContactTime {
  mpq_class low, high;
};

/// Of the times from 0 to 1. Roots of the polynomials whose signs decide about contact are isolated (Sturm), and signs
/// at a root are decided by common divisors.
std::optional<ContactTime> exact_first_contact(Meeting meeting, const FourPoints& from, const FourPoints& to);

}  // namespace graze_oracle
