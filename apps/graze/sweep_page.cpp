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

ShownTrack track_of(const Moving& body, ObjectId id) {
  ShownTrack track{id, times_of(body.motion), {}};
  for (const double t : track.times) track.poses.push_back(body.motion.at(t) * body.local);
  return track;
}

}  // namespace

void write_sweep_page(const std::string& path, const Moving& a, const Moving& b, const Sweep& swept, double margin) {
  const std::string_view kind_a = name_of(a.geometry), kind_b = name_of(b.geometry);
  const auto stands = [&](const Moving& body) { return at(body.geometry, body.motion.at(swept.time) * body.local); };
  SceneEditor editor;
  const ObjectId id_a = editor.add(fmt::format("A ({})", kind_a), stands(a));
  const ObjectId id_b = editor.add(fmt::format("B ({})", kind_b), stands(b));
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
  page.motion = {{track_of(a, id_a), track_of(b, id_b)}, swept.hit, swept.time};
  write_scene_page(path, page);
}

}  // namespace graze::app
