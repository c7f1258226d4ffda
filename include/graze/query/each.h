// Many poses of one thing, or many spheres, against another: the answers that the verbs give one by one, to the bit, on
// any number of threads.
#pragma once

#include <span>

#include "graze/index/points.h"
#include "graze/query/collide.h"
#include "graze/query/contacts.h"
#include "graze/query/distance.h"
#include "graze/query/penetration.h"

namespace graze {

/// Options of collide_each().
struct CollideEachOptions {
  double margin = 0;  ///< as in CollideOptions
  int threads = 0;    ///< 0: as many as the machine has
};
/// Options of distance_each().
struct DistanceEachOptions {
  double limit = kInfinity;  ///< this and depth as in DistanceOptions
  bool depth = true;         ///< as in DistanceOptions
  int threads = 0;           ///< 0: as many as the machine has
};
/// Options of contacts_each().
struct ContactsEachOptions {
  std::size_t max = 8;  ///< this and margin as in ContactOptions; at most Contacts::kCapacity
  double margin = 0;    ///< as in ContactOptions
  int threads = 0;      ///< 0: as many as the machine has
};
/// Options of penetration_each().
struct PenetrationEachOptions {
  int threads = 0;  ///< 0: as many as the machine has
};

/// Answer i is that of a and b at poses[i]. Throws Error unless there is room for one answer per pose. Nothing is
/// copied or counted per pose, which is what a loop over at(b, pose) would do.
///
///     std::unique_ptr<bool[]> hits(new bool[poses.size()]);
///     collide_each(at(shelf), gripper, poses, {hits.get(), poses.size()});
void collide_each(const Placed& a, const Geometry& b, std::span<const Pose> poses, std::span<bool> hits,
                  const CollideEachOptions& options = {});
/// The same for signed distances.
void distance_each(const Placed& a, const Geometry& b, std::span<const Pose> poses, std::span<Distance> distances,
                   const DistanceEachOptions& options = {});
/// The same for contacts.
void contacts_each(const Placed& a, const Geometry& b, std::span<const Pose> poses, std::span<Contacts> found,
                   const ContactsEachOptions& options = {});
/// The same for depths.
void penetration_each(const Placed& a, const Geometry& b, std::span<const Pose> poses,
                      std::span<Penetration> penetrations, const PenetrationEachOptions& options = {});

/// The same for spheres in the world, such as those of a robot. Throws Error, which names the sphere, for a negative
/// radius and for numbers that are not finite, and for arrays of different lengths.
void collide_each(const Placed& a, const SpheresView& spheres, std::span<bool> hits,
                  const CollideEachOptions& options = {});
/// The same for signed distances.
void distance_each(const Placed& a, const SpheresView& spheres, std::span<Distance> distances,
                   const DistanceEachOptions& options = {});

}  // namespace graze
