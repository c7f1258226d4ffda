// What `graze check` finds in a scene.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "graze/scene/scene_query.h"

namespace graze::app {

using Json = nlohmann::ordered_json;

struct CheckedPair {
  ObjectPair pair;
  std::vector<SceneContact> contacts;  ///< deepest first
};

struct CheckedScene {
  std::string file;
  graze::Scene scene;
  double margin = 0;
  SceneDistance nearest = {};  ///< of all pairs that are not allowed; the deepest if some overlap
  std::vector<CheckedPair> collisions = {};
};

/// Compares all pairs of the scene; `max` contacts of each at most.
CheckedScene checked_scene(const graze::Scene& scene, const std::string& file, double margin, std::size_t max);

/// Writes a page with the scene in three dimensions, contacts or nearest points in it, and a table. Throws Error.
void write_check_page(const std::string& path, const CheckedScene& checked);

}  // namespace graze::app
