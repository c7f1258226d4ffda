// When a vertex meets a face, or an edge an edge, while all of their corners move: the query of deforming meshes.
#pragma once

#include <span>

#include "graze/base/vec.h"

namespace graze {

/// Options of first_contact_vertex_face() and first_contact_edge_edge().
struct FirstContactOptions {
  /// Metres, positive: at the time of a hit the gap is at most this.
  double tolerance = 1e-6;
  /// How many intervals of time are looked at, at most, in each of three precisions: doubles, pairs of doubles and
  /// integers that round nowhere. When that is not enough the answer is a hit that is not `certain`.
  int max_steps = 2000;
  /// Contacts later than this are of no interest: they may be answered as none.
  double limit = 1;
};

/// What first_contact_vertex_face() and first_contact_edge_edge() return.
struct FirstContact {
  bool hit = false;  ///< false: proof that there is no contact from time 0 to 1
  double time = 1;   ///< of a hit, never later than the first contact; 1 if there is none
  /// Of a hit: the gap at `time` is at most the tolerance. If not, it may be: the steps ran out, rounding at this size
  /// of coordinates is larger than the tolerance, or a coordinate is not finite.
  bool certain = true;
  Vec3 on_a = Vec3::Zero();  ///< of a hit with finite input: the nearest point of the vertex or first edge at `time`
  Vec3 on_b = Vec3::Zero();  ///< and that of the face or second edge
};

/// The first contact of a vertex (point 0) and a triangle (points 1, 2, 3). Each point moves along a line at constant
/// speed, from `from` at time 0 to `to` at time 1. Touching is contact. A face without area is the segment or the point
/// that its corners span.
///
///     const std::array<Vec3, 4> from = {{{0, 0, 1}, {-1, -1, 0}, {1, -1, 0}, {0, 1, 0}}};
///     std::array<Vec3, 4> to = from;
///     to[0].z() = -1;
///     FirstContact c = first_contact_vertex_face(from, to);  // c.hit, c.time just below 0.5
///
/// What is decided exactly: an answer of no hit, for the caller's doubles as real numbers, rounding included; and that
/// there is no contact before `time`. A contact is never missed. What passes without touching is found free, however
/// far within the tolerance: where doubles cannot tell, integers of up to 1536 bits do. Passes that differ from a
/// contact by less than 2^-160 of the time, or coordinates of which some are smaller than the largest by 2^160 or more,
/// may be called a hit.
///
/// About 100 KiB of stack, no other memory. Reentrant. Throws Error for a tolerance that is not positive,
/// fewer steps than one or a limit that is not a number.
FirstContact first_contact_vertex_face(std::span<const Vec3, 4> from, std::span<const Vec3, 4> to,
                                       const FirstContactOptions& options = {});

/// The same for the edge between the points 0 and 1 and the edge between 2 and 3. Parallel edges, and edges that are
/// points, are as good as others.
FirstContact first_contact_edge_edge(std::span<const Vec3, 4> from, std::span<const Vec3, 4> to,
                                     const FirstContactOptions& options = {});

}  // namespace graze
