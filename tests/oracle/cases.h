// Pairs of shapes that are hard for libraries: random ones of every kind of difficulty, the same for the same seed.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "oracle/spec.h"

namespace graze_oracle {

/// The same sequence on every machine: no distributions of the standard library, no transcendental functions.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits();
  /// From `low` up to, not including, `high`.
  double uniform(double low, double high);
  /// From `low` to `high`, both included.
  int integer(int low, int high);
  bool chance(double probability) { return uniform(0, 1) < probability; }
  /// A power of ten with a uniform exponent.
  double magnitude(double low_exponent, double high_exponent);
  /// Uniform on the unit sphere, on the rotations (not normalised to the last bit).
  Triple direction();
  std::array<double, 4> rotation();

 private:
  std::uint64_t state_;
};

enum class Trouble {
  generic,   ///< any pose, half of them overlapping
  aligned,   ///< lattice sizes, positions and right angles: exact touching is frequent
  touching,  ///< moved to within a few units in the last place of touching, or up to 1e-6 apart or deep
  nested,    ///< one inside the other, often concentric
  parallel,  ///< the same rotation, faces parallel, lattice offsets in the turned frame
  edges,     ///< edges, rims and vertices shared
  sliver,    ///< one or two dimensions shrunk to 1e-4 … 1e-9
  far,       ///< a million metres from the origin
  tiny,      ///< a tenth of a millimetre
  huge,      ///< a million metres
  mixed,     ///< sizes from 1e-4 to 1e4 against each other
  flat,      ///< sizes of 0, often touching, coplanar, collinear or concentric
};

inline constexpr std::array<Trouble, 12> kTroubles{
    Trouble::generic, Trouble::aligned, Trouble::touching, Trouble::nested, Trouble::parallel, Trouble::edges,
    Trouble::sliver,  Trouble::far,     Trouble::tiny,     Trouble::huge,   Trouble::mixed,    Trouble::flat};

const char* name_of(Trouble trouble);

struct Case {
  Spec a, b;
};

/// A shape of size about `scale` at a random rotation about the origin.
Spec random_spec(Kind kind, double scale, Random& random);
/// Makes some sizes 0, at least one: a rectangle, disc, segment, ball or point. Ellipsoids cannot have sizes of 0, and
/// shapes made of points stay as they are.
void flatten(Spec& spec, Random& random);
/// Lattice sizes (multiples of an eighth) and a rotation by right angles.
Spec lattice_spec(Kind kind, Random& random);

Case make_case(Kind a, Kind b, Trouble trouble, Random& random);

/// A C++-like description of a spec that reads back to the same doubles.
std::string describe(const Spec& spec);

}  // namespace graze_oracle
