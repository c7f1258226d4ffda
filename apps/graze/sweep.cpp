// graze sweep: when do two moving shapes first touch?
#include <fmt/format.h>

#include <memory>

#include "command.h"
#include "graze/io/swept_json.h"
#include "graze/io/write_file.h"
#include "outputs.h"
#include "pair.h"
#include "streams.h"
#include "sweep_page.h"

namespace graze::app {
namespace {

struct SweepArguments {
  PairArguments pair;
  double margin = 0, tolerance = SweepOptions().tolerance;
  std::string page;
};

std::string text_of(const Vec3& v) { return fmt::format("[{},{},{}]", v.x(), v.y(), v.z()); }

// The line that `graze ask` would print.
std::string text_of(const Sweep& s) {
  if (!s.hit) return "{\"hit\":false}\n";
  return fmt::format("{{\"hit\":true,\"time\":{},\"on_a\":{},\"on_b\":{}{}}}\n", s.time, text_of(s.contact.on_a),
                     text_of(s.contact.on_b), s.certain ? "" : ",\"certain\":false");
}

Geometry start_of(const Moving& body) { return body.geometry; }
Geometry start_of(const Deforming& body) { return body.mesh.from(); }

SweptBody read_body(const std::string& json, const std::string& name) {
  const SweptBody body = swept_from_json(json, name);
  expect_points(std::visit([](const auto& b) { return start_of(b); }, body), name);
  return body;
}

int run_sweep(const SweepArguments& a) {
  if (!a.page.empty()) {
    check_writable(a.page);
    for (const std::string& body : {a.pair.a, a.pair.b}) expect_no_input(a.page, body, "");
  }
  const SweptBody first = read_body(a.pair.a, "A"), second = read_body(a.pair.b, "B");
  const SweepOptions options{.margin = a.margin, .tolerance = a.tolerance};
  const Sweep s = std::visit([&](const auto& x, const auto& y) { return sweep(x, y, options); }, first, second);
  if (!a.page.empty()) write_sweep_page(a.page, first, second, s, a.margin);
  print(text_of(s));
  return s.hit ? kCollision : kClear;
}

}  // namespace

Command sweep_command() {
  const auto a = std::make_shared<SweepArguments>();
  Command command{.name = "sweep", .help = "Tell when two moving shapes first touch: exit code 1 if they do, 0 if not"};
  add_pair(command, a->pair);
  command.options.push_back(
      {"--margin", &a->margin, "Metres; closer than this counts as touching", {.value = "NUMBER [0]"}});
  command.options.push_back({"--tolerance",
                             &a->tolerance,
                             "Metres; farther than this from the margin they are not at the time of a hit",
                             {.value = "NUMBER [1e-6]"}});
  command.options.push_back({"--page", &a->page, "Write a page that plays the motion", {.value = "FILE"}});
  command.footer =
      "A shape moves with \"motion\": {\"to\": POSE, \"turns\": N} or {\"path\": [POSE, …]}, a mesh bends with\n"
      "\"vertices_to\": [[x,y,z],…]; see docs/ask.md#sweep.\n" +
      command.footer;
  command.check = [a] {
    if (!(a->margin >= 0)) throw UsageError("--margin", "must not be negative");
    if (!(a->tolerance > 0)) throw UsageError("--tolerance", "must be greater than 0");
  };
  command.run = [a](const Session&) { return run_sweep(*a); };
  return command;
}

}  // namespace graze::app
