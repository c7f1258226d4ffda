#include "io/ask_deforming.h"

#include <fmt/format.h>

#include "graze/query/sweep_deforming.h"
#include "io/ask_sweep.h"
#include "io/placed.h"

namespace graze::io {
namespace {

Sweep answer(const Fields& question, const SweepOptions& options) {
  const bool a = deforms(question, "a"), b = deforms(question, "b");
  if (a && b) return sweep(deforming_from(question, "a"), deforming_from(question, "b"), options);
  if (a) return sweep(deforming_from(question, "a"), moving_from(question.required("b"), "b"), options);
  return sweep(moving_from(question.required("a"), "a"), deforming_from(question, "b"), options);
}

}  // namespace

Deforming deforming_from(const Fields& question, std::string_view name) {
  Surroundings around;
  around.also = {"vertices_to"};
  const Fields fields(question.required(name), std::string(name), &around);
  if (fields.has("motion"))
    throw Error(fields.path_of("motion"), "cannot be combined with vertices_to: give the vertices where they end");
  const Geometry geometry = geometry_from(fields);
  const Mesh* mesh = std::get_if<Mesh>(&geometry);
  if (mesh == nullptr)
    throw Error(fields.path_of("vertices_to"), fmt::format("belongs to a mesh, got a {}", name_of(geometry)));
  const std::vector<Vec3> to = fields.points("vertices_to");
  if (to.size() != mesh->vertices().size()) {
    throw Error(fields.path_of("vertices_to"), fmt::format("must have one point for each of the {} vertices, got {}",
                                                           mesh->vertices().size(), to.size()));
  }
  const MovingMesh moving = fields.at("vertices_to", [&] { return MovingMesh(*mesh, to, {.threads = 1}); });
  const Poses poses = poses_of(fields);
  return at(moving, poses.pose, poses.local);
}

bool deforms(const Fields& question, std::string_view name) {
  if (!question.has(name)) return false;
  return Fields(question.required(name), std::string(name)).has("vertices_to");
}

AskAnswer ask_sweep_deforming(const Fields& question) {
  const SweepOptions defaults;
  const Sweep s = answer(question, {.margin = question.number_or("margin", defaults.margin),
                                    .tolerance = question.number_or("tolerance", defaults.tolerance)});
  if (!s.hit) return {R"("hit":false)", AskVerdict::clear};
  return hit_at(s.time, s.contact.on_a, s.contact.on_b, s.certain);
}

}  // namespace graze::io
