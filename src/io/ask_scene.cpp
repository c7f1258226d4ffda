#include "io/ask_scene.h"

#include <fmt/format.h>

#include <vector>

#include "graze/scene/scene_query.h"
#include "io/answer_text.h"
#include "io/ask_rays.h"
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

}  // namespace graze::io
