// graze distance: how far apart are two shapes, or two objects of a scene?
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "graze/base/error.h"
#include "graze/io/ask.h"
#include "graze/io/scene_file.h"
#include "graze/io/write_file.h"
#include "graze/query/collide.h"
#include "graze/scene/scene_editor.h"
#include "graze/scene/scene_query.h"
#include "numbers.h"
#include "outputs.h"
#include "pair.h"
#include "scene_page.h"
#include "streams.h"

namespace graze::app {
namespace {

struct DistanceArguments : PairArguments {
  std::string c, page;
};

// A page may be written, and is no input.
void expect_page(const DistanceArguments& a) {
  check_writable(a.page);
  if (a.c.empty()) {
    for (const std::string& shape : {a.a, a.b}) expect_no_input(a.page, shape, "");
  } else {
    expect_no_scene(a.page, a.a);
  }
}

void write_distance_page(const std::string& path, const std::string& title, const graze::Scene& scene,
                         const std::string& a, const std::string& b, const Distance& d, bool touching) {
  const std::string how_far = std::isfinite(d.value) ? length_text(std::abs(d.value), touching) : "infinity";
  ScenePage page{.title = title,
                 .lead = fmt::format("{} and {} {} {}", a, b, touching ? "touch; depth" : "are apart by", how_far),
                 .caption = "Blue: the nearest points, or how deep the two overlap. Padding is not drawn.",
                 .table = "",
                 .scene = scene};
  if (touching) page.colliding = {scene.object(a).id, scene.object(b).id};
  if (std::isfinite(d.value)) page.gap = {d.on_a, d.on_b, how_far};
  write_scene_page(path, page);
}

void write_page_of_shapes(const std::string& path, const PairArguments& shapes, bool touching) {
  const Placed a = placed_from_json(shapes.a, "A"), b = placed_from_json(shapes.b, "B");
  SceneEditor editor;
  editor.add("A", a);
  editor.add("B", b);
  write_distance_page(path, fmt::format("{} and {}", name_of(a.geometry), name_of(b.geometry)), editor.scene(), "A",
                      "B", distance(a, b), touching);
}

int distance_in_scene(const std::string& file, const std::string& a, const std::string& b, const std::string& page) {
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
  // Clear only if all verbs agree.
  const SceneObject x = scene.object(a), y = scene.object(b);
  const bool touching =
      !(d.value - d.tolerance > 0) || collide(*x.placed, *y.placed, {.margin = x.padding + y.padding});
  if (!page.empty())
    write_distance_page(page, std::filesystem::path(file).filename().string(), scene, a, b, d, touching);
  print(json_text(json) + "\n");
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
  command.options.push_back(
      {"--page", &a->page, "Write a page with the nearest points in three dimensions", {.value = "FILE"}});
  command.check = [a] {
    if (!a->c.empty() && a->a.find('{') != std::string::npos)
      throw UsageError("C", "is for objects of a scene, and A is a shape; name the file of a scene, or two shapes");
  };
  command.run = [a](const Session&) {
    if (!a->page.empty()) expect_page(*a);
    if (!a->c.empty()) return distance_in_scene(a->a, a->b, a->c, a->page);
    const int code = ask_about_pair("distance", "", *a);
    if (!a->page.empty()) write_page_of_shapes(a->page, *a, code == kCollision);
    return code;
  };
  return command;
}

}  // namespace graze::app
