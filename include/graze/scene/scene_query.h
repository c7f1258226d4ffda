// The questions to scenes: what touches what, how far apart, where, what a ray or a moving sphere meets.
//
// All skip pairs that are attached or allowed, with the boxes, before any pair is looked at closely. Answers are those
// of the verbs for the pairs, and do not depend on the order in which objects were added, moved or looked at, but for
// ids, which decide between equals. Questions are const, reentrant, and do not allocate (but see Cloud::prepare) unless
// they use several threads; they throw only what is said.
#pragma once

#include <span>
#include <string_view>
#include <type_traits>

#include "graze/index/points.h"
#include "graze/query/contacts.h"
#include "graze/query/distance.h"
#include "graze/query/point.h"
#include "graze/query/raycast.h"
#include "graze/query/sweep_sphere.h"
#include "graze/scene/scene.h"

namespace graze {

/// Options of collisions of scenes.
struct SceneCollideOptions {
  /// Metres, added to the margins of the objects; see CollideOptions.
  double margin = 0;
  /// The name of an object or group that the body stands for, which is not in the scene: it is not compared with the
  /// object itself, its parent, what is attached to it and what it may touch. Empty, or unknown: with everything.
  std::string_view as = {};
};
/// Options of contacts of scenes.
struct SceneContactOptions {
  std::size_t max = 8;       ///< of a pair, at most Contacts::kCapacity
  double margin = 0;         ///< metres, added to those of the objects; see ContactOptions
  std::string_view as = {};  ///< see SceneCollideOptions
};
/// Options of distances of scenes.
struct SceneDistanceOptions {
  double limit = kInfinity;  ///< metres; see DistanceOptions
  bool depth = true;         ///< see DistanceOptions
  std::string_view as = {};  ///< see SceneCollideOptions
};

/// A contact and the objects that meet; see Contact for a and b.
struct SceneContact : Contact {
  ObjectPair pair = {};  ///< what is not in a scene has no id and no name
};
/// The smallest distance and the objects that have it. Values are those of distance() less the padding of both, and the
/// points lie on the padding.
struct SceneDistance : Distance {
  ObjectPair pair = {};  ///< what is not in a scene has no id and no name
};
/// The nearest point of all objects, on the padding.
struct SceneClosestPoint : ClosestPoint {
  ObjectId id = kNoObject;     ///< of the object
  std::string_view name = {};  ///< of the object
};
/// The first object on a ray.
struct SceneRayHit : RayHit {
  ObjectId id = kNoObject;     ///< of the object
  std::string_view name = {};  ///< of the object
};
/// The first object that a moving sphere touches, with margin and padding.
struct SceneSphereHit : SphereHit {
  ObjectId id = kNoObject;     ///< of the object
  std::string_view name = {};  ///< of the object
};

/// Whether the body touches any object. Both orders give the same answer.
bool collide(const Scene& scene, const Placed& body, const SceneCollideOptions& options = {});
bool collide(const Placed& body, const Scene& scene, const SceneCollideOptions& options = {});
/// Whether any object of one scene touches any of the other; nothing is allowed between scenes.
bool collide(const Scene& a, const Scene& b, const SceneCollideOptions& options = {});
/// Whether any two objects of the scene touch that may not.
bool self_collide(const Scene& scene, const SceneCollideOptions& options = {});

namespace detail {
using PairCall = bool (*)(void*, const ObjectPair&);
void visit_collisions(const Scene&, const Placed&, const SceneCollideOptions&, void*, PairCall);
void visit_collisions(const Scene&, const Scene&, const SceneCollideOptions&, void*, PairCall);
void visit_self_collisions(const Scene&, const SceneCollideOptions&, void*, PairCall);
}  // namespace detail

/// Calls visit(const ObjectPair&) for every object that the body touches, each once, in no particular order; false, if
/// it returns a bool, ends the search.
///
///     visit_collisions(scene, at(tool, pose), {.margin = 0.01}, [&](const ObjectPair& p) { report(p.name_a); });
template <class Visit>
void visit_collisions(const Scene& scene, const Placed& body, const SceneCollideOptions& options, Visit&& visit) {
  detail::visit_collisions(scene, body, options, detail::erased(visit),
                           &detail::call_visitor<std::remove_reference_t<Visit>, const ObjectPair&>);
}
/// The same for pairs of two scenes.
template <class Visit>
void visit_collisions(const Scene& a, const Scene& b, const SceneCollideOptions& options, Visit&& visit) {
  detail::visit_collisions(a, b, options, detail::erased(visit),
                           &detail::call_visitor<std::remove_reference_t<Visit>, const ObjectPair&>);
}
/// The same for pairs of one scene.
template <class Visit>
void visit_self_collisions(const Scene& scene, const SceneCollideOptions& options, Visit&& visit) {
  detail::visit_self_collisions(scene, options, detail::erased(visit),
                                &detail::call_visitor<std::remove_reference_t<Visit>, const ObjectPair&>);
}
/// How many pairs of objects of the scene touch that may not. The buffer gets the first of them, in their order.
std::size_t self_collisions(const Scene& scene, std::span<ObjectPair> buffer, const SceneCollideOptions& options = {});

/// How many contacts the body has with the objects. The buffer gets the first of them: by object, deepest first. The
/// depth is that of the bodies plus the padding of both; near contacts, up to the margins, have a negative one.
std::size_t contacts(const Scene& scene, const Placed& body, std::span<SceneContact> buffer,
                     const SceneContactOptions& options = {});
/// The same of the objects of two scenes.
std::size_t contacts(const Scene& a, const Scene& b, std::span<SceneContact> buffer,
                     const SceneContactOptions& options = {});
/// The same of the objects of one scene.
std::size_t self_contacts(const Scene& scene, std::span<SceneContact> buffer, const SceneContactOptions& options = {});

/// The signed distance of the body from the nearest object; of equally near ones from the one that was added first. An
/// overlap is nearer than all that is apart, the deepest overlap nearest. Margins play no part.
SceneDistance distance(const Scene& scene, const Placed& body, const SceneDistanceOptions& options = {});
SceneDistance distance(const Placed& body, const Scene& scene, const SceneDistanceOptions& options = {});
/// The smallest distance of two objects of two scenes.
SceneDistance distance(const Scene& a, const Scene& b, const SceneDistanceOptions& options = {});
/// The smallest distance of two objects of one scene, those that may touch left out.
SceneDistance self_distance(const Scene& scene, const SceneDistanceOptions& options = {});
/// The distance of two objects by name, allowed or not. Throws Error for a name that is not in the scene.
SceneDistance distance(const Scene& scene, std::string_view a, std::string_view b,
                       const SceneDistanceOptions& options = {});
/// The distance of one object, by name, from a body. Throws Error for a name that is not in the scene.
SceneDistance distance(const Scene& scene, std::string_view name, const Placed& body,
                       const SceneDistanceOptions& options = {});

/// The point of all objects that is nearest to a point of the world: the nearest obstacle. Throws Error for a point
/// that is not finite.
SceneClosestPoint closest_point(const Scene& scene, const Vec3& point, double limit = kInfinity);
/// The first object on a ray, without margins and padding; of equally near ones the one that was added first.
SceneRayHit raycast(const Scene& scene, const Ray& ray);
/// The first object that a moving sphere touches: see sweep_sphere for a body. Its margin and padding count; of those
/// touched at the same time the one that was added first is reported.
SceneSphereHit sweep_sphere(const Scene& scene, const SphereMove& move, const SceneCollideOptions& options = {});

/// Options of batches of collisions.
struct SceneCollideEachOptions {
  double margin = 0;         ///< see SceneCollideOptions
  std::string_view as = {};  ///< see SceneCollideOptions
  int threads = 0;           ///< 0: as many as the machine has
};
/// Options of batches of distances.
struct SceneDistanceEachOptions {
  double limit = kInfinity;  ///< see SceneDistanceOptions
  bool depth = true;         ///< see SceneDistanceOptions
  std::string_view as = {};  ///< see SceneCollideOptions
  int threads = 0;           ///< 0: as many as the machine has
};

/// Answer i is that of the scene and the geometry at poses[i], to the bit, on any number of threads. Throws Error
/// unless there is room for one answer per pose.
void collide_each(const Scene& scene, const Geometry& geometry, std::span<const Pose> poses, std::span<bool> hits,
                  const SceneCollideEachOptions& options = {});
/// The same for signed distances.
void distance_each(const Scene& scene, const Geometry& geometry, std::span<const Pose> poses,
                   std::span<SceneDistance> distances, const SceneDistanceEachOptions& options = {});
/// The same for spheres in the world, such as those of a robot. Throws Error, which names the sphere, for numbers that
/// are not finite and negative radii, and for arrays of different lengths.
void collide_each(const Scene& scene, const SpheresView& spheres, std::span<bool> hits,
                  const SceneCollideEachOptions& options = {});
/// The same for moving spheres.
void sweep_sphere_each(const Scene& scene, std::span<const SphereMove> moves, std::span<SceneSphereHit> hits,
                       const SceneCollideEachOptions& options = {});
/// The same for rays.
void raycast_each(const Scene& scene, std::span<const Ray> rays, std::span<SceneRayHit> hits,
                  const RaycastEachOptions& options = {});
/// The same for the nearest points of the objects. A point that is not finite has the distance NaN.
void closest_point_each(const Scene& scene, const PointView& points, std::span<SceneClosestPoint> closest,
                        const PointsEachOptions& options = {});

}  // namespace graze
