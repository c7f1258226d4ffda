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

/// One self-contained HTML page: a picture of the scene with contacts, or nearest points, drawn over it, and the table.
std::string check_page(const CheckedScene& checked);

}  // namespace graze::app
