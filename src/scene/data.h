// What a version of a scene is made of.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "graze/scene/scene.h"
#include "scene/box_tree.h"
#include "scene/persistent_map.h"

namespace graze::scene {

/// What questions know of an object, or of a body that is not in the scene.
struct Body {
  Placed placed;
  Aabb box = {};  ///< around it with margin and padding, rounded outwards; empty if it has no points
  double margin = 0, padding = 0;
  ObjectId id = kNoObject;
  std::string_view name = {};
};

/// A pose and how far it may be off what the caller's numbers mean: a point p of its frame by `shift` + `turn` · |p|.
struct Frame {
  Pose pose;
  double shift = 0, turn = 0;
};
Frame operator*(const Frame& outer, const Frame& inner);
Frame inverse(const Frame& frame);

/// Numbers a name or a group. The name of an object is a word of its own even where an earlier one had the same name.
using WordId = std::uint32_t;
inline constexpr WordId kNoWord = 0;
struct Word {
  WordId id = kNoWord;
  ObjectId object = kNoObject;  ///< of a name; a group has none
};

/// An object; `name` of the body points to `own_name`.
struct Object : Body {
  std::string own_name, group;
  WordId name_word = kNoWord, group_word = kNoWord;
  double given_uncertainty = 0;  // of what the caller placed
  Pose local;
  Frame relative;  // to the parent, or to the world
  Frame frame;     // in the world
  ObjectId parent = kNoObject;

  explicit Object(const Placed& body) : Body{.placed = body} {}
  Object(const Object& other) : Body(other) { copy(other); }
  Object& operator=(const Object&) = delete;

 private:
  void copy(const Object& other);
};

/// The object's geometry where its frame is, with what that is off.
Placed placed_at(const Object& object, const Frame& frame);

/// Where the box of a body is in the order of the tree.
BoxKey key_of(const Body& body);

struct Nothing {};

struct Data {
  PersistentMap<ObjectId, ObjectLink> objects;
  PersistentMap<std::string, Word> words;
  BoxTree boxes;                                                   // of objects that have points
  PersistentMap<std::pair<ObjectId, ObjectId>, Nothing> attached;  // parent, child
  PersistentMap<std::pair<WordId, WordId>, Nothing> allowed;       // both orders
  ObjectId next_object = 0;
  WordId next_word = kNoWord + 1;
  std::uint64_t version = 0;

  const Object* find(std::string_view name) const;
  /// Throws Error, with the nearest name, if there is no such object.
  const Object& object(std::string_view name) const;
  /// Of a pair of objects: attached to each other, or allowed.
  bool passes_over(const Object& a, const Object& b) const;
  bool allows(WordId x, WordId y) const { return allowed.find(std::pair(x, y)) != nullptr; }
};

/// Whether collisions of something in the role of a word are passed over with an object: the object itself, what it is
/// attached to or what is attached to it, and what is allowed.
struct Role {
  WordId name = kNoWord, group = kNoWord;
  const Object* object = nullptr;

  bool passes_over(const Data& data, const Object& other) const;
};
/// The role of a name or a group; none if there is no such word.
Role role_of(const Data& data, std::string_view word);

/// The box of a body, with margin and padding, rounded outwards.
Aabb box_of(const Placed& placed, double margin, double padding);
/// A body that is not in the scene.
Body body_of(const Placed& placed);

struct Access {
  static const Data& data(const Scene& scene);
  static Scene scene(std::shared_ptr<const Data> data) { return Scene(std::move(data)); }
};
inline const Data& data_of(const Scene& scene) { return Access::data(scene); }

SceneObject described(const Object& object);

}  // namespace graze::scene
