#include "graze/io/ask.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "graze/base/error.h"
#include "graze/base/nearest_word.h"
#include "graze/query/collide.h"
#include "graze/query/contacts.h"
#include "graze/query/distance.h"
#include "graze/query/penetration.h"
#include "graze/query/probability.h"
#include "io/answer_text.h"
#include "io/ask_map.h"
#include "io/ask_points.h"
#include "io/ask_rays.h"
#include "io/ask_scene.h"
#include "io/ask_search.h"
#include "io/ask_sweep.h"
#include "io/ask_world.h"
#include "io/fields.h"
#include "io/placed.h"

namespace graze {
namespace io {
namespace {

// More contacts than any patch of two shapes has corners; a larger "max" costs no memory.
constexpr std::size_t kMaxContacts = 4096;

// Never throws on ill-formed UTF-8, unlike a plain dump().
std::string dumped(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

struct Pair {
  Placed a, b;
  explicit Pair(const Fields& question)
      : a(placed_from(question.required("a"), "a")), b(placed_from(question.required("b"), "b")) {}
};

// Clear is said of a pair only if all verbs agree: the value alone may be above zero where its tolerance is not.
AskVerdict verdict_of(const Pair& pair, bool touching, double margin = 0) {
  return verdict(touching || collide(pair.a, pair.b, {.margin = margin}));
}

// The answers are members of an object, without its braces, so that an id can precede them.

AskAnswer ask_collide(const Fields& question) {
  question.allow_only("collide", {"ask", "id", "a", "b", "margin"});
  const Pair pair(question);
  const bool hit = collide(pair.a, pair.b, {.margin = question.number_or("margin", 0)});
  return {hit ? R"("collide":true)" : R"("collide":false)", verdict(hit)};
}

AskAnswer ask_distance(const Fields& question) {
  question.allow_only("distance", {"ask", "id", "a", "b", "limit"});
  const Pair pair(question);
  const double limit = question.number_or("limit", kInfinity);
  const Distance d = distance(pair.a, pair.b, {.limit = limit});
  if (d.beyond)
    return {fmt::format(R"("distance":null,"beyond":{})", std::isinf(limit) ? "null" : text_of(limit)),
            verdict_of(pair, false)};
  return {fmt::format(R"("distance":{},"on_a":{},"on_b":{},"tolerance":{})", text_of(d.value), text_of(d.on_a),
                      text_of(d.on_b), text_of(d.tolerance)),
          verdict_of(pair, !(d.value - d.tolerance > 0))};
}

AskAnswer ask_contacts(const Fields& question) {
  question.allow_only("contacts", {"ask", "id", "a", "b", "max", "margin"});
  const Pair pair(question);
  const std::size_t max = std::min(question.count_or("max", 8), kMaxContacts);
  std::vector<Contact> buffer(max);
  const double margin = question.number_or("margin", 0);
  const auto found = contacts(pair.a, pair.b, buffer, {.max = max, .margin = margin});
  std::string list;
  for (const Contact& c : found) {
    list += fmt::format(R"({}{{"point":{},"normal":{},"depth":{}}})", list.empty() ? "" : ",", text_of(c.point),
                        text_of(c.normal), text_of(c.depth));
  }
  return {fmt::format(R"("contacts":[{}])", list), verdict_of(pair, !found.empty(), margin)};
}

AskAnswer ask_penetration(const Fields& question) {
  question.allow_only("penetration", {"ask", "id", "a", "b"});
  const Pair pair(question);
  const Penetration p = penetration(pair.a, pair.b);
  if (!p.overlapping) return {R"("overlapping":false)", verdict_of(pair, false)};
  return {fmt::format(R"("overlapping":true,"depth":{},"direction":{},"on_a":{},"on_b":{},"tolerance":{})",
                      text_of(p.depth), text_of(p.direction), text_of(p.on_a), text_of(p.on_b), text_of(p.tolerance)),
          AskVerdict::touching};
}

Meeting meeting_from(const Fields& question) {
  if (!question.has("meeting")) return Meeting::automatic;
  const std::string& name = question.text("meeting");
  if (name == "balls") return Meeting::balls;
  if (name == "sides") return Meeting::sides;
  throw Error("meeting", fmt::format("must be balls or sides, got \"{}\"", shortened(name)));
}

AskAnswer ask_probability(const Fields& question) {
  question.allow_only("probability", {"ask", "id", "a", "b", "sigma_a", "sigma_b", "meeting"});
  ProbabilityOptions options{.meeting = meeting_from(question)};
  if (question.has("sigma_a")) options.sigma_a = question.checked<decltype(options.sigma_a)>("sigma_a");
  if (question.has("sigma_b")) options.sigma_b = question.checked<decltype(options.sigma_b)>("sigma_b");
  const Pair pair(question);
  for (const auto& [placed, path] : {std::pair(&pair.a, "a.shape"), std::pair(&pair.b, "b.shape")}) {
    if (!std::holds_alternative<Cloud>(placed->geometry))
      throw Error(path, fmt::format("must be \"cloud\", got \"{}\"", name_of(placed->geometry)));
  }
  const double p = probability(pair.a, pair.b, options).value;
  return {fmt::format(R"("probability":{})", text_of(p)), verdict(p > 0)};
}

struct Question {
  std::string_view name;
  AskAnswer (*ask)(const Fields&);
};
// The most frequent first.
constexpr std::array<Question, 18> kQuestions{{{"collide", ask_collide},
                                               {"distance", ask_distance},
                                               {"contacts", ask_contacts},
                                               {"penetration", ask_penetration},
                                               {"raycast", ask_raycast},
                                               {"contains", ask_contains},
                                               {"closest_point", ask_closest_point},
                                               {"signed_distance", ask_signed_distance},
                                               {"search", ask_search},
                                               {"pairs", ask_pairs},
                                               {"sweep", ask_sweep},
                                               {"first_contact", ask_first_contact},
                                               {"nearest", ask_nearest},
                                               {"tangents", ask_tangents},
                                               {"probability", ask_probability},
                                               {"occupancy", ask_occupancy},
                                               {"insert", ask_insert},
                                               {"cost", ask_cost}}};

AskAnswer ask(Value value) {
  const Fields question(value, "");
  const std::string& what = question.text("ask");
  for (const auto& [name, ask] : kQuestions) {
    if (what == name) return ask(question);
  }
  std::vector<std::string> known;
  std::string list;
  for (const auto& [name, ask] : kQuestions) {
    list += fmt::format("{}{}", known.empty() ? "" : known.size() + 1 == kQuestions.size() ? " and " : ", ", name);
    known.emplace_back(name);
  }
  const std::optional<std::string> meant = nearest_word(what, known);
  throw Error("ask", fmt::format("unknown question \"{}\"; {} are {}", shortened(what),
                                 meant ? fmt::format("did you mean \"{}\"? Known", *meant) : "known", list));
}

AskAnswer error(const std::string& why, AskVerdict verdict) { return {R"("error":)" + dumped(Json(why)), verdict}; }

AskAnswer answer_members(const Document& line) {
  try {
    if (!line.error().empty()) return error(line.error(), AskVerdict::refused);
    return ask(line.root());
  } catch (const Error& refusal) {
    return error(refusal.what(), AskVerdict::refused);
  } catch (const std::exception& failure) {
    return error(std::string("internal: ") + failure.what(), AskVerdict::failed);
  }
}

}  // namespace

}  // namespace io

AskAnswer answer_question(std::string_view question) try {
  const io::Document line(question);
  const AskAnswer members = io::answer_members(line);
  const std::string id = line.id() ? R"("id":)" + *line.id() + "," : "";
  return {"{" + id + members.text + "}", members.verdict};
} catch (const std::exception&) {
  return {R"({"error":"internal: out of memory"})", AskVerdict::failed};
}

}  // namespace graze
