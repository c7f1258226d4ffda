#include "graze/io/ask.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "graze/base/error.h"
#include "graze/query/collide.h"
#include "graze/query/contacts.h"
#include "graze/query/distance.h"
#include "graze/query/penetration.h"
#include "graze/query/probability.h"
#include "io/ask_search.h"
#include "io/fields.h"
#include "io/placed.h"

namespace graze {
namespace io {
namespace {

// More contacts than any patch of two shapes has corners; a larger "max" costs no memory.
constexpr std::size_t kMostContacts = 4096;

// The shortest digits that read back to the same double. JSON has no infinity: 1e999 overflows to it.
std::string text_of(double value) {
  if (std::isnan(value)) throw std::logic_error("the answer is not a number");
  if (std::isinf(value)) return value > 0 ? "1e999" : "-1e999";
  return fmt::format("{}", value);
}

std::string text_of(const Vec3& v) { return fmt::format("[{},{},{}]", text_of(v.x()), text_of(v.y()), text_of(v.z())); }

// Never throws on ill-formed UTF-8, unlike a plain dump().
std::string text_of(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

struct Pair {
  Placed a, b;
  explicit Pair(const Fields& question)
      : a(placed_from(question.required("a"), "a")), b(placed_from(question.required("b"), "b")) {}
};

Verdict verdict(bool touching) { return touching ? Verdict::touching : Verdict::clear; }

// The answers are members of an object, without its braces, so that an id can precede them.

Answer ask_collide(const Fields& question) {
  question.allow_only("collide", {"ask", "id", "a", "b", "margin"});
  const Pair pair(question);
  const bool hit = collide(pair.a, pair.b, {.margin = question.number_or("margin", 0)});
  return {hit ? R"("collide":true)" : R"("collide":false)", verdict(hit)};
}

Answer ask_distance(const Fields& question) {
  question.allow_only("distance", {"ask", "id", "a", "b", "limit"});
  const Pair pair(question);
  const double limit = question.number_or("limit", kInfinity);
  const Distance d = distance(pair.a, pair.b, {.limit = limit});
  if (d.beyond)
    return {fmt::format(R"("distance":null,"beyond":{})", std::isinf(limit) ? "null" : text_of(limit)), Verdict::clear};
  return {fmt::format(R"("distance":{},"on_a":{},"on_b":{},"tolerance":{})", text_of(d.value), text_of(d.on_a),
                      text_of(d.on_b), text_of(d.tolerance)),
          verdict(d.value <= 0)};
}

Answer ask_contacts(const Fields& question) {
  question.allow_only("contacts", {"ask", "id", "a", "b", "max", "margin"});
  const Pair pair(question);
  const std::size_t max = std::min(question.count_or("max", 8), kMostContacts);
  std::vector<Contact> buffer(max);
  const auto found = contacts(pair.a, pair.b, buffer, {.max = max, .margin = question.number_or("margin", 0)});
  std::string list;
  for (const Contact& c : found) {
    list += fmt::format(R"({}{{"point":{},"normal":{},"depth":{}}})", list.empty() ? "" : ",", text_of(c.point),
                        text_of(c.normal), text_of(c.depth));
  }
  return {fmt::format(R"("contacts":[{}])", list), verdict(!found.empty())};
}

Answer ask_penetration(const Fields& question) {
  question.allow_only("penetration", {"ask", "id", "a", "b"});
  const Pair pair(question);
  const Penetration p = penetration(pair.a, pair.b);
  if (!p.overlapping) return {R"("overlapping":false)", Verdict::clear};
  return {fmt::format(R"("overlapping":true,"depth":{},"direction":{},"on_a":{},"on_b":{},"tolerance":{})",
                      text_of(p.depth), text_of(p.direction), text_of(p.on_a), text_of(p.on_b), text_of(p.tolerance)),
          Verdict::touching};
}

Meeting meeting_from(const Fields& question) {
  if (!question.has("meeting")) return Meeting::automatic;
  const std::string& name = question.text("meeting");
  if (name == "balls") return Meeting::balls;
  if (name == "sides") return Meeting::sides;
  throw Error("meeting", fmt::format("must be balls or sides, got \"{}\"", shortened(name)));
}

Answer ask_probability(const Fields& question) {
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

Answer ask(const Json& value) {
  const Fields question(value, "");
  const std::string& what = question.text("ask");
  if (what == "collide") return ask_collide(question);
  if (what == "distance") return ask_distance(question);
  if (what == "contacts") return ask_contacts(question);
  if (what == "penetration") return ask_penetration(question);
  if (what == "search") return ask_search(question);
  if (what == "probability") return ask_probability(question);
  for (const std::string_view later : {"sweep", "cost"}) {
    if (what == later) throw Error("ask", what + " is not supported yet");
  }
  throw Error("ask", fmt::format("unknown question \"{}\"; known are collide, distance, contacts, penetration, search "
                                 "and probability",
                                 shortened(what)));
}

Answer error(const std::string& why, Verdict verdict) { return {R"("error":)" + text_of(Json(why)), verdict}; }

Answer answer_members(const JsonLine& line) {
  try {
    if (!line.error.empty()) return error(line.error, Verdict::refused);
    return ask(line.value);
  } catch (const Error& refusal) {
    return error(refusal.what(), Verdict::refused);
  } catch (const std::exception& failure) {
    return error(std::string("internal: ") + failure.what(), Verdict::failed);
  }
}

}  // namespace
}  // namespace io

Answer answer(std::string_view question) try {
  const io::JsonLine line = io::read_json_line(question);
  const Answer members = io::answer_members(line);
  const std::string id = line.id ? R"("id":)" + io::text_of(*line.id) + "," : "";
  return {"{" + id + members.text + "}", members.verdict};
} catch (const std::exception&) {
  return {R"({"error":"internal: out of memory"})", Verdict::failed};
}

}  // namespace graze
