// When something that moves first touches an object of a scene.
#pragma once

#include <span>
#include <string_view>

#include "graze/query/sweep.h"
#include "graze/query/sweep_deforming.h"
#include "graze/scene/scene.h"

namespace graze {

/// Options of sweeps through scenes.
struct SceneSweepOptions {
  double margin = 0;         ///< metres, added to the margins and the padding of the objects; see SweepOptions
  double tolerance = 1e-6;   ///< metres; see SweepOptions
  int max_steps = 10000;     ///< for each object; see SweepOptions
  std::string_view as = {};  ///< see SceneCollideOptions
};
/// The first contact and the objects that touch; see Sweep for a and b. Margins and padding count, and the points are
/// those of the bodies without padding.
struct SceneSweep : Sweep {
  ObjectPair pair = {};  ///< what is not in a scene has no id and no name
};

/// The first time at which a moving body touches an object of the scene: the earliest of sweep() with each of them,
/// with its margin and padding. Of those touched at the same time the one that was added first is reported. Boxes
/// around eight stretches of the motion decide which objects are looked at, those that it can reach first before all
/// others. Both orders give the same time. Throws Error for options as sweep() of two bodies does.
///
///     SceneSweep s = sweep(at(tool, Motion(from, to)), scene);
///     if (s.hit) report(s.pair.name_b, s.time);
SceneSweep sweep(const Moving& body, const Scene& scene, const SceneSweepOptions& options = {});
SceneSweep sweep(const Scene& scene, const Moving& body, const SceneSweepOptions& options = {});
/// The same for a mesh that bends.
SceneSweep sweep(const Deforming& body, const Scene& scene, const SceneSweepOptions& options = {});
SceneSweep sweep(const Scene& scene, const Deforming& body, const SceneSweepOptions& options = {});
/// The same for an object of the scene and everything attached to it, against all other objects: `pair` has what moves
/// first. The motion is that of the object's frame, relative to its parent as in SceneEditor::move, wherever the object
/// stands in this version. `as` plays no part. Allocates. Throws Error for a name that is not in the scene.
///
///     SceneSweep s = sweep(scene, "gripper", Motion(now, Pose::at({0.3, 0, 1})));
SceneSweep sweep(const Scene& scene, std::string_view name, const AnyMotion& motion,
                 const SceneSweepOptions& options = {});

/// Whether it touches any object at any time; false is proof. As sweep(), but the first contact known is enough.
bool sweep_hits(const Moving& body, const Scene& scene, const SceneSweepOptions& options = {});
bool sweep_hits(const Scene& scene, const Moving& body, const SceneSweepOptions& options = {});
bool sweep_hits(const Scene& scene, std::string_view name, const AnyMotion& motion,
                const SceneSweepOptions& options = {});

/// Options of batches of sweeps through scenes.
struct SceneSweepEachOptions {
  double margin = 0;         ///< this, tolerance, max_steps and as: see SceneSweepOptions
  double tolerance = 1e-6;   ///< metres
  int max_steps = 10000;     ///< for each object
  std::string_view as = {};  ///< see SceneCollideOptions
  int threads = 0;           ///< 0: as many as the machine has
};
/// Many motions of one body, such as the edges of a planner: sweeps[i] is that of motions[i], to the bit, on any number
/// of threads. Throws Error unless there is room for one answer per motion.
void sweep_each(const Geometry& body, std::span<const Motion> motions, const Scene& scene, std::span<SceneSweep> sweeps,
                const SceneSweepEachOptions& options = {});
/// The same for the question whether they touch at all.
void sweep_hits_each(const Geometry& body, std::span<const Motion> motions, const Scene& scene, std::span<bool> hits,
                     const SceneSweepEachOptions& options = {});

}  // namespace graze
