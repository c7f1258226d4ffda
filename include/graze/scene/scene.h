// Many named things in space: one version of them, which never changes.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "graze/base/visitor.h"
#include "graze/geometry/geometry.h"

namespace graze {

namespace scene {
struct Data;
struct Access;
}  // namespace scene

/// Numbers the objects of a scene in the order in which they were added, from 0; never used again.
using ObjectId = std::uint64_t;
/// No object.
inline constexpr ObjectId kNoObject = std::numeric_limits<ObjectId>::max();

/// What a scene says about one of its objects. Views into the scene: valid as long as any version of the scene has the
/// object as it is here.
struct SceneObject {
  ObjectId id = kNoObject;         ///< its position in the order of the objects
  std::string_view name;           ///< unique
  std::string_view group;          ///< empty: none
  const Placed* placed = nullptr;  ///< the geometry where it stands in the world, without margin and padding
  Pose pose;                       ///< relative to the parent, or to the world if there is none
  Pose local;                      ///< of the geometry in the frame of the object
  ObjectId parent = kNoObject;     ///< what it is attached to
  double margin = 0;               ///< metres; those of a pair add up
  double padding = 0;              ///< metres; the object is this much thicker on all sides
};

/// Two objects, or an object and something that is not in the scene: that has no id and no name. The names are views
/// as those of SceneObject.
struct ObjectPair {
  ObjectId id_a = kNoObject, id_b = kNoObject;  ///< of one scene the lower id first
  std::string_view name_a, name_b;              ///< the same as names

  bool operator==(const ObjectPair&) const = default;
  auto operator<=>(const ObjectPair&) const = default;
};

/// An immutable set of named objects; a SceneEditor makes it, and the next version of it. A copy costs a reference
/// count, and any number of threads may ask one at the same time. Versions share what they have in common: the next one
/// of a scene of n objects, k of which change, costs O(k log n) time and memory. Who lets go of a version last frees
/// what only that one had.
///
/// The questions are in graze/scene/scene_query.h, the hand-over from a writer to readers in
/// graze/scene/shared_scene.h.
///
///     SceneEditor editor;
///     editor.add("table", at(Box{.half = {0.6, 0.4, 0.02}}, Pose::at({0, 0, 0.7})));
///     editor.add("cup", at(Cylinder{.radius = 0.04, .half_length = 0.05}, Pose::at({0, 0, 0.77})));
///     const Scene scene = editor.scene();
///     if (self_collide(scene)) …
class Scene {
 public:
  /// No objects.
  Scene();

  std::size_t size() const;
  bool empty() const { return size() == 0; }
  /// Whether there is an object of this name.
  bool contains(std::string_view name) const;
  /// The object of a name. Throws Error, with the nearest name, if there is none.
  SceneObject object(std::string_view name) const;
  /// The object of an id. Throws Error if there is none.
  SceneObject object(ObjectId id) const;
  /// Calls visit(const SceneObject&) for every object, in their order; false, if it returns a bool, ends it.
  template <class Visit>
  void visit_objects(Visit&& visit) const {
    visit_erased(detail::erased(visit), &detail::call_visitor<std::remove_reference_t<Visit>, const SceneObject&>);
  }
  /// Whether a collision of the two is not reported: they are attached to each other, or allowed by name or group.
  /// Throws Error for names that are not in the scene.
  bool allowed(std::string_view a, std::string_view b) const;

  /// Around all objects with their margins and padding; empty if all of them are.
  Aabb bounds() const;
  /// How many changes led to this version.
  std::uint64_t version() const;
  /// Checks every invariant of the version, O(n log n): empty if all hold, else what does not.
  std::string validate() const;

 private:
  friend struct scene::Access;
  explicit Scene(std::shared_ptr<const scene::Data> data) : data_(std::move(data)) {}
  void visit_erased(void* body, bool (*call)(void*, const SceneObject&)) const;

  std::shared_ptr<const scene::Data> data_;
};

}  // namespace graze
