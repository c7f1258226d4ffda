// Any bytes as a scene in JSON: one whose answers are those of all pairs, or an Error that names the file.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fuzz.h"
#include "graze/base/error.h"
#include "graze/io/scene_file.h"
#include "tests/scene/scene_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graze;
  using graze_fuzz::expect;
  using namespace graze_test::scene_model;
  Scene scene;
  try {
    scene = parse_scene({reinterpret_cast<const char*>(data), size}, "s.json");
  } catch (const Error& error) {
    expect(std::string_view(error.what()).starts_with("s.json"), "errors start with the name of the file");
    return 0;
  }
  expect(scene.validate().empty(), "the version is valid", scene.validate().c_str());
  if (scene.size() > 12) return 0;
  const std::vector<Side> all = sides_of(scene);
  Pairs pairs;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      if (!scene.allowed(all[i].name, all[j].name)) pairs.emplace_back(all[i], all[j]);
    }
  }
  const std::string fault = difference(about_itself(scene, 0, 4, kInfinity), pairs, 0, 4, kInfinity);
  expect(fault.empty(), "a scene answers like a loop over all pairs:", fault.c_str());
  // Every version that an editor makes from it is valid too.
  SceneEditor editor(scene);
  for (const Side& side : all) {
    editor.move(side.name, Pose::at({1, 2, 3}));
    editor.detach(side.name);
  }
  expect(editor.scene().validate().empty(), "a changed version is valid");
  for (const Side& side : all) editor.remove(side.name);
  expect(editor.scene().empty() && editor.scene().validate().empty(),
         "the scene is empty after all objects were removed");
  return 0;
}
