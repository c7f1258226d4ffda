// graze check: does anything in a scene collide?
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "check_report.h"
#include "command.h"
#include "graze/base/error.h"
#include "graze/io/scene_file.h"
#include "graze/io/write_file.h"
#include "numbers.h"
#include "outputs.h"
#include "streams.h"

namespace graze::app {
namespace {

struct CheckArguments {
  std::string file, page;
  double margin = 0;
  int max = 8;
  bool json = false;
};

// Nothing is said about what cannot be looked at.
void expect_something(const graze::Scene& scene, const std::string& file, const SceneDistance& nearest) {
  scene.visit_objects([&](const SceneObject& o) {
    if (bounds(o.placed->geometry).empty())
      throw Error(file, fmt::format("object '{}' has no points; remove it, or give it some", o.name));
  });
  if (nearest.beyond)
    throw Error(file, fmt::format("has {} object{} and no two of them to compare: add objects, or allow fewer pairs",
                                  scene.size(), scene.size() == 1 ? "" : "s"));
}

// A name as one line of text: a line break in it could say anything.
std::string one_line(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '\n' || c == '\t') out += c == '\n' ? "\\n" : "\\t";
    else out += c;
  }
  return out;
}

Json json_of(const Vec3& v) { return Json::array({v.x(), v.y(), v.z()}); }

Json json_of(const CheckedScene& checked) {
  Json json = {{"schema_version", 1}, {"file", checked.file}, {"objects", checked.scene.size()}};
  json["margin"] = checked.margin;
  json["collisions"] = Json::array();
  for (const CheckedPair& pair : checked.collisions) {
    Json contacts = Json::array();
    for (const SceneContact& c : pair.contacts) {
      contacts.push_back({{"point", json_of(c.point)},
                          {"normal", json_of(c.normal)},
                          {"depth", c.depth},
                          {"feature_a", c.a},
                          {"feature_b", c.b}});
    }
    json["collisions"].push_back({{"a", pair.pair.name_a}, {"b", pair.pair.name_b}, {"contacts", contacts}});
  }
  const SceneDistance& d = checked.nearest;
  json["nearest"] = {{"a", d.pair.name_a},       {"b", d.pair.name_b},      {"distance", d.value},
                     {"tolerance", d.tolerance}, {"on_a", json_of(d.on_a)}, {"on_b", json_of(d.on_b)}};
  return json;
}

std::string text_of(const CheckedScene& checked) {
  std::string text;
  for (const auto& [pair, contacts] : checked.collisions) {
    text += fmt::format("{} and {} collide", one_line(pair.name_a), one_line(pair.name_b));
    if (!contacts.empty() && !std::isfinite(contacts.front().depth)) text += ": they overlap without end";
    else if (!contacts.empty()) {
      const SceneContact& c = contacts.front();
      // Depths are rounded up and gaps down: the larger collision is the safe one.
      text += fmt::format(": {} {} m, {} contact{}, the deepest at ({}, {}, {})", c.depth < 0 ? "gap" : "depth",
                          fixed(std::abs(std::ceil(c.depth * 1e6 - 1e-6) / 1e6), 6), contacts.size(),
                          contacts.size() == 1 ? "" : "s", fixed(c.point.x(), 6), fixed(c.point.y(), 6),
                          fixed(c.point.z(), 6));
    }
    text += "\n";
  }
  const SceneDistance& d = checked.nearest;
  if (!checked.collisions.empty())
    return text + fmt::format("{}: {} objects, {} colliding pair{}\n", checked.file, checked.scene.size(),
                              checked.collisions.size(), checked.collisions.size() == 1 ? "" : "s");
  // Rounded down: the smaller clearance is the safe one.
  return fmt::format("clear: the nearest of {} objects are {} and {}, {} m apart\n", checked.scene.size(),
                     one_line(d.pair.name_a), one_line(d.pair.name_b),
                     fixed(std::floor((d.value - d.tolerance) * 1e6) / 1e6, 6));
}

int check(const CheckArguments& a) {
  if (!a.page.empty()) {
    check_writable(a.page);
    expect_no_scene(a.page, a.file);
  }
  const CheckedScene checked = checked_scene(read_scene(a.file), a.file, a.margin, static_cast<std::size_t>(a.max));
  expect_something(checked.scene, a.file, checked.nearest);
  if (!a.page.empty()) write_check_page(a.page, checked);
  print(a.json ? json_text(json_of(checked)) + "\n" : printable(text_of(checked)));
  return checked.collisions.empty() ? kClear : kCollision;
}

}  // namespace

CheckedScene checked_scene(const graze::Scene& scene, const std::string& file, double margin, std::size_t max) {
  CheckedScene checked{.file = file, .scene = scene, .margin = margin, .nearest = self_distance(scene)};
  std::vector<ObjectPair> pairs(self_collisions(scene, {}, {.margin = margin}));
  self_collisions(scene, pairs, {.margin = margin});
  std::vector<SceneContact> contacts(self_contacts(scene, {}, {.max = max, .margin = margin}));
  self_contacts(scene, contacts, {.max = max, .margin = margin});
  // Both are in the order of the objects; what rounding cannot decide collides, perhaps without a contact.
  std::size_t next = 0;
  for (const ObjectPair& pair : pairs) {
    CheckedPair& found = checked.collisions.emplace_back(CheckedPair{pair, {}});
    for (; next < contacts.size() && contacts[next].pair == pair; ++next) found.contacts.push_back(contacts[next]);
  }
  return checked;
}

Command check_command() {
  const auto a = std::make_shared<CheckArguments>();
  return {
      .name = "check",
      .help = "Tell which objects of a scene collide: exit code 1 if any do, 0 if not",
      .options = {{"SCENE", &a->file, "A scene as JSON: docs/scenes.md", {.required = true, .file = true}},
                  {"--margin", &a->margin, "Metres; closer than this counts as touching", {.value = "NUMBER [0]"}},
                  {"--max", &a->max, "Contacts of a pair at most", {.value = "N [8]", .range = {.min = 1, .max = 16}}},
                  {"--page", &a->page, "Write a page with the result in three dimensions", {.value = "FILE"}},
                  {"--json", &a->json, "Print one JSON object instead of text"}},
      .footer =
          "A scene is {\"objects\": [{\"name\", …shape as in 'graze ask', \"group\", \"attach\", \"margin\", "
          "\"padding\"}, …],\n\"allowed\": [[X, Y], …]}; X and Y are names of objects or groups. Files of shapes "
          "count from its folder.",
      .run = [a](const Session&) { return check(*a); }};
}

}  // namespace graze::app
