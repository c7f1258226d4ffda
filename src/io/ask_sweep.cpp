#include "io/ask_sweep.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <vector>

#include "graze/query/first_contact.h"
#include "io/answer_text.h"
#include "io/ask_scene.h"
#include "io/ask_world.h"
#include "io/placed.h"

namespace graze::io {
namespace {

int turns_of(const Fields& motion) {
  constexpr double kMost = 1e6;
  const double turns = motion.number_or("turns", 0);
  if (turns != std::round(turns) || std::abs(turns) > kMost)
    throw Error(motion.path_of("turns"), fmt::format("must be a whole number from -1000000 to 1000000, got {}", turns));
  return static_cast<int>(turns);
}

PosePath path_of(const Fields& geometry, const Fields& motion, const Pose& from, bool stands) {
  const Value list = motion.required("path");
  const std::string path = motion.path_of("path");
  if (!list.is_array() || list.size() == 0) throw Error(path, "must be a list of poses");
  std::vector<Pose> poses;
  for (const Value pose : list) poses.push_back(pose_from(pose, fmt::format("{}[{}]", path, poses.size())));
  if (geometry.has("pose") && !(poses.front() == from))
    throw Error(geometry.path_of("pose"), "must be the first pose of the path, or be left out");
  if (stands && !(poses.front() == from)) throw Error(path + "[0]", "must be where the object stands");
  return PosePath(poses);
}

Deforming deforming_from(Value value, const std::string& path) {
  Surroundings around;
  around.also = {"vertices_to"};
  const Fields fields(value, path, &around);
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

std::array<Vec3, 4> four_points(const Fields& question, std::string_view name) {
  const std::vector<Vec3> points = question.points(name);
  if (points.size() != 4)
    throw Error(question.path_of(name), fmt::format("must have four points, got {}", points.size()));
  return {points[0], points[1], points[2], points[3]};
}

}  // namespace

AnyMotion motion_from(const Fields& geometry, const Pose& from, bool stands) {
  if (!geometry.has("motion")) return from;
  const Fields motion(geometry.required("motion"), geometry.path_of("motion"));
  motion.allow_only("a motion", {"to", "turns", "path"});
  if (motion.has("to") == motion.has("path")) throw Error(motion.path(), "needs either to or path");
  if (motion.has("path")) {
    if (motion.has("turns")) throw Error(motion.path_of("turns"), "belongs to a motion with to");
    return path_of(geometry, motion, from, stands);
  }
  const Pose to = pose_from(motion.required("to"), motion.path_of("to"));
  const int turns = turns_of(motion);
  return motion.at("turns", [&] { return Motion(from, to, turns); });
}

Moving moving_from(Value value, const std::string& path) {
  Surroundings around;
  around.also = {"motion"};
  const Fields fields(value, path, &around);
  Geometry geometry = geometry_from(fields);
  const Poses poses = poses_of(fields);
  return {std::move(geometry), motion_from(fields, poses.pose), poses.local};
}

SweptBody swept_from(Value value, const std::string& path) {
  if (Fields(value, path).has("vertices_to")) return deforming_from(value, path);
  return moving_from(value, path);
}

AskAnswer hit_at(double time, const Vec3& on_a, const Vec3& on_b, bool certain) {
  return {fmt::format(R"("hit":true,"time":{},"on_a":{},"on_b":{}{})", text_of(time), text_of(on_a), text_of(on_b),
                      certain ? "" : R"(,"certain":false)"),
          AskVerdict::touching};
}

AskAnswer ask_sweep(const Fields& question) {
  if (question.has("world")) return ask_sweep_world(question);
  if (question.has("scene")) return ask_sweep_scene(question);
  question.allow_only("sweep", {"ask", "id", "a", "b", "tolerance", "margin"});
  const SweptBody first = swept_from(question.required("a"), "a"), second = swept_from(question.required("b"), "b");
  const SweepOptions defaults;
  const SweepOptions options{.margin = question.number_or("margin", defaults.margin),
                             .tolerance = question.number_or("tolerance", defaults.tolerance)};
  const Sweep s = std::visit([&](const auto& a, const auto& b) { return sweep(a, b, options); }, first, second);
  if (!s.hit) return {R"("hit":false)", AskVerdict::clear};
  return hit_at(s.time, s.contact.on_a, s.contact.on_b, s.certain);
}

AskAnswer ask_first_contact(const Fields& question) {
  question.allow_only("first_contact", {"ask", "id", "of", "from", "to", "tolerance"});
  const std::string of = question.text("of");
  const bool face = of == "vertex-face";
  if (!face && of != "edge-edge")
    throw Error("of", fmt::format("must be vertex-face or edge-edge, got \"{}\"", shortened(of)));
  const std::array<Vec3, 4> from = four_points(question, "from"), to = four_points(question, "to");
  const FirstContactOptions options{.tolerance = question.number_or("tolerance", FirstContactOptions().tolerance)};
  const FirstContact c =
      face ? first_contact_vertex_face(from, to, options) : first_contact_edge_edge(from, to, options);
  if (!c.hit) return {R"("hit":false)", AskVerdict::clear};
  return hit_at(c.time, c.on_a, c.on_b, c.certain);
}

}  // namespace graze::io

namespace graze {

SweptBody swept_from_json(std::string_view text, const std::string& where) {
  const io::Document document(text);
  if (!document.error().empty()) throw Error(where, document.error());
  return io::swept_from(document.root(), where);
}

}  // namespace graze
