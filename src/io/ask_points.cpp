#include "io/ask_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "graze/base/error.h"
#include "graze/query/point.h"
#include "graze/shape/checked.h"
#include "io/answer_text.h"
#include "io/placed.h"

namespace graze::io {
namespace {

struct Points {
  bool many = false;  // an array of answers is wanted, even for a single point
  std::vector<Vec3> at;

  explicit Points(const Fields& question) : many(question.has("points")) {
    if (question.has("point") == many) throw Error("point", "give either point or points");
    if (many) at = question.points("points");
    else at.push_back(question.vector("point"));
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (is_finite(at[i]) && at[i].cwiseAbs().maxCoeff() <= kLargestLength) continue;
      Fields::naming(many ? fmt::format("points[{}]", i) : "point", [&] { return checked::point("point", at[i]); });
    }
  }
  int threads() const { return threads_for(at.size()); }
  PointView view() const { return {at}; }
};

std::vector<ClosestPoint> closest_of(const Placed& body, const Points& points, double limit) {
  std::vector<ClosestPoint> closest(points.at.size());
  closest_point_each(body, points.view(), closest, {.limit = limit, .threads = points.threads()});
  return closest;
}

// text(answer) of the only one, or of all of them in an array.
template <class Answers, class Text>
std::string listed(const Points& points, const Answers& answers, const Text& text) {
  if (!points.many) return text(answers[0]);
  std::string list = "[";
  for (std::size_t i = 0; i < points.at.size(); ++i) {
    if (i > 0) list += ',';
    list += text(answers[i]);
  }
  return list + "]";
}

AskVerdict verdict_of(std::span<const ClosestPoint> closest) {
  const bool touching = std::any_of(closest.begin(), closest.end(),
                                    [](const ClosestPoint& c) { return !(c.distance - c.tolerance > 0); });
  return verdict(touching);
}

}  // namespace

AskAnswer ask_contains(const Fields& question) {
  question.allow_only("contains", {"ask", "id", "b", "point", "points"});
  const Points points(question);
  const Placed body = placed_from(question.required("b"), "b");
  const std::size_t count = points.at.size();
  const std::unique_ptr<bool[]> inside(new bool[count]());
  contains_each(body, points.view(), std::span(inside.get(), count), {.threads = points.threads()});
  const bool any = std::any_of(inside.get(), inside.get() + count, [](bool in) { return in; });
  return {R"("contains":)" + listed(points, inside, [](bool in) { return in ? "true" : "false"; }), verdict(any)};
}

AskAnswer ask_closest_point(const Fields& question) {
  question.allow_only("closest_point", {"ask", "id", "b", "point", "points", "limit"});
  const Points points(question);
  const double limit = question.length_or("limit", kInfinity);
  const std::vector<ClosestPoint> closest = closest_of(placed_from(question.required("b"), "b"), points, limit);
  const auto text = [&](const ClosestPoint& c) {
    if (!c.found()) return fmt::format(R"("distance":null,"beyond":{})", std::isinf(limit) ? "null" : text_of(limit));
    return fmt::format(R"("distance":{},"point":{},"normal":{},"feature":{},"tolerance":{})", text_of(c.distance),
                       text_of(c.point), text_of(c.normal), c.feature, text_of(c.tolerance));
  };
  if (!points.many) return {text(closest[0]), verdict_of(closest)};
  return {R"("closest":)" + listed(points, closest, [&](const ClosestPoint& c) { return "{" + text(c) + "}"; }),
          verdict_of(closest)};
}

AskAnswer ask_signed_distance(const Fields& question) {
  question.allow_only("signed_distance", {"ask", "id", "b", "point", "points", "limit"});
  const Points points(question);
  const double limit = question.length_or("limit", kInfinity);
  const std::vector<ClosestPoint> closest = closest_of(placed_from(question.required("b"), "b"), points, limit);
  const auto value = [](const ClosestPoint& c) { return c.found() ? text_of(c.distance) : "null"; };
  const auto tolerance = [](const ClosestPoint& c) { return c.found() ? text_of(c.tolerance) : "null"; };
  return {fmt::format(R"("signed_distance":{},"tolerance":{})", listed(points, closest, value),
                      listed(points, closest, tolerance)),
          verdict_of(closest)};
}

}  // namespace graze::io
