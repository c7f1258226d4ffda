#include "demo_overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace graze::app {
namespace {

/// Puts world points into the picture and knows what hides them.
class View {
 public:
  View(const Picture& picture, const Camera& camera) : picture_(picture), camera_(camera) {}

  std::pair<double, double> place(const Vec3& point) const {
    const auto [x, y] = camera_.project(point);
    const double scale = static_cast<double>(kOverlayWidth) / static_cast<double>(camera_.width());
    return {scale * x, scale * y};
  }

  bool shown(const Vec3& point) const {
    constexpr double kSlack = 0.015;  // metres: points on a surface are seen
    const auto [x, y] = camera_.project(point);
    if (!(x >= 0 && y >= 0 && x < static_cast<double>(camera_.width()) && y < static_cast<double>(camera_.height()))) {
      return false;
    }
    const std::size_t pixel = static_cast<std::size_t>(y) * camera_.width() + static_cast<std::size_t>(x);
    return (point - camera_.eye()).norm() <= picture_.depth[pixel] + kSlack;
  }

 private:
  const Picture& picture_;
  const Camera& camera_;
};

std::string line(const View& view, const Vec3& from, const Vec3& to, std::string_view kind) {
  const auto [x1, y1] = view.place(from);
  const auto [x2, y2] = view.place(to);
  return fmt::format(R"(<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>)", kind, x1, y1, x2, y2);
}

// In pieces, so that what lies behind something is dashed.
std::string segment(const View& view, const Vec3& from, const Vec3& to) {
  constexpr int kPieces = 48;
  std::string out = line(view, from, to, "halo");
  const auto point = [&](int i) { return Vec3(from + (to - from) * (static_cast<double>(i) / kPieces)); };
  for (int begin = 0; begin < kPieces;) {
    const bool shown = view.shown(point(begin)) && view.shown(point(begin + 1));
    int end = begin + 1;
    while (end < kPieces && (view.shown(point(end)) && view.shown(point(end + 1))) == shown) ++end;
    out += line(view, point(begin), point(end), shown ? "gap" : "gap hidden");
    begin = end;
  }
  return out;
}

std::string dot(const View& view, const Vec3& point, std::string_view kind) {
  const auto [x, y] = view.place(point);
  return fmt::format(R"(<circle class="{}{}" cx="{:.1f}" cy="{:.1f}" r="3"/>)", kind,
                     view.shown(point) ? "" : " hidden", x, y);
}

std::string label(const View& view, const Vec3& point, std::string_view text, std::string_view kind) {
  const auto [x, y] = view.place(point);
  return fmt::format(R"(<text class="{}" x="{:.1f}" y="{:.1f}">{}</text>)", kind, x, y - 6, text);
}

std::string draw(const View& view, const PairReport& pair) {
  constexpr double kArrow = 0.16;  // metres
  if (pair.contacts.empty()) {
    const Vec3 middle = (pair.distance.on_a + pair.distance.on_b) / 2;
    return segment(view, pair.distance.on_a, pair.distance.on_b) + dot(view, pair.distance.on_a, "end") +
           dot(view, pair.distance.on_b, "end") +
           label(view, middle, fmt::format("{:.0f} mm", 1000 * pair.distance.value), "length");
  }
  std::string out;
  for (const Contact& c : pair.contacts) {
    out += line(view, c.point, c.point + kArrow * c.normal, "normal") + dot(view, c.point, "contact");
  }
  return out;
}

// All contacts, and the nearest neighbour of each body that touches no other.
std::set<std::size_t> chosen(const DemoResults& results) {
  std::set<std::size_t> shown;
  std::vector<bool> served(results.scene.size());
  for (std::size_t i = 0; i < results.pairs.size(); ++i) {  // from near to far
    const PairReport& pair = results.pairs[i];
    const bool bodies = results.scene[pair.a].bounds.bounded() && results.scene[pair.b].bounds.bounded();
    const bool wanted = bodies && !(served[pair.a] && served[pair.b]);
    if (wanted) served[pair.a] = served[pair.b] = true;
    if (wanted || !pair.contacts.empty()) shown.insert(i);
  }
  return shown;
}

}  // namespace

std::string overlay(const DemoResults& results, const Camera& camera) {
  const View view(results.picture, camera);
  const std::set<std::size_t> shown = chosen(results);
  std::string out;
  for (const Object& object : results.scene) {
    if (object.bounds.bounded()) out += label(view, object.bounds.center(), object.name, "name");
  }
  for (std::size_t i = 0; i < results.pairs.size(); ++i) {
    out += fmt::format("<g id=\"p{}\" class=\"pair{}\"><title>{}</title>{}</g>\n", i, shown.contains(i) ? " on" : "",
                       pair_name(results.scene, results.pairs[i]), draw(view, results.pairs[i]));
  }
  return out;
}

}  // namespace graze::app
