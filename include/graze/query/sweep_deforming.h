// When meshes that bend first touch something, or themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "graze/geometry/moving_mesh.h"
#include "graze/query/sweep.h"

namespace graze {

/// A mesh whose vertices each go straight from one position to another over t in [0, 1], somewhere in the world.
struct Deforming {
  MovingMesh mesh;
  Pose pose = {};          ///< of the mesh's frame, all the time
  double uncertainty = 0;  ///< metres, as in Placed
};

/// Places a mesh that bends:   sweep(at(MovingMesh(cloth, next)), at(body))
inline Deforming at(const MovingMesh& mesh, const Pose& pose = {}) { return {mesh, pose}; }
/// Places it at `pose * local`, with the uncertainty of that product.
Deforming at(const MovingMesh& mesh, const Pose& pose, const Pose& local);

/// The first time at which a mesh that bends and another body touch. As with rigid bodies the time is never later than
/// the truth, the gap at that time is at most margin and tolerance, and no hit is proof. What touches from the start,
/// a body inside of a solid included, is a hit at time 0.
///
/// Meshes at equal poses and without a margin are decided by first_contact_vertex_face() and
/// first_contact_edge_edge(), for the caller's doubles as real numbers: what passes without touching is free, however
/// near. All others (shapes, clouds, meshes elsewhere or turning, margins) are advanced triangle by triangle from what
/// distance() measures; these may be called hits where they come within half of the tolerance. `contact.a` and
/// `contact.b` are triangles, or what distance() reports of the other body. Both orders give the same time. No
/// allocation. Throws Error as sweep() of rigid bodies does.
///
///     MovingMesh cloth(mesh, next_vertices);
///     Sweep s = sweep(at(cloth), at(Sphere{.radius = 0.1}));
///     cloth.advance(vertices_after_that);   // the next step: the tree is refitted, not built
Sweep sweep(const Deforming& a, const Deforming& b, const SweepOptions& options = {});
/// The other body is rigid and moves.
Sweep sweep(const Deforming& a, const Moving& b, const SweepOptions& options = {});
Sweep sweep(const Moving& a, const Deforming& b, const SweepOptions& options = {});
/// The other body stays.
Sweep sweep(const Deforming& a, const Placed& b, const SweepOptions& options = {});
Sweep sweep(const Placed& a, const Deforming& b, const SweepOptions& options = {});

/// The first time at which a mesh touches itself. Triangles that share a vertex are left out: they always touch there.
/// That is, a vertex of the same index, or vertices with the same positions at both ends of the move. Triangles that
/// meet from the start are a hit at time 0. `contact.a` < `contact.b` are the triangles.
Sweep self_sweep(const MovingMesh& mesh, const SweepOptions& options = {});

/// Two triangles that meet during a step, and when they first do.
struct StepContact {
  std::uint32_t a = 0, b = 0;  ///< triangles; within one mesh a < b
  double time = 0;             ///< never later than their first contact
  bool certain = true;         ///< see FirstContact
  /// World points of a and b at `time`, within the tolerance of each other if `certain`. Of triangles that cross at
  /// the start they are the same.
  Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();
};

/// Options of step_contacts().
struct StepContactOptions {
  double tolerance = 1e-6;  ///< metres, positive: see SweepOptions
  int max_steps = 10000;    ///< see SweepOptions
  /// That search; 0: as many as the machine has. More than one allocate. The result does not depend on it.
  int threads = 1;
};

/// How many pairs of triangles of the two meet during the step, each with the time of its own first contact. The buffer
/// gets the earliest of them, by time, then a, then b; as many as there is room for. Being inside of a solid without
/// touching its surface is no pair. Decided as sweep() of the two decides.
///
///     std::vector<StepContact> found(1000);
///     const std::size_t count = step_contacts(at(cloth), at(body), found);
std::size_t step_contacts(const Deforming& a, const Deforming& b, std::span<StepContact> buffer,
                          const StepContactOptions& options = {});
/// The same of one mesh with itself, as self_sweep() decides.
std::size_t self_step_contacts(const MovingMesh& mesh, std::span<StepContact> buffer,
                               const StepContactOptions& options = {});

}  // namespace graze
