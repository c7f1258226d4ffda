#include "io/ask_scene.h"

#include <fmt/format.h>

#include <vector>

#include "graze/scene/scene_query.h"
#include "graze/scene/scene_sweep.h"
#include "io/answer_text.h"
#include "io/ask_rays.h"
#include "io/ask_sweep.h"
#include "io/scene_read.h"

namespace graze::io {
namespace {

std::string json_text(std::string_view text) { return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

AskAnswer ask_pairs(const Fields& question) {
  question.allow_only("pairs", {"ask", "id", "scene", "margin"});
  const double margin = question.number_or("margin", 0);
  const Scene scene = scene_from(question.required("scene"), "scene", {});
  std::vector<ObjectPair> pairs(64);
  const std::size_t count = self_collisions(scene, pairs, {.margin = margin});
  if (count > pairs.size()) {
    pairs.resize(count);
    self_collisions(scene, pairs, {.margin = margin});
  }
  pairs.resize(count);
  std::string list;
  for (const ObjectPair& pair : pairs)
    list += fmt::format("{}[{},{}]", list.empty() ? "" : ",", json_text(pair.name_a), json_text(pair.name_b));
  return {fmt::format(R"("pairs":[{}])", list), pairs.empty() ? AskVerdict::clear : AskVerdict::touching};
}

AskAnswer ask_raycast_scene(const Fields& question) {
  question.allow_only("raycast", {"ask", "id", "ray", "scene", "limit"});
  const Ray ray = ray_from(question.required("ray"), "ray", question.length_or("limit", kInfinity));
  const Scene scene = scene_from(question.required("scene"), "scene", {});
  const SceneRayHit hit = raycast(scene, ray);
  if (!hit.found()) return {R"("hit":false)", AskVerdict::clear};
  return {fmt::format(R"("hit":true,"distance":{},"point":{},"normal":{},"feature":{},"object":{})",
                      text_of(hit.distance), text_of(hit.point), text_of(hit.normal), hit.feature, json_text(hit.name)),
          AskVerdict::touching};
}

AskAnswer ask_sweep_scene(const Fields& question) {
  question.allow_only("sweep", {"ask", "id", "scene", "a", "as", "object", "motion", "tolerance", "margin"});
  const bool moves = question.has("object");
  if (moves == question.has("a"))
    throw Error(question.path_of("scene"), "needs either a, a body that moves, or object");
  if (!moves && question.has("motion")) throw Error(question.path_of("motion"), "belongs to a, or to an object");
  if (moves && question.has("as")) throw Error(question.path_of("as"), "belongs to a; an object stands for itself");
  const Scene scene = scene_from(question.required("scene"), "scene", {});
  const std::string as = question.has("as") ? question.text("as") : "";
  const SceneSweepOptions defaults;
  const SceneSweepOptions options{.margin = question.number_or("margin", defaults.margin),
                                  .tolerance = question.number_or("tolerance", defaults.tolerance),
                                  .as = as};
  SceneSweep s;
  if (moves) {
    question.required("motion");
    const std::string name = question.text("object");
    const SceneObject object = question.at("object", [&] { return scene.object(name); });
    s = sweep(scene, name, motion_from(question, object.pose, true), options);
  } else {
    const SweptBody body = swept_from(question.required("a"), "a");
    s = std::visit([&](const auto& a) { return sweep(a, scene, options); }, body);
  }
  if (!s.hit) return {R"("hit":false)", AskVerdict::clear};
  AskAnswer answer = hit_at(s.time, s.contact.on_a, s.contact.on_b, s.certain);
  if (moves) answer.text += fmt::format(R"(,"moving":{})", json_text(s.pair.name_a));
  answer.text += fmt::format(R"(,"object":{})", json_text(s.pair.name_b));
  return answer;
}

}  // namespace graze::io
