// When bodies that move first touch.
#pragma once

#include <span>

#include "graze/motion/motion.h"
#include "graze/query/distance.h"

namespace graze {

/// A geometry that moves from time 0 to 1: at time t it stands at motion.at(t) · local.
struct Moving {
  Geometry geometry;
  AnyMotion motion;
  Pose local = {};         ///< of the geometry in the frame that moves
  double uncertainty = 0;  ///< metres, as in Placed
};

/// Moves a geometry:   sweep(at(tool, Motion(from, to)), at(scan))
template <class G, RigidMotion M>
requires std::constructible_from<Geometry, G> Moving at(G&& geometry, M motion, const Pose& local = {}) {
  return {Geometry(std::forward<G>(geometry)), AnyMotion(std::move(motion)), local};
}
/// A body that stays where it is.
Moving still(const Placed& placed);

/// Options of sweep().
struct SweepOptions {
  /// Metres, not negative: the time asked for is that at which the distance falls to this.
  double margin = 0;
  /// Metres, positive: at the time of a hit the bodies are at most this much farther apart than the margin.
  double tolerance = 1e-6;
  /// How often the distance of the bodies, or of a pair of their parts, is measured at most; all pairs of parts
  /// together a hundred times as often, and 64 times for each part. When that is not enough the answer is a hit that is
  /// not `certain`.
  int max_steps = 10000;
  /// Optional memory for one pair of bodies.
  PairCache* cache = nullptr;
};

/// What sweep() returns.
struct Sweep {
  bool hit = false;  ///< false: proof that the bodies do not come within the margin
  double time = 1;   ///< of a hit, never later than the first one; 1 if there is none
  /// Of a hit: they are within margin and tolerance at `time`. If not, they may be: the steps ran out, or rounding at
  /// this size of coordinates is larger than the tolerance.
  bool certain = true;
  /// The last time at which they are known to be farther apart than the margin; negative if there is none.
  double last_free = -1;
  Pose pose_a, pose_b;  ///< of the moving frames at `time`
  Distance contact;     ///< of a hit, at `time`; of overlaps the depth may not be measured
};

/// The first time at which two bodies touch. A plane between nearest points keeps convex bodies, or parts of bodies,
/// apart until points of both can have passed it; of meshes and clouds only those parts are looked at that can touch
/// before the first touch known. Nothing tunnels, however thin or fast, and rotations count. Both orders give the same
/// time. Throws Error for a negative margin, a tolerance that is not positive or fewer steps than one.
///
///     Sweep s = sweep(at(Sphere{.radius = 0.1}, Motion({}, Pose::at({1, 0, 0}))), still(at(wall)));
///     if (s.hit) stop_before(s.time);
Sweep sweep(const Moving& a, const Moving& b, const SweepOptions& options = {});
/// Against a body that stays where it is.
Sweep sweep(const Moving& a, const Placed& b, const SweepOptions& options = {});
Sweep sweep(const Placed& a, const Moving& b, const SweepOptions& options = {});

/// Whether two bodies touch at any time; false is proof. As sweep() but cheaper, because it is enough to know one time
/// at which they do.
///
///     if (!sweep_hits(at(tool, Motion(from, to)), at(scan))) go(to);
bool sweep_hits(const Moving& a, const Moving& b, const SweepOptions& options = {});
/// Against a body that stays where it is.
bool sweep_hits(const Moving& a, const Placed& b, const SweepOptions& options = {});
bool sweep_hits(const Placed& a, const Moving& b, const SweepOptions& options = {});

/// What samples of a motion see.
struct SampledSweep {
  bool hit = false;  ///< false proves nothing
  double time = 1;   ///< of the first sample that touches
};
/// NOT SAFE, for comparison only: asks collide() at `steps` + 1 equally spaced times. What is thinner than a step is
/// passed unseen, and times are late by up to a step. Throws Error for fewer steps than one or a negative margin.
SampledSweep sweep_by_samples(const Moving& a, const Moving& b, int steps, double margin = 0);

/// Options of sweep_each().
struct SweepEachOptions {
  double margin = 0;        ///< this, tolerance and max_steps as in SweepOptions
  double tolerance = 1e-6;  ///< as in SweepOptions
  int max_steps = 10000;    ///< as in SweepOptions
  int threads = 0;          ///< 0: as many as the machine has
};
/// Many motions of one body, such as the edges of a planner: sweeps[i] is that of motions[i]. Throws Error unless there
/// is room for one answer per motion.
void sweep_each(const Geometry& a, std::span<const Motion> motions, const Placed& b, std::span<Sweep> sweeps,
                const SweepEachOptions& options = {});
/// The same for the question whether they touch at all.
void sweep_hits_each(const Geometry& a, std::span<const Motion> motions, const Placed& b, std::span<bool> hits,
                     const SweepEachOptions& options = {});

}  // namespace graze
