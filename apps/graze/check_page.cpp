// The page of `graze check --page`: a picture of the scene by rays, with contacts and nearest points drawn over it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "check_report.h"
#include "demo_render.h"
#include "graze/version.h"
#include "image.h"
#include "numbers.h"

namespace graze::app {
namespace {

constexpr std::size_t kWidth = 960, kHeight = 600;  // pixels
constexpr std::size_t kFine = 2;                    // rays of a pixel along each side

constexpr std::string_view kCheckStyle = R"(
:root { color-scheme: light; --ink: #22303a; --soft: #6b7780; --line: #dfe4e7; --hit: #d1352b; --gap: #0b6bb8; }
* { box-sizing: border-box; }
body { margin: 0; background: #f4f5f3; color: var(--ink); font: 16px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 26px; margin: 0; }
.lead { color: var(--soft); margin: 4px 0 18px; }
figure { margin: 0 0 24px; background: #fff; border-radius: 10px; overflow: hidden; box-shadow: 0 1px 3px #0002; }
.stage { position: relative; }
.stage img { display: block; width: 100%; height: auto; }
.stage svg { position: absolute; inset: 0; width: 100%; height: 100%; }
figcaption { padding: 10px 18px 12px; font-size: 14px; color: var(--soft); }
.gap { stroke: var(--gap); stroke-width: 2.4; stroke-linecap: round; }
.end { fill: var(--gap); stroke: #fff; }
.normal { stroke: var(--hit); stroke-width: 2; }
.contact { fill: var(--hit); stroke: #fff; }
text { font: 600 13px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; text-anchor: middle; paint-order: stroke;
  fill: #22303a; stroke: #fff; stroke-width: 3.5px; stroke-linejoin: round; }
text.length { fill: #0a4f88; }
table { border-collapse: collapse; width: 100%; background: #fff; border: 1px solid var(--line); font-size: 14px; }
th, td { text-align: left; padding: 5px 12px; border-bottom: 1px solid var(--line); }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
)";

// Around what has an end; half-spaces and planes are cut off by the picture.
Aabb extent_of(const graze::Scene& scene) {
  Aabb box;
  scene.visit_objects([&](const SceneObject& o) {
    const Aabb own = bounds(o.placed->geometry, o.placed->pose);
    if (own.bounded() && !own.empty()) box.extend(own);
  });
  return box.empty() ? Aabb::around(Vec3::Zero(), Vec3::Ones()) : box;
}

struct Eye {
  double size;  // of the scene, metres
  Camera camera;

  explicit Eye(const Aabb& box)
      : size(std::max(box.half().norm(), 1e-9 * (1 + box.center().norm()))),
        camera(box.center() + 3.1 * size * Vec3(0.5, -0.8, 0.42).normalized(), box.center(),
               40 * std::numbers::pi / 180, kWidth, kHeight) {}
};

Vec3 color_of(ObjectId id, bool colliding) {
  static constexpr double kPalette[][3] = {{0.62, 0.64, 0.66}, {0.27, 0.47, 0.62}, {0.42, 0.60, 0.40},
                                           {0.72, 0.58, 0.34}, {0.50, 0.42, 0.62}, {0.36, 0.60, 0.60}};
  if (colliding) return {0.82, 0.34, 0.28};
  const auto& c = kPalette[id % std::size(kPalette)];
  return {c[0], c[1], c[2]};
}

Image drawn(const CheckedScene& checked, const Eye& eye) {
  std::set<ObjectId> colliding;
  for (const CheckedPair& pair : checked.collisions) colliding.insert({pair.pair.id_a, pair.pair.id_b});
  std::vector<Ray> rays;
  rays.reserve(kWidth * kHeight * kFine * kFine);
  for (std::size_t y = 0; y < kHeight * kFine; ++y) {
    for (std::size_t x = 0; x < kWidth * kFine; ++x)
      rays.emplace_back(eye.camera.eye(),
                        eye.camera.ray((static_cast<double>(x) + 0.5) / kFine, (static_cast<double>(y) + 0.5) / kFine),
                        30 * eye.size);
  }
  std::vector<SceneRayHit> hits(rays.size());
  raycast_each(checked.scene, rays, hits);
  const Vec3 sun = Vec3(0.15, -0.65, 0.8).normalized(), sky(0.93, 0.95, 0.96);
  Image image{kWidth, kHeight, std::vector<std::uint8_t>(3 * kWidth * kHeight)};
  for (std::size_t i = 0; i < kWidth * kHeight; ++i) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = 0; k < kFine * kFine; ++k) {
      const std::size_t x = i % kWidth * kFine + k % kFine, y = i / kWidth * kFine + k / kFine;
      const SceneRayHit& hit = hits[y * kWidth * kFine + x];
      if (!hit.found()) {
        sum += sky;
        continue;
      }
      const double light = 0.45 + 0.55 * std::max(0.0, hit.normal.dot(sun)) + 0.12 * hit.normal.z();
      const double haze = std::clamp(hit.distance / (8 * eye.size) - 0.5, 0.0, 1.0);
      sum += (1 - haze) * light * color_of(hit.id, colliding.contains(hit.id)) + haze * sky;
    }
    for (Eigen::Index c = 0; c < 3; ++c)
      image.rgb[3 * i + static_cast<std::size_t>(c)] =
          static_cast<std::uint8_t>(std::lround(255 * std::clamp(sum[c] / (kFine * kFine), 0.0, 1.0)));
  }
  return image;
}

std::string line_between(const Camera& camera, const Vec3& from, const Vec3& to, std::string_view kind) {
  const auto [x1, y1] = camera.project(from);
  const auto [x2, y2] = camera.project(to);
  return fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", kind, x1, y1, x2,
                     y2);
}
std::string dot_at(const Camera& camera, const Vec3& point, std::string_view kind) {
  const auto [x, y] = camera.project(point);
  return fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>\n", kind, x, y);
}
std::string text_at(const Camera& camera, const Vec3& point, std::string_view text, std::string_view kind) {
  const auto [x, y] = camera.project(point);
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", kind, x, y - 8, escaped(text));
}

std::string marks(const CheckedScene& checked, const Eye& eye) {
  std::string out;
  checked.scene.visit_objects([&](const SceneObject& o) {
    const Aabb box = bounds(o.placed->geometry, o.placed->pose);
    if (box.bounded() && !box.empty())
      out += text_at(eye.camera, {box.center().x(), box.center().y(), box.max.z()}, o.name, "name");
  });
  for (const CheckedPair& pair : checked.collisions) {
    for (const SceneContact& c : pair.contacts) {
      out += line_between(eye.camera, c.point, c.point + 0.08 * eye.size * c.normal, "normal");
      out += dot_at(eye.camera, c.point, "contact");
    }
  }
  const SceneDistance& d = checked.nearest;
  if (checked.collisions.empty() && std::isfinite(d.value)) {
    out += line_between(eye.camera, d.on_a, d.on_b, "gap") + dot_at(eye.camera, d.on_a, "end") +
           dot_at(eye.camera, d.on_b, "end");
    out += text_at(eye.camera, (d.on_a + d.on_b) / 2, fixed(std::floor(d.value * 1000), 0) + " mm", "length");
  }
  return out;
}

std::string table(const CheckedScene& checked) {
  // Rounded up: the deeper collision and the smaller gap are the safe ones.
  const auto depth_text = [](double depth) { return fixed(std::ceil(depth * 1e6 - 1e-6) / 1e6, 6); };
  std::string rows;
  for (const auto& [pair, contacts] : checked.collisions) {
    rows += fmt::format("<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                        escaped(pair.name_a), escaped(pair.name_b),
                        contacts.empty() ? "0" : depth_text(contacts.front().depth), contacts.size());
  }
  const SceneDistance& d = checked.nearest;
  if (rows.empty())
    rows = fmt::format("<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">0</td></tr>\n",
                       escaped(d.pair.name_a), escaped(d.pair.name_b), depth_text(d.tolerance - d.value));
  return rows;
}

}  // namespace

std::string check_page(const CheckedScene& checked) {
  const Eye eye(extent_of(checked.scene));
  const bool clear = checked.collisions.empty();
  return fmt::format(
      R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{file}</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>{file}</h1>
<p class="lead">{objects} objects, {verdict}</p>
<figure>
<div class="stage">
<img alt="The scene" width="{width}" height="{height}" src="data:image/png;base64,{png}">
<svg viewBox="0 0 {width} {height}" role="img" aria-label="Contacts or nearest points">
{marks}</svg>
</div>
<figcaption>{caption} Half-spaces and planes fade with the distance. Padding is not drawn.</figcaption>
</figure>
<table>
<thead><tr><th>object</th><th>object</th><th class="n">depth (m), negative for a gap</th><th class="n">contacts</th></tr></thead>
<tbody>
{rows}</tbody>
</table>
<p class="lead">graze {version}</p>
</main>
</body>
</html>
)html",
      fmt::arg("file", escaped(checked.file)), fmt::arg("style", kCheckStyle),
      fmt::arg("objects", checked.scene.size()),
      fmt::arg("verdict", clear ? std::string("no collision")
                                : fmt::format("{} colliding pair{}", checked.collisions.size(),
                                              checked.collisions.size() == 1 ? "" : "s")),
      fmt::arg("width", kWidth), fmt::arg("height", kHeight), fmt::arg("png", base64(png(drawn(checked, eye)))),
      fmt::arg("marks", marks(checked, eye)),
      fmt::arg("caption", clear ? "Blue: the nearest points." : "Red: colliding objects, contacts and their normals."),
      fmt::arg("rows", table(checked)), fmt::arg("version", kVersion));
}

}  // namespace graze::app
