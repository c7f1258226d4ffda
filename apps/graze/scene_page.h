// A page that shows objects in three dimensions: those of `graze check` and `graze sweep`.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "graze/scene/scene.h"

namespace graze::app {

/// A point where two objects meet.
struct ShownContact {
  Vec3 point, normal;
};

/// The nearest points of two objects.
struct ShownGap {
  Vec3 from, to;
  std::string text;  ///< how long it is
};

/// Where a moving object is over time.
struct ShownTrack {
  ObjectId id = kNoObject;
  std::vector<double> times;  ///< from 0 to 1
  std::vector<Pose> poses;    ///< in the world, one per time
};

/// A mesh whose vertices each go straight from one position to another over time; its object is placed as it is.
struct ShownBend {
  ObjectId id = kNoObject;
  Mesh from;
  std::vector<Vec3> to;
};

/// Motions that the page plays.
struct ShownMotion {
  std::vector<ShownTrack> tracks = {};
  std::vector<ShownBend> bends = {};
  bool hit = false;
  double time = 1;  ///< of the first contact, at which the objects stand as in the scene
};

struct ScenePage {
  std::string title;    ///< plain text, as are the next two
  std::string lead;     ///< what the result is
  std::string caption;  ///< what is to be seen
  std::string table;    ///< HTML; rows with data-contact="N" lead to that contact
  graze::Scene scene = {};
  std::set<ObjectId> colliding = {};
  std::vector<ShownContact> contacts = {};
  std::optional<ShownGap> gap = {};
  std::optional<ShownMotion> motion = {};
};

/// A length for a reader, "381 mm": gaps are rounded down, depths (`up`) up.
std::string length_text(double metres, bool up = false);

/// Writes one file that needs nothing else: the view in three dimensions, or a picture by rays if graze was built
/// without npm. Throws Error.
void write_scene_page(const std::string& path, const ScenePage& page);

/// Around all that has an end; of terrains the surface.
Aabb extent_of(const ScenePage& page);
/// Red, green and blue from 0 to 1.
Vec3 color_of(ObjectId id, bool colliding);
/// The picture by rays, with contacts, nearest points and names: HTML.
std::string scene_picture(const ScenePage& page);

}  // namespace graze::app
