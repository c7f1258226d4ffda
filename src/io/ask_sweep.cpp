#include "io/ask_sweep.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <vector>

#include "graze/io/moving_json.h"
#include "graze/query/first_contact.h"
#include "graze/query/sweep.h"
#include "io/answer_text.h"
#include "io/ask_deforming.h"
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

PosePath path_of(const Fields& geometry, const Fields& motion, const Pose& from) {
  const Value list = motion.required("path");
  const std::string path = motion.path_of("path");
  if (!list.is_array() || list.size() == 0) throw Error(path, "must be a list of poses");
  std::vector<Pose> poses;
  for (const Value pose : list) poses.push_back(pose_from(pose, fmt::format("{}[{}]", path, poses.size())));
  if (geometry.has("pose") && !(poses.front() == from))
    throw Error(geometry.path_of("pose"), "must be the first pose of the path, or be left out");
  return PosePath(poses);
}

std::array<Vec3, 4> four_points(const Fields& question, std::string_view name) {
  const std::vector<Vec3> points = question.points(name);
  if (points.size() != 4)
    throw Error(question.path_of(name), fmt::format("must have four points, got {}", points.size()));
  return {points[0], points[1], points[2], points[3]};
}

}  // namespace

AnyMotion motion_from(const Fields& geometry, const Pose& from) {
  if (!geometry.has("motion")) return from;
  const Fields motion(geometry.required("motion"), geometry.path_of("motion"));
  motion.allow_only("a motion", {"to", "turns", "path"});
  if (motion.has("to") == motion.has("path")) throw Error(motion.path(), "needs either to or path");
  if (motion.has("path")) {
    if (motion.has("turns")) throw Error(motion.path_of("turns"), "belongs to a motion with to");
    return path_of(geometry, motion, from);
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

AskAnswer hit_at(double time, const Vec3& on_a, const Vec3& on_b, bool certain) {
  return {fmt::format(R"("hit":true,"time":{},"on_a":{},"on_b":{}{})", text_of(time), text_of(on_a), text_of(on_b),
                      certain ? "" : R"(,"certain":false)"),
          AskVerdict::touching};
}

AskAnswer ask_sweep(const Fields& question) {
  if (question.has("world")) return ask_sweep_world(question);
  if (question.has("scene")) return ask_sweep_scene(question);
  question.allow_only("sweep", {"ask", "id", "a", "b", "tolerance", "margin"});
  if (deforms(question, "a") || deforms(question, "b")) return ask_sweep_deforming(question);
  const Moving a = moving_from(question.required("a"), "a"), b = moving_from(question.required("b"), "b");
  const SweepOptions defaults;
  const Sweep s = sweep(a, b,
                        {.margin = question.number_or("margin", defaults.margin),
                         .tolerance = question.number_or("tolerance", defaults.tolerance)});
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

Moving moving_from_json(std::string_view text, const std::string& where) {
  const io::Document document(text);
  if (!document.error().empty()) throw Error(where, document.error());
  return io::moving_from(document.root(), where);
}

}  // namespace graze
