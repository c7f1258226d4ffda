// graze distance: how far apart are two shapes, or two objects of a scene?
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "graze/base/error.h"
#include "graze/io/scene_file.h"
#include "graze/query/collide.h"
#include "graze/scene/scene_query.h"
#include "numbers.h"
#include "pair.h"
#include "streams.h"

namespace graze::app {
namespace {

struct DistanceArguments : PairArguments {
  std::string c;
};

int distance_in_scene(const std::string& file, const std::string& a, const std::string& b) {
  const graze::Scene scene = read_scene(file);
  const SceneDistance d = [&] {
    try {
      return distance(scene, a, b);
    } catch (const Error& error) {
      throw Error(file, error.what());
    }
  }();
  if (d.beyond) throw Error(file, fmt::format("'{}' or '{}' has no points", a, b));
  const auto list = [](const Vec3& v) { return nlohmann::ordered_json::array({v.x(), v.y(), v.z()}); };
  const nlohmann::ordered_json json = {{"distance", d.value},
                                       {"on_a", list(d.on_a)},
                                       {"on_b", list(d.on_b)},
                                       {"tolerance", d.tolerance},
                                       {"a", a},
                                       {"b", b}};
  print(json_text(json) + "\n");
  // Clear only if all verbs agree.
  const SceneObject x = scene.object(a), y = scene.object(b);
  const bool touching =
      !(d.value - d.tolerance > 0) || collide(*x.placed, *y.placed, {.margin = x.padding + y.padding});
  return touching ? kCollision : kClear;
}

}  // namespace

Command distance_command() {
  const auto a = std::make_shared<DistanceArguments>();
  Command command{.name = "distance",
                  .help =
                      "Print the signed distance of two shapes, or of two objects of a scene, and their nearest "
                      "points: exit code 1 if they touch"};
  add_pair(command, *a);
  command.options[0].help += "; or a file with a scene";
  command.options[0].rules.file = true;
  command.options[1].help += "; or the name of an object of the scene";
  command.options.push_back({"C", &a->c, "With a scene: the name of another object"});
  command.check = [a] {
    if (!a->c.empty() && a->a.find('{') != std::string::npos)
      throw UsageError("C", "is for objects of a scene, and A is a shape; name the file of a scene, or two shapes");
  };
  command.run = [a](const Session&) {
    return a->c.empty() ? ask_about_pair("distance", "", *a) : distance_in_scene(a->a, a->b, a->c);
  };
  return command;
}

}  // namespace graze::app
