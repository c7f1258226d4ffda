// Changes a scene: each version is a Scene of its own.
#pragma once

#include <string>
#include <string_view>

#include "graze/scene/scene.h"

namespace graze {

/// Options of SceneEditor::add.
struct ObjectOptions {
  std::string group = {};   ///< a name for several objects; empty: none
  std::string parent = {};  ///< attached to this object: the pose is relative to it; empty: to the world
  Pose local = {};          ///< of the geometry in the frame of the object
  double margin = 0;        ///< metres, not negative: see SceneEditor::set_margin
  double padding = 0;       ///< metres, not negative: see SceneEditor::set_padding
};

/// The owner of a scene that changes; not for several threads at once. Every change costs O(log n) for each object that
/// it moves, and leaves versions that were taken before as they are. All throw Error, and change nothing, for names
/// that are unknown or taken and for numbers that are out of range. Objects and groups share one set of names.
///
///     SceneEditor editor(scene);                       // goes on from any version
///     editor.move("cup", Pose::at({0.1, 0, 0.77}));
///     editor.attach("cup", "gripper");                 // from now on it moves with the gripper
///     editor.allow("cup", "table");                    // the two may touch
///     shared.publish(editor.scene());
class SceneEditor {
 public:
  /// Nothing.
  SceneEditor();
  /// Goes on from a version.
  explicit SceneEditor(const Scene& scene);
  SceneEditor(const SceneEditor&);
  SceneEditor(SceneEditor&&) noexcept;
  SceneEditor& operator=(const SceneEditor&);
  SceneEditor& operator=(SceneEditor&&) noexcept;
  ~SceneEditor();

  /// The version that there is now. O(1).
  Scene scene() const;

  /// Adds an object under a new name, which may not be empty: the geometry stands at parent · pose · local.
  ObjectId add(std::string_view name, const Placed& body, const ObjectOptions& options = {});
  /// Moves an object, and everything attached to it. The pose is relative to the parent, if it has one.
  void move(std::string_view name, const Pose& pose);
  /// Gives an object another geometry in its frame; pose, group, margin, padding and what is attached stay.
  void replace(std::string_view name, const Geometry& geometry, const Pose& local = {});
  /// Removes an object, and what was allowed by its name. What is attached to it is detached and stays where it is.
  void remove(std::string_view name);

  /// Attaches an object to another, where it stands: the two are never reported, and its pose is relative to the parent
  /// from now on. An object that is attached already is detached first. Throws for a parent that is attached to the
  /// object, directly or not.
  void attach(std::string_view name, std::string_view parent);
  /// The same at a pose relative to the parent.
  void attach(std::string_view name, std::string_view parent, const Pose& pose);
  /// Ends that: the object stays where it is in the world, to the bit. Without a parent nothing changes.
  void detach(std::string_view name);

  /// Puts an object into another group, or into none (empty).
  void set_group(std::string_view name, std::string_view group);
  /// Pairs collide within the sum of their margins (m, not negative) and that of the question. Distances are those of
  /// the bodies themselves.
  void set_margin(std::string_view name, double margin);
  /// Makes an object thicker on all sides (m, not negative): in collisions, contacts, distances, closest points and
  /// sweeps. Rays meet the body itself.
  void set_padding(std::string_view name, double padding);
  /// Passes over pairs of x and y in all questions that look for collisions, contacts or distances of the scene itself.
  /// Each is the name of an object or a group, also the same group twice. What is allowed for a group stays when its
  /// last object goes.
  void allow(std::string_view x, std::string_view y);
  /// Ends that.
  void disallow(std::string_view x, std::string_view y);

 private:
  std::unique_ptr<scene::Data> data_;
};

}  // namespace graze
