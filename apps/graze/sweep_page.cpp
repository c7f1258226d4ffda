#include "sweep_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "graze/scene/scene_editor.h"
#include "numbers.h"
#include "scene_page.h"

namespace graze::app {
namespace {

constexpr double kEvenTimes = 120, kMaxTimes = 5000;  // at which a page knows where a body is
constexpr double kMaxTurn = 0.25;  // radians between two of them: the viewer turns along the short arc

// Even times, and those at which the velocity jumps.
std::vector<double> times_of(const AnyMotion& motion) {
  const double turn = motion.reach(1) - motion.reach(0);
  const double even = std::clamp(std::ceil(turn / kMaxTurn), kEvenTimes, kMaxTimes);
  std::vector<double> times;
  for (int i = 0; i <= static_cast<int>(even); ++i) times.push_back(i / even);
  for (double t = motion.smooth_until(0); t < 1 && static_cast<double>(times.size()) < 2 * kMaxTimes;
       t = motion.smooth_until(t))
    times.push_back(t);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

std::string kind_of(const Moving& body) { return std::string(name_of(body.geometry)); }
std::string kind_of(const Deforming&) { return "bending mesh"; }

Placed body_at(const Moving& body, double time) { return at(body.geometry, body.motion.at(time) * body.local); }
Placed body_at(const Deforming& body, double time) {
  return at(Mesh(body.mesh.vertices(time), body.mesh.from().triangles()), body.pose);
}

void add_motion(ShownMotion& motion, ObjectId id, const Moving& body) {
  ShownTrack track{id, times_of(body.motion), {}};
  for (const double t : track.times) track.poses.push_back(body.motion.at(t) * body.local);
  motion.tracks.push_back(std::move(track));
}
void add_motion(ShownMotion& motion, ObjectId id, const Deforming& body) {
  motion.bends.push_back({id, body.mesh.from(), {body.mesh.to().begin(), body.mesh.to().end()}});
}

}  // namespace

void write_sweep_page(const std::string& path, const SweptBody& a, const SweptBody& b, const Sweep& swept,
                      double margin) {
  ShownMotion motion{.hit = swept.hit, .time = swept.time};
  SceneEditor editor;
  const auto add = [&](const std::string& name, const SweptBody& body) {
    return std::visit(
        [&](const auto& one) {
          const ObjectId id = editor.add(fmt::format("{} ({})", name, kind_of(one)), body_at(one, swept.time));
          add_motion(motion, id, one);
          return kind_of(one);
        },
        body);
  };
  const std::string kind_a = add("A", a), kind_b = add("B", b);
  const std::string within = margin > 0 ? fmt::format(" within {} m of each other", margin) : " into contact";
  ScenePage page{.title = fmt::format("{} and {}", kind_a, kind_b),
                 .lead = !swept.hit ? "They never come" + within + ": that is proven."
                                    : fmt::format("They first come{} at t = {}{}.", within,
                                                  fixed(std::floor(swept.time * 1e6) / 1e6, 6),
                                                  swept.certain ? "" : ", or later: the steps did not suffice"),
                 .caption = "Lines: the paths of the bodies' middles. Half-spaces and planes fade with the distance.",
                 .table = "",
                 .scene = editor.scene()};
  if (swept.hit) page.contacts.push_back({(swept.contact.on_a + swept.contact.on_b) / 2, Vec3::Zero()});
  page.motion = std::move(motion);
  write_scene_page(path, page);
}

}  // namespace graze::app
