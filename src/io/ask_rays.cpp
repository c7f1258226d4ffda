#include "io/ask_rays.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "graze/base/error.h"
#include "graze/base/nearest_word.h"
#include "graze/base/parallel.h"
#include "graze/shape/checked.h"
#include "io/answer_text.h"
#include "io/ask_scene.h"
#include "io/placed.h"

namespace graze::io {

Ray ray_from(Value value, const std::string& path, double limit) {
  const Fields fields(value, path);
  fields.allow_only("a ray", {"from", "direction"});
  const Vec3 from = fields.vector("from"), direction = fields.vector("direction");
  fields.at("from", [&] { return checked::point("from", from); });
  return fields.at("direction", [&] { return Ray(from, direction, limit); });
}

namespace {

enum class Want { first, any, all };

Want want_from(const Fields& question) {
  if (!question.has("want")) return Want::first;
  const std::string name = question.text("want");
  if (name == "first") return Want::first;
  if (name == "any") return Want::any;
  if (name == "all") return Want::all;
  const auto meant = nearest_word(name, {"first", "any", "all"});
  throw Error("want", fmt::format("must be first, any or all, got \"{}\"{}", shortened(name),
                                  meant ? fmt::format("; did you mean \"{}\"?", *meant) : ""));
}

struct Rays {
  bool many = false;  // an array of answers is wanted, even for a single ray
  std::vector<Ray> of;

  Rays(const Fields& question, double limit) : many(question.has("rays")) {
    if (question.has("ray") == many) throw Error("ray", "give either ray or rays");
    if (!many) {
      of.push_back(ray_from(question.required("ray"), "ray", limit));
      return;
    }
    const Value list = question.required("rays");
    if (!list.is_array()) throw Error("rays", "must be an array of rays");
    of.reserve(list.size());
    for (const Value ray : list) of.push_back(ray_from(ray, fmt::format("rays[{}]", of.size()), limit));
  }
  int threads() const { return threads_for(of.size()); }

  // text(i) of the only ray, or of all of them in an array.
  template <class Text>
  std::string listed(const Text& text) const {
    if (!many) return text(0);
    std::string list = "[";
    for (std::size_t i = 0; i < of.size(); ++i) list += (i > 0 ? "," : "") + text(i);
    return list + "]";
  }
};

std::string members_of(const RayHit& hit) {
  return fmt::format(R"("distance":{},"point":{},"normal":{},"feature":{})", text_of(hit.distance), text_of(hit.point),
                     text_of(hit.normal), hit.feature);
}

AskAnswer first_hits(const Placed& body, const Rays& rays) {
  std::vector<RayHit> hits(rays.of.size());
  raycast_each(body, rays.of, hits, {.threads = rays.threads()});
  const auto text = [&](std::size_t i) {
    return hits[i].found() ? R"("hit":true,)" + members_of(hits[i]) : R"("hit":false)";
  };
  const bool any = std::any_of(hits.begin(), hits.end(), [](const RayHit& hit) { return hit.found(); });
  if (!rays.many) return {text(0), verdict(any)};
  return {R"("hits":)" + rays.listed([&](std::size_t i) { return "{" + text(i) + "}"; }), verdict(any)};
}

AskAnswer any_hit(const Placed& body, const Rays& rays) {
  std::vector<char> met(rays.of.size());
  parallel_for(met.size(), [&](std::size_t i) { met[i] = meets(body, rays.of[i]) ? 1 : 0; },
               {.threads = rays.threads()});
  const bool any = std::find(met.begin(), met.end(), 1) != met.end();
  return {R"("hit":)" + rays.listed([&](std::size_t i) { return std::string(met[i] != 0 ? "true" : "false"); }),
          verdict(any)};
}

// The nearest `max` hits of one ray. How many there are is not known: the buffer grows until some of it is left.
std::vector<RayHit> all_hits(const Placed& body, const Ray& ray, std::size_t max) {
  std::vector<RayHit> buffer(std::min<std::size_t>(max, 64));
  for (;;) {
    const std::size_t found = raycast_all(body, ray, buffer).size();
    if (found < buffer.size() || found == max) {
      buffer.resize(found);
      return buffer;
    }
    buffer.resize(std::min(max, 8 * buffer.size()));
  }
}

AskAnswer every_hit(const Placed& body, const Rays& rays, std::size_t max) {
  std::vector<std::vector<RayHit>> hits(rays.of.size());
  parallel_for(hits.size(), [&](std::size_t i) { hits[i] = all_hits(body, rays.of[i], max); },
               {.threads = rays.threads()});
  const auto text = [&](std::size_t i) {
    std::string list = "[";
    for (const RayHit& hit : hits[i]) list += (list.size() > 1 ? ",{" : "{") + members_of(hit) + "}";
    return list + "]";
  };
  const bool any = std::any_of(hits.begin(), hits.end(), [](const auto& of_ray) { return !of_ray.empty(); });
  return {R"("hits":)" + rays.listed(text), verdict(any)};
}

}  // namespace

AskAnswer ask_raycast(const Fields& question) {
  if (question.has("scene")) return ask_raycast_scene(question);
  question.allow_only("raycast", {"ask", "id", "ray", "rays", "b", "limit", "want", "max"});
  const Want want = want_from(question);
  if (question.has("max") && want != Want::all) throw Error("max", R"(only goes with "want":"all")");
  const Rays rays(question, question.length_or("limit", kInfinity));
  const std::size_t max = question.count_or("max", std::numeric_limits<std::size_t>::max());
  const Placed body = placed_from(question.required("b"), "b");
  switch (want) {
    case Want::first:
      return first_hits(body, rays);
    case Want::any:
      return any_hit(body, rays);
    case Want::all:
      return every_hit(body, rays, max);
  }
  return {};  // not reached
}

}  // namespace graze::io
