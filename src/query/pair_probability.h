// How likely two points meet, in closed form. Lengths are in units of the standard deviation of the difference of the
// two points, along each axis: `reach` is the sum of their radii, `distance` that of the measured points.
#pragma once

namespace graze {

/// P(Z > x) of a standard normal Z, with full relative precision in the tail.
double upper_tail(double x);

/// That the difference, a Gaussian of unit variance about a point at `distance`, is no longer than `reach`.
/// Relative error below 1e-9 for probabilities above 1e-300.
double ball_probability(double distance, double reach);

/// That it is no longer than `reach` along the direction to that point: never less than ball_probability.
inline double side_probability(double distance, double reach) { return upper_tail(distance - reach); }

}  // namespace graze
