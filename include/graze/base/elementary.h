// Elementary functions that give the same bits everywhere.
#pragma once

namespace graze::elementary {

// The functions of <cmath> are as good as each platform makes them: they differ in the last bits between C libraries,
// and within one between processors with and without fused multiply-add. What an answer depends on is computed by these
// instead, from sums, products, quotients and square roots alone, in a fixed order. Special values (NaN, infinities,
// signed zeros) are treated as <cmath> does; errno and floating-point flags are not.
//
// Errors are in units in the last place of the true value, and tested against MPFR.

/// Sine of x radians, any finite number. Less than 1 unit.
double sin(double x);
/// Cosine of x radians, any finite number. Less than 1 unit.
double cos(double x);
/// Both at the cost of little more than one.
struct SinCos {
  double sin, cos;  ///< of the same angle
};
/// Sine and cosine of x radians.
SinCos sin_cos(double x);

/// Inverse tangent, in [−π/2, π/2]. Less than 1 unit.
double atan(double x);
/// The angle of (x, y), in [−π, π]. Less than 1 unit.
double atan2(double y, double x);

/// Less than 1 unit (2^-1074 where that is more).
double exp(double x);
/// exp(x) − 1. Less than 1 unit.
double expm1(double x);
/// Natural logarithm. Less than 1 unit.
double log(double x);
/// log(1 + x). Less than 1 unit.
double log1p(double x);
/// x > 0 to the power y: exp(y log x). Less than 1 + |y log x| units.
double pow(double x, double y);

/// The length of (x, y), which over- or underflows only where the result does. Less than 1 unit.
double hypot(double x, double y);

/// 2/√π times the integral of exp(−t²) from x on. Less than 8 units (2^-1074 where that is more).
double erfc(double x);

}  // namespace graze::elementary
