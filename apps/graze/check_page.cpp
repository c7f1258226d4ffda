// The page of `graze check --page`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "check_report.h"
#include "numbers.h"
#include "scene_page.h"

namespace graze::app {
namespace {

constexpr std::size_t kMostPairs = 2000;  // that a page lists, with their contacts

// Where two half-spaces meet there is no point to show.
bool is_somewhere(const SceneContact& c) { return std::isfinite(c.depth); }

std::string table_of(const CheckedScene& checked) {
  // Rounded up: the deeper collision and the smaller gap are the safe ones.
  const auto depth_text = [](double depth) {
    return std::isfinite(depth) ? fixed(std::ceil(depth * 1e6 - 1e-6) / 1e6, 6) : "without end";
  };
  std::string rows;
  std::size_t contact = 0, listed = 0;
  for (const auto& [pair, contacts] : checked.collisions) {
    if (listed++ == kMostPairs) {
      rows += fmt::format("<tr><td colspan=\"4\">and {} more pairs; the text and --json have all</td></tr>\n",
                          checked.collisions.size() - kMostPairs);
      break;
    }
    const auto shown = static_cast<std::size_t>(std::count_if(contacts.begin(), contacts.end(), is_somewhere));
    rows +=
        fmt::format("<tr{}><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                    shown == 0 ? "" : fmt::format(" data-contact=\"{}\" tabindex=\"0\"", contact), escaped(pair.name_a),
                    escaped(pair.name_b), contacts.empty() ? "0" : depth_text(contacts.front().depth), contacts.size());
    contact += shown;
  }
  const SceneDistance& d = checked.nearest;
  if (rows.empty())
    rows = fmt::format("<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">0</td></tr>\n",
                       escaped(d.pair.name_a), escaped(d.pair.name_b), depth_text(d.tolerance - d.value));
  return "<table>\n<thead><tr><th>object</th><th>object</th><th class=\"n\">depth (m), negative for a gap</th><th "
         "class=\"n\">contacts</th></tr></thead>\n<tbody>\n" +
         rows + "</tbody>\n</table>\n";
}

}  // namespace

void write_check_page(const std::string& path, const CheckedScene& checked) {
  const bool clear = checked.collisions.empty();
  const std::size_t pairs = checked.collisions.size(), objects = checked.scene.size();
  ScenePage page{.title = std::filesystem::path(checked.file).filename().string(),
                 .lead = fmt::format("{} object{}, {}", objects, objects == 1 ? "" : "s",
                                     clear ? std::string("no collision")
                                           : fmt::format("{} colliding pair{}", pairs, pairs == 1 ? "" : "s")),
                 .caption = std::string(clear ? "Blue: the nearest points."
                                              : "Red: colliding objects. Dots and lines: contacts and their normals.") +
                            " Half-spaces and planes fade with the distance. Padding is not drawn.",
                 .table = table_of(checked),
                 .scene = checked.scene};
  std::size_t listed = 0;
  for (const CheckedPair& pair : checked.collisions) {
    page.colliding.insert({pair.pair.id_a, pair.pair.id_b});
    if (listed++ >= kMostPairs) continue;
    for (const SceneContact& c : pair.contacts) {
      if (is_somewhere(c)) page.contacts.push_back({c.point, c.normal});
    }
  }
  const SceneDistance& d = checked.nearest;
  if (clear && std::isfinite(d.value)) page.gap = {d.on_a, d.on_b, length_text(d.value)};
  write_scene_page(path, page);
}

}  // namespace graze::app
